//! Errors of arguments.

use gcn_emu::memory::AllocError;
use gcn_object::MAX_KERNARG_BYTES;

use crate::language::data::DataError;
use crate::language::value::{Type, ValueError};

/// A reason why arguments are not those of a kernel.
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
    #[error(
        "the arguments take {given} bytes, but the descriptor of kernel {kernel} says {wanted}"
    )]
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
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The text is no value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// Its file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file holds no whole number of elements.
    #[error("{name}: the file has {bytes} bytes, which is no whole number of {ty}")]
    Partial {
        /// The file.
        name: String,
        /// Bytes of the file.
        bytes: u64,
        /// Type of the elements.
        ty: Type,
    },
    /// A structure is longer than any argument segment.
    #[error("the structure has more than {MAX_KERNARG_BYTES} bytes")]
    LongStructure,
    /// A buffer is longer than any memory.
    #[error("the buffer is larger than any memory")]
    LongBuffer,
    /// The size is another than the parameter's.
    #[error("it takes {wanted} bytes, not {given}")]
    Size {
        /// Bytes of the parameter.
        wanted: u64,
        /// Bytes of the value.
        given: u64,
    },
    /// The size of a structure is another than the parameter's.
    #[error("it takes {wanted} bytes, and these members {given}; write padding as hex:00")]
    StructureSize {
        /// Bytes of the parameter.
        wanted: u64,
        /// Bytes of the structure.
        given: u64,
    },
    /// The size of an argument segment is another than the kernel's.
    #[error("the arguments of kernel {kernel} take {wanted} bytes, not {given}")]
    SegmentSize {
        /// The kernel.
        kernel: String,
        /// Bytes that it takes.
        wanted: u64,
        /// Bytes that were given.
        given: u64,
    },
    /// An argument is given that the segment holds already.
    #[error("argument {0} is in it already")]
    InSegment(String),
    /// A value for a segment that is no bytes.
    #[error("`{0}` is not bytes: @FILE, hex:00ff or {{u32:1, f32:2.5}}")]
    NotBytes(String),
    /// A value for a buffer that makes none.
    #[error("a buffer is wanted, not {0}")]
    NotABuffer(&'static str),
    /// A number for a buffer.
    #[error("a buffer is wanted, not a number; {0}, with a comma is a buffer of one")]
    Number(String),
    /// No dynamic LDS for a parameter that takes it.
    #[error("dynamic LDS is wanted: local:BYTES")]
    NotLocal,
    /// An address for a parameter that is passed by value.
    #[error("it is passed by value, {0} bytes")]
    ByValue(u64),
    /// A kind of parameter that no value is for.
    #[error("arguments of kind {0} cannot be given")]
    Kind(String),
    /// A number without a type, for a parameter without one.
    #[error("the kernel does not say the type of its {bytes} bytes; write it, as in {example}")]
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
    #[error("the kernel does not say the element type; write one, as in f32:1,2,3")]
    UntypedElements,
    /// A floating-point number for an integer, or the other way.
    #[error("it is {wanted}, not {given}")]
    Type {
        /// Type of the parameter.
        wanted: Type,
        /// Type of the value.
        given: Type,
    },
    /// A buffer of this name exists.
    #[error("there is a buffer of this name already")]
    Exists,
    /// An element of another buffer that does not exist.
    #[error("{name} has no element {index}, but {count} elements")]
    NoElement {
        /// The buffer.
        name: String,
        /// Number of the element.
        index: u64,
        /// Elements of the buffer.
        count: u64,
    },
    /// The address of a buffer that is itself another's.
    #[error("{name} is the buffer of {of}; name an argument that has one of its own")]
    Alias {
        /// The argument that was named.
        name: String,
        /// The argument that has the buffer.
        of: String,
    },
    /// The buffer of an argument that has none.
    #[error("{name} is {kind}, so it has no buffer")]
    NoBuffer {
        /// The argument that was named.
        name: String,
        /// Kind of that argument.
        kind: &'static str,
    },
    /// A name that no argument has.
    #[error("`{0}` is neither a value nor another argument")]
    NoArgument(String),
}

/// A reason why bound arguments cannot be placed in memory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// There is no memory for a buffer.
    #[error(transparent)]
    Memory(#[from] AllocError),
    /// A file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Dynamic LDS beyond 4 GiB.
    #[error("more LDS than there is")]
    Lds,
    /// An address in a buffer that does not exist.
    #[error("{0} is no buffer")]
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
