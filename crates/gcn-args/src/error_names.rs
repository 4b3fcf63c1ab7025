//! Stable names of errors in arguments and expectations, for programs and `gcn explain`. Messages may change, but names do
//! not. Errors that also occur in the runtime use the names in [`gcn_runtime::error_names`].

use gcn_runtime::error_names::{
    ARGUMENT_SIZE, BUFFER_RANGE, MISSING_ARGUMENT, OUT_OF_MEMORY, RESOURCE_LIMIT,
};

use crate::bind::{ArgumentError, BindError, PlaceError};
use crate::expect::ExpectError;
use crate::value::ValueError;

/// Name that does not refer to a buffer.
pub const UNKNOWN_BUFFER: &str = "unknown-buffer";
/// Argument whose name or index matches no parameter.
pub const UNKNOWN_ARGUMENT: &str = "unknown-argument";
/// Argument given twice, or buffer with the name of another buffer.
pub const DUPLICATE_ARGUMENT: &str = "duplicate-argument";
/// Value whose kind or type does not match the parameter.
pub const ARGUMENT_TYPE: &str = "argument-type";
/// Number whose type is declared neither in the text nor by the kernel.
pub const UNTYPED_ARGUMENT: &str = "untyped-argument";
/// Text that is not a valid value.
pub const INVALID_VALUE: &str = "invalid-value";
/// Expectation that is malformed or does not fit the buffer.
pub const INVALID_EXPECTATION: &str = "invalid-expectation";

/// All error names that this crate defines.
///
/// # Examples
/// ```
/// use gcn_args::error_names::ALL;
/// let is_name = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
/// assert!(ALL.iter().all(|name| is_name(name)));
/// ```
pub const ALL: &[&str] = &[
    UNKNOWN_BUFFER,
    UNKNOWN_ARGUMENT,
    DUPLICATE_ARGUMENT,
    ARGUMENT_TYPE,
    UNTYPED_ARGUMENT,
    INVALID_VALUE,
    INVALID_EXPECTATION,
];

impl ValueError {
    /// Returns the stable name of the error, from [`error_names`](self) or [`gcn_runtime::error_names`].
    ///
    /// # Examples
    /// ```
    /// use gcn_args::error_names::{INVALID_VALUE, UNTYPED_ARGUMENT};
    /// use gcn_args::spec::Spec;
    /// assert_eq!(Spec::parse("u8:300").unwrap_err().name(), INVALID_VALUE);
    /// assert_eq!(Spec::parse("{7}").unwrap_err().name(), UNTYPED_ARGUMENT);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            ValueError::Untyped(_) => UNTYPED_ARGUMENT,
            ValueError::NotANumber(_)
            | ValueError::Range { .. }
            | ValueError::NotWhole { .. }
            | ValueError::Type(_)
            | ValueError::Count(_)
            | ValueError::Fill(_)
            | ValueError::Local(_)
            | ValueError::File
            | ValueError::Empty
            | ValueError::Struct(_)
            | ValueError::Nesting
            | ValueError::Member(_)
            | ValueError::Hex(_) => INVALID_VALUE,
        }
    }
}

impl ExpectError {
    /// Returns the stable name of the error, from [`error_names`](self) or [`gcn_runtime::error_names`].
    ///
    /// # Examples
    /// ```
    /// use gcn_args::expect::Expected;
    /// use gcn_args::error_names;
    /// assert_eq!(Expected::split("f32:1~4 ulps").unwrap_err().name(), error_names::INVALID_EXPECTATION);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            ExpectError::Value(error) => error.name(),
            ExpectError::Data(error) => error.name(),
            ExpectError::Partial { .. }
            | ExpectError::Type { .. }
            | ExpectError::NoElements(_)
            | ExpectError::Tolerance { .. } => INVALID_EXPECTATION,
        }
    }
}

impl ArgumentError {
    /// Returns the stable name of the error, from [`error_names`](self) or [`gcn_runtime::error_names`].
    pub fn name(&self) -> &'static str {
        match self {
            ArgumentError::Value(error) => error.name(),
            ArgumentError::Data(error) => error.name(),
            ArgumentError::Partial { .. }
            | ArgumentError::LongStructure
            | ArgumentError::LongBuffer
            | ArgumentError::Size { .. }
            | ArgumentError::StructureSize { .. }
            | ArgumentError::SegmentSize { .. } => ARGUMENT_SIZE,
            ArgumentError::InSegment(_) | ArgumentError::Exists => DUPLICATE_ARGUMENT,
            ArgumentError::NotBytes(_)
            | ArgumentError::NotABuffer(_)
            | ArgumentError::Number(_)
            | ArgumentError::NotLocal
            | ArgumentError::ByValue(_)
            | ArgumentError::Kind(_)
            | ArgumentError::Type { .. } => ARGUMENT_TYPE,
            ArgumentError::Untyped { .. }
            | ArgumentError::UntypedKernel(_)
            | ArgumentError::UntypedElements => UNTYPED_ARGUMENT,
            ArgumentError::NoElement { .. } => BUFFER_RANGE,
            ArgumentError::Alias { .. } | ArgumentError::NoBuffer { .. } => UNKNOWN_BUFFER,
            ArgumentError::NoArgument(_) => INVALID_VALUE,
        }
    }
}

impl BindError {
    /// Returns the stable name of the error, from [`error_names`](self) or [`gcn_runtime::error_names`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::scale_kernel();
    /// use gcn_args::bind::{self, GivenArgument};
    /// use gcn_args::error_names;
    /// use gcn_runtime::data::Data;
    /// let given = [("xs", "u32*16"), ("factor", "1"), ("z", "1")];
    /// let given = given.map(|(name, text)| GivenArgument::parse(name, text));
    /// let problems = bind::arguments(kernel.description(), &given, &[], &Data::open).problems;
    /// assert!(problems.iter().map(|problem| problem.name()).eq([error_names::UNKNOWN_ARGUMENT]));
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            BindError::Argument { error, .. }
            | BindError::Segment(error)
            | BindError::Buffer { error, .. } => error.name(),
            BindError::Unknown { .. } => UNKNOWN_ARGUMENT,
            BindError::Twice(_) => DUPLICATE_ARGUMENT,
            BindError::Missing(_) | BindError::NoMetadata { .. } => MISSING_ARGUMENT,
            BindError::TooLong { .. } => ARGUMENT_SIZE,
        }
    }
}

impl PlaceError {
    /// Returns the stable name of the error, from [`error_names`](self) or [`gcn_runtime::error_names`].
    ///
    /// # Examples
    /// ```
    /// use gcn_args::bind::PlaceError;
    /// assert_eq!(PlaceError::Lds.name(), gcn_runtime::error_names::RESOURCE_LIMIT);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            PlaceError::Memory(_) => OUT_OF_MEMORY,
            PlaceError::Data(error) => error.name(),
            PlaceError::Lds => RESOURCE_LIMIT,
            PlaceError::NoBuffer(_) => UNKNOWN_BUFFER,
            PlaceError::NoElement { .. } => BUFFER_RANGE,
        }
    }
}
