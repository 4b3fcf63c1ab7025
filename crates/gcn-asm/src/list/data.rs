//! Lists data as directives: strings, zeros, words, symbols and relocated fields.

use std::fmt::Write;

/// Minimum number of zero bytes written as `.zero`.
const LONG_ZEROS: usize = 16;
/// Minimum string length, including the terminating zero.
const SHORTEST_STRING: usize = 5;
/// Words and bytes per line.
const WORDS_OF_LINE: usize = 4;
const BYTES_OF_LINE: usize = 16;

/// A label, block or field at an offset in a section.
pub(super) struct ListedMark {
    offset: u64,
    what: MarkText,
}

enum MarkText {
    /// Lines that emit no bytes.
    Label(String),
    /// Lines that emit the given number of bytes.
    Block(u64, String),
    Field(LinkedField),
}

/// A field filled in by a linker or loader.
pub(super) struct LinkedField {
    /// Expression for `.long`, if the field can be written as one.
    pub long: Option<String>,
    /// Expression for `.quad`, if the field can be written as one.
    pub quad: Option<String>,
    /// Relocation kind and expression for `.reloc`.
    pub reloc: String,
}

impl ListedMark {
    pub(super) fn label(offset: u64, lines: String) -> ListedMark {
        ListedMark {
            offset,
            what: MarkText::Label(lines),
        }
    }

    pub(super) fn block(offset: u64, size: u64, lines: String) -> ListedMark {
        ListedMark {
            offset,
            what: MarkText::Block(size, lines),
        }
    }

    pub(super) fn field(offset: u64, field: LinkedField) -> ListedMark {
        ListedMark {
            offset,
            what: MarkText::Field(field),
        }
    }
}

/// Writes `size` bytes of data with labels, blocks and fields; data past the end of `bytes` is zero.
pub(super) fn write(out: &mut String, bytes: &[u8], size: u64, mut marks: Vec<ListedMark>) {
    // At the same offset, labels come first.
    marks.sort_by_key(|mark| (mark.offset, !matches!(mark.what, MarkText::Label(_))));
    let mut at = 0;
    for index in 0..marks.len() {
        let Some(mark) = marks.get(index) else { break };
        let next = marks.partition_point(|other| other.offset <= mark.offset);
        let limit = marks.get(next).map_or(size, |mark| mark.offset);
        if mark.offset > at {
            run(out, bytes, at..mark.offset);
            at = mark.offset;
        }
        match &mark.what {
            MarkText::Label(lines) => out.push_str(lines),
            // An earlier block or field covers this offset.
            _ if mark.offset < at => {}
            MarkText::Block(length, lines) => {
                out.push_str(lines);
                at += length;
            }
            MarkText::Field(field) => {
                let fits = |length: u64| {
                    let is_zero = slice(bytes, at..at + length).iter().all(|&byte| byte == 0);
                    at.saturating_add(length) <= limit && is_zero
                };
                let directive = match field {
                    LinkedField {
                        quad: Some(text), ..
                    } if fits(8) => Some((8, ".quad", text)),
                    LinkedField {
                        long: Some(text), ..
                    } if fits(4) => Some((4, ".long", text)),
                    _ => None,
                };
                match directive {
                    Some((length, name, text)) => {
                        let _ = writeln!(out, "\t{name} {text}");
                        at += length;
                    }
                    None => {
                        let _ = writeln!(out, "\t.reloc ., {}", field.reloc);
                    }
                }
            }
        }
    }
    if at < size {
        run(out, bytes, at..size);
    }
}

/// Part of `range` that lies within `bytes`.
fn slice(bytes: &[u8], range: std::ops::Range<u64>) -> &[u8] {
    let clamp = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    bytes
        .get(clamp(range.start)..clamp(range.end))
        .unwrap_or_default()
}

/// Writes a range that has no marks.
fn run(out: &mut String, bytes: &[u8], range: std::ops::Range<u64>) {
    let length = range.end.saturating_sub(range.start);
    let mut rest = slice(bytes, range);
    let missing = length.saturating_sub(rest.len() as u64);
    while !rest.is_empty() {
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        let count = if zeros >= LONG_ZEROS || zeros == rest.len() {
            let _ = writeln!(out, "\t.zero {zeros}");
            zeros
        } else if let Some(length) = string_length(rest) {
            string(out, rest.get(..length - 1).unwrap_or_default());
            length
        } else {
            numbers(out, rest)
        };
        rest = rest.get(count..).unwrap_or_default();
    }
    if missing > 0 {
        let _ = writeln!(out, "\t.zero {missing}");
    }
}

fn is_character(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

/// Length of the string at the start of `bytes`, including its terminating zero, if it is long enough to write as one.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().take_while(|&&byte| is_character(byte)).count();
    (length + 1 >= SHORTEST_STRING && bytes.get(length) == Some(&0)).then_some(length + 1)
}

fn string(out: &mut String, bytes: &[u8]) {
    out.push_str("\t.asciz \"");
    for &byte in bytes {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            _ => out.push(char::from(byte)),
        }
    }
    out.push_str("\"\n");
}

/// Writes a line of words, or of bytes if less than a word is left, and returns the number of bytes written. The line
/// ends before a run of zeros.
fn numbers(out: &mut String, bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<4>();
    let is_row_of_zeros = |at: usize| {
        let rest = bytes.get(at * 4..).unwrap_or_default();
        rest.len() >= LONG_ZEROS && rest.iter().take(LONG_ZEROS).all(|&byte| byte == 0)
    };
    let count = (0..words.len().min(WORDS_OF_LINE))
        .find(|&at| at > 0 && is_row_of_zeros(at))
        .unwrap_or(words.len().min(WORDS_OF_LINE));
    if count == 0 {
        let bytes = bytes.get(..BYTES_OF_LINE).unwrap_or(bytes);
        list(
            out,
            ".byte",
            bytes.iter().map(|byte| format!("{byte:#04x}")),
        );
        return bytes.len();
    }
    let words = words
        .iter()
        .take(count)
        .map(|word| u32::from_le_bytes(*word));
    list(out, ".long", words.map(|word| format!("{word:#010x}")));
    count * 4
}

fn list(out: &mut String, directive: &str, numbers: impl Iterator<Item = String>) {
    let numbers: Vec<String> = numbers.collect();
    let _ = writeln!(out, "\t{directive} {}", numbers.join(", "));
}

/// Writes bytes that have no marks.
pub(super) fn bytes(out: &mut String, bytes: &[u8]) {
    run(out, bytes, 0..bytes.len() as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_strings_zeros_and_numbers() {
        let mut input = b"\x01\x02\x03\x04text \"a\"\n\0".to_vec();
        input.extend([0; 20]);
        input.extend([0xff, 0xfe]);
        let mut out = String::new();
        bytes(&mut out, &input);
        assert_eq!(
            out,
            "\t.long 0x04030201, 0x74786574, 0x22612220, 0x0000000a\n\t.zero 18\n\t.byte 0xff, 0xfe\n"
        );
        let mut out = String::new();
        bytes(&mut out, &input[4..]);
        assert_eq!(
            out,
            "\t.asciz \"text \\\"a\\\"\\n\"\n\t.zero 20\n\t.byte 0xff, 0xfe\n"
        );
    }

    #[test]
    fn marks_stand_at_their_places() {
        let field = |long: Option<&str>, quad: Option<&str>| LinkedField {
            long: long.map(str::to_owned),
            quad: quad.map(str::to_owned),
            reloc: "KIND, s".to_owned(),
        };
        let marks = vec![
            ListedMark::field(4, field(None, Some("q"))),
            ListedMark::label(4, "a:\n".to_owned()),
            ListedMark::field(12, field(Some("l"), None)),
            ListedMark::block(20, 2, "\tblock\n".to_owned()),
            // Nonzero bytes, which must be written explicitly.
            ListedMark::field(16, field(Some("m"), None)),
            ListedMark::label(24, "end:\n".to_owned()),
        ];
        let mut input = [0; 22];
        input[16] = 7;
        let mut out = String::new();
        write(&mut out, &input, 24, marks);
        assert_eq!(
            out,
            "\t.zero 4\na:\n\t.quad q\n\t.long l\n\t.reloc ., KIND, s\n\t.long 0x00000007\n\tblock\n\t.zero 2\nend:\n"
        );
    }
}
