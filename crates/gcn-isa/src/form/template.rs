//! The template of a form's text: everything about it that does not depend on an instruction's bits.
//!
//! [`crate::print`] compiles templates and writes by them.

use crate::field::Bits;
use crate::form::placed::ListBits;
use crate::form::ready::ReadyTexts;
use crate::operand::ModifierValue;
use crate::text::Piece;

/// The text of most instructions of a form, those with the [usual](Template::usual) bits: a head, operands of which most
/// have ready texts, modifiers. Nothing about such an instruction needs a decision of its own.
#[derive(Debug)]
pub(crate) struct Template {
    /// The name with the suffix of the encoding and a blank.
    pub(crate) head: Piece<HEAD>,
    /// The most frequent sequence of operands with ready texts, and the others.
    pub(crate) prefix: ReadyPrefix,
    pub(crate) other_prefixes: Box<[ReadyPrefix]>,
    /// Bits that must hold the usual value, or else the template is not for an instruction.
    pub(crate) deciding: u64,
    pub(crate) usual: u64,
    pub(crate) operands: [OperandText; MOST_OPERANDS],
    pub(crate) count: u8,
    /// Bytes to remove behind the last operand: a comma and a blank, or only the blank after the name.
    pub(crate) excess: u8,
    /// The most values that its operands may read over the bus that a vector instruction has for scalar values, without
    /// those that are always scalar registers.
    pub(crate) most_reads: u8,
    /// True if some modifier is written whatever its value is.
    pub(crate) writes_always: bool,
    /// The bits of all modifiers, and their values when none is written.
    pub(crate) modifier_bits: u64,
    pub(crate) unwritten: u64,
    pub(crate) modifiers: Box<[ModifierText]>,
    /// Bits that the text does not convey together with bits that it requires to be set; of them only the latter may be
    /// set.
    pub(crate) untold_or_required: u64,
    pub(crate) required: u64,
}

/// The most operands of a template.
pub(crate) const MOST_OPERANDS: usize = 5;
/// Room for a name.
const HEAD: usize = 48;

impl Template {
    /// Operands in order.
    pub(crate) fn operands(&self) -> &[OperandText] {
        self.operands.get(..self.count.into()).unwrap_or_default()
    }

    /// Appends an operand; nothing if there are too many.
    pub(crate) fn push_operand(&mut self, operand: OperandText) -> Option<()> {
        *self.operands.get_mut(usize::from(self.count))? = operand;
        self.count += 1;
        Some(())
    }

    /// True if some modifier has to be written.
    #[inline(always)]
    pub(crate) fn is_modified(&self, bits: u64) -> bool {
        self.writes_always | (bits & self.modifier_bits != self.unwritten)
    }
}

/// A template without operands, modifiers and conditions.
impl Default for Template {
    fn default() -> Template {
        Template {
            head: Piece::EMPTY,
            prefix: ReadyPrefix::NEVER,
            other_prefixes: Box::default(),
            deciding: 0,
            usual: 0,
            operands: [OperandText::NONE; MOST_OPERANDS],
            count: 0,
            excess: 1,
            most_reads: 0,
            writes_always: false,
            modifier_bits: 0,
            unwritten: 0,
            modifiers: Box::default(),
            untold_or_required: 0,
            required: 0,
        }
    }
}

/// The text of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperandText {
    /// The bits of its negation, absolute value, sign extension.
    pub(crate) signs: u64,
    /// Ready text, or only its number.
    pub(crate) ready: ReadyText,
    pub(crate) source: TextSource,
    /// Index among the form's operands.
    pub(crate) index: u8,
}

impl OperandText {
    const NONE: OperandText = OperandText {
        signs: 0,
        ready: ReadyText::at(ReadyTexts::EMPTY),
        source: TextSource::Ready,
        index: 0,
    };
}

/// The source of an operand's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextSource {
    /// The ready text of its number.
    Ready,
    /// The same, or a literal, which may be any word.
    ReadyOrLiteral,
    /// A literal that is always there.
    Literal,
    /// The ready text of a VGPR, or of anything scalar where a bit of SDWA says so.
    SdwaSource,
    /// The ready text of one register where SADDR names another, else of a pair.
    GlobalAddress,
    /// The ready text of one register, or `off` where SADDR names one.
    ScratchAddress,
    /// The ready text of no, one or two registers, by the bits that say what the address consists of.
    BufferAddress,
    /// The ready text of registers that are left out without GLC.
    Returned,
    /// The ready text of the destination of a comparison of SDWA, which is VCC if none is named.
    SdwaDestination,
    /// As many VGPRs as an image instruction's modifiers say.
    ImageRegisters,
    /// A number, which is formatted.
    Immediate,
    /// A register's ready text, a constant offset that is formatted, or both.
    ScalarOffset,
}

impl TextSource {
    /// True if the operand usually has a ready text, by its number alone.
    #[inline(always)]
    pub(crate) fn is_ready(self) -> bool {
        matches!(self, TextSource::Ready | TextSource::ReadyOrLiteral)
    }
}

/// The index of an operand's ready text, as a function of an instruction's bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadyText {
    /// The index for the number 0.
    pub(crate) first: u16,
    /// The rotation to the right that moves the operand's number to the lowest bits, and its mask there.
    pub(crate) rotation: u8,
    pub(crate) mask: u16,
}

impl ReadyText {
    /// The text with this index, whatever the bits are.
    pub(crate) const fn at(index: u16) -> ReadyText {
        ReadyText {
            first: index,
            rotation: 0,
            mask: 0,
        }
    }

    /// The operand's number.
    #[inline(always)]
    pub(crate) fn number(self, bits: u64) -> usize {
        usize::from(bits.rotate_right(self.rotation.into()) as u16 & self.mask)
    }

    /// The index of the text.
    #[inline(always)]
    pub(crate) fn index(self, bits: u64) -> usize {
        usize::from(self.first) + self.number(bits)
    }

    /// The bits of the number.
    pub(crate) fn bits(self) -> u64 {
        u64::from(self.mask).rotate_left(self.rotation.into())
    }
}

/// A sequence of operands with ready texts, and the bits that select it. After it nothing follows, or one operand without
/// a ready text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadyPrefix {
    /// Bits that select it, and the values that they must have.
    pub(crate) deciding: u64,
    pub(crate) usual: u64,
    pub(crate) texts: [ReadyText; MOST_OPERANDS],
    pub(crate) count: u8,
    /// Index of the template's operand that follows without a ready text.
    pub(crate) next: Option<u8>,
}

impl ReadyPrefix {
    /// The prefix of no instruction.
    pub(crate) const NEVER: ReadyPrefix = ReadyPrefix {
        deciding: 0,
        usual: 1,
        texts: [ReadyText::at(ReadyTexts::EMPTY); MOST_OPERANDS],
        count: 0,
        next: None,
    };
}

/// The text of a modifier.
#[derive(Debug)]
pub(crate) struct ModifierText {
    pub(crate) value: ModifierValue,
    /// The field, and the bits of a list.
    pub(crate) field: Bits,
    pub(crate) list: ListBits,
    /// A blank, and the name with its separator from the value.
    pub(crate) head: Piece<MODIFIER_HEAD>,
    /// Bits, and their value where it is left out; an impossible one if it never is.
    pub(crate) bits: u64,
    pub(crate) left_out: u64,
}

/// Room for the name of a modifier.
pub(crate) const MODIFIER_HEAD: usize = 32;
