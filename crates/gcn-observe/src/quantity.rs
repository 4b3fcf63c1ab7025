//! Formatting of quantities in sentences.

/// Formats a count with its unit: `1 byte`, `2 bytes`.
pub(crate) fn quantity(n: u64, unit: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {unit}{plural}")
}
