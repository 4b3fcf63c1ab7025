//! Assembly of a source: tokens to colour, words of each statement, problems, and findings of the static checker.

use std::ops::Range;

use gcn_asm::syntax::{TokenKind, tokens};
use gcn_asm::{Diagnostic, Options, Program, Source, assemble as assemble_source};
use gcn_isa::Inst;
use gcn_lsp::findings::{EntryPoints, SourceFinding, findings};
use serde::Serialize;

use crate::position::{Utf16Positions, Utf16Span};
use crate::settings::TextRequest;

/// Maximum number of instructions in an answer; macros and loops can generate more.
const MAX_INSTRUCTIONS: usize = 20_000;
/// Maximum number of problems, and of findings.
const MAX_PROBLEMS: usize = 200;

/// Result of an assembly.
#[derive(Serialize)]
pub(crate) struct AssembleAnswer {
    /// Target: the source's own, or else the selected one.
    target: &'static str,
    /// Tokens as kind, start and end.
    tokens: Vec<(&'static str, u32, u32)>,
    instructions: Vec<AssembledInstruction>,
    /// Number of instructions, which may be more than those listed.
    instruction_count: usize,
    /// Size of all sections with code or data, in bytes.
    bytes: usize,
    problems: Vec<Problem>,
    findings: Vec<Problem>,
    /// True if the static checker has run, because the program has no errors.
    is_checked: bool,
    kernels: Vec<String>,
}

#[derive(Serialize)]
struct AssembledInstruction {
    /// Span of the statement.
    #[serde(flatten)]
    span: Utf16Span,
    /// Index of the section.
    section: u32,
    /// Offset in the section in bytes.
    offset: u64,
    words: Vec<u32>,
    /// True if a linker completes a field.
    open: bool,
}

/// A diagnostic of the assembler, or a finding of the static checker.
#[derive(Serialize)]
struct Problem {
    /// `error`, `warning` or `note`.
    severity: String,
    /// Stable name.
    name: &'static str,
    message: String,
    /// Text next to the marked range; may be empty.
    label: String,
    /// Marked range.
    #[serde(flatten)]
    span: Utf16Span,
    notes: Vec<RelatedPlace>,
    help: Vec<String>,
}

/// A related message, with its location if it has one.
#[derive(Serialize)]
struct RelatedPlace {
    message: String,
    span: Option<Utf16Span>,
}

/// Assembles a source.
///
/// # Errors
/// Fails if the target is unknown, or the text is too long.
pub(crate) fn assemble(request: &TextRequest) -> Result<AssembleAnswer, String> {
    let dialect = request.dialect.dialect();
    let options = Options {
        dialect,
        ..Options::new(request.source_target()?)
    };
    let source = Source {
        name: "playground.s",
        text: &request.text,
    };
    let assembly = assemble_source(&source, &options);
    let (object, diagnostics) = assembly.to_object(None);
    let program = &assembly.program;
    let positions = Utf16Positions::new(&request.text);
    let found = object.as_deref().map_or_else(Vec::new, |object| {
        findings(program, object, EntryPoints::DeclaredOrStart)
    });
    let diagnostics = diagnostics.iter().take(MAX_PROBLEMS);
    let found = found.iter().take(MAX_PROBLEMS);
    Ok(AssembleAnswer {
        target: program.target.name,
        tokens: tokens(&request.text, dialect)
            .map(|token| {
                let span = positions.span(&token.span);
                (kind_name(token.kind), span.start, span.end)
            })
            .collect(),
        instructions: instructions(program, &positions),
        instruction_count: program.listing().count(),
        bytes: program.sections.iter().map(|it| it.bytes.len()).sum(),
        problems: diagnostics.map(|it| diagnosed(it, &positions)).collect(),
        findings: found.map(|it| checked(it, &positions)).collect(),
        is_checked: object.is_some(),
        kernels: program.kernels.iter().map(|it| it.name.clone()).collect(),
    })
}

fn instructions(program: &Program, positions: &Utf16Positions) -> Vec<AssembledInstruction> {
    let listing = program.listing().take(MAX_INSTRUCTIONS);
    let listing = listing.map(|listing| AssembledInstruction {
        span: positions.span(&listing.span),
        section: listing.section,
        offset: listing.offset,
        words: words(&listing.inst),
        open: listing.open,
    });
    listing.collect()
}

fn words(inst: &Inst) -> Vec<u32> {
    inst.words().into_iter().take(inst.dwords()).collect()
}

fn diagnosed(found: &Diagnostic, positions: &Utf16Positions) -> Problem {
    Problem {
        severity: found.severity.to_string(),
        name: found.name(),
        message: found.message.clone(),
        label: found.label.clone(),
        span: positions.span(&found.span),
        notes: found
            .notes
            .iter()
            .map(|note| RelatedPlace {
                message: note.message.clone(),
                span: Some(positions.span(&note.span)),
            })
            .collect(),
        help: found.help.clone(),
    }
}

fn checked(found: &SourceFinding, positions: &Utf16Positions) -> Problem {
    let finding = &found.finding;
    let span = |span: &Option<Range<usize>>| span.as_ref().map(|span| positions.span(span));
    let sides = finding.sides.iter().zip(&found.sides);
    let sides = sides.map(|(side, place)| RelatedPlace {
        message: match &side.place {
            Some(place) => format!("{}: {}", place.text, side.label),
            None => side.label.clone(),
        },
        span: span(place),
    });
    let notes = finding.notes.iter().map(|note| RelatedPlace {
        message: note.clone(),
        span: None,
    });
    Problem {
        severity: "warning".to_owned(),
        name: finding.kind.name(),
        message: finding.message.clone(),
        label: finding.label.clone(),
        span: span(&found.span).unwrap_or(Utf16Span { start: 0, end: 0 }),
        notes: sides.chain(notes).collect(),
        help: finding
            .help
            .iter()
            .map(|help| help.machine.clone())
            .collect(),
    }
}

/// Name of a token's kind, by which the page colours it.
fn kind_name(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Label => "label",
        TokenKind::Assigned => "assigned",
        TokenKind::Directive => "directive",
        TokenKind::Mnemonic => "mnemonic",
        TokenKind::Word => "word",
        TokenKind::Parameter => "parameter",
        TokenKind::Number => "number",
        TokenKind::String => "string",
        TokenKind::Comment => "comment",
        TokenKind::Separator => "separator",
        TokenKind::Text => "text",
        TokenKind::Operator => "operator",
    }
}
