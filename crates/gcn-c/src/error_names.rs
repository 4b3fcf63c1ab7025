//! Stable names of errors that only this library has; all others are those of gcn-asm, gcn-object and gcn-runtime.

/// A null pointer where the function needs a value.
pub const NULL_POINTER: &str = "null-pointer";
/// A handle that was freed, is of another type, or was never made.
pub const INVALID_HANDLE: &str = "invalid-handle";
/// A pointer or a length that no array has: misaligned, or larger than the address space.
pub const INVALID_ARRAY: &str = "invalid-array";
/// Text that is not UTF-8.
pub const INVALID_UTF8: &str = "invalid-text";
/// A number or name that stands for no choice: a target, a syntax, a dialect, a check.
pub const INVALID_CHOICE: &str = "invalid-choice";
/// An index beyond the last element.
pub const INDEX_RANGE: &str = "index-range";
/// Words that are no instruction of the target.
pub const UNKNOWN_INSTRUCTION: &str = "unknown-instruction";
/// An instruction whose second word is missing.
pub const TRUNCATED_INSTRUCTION: &str = "truncated-instruction";
/// A defect of the library: a function has panicked.
pub const INTERNAL_ERROR: &str = "internal-error";

/// All of the names.
///
/// # Examples
/// ```
/// use gcn_c::error_names::ALL;
/// assert!(ALL.iter().all(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')));
/// ```
pub const ALL: &[&str] = &[
    NULL_POINTER,
    INVALID_HANDLE,
    INVALID_ARRAY,
    INVALID_UTF8,
    INVALID_CHOICE,
    INDEX_RANGE,
    UNKNOWN_INSTRUCTION,
    TRUNCATED_INSTRUCTION,
    INTERNAL_ERROR,
];
