//! Rendering of diagnostics: `file:line:column: error: …`, the source line with a caret, help, and totals.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{Arguments, Display};
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use std::sync::OnceLock;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use clap::ColorChoice;
use gcn_asm::{Diagnostic, Severity, SourceFile, ids};
use serde::Serialize;

use crate::problem::{self, Problem};
use crate::warnings::WARNING_LIMIT;
pub use gcn_report::{kernel_name, printable};

/// Maximum number of source lines per diagnostic.
const MAX_LINES: usize = 4;
/// Maximum number of bytes shown on each side of the position in a long line.
const MAX_AROUND: usize = 200;

/// Writes to standard error. Errors are ignored, since there is nowhere to report them.
pub fn tell(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_fmt(text);
}

/// Writes an error to standard error.
pub fn complain(error: &anyhow::Error) {
    if let Some(RenderedDiagnostics { text, .. }) = error.downcast_ref() {
        tell(format_args!("{text}"));
        return;
    }
    let Problem { name, message } = Problem::of(error);
    tell(format_args!("{}", problem::line(name, &message)));
}

/// Writes a value in JSON, followed by a newline.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn json(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}

/// Writes a warning about a whole file to standard error.
pub fn warn(file: &str, warning: &dyn Display) {
    tell(format_args!(
        "{}: warning: {}\n",
        printable(file),
        printable(&warning.to_string())
    ));
}

/// Value of `--color`, set once the arguments are parsed.
static COLOR: OnceLock<ColorChoice> = OnceLock::new();

/// Sets the value of `--color`.
pub fn choose_color(choice: ColorChoice) {
    // Arguments are parsed only once, so this cannot fail.
    let _ = COLOR.set(choice);
}

/// True if output to standard error is coloured: `--color` requests it, or it is a terminal and `NO_COLOR` is not set.
pub fn has_colours() -> bool {
    match COLOR.get() {
        Some(ColorChoice::Always) => true,
        Some(ColorChoice::Never) => false,
        Some(ColorChoice::Auto) | None => {
            io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
        }
    }
}

/// Renderer for standard error, in colour if enabled.
pub fn renderer() -> Renderer {
    if has_colours() {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
}

/// Maximum length of a message in characters. Messages may quote names of any length.
const MAX_MESSAGE: usize = 400;

/// Truncates a message to [`MAX_MESSAGE`].
fn truncate(message: &str) -> Cow<'_, str> {
    match message.char_indices().nth(MAX_MESSAGE) {
        None => message.into(),
        Some((end, _)) => format!("{}…", &message[..end]).into(),
    }
}

/// Source with the files that it includes.
pub struct RenderedSources<'a> {
    /// Name of the source in messages.
    pub name: &'a str,
    pub text: &'a str,
    /// Files in ascending order of their positions.
    pub files: &'a [SourceFile],
}

/// Limits for diagnostics shown in full; 0 means no limit.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosticLimits {
    /// Maximum number of errors. Warnings after the first hidden error are hidden, too.
    pub errors: usize,
    /// Maximum number of warnings per name.
    pub warnings: usize,
}

/// Default of [`DiagnosticLimits::errors`].
pub const ERROR_LIMIT: usize = 100;

impl Default for DiagnosticLimits {
    fn default() -> DiagnosticLimits {
        DiagnosticLimits {
            errors: ERROR_LIMIT,
            warnings: WARNING_LIMIT,
        }
    }
}

/// Counts of shown and hidden warnings with the same name.
#[derive(Default)]
struct WarningCount {
    shown: usize,
    hidden: usize,
}

impl WarningCount {
    /// Counts a warning. Returns true if it is shown: among the first `limit`, and not after a hidden error.
    fn shows(&mut self, warning: &Diagnostic, limit: usize, is_cut: bool) -> bool {
        // Warnings that the source issues, as with `.warning`, have different messages.
        let is_unlimited = limit == 0 || warning.id == &ids::USER_WARNING;
        let shows = !is_cut && (is_unlimited || self.shown < limit);
        let count = if shows {
            &mut self.shown
        } else {
            &mut self.hidden
        };
        *count += 1;
        shows
    }
}

/// Formats totals as `1 error, 2 warnings`; `None` if both are 0.
pub fn totals(errors: usize, warnings: usize) -> Option<String> {
    let counts = [(errors, "error"), (warnings, "warning")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// Renders diagnostics in source order, then a line for each name with hidden warnings, then the totals.
pub fn diagnostics(
    renderer: &Renderer,
    sources: &RenderedSources<'_>,
    diagnostics: &[Diagnostic],
    limits: DiagnosticLimits,
) -> String {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.span.start);
    let count = |severity| {
        diagnostics
            .iter()
            .filter(|d| d.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let mut out = String::new();
    let mut files = sources.lines();
    let mut shown = 0;
    let mut kinds: BTreeMap<&str, WarningCount> = BTreeMap::new();
    let limit = limits.errors;
    let mut is_cut = false;
    for diagnostic in sorted {
        if diagnostic.severity == Severity::Warning {
            let kind = kinds.entry(diagnostic.name()).or_default();
            if !kind.shows(diagnostic, limits.warnings, is_cut) {
                continue;
            }
        }
        shown += usize::from(diagnostic.severity == Severity::Error);
        if limit > 0 && shown > limit && !is_cut {
            is_cut = true;
            out.push_str(&format!(
                "{}: too many errors: {} more are not shown\n",
                printable(sources.name),
                errors - limit
            ));
        }
        if is_cut {
            continue;
        }
        out.push_str(&rendered(renderer, &mut files, diagnostic));
        out.push('\n');
    }
    for (name, WarningCount { hidden, .. }) in kinds.iter().filter(|(_, kind)| kind.hidden > 0) {
        out.push_str(&format!(
            "{}: {hidden} more warning{} [{name}] not shown\n",
            printable(sources.name),
            if *hidden == 1 { "" } else { "s" }
        ));
    }
    if let Some(counted) = totals(errors, warnings) {
        out.push_str(&format!("{}: {counted}\n", printable(sources.name)));
    }
    out
}

/// JSON report of a diagnostic.
#[derive(Serialize)]
pub struct DiagnosticReport<'a> {
    severity: &'static str,
    /// Name for `gcn explain`.
    name: &'static str,
    message: &'a str,
    /// Text at the marked span; may be empty.
    label: &'a str,
    help: &'a [String],
    file: &'a str,
    /// Line number, starting at 1. Columns count characters, starting at 1.
    line: usize,
    column: usize,
}

/// Returns reports of diagnostics in source order.
pub fn diagnostic_reports<'a>(
    sources: &RenderedSources<'a>,
    diagnostics: &'a [Diagnostic],
) -> Vec<DiagnosticReport<'a>> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.span.start);
    let mut files = sources.lines();
    let report = |diagnostic: &'a Diagnostic| {
        let file = file_of(&files, diagnostic.span.start);
        let (place, ..) = files[file].excerpt(&diagnostic.span);
        DiagnosticReport {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            name: diagnostic.name(),
            message: &diagnostic.message,
            label: &diagnostic.label,
            help: &diagnostic.help,
            file: files[file].name,
            line: place.line,
            column: place.column,
        }
    };
    sorted.into_iter().map(report).collect()
}

/// Rendered diagnostics of a source.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct RenderedDiagnostics {
    pub text: String,
    /// Name of the first error.
    pub name: Option<&'static str>,
}

impl RenderedDiagnostics {
    /// Renders diagnostics, without colours for `json`.
    pub fn new(
        sources: &RenderedSources<'_>,
        diagnostics: &[Diagnostic],
        json: bool,
    ) -> RenderedDiagnostics {
        let renderer = if json { Renderer::plain() } else { renderer() };
        let text = self::diagnostics(&renderer, sources, diagnostics, DiagnosticLimits::default());
        let errors = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error);
        let first = errors.min_by_key(|diagnostic| diagnostic.span.start);
        RenderedDiagnostics {
            text,
            name: first.map(Diagnostic::name),
        }
    }

    /// Renders a single diagnostic for a file that includes no other files.
    pub fn of_text(
        name: &str,
        text: &str,
        diagnostic: Diagnostic,
        json: bool,
    ) -> RenderedDiagnostics {
        let sources = RenderedSources {
            name,
            text,
            files: &[],
        };
        RenderedDiagnostics::new(&sources, &[diagnostic], json)
    }

    /// Appends a problem to diagnostics that a compiler has rendered.
    pub fn from_compiler(diagnostics: &str, last: &Problem) -> RenderedDiagnostics {
        let line = problem::line(last.name, &last.message);
        RenderedDiagnostics {
            text: format!("{diagnostics}{line}"),
            name: last.name,
        }
    }
}

impl<'a> RenderedSources<'a> {
    fn lines(&self) -> Vec<LineCounter<'a>> {
        let included = self
            .files
            .iter()
            .map(|file| LineCounter::new(&file.name, &file.text, file.start));
        std::iter::once(LineCounter::new(self.name, self.text, 0))
            .chain(included)
            .collect()
    }
}

/// Index of the file that contains a position.
fn file_of(files: &[LineCounter], at: usize) -> usize {
    files.partition_point(|file| file.start <= at).max(1) - 1
}

fn rendered(renderer: &Renderer, files: &mut [LineCounter], diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let file = file_of(files, diagnostic.span.start);
    let (place, shown, span) = files[file].excerpt(&diagnostic.span);
    let label = (!diagnostic.label.is_empty()).then_some(diagnostic.label.as_str());
    let snippet = Snippet::source(shown)
        .line_start(place.line)
        .annotation(AnnotationKind::Primary.span(span).label(label));
    let group = level
        .primary_title(truncate(&diagnostic.message))
        .id(diagnostic.name())
        .element(snippet)
        .elements(
            diagnostic
                .help
                .iter()
                .map(|help| Level::HELP.message(help.as_str())),
        );
    let name = printable(files[file].name);
    let mut groups = vec![group];
    for note in &diagnostic.notes {
        let other = file_of(files, note.span.start);
        let (place, shown, span) = files[other].excerpt(&note.span);
        let mut snippet = Snippet::source(shown)
            .line_start(place.line)
            .annotation(AnnotationKind::Context.span(span));
        if other != file {
            snippet = snippet.path(printable(files[other].name));
        }
        groups.push(
            Level::NOTE
                .secondary_title(truncate(&note.message))
                .element(snippet),
        );
    }
    format!(
        "{name}:{}:{}: {}",
        place.line,
        place.column,
        renderer.render(&groups)
    )
}

/// Line and column in a source, starting at 1. The column counts characters.
struct Position {
    line: usize,
    column: usize,
}

/// Converter from positions to line numbers. Counts each line once if positions are queried in ascending order.
struct LineCounter<'a> {
    name: &'a str,
    source: &'a str,
    /// Position of the source's first byte.
    start: usize,
    /// Start of the last queried line.
    begin: usize,
    /// Line number of the last query.
    line: usize,
}

impl<'a> LineCounter<'a> {
    fn new(name: &'a str, source: &'a str, start: usize) -> LineCounter<'a> {
        LineCounter {
            name,
            source,
            start,
            begin: 0,
            line: 1,
        }
    }

    /// Returns a span's position, its lines, and its range in them.
    fn excerpt(&mut self, place: &Range<usize>) -> (Position, &'a str, Range<usize>) {
        let local = place.start.saturating_sub(self.start)..place.end.saturating_sub(self.start);
        let span = self.clamp(&local);
        let position = self.place(span.start);
        let shown = self.visible_range(&span);
        let end = span.end.clamp(span.start, shown.end);
        let within = span.start - shown.start..end - shown.start;
        (position, &self.source[shown], within)
    }

    /// Clamps a span to the source, and extends it to character boundaries.
    fn clamp(&self, span: &Range<usize>) -> Range<usize> {
        let boundary = |at: &usize| self.source.is_char_boundary(*at);
        let last = self.source.len();
        let start = (0..=span.start.min(last)).rev().find(boundary).unwrap_or(0);
        let end = (span.end.max(start)..=last).find(boundary).unwrap_or(last);
        start..end
    }

    /// Returns the line and column of a byte, whose line becomes the last queried line.
    fn place(&mut self, at: usize) -> Position {
        if at < self.begin {
            *self = LineCounter::new(self.name, self.source, self.start);
        }
        let before = &self.source[self.begin..at];
        self.line += before.bytes().filter(|&byte| byte == b'\n').count();
        if let Some(newline) = before.rfind('\n') {
            self.begin += newline + 1;
        }
        Position {
            line: self.line,
            column: self.source[self.begin..at].chars().count() + 1,
        }
    }

    /// Range of the lines of a span that starts in the last queried line, without the final newline. Long lines are
    /// truncated.
    fn visible_range(&self, span: &Range<usize>) -> Range<usize> {
        let rest = &self.source[self.begin..];
        let mut end = 0;
        for line in rest.split_inclusive('\n').take(MAX_LINES) {
            end += line.len();
            if self.begin + end >= span.end {
                break;
            }
        }
        let text = rest[..end].trim_end_matches(['\n', '\r']);
        let end = (self.begin + text.len()).max(span.start);
        if end - self.begin <= 2 * MAX_AROUND
            || text.contains('\n') && span.start - self.begin <= MAX_AROUND
        {
            return self.begin..end;
        }
        let boundary = |at: &usize| self.source.is_char_boundary(*at);
        let first = self.begin.max(span.start.saturating_sub(MAX_AROUND));
        let last = end.min(span.start + MAX_AROUND);
        let first = (first..=span.start).find(boundary).unwrap_or(span.start);
        let last = (span.start..=last)
            .rev()
            .find(boundary)
            .unwrap_or(span.start);
        first..last
    }
}

/// Quotes text as a shell word, if necessary.
pub fn shell_word(text: &[u8]) -> Vec<u8> {
    let needs_no_quotes = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./,:=+%@".contains(byte);
    if !text.is_empty() && text.iter().all(needs_no_quotes) {
        return text.to_vec();
    }
    let mut word = vec![b'\''];
    for &byte in text {
        match byte {
            b'\'' => word.extend(br"'\''"),
            _ => word.push(byte),
        }
    }
    word.push(b'\'');
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcn_asm::ids;

    fn plain(source: &str, list: &[Diagnostic]) -> String {
        let sources = RenderedSources {
            name: "a.s",
            text: source,
            files: &[],
        };
        diagnostics(
            &Renderer::plain(),
            &sources,
            list,
            DiagnosticLimits::default(),
        )
    }

    #[test]
    fn a_place_a_line_a_caret_and_a_count() {
        let source = "s_nop 0\n\tds_add_u32 v1, é2 // comment\ns_endpgm\n";
        let at = source.find("é2").expect("it is there");
        let error = Diagnostic::error(&ids::UNSUPPORTED_REGISTER, at..at + 3, "no such register")
            .label("here")
            .help("registers are v0 to v255");
        let warning = Diagnostic::warning(&ids::UNUSED_MODIFIER, 0..5, "idle");
        assert_eq!(
            plain(source, &[error, warning]),
            "\
a.s:1:1: warning[unused-modifier]: idle
  |
1 | s_nop 0
  | ^^^^^
a.s:2:17: error[unsupported-register]: no such register
  |
2 |     ds_add_u32 v1, é2 // comment
  |                    ^^ here
  |
  = help: registers are v0 to v255
a.s: 1 error, 1 warning
"
        );
    }

    #[test]
    fn one_warning_of_a_kind_is_shown_and_the_rest_counted() {
        let source = "s_nop 0\n".repeat(4);
        let warning = |line: usize, id| Diagnostic::warning(id, line * 8..line * 8 + 5, "idle");
        let list = [
            warning(0, &ids::UNUSED_MODIFIER),
            warning(1, &ids::UNUSED_MODIFIER),
            warning(2, &ids::SCALAR_OFFSET),
            warning(3, &ids::UNUSED_MODIFIER),
            warning(0, &ids::USER_WARNING),
            warning(1, &ids::USER_WARNING),
        ];
        let text = plain(&source, &list);
        let count = |part: &str| text.matches(part).count();
        assert_eq!(count("warning[unused-modifier]: idle"), 1, "{text}");
        assert_eq!(count("a.s:1:1: warning[unused-modifier]"), 1, "{text}");
        assert_eq!(count("warning[scalar-offset]: idle"), 1, "{text}");
        assert_eq!(count("warning[user-warning]: idle"), 2, "{text}");
        assert!(
            text.ends_with("a.s: 2 more warnings [unused-modifier] not shown\na.s: 6 warnings\n"),
            "{text}"
        );
        let sources = RenderedSources {
            name: "a.s",
            text: &source,
            files: &[],
        };
        let all = DiagnosticLimits {
            errors: 0,
            warnings: 0,
        };
        let text = diagnostics(&Renderer::plain(), &sources, &list, all);
        assert_eq!(text.matches("idle").count(), list.len(), "{text}");

        let error = |line: usize| {
            let span = line * 8..line * 8 + 5;
            Diagnostic::error(&ids::UNEXPECTED_TOKEN, span, "wrong")
        };
        let list = [error(0), error(1), warning(2, &ids::UNUSED_MODIFIER)];
        let one = DiagnosticLimits {
            errors: 1,
            warnings: 1,
        };
        let text = diagnostics(&Renderer::plain(), &sources, &list, one);
        let end = "a.s: too many errors: 1 more are not shown\n\
                   a.s: 1 more warning [unused-modifier] not shown\na.s: 2 errors, 1 warning\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn spans_may_lie_anywhere() {
        let source = "é\n";
        for (start, end) in [(0, 0), (1, 1), (2, 3), (3, 3), (3, 9), (7, 2), (0, 3)] {
            let text = plain(
                source,
                &[Diagnostic::error(
                    &ids::UNEXPECTED_TOKEN,
                    start..end,
                    "wrong",
                )],
            );
            assert!(text.starts_with("a.s:"), "{text}");
            assert!(text.ends_with("a.s: 1 error\n"), "{text}");
        }
        assert!(
            plain(
                "",
                &[Diagnostic::error(&ids::UNEXPECTED_TOKEN, 0..0, "empty")]
            )
            .starts_with("a.s:1:1: error[unexpected-token]: empty\n")
        );
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let text = plain(
            "\u{1b}[31m\n",
            &[Diagnostic::error(
                &ids::UNEXPECTED_TOKEN,
                0..4,
                "strange \u{1b}[0m",
            )],
        );
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }

    #[test]
    fn words_survive_a_shell() {
        for (text, expected) in [
            ("/usr/lib/gcn:/lib", "/usr/lib/gcn:/lib"),
            ("gfx906:xnack-", "gfx906:xnack-"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's $HOME", r"'it'\''s $HOME'"),
            ("wave=1;code=f", "'wave=1;code=f'"),
            ("~", "'~'"),
        ] {
            assert_eq!(shell_word(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }
}
