//! Positions in a text as JavaScript counts them: in UTF-16 code units.

use std::ops::Range;

use serde::Serialize;

/// Range of a text in UTF-16 code units.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Utf16Span {
    pub start: u32,
    pub end: u32,
}

/// Map from byte positions of a text to UTF-16 positions.
pub(crate) struct Utf16Positions {
    bytes: u32,
    /// UTF-16 position of each byte and of the end; empty if all characters are ASCII.
    units: Vec<u32>,
}

impl Utf16Positions {
    pub(crate) fn new(text: &str) -> Utf16Positions {
        let mut units = Vec::new();
        if !text.is_ascii() {
            units.reserve(text.len() + 1);
            let mut unit = 0;
            for character in text.chars() {
                units.extend(std::iter::repeat_n(unit, character.len_utf8()));
                unit += character.len_utf16() as u32;
            }
            units.push(unit);
        }
        Utf16Positions {
            bytes: text.len() as u32,
            units,
        }
    }

    /// UTF-16 position of a byte; a position past the end becomes the end.
    fn at(&self, byte: usize) -> u32 {
        let byte = byte.min(self.bytes as usize);
        self.units.get(byte).copied().unwrap_or(byte as u32)
    }

    pub(crate) fn span(&self, bytes: &Range<usize>) -> Utf16Span {
        Utf16Span {
            start: self.at(bytes.start),
            end: self.at(bytes.end),
        }
    }
}

/// Byte position of a UTF-16 position, rounded down to the start of a character and limited to the end of the text.
pub(crate) fn byte_at(text: &str, position: u32) -> usize {
    let mut units = 0;
    for (byte, character) in text.char_indices() {
        units += character.len_utf16() as u32;
        if units > position {
            return byte;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_utf16() {
        let text = "a é 𝄞 b";
        let positions = Utf16Positions::new(text);
        let of = |part: &str| {
            let start = text.find(part).expect("it is there");
            let span = positions.span(&(start..start + part.len()));
            (span.start, span.end)
        };
        assert_eq!(
            [of("a"), of("é"), of("𝄞"), of("b")],
            [(0, 1), (2, 3), (4, 6), (7, 8)]
        );
        assert_eq!(positions.span(&(0..99)).end, 8);
        let bytes = [0, 2, 3, 4, 5, 6, 7, 99].map(|position| byte_at(text, position));
        assert_eq!(bytes, [0, 2, 4, 5, 5, 9, 10, 11]);
        let ascii = Utf16Positions::new("s_nop 0").span(&(2..5));
        assert_eq!(ascii, Utf16Span { start: 2, end: 5 });
    }
}
