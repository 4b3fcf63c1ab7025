//! Completion of mnemonics, macros and directives at the start of a statement, and of the operands and modifiers that
//! an instruction accepts at the cursor.

use gcn_asm::reference::InstructionReport;
use gcn_asm::syntax::{Token, TokenKind};
use gcn_asm::{Dialect, directives, modifier_usage, modifiers, operand_usage, usage};
use gcn_isa::simm::{GPR_INDEXES, HWREGS, MESSAGES};
use gcn_isa::{Isa, Kind, ModifierValue, Op, Presence, Slot, Target, regs};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionList,
    CompletionTextEdit, Documentation, MarkupContent, MarkupKind, TextEdit, Uri,
};
use serde_json::{Value, json};

use crate::context::{Context, instruction};
use crate::definition;
use crate::document::Document;
use crate::files::OpenTexts;
use crate::outline::{DefinitionKind, Outline, is_name};
use crate::settings::Settings;
use crate::text::Encoding;

/// Number of VGPRs per lane.
const VGPRS: u16 = 256;

/// Candidates for the word at a position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completions {
    /// Byte offset of the word. A candidate replaces the text from there to the position.
    pub start: usize,
    /// True if the word is the first of a statement: a mnemonic, a macro or a directive.
    pub is_head: bool,
    /// Candidates that contain the word. Candidates that begin with the word come first.
    pub candidates: Vec<Completion>,
}

/// Completion candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// Text that replaces the word.
    pub label: String,
    /// Operands and modifiers of a mnemonic, operands of a directive, or syntax of an operand or modifier; may be empty.
    pub detail: String,
}

/// Returns completions at a byte offset of a text, for front ends without the protocol. Included files are looked up in
/// the current directory.
///
/// # Examples
/// ```
/// use gcn_asm::Dialect;
/// use gcn_lsp::completion::completions;
/// let target = gcn_isa::Target::named("gfx900").expect("a target");
/// let text = "  ds_add_rtn_u3";
///
/// let found = completions(text, text.len(), target, Dialect::Llvm);
/// assert_eq!((found.start, found.is_head, found.candidates.len()), (2, true, 1));
/// assert_eq!(found.candidates[0].label, "ds_add_rtn_u32");
/// assert_eq!(found.candidates[0].detail, "vDST, vADDR, vDATA [offset:N] [gds]");
/// ```
pub fn completions(text: &str, offset: usize, target: &Target, dialect: Dialect) -> Completions {
    let Ok(uri) = "untitled:completion".parse::<Uri>() else {
        return Completions::default();
    };
    let document = Document::new(uri, 0, text.to_owned());
    let context = Context {
        document: &document,
        settings: &Settings::default(),
        open: &OpenTexts::new(),
        encoding: Encoding::default(),
        outline: &Outline::new(text, dialect),
        isa: target.isa,
        offset: offset.min(text.len()),
    };
    let Candidates {
        prefix,
        start,
        is_head,
        mut items,
        ..
    } = candidates(&context);
    items.sort_by_cached_key(|item| !item.label.to_ascii_lowercase().starts_with(&prefix));
    let candidates = items.into_iter().map(|item| Completion {
        detail: detail(&item),
        label: item.label,
    });
    Completions {
        start,
        is_head,
        candidates: candidates.collect(),
    }
}

/// Returns the detail of a candidate, or an empty string if it has none.
fn detail(item: &CompletionItem) -> String {
    if let Some((isa, op)) = item.data.as_ref().and_then(instruction_of) {
        let usage = usage(isa, op);
        let (_, operands) = usage.split_once(' ').unwrap_or_default();
        return operands.to_owned();
    }
    let details = item.label_details.as_ref();
    let description = details.and_then(|details| details.description.clone());
    description
        .or_else(|| item.detail.clone())
        .unwrap_or_default()
}

/// Collector of completion candidates.
struct Candidates<'a> {
    /// Part of the word before the cursor, in lower case.
    prefix: String,
    /// Byte offset of the word.
    start: usize,
    /// True if the word is the first of a statement.
    is_head: bool,
    items: Vec<CompletionItem>,
    /// True if candidates were omitted because they do not contain the prefix.
    has_more: bool,
    isa: Isa,
    context: &'a Context<'a>,
}

impl Candidates<'_> {
    /// Adds a candidate if it contains the prefix.
    fn add(&mut self, label: impl Into<String>, kind: CompletionItemKind, detail: Option<String>) {
        self.add_ordered(label, kind, detail, None);
    }

    fn add_ordered(
        &mut self,
        label: impl Into<String>,
        kind: CompletionItemKind,
        detail: Option<String>,
        order: Option<String>,
    ) {
        let label = label.into();
        if !label.to_ascii_lowercase().contains(&self.prefix) {
            self.has_more = true;
            return;
        }
        self.items.push(CompletionItem {
            label,
            kind: Some(kind),
            label_details: detail.map(|detail| CompletionItemLabelDetails {
                detail: None,
                description: Some(detail),
            }),
            sort_text: order,
            ..CompletionItem::default()
        });
    }

    /// Adds instructions, macros and directives.
    fn add_heads(&mut self) {
        let isa = self.isa;
        for name in isa.tables().names() {
            let before = self.items.len();
            self.add(name, CompletionItemKind::KEYWORD, None);
            if let Some(item) = self.items.get_mut(before) {
                item.data = Some(json!({"isa": isa as u32, "name": name}));
            }
        }
        for name in definition::macros(self.context) {
            self.add(name, CompletionItemKind::METHOD, Some("macro".to_owned()));
        }
        for (name, operands) in directives() {
            self.add(
                name,
                CompletionItemKind::PROPERTY,
                Some(operands.to_owned()),
            );
        }
    }

    /// Adds names of labels, values and memory objects.
    fn add_symbols(&mut self, wanted: &dyn Fn(DefinitionKind) -> bool) {
        let mut names: Vec<_> = definition::names(self.context).into_iter().collect();
        names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        for (name, kind) in names {
            let shown = match kind {
                DefinitionKind::Label => CompletionItemKind::FUNCTION,
                DefinitionKind::Value => CompletionItemKind::CONSTANT,
                DefinitionKind::Object => CompletionItemKind::VARIABLE,
                DefinitionKind::Macro => continue,
            };
            if wanted(kind) {
                self.add(name, shown, None);
            }
        }
    }

    /// Adds groups of `count` consecutive registers of a bank, in ascending order.
    fn add_registers(&mut self, bank: char, count: u8, registers: u16, step: usize) {
        let count = u16::from(count.max(1));
        let last = registers.saturating_sub(count);
        for first in (0..=last).step_by(step) {
            let name = match count {
                1 => format!("{bank}{first}"),
                count => format!("{bank}[{first}:{}]", first + count - 1),
            };
            self.add_ordered(
                name,
                CompletionItemKind::VARIABLE,
                None,
                Some(format!("{bank}{first:03}")),
            );
        }
    }

    fn add_vgprs(&mut self, count: u8) {
        self.add_registers('v', count, VGPRS, 1);
    }

    /// Adds SGPRs and special registers, including read-only ones if `reads` is set.
    fn add_scalars(&mut self, count: u8, reads: bool) {
        let step = match count {
            0 | 1 => 1,
            2 => 2,
            _ => 4,
        };
        self.add_registers('s', count, u16::from(self.isa.sgprs()), step);
        for code in regs::flat_scratch(self.isa).unwrap_or(regs::VCC_LO)..=u8::MAX {
            let is_value = regs::is_value(self.isa, code);
            if is_value && !reads {
                continue;
            }
            let name = regs::scalar_name(self.isa, code, count.max(1));
            let named = name.filter(|name| regs::named(self.isa, name).is_some());
            if let Some(name) = named {
                self.add(name, CompletionItemKind::VARIABLE, None);
            }
        }
    }

    fn add_words(&mut self, words: &[&str]) {
        for word in words {
            self.add(*word, CompletionItemKind::VALUE, None);
        }
    }

    /// Adds operands that a slot accepts.
    fn add_operands(&mut self, slot: &Slot) {
        let count = slot.ty.dwords();
        let isa = self.isa;
        match slot.kind {
            Kind::Vgpr => self.add_vgprs(count),
            Kind::GlobalAddress => {
                self.add_vgprs(2);
                self.add_vgprs(1);
            }
            Kind::ScratchAddress | Kind::ExportSource(_) => {
                self.add_vgprs(1);
                self.add_words(&["off"]);
            }
            Kind::BufferAddress => {
                self.add_vgprs(1);
                self.add_vgprs(2);
                self.add_words(&["off"]);
            }
            Kind::ImageData { .. } => (1..=4).for_each(|count| self.add_vgprs(count)),
            Kind::ImageAddress { least, most } => {
                (least..=most).for_each(|count| self.add_vgprs(count))
            }
            Kind::ExportTarget => self.add_words(&["mrt0", "mrtz", "null", "pos0", "param0"]),
            Kind::Attribute => self.add_words(&["attr0.x", "attr0.y", "attr0.z", "attr0.w"]),
            Kind::VertexParameter => self.add_words(&["p10", "p20", "p0"]),
            Kind::Saddr => {
                self.add_words(&["off"]);
                self.add_scalars(count, false);
            }
            Kind::Src => {
                self.add_vgprs(count);
                self.add_scalars(count, true);
                self.add_symbols(&|kind| kind == DefinitionKind::Value);
            }
            Kind::Ssrc => {
                self.add_scalars(count, true);
                self.add_symbols(&|_| true);
            }
            Kind::Sdst => self.add_scalars(count, false),
            Kind::Aligned(_) => self.add_scalars(count, false),
            Kind::ScalarOffset { .. } => {
                self.add_scalars(1, false);
                self.add_symbols(&|kind| kind == DefinitionKind::Value);
            }
            Kind::Branch => self.add_symbols(&|kind| kind == DefinitionKind::Label),
            Kind::Waitcnt => self.add_words(&["vmcnt(0)", "lgkmcnt(0)", "expcnt(0)"]),
            Kind::Hwreg => {
                for (name, ..) in HWREGS.iter().filter(|(.., on)| on.has(isa)) {
                    self.add(format!("hwreg({name})"), CompletionItemKind::VALUE, None);
                }
            }
            Kind::SendMsg => {
                for (name, ..) in MESSAGES.iter().filter(|(.., on)| on.has(isa)) {
                    self.add(format!("sendmsg({name})"), CompletionItemKind::VALUE, None);
                }
            }
            Kind::GprIndex => {
                for name in GPR_INDEXES {
                    self.add(format!("gpr_idx({name})"), CompletionItemKind::VALUE, None);
                }
            }
            Kind::Unsigned | Kind::Signed | Kind::Simm16 | Kind::Literal => {
                self.add_symbols(&|_| true);
            }
        }
    }

    fn add_modifiers(&mut self, op: Op) {
        for modifier in modifiers(self.isa, op) {
            let name = modifier.names.first().copied().unwrap_or_default();
            let label = match modifier.value {
                ModifierValue::Flag => name.to_owned(),
                ModifierValue::LanePermutation => continue,
                ModifierValue::Unsigned
                | ModifierValue::Signed
                | ModifierValue::Swizzle
                | ModifierValue::Omod
                | ModifierValue::BitList
                | ModifierValue::Named(_)
                | ModifierValue::Hex
                | ModifierValue::Mask
                | ModifierValue::BufferFormat
                | ModifierValue::Part => format!("{name}:"),
            };
            self.add(
                label,
                CompletionItemKind::PROPERTY,
                Some(modifier_usage(modifier)),
            );
        }
        let has_dpp = op
            .row()
            .encodings()
            .any(|encoding| format!("{encoding:?}").contains("Dpp"));
        if has_dpp && self.isa >= Isa::Vi {
            for name in [
                "quad_perm:",
                "row_shl:",
                "row_shr:",
                "row_ror:",
                "row_mirror",
                "row_half_mirror",
                "row_bcast:",
            ] {
                self.add(name, CompletionItemKind::PROPERTY, None);
            }
        }
    }
}

/// Position of a word in its statement.
enum WordPosition {
    Head,
    /// After a mnemonic and `commas` commas. `follows_operand` is true if there is an operand after the last comma.
    Operand {
        commas: usize,
        follows_operand: bool,
    },
    /// Value of the named modifier.
    Value(String),
    Directive,
    None,
}

/// Returns completions at the cursor.
pub(crate) fn complete(context: &Context<'_>) -> CompletionList {
    let Candidates {
        start,
        mut items,
        has_more,
        ..
    } = candidates(context);
    let range = context
        .document
        .text
        .range(&(start..context.offset), context.encoding);
    for item in &mut items {
        item.text_edit = Some(CompletionTextEdit::Edit(TextEdit {
            range,
            new_text: item.label.clone(),
        }));
    }
    CompletionList {
        is_incomplete: has_more,
        items,
    }
}

/// Collects the candidates at the cursor.
fn candidates<'a>(context: &'a Context<'a>) -> Candidates<'a> {
    let statement = context.statement();
    let before = statement
        .iter()
        .filter(|token| token.span.start < context.offset);
    let before: Vec<&Token> = before.collect();
    let current = before.last().copied().filter(|token| {
        context.offset <= token.span.end && (is_name(token.kind) || token.span.end > context.offset)
    });
    let mut start = current.map_or(context.offset, |token| token.span.start);
    let preceding = if current.is_some() {
        &before[..before.len() - 1]
    } else {
        &before[..]
    };
    let is_text = matches!(
        current.map(|token| token.kind),
        Some(TokenKind::Comment | TokenKind::String | TokenKind::Text | TokenKind::Parameter)
    ) || before
        .last()
        .is_some_and(|token| token.kind == TokenKind::Comment);
    let place = if is_text {
        WordPosition::None
    } else {
        place(context, preceding)
    };
    // A register group such as `v[2:` is completed as one word.
    if let WordPosition::Operand { .. } = place
        && let Some(open) = open_group(context, &before)
    {
        start = open;
    }
    let prefix = context
        .text()
        .get(start..context.offset)
        .unwrap_or_default();
    let mut candidates = Candidates {
        prefix: prefix.to_ascii_lowercase(),
        start,
        is_head: matches!(place, WordPosition::Head),
        items: Vec::new(),
        has_more: false,
        isa: context.isa,
        context,
    };
    let head = preceding
        .iter()
        .rev()
        .find(|token| token.kind == TokenKind::Mnemonic);
    let op = head
        .and_then(|head| context.instruction(context.slice(head)))
        .map(|(op, _)| op);
    match place {
        WordPosition::Head => candidates.add_heads(),
        WordPosition::Operand {
            commas,
            follows_operand,
        } => match op {
            Some(op) => operands(&mut candidates, op, commas, follows_operand),
            None => {
                candidates.add_symbols(&|_| true);
            }
        },
        WordPosition::Value(name) => {
            let modifier = op.and_then(|op| {
                op.row()
                    .modifiers()
                    .find(|it| it.names.contains(&name.as_str()))
            });
            if let Some(ModifierValue::Named(names)) = modifier.map(|it| it.value) {
                candidates.add_words(names);
            }
        }
        WordPosition::Directive => candidates.add_symbols(&|_| true),
        WordPosition::None => {}
    }
    candidates
}

/// Determines the position that follows the given tokens of a statement.
fn place(context: &Context<'_>, preceding: &[&Token]) -> WordPosition {
    let heads = [
        TokenKind::Mnemonic,
        TokenKind::Directive,
        TokenKind::Assigned,
    ];
    let Some(head) = preceding
        .iter()
        .rposition(|token| heads.contains(&token.kind))
    else {
        return WordPosition::Head;
    };
    match preceding.get(head).map(|token| token.kind) {
        Some(TokenKind::Mnemonic) => {}
        Some(TokenKind::Assigned | TokenKind::Directive) => return WordPosition::Directive,
        _ => return WordPosition::None,
    }
    let operands = preceding.get(head + 1..).unwrap_or_default();
    if let [.., name, colon] = operands
        && context.slice(colon) == ":"
        && name.kind == TokenKind::Word
    {
        return WordPosition::Value(context.slice(name).to_ascii_lowercase());
    }
    let mut depth = 0usize;
    let mut commas = 0;
    for token in operands {
        match context.slice(token) {
            "[" | "(" => depth += 1,
            "]" | ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => commas += 1,
            _ => {}
        }
    }
    let last = operands.last().map(|token| context.slice(token));
    let follows_operand = !matches!(last, None | Some("," | "-" | "+" | "|" | "(" | "["));
    WordPosition::Operand {
        commas,
        follows_operand,
    }
}

/// Returns the start of the register group that contains the cursor.
fn open_group(context: &Context<'_>, before: &[&Token]) -> Option<usize> {
    let open = before
        .iter()
        .rposition(|token| context.slice(token) == "[")?;
    let is_closed = before
        .get(open..)?
        .iter()
        .any(|token| context.slice(token) == "]" && token.span.end <= context.offset);
    let bank = before.get(open.checked_sub(1)?)?;
    let is_bank = matches!(context.slice(bank), "v" | "s" | "ttmp");
    (is_bank && !is_closed).then_some(bank.span.start)
}

/// Adds the operands that may follow the given number of commas, and modifiers after the last required operand.
fn operands(candidates: &mut Candidates<'_>, op: Op, commas: usize, follows_operand: bool) {
    let slots: Vec<&Slot> = op.row().slots().collect();
    let required = slots
        .iter()
        .filter(|slot| slot.when == Presence::Always)
        .count();
    if follows_operand {
        if commas + 1 >= required {
            candidates.add_modifiers(op);
        }
        return;
    }
    // Omitting optional operands shifts later operands.
    let skipped = slots.len() - required;
    for slot in slots.iter().skip(commas).take(1 + skipped) {
        candidates.add_operands(slot);
        let usage = operand_usage(candidates.isa, slot);
        for item in &mut candidates.items {
            item.detail.get_or_insert_with(|| usage.clone());
        }
    }
    if slots.len() <= commas || required == 0 {
        candidates.add_modifiers(op);
    }
}

/// Adds usage and documentation to the selected candidate.
pub(crate) fn resolve(mut item: CompletionItem) -> CompletionItem {
    let Some((isa, op)) = item.data.as_ref().and_then(instruction_of) else {
        return item;
    };
    item.detail = Some(usage(isa, op));
    let report = InstructionReport::of(&[isa], op.row());
    item.documentation = Some(Documentation::MarkupContent(MarkupContent {
        kind: MarkupKind::Markdown,
        value: format!("```gcn\n{}```", report),
    }));
    item
}

/// Looks up the instruction that the data of a candidate identifies.
fn instruction_of(data: &Value) -> Option<(Isa, Op)> {
    let number = data.get("isa")?.as_u64()?;
    let isa = Isa::ALL.into_iter().find(|isa| *isa as u64 == number)?;
    let (op, _) = instruction(isa, data.get("name")?.as_str()?)?;
    Some((isa, op))
}
