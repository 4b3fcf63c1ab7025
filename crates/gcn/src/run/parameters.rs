//! The parameters of a kernel: names, places and types, from its metadata and its symbol.

use gcn_object::{Argument, Kernel, ValueKind};

use super::signature;
use super::value::Type;

/// What Clang adds to the name of a HIP parameter that it passes as another type.
const COERCED: &str = ".coerce";

/// A parameter of a kernel.
pub struct Parameter<'a> {
    /// Its name, if the metadata have one.
    pub name: Option<&'a str>,
    /// Its number among the explicit ones.
    pub index: usize,
    /// From the start of the argument segment, in bytes.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// What it takes.
    pub takes: Takes<'a>,
    /// Its type in the source, or that of its elements, and the lanes of a vector.
    pub source: Option<(Type, usize)>,
    /// The type as the source has it.
    pub declared: Option<String>,
}

/// The kinds of parameters.
pub enum Takes<'a> {
    /// Bytes.
    Value,
    /// The address of a buffer.
    Buffer,
    /// An offset in dynamic LDS.
    Local {
        /// In bytes.
        align: u64,
    },
    /// One that cannot be given here.
    Other(&'a ValueKind),
}

/// The explicit parameters as metadata and symbol have them; nothing for a kernel without metadata.
pub fn parameters(kernel: &Kernel) -> Option<Vec<Parameter<'_>>> {
    let metadata = kernel.metadata.as_ref()?;
    if metadata.args.is_empty() && metadata.kernarg_segment_size > 0 {
        return None;
    }
    let explicit: Vec<&Argument> = (metadata.args.iter())
        .filter(|argument| !argument.value_kind.is_hidden())
        .collect();
    // A symbol says something only if it is about the same parameters.
    let declared = signature::parameters(&kernel.name)
        .filter(|declared| declared.len() == explicit.len())
        .unwrap_or_default();
    let parameter = |(index, argument)| Parameter::new(index, argument, declared.get(index));
    Some(explicit.into_iter().enumerate().map(parameter).collect())
}

/// The bytes of the explicit arguments.
pub fn explicit_bytes(parameters: &[Parameter<'_>]) -> u64 {
    let end = |parameter: &Parameter| parameter.offset.saturating_add(parameter.size);
    parameters.iter().map(end).max().unwrap_or(0)
}

impl<'a> Parameter<'a> {
    fn new(index: usize, argument: &'a Argument, declared: Option<&String>) -> Parameter<'a> {
        let name = argument.name.as_deref();
        let declared = argument.type_name.as_ref().or(declared);
        let takes = match &argument.value_kind {
            ValueKind::ByValue => Takes::Value,
            ValueKind::GlobalBuffer => Takes::Buffer,
            ValueKind::DynamicSharedPointer => Takes::Local {
                align: argument.pointee_align.unwrap_or(1).clamp(1, 4096),
            },
            other => Takes::Other(other),
        };
        let source = declared.and_then(|declared| Type::of_source(declared));
        let fits = |&(ty, lanes): &(Type, usize)| {
            !matches!(takes, Takes::Value)
                || (ty.size() * Type::room(lanes)) as u64 == argument.size
        };
        Parameter {
            name: name.map(|name| name.strip_suffix(COERCED).unwrap_or(name)),
            index,
            offset: argument.offset,
            size: argument.size,
            source: source.filter(fits),
            declared: declared.cloned(),
            takes,
        }
    }

    /// Its name, or else its number.
    pub fn label(&self) -> String {
        self.name
            .map_or_else(|| self.index.to_string(), str::to_owned)
    }

    /// What the value has to be, for messages.
    fn wants(&self) -> String {
        match (&self.takes, self.source) {
            (Takes::Value, Some((ty, 1))) => format!("a number, {ty}"),
            (Takes::Value, Some((ty, lanes))) => format!("{lanes} numbers, {ty}"),
            (Takes::Value, None) => {
                let declared = self.declared.as_ref();
                let declared = declared.map_or(String::new(), |name| format!(", {name}"));
                format!("{} bytes by value{declared}", self.size)
            }
            (Takes::Buffer, Some((ty, 1))) => format!("a buffer of {ty}"),
            (Takes::Buffer, Some((ty, lanes))) => {
                format!("a buffer of {ty}, {} to an element", Type::room(lanes))
            }
            (Takes::Buffer, None) => "a buffer".to_owned(),
            (Takes::Local { .. }, _) => "dynamic LDS, local:BYTES".to_owned(),
            (Takes::Other(kind), _) => format!("{}, which cannot be given", kind.name()),
        }
    }
}

/// The parameters of a kernel, for people; nothing for a kernel without metadata.
pub fn help(kernel: &Kernel) -> Option<String> {
    let parameters = parameters(kernel)?;
    if parameters.is_empty() {
        return Some(format!("kernel {} takes no arguments", kernel.name));
    }
    let mut text = format!("kernel {} takes:", kernel.name);
    for parameter in &parameters {
        let name = parameter
            .name
            .map_or(String::new(), |name| format!(" {name}"));
        let (index, wants) = (parameter.index, parameter.wants());
        text.push_str(&format!("\n  {index}{name}: {wants}"));
    }
    Some(text)
}
