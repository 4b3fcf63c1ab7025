//! Errors from binding and placing arguments.

use gcn_emu::memory::AllocError;
use gcn_object::MAX_KERNARG_BYTES;
use gcn_runtime::data::DataError;

use crate::value::{Type, ValueError};

/// Error from binding arguments or shared buffers.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{self, BindError, GivenArgument};
/// use gcn_runtime::data::Data;
/// let twice = [("xs", "null"), ("0", "null"), ("factor", "2")];
/// let twice = twice.map(|(name, text)| GivenArgument::parse(name, text));
/// let problems = bind::arguments(kernel.description(), &twice, &[], &Data::open).problems;
/// assert!(matches!(&problems[..], [BindError::Twice(name)] if name == "0"));
/// assert_eq!(problems[0].name(), gcn_args::error_names::DUPLICATE_ARGUMENT);
/// let (_, without_metadata) = example::add_one_kernel();
/// let twice = [("xs", "null"), ("xs", "null")].map(|(name, text)| GivenArgument::parse(name, text));
/// let problems = bind::arguments(without_metadata.description(), &twice, &[], &Data::open).problems;
/// assert!(matches!(&problems[..], [BindError::Twice(name)] if name == "xs"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The value of an argument is invalid.
    #[error("argument {name}: {error}")]
    Argument {
        /// Name or index, as given by the caller.
        name: String,
        /// Reason why the value is invalid.
        error: ArgumentError,
    },
    /// The value of the whole argument segment is invalid.
    #[error("the argument segment: {0}")]
    Segment(ArgumentError),
    /// The value of a shared buffer is invalid.
    #[error("buffer {name}: {error}")]
    Buffer {
        /// Name of the buffer.
        name: String,
        /// Reason why the value is invalid.
        error: ArgumentError,
    },
    /// No parameter has the name or index.
    #[error("kernel {kernel} has no argument {name}")]
    Unknown {
        /// Name of the kernel.
        kernel: String,
        /// Name or index, as given by the caller.
        name: String,
    },
    /// Two arguments are for the same parameter or have the same name.
    #[error("argument {0} is given twice")]
    Twice(String),
    /// A parameter has no argument.
    #[error("argument {0} is missing")]
    Missing(String),
    /// The arguments exceed the kernarg size in the kernel descriptor.
    #[error("the arguments have {given} bytes, but the descriptor of kernel {kernel} has {wanted}")]
    TooLong {
        /// Name of the kernel.
        kernel: String,
        /// Size of the arguments in bytes.
        given: u64,
        /// Kernarg size in the descriptor, in bytes.
        wanted: u64,
    },
    /// A kernel without metadata takes arguments, but none were given.
    #[error(
        "kernel {kernel} reads {bytes} bytes of arguments and has no metadata; give them in order, with types"
    )]
    NoMetadata {
        /// Name of the kernel.
        kernel: String,
        /// Kernarg size in the descriptor, in bytes.
        bytes: u64,
    },
}

/// Error in the value of an argument, a segment or a shared buffer.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{self, ArgumentError, BindError, GivenArgument};
/// use gcn_runtime::data::Data;
/// let given = [("xs", "42"), ("factor", "2")].map(|(name, text)| GivenArgument::parse(name, text));
/// let problem = bind::arguments(kernel.description(), &given, &[], &Data::open).problems.remove(0);
/// assert!(matches!(&problem, BindError::Argument { error: ArgumentError::Number(_), .. }));
/// assert!(problem.to_string().ends_with("`42,` with a comma is a buffer of one element"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The text is not a valid value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The size of a file is not a multiple of the element size.
    #[error("{name}: the file has {bytes} bytes, not a multiple of the size of {ty}")]
    Partial {
        /// Name of the file.
        name: String,
        /// Size of the file in bytes.
        bytes: u64,
        /// Element type.
        ty: Type,
    },
    /// A structure exceeds the maximum size of an argument segment.
    #[error("the structure is larger than the limit of {MAX_KERNARG_BYTES} bytes")]
    LongStructure,
    /// A buffer exceeds the address space.
    #[error("the buffer is larger than the address space")]
    LongBuffer,
    /// The size does not match the parameter.
    #[error("expected {wanted} bytes, found {given}")]
    Size {
        /// Size of the parameter in bytes.
        wanted: u64,
        /// Size of the value in bytes.
        given: u64,
    },
    /// The size of a structure does not match the parameter.
    #[error(
        "expected a structure of {wanted} bytes, found one of {given}; write padding as hex:00"
    )]
    StructureSize {
        /// Size of the parameter in bytes.
        wanted: u64,
        /// Size of the structure in bytes.
        given: u64,
    },
    /// The size of an argument segment does not match the kernel.
    #[error("the arguments of kernel {kernel} have {wanted} bytes, not {given}")]
    SegmentSize {
        /// Name of the kernel.
        kernel: String,
        /// Expected size in bytes.
        wanted: u64,
        /// Actual size in bytes.
        given: u64,
    },
    /// An argument is given in addition to a whole segment.
    #[error("it already contains argument {0}")]
    InSegment(String),
    /// The value of a segment is not bytes, a structure or a file.
    #[error("expected @FILE, hex:00ff or {{u32:1, f32:2.5}}, found `{0}`")]
    NotBytes(String),
    /// LDS or a structure was given for a buffer.
    #[error("expected a buffer, found {0}")]
    NotABuffer(&'static str),
    /// A number was given for a buffer.
    #[error("expected a buffer, found a number; `{0},` with a comma is a buffer of one element")]
    Number(String),
    /// The value for a dynamic LDS parameter is not `local:BYTES`.
    #[error("expected dynamic LDS: local:BYTES")]
    NotLocal,
    /// A null pointer, LDS or undefined elements were given for a by-value parameter.
    #[error("it is passed by value ({0} bytes), not as a buffer")]
    ByValue(u64),
    /// The kind of the parameter is not supported.
    #[error("arguments of kind {0} are not supported")]
    Kind(String),
    /// A number has no type, and neither does its parameter.
    #[error("the type of its {bytes} bytes is unknown: write it, as in {example}")]
    Untyped {
        /// Size of the parameter in bytes.
        bytes: u64,
        /// Suggested text: the number with a type.
        example: String,
    },
    /// A number has no type, and the kernel has no metadata.
    #[error("kernel {0} has no metadata, so a number needs a type, as in u32:42")]
    UntypedKernel(String),
    /// Elements have no type, and neither does the parameter.
    #[error("the element type is unknown: write it, as in f32:1,2,3")]
    UntypedElements,
    /// A floating-point number was given for an integer, or vice versa.
    #[error("expected {wanted}, found {given}")]
    Type {
        /// Type of the parameter.
        wanted: Type,
        /// Type of the value.
        given: Type,
    },
    /// Another buffer has the same name.
    #[error("a buffer of this name already exists")]
    Exists,
    /// The referenced element does not exist.
    #[error("{name} has no element {index}: it has {count} elements")]
    NoElement {
        /// Name of the buffer.
        name: String,
        /// Index of the element.
        index: u64,
        /// Number of elements in the buffer.
        count: u64,
    },
    /// The referenced argument is itself an alias.
    #[error("{name} shares the buffer of {of}; name an argument that has its own buffer")]
    Alias {
        /// Name of the referenced argument.
        name: String,
        /// Name of the argument that the referenced one refers to.
        of: String,
    },
    /// The referenced argument has no buffer.
    #[error("{name} has no buffer: it is {kind}")]
    NoBuffer {
        /// Name of the referenced argument.
        name: String,
        /// Kind of the referenced argument.
        kind: &'static str,
    },
    /// No argument or shared buffer has the name.
    #[error("`{0}` is neither a value nor the name of another argument")]
    NoArgument(String),
}

/// Error from placing bound arguments in memory.
///
/// # Examples
/// ```
/// use gcn_runtime::Device;
/// use gcn_args::bind::{Buffers, GivenArgument, PlaceError, place, shared};
/// use gcn_runtime::data::Data;
/// let device = Device::builder("gfx900")?.memory(1 << 20).build();
/// let large = shared(&[GivenArgument::parse("large", "u8*0x200000")], &Data::open).arguments;
/// let placed = place(large, 0, device.memory(), &mut Buffers::default());
/// assert!(matches!(placed, Err(PlaceError::Memory(_))));
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// Device memory is too small for a buffer.
    #[error(transparent)]
    Memory(#[from] AllocError),
    /// A file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Dynamic LDS exceeds 4 GiB.
    #[error("dynamic LDS exceeds 4 GiB")]
    Lds,
    /// A referenced buffer does not exist.
    #[error("{0} has no buffer")]
    NoBuffer(String),
    /// A referenced element is beyond the end of its buffer.
    #[error("{name} has no element {index}")]
    NoElement {
        /// Name of the buffer.
        name: String,
        /// Index of the element.
        index: u64,
    },
}
