//! Converts the static checker's findings to protocol diagnostics.

use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString};

use crate::assembled::Assembled;
use crate::diagnostics::MAX_DIAGNOSTICS;
use crate::findings::{self, EntryPoints, SourceFinding};

/// Returns findings as diagnostics, or none for code with errors or without declared kernels and functions.
pub(crate) fn findings(assembled: &Assembled) -> Vec<Diagnostic> {
    let Some(object) = assembled.object.as_deref() else {
        return Vec::new();
    };
    let program = &assembled.assembly.program;
    let found = findings::findings(program, object, EntryPoints::Declared);
    let found = found.iter().take(MAX_DIAGNOSTICS);
    found.map(|found| convert(assembled, found)).collect()
}

/// Converts a finding, including the other instructions involved.
fn convert(assembled: &Assembled, found: &SourceFinding) -> Diagnostic {
    let finding = &found.finding;
    let mut message = finding.message.clone();
    for note in &finding.notes {
        message.push_str("\nnote: ");
        message.push_str(note);
    }
    if let Some(help) = &finding.help {
        message.push_str("\nhelp: ");
        message.push_str(&help.machine);
    }
    let span = found.span.as_ref();
    let own = span.map(|span| DiagnosticRelatedInformation {
        location: assembled.location(span),
        message: format!("{}: {}", finding.place.text, finding.label),
    });
    let sides = finding
        .sides
        .iter()
        .zip(&found.sides)
        .filter_map(|(side, span)| {
            let text = side.place.as_ref().map_or("", |place| &place.text);
            match span {
                Some(span) => Some(DiagnosticRelatedInformation {
                    location: assembled.location(span),
                    message: format!("{text}: {}", side.label),
                }),
                None => {
                    message.push_str("\nnote: ");
                    message.push_str(&side.label);
                    None
                }
            }
        });
    let related = own.into_iter().chain(sides).collect();
    Diagnostic {
        range: assembled.range(span.unwrap_or(&(0..0))),
        severity: Some(DiagnosticSeverity::WARNING),
        code: Some(NumberOrString::String(finding.kind.name().to_owned())),
        source: Some("gcn lint".to_owned()),
        related_information: Some(related),
        message,
        ..Diagnostic::default()
    }
}
