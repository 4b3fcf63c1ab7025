//! Kernel parameters: names, offsets and types from metadata and symbols.
//!
//! The metadata of OpenCL C includes type names. That of HIP does not, but the mangled symbol of a C++ kernel does.
//!
//! ```
//! use gcn_runtime::parameters::types_of_symbol;
//! let types = types_of_symbol("_Z5scalePfj");
//! assert_eq!(types, Some(vec!["float*".to_owned(), "unsigned int".to_owned()]));
//! ```

mod signature;

use gcn_object::{ArgumentMetadata, ObjectKernel, ValueKind};

pub use signature::types_of_symbol;

/// Default alignment of dynamic LDS in bytes, if metadata does not state it: that of the widest LDS access.
pub const DEFAULT_LDS_ALIGN: u64 = 16;
/// Maximum alignment of dynamic LDS in bytes.
const MAX_LDS_ALIGN: u64 = 4096;
/// Suffix that Clang adds to the name of a HIP parameter that it coerces to another type.
const COERCED: &str = ".coerce";

/// Explicit parameter of a kernel, from its metadata.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_runtime::parameters::Takes;
/// let parameters = kernel.parameters().expect("the kernel has metadata");
/// assert_eq!((parameters[0].takes, parameters[1].takes), (Takes::Buffer, Takes::Value));
/// assert_eq!(parameters[1].declared.as_deref(), Some("uint"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Parameter<'a> {
    /// Name, if the metadata contains it.
    pub name: Option<&'a str>,
    /// Index among the explicit parameters, from 0.
    pub index: usize,
    /// Offset in the argument segment, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Kind of argument that the parameter accepts.
    pub takes: Takes<'a>,
    /// Type as declared in the source, if known.
    pub declared: Option<String>,
}

/// Kind of argument that a parameter accepts.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_runtime::parameters::Takes;
/// let parameters = kernel.parameters().expect("the kernel has metadata");
/// let buffers = parameters.iter().filter(|parameter| parameter.takes == Takes::Buffer);
/// assert!(buffers.map(|parameter| parameter.label()).eq(["xs"]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes<'a> {
    /// Bytes of a value.
    Value,
    /// Address of a buffer.
    Buffer,
    /// Offset of dynamic LDS.
    Local {
        /// Alignment in bytes.
        align: u64,
    },
    /// Another kind, such as an image, which is neither a value nor a buffer.
    Other(&'a ValueKind),
}

/// Returns the explicit parameters from metadata and symbol, or `None` if metadata does not describe them.
///
/// For a loaded kernel, use [`Kernel::parameters`](crate::Kernel::parameters).
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_runtime::parameters::parameters;
/// let known = parameters(kernel.description()).expect("the kernel has metadata");
/// assert_eq!((known[1].index, known[1].offset, known[1].size), (1, 8, 4));
/// let (_, without) = example::add_one_kernel();
/// assert_eq!(parameters(without.description()), None);
/// ```
pub fn parameters(kernel: &ObjectKernel) -> Option<Vec<Parameter<'_>>> {
    let metadata = kernel.metadata.as_ref()?;
    if metadata.args.is_empty() && metadata.kernarg_segment_size > 0 {
        return None;
    }
    let explicit: Vec<&ArgumentMetadata> = (metadata.args.iter())
        .filter(|argument| !argument.value_kind.is_hidden())
        .collect();
    // Use the symbol's types only if it has the same number of parameters.
    let declared = types_of_symbol(&kernel.name)
        .filter(|declared| declared.len() == explicit.len())
        .unwrap_or_default();
    let parameter = |(index, argument)| Parameter::new(index, argument, declared.get(index));
    Some(explicit.into_iter().enumerate().map(parameter).collect())
}

/// Returns the alignment in bytes of the dynamic LDS that an argument requests.
pub(crate) fn lds_align(argument: Option<&ArgumentMetadata>) -> u64 {
    argument
        .filter(|argument| argument.value_kind == ValueKind::DynamicSharedPointer)
        .and_then(|argument| argument.pointee_align)
        .map_or(DEFAULT_LDS_ALIGN, |align| align.clamp(1, MAX_LDS_ALIGN))
}

impl<'a> Parameter<'a> {
    fn new(
        index: usize,
        argument: &'a ArgumentMetadata,
        declared: Option<&String>,
    ) -> Parameter<'a> {
        let name = argument.name.as_deref();
        let declared = argument.type_name.as_ref().or(declared);
        let takes = match &argument.value_kind {
            ValueKind::ByValue => Takes::Value,
            ValueKind::GlobalBuffer => Takes::Buffer,
            ValueKind::DynamicSharedPointer => Takes::Local {
                align: lds_align(Some(argument)),
            },
            other => Takes::Other(other),
        };
        Parameter {
            name: name.map(|name| name.strip_suffix(COERCED).unwrap_or(name)),
            index,
            offset: argument.offset,
            size: argument.size,
            declared: declared.cloned(),
            takes,
        }
    }

    /// Returns the name, or else the index.
    pub fn label(&self) -> String {
        self.name
            .map_or_else(|| self.index.to_string(), str::to_owned)
    }
}
