//! Maps diagnostics inside expansions to the source line that generated the text, with the enclosing calls as notes.

use std::ops::Range;

use super::Expansion;
use super::origin::{ExpansionKind, ExpansionNode, ExpansionStep, TextOrigin};
use crate::diagnostic::{Diagnostic, Note};

/// Number of notes kept at each end of a long chain of expansions.
const MAX_NOTES: usize = 6;
/// Maximum number of characters quoted from an expanded line.
const MAX_QUOTE: usize = 100;
/// Number of errors inside macros and loops after which each further error ends them.
pub(crate) const MAX_ERRORS: usize = 100;
/// Maximum number of warnings kept from inside expansions.
pub(crate) const MAX_WARNINGS: usize = 1000;

/// Lengths of the assembler's lists before a statement, to find the entries that the statement adds.
pub(crate) struct ListLengths {
    pub diagnostics: usize,
    pub instructions: usize,
    pub fixups: usize,
    pub symbols: u32,
}

/// Source location for a position inside expansions.
pub(crate) struct MappedPosition {
    pub place: Range<usize>,
    /// Expanded line, if it differs from the source line.
    pub quote: Option<String>,
    pub notes: Vec<Note>,
}

impl<'a> Expansion<'a> {
    /// Text of the file that contains a span, and the text's start position.
    pub(crate) fn text_of(&self, place: &Range<usize>) -> (&'a str, usize) {
        let count = self.files.partition_point(|file| file.start <= place.start);
        count
            .checked_sub(1)
            .and_then(|index| self.files.get(index))
            .map_or((self.source_text, 0), |file| (file.text, file.start))
    }

    /// Returns the node of the innermost expanded text; creates the node and its ancestors on first use.
    pub(crate) fn node(&mut self) -> Option<u32> {
        let mut parent = None;
        for frame in &mut self.frames {
            if frame.step.text.is_none() {
                continue;
            }
            let node = *frame.node.get_or_insert_with(|| {
                let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
                self.nodes.push(ExpansionNode {
                    parent,
                    step: frame.step.clone(),
                });
                id
            });
            parent = Some(node);
        }
        parent
    }

    /// Expansion steps of a node and its ancestors, innermost first.
    pub(crate) fn chain(&self, node: u32) -> Vec<&ExpansionStep<'a>> {
        let mut chain = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next.and_then(|id| self.nodes.get(id as usize)) {
            chain.push(&node.step);
            next = node.parent;
        }
        chain
    }

    /// Maps a span in the innermost text to the source line that generated it. The flag is true if the line was
    /// expanded unchanged. Returns `None` if the generating text no longer exists.
    pub(crate) fn locate(
        &self,
        chain: &[&ExpansionStep<'a>],
        span: Range<usize>,
    ) -> Option<(Range<usize>, bool)> {
        let mut span = span;
        let mut is_exact = true;
        for (index, step) in chain.iter().enumerate() {
            let Some(text) = step.text else { continue };
            let (body, around, start) = match (&step.origin, step.what) {
                (TextOrigin::At(body), ExpansionKind::File(_)) => {
                    return Some((body.start + span.start..body.start + span.end, is_exact));
                }
                (TextOrigin::At(body), _) => {
                    let (text, start) = self.text_of(body);
                    (body.start - start..body.end - start, text, start)
                }
                (TextOrigin::Around(body), _) => {
                    let outer = chain.get(index + 1..).unwrap_or(&[]);
                    let text = outer.iter().find_map(|step| step.text);
                    (body.clone(), text.unwrap_or(self.source_text), 0)
                }
                (TextOrigin::Unknown, _) => return None,
            };
            let (number, line) = line_at(text, span.start);
            let place = definition(around, &body, number)?;
            if around.get(place.clone()) == Some(line.trim()) {
                // The line was expanded unchanged.
                let before = line.len() - line.trim_start().len();
                let begin = line.as_ptr().addr() - text.as_ptr().addr() + before;
                let within = |at: usize| {
                    (place.start + at.saturating_sub(begin)).clamp(place.start, place.end)
                };
                span = within(span.start)..within(span.end);
            } else {
                is_exact = false;
                span = place;
            }
            if let TextOrigin::At(_) = step.origin {
                return Some((start + span.start..start + span.end, is_exact));
            }
        }
        Some((span, is_exact))
    }

    /// Maps a span in the innermost text to the source. Falls back to the innermost call that has a location.
    pub(crate) fn place(
        &self,
        chain: &[&ExpansionStep<'a>],
        span: &Range<usize>,
    ) -> (Range<usize>, bool) {
        let mut found = self.locate(chain, span.clone());
        for (index, step) in chain.iter().enumerate() {
            if found.is_some() {
                break;
            }
            let outer = chain.get(index + 1..).unwrap_or(&[]);
            found = self
                .locate(outer, step.call.clone())
                .map(|(place, _)| (place, false));
        }
        found.unwrap_or_default()
    }

    /// Finds the source location for a span, with the enclosing expansions as notes, innermost first.
    pub(crate) fn explain(
        &self,
        chain: &[&ExpansionStep<'a>],
        span: &Range<usize>,
    ) -> MappedPosition {
        let (place, is_exact) = self.place(chain, span);
        let text = chain.iter().find_map(|step| step.text);
        let quote = text.filter(|_| !is_exact).map(|text| {
            let line = line_at(text, span.start).1;
            line.trim().chars().take(MAX_QUOTE).collect()
        });
        let mut notes = Vec::new();
        let hidden = chain.len().saturating_sub(2 * MAX_NOTES);
        for (index, step) in chain.iter().enumerate() {
            let is_first_hidden = hidden > 0 && index == MAX_NOTES;
            if !is_first_hidden && (MAX_NOTES..MAX_NOTES + hidden).contains(&index) {
                continue;
            }
            let outer = chain.get(index + 1..).unwrap_or(&[]);
            let message = match step.what {
                _ if is_first_hidden => format!("… {hidden} more expansions …"),
                ExpansionKind::Loop(name) if step.text.is_none() => {
                    format!("in iteration {} of `{name}`", step.iteration)
                }
                ExpansionKind::File(_) => format!("in {}, included here", step.what.text()),
                ExpansionKind::Loop(_) => format!("in {}, repeated here", step.what.text()),
                ExpansionKind::Macro(_) => format!("in {}, called here", step.what.text()),
            };
            notes.push(Note {
                message,
                span: self.place(outer, &step.call).0,
            });
        }
        MappedPosition {
            place,
            quote,
            notes,
        }
    }

    /// Sorts diagnostics by position, removes duplicates, and adds the includes that lead to diagnostics without notes.
    pub(crate) fn sort_diagnostics(&self, diagnostics: &mut Vec<Diagnostic>) {
        for diagnostic in diagnostics.iter_mut().filter(|d| d.notes.is_empty()) {
            self.explain_files(diagnostic);
        }
        diagnostics.sort_by_key(|d| d.span.start);
        // A loop may repeat a diagnostic for the same location.
        let is_same = |a: &mut Diagnostic, b: &mut Diagnostic| {
            a.span == b.span && a.message == b.message && a.notes == b.notes
        };
        diagnostics.dedup_by(is_same);
    }

    /// Adds a note for each `.include` that leads to a diagnostic's location, innermost first.
    fn explain_files(&self, diagnostic: &mut Diagnostic) {
        let mut at = diagnostic.span.start;
        while let Some(file) = self
            .files
            .partition_point(|file| file.start <= at)
            .checked_sub(1)
            .and_then(|index| self.files.get(index))
        {
            if diagnostic.notes.len() > 2 * MAX_NOTES {
                return;
            }
            diagnostic.notes.push(Note {
                message: format!(
                    "in {}, included here",
                    ExpansionKind::File(file.name).text()
                ),
                span: file.from.clone(),
            });
            at = file.from.start;
        }
    }
}

impl MappedPosition {
    pub(crate) fn apply(self, diagnostic: &mut Diagnostic) {
        diagnostic.span = self.place;
        if let Some(quote) = self.quote {
            diagnostic.label = format!("here `{quote}`");
        }
        diagnostic.notes.extend(self.notes);
    }
}

/// Zero-based number and text of the line at a position.
fn line_at(text: &str, at: usize) -> (usize, &str) {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    let number = before.iter().filter(|&&byte| byte == b'\n').count();
    let begin = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let line = text.get(begin..).unwrap_or("");
    (number, line.lines().next().unwrap_or(""))
}

/// Span of the body line that produced line `number` of the expansion; a loop repeats the body.
fn definition(around: &str, body: &Range<usize>, number: usize) -> Option<Range<usize>> {
    let text = around.get(body.clone())?;
    let count = text.lines().count().max(1);
    let line = text.lines().nth(number % count)?;
    let begin = body.start + (line.as_ptr().addr() - text.as_ptr().addr());
    let content = line.trim();
    let begin = begin + (line.len() - line.trim_start().len());
    Some(begin..begin + content.len())
}
