//! Formatting of text from files and programs for messages.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Escapes control characters, so that text from a file cannot control the terminal.
///
/// # Examples
/// ```
/// assert_eq!(gcn_report::printable("a\u{1b}b\n"), "a\\u{1b}b\\n");
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

/// Formats a number and its noun. Appends `ending` to the noun unless the number is 1.
///
/// # Examples
/// ```
/// assert_eq!(gcn_report::plural(1, "wave", "s"), "1 wave");
/// assert_eq!(gcn_report::plural(2, "match", "es"), "2 matches");
/// ```
pub fn plural(number: u64, noun: &str, ending: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { ending })
}

/// Returns the name to display for a source file, relative to the working directory for files below it.
pub(super) fn shown_file(file: &str) -> String {
    // Listings need the directory for each instruction, so determine it once.
    static DIRECTORY: LazyLock<PathBuf> =
        LazyLock::new(|| std::env::current_dir().unwrap_or_default());
    let below = Path::new(file).strip_prefix(&*DIRECTORY).ok();
    let below = below.and_then(Path::to_str).filter(|it| !it.is_empty());
    printable(below.unwrap_or(file))
}

/// Formats the symbol of a kernel, followed by the demangled name for a C++ kernel.
///
/// # Examples
/// ```
/// assert_eq!(gcn_report::kernel_name("_Z5scalePff"), "_Z5scalePff (scale)");
/// ```
pub fn kernel_name(symbol: &str) -> String {
    match gcn_object::source_name(symbol) {
        Some(name) => format!("{} ({})", printable(symbol), printable(&name)),
        None => printable(symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_working_directory_are_shown_without_it() {
        let here = std::env::current_dir().expect("a directory");
        let here = here.to_str().expect("text");
        assert_eq!(shown_file(&format!("{here}/a/b.cl")), "a/b.cl");
        for other in ["b.cl", "/no/b.cl", here] {
            assert_eq!(shown_file(other), other);
        }
    }
}
