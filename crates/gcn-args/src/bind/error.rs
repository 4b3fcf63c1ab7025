//! Errors of arguments.

use gcn_emu::memory::AllocError;
use gcn_object::MAX_KERNARG_BYTES;
use gcn_runtime::data::DataError;

use crate::value::{Type, ValueError};

/// A reason why arguments are not those of a kernel.
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
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// A value is not what its parameter takes.
    #[error("argument {name}: {error}")]
    Argument {
        /// Name or number, as given.
        name: String,
        /// The reason.
        error: ArgumentError,
    },
    /// The whole argument segment is not the kernel's.
    #[error("the argument segment: {0}")]
    Segment(ArgumentError),
    /// A value is none of a buffer that launches share.
    #[error("buffer {name}: {error}")]
    Buffer {
        /// Name of the buffer.
        name: String,
        /// The reason.
        error: ArgumentError,
    },
    /// No parameter has the name or number.
    #[error("kernel {kernel} has no argument {name}")]
    Unknown {
        /// The kernel.
        kernel: String,
        /// Name or number, as given.
        name: String,
    },
    /// A parameter got two values.
    #[error("argument {0} is given twice")]
    Twice(String),
    /// A parameter got no value.
    #[error("argument {0} is missing")]
    Missing(String),
    /// The arguments are longer than the descriptor says.
    #[error("the arguments have {given} bytes, but the descriptor of kernel {kernel} has {wanted}")]
    TooLong {
        /// The kernel.
        kernel: String,
        /// Bytes that the arguments take.
        given: u64,
        /// Bytes of the descriptor.
        wanted: u64,
    },
    /// A kernel without metadata reads arguments, and none are given.
    #[error(
        "kernel {kernel} reads {bytes} bytes of arguments and has no metadata; give them in order, with types"
    )]
    NoMetadata {
        /// The kernel.
        kernel: String,
        /// Bytes of the descriptor.
        bytes: u64,
    },
}

/// A reason why a value is not what a parameter takes.
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
    /// The text is no value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file holds no whole number of elements.
    #[error("{name}: the file has {bytes} bytes, not a multiple of the size of {ty}")]
    Partial {
        /// The file.
        name: String,
        /// Bytes of the file.
        bytes: u64,
        /// Type of the elements.
        ty: Type,
    },
    /// A structure is longer than any argument segment.
    #[error("the structure is larger than the limit of {MAX_KERNARG_BYTES} bytes")]
    LongStructure,
    /// A buffer is longer than any memory.
    #[error("the buffer is larger than the address space")]
    LongBuffer,
    /// The size is another than the parameter's.
    #[error("expected {wanted} bytes, found {given}")]
    Size {
        /// Bytes of the parameter.
        wanted: u64,
        /// Bytes of the value.
        given: u64,
    },
    /// The size of a structure is another than the parameter's.
    #[error(
        "expected a structure of {wanted} bytes, found one of {given}; write padding as hex:00"
    )]
    StructureSize {
        /// Bytes of the parameter.
        wanted: u64,
        /// Bytes of the structure.
        given: u64,
    },
    /// The size of an argument segment is another than the kernel's.
    #[error("the arguments of kernel {kernel} have {wanted} bytes, not {given}")]
    SegmentSize {
        /// The kernel.
        kernel: String,
        /// Bytes that it takes.
        wanted: u64,
        /// Bytes that were given.
        given: u64,
    },
    /// An argument is given that the segment holds already.
    #[error("it already contains argument {0}")]
    InSegment(String),
    /// A value for a segment that is no bytes.
    #[error("expected @FILE, hex:00ff or {{u32:1, f32:2.5}}, found `{0}`")]
    NotBytes(String),
    /// A value for a buffer that makes none.
    #[error("expected a buffer, found {0}")]
    NotABuffer(&'static str),
    /// A number for a buffer.
    #[error("expected a buffer, found a number; `{0},` with a comma is a buffer of one element")]
    Number(String),
    /// No dynamic LDS for a parameter that takes it.
    #[error("expected dynamic LDS: local:BYTES")]
    NotLocal,
    /// An address for a parameter that is passed by value.
    #[error("it is passed by value ({0} bytes), not as a buffer")]
    ByValue(u64),
    /// A kind of parameter that no value is for.
    #[error("arguments of kind {0} are not supported")]
    Kind(String),
    /// A number without a type, for a parameter without one.
    #[error("the type of its {bytes} bytes is unknown: write it, as in {example}")]
    Untyped {
        /// Bytes of the parameter.
        bytes: u64,
        /// The number with a type.
        example: String,
    },
    /// A number without a type, for a kernel without metadata.
    #[error("kernel {0} has no metadata, so a number needs a type, as in u32:42")]
    UntypedKernel(String),
    /// Elements without a type, for a buffer without one.
    #[error("the element type is unknown: write it, as in f32:1,2,3")]
    UntypedElements,
    /// A floating-point number for an integer, or the other way.
    #[error("expected {wanted}, found {given}")]
    Type {
        /// Type of the parameter.
        wanted: Type,
        /// Type of the value.
        given: Type,
    },
    /// A buffer of this name exists.
    #[error("a buffer of this name already exists")]
    Exists,
    /// An element of another buffer that does not exist.
    #[error("{name} has no element {index}: it has {count} elements")]
    NoElement {
        /// The buffer.
        name: String,
        /// Number of the element.
        index: u64,
        /// Elements of the buffer.
        count: u64,
    },
    /// The address of a buffer that is itself another's.
    #[error("{name} shares the buffer of {of}; name an argument that has its own buffer")]
    Alias {
        /// The argument that was named.
        name: String,
        /// The argument that has the buffer.
        of: String,
    },
    /// The buffer of an argument that has none.
    #[error("{name} has no buffer: it is {kind}")]
    NoBuffer {
        /// The argument that was named.
        name: String,
        /// Kind of that argument.
        kind: &'static str,
    },
    /// A name that no argument has.
    #[error("`{0}` is neither a value nor the name of another argument")]
    NoArgument(String),
}

/// A reason why bound arguments cannot be placed in memory.
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
    /// No memory for a buffer.
    #[error(transparent)]
    Memory(#[from] AllocError),
    /// A file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Dynamic LDS beyond 4 GiB.
    #[error("dynamic LDS exceeds 4 GiB")]
    Lds,
    /// An address in a buffer that does not exist.
    #[error("{0} has no buffer")]
    NoBuffer(String),
    /// An address behind the end of a buffer.
    #[error("{name} has no element {index}")]
    NoElement {
        /// The buffer.
        name: String,
        /// Number of the element.
        index: u64,
    },
}
