//! Compiles a form to its text template.

use crate::effect::{Does, Implicit};
use crate::field::{Encoding, Field, Layout};
use crate::form::Form;
use crate::form::placed::{PlacedModifier, PlacedOperand};
use crate::form::ready::{MISSING, ReadyTexts};
use crate::form::template::{
    MOST_OPERANDS, ModifierText, OperandText, ReadyPrefix, ReadyText, Template, TextSource,
};
use crate::llvm;
use crate::operand::{Kind, Modifier, ModifierValue, OperandAccess, Presence, Slot};
use crate::regs::{self, SADDR_OFF};
use crate::row::Forms;
use crate::rules;
use crate::target::{Isa, on};
use crate::text::Piece;

// The marks of an instruction's existing texts add up to less than the mark of a missing text.
const _: () = assert!(MOST_OPERANDS < MISSING as usize);

/// Compiles the template of a form's text.
pub(super) fn compile(form: &'static Form) -> Template {
    let layout = form.layout;
    let head = format!("{}{} ", form.name, suffix(form));
    let of_operands = form.operands.iter().fold(0, |represented, placed| {
        represented
            | represented_bits(layout, &placed.slot)
            | placed.negate
            | placed.absolute
            | placed.extend
    });
    let modifiers = &form.modifiers;
    let modifier_bits = modifiers.iter().fold(0, |bits, m| bits | bits_of(form, m));
    let literal = if layout.dwords == 1 { LITERAL_BITS } else { 0 };
    let required = modifiers.iter().fold(0, |bits, m| bits | required(form, m));
    let untold_or_required = required | !(of_operands | modifier_bits | literal | form.fixed);
    let mut template = Template {
        head: Piece::new(&head).expect("the tables limit the length of a name"),
        deciding: untold_or_required | llvm::doubtful_bits(form) | rules::breaking_bits(form),
        usual: required,
        max_reads: max_reads(form),
        writes_always: modifiers.iter().any(|m| is_always_written(m.modifier)),
        modifier_bits,
        unwritten: modifiers
            .iter()
            .fold(0, |bits, m| bits | unwritten(form, m)),
        modifiers: modifiers
            .iter()
            // Parts appear in the text of the modifier that contains them.
            .filter(|m| m.modifier.value != ModifierValue::Part)
            .map(|placed| modifier_text(form, placed))
            .collect(),
        untold_or_required,
        required,
        ..Template::default()
    };
    let has_operands = (0..)
        .zip(&form.operands)
        .all(|(index, placed)| add_operand(&mut template, form, index, placed).is_some());
    if !has_operands || template.deciding == u64::MAX {
        // No bits match this template.
        (template.deciding, template.usual) = (0, 1);
    } else {
        let mut prefixes = prefixes(form, &template).into_iter();
        template.prefix = prefixes.next().unwrap_or(ReadyPrefix::NEVER);
        template.other_prefixes = prefixes.collect();
    }
    template
}

fn modifier_text(form: &Form, placed: &PlacedModifier) -> ModifierText {
    let modifier = placed.modifier;
    let name = modifier.names[0];
    let head = match modifier.value {
        ModifierValue::Flag | ModifierValue::BitList => format!(" {name}"),
        ModifierValue::Omod | ModifierValue::LanePermutation | ModifierValue::Swizzle => {
            " ".to_owned()
        }
        ModifierValue::Unsigned
        | ModifierValue::Signed
        | ModifierValue::Named(_)
        | ModifierValue::Hex
        | ModifierValue::Mask
        | ModifierValue::BufferFormat
        | ModifierValue::Part => format!(" {name}:"),
    };
    ModifierText {
        value: modifier.value,
        field: placed.bits,
        list: placed.list,
        head: Piece::new(&head).unwrap_or(Piece::EMPTY),
        bits: bits_shown(placed),
        left_out: if is_always_written(modifier) {
            !bits_shown(placed)
        } else {
            unwritten(form, placed) & bits_shown(placed)
        },
    }
}

/// Adds the text of an operand; `None` if it always needs the full printer.
fn add_operand(
    template: &mut Template,
    form: &Form,
    index: u8,
    placed: &PlacedOperand,
) -> Option<()> {
    let (layout, slot, bits) = (form.layout, placed.slot, placed.bits);
    let field = |field| layout.bits(field).mask();
    match slot.when {
        Presence::Always | Presence::Returned => {}
        Presence::Optional => {
            template.deciding |= bits.mask();
            return Some(());
        }
        Presence::NotLds => template.deciding |= field(Field::Lds),
    }
    let dwords = slot.ty.dwords();
    let has_literal = layout.dwords == 1 && form.row.does != Does::Fork;
    let (source, first) = match (slot.kind, bits.width) {
        (Kind::Vgpr, 8) if slot.when == Presence::Returned => {
            template.deciding |= field(Field::Tfe);
            (TextSource::Returned, ReadyTexts::vgprs(dwords)?)
        }
        (Kind::Vgpr, 8) => {
            if matches!(form.encoding, Encoding::Mubuf | Encoding::Mtbuf) {
                template.deciding |= field(Field::Tfe);
            }
            (TextSource::Ready, ReadyTexts::vgprs(dwords)?)
        }
        (Kind::Vgpr, 9) => (TextSource::Ready, ReadyTexts::only_vgprs(dwords)?),
        (Kind::Src, 8) if field(scalar_bit(&slot)) != 0 => {
            (TextSource::SdwaSource, ReadyTexts::vgprs(dwords)?)
        }
        (Kind::Src, 8) => (TextSource::Ready, ReadyTexts::vgprs(dwords)?),
        (Kind::Src, 9) | (Kind::Ssrc, 8) if has_literal => {
            (TextSource::ReadyOrLiteral, ReadyTexts::sources(dwords)?)
        }
        (Kind::Src, 9) | (Kind::Ssrc, 7 | 8) => (TextSource::Ready, ReadyTexts::sources(dwords)?),
        (Kind::Sdst, _) if layout.has(Field::SdwaSdst) => {
            (TextSource::SdwaDestination, ReadyTexts::scalars(dwords)?)
        }
        (Kind::Sdst, 0) => (
            TextSource::Ready,
            ReadyTexts::scalars(dwords)? + u16::from(regs::VCC_LO),
        ),
        // Scalar memory cannot load some registers.
        (Kind::Sdst, _) if slot.field == Field::Sdata => {
            (TextSource::Ready, ReadyTexts::loaded(dwords)?)
        }
        (Kind::Sdst | Kind::Aligned(_), _) => (TextSource::Ready, ReadyTexts::scalars(dwords)?),
        (Kind::Saddr, _) => (TextSource::Ready, ReadyTexts::addresses(dwords)?),
        (Kind::GlobalAddress, 8) => (TextSource::GlobalAddress, ReadyTexts::vgprs(1)?),
        (Kind::ScratchAddress, 8) => (TextSource::ScratchAddress, ReadyTexts::vgprs(1)?),
        (Kind::BufferAddress, 8) => (TextSource::BufferAddress, ReadyTexts::vgprs(1)?),
        (
            Kind::Waitcnt
            | Kind::Simm16
            | Kind::Branch
            | Kind::Unsigned
            | Kind::Signed
            | Kind::Hwreg
            | Kind::SendMsg,
            1..,
        ) => (TextSource::Immediate, 0),
        (Kind::Literal, _) => (TextSource::Literal, 0),
        (Kind::ImageData { .. } | Kind::ImageAddress { .. }, _) => (TextSource::ImageRegisters, 0),
        (Kind::ScalarOffset { .. }, _) => {
            // Only M0 can be the register (`Rule::StoreOffset`), so the template covers only immediates.
            if matches!(form.row.does, Does::Store(_)) && on::VI_ONLY.has(form.isa) {
                template.deciding |= field(Field::Imm);
                template.usual |= field(Field::Imm);
            }
            (TextSource::ScalarOffset, ReadyTexts::scalars(1)?)
        }
        _ => return None,
    };
    if slot.kind == Kind::Sdst && slot.access == OperandAccess::Read {
        template.max_reads = template.max_reads.saturating_sub(1);
    }
    let shift = if let Kind::Aligned(shift) = slot.kind {
        shift
    } else {
        0
    };
    template.push_operand(OperandText {
        signs: placed.negate | placed.absolute | placed.extend,
        ready: ReadyText {
            first,
            rotation: (bits.low + u64::BITS as u8 - shift) % u64::BITS as u8,
            mask: (bits.max() as u16) << shift,
        },
        source,
        index,
    })?;
    template.excess = 2;
    Some(())
}

/// SDWA bit that makes a source scalar.
fn scalar_bit(slot: &Slot) -> Field {
    if slot.field == Field::Src0 {
        Field::Src0Scalar
    } else {
        Field::Src1Scalar
    }
}

/// All sequences of preformatted texts that the operands of a template can begin with, the most frequent one first.
fn prefixes(form: &Form, template: &Template) -> Vec<ReadyPrefix> {
    let operands = template.operands();
    let mut all = vec![ReadyPrefix {
        deciding: template.deciding,
        usual: template.usual,
        ..ReadyPrefix::NEVER
    }];
    for (index, operand) in (0..).zip(operands) {
        let is_last = usize::from(index) + 1 == operands.len();
        let mut longer = Vec::new();
        for prefix in &all {
            for (conditions, text) in ready_texts(form, operand) {
                longer.extend(prefix.with(operand.signs, &conditions, text));
            }
            if is_last && may_end_prefix(operand) {
                longer.push(ReadyPrefix {
                    next: Some(index),
                    ..*prefix
                });
            }
        }
        all = longer;
    }
    all
}

/// True if a prefix may end before this operand, which is then formatted separately.
fn may_end_prefix(operand: &OperandText) -> bool {
    operand.signs != 0
        || match operand.source {
            TextSource::ReadyOrLiteral | TextSource::Immediate | TextSource::ScalarOffset => true,
            TextSource::Ready
            | TextSource::Literal
            | TextSource::SdwaSource
            | TextSource::GlobalAddress
            | TextSource::ScratchAddress
            | TextSource::BufferAddress
            | TextSource::Returned
            | TextSource::SdwaDestination
            | TextSource::ImageRegisters => false,
        }
}

/// Preformatted texts of an operand, each with its conditions: bits and their required values.
fn ready_texts(form: &Form, operand: &OperandText) -> Vec<(Vec<(u64, u64)>, ReadyText)> {
    let mask = |field: Field| form.layout.bits(field).mask();
    let text = operand.ready;
    let first = |first: u16| ReadyText { first, ..text };
    // An operand number without meaning must be zero.
    let zero = (text.bits(), 0);
    let off = ReadyText::at(ReadyTexts::OFF);
    match operand.source {
        TextSource::Ready | TextSource::ReadyOrLiteral => vec![(vec![], text)],
        TextSource::GlobalAddress => {
            let saddr = form.layout.bits(Field::Saddr);
            let is_off = (saddr.mask(), saddr.put(0, SADDR_OFF));
            vec![
                (vec![is_off], first(ReadyTexts::PAIRS_OF_VGPRS)),
                (vec![], text),
            ]
        }
        TextSource::ScratchAddress => {
            let saddr = form.layout.bits(Field::Saddr);
            let is_off = (saddr.mask(), saddr.put(0, SADDR_OFF));
            vec![(vec![is_off], text), (vec![zero], off)]
        }
        TextSource::Returned => {
            let glc = mask(Field::Glc);
            let empty = ReadyText::at(ReadyTexts::EMPTY);
            vec![(vec![(glc, glc)], text), (vec![(glc, 0), zero], empty)]
        }
        TextSource::BufferAddress => {
            let [addr64, index, offset] = [Field::Addr64, Field::Idxen, Field::Offen].map(mask);
            let all = addr64 | index | offset;
            let pair = first(ReadyTexts::PAIRS_OF_VGPRS);
            let mut texts = vec![
                (vec![(all, offset)], text),
                (vec![(all, index)], text),
                (vec![(all, 0), zero], off),
                (vec![(all, index | offset)], pair),
            ];
            if addr64 != 0 {
                texts.push((vec![(addr64, addr64)], pair));
            }
            texts
        }
        TextSource::SdwaSource => {
            let slot = form.operands.get(usize::from(operand.index));
            let is_vgpr = slot.map(|placed| (mask(scalar_bit(&placed.slot)), 0));
            vec![(is_vgpr.into_iter().collect(), text)]
        }
        TextSource::SdwaDestination => {
            let vcc = ReadyText::at(text.first + u16::from(regs::VCC_LO));
            vec![(vec![(mask(Field::SdwaSdst), 0), zero], vcc)]
        }
        TextSource::Literal
        | TextSource::ImageRegisters
        | TextSource::Immediate
        | TextSource::ScalarOffset => vec![],
    }
}

impl ReadyPrefix {
    /// Extends the prefix by a text for zero sign bits; `None` if the conditions contradict those of the prefix.
    fn with(&self, signs: u64, conditions: &[(u64, u64)], text: ReadyText) -> Option<ReadyPrefix> {
        let mut prefix = *self;
        for &(bits, value) in conditions.iter().chain(&[(signs, 0)]) {
            if prefix.deciding & bits & (prefix.usual ^ value) != 0 {
                return None;
            }
            prefix.deciding |= bits;
            prefix.usual |= value;
        }
        *prefix.texts.get_mut(usize::from(prefix.count))? = text;
        prefix.count += 1;
        Some(prefix)
    }
}

/// Maximum number of values that an instruction's operands may read over the constant bus, in addition to implicit
/// reads.
fn max_reads(form: &Form) -> u8 {
    if !form.encoding.is_vector_alu() {
        return MISSING - 1; // Only vector ALU instructions use the constant bus.
    }
    let implicit = form.row.implicit();
    if implicit.has(Implicit::READS_VCC) || implicit.has(Implicit::READS_M0) {
        0
    } else {
        1
    }
}

/// Bits of the literal.
const LITERAL_BITS: u64 = (u32::MAX as u64) << 32;

/// Suffix by which LLVM distinguishes the encodings of an instruction.
fn suffix(form: &Form) -> &'static str {
    let encoding = form.encoding;
    let has_long_form = form.row.forms.has(Forms::E64);
    let is_shown = if encoding.is_extended() {
        // For comparisons on GCN 1.2, the selections imply the encoding, and LLVM's disassembler omits the suffix.
        encoding != Encoding::VopcSdwa || !on::VI_ONLY.has(form.isa)
    } else {
        // Without operands, there is nothing to distinguish.
        let has_no_operands = encoding == Encoding::Vop1 && form.row.written.is_empty();
        // Before GCN 1.2, interpolation has no other encoding.
        let is_only = encoding == Encoding::Vintrp && form.isa < Isa::Vi;
        has_long_form && !has_no_operands && !is_only
    };
    if is_shown { encoding.suffix() } else { "" }
}

/// Bits that an operand's text represents, excluding source modifiers.
fn represented_bits(layout: &Layout, slot: &Slot) -> u64 {
    let beside: &[Field] = match (slot.kind, slot.field) {
        (Kind::ExportTarget, _) => &[Field::En],
        (Kind::Attribute, _) => &[Field::AttrChan],
        (Kind::ScalarOffset { .. }, _) => &[Field::Imm, Field::Soe, Field::Soffset],
        (_, Field::Src0) => &[Field::Src0Scalar],
        (_, Field::Src1) => &[Field::Src1Scalar],
        (_, Field::Sdst) => &[Field::SdwaSdst],
        _ => &[],
    };
    beside
        .iter()
        .fold(layout.bits(slot.field).mask(), |bits, &field| {
            bits | layout.bits(field).mask()
        })
}

/// True for modifiers that LLVM writes even at their defaults.
fn is_always_written(modifier: &Modifier) -> bool {
    matches!(
        modifier.value,
        ModifierValue::Named(_) | ModifierValue::Hex | ModifierValue::LanePermutation
    )
}

/// True for OP_SEL_HI of packed instructions, whose bits default to one, including the bit of a nonexistent third
/// operand.
fn is_list_of_ones(modifier: &Modifier) -> bool {
    modifier.value == ModifierValue::BitList
        && modifier.field == Field::OpSelHi
        && modifier.default != 0
}

/// Bits of a modifier that its text represents.
fn bits_shown(placed: &PlacedModifier) -> u64 {
    if placed.modifier.value == ModifierValue::BitList {
        placed.list.mask()
    } else {
        placed.bits.mask()
    }
}

/// Bits of a modifier, including the OP_SEL_HI bit of a nonexistent third operand.
fn bits_of(form: &Form, placed: &PlacedModifier) -> u64 {
    if is_list_of_ones(placed.modifier) {
        placed.list.mask() | form.layout.bits(Field::OpSelHi2).mask()
    } else {
        bits_shown(placed)
    }
}

/// Bits of a modifier when it is omitted; 0 for modifiers that are always written.
fn unwritten(form: &Form, placed: &PlacedModifier) -> u64 {
    let default = placed.modifier.default;
    match placed.modifier.value {
        ModifierValue::BitList if default != 0 => bits_of(form, placed),
        ModifierValue::BufferFormat => placed.bits.put(0, default.into()),
        ModifierValue::BitList
        | ModifierValue::Flag
        | ModifierValue::Unsigned
        | ModifierValue::Signed
        | ModifierValue::Swizzle
        | ModifierValue::Omod
        | ModifierValue::Named(_)
        | ModifierValue::Hex
        | ModifierValue::Mask
        | ModifierValue::Part
        | ModifierValue::LanePermutation => 0,
    }
}

/// Bits of a modifier that must be set for any text to represent the words: mandatory modifiers, and list bits that
/// default to one but are not shown.
fn required(form: &Form, placed: &PlacedModifier) -> u64 {
    if is_list_of_ones(placed.modifier) {
        bits_of(form, placed) & !placed.list.mask()
    } else if placed.modifier.required {
        placed.bits.mask()
    } else {
        0
    }
}
