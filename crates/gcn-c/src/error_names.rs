//! Stable names of errors that only this library reports; all others come from gcn-asm, gcn-object and gcn-runtime.

/// Null pointer for a required argument.
pub const NULL_POINTER: &str = "null-pointer";
/// Handle that was freed, has another type, or was never created.
pub const INVALID_HANDLE: &str = "invalid-handle";
/// Array whose pointer is misaligned, or whose size exceeds the address space.
pub const INVALID_ARRAY: &str = "invalid-array";
/// String that is not UTF-8.
pub const INVALID_UTF8: &str = "invalid-text";
/// Unknown number or name of a target, syntax, dialect or check.
pub const INVALID_CHOICE: &str = "invalid-choice";
/// Index out of range.
pub const INDEX_RANGE: &str = "index-range";
/// Words that do not decode to an instruction of the target.
pub const UNKNOWN_INSTRUCTION: &str = "unknown-instruction";
/// Instruction whose second word is missing.
pub const TRUNCATED_INSTRUCTION: &str = "truncated-instruction";
/// Bug in the library: a function panicked.
pub const INTERNAL_ERROR: &str = "internal-error";

/// All names in this module.
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
