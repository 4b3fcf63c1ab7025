//! Types of kernel parameters, as declared by metadata or the kernel's symbol.

use gcn_runtime::parameters::{Parameter, Takes};

use crate::value::Type;

/// Returns the declared type of a parameter and its number of lanes; for a buffer, those of its elements. Returns `None`
/// if no type is declared, the type is not numeric, or its size differs from the size of a by-value parameter.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::{parameter_type::source_type, value::Type};
/// let parameters = kernel.parameters().expect("the kernel has metadata");
/// assert_eq!(source_type(&parameters[1]), Some((Type::U32, 1)));
/// ```
pub fn source_type(parameter: &Parameter<'_>) -> Option<(Type, usize)> {
    let source = Type::of_source(parameter.declared.as_deref()?);
    source.filter(|&(ty, lanes)| {
        !matches!(parameter.takes, Takes::Value)
            || (ty.size() * Type::padded_lanes(lanes)) as u64 == parameter.size
    })
}

/// Describes the argument that a parameter takes, for messages: `a number, f32`, `a buffer of u32`.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::parameter_type::wants;
/// let parameters = kernel.parameters().expect("the kernel has metadata");
/// assert_eq!(wants(&parameters[0]), "a buffer of u32");
/// assert_eq!(wants(&parameters[1]), "a number, u32");
/// ```
pub fn wants(parameter: &Parameter<'_>) -> String {
    match (&parameter.takes, source_type(parameter)) {
        (Takes::Value, Some((ty, 1))) => format!("a number, {ty}"),
        (Takes::Value, Some((ty, lanes))) => format!("{lanes} numbers, {ty}"),
        (Takes::Value, None) => {
            let declared = parameter.declared.as_ref();
            let declared = declared.map_or(String::new(), |name| format!(", {name}"));
            format!("{} bytes by value{declared}", parameter.size)
        }
        (Takes::Buffer, Some((ty, 1))) => format!("a buffer of {ty}"),
        (Takes::Buffer, Some((ty, lanes))) => {
            format!(
                "a buffer of {ty}, {} to an element",
                Type::padded_lanes(lanes)
            )
        }
        (Takes::Buffer, None) => "a buffer".to_owned(),
        (Takes::Local { .. }, _) => "dynamic LDS, local:BYTES".to_owned(),
        (Takes::Other(kind), _) => format!("{}, which cannot be given", kind.name()),
    }
}

#[cfg(test)]
mod tests {
    use gcn_runtime::parameters::types_of_symbol;

    use super::*;

    #[test]
    fn types_of_hip_are_understood() {
        let types =
            types_of_symbol("_Z1k15HIP_vector_typeIfLj4EEPS_IjLj2EEPKDF16_PPf").expect("types");
        let known: Vec<_> = types.iter().map(|ty| Type::of_source(ty)).collect();
        assert_eq!(
            known,
            [
                Some((Type::F32, 4)),
                Some((Type::U32, 2)),
                Some((Type::F16, 1)),
                None
            ],
            "{types:?}"
        );
    }
}
