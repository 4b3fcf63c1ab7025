//! Decodes pasted hexadecimal words.

use gcn_asm::list::{ListOptions, ListedCode, list};
use gcn_isa::{Isa, Syntax, decode};
use serde::Serialize;

use crate::position::{Utf16Positions, Utf16Span};
use crate::settings::TextRequest;

/// Maximum number of rows in an answer.
const MAX_ROWS: usize = 20_000;

/// Instructions decoded from a text.
#[derive(Serialize)]
pub(crate) struct ReadAnswer {
    rows: Vec<ReadRow>,
    /// Number of rows, which may be more than those listed.
    row_count: usize,
    /// Source that assembles to the words.
    source: String,
    /// Parts of the text that are not words.
    unread: Vec<UnreadText>,
}

/// An instruction, or a word that does not decode.
#[derive(Serialize)]
struct ReadRow {
    /// Offset in bytes.
    offset: usize,
    words: Vec<u32>,
    text: String,
    /// Reason why the word does not decode; `None` for an instruction.
    problem: Option<String>,
}

/// A part of the text that is not a word.
#[derive(Serialize)]
struct UnreadText {
    message: String,
    #[serde(flatten)]
    span: Utf16Span,
}

/// Reads hexadecimal words, with or without `0x`, separated by blanks, commas, semicolons or `|`. Four or more numbers
/// that all have two digits are read as bytes, lowest first.
///
/// # Errors
/// Fails if the target is unknown, or the text is too long.
pub(crate) fn read(request: &TextRequest) -> Result<ReadAnswer, String> {
    let isa = request.target()?.isa;
    let (words, unread) = words(&request.text);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let options = ListOptions {
        syntax: request.dialect.syntax(),
        ..ListOptions::default()
    };
    let rows = rows(isa, &words, request.dialect.syntax());
    Ok(ReadAnswer {
        row_count: rows.len(),
        rows: rows.into_iter().take(MAX_ROWS).collect(),
        source: list(&ListedCode::raw(isa, &bytes), &options),
        unread,
    })
}

/// Words of a text, and the parts that are not words.
fn words(text: &str) -> (Vec<u32>, Vec<UnreadText>) {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|');
    let parts = || {
        let parts = text.split(is_separator).filter(|part| !part.is_empty());
        parts.map(|part| (part, digits(part)))
    };
    let positions = Utf16Positions::new(text);
    let unread_at = |part: &str, message: String| {
        // `part` is a slice of `text`.
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        UnreadText {
            message,
            span: positions.span(&(start..start + part.len())),
        }
    };
    let mut unread: Vec<UnreadText> = parts()
        .filter(|(_, digits)| digits.is_none())
        .map(|(part, _)| {
            unread_at(
                part,
                format!("`{part}` is not a hexadecimal number of 32 bits"),
            )
        })
        .collect();
    let read: Vec<(&str, &str)> = parts()
        .filter_map(|(part, digits)| Some((part, digits?)))
        .collect();
    let number = |digits: &str| u32::from_str_radix(digits, 16).unwrap_or_default();
    let are_bytes = read.len() >= 4 && read.iter().all(|(_, digits)| digits.len() == 2);
    if !are_bytes {
        return (
            read.iter().map(|(_, digits)| number(digits)).collect(),
            unread,
        );
    }
    let (whole, rest) = read.as_chunks::<4>();
    if let Some((part, _)) = rest.first() {
        let message = "these bytes are not a whole word".to_owned();
        unread.push(unread_at(part, message));
    }
    let word = |bytes: &[(&str, &str); 4]| {
        u32::from_le_bytes(bytes.map(|(_, digits)| number(digits) as u8))
    };
    (whole.iter().map(word).collect(), unread)
}

/// Digits of a hexadecimal number of up to 32 bits.
fn digits(part: &str) -> Option<&str> {
    let digits = part.strip_prefix("0x").or(part.strip_prefix("0X"));
    let digits = digits.unwrap_or(part);
    let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    (are_digits && (1..=8).contains(&digits.len())).then_some(digits)
}

fn rows(isa: Isa, words: &[u32], syntax: Syntax) -> Vec<ReadRow> {
    let mut rows = Vec::new();
    let mut at = 0;
    while let Some(rest @ [first, ..]) = words.get(at..) {
        let (size, text, problem) = match decode(isa, rest) {
            Ok(inst) => {
                let mut text = String::new();
                // Lossy text is accepted: `source` lists the words instead, and the instruction's description shows all bits.
                let _ = inst.print(&mut text, syntax, None);
                (inst.dwords().clamp(1, rest.len()), text, None)
            }
            Err(error) => (1, format!(".long {first:#010x}"), Some(error.to_string())),
        };
        rows.push(ReadRow {
            offset: at * 4,
            words: rest[..size].to_vec(),
            text,
            problem,
        });
        at += size;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bytes_are_read() {
        let read = |text| words(text).0;
        assert_eq!(
            read("0xbf810000, 7e0202ff;1"),
            [0xbf81_0000, 0x7e02_02ff, 1]
        );
        assert_eq!(read("00 00 81 bf"), [0xbf81_0000]);
        let (words, unread) = words("bf810000 é s_nop 123456789");
        assert_eq!(words, [0xbf81_0000]);
        let unread: Vec<_> = unread
            .iter()
            .map(|it| (it.span.start, it.span.end))
            .collect();
        assert_eq!(unread, [(9, 10), (11, 16), (17, 26)]);
    }

    #[test]
    fn words_that_are_no_instruction_are_data() {
        let rows = rows(
            Isa::Gfx9,
            &[0xffff_ffff, 0xbf81_0000, 0xd800_0010],
            Syntax::Llvm,
        );
        let texts: Vec<_> = rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, [".long 0xffffffff", "s_endpgm", ".long 0xd8000010"]);
        let problem = rows[2].problem.as_deref().expect("it has no second word");
        assert!(problem.contains("cut off"), "{problem}");
    }
}
