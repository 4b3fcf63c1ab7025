//! Text from files and from programs, in messages.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Text from a file with control characters escaped, so that it cannot command a terminal.
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

/// The name of a source file as text shows it: of a file below the working directory the rest.
pub(super) fn shown_file(file: &str) -> String {
    // Found once: a listing asks for each instruction.
    static DIRECTORY: LazyLock<PathBuf> =
        LazyLock::new(|| std::env::current_dir().unwrap_or_default());
    let below = Path::new(file).strip_prefix(&*DIRECTORY).ok();
    let below = below.and_then(Path::to_str).filter(|it| !it.is_empty());
    printable(below.unwrap_or(file))
}

/// A kernel's symbol, and in C++ its name in the source.
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
