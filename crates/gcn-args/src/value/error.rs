//! Errors from parsing values.

use super::types::Type;

/// Maximum nesting depth of structures.
pub const MAX_NESTING: usize = 16;

/// Error from parsing a value.
///
/// # Examples
/// ```
/// use gcn_args::spec::Spec;
/// use gcn_args::value::ValueError;
/// assert_eq!(Spec::parse("f32:"), Err(ValueError::Empty));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The text is not a number.
    #[error("`{0}` is not a number")]
    NotANumber(String),
    /// The number is out of range for the type.
    #[error("{text} does not fit {ty}")]
    Range {
        /// Number as written.
        text: String,
        /// Expected type.
        ty: Type,
    },
    /// The number is written with a fraction or exponent, but the type is an integer.
    #[error("{text} is not a whole number, but {ty} needs one")]
    NotWhole {
        /// Number as written.
        text: String,
        /// Expected type.
        ty: Type,
    },
    /// The text before `:`, `*` or `@` is not a type.
    #[error("unknown type `{0}`; the types are u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64")]
    Type(String),
    /// The text after `*` is not a count.
    #[error("`{0}` is not a number of elements")]
    Count(String),
    /// The text after the count is not a fill.
    #[error(
        "unknown fill `{0}`; the fills are iota[(start,step)], fill(x), random(seed[,lo,hi]) and undefined"
    )]
    Fill(String),
    /// The text after `local:` is not a number of bytes.
    #[error("`{0}` is not a number of bytes; write dynamic LDS as local:BYTES")]
    Local(String),
    /// No file name follows `@`.
    #[error("the name of the file is missing: write @FILE")]
    File,
    /// The text is empty.
    #[error("the value is empty")]
    Empty,
    /// A number in a structure has no type.
    #[error("{0} in a structure needs a type, as in f32:{0}")]
    Untyped(String),
    /// The text is not a structure.
    #[error("`{0}` is not a structure, such as {{u32:1, f32:2.5}}")]
    Struct(String),
    /// Structures are nested deeper than [`MAX_NESTING`].
    #[error("structures are nested more than {MAX_NESTING} deep")]
    Nesting,
    /// The value cannot be a structure member.
    #[error("`{0}` cannot be a member of a structure")]
    Member(String),
    /// The text after `hex:` does not consist of pairs of hexadecimal digits.
    #[error("`{0}` is not hexadecimal bytes of two digits each")]
    Hex(String),
}
