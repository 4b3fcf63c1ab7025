//! Converts the assembler's diagnostics to protocol diagnostics.

use gcn_asm::Severity;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString, Position, Range,
};

use crate::assembled::Assembled;

/// Maximum number of diagnostics per document, separately for the assembler and the checker.
pub(crate) const MAX_DIAGNOSTICS: usize = 1000;

/// Converts the diagnostics of an assembly.
pub(crate) fn of_assembly(assembled: &Assembled) -> Vec<Diagnostic> {
    let own = assembled.diagnostics.iter().take(MAX_DIAGNOSTICS);
    let own = own.map(|found| convert(assembled, found));
    own.chain(default_target(assembled)).collect()
}

/// Converts a diagnostic, including its help and related locations.
fn convert(assembled: &Assembled, found: &gcn_asm::Diagnostic) -> Diagnostic {
    let mut message = found.message.clone();
    for help in &found.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let there = (!assembled.is_own(&found.span)).then(|| DiagnosticRelatedInformation {
        location: assembled.location(&found.span),
        message: "in this included file".to_owned(),
    });
    let notes = found.notes.iter().map(|note| DiagnosticRelatedInformation {
        location: assembled.location(&note.span),
        message: note.message.clone(),
    });
    Diagnostic {
        range: assembled.range(&found.span),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(found.name().to_owned())),
        source: Some("gcn asm".to_owned()),
        message,
        related_information: Some(there.into_iter().chain(notes).collect()),
        ..Diagnostic::default()
    }
}

/// Returns a hint if the default target is used and the source contains instructions.
fn default_target(assembled: &Assembled) -> Option<Diagnostic> {
    let has_code = assembled.assembly.program.listing().next().is_some();
    (assembled.source.is_default && has_code).then(|| Diagnostic {
        range: Range::new(Position::new(0, 0), Position::new(0, 0)),
        severity: Some(DiagnosticSeverity::HINT),
        code: Some(NumberOrString::String("missing-target".to_owned())),
        source: Some("gcn asm".to_owned()),
        message: format!(
            "assembled for {}, since no target is stated\n\
             help: add `.amdgcn_target`, a comment `gcn-target: NAME`, or the setting `target`",
            assembled.source.target.name
        ),
        ..Diagnostic::default()
    })
}
