//! Findings of the static checker: missing waits and wait states.

use std::ops::Range;

use gcn_object::{CodeObject, SymbolKind, SymbolSection};
use gcn_observe::finding::{Finding, FindingPlace, Findings};
use gcn_observe::lint::{CodeRegion, LintCode, lint};
use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString};

use crate::assembled::Assembled;
use crate::diagnostics::MAX_DIAGNOSTICS;

/// Findings; empty for code with errors, or without kernels and functions.
pub(crate) fn findings(assembled: &Assembled) -> Vec<Diagnostic> {
    let Some(Ok(object)) = assembled.object.as_deref().map(gcn_object::read) else {
        return Vec::new();
    };
    let functions = object.symbols.iter().filter(|symbol| {
        symbol.kind == SymbolKind::Function && matches!(symbol.section, SymbolSection::Section(_))
    });
    let kernels = object.kernels.iter().map(|kernel| kernel.entry_address);
    let entries: Vec<u64> = kernels
        .chain(functions.map(|function| function.value))
        .collect();
    if entries.is_empty() {
        return Vec::new();
    }
    let sections = object.sections.iter();
    let sections = sections.filter(|section| section.is_code() && !section.file.is_empty());
    let code = LintCode {
        isa: assembled.assembly.program.target.isa,
        regions: sections
            .map(|section| CodeRegion {
                address: section.address,
                bytes: object.section_bytes(section),
            })
            .collect(),
        entries,
    };
    let found = Findings::default();
    lint(&code, &found);
    let (found, _) = found.all();
    if found.is_empty() {
        return Vec::new();
    }
    let places = StatementSpans::new(assembled, &object);
    let found = found.iter().take(MAX_DIAGNOSTICS);
    found
        .map(|finding| convert(assembled, &places, finding))
        .collect()
}

/// Source spans of instructions, by address.
struct StatementSpans(Vec<(u64, Range<usize>)>);

impl StatementSpans {
    fn new(assembled: &Assembled, object: &CodeObject<'_>) -> StatementSpans {
        let program = &assembled.assembly.program;
        let addresses: Vec<Option<u64>> = program
            .sections
            .iter()
            .map(|section| {
                let mut written = object.sections.iter();
                Some(written.find(|it| it.name == section.name)?.address)
            })
            .collect();
        let mut places: Vec<_> = program
            .listing()
            .filter_map(|listing| {
                let address = addresses.get(listing.section as usize).copied().flatten()?;
                Some((address + listing.offset, listing.span))
            })
            .collect();
        places.sort_by_key(|(address, _)| *address);
        StatementSpans(places)
    }

    fn at(&self, place: &FindingPlace) -> Option<&Range<usize>> {
        let index = self
            .0
            .binary_search_by_key(&place.pc, |(address, _)| *address)
            .ok()?;
        self.0.get(index).map(|(_, span)| span)
    }
}

/// Converts a finding, with the other instructions it involves.
fn convert(assembled: &Assembled, places: &StatementSpans, finding: &Finding) -> Diagnostic {
    let mut message = finding.message.clone();
    for note in &finding.notes {
        message.push_str("\nnote: ");
        message.push_str(note);
    }
    if let Some(help) = &finding.help {
        message.push_str("\nhelp: ");
        message.push_str(&help.machine);
    }
    let span = places.at(&finding.place);
    let own = span.map(|span| DiagnosticRelatedInformation {
        location: assembled.location(span),
        message: format!("{}: {}", finding.place.text, finding.label),
    });
    let sides = finding.sides.iter().filter_map(|side| {
        let span = side.place.as_ref().and_then(|place| places.at(place));
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
