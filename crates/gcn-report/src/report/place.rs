//! Instructions involved in findings, and their source locations.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Origin, Snippet};
use gcn_object::SourcePlace;
use gcn_observe::finding::FindingPlace;
use serde::Serialize;

use super::code_map::{CodeMap, CodePlace, SourceLine};
use super::launch::ReportLaunch;
use super::text::shown_file;

/// Instruction involved in a finding.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_observe::finding::{Finding, FindingPlace, Kind};
/// use gcn_report::{CodeMap, FindingReport};
/// let place = FindingPlace { pc: 0x1000, text: "s_endpgm".into(), wave: None, lane: None };
/// let finding = Finding { label: "ends".into(), ..Finding::at(Kind::GlobalOutOfBounds, place, "") };
/// let report = FindingReport::new(&finding, &CodeMap::new(kernel.module()));
/// assert_eq!(report.place.text(), "ends: `s_endpgm`, at 0x1000");
/// assert_eq!((report.place.file, report.place.line, report.place.column), (None, None, None));
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct PlaceReport {
    /// Short description of the instruction's role in the finding.
    label: String,
    /// Instruction; `None` for the host.
    #[serde(flatten)]
    pub code: Option<CodePlace>,
    workgroup: Option<[u32; 3]>,
    wave: Option<u32>,
    lane: Option<u8>,
    /// Local ID of the lane's work-item: `get_local_id` in OpenCL, `threadIdx` in HIP.
    local_id: Option<[u32; 3]>,
    /// Global ID of the work-item, if the kernel receives the global offset.
    global_id: Option<[u64; 3]>,
    /// Source file in the debug information, if known.
    pub file: Option<String>,
    /// Source line number, starting at 1.
    pub line: Option<u32>,
    /// Source column, starting at 1.
    pub column: Option<u32>,
    /// True if the instruction has no line of its own, and `line` is the nearest line of its function.
    is_nearest_line: bool,
    #[serde(skip)]
    source: Option<SourceLine>,
    /// Work-item in terms of the source language, after a comma. May be empty.
    #[serde(skip)]
    work_item: String,
}

impl PlaceReport {
    pub(super) fn new(
        label: &str,
        place: Option<&FindingPlace>,
        launch: ReportLaunch<'_>,
        code: &CodeMap<'_>,
    ) -> PlaceReport {
        let source = place.and_then(|place| code.source_line(place.pc));
        let wave = place.and_then(|place| place.wave);
        let at = source.as_ref().map(|source| &source.place);
        let item = place.and_then(|place| launch.work_item(place));
        PlaceReport {
            label: label.to_owned(),
            code: place.map(|place| code.place(place.pc, Some(place.text.clone()))),
            workgroup: wave.map(|wave| wave.group),
            wave: wave.map(|wave| wave.wave),
            lane: place.and_then(|place| place.lane),
            local_id: item.map(|item| item.local),
            global_id: item.and_then(|item| item.global),
            work_item: item.map_or_else(String::new, |item| item.text(launch.language)),
            file: at.map(|at| at.file.to_string()),
            line: at.map(|at| at.line).filter(|line| *line != 0),
            column: source.as_ref().and_then(SourceLine::column),
            is_nearest_line: source.as_ref().is_some_and(|source| source.is_nearest),
            source,
        }
    }

    /// Describes the wave that executed the instruction. Returns empty text if no wave did.
    fn wave(&self) -> String {
        let (Some([x, y, z]), Some(wave)) = (self.workgroup, self.wave) else {
            return String::new();
        };
        let lane = self.lane.map(|lane| format!(", lane {lane}"));
        format!(
            "workgroup {x},{y},{z}, wave {wave}{}{}",
            lane.unwrap_or_default(),
            self.work_item,
        )
    }

    /// Adds the labelled source line to a group, or else only the location.
    pub(super) fn add_to<'a>(&'a self, group: Group<'a>, kind: AnnotationKind) -> Group<'a> {
        let Some(SourceLine { place, text, .. }) = &self.source else {
            let is_first = kind == AnnotationKind::Primary;
            return match &self.code {
                Some(code) if is_first => group.element(Origin::path(code.symbol())),
                _ => group,
            };
        };
        let file = shown_file(&place.file);
        match text {
            Some(text) => {
                let (line, span) = printable_token(text, place.column);
                let snippet = Snippet::source(line)
                    .line_start(place.line as usize)
                    .path(file)
                    .annotation(kind.span(span).label(self.label.as_str()));
                group.element(snippet)
            }
            // Debug information may omit columns.
            None if place.column == 0 => {
                group.element(Origin::path(format!("{file}:{}", place.line)))
            }
            None => group.element(Origin::path(format!(
                "{file}:{}:{}",
                place.line, place.column
            ))),
        }
    }

    /// Describes the role, the instruction and the executing wave.
    pub fn text(&self) -> String {
        let Some(code) = &self.code else {
            return self.label.clone();
        };
        let wave = self.wave();
        let wave = if wave.is_empty() {
            wave
        } else {
            format!(", {wave}")
        };
        let instruction = code.instruction().map(|text| format!(": `{text}`"));
        let nearest = if self.is_nearest_line {
            ", which has no line of its own: the nearest is shown"
        } else {
            ""
        };
        let inlined = self
            .source
            .as_ref()
            .map_or("", |source| source.inlined.as_str());
        format!(
            "{}{}, {}{inlined}{nearest}{wave}",
            self.label,
            instruction.unwrap_or_default(),
            code.address(),
        )
    }

    /// Returns the column in UTF-16 code units, starting at 1. Without the line's text, returns [`PlaceReport::column`].
    pub(super) fn utf16_column(&self) -> Option<u32> {
        let column = self.column?;
        let text = self
            .source
            .as_ref()
            .and_then(|source| source.text.as_deref());
        Some(text.map_or(column, |text| utf16_column(text, column)))
    }

    /// Returns the source location and inlining chain, or `None` if the instruction has no line of its own.
    pub(super) fn source_place(&self) -> Option<(&SourcePlace, &str)> {
        let source = self.source.as_ref().filter(|source| !source.is_nearest)?;
        Some((&source.place, &source.inlined))
    }
}

impl SourceLine {
    /// Returns the column, starting at 1. If unknown, returns the column of the line's first word, if the text is known.
    fn column(&self) -> Option<u32> {
        let column = self.place.column;
        match &self.text {
            Some(text) => u32::try_from(token(text, column).start + 1).ok(),
            None => (column != 0).then_some(column),
        }
    }
}

/// Replaces control characters except tabs with spaces, so that each occupies one column.
fn printable_line(text: &str) -> String {
    let printable = |c: char| if c.is_control() && c != '\t' { ' ' } else { c };
    text.chars().map(printable).collect()
}

/// Returns `text` with its control characters replaced, and the byte range in the result of the word at `column`.
fn printable_token(text: &str, column: u32) -> (String, Range<usize>) {
    let word = token(text, column);
    // A space may be shorter than the control character that it replaces.
    let start = printable_line(&text[..word.start]).len();
    let length = printable_line(&text[word]).len();
    (printable_line(text), start..start + length)
}

/// Converts a column in bytes to a column in UTF-16 code units.
fn utf16_column(text: &str, column: u32) -> u32 {
    let before = text
        .char_indices()
        .take_while(|(at, _)| *at + 1 < column as usize);
    before.fold(1, |column, (_, c)| column + c.len_utf16() as u32)
}

/// Returns the byte range of the word at a column in bytes, starting at 1. Column 0 selects the first word.
fn token(text: &str, column: u32) -> Range<usize> {
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let first = text.len() - text.trim_start().len();
    let start = (column as usize)
        .checked_sub(1)
        .unwrap_or(first)
        .min(text.len());
    let start = (0..=start).rev().find(boundary).unwrap_or(0);
    let rest = &text[start..];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let length = if word == 0 {
        rest.chars().next().map_or(0, char::len_utf8)
    } else {
        word
    };
    start..start + length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_control_characters_are_marked() {
        let word = |text, column| {
            let (line, span) = printable_token(text, column);
            let word = line.get(span).expect("it is in the line").to_owned();
            (line, word)
        };
        // The first control character has one byte, the others have two.
        let (line, marked) = word("\u{1b}\u{80}\u{9f} x = yé;", 11);
        assert_eq!((line.as_str(), marked.as_str()), ("    x = yé;", "yé"));
        let (line, marked) = word("\u{80}\u{80}x", 0);
        assert_eq!((line.as_str(), marked.as_str()), ("  x", " "));
        let (_, marked) = word("\u{80}\u{80}x", 5);
        assert_eq!(marked, "x");
    }

    #[test]
    fn utf16_columns_follow_characters_of_several_bytes() {
        let text = "/* ä𝄞 */ x = y;";
        for (word, expected) in [("/*", 1), ("ä", 4), ("𝄞", 5), (" */", 7), ("x", 11)] {
            let byte = text.find(word).expect("it is in the line");
            assert_eq!(utf16_column(text, byte as u32 + 1), expected, "{word}");
        }
    }
}
