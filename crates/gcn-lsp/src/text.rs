//! Document text with an index of lines, and conversion between byte offsets and protocol positions.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind};

/// Unit in which a client counts columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Encoding {
    /// UTF-8 bytes.
    Utf8,
    /// UTF-16 code units, which every client supports.
    #[default]
    Utf16,
    /// Unicode code points.
    Utf32,
}

impl Encoding {
    /// Selects the first supported encoding that the client offers.
    pub(crate) fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        };
        let mut offered = offered.unwrap_or_default().iter();
        offered.find_map(known).unwrap_or_default()
    }

    /// Returns the encoding's name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }

    /// Returns the length of a string in this encoding's units.
    pub(crate) fn length(self, text: &str) -> u32 {
        let units = if text.is_ascii() {
            text.len()
        } else {
            text.chars().map(|character| self.width(character)).sum()
        };
        u32::try_from(units).unwrap_or(u32::MAX)
    }
}

/// Text with an index of its lines. Lines end with `\n`, `\r\n` or `\r`, as in the protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    content: String,
    /// Byte offset of each line.
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(content: String) -> Text {
        let mut text = Text {
            content,
            starts: Vec::new(),
        };
        text.find_lines();
        text
    }

    fn find_lines(&mut self) {
        let bytes = self.content.as_bytes();
        self.starts.clear();
        self.starts.push(0);
        for (at, byte) in bytes.iter().enumerate() {
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                self.starts.push(at + 1);
            }
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.content
    }

    /// Returns the byte range of a line without its line ending; empty if the line does not exist.
    pub(crate) fn line(&self, line: usize) -> Range<usize> {
        let Some(&start) = self.starts.get(line) else {
            return self.content.len()..self.content.len();
        };
        let end = self
            .starts
            .get(line + 1)
            .copied()
            .unwrap_or(self.content.len());
        let content = self.content.get(start..end).unwrap_or_default();
        start..start + content.trim_end_matches(['\r', '\n']).len()
    }

    /// Returns the line that contains a byte offset.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        let behind = self.starts.partition_point(|&start| start <= offset);
        behind.saturating_sub(1)
    }

    /// Converts a position to a byte offset. Positions are clamped to the ends of the line and the text, and to
    /// character boundaries.
    pub(crate) fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let range = self.line(position.line as usize);
        let line = self.content.get(range.clone()).unwrap_or_default();
        let wanted = position.character as usize;
        let mut units = 0;
        for (at, character) in line.char_indices() {
            units += encoding.width(character);
            if units > wanted {
                return range.start + at;
            }
        }
        range.end
    }

    /// Converts a byte offset to a position.
    pub(crate) fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let mut offset = offset.min(self.content.len());
        while !self.content.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let before = self.content.get(start..offset).unwrap_or_default();
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            character: encoding.length(before),
        }
    }

    /// Converts a byte range to positions.
    pub(crate) fn range(&self, span: &Range<usize>, encoding: Encoding) -> lsp_types::Range {
        lsp_types::Range {
            start: self.position(span.start, encoding),
            end: self.position(span.end.max(span.start), encoding),
        }
    }

    /// Converts a position range to a byte range; an inverted range becomes empty.
    pub(crate) fn span(&self, range: lsp_types::Range, encoding: Encoding) -> Range<usize> {
        let start = self.offset(range.start, encoding);
        start..self.offset(range.end, encoding).max(start)
    }

    /// Replaces a range or the whole text.
    pub(crate) fn replace(
        &mut self,
        range: Option<lsp_types::Range>,
        new: &str,
        encoding: Encoding,
    ) {
        match range {
            None => new.clone_into(&mut self.content),
            Some(range) => {
                let span = self.span(range, encoding);
                self.content.replace_range(span, new);
            }
        }
        self.find_lines();
    }
}

/// Converts byte offsets in ascending order to positions, in one pass over the text.
pub(crate) struct Positions<'a> {
    text: &'a Text,
    encoding: Encoding,
    line: usize,
    character: u32,
    /// Byte offset of the current position.
    offset: usize,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(text: &'a Text, encoding: Encoding) -> Positions<'a> {
        Positions {
            text,
            encoding,
            line: 0,
            character: 0,
            offset: 0,
        }
    }

    /// Converts an offset, which must be on a character boundary and not less than the previous offset.
    pub(crate) fn advance(&mut self, offset: usize) -> Position {
        while let Some(start) = self.next_line()
            && start <= offset
        {
            self.line += 1;
            self.character = 0;
            self.offset = start;
        }
        let content = &self.text.content;
        let skipped = content.get(self.offset..offset).unwrap_or_default();
        self.character += self.encoding.length(skipped);
        self.offset = offset;
        Position {
            line: u32::try_from(self.line).unwrap_or(u32::MAX),
            character: self.character,
        }
    }

    /// Returns the byte offset of the line after the current line.
    pub(crate) fn next_line(&self) -> Option<usize> {
        self.text.starts.get(self.line + 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn characters_have_units() {
        let text = Text::new("s_nop 0 // é𝄞x\r\nb\rc".to_owned());
        assert_eq!(text.starts.len(), 3);
        for (encoding, before_x) in [
            (Encoding::Utf8, 17),
            (Encoding::Utf16, 14),
            (Encoding::Utf32, 13),
        ] {
            let x = text.as_str().find('x').expect("it is there");
            assert_eq!(text.position(x, encoding), at(0, before_x));
            assert_eq!(text.offset(at(0, before_x), encoding), x);
            assert_eq!(
                text.offset(at(0, 99), encoding),
                x + 1,
                "the end of the line"
            );
            assert_eq!(text.offset(at(2, 0), encoding), text.as_str().len() - 1);
            assert_eq!(text.offset(at(9, 9), encoding), text.as_str().len());
        }
        let clef = text.as_str().find('𝄞').expect("it is there");
        assert_eq!(
            text.offset(at(0, 13), Encoding::Utf16),
            clef,
            "within a pair"
        );
    }

    /// Incremental edits give the same result as edits of the whole string.
    #[test]
    fn incremental_edits_are_full_edits() {
        arbtest::arbtest(|u| {
            const PARTS: [&str; 9] = ["a", "é", "𝄞", "\n", "\r\n", "\r", "\t", "v_nop ", ""];
            let encoding = *u.choose(&[Encoding::Utf8, Encoding::Utf16, Encoding::Utf32])?;
            let mut text = Text::new(String::new());
            let mut model = String::new();
            while !u.is_empty() {
                let mut new = String::new();
                for _ in 0..u.int_in_range(0..=6)? {
                    new.push_str(u.choose(&PARTS)?);
                }
                let mut places: Vec<usize> = Vec::new();
                for _ in 0..2 {
                    let mut place = u.int_in_range(0..=model.len())?;
                    while !model.is_char_boundary(place) {
                        place -= 1;
                    }
                    // Positions cannot be inside a `\r\n` line ending.
                    if model.as_bytes().get(place) == Some(&b'\n') && model[..place].ends_with('\r')
                    {
                        place -= 1;
                    }
                    places.push(place);
                }
                places.sort_unstable();
                let range = text.range(&(places[0]..places[1]), encoding);
                text.replace(Some(range), &new, encoding);
                model.replace_range(places[0]..places[1], &new);
                assert_eq!(text, Text::new(model.clone()));
                let mut positions = Positions::new(&text, encoding);
                let step = u.int_in_range(1..=3)?;
                for (offset, _) in model.char_indices().step_by(step) {
                    let position = text.position(offset, encoding);
                    assert_eq!(positions.advance(offset), position);
                }
            }
            Ok(())
        });
    }

    /// Ranges outside the text are clamped.
    #[test]
    fn any_range_can_be_replaced() {
        arbtest::arbtest(|u| {
            let mut text = Text::new("é\r\n𝄞 b\n".to_owned());
            for _ in 0..4 {
                let mut position = || -> arbtest::arbitrary::Result<Position> {
                    Ok(at(u.int_in_range(0..=5)?, u.int_in_range(0..=9)?))
                };
                let range = lsp_types::Range {
                    start: position()?,
                    end: position()?,
                };
                text.replace(Some(range), "𝄞\r", Encoding::Utf16);
            }
            assert_eq!(text, Text::new(text.as_str().to_owned()));
            Ok(())
        });
    }
}
