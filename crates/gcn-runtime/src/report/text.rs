//! Text from files and from programs, in messages.

/// Text from a file with control characters escaped, so that it cannot command a terminal.
///
/// # Examples
/// ```
/// assert_eq!(gcn_runtime::report::printable("a\u{1b}b\n"), "a\\u{1b}b\\n");
/// ```
pub fn printable(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut out, c| {
            if c.is_control() {
                out.extend(c.escape_default());
            } else {
                out.push(c);
            }
            out
        })
}

/// A kernel's symbol, and in C++ its name in the source.
///
/// # Examples
/// ```
/// assert_eq!(gcn_runtime::report::kernel_name("_Z5scalePff"), "_Z5scalePff (scale)");
/// ```
pub fn kernel_name(symbol: &str) -> String {
    match gcn_object::source_name(symbol) {
        Some(name) => format!("{} ({})", printable(symbol), printable(&name)),
        None => printable(symbol),
    }
}
