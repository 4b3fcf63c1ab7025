//! Formats the output of HIP kernels: a C format and 64-bit arguments, with strings padded to whole words.

use std::ops::ControlFlow;

use super::directive;

/// Size of a non-string argument in bytes.
const WORD: usize = 8;
/// Size of C's `int` in bytes.
const INT: usize = 4;

/// Formats a message that starts with its format.
pub(crate) fn print_words(words: &[u8], out: &mut Vec<u8>) {
    let (format, arguments) = string(words);
    print(format, arguments, out);
}

/// Appends a formatted message. Stops at a conversion without an argument, except for `%s`, which is then empty.
pub(super) fn print(format: &[u8], mut arguments: &[u8], out: &mut Vec<u8>) {
    directive::each(format, out, |directive, out| {
        let mut next = || {
            let (word, behind) = arguments.split_at(WORD.min(arguments.len()));
            arguments = behind;
            word
        };
        let directive = directive.resolved(|| directive::bits(next()) as i32);
        if directive.conversion == b's' {
            let (argument, behind) = string(arguments);
            directive.print(argument, out);
            arguments = behind;
            return ControlFlow::Continue(());
        }
        let word = next();
        if word.is_empty() {
            return ControlFlow::Break(());
        }
        let is_int = b"diouxXc".contains(&directive.conversion) && !directive.is_long();
        let bytes = if is_int { INT } else { WORD };
        directive.print(&word[..bytes.min(word.len())], out);
        ControlFlow::Continue(())
    });
}

/// Splits off a zero-terminated string padded to whole words. Returns the string and the remaining words.
fn string(words: &[u8]) -> (&[u8], &[u8]) {
    let end = words.iter().position(|byte| *byte == 0);
    let end = end.unwrap_or(words.len());
    let padded = (end + 1).next_multiple_of(WORD).min(words.len());
    (&words[..end], &words[padded..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(format: &str, arguments: &[&[u8]]) -> String {
        let mut bytes = Vec::new();
        for argument in arguments {
            bytes.extend(*argument);
            bytes.resize(bytes.len().next_multiple_of(WORD), 0);
        }
        let mut out = Vec::new();
        print(format.as_bytes(), &bytes, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn arguments_are_taken_as_c_takes_them() {
        // Expected output matches C's `printf`.
        let minus = &(-5i32).to_le_bytes()[..];
        assert_eq!(
            printed("%d|%u|%x|%hhd", &[minus; 4]),
            "-5|4294967291|fffffffb|-5"
        );
        let long = &(-5i64 << 40).to_le_bytes()[..];
        assert_eq!(
            printed("%ld %lld %zx", &[long; 3]),
            "-5497558138880 -5497558138880 fffffb0000000000"
        );
        let x = &1.234567f64.to_le_bytes()[..];
        assert_eq!(
            printed("%f %.1e %8.3f|%-8.1f|", &[x; 4]),
            "1.234567 1.2e+00    1.235|1.2     |"
        );
        assert_eq!(
            printed(
                "%s, %10s|%.3s|%s",
                &[b"hello\0", b"exactly\0", b"longer than a word\0", b"\0"]
            ),
            "hello,    exactly|lon|"
        );
        assert_eq!(
            printed("%c%c %p 100%%", &[b"o", b"k", &[0x34, 0x12]]),
            "ok 0x1234 100%"
        );
    }

    #[test]
    fn widths_and_precisions_are_arguments() {
        let (six, minus_six, two) = (&[6][..], &(-6i32).to_le_bytes()[..], &[2][..]);
        let x = &1.5f64.to_le_bytes()[..];
        assert_eq!(
            printed(
                "%*d|%*d|%.*f|%*.*f",
                &[six, two, minus_six, two, two, x, six, two, x]
            ),
            "     2|2     |1.50|  1.50"
        );
        assert_eq!(printed("%.*f", &[minus_six, x]), "1.500000");
    }

    #[test]
    fn missing_arguments_end_the_text() {
        assert_eq!(printed("a %d b %d c", &[&[1]]), "a 1 b ");
        assert_eq!(printed("%s|%n|%!", &[]), "|");
        let unended = &[b'x'; 16][..];
        assert_eq!(printed("%s", &[unended]), "x".repeat(16));
    }
}
