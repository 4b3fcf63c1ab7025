//! Conversion of values to the bytes, buffers or dynamic LDS that parameters take.

use gcn_object::{MAX_KERNARG_BYTES, ObjectKernel};
use gcn_runtime::data::Data;
use gcn_runtime::parameters::{DEFAULT_LDS_ALIGN, Parameter, Takes};

use super::error::ArgumentError;
use super::structure::{Block, elements, structure};
use crate::fill::Fill;
use crate::open::{MAX_STREAM_BYTES, Open};
use crate::parameter_type::source_type;
use crate::spec::Spec;
use crate::value::{NumberEncoding, Type, ValueError};

/// Value bound to a parameter, with the buffer or LDS that the value requires.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{self, Bound, BufferContents, GivenArgument};
/// use gcn_runtime::data::Data;
/// use gcn_args::fill::Fill;
/// let given = [("xs", "u32*4"), ("factor", "3")].map(|(name, text)| GivenArgument::parse(name, text));
/// let mut arguments = bind::arguments(kernel.description(), &given, &[], &Data::open).arguments.into_iter().map(|it| it.bound);
/// let Some(Bound::Buffer { contents, bytes: 16, .. }) = arguments.next() else { panic!("a buffer") };
/// assert!(matches!(contents, BufferContents::Filled(Fill::Zero, 4)));
/// assert!(matches!(arguments.next(), Some(Bound::Bytes(block)) if block.bytes == [3, 0, 0, 0]));
/// ```
#[derive(Debug)]
pub enum Bound {
    /// Bytes in the argument segment.
    Bytes(Block),
    /// Null pointer.
    Null,
    /// Address of the argument's own buffer.
    Buffer {
        /// Element type.
        ty: Type,
        /// Initial contents.
        contents: BufferContents,
        /// Size in bytes.
        bytes: u64,
    },
    /// Offset of a block of dynamic LDS.
    Local {
        /// Size in bytes.
        bytes: u32,
        /// Alignment in bytes.
        align: u64,
    },
    /// Address of an element in the buffer of another argument.
    Alias {
        /// Name of the buffer.
        name: String,
        /// Index of the element.
        from: u64,
        /// Element type, if the kernel declares one.
        ty: Option<Type>,
    },
}

/// Initial contents of a buffer.
#[derive(Debug)]
pub enum BufferContents {
    /// Contents of a file, or literal data.
    Data(Data),
    /// Generator, and number of elements to generate.
    Filled(Fill, u64),
}

/// Checks a value against its parameter and converts it.
pub(super) fn bind(
    parameter: &Parameter<'_>,
    spec: &Spec,
    open: Open<'_>,
) -> Result<Bound, ArgumentError> {
    let fits = |given: u64| fits(parameter, given);
    match (&parameter.takes, spec) {
        (Takes::Value, Spec::Numbers { ty, texts, .. }) => numbers(parameter, *ty, texts),
        // By-value arguments cannot be undefined.
        (
            Takes::Value,
            Spec::Filled {
                fill: Fill::Undefined,
                ..
            },
        ) => Err(ArgumentError::ByValue(parameter.size)),
        (Takes::Value, Spec::Filled { ty, count, fill }) => {
            fits(count.saturating_mul(ty.size() as u64))?;
            Ok(bytes(fill.bytes(*ty, 0..*count)))
        }
        (Takes::Value, Spec::File { path, .. }) => {
            let read = open(path, MAX_KERNARG_BYTES)?.into_bytes(MAX_KERNARG_BYTES)?;
            fits(read.len() as u64)?;
            Ok(bytes(read))
        }
        (Takes::Value, Spec::Bytes(written)) => {
            fits(written.len() as u64)?;
            Ok(bytes(written.clone()))
        }
        (Takes::Value, Spec::Struct(members)) => {
            let block = structure(members)?;
            let given = block.bytes.len() as u64;
            if given != parameter.size {
                return Err(ArgumentError::StructureSize {
                    wanted: parameter.size,
                    given,
                });
            }
            Ok(Bound::Bytes(block))
        }
        (Takes::Buffer, Spec::Null) => Ok(Bound::Null),
        (Takes::Buffer, Spec::Local(_)) => Err(ArgumentError::NotABuffer("LDS")),
        (
            Takes::Buffer,
            Spec::Numbers {
                ty: None,
                texts,
                list: false,
            },
        ) => Err(ArgumentError::Number(texts.concat())),
        (Takes::Buffer, spec) => buffer(spec, source_type(parameter).map(|source| source.0), open),
        (Takes::Local { align }, Spec::Local(bytes)) => Ok(Bound::Local {
            bytes: *bytes,
            align: *align,
        }),
        (Takes::Local { .. }, _) => Err(ArgumentError::NotLocal),
        (Takes::Value, Spec::Same { name, .. }) => Err(ValueError::NotANumber(name.clone()).into()),
        (Takes::Value, Spec::Local(_) | Spec::Null) => Err(ArgumentError::ByValue(parameter.size)),
        (Takes::Other(kind), _) => Err(ArgumentError::Kind(kind.name().to_owned())),
    }
}

fn fits(parameter: &Parameter<'_>, given: u64) -> Result<(), ArgumentError> {
    let wanted = parameter.size;
    if given == wanted {
        Ok(())
    } else {
        Err(ArgumentError::Size { wanted, given })
    }
}

/// Converts numbers for a by-value parameter. Without an explicit type, they have the type of the parameter.
fn numbers(
    parameter: &Parameter<'_>,
    ty: Option<Type>,
    texts: &[String],
) -> Result<Bound, ArgumentError> {
    let Some(ty) = ty.or(source_type(parameter).map(|source| source.0)) else {
        let number = texts.first().map_or("", String::as_str);
        let bits = parameter.size / texts.len().max(1) as u64 * 8;
        let example = match bits {
            8 => format!("u8:{number}"),
            16 | 64 => format!("u{bits}:{number} or f{bits}:{number}"),
            _ => format!("u32:{number} or f32:{number}"),
        };
        return Err(ArgumentError::Untyped {
            bytes: parameter.size,
            example,
        });
    };
    // The fourth lane of a three-component vector is padding.
    let lanes = match source_type(parameter) {
        Some((known, 3)) if known.size() == ty.size() => Type::padded_lanes(texts.len()),
        _ => texts.len(),
    };
    fits(parameter, (ty.size() * lanes) as u64)?;
    let is_float = |ty: Type| ty.encoding() == NumberEncoding::Float;
    if let Some((known, _)) = source_type(parameter)
        && known.size() == ty.size()
        && is_float(known) != is_float(ty)
    {
        return Err(ArgumentError::Type {
            wanted: known,
            given: ty,
        });
    }
    let mut written = elements(ty, texts)?;
    written.resize(ty.size() * lanes, 0);
    Ok(bytes(written))
}

/// Converts a value for a kernel whose parameters are unknown.
pub(super) fn untyped(
    kernel: &ObjectKernel,
    spec: &Spec,
    open: Open<'_>,
) -> Result<Bound, ArgumentError> {
    match spec {
        Spec::Numbers { ty: None, .. } => Err(ArgumentError::UntypedKernel(kernel.name.clone())),
        Spec::Numbers {
            ty: Some(ty),
            texts,
            list: false,
        } => Ok(bytes(elements(*ty, texts)?)),
        Spec::Struct(members) => Ok(Bound::Bytes(structure(members)?)),
        Spec::Bytes(bytes) => Ok(Bound::Bytes(Block {
            bytes: bytes.clone(),
            pointers: Vec::new(),
            align: 1,
        })),
        Spec::Local(bytes) => Ok(Bound::Local {
            bytes: *bytes,
            align: DEFAULT_LDS_ALIGN,
        }),
        spec => buffer(spec, None, open),
    }
}

/// Creates a by-value argument whose alignment is its size.
fn bytes(bytes: Vec<u8>) -> Bound {
    let align = bytes.len() as u64;
    Bound::Bytes(Block {
        bytes,
        pointers: Vec::new(),
        align,
    })
}

/// Creates the buffer, alias or null pointer that a value describes. `known` is the element type declared in the source.
pub(super) fn buffer(
    spec: &Spec,
    known: Option<Type>,
    open: Open<'_>,
) -> Result<Bound, ArgumentError> {
    Ok(match spec {
        Spec::Numbers { ty, texts, .. } => {
            let ty = ty.or(known).ok_or(ArgumentError::UntypedElements)?;
            let bytes = elements(ty, texts)?;
            Bound::Buffer {
                ty,
                bytes: bytes.len() as u64,
                contents: BufferContents::Data(bytes.into()),
            }
        }
        Spec::Filled { ty, count, fill } => Bound::Buffer {
            ty: *ty,
            bytes: count
                .checked_mul(ty.size() as u64)
                .ok_or(ArgumentError::LongBuffer)?,
            contents: BufferContents::Filled(fill.clone(), *count),
        },
        Spec::File { ty, path } => {
            let data = open(path, MAX_STREAM_BYTES)?;
            let bytes = data.len();
            let ty = ty.or(known).unwrap_or(Type::U8);
            if !bytes.is_multiple_of(ty.size() as u64) {
                return Err(ArgumentError::Partial {
                    name: data.name().to_owned(),
                    bytes,
                    ty,
                });
            }
            Bound::Buffer {
                ty,
                bytes,
                contents: BufferContents::Data(data),
            }
        }
        Spec::Local(_) => return Err(ArgumentError::NotABuffer("LDS")),
        Spec::Struct(_) => return Err(ArgumentError::NotABuffer("a structure")),
        Spec::Bytes(bytes) => Bound::Buffer {
            ty: known.unwrap_or(Type::U8),
            bytes: bytes.len() as u64,
            contents: BufferContents::Data(bytes.clone().into()),
        },
        Spec::Null => Bound::Null,
        Spec::Same { name, from } => Bound::Alias {
            name: name.clone(),
            from: *from,
            ty: known,
        },
    })
}
