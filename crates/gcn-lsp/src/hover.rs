//! Hover information: reference entries and encodings of instructions, operands of directives, symbol values, and
//! modifier fields.

use std::fmt::Write;

use gcn_asm::reference::{InstructionReport, encoding_name, field_values};
use gcn_asm::syntax::TokenKind;
use gcn_asm::{SymbolPlace, directives, modifier_usage, modifiers};
use gcn_isa::{Inst, Isa, Op};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use crate::assembled::Assembled;
use crate::context::Context;
use crate::definition;

/// Sections of a hover text. The flag is true for code blocks.
#[derive(Default)]
struct Answer(Vec<(bool, String)>);

impl Answer {
    fn code(&mut self, text: impl Into<String>) {
        self.0.push((true, text.into()));
    }

    fn text(&mut self, text: impl Into<String>) {
        self.0.push((false, text.into()));
    }

    fn render(&self, kind: &MarkupKind) -> String {
        let section = |(is_code, text): &(bool, String)| match (kind, is_code) {
            (MarkupKind::Markdown, true) => format!("```gcn\n{}\n```", text.trim_end()),
            (MarkupKind::Markdown | MarkupKind::PlainText, _) => text.trim_end().to_owned(),
        };
        let sections: Vec<String> = self.0.iter().map(section).collect();
        sections.join("\n\n")
    }
}

/// Returns hover information for a position. `assembled` is an up-to-date assembly, if available.
pub(crate) fn hover(
    context: &Context<'_>,
    assembled: Option<&Assembled>,
    kind: MarkupKind,
) -> Option<Hover> {
    let token = context.token()?;
    let word = context.slice(token);
    let statement = context.statement();
    let head = context.head(statement).map(|(_, head)| head);
    let mut answer = Answer::default();
    match token.kind {
        TokenKind::Mnemonic => match context.instruction(word) {
            Some((op, _)) if !is_macro(context, word) => {
                let inst =
                    assembled.and_then(|assembled| instruction_at(assembled, token.span.start));
                instruction(&mut answer, context.isa, op, inst.as_ref());
            }
            _ => symbol(&mut answer, context, assembled, word),
        },
        TokenKind::Directive => {
            let lower = word.to_ascii_lowercase();
            let (name, operands) = directives().find(|(name, _)| *name == lower)?;
            answer.code(format!("{name} {operands}"));
        }
        TokenKind::Word => {
            let op = head
                .filter(|head| head.kind == TokenKind::Mnemonic)
                .and_then(|head| context.instruction(context.slice(head)));
            match op.and_then(|(op, _)| modifier(context.isa, op, word)) {
                Some(text) => answer.text(text),
                None => symbol(&mut answer, context, assembled, word),
            }
        }
        TokenKind::Label
        | TokenKind::Assigned
        | TokenKind::Parameter
        | TokenKind::Number
        | TokenKind::String => {
            symbol(&mut answer, context, assembled, word);
        }
        TokenKind::Comment | TokenKind::Separator | TokenKind::Text | TokenKind::Operator => {}
    }
    if answer.0.is_empty() {
        return None;
    }
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            value: answer.render(&kind),
            kind,
        }),
        range: Some(context.document.text.range(&token.span, context.encoding)),
    })
}

fn is_macro(context: &Context<'_>, word: &str) -> bool {
    definition::macros(context).iter().any(|name| name == word)
}

/// Returns the instruction assembled from the statement at `start`.
fn instruction_at(assembled: &Assembled, start: usize) -> Option<Inst> {
    let mut listing = assembled.assembly.program.listing();
    listing
        .find(|listing| listing.span.start == start)
        .map(|listing| listing.inst)
}

/// Appends the encoding of a statement's instruction, if assembled, and the instruction's reference entry.
fn instruction(answer: &mut Answer, isa: Isa, op: Op, inst: Option<&Inst>) {
    let report = InstructionReport::of(&[isa], op.row());
    if let Some(inst) = inst {
        let words: Vec<String> = inst
            .words()
            .iter()
            .take(inst.dwords())
            .map(|word| format!("{word:08x}"))
            .collect();
        let mut text = format!(
            "{}\n{}: {}",
            inst.text(),
            encoding_name(inst.encoding),
            words.join(" ")
        );
        for field in field_values(inst) {
            let _ = write!(
                text,
                "\n  {:>6}  {:10} {:#x} ({})",
                field.bits, field.field, field.value, field.value
            );
        }
        answer.code(text);
    }
    answer.code(report.to_string());
}

/// Describes an instruction modifier: its syntax, field and bits.
fn modifier(isa: Isa, op: Op, word: &str) -> Option<String> {
    let found = modifiers(isa, op)
        .find(|it| it.names.iter().any(|name| name.eq_ignore_ascii_case(word)))?;
    let field = format!("{:?}", found.field).to_ascii_uppercase();
    let report = InstructionReport::of(&[isa], op.row());
    let mut text = format!("`{}`: field {field}", modifier_usage(found));
    for encoding in &report.encodings {
        let cells = encoding.dwords.iter().flatten();
        let bits: Vec<&str> = cells
            .filter(|cell| cell.holds == field)
            .map(|cell| cell.bits.as_str())
            .collect();
        if !bits.is_empty() {
            let _ = write!(text, ", {} bits {}", encoding.encoding, bits.join(" and "));
        }
    }
    Some(text)
}

/// Appends the definitions of a name with the comments above them, and the value of the name.
fn symbol(answer: &mut Answer, context: &Context<'_>, assembled: Option<&Assembled>, word: &str) {
    const MOST: usize = 4;
    for found in definition::find(context).into_iter().take(MOST) {
        answer.code(found.line());
        let comment = found.comment_above();
        if !comment.is_empty() {
            answer.text(comment);
        }
    }
    let Some(program) = assembled.map(|assembled| &assembled.assembly.program) else {
        return;
    };
    let name = word.trim_matches('"');
    let named = program
        .symbols
        .iter()
        .find(|symbol| symbol.name == name && !name.is_empty());
    let value = match named.map(|symbol| symbol.place) {
        Some(SymbolPlace::Absolute(value)) => format!("{name} = {value} ({value:#x})"),
        Some(SymbolPlace::Section { section, offset }) => {
            let section = program
                .sections
                .get(section)
                .map_or("", |section| &section.name);
            format!("{name} = {section}+{offset:#x}")
        }
        Some(SymbolPlace::Undefined | SymbolPlace::Common { .. }) | None => return,
    };
    answer.code(value);
}
