//! Assembles source text and reports diagnostics.

use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use gcn_asm::{
    Assembly, Diagnostic, Features, File, Files, NoFiles, Options, Severity, Source, assemble_with,
};
use gcn_runtime::error_names::UNSUPPORTED_TARGET;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::errors::{AssembleError, TargetError, target};

/// Finds `.include` and `.incbin` files beside the including source, then in directories.
struct SearchedFiles(Vec<PathBuf>);

impl Files for SearchedFiles {
    fn read(&self, name: &str, from: &str) -> Result<File, String> {
        let beside = Path::new(from).parent().map(Path::to_owned);
        let directories = beside.iter().chain(&self.0);
        let mut paths = directories.map(|directory| directory.join(name));
        let path = paths
            .find(|path| path.is_file())
            .ok_or("there is no such file next to the source or in the directories of `include`")?;
        let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
        Ok(File {
            name: path.display().to_string(),
            bytes,
        })
    }
}

/// Text of a source or an included file.
#[derive(Clone, Copy)]
struct SourceText<'a> {
    name: &'a str,
    text: &'a str,
    /// Offset of the first byte in the positions used by diagnostic spans.
    start: usize,
}

impl<'a> SourceText<'a> {
    /// Returns the text that contains a position.
    fn at(source: &Source<'a>, assembly: &'a Assembly, position: usize) -> SourceText<'a> {
        let included = assembly.files.iter().rev();
        let included = included.map(|file| SourceText {
            name: &file.name,
            text: &file.text,
            start: file.start,
        });
        let own = SourceText {
            name: source.name,
            text: source.text,
            start: 0,
        };
        let mut all = included.chain([own]);
        all.find(|text| text.start <= position).unwrap_or(own)
    }
}

/// Diagnostic with its source location.
struct PlacedDiagnostic<'a> {
    text: SourceText<'a>,
    line: usize,
    column: usize,
    rendered: String,
}

impl<'a> PlacedDiagnostic<'a> {
    fn new(
        source: &Source<'a>,
        assembly: &'a Assembly,
        diagnostic: &Diagnostic,
    ) -> PlacedDiagnostic<'a> {
        let text = SourceText::at(source, assembly, diagnostic.span.start);
        let whole = text.text;
        let boundary = |at: usize| {
            let at = at.saturating_sub(text.start).min(whole.len());
            let is_boundary = |at: &usize| whole.is_char_boundary(*at);
            (0..=at).rev().find(is_boundary).unwrap_or(0)
        };
        let (start, end) = (
            boundary(diagnostic.span.start),
            boundary(diagnostic.span.end),
        );
        let begin = whole[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = whole[start..]
            .find('\n')
            .map_or(whole.len(), |at| start + at);
        let line = 1 + whole[..begin].bytes().filter(|byte| *byte == b'\n').count();
        let column = 1 + whole[begin..start].chars().count();
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let span = start - begin..end.clamp(start, line_end) - begin;
        let label = Some(diagnostic.label.as_str()).filter(|label| !label.is_empty());
        let snippet = Snippet::source(&whole[begin..line_end])
            .line_start(line)
            .path(text.name)
            .annotation(AnnotationKind::Primary.span(span).label(label));
        let help = diagnostic.help.iter();
        let help = help.map(|help| Level::HELP.message(help.as_str()));
        let notes = diagnostic.notes.iter();
        let notes = notes.map(|note| Level::NOTE.message(note.message.as_str()));
        let title = level.primary_title(diagnostic.message.as_str());
        let title = title.id(diagnostic.name());
        let group = title.element(snippet).elements(notes).elements(help);
        PlacedDiagnostic {
            text,
            line,
            column,
            rendered: Renderer::plain().render(&[group]),
        }
    }
}

/// Returns the fields of `amdgcn.Diagnostic` for each diagnostic.
fn described<'py>(
    py: Python<'py>,
    source: &Source<'_>,
    assembly: &Assembly,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let mut diagnostics: Vec<&Diagnostic> = assembly.diagnostics.iter().collect();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    let described = diagnostics.into_iter().map(|diagnostic| {
        let placed = PlacedDiagnostic::new(source, assembly, diagnostic);
        let fields = PyDict::new(py);
        fields.set_item("severity", diagnostic.severity.to_string())?;
        fields.set_item("name", diagnostic.name())?;
        fields.set_item("message", &diagnostic.message)?;
        fields.set_item("label", &diagnostic.label)?;
        fields.set_item("help", &diagnostic.help)?;
        fields.set_item("file", placed.text.name)?;
        fields.set_item("line", placed.line)?;
        fields.set_item("column", placed.column)?;
        fields.set_item("text", placed.rendered)?;
        Ok(fields)
    });
    described.collect()
}

/// Assembles a source. Returns the bytes of `.text`, with references resolved if none needs a linker, the code object,
/// kernel names and diagnostics.
///
/// # Errors
/// `AssembleError`, with the diagnostics; `TargetError`: the target is unknown or does not support a feature setting.
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "the package has names and defaults for them"
)]
pub(crate) fn assemble<'py>(
    py: Python<'py>,
    text: &str,
    target: &str,
    name: &str,
    defines: Vec<(String, i64)>,
    include: Vec<PathBuf>,
    debug: bool,
    embed: bool,
    files: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let known = self::target(target)?;
    let features = Features::parse(known, target)
        .map_err(|error| TargetError::new_err((error.to_string(), UNSUPPORTED_TARGET)))?;
    let source = Source { name, text };
    let directory = debug.then(|| {
        let current = std::env::current_dir().unwrap_or_default();
        current.display().to_string()
    });
    let options = Options {
        features,
        defines: &defines,
        listing: false,
        debug: directory.as_deref(),
        embed_sources: embed,
        ..Options::new(known)
    };
    let searched = SearchedFiles(include);
    let read: &(dyn Files + Sync) = if files { &searched } else { &NoFiles };
    let assembly = py.detach(|| assemble_with(&source, &options, read));
    let diagnostics = described(py, &source, &assembly)?;
    let failed = |message: String| {
        let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
        let errors = assembly.diagnostics.iter().filter(is_error);
        let shown = errors
            .clone()
            .map(|it| PlacedDiagnostic::new(&source, &assembly, it).rendered);
        let shown: Vec<String> = shown.collect();
        let shown = if shown.is_empty() {
            message
        } else {
            shown.join("\n")
        };
        let first = errors.min_by_key(|it| it.span.start);
        let first = first.map_or("", Diagnostic::name);
        PyList::new(py, &diagnostics).map_or_else(
            |error| error,
            |diagnostics| AssembleError::new_err((shown, first, diagnostics.unbind())),
        )
    };
    if assembly.has_errors() {
        return Err(failed(String::new()));
    }
    let object = assembly.program.to_object(None);
    let object = object.map_err(|error| failed(error.to_string()))?;
    let raw = assembly
        .program
        .to_linked_raw()
        .unwrap_or_else(|_| assembly.program.to_raw());
    let kernels: Vec<&str> = assembly
        .program
        .kernels
        .iter()
        .map(|kernel| &*kernel.name)
        .collect();
    let fields = PyDict::new(py);
    fields.set_item("target", assembly.program.target.name)?;
    fields.set_item("code", PyBytes::new(py, &raw))?;
    fields.set_item("object", PyBytes::new(py, &object))?;
    fields.set_item("kernels", kernels)?;
    fields.set_item("diagnostics", diagnostics)?;
    Ok(fields)
}
