//! Template of a form's text: everything that does not depend on an instruction's bits.
//!
//! [`crate::print`] compiles templates and prints with them.

use crate::field::Bits;
use crate::form::placed::ListBits;
use crate::form::ready::ReadyTexts;
use crate::operand::ModifierValue;
use crate::text::Piece;

/// Text of a form's instructions with [usual](Template::usual) bits: a head, operands (most of them preformatted), and
/// modifiers. Printing these instructions needs no further decisions.
#[derive(Debug)]
pub(crate) struct Template {
    /// Name with the encoding's suffix and a space.
    pub(crate) head: Piece<HEAD>,
    /// Sequences of preformatted operands: the most frequent one, then the others.
    pub(crate) prefix: ReadyPrefix,
    pub(crate) other_prefixes: Box<[ReadyPrefix]>,
    /// Mask of the bits that decide whether the template applies, and their required value.
    pub(crate) deciding: u64,
    pub(crate) usual: u64,
    pub(crate) operands: [OperandText; MOST_OPERANDS],
    pub(crate) count: u8,
    /// Number of bytes to remove after the last operand: a comma and a space, or only the space after the name.
    pub(crate) excess: u8,
    /// Maximum number of values that the operands may read over the constant bus, excluding operands that are always
    /// scalar registers.
    pub(crate) max_reads: u8,
    /// True if some modifier is always written.
    pub(crate) writes_always: bool,
    /// Bits of all modifiers, and their values if none is written.
    pub(crate) modifier_bits: u64,
    pub(crate) unwritten: u64,
    pub(crate) modifiers: Box<[ModifierText]>,
    /// Bits that the text does not represent, and bits that it requires to be set. Of these, exactly the required ones
    /// must be set.
    pub(crate) untold_or_required: u64,
    pub(crate) required: u64,
}

/// Maximum number of operands in a template.
pub(crate) const MOST_OPERANDS: usize = 5;
/// Capacity for a name.
const HEAD: usize = 48;

impl Template {
    /// Operands in order.
    pub(crate) fn operands(&self) -> &[OperandText] {
        self.operands.get(..self.count.into()).unwrap_or_default()
    }

    /// Appends an operand; `None` if there are too many.
    pub(crate) fn push_operand(&mut self, operand: OperandText) -> Option<()> {
        *self.operands.get_mut(usize::from(self.count))? = operand;
        self.count += 1;
        Some(())
    }

    /// True if any modifier must be written.
    #[inline(always)]
    pub(crate) fn is_modified(&self, bits: u64) -> bool {
        self.writes_always | (bits & self.modifier_bits != self.unwritten)
    }
}

/// Template without operands, modifiers or conditions.
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
            max_reads: 0,
            writes_always: false,
            modifier_bits: 0,
            unwritten: 0,
            modifiers: Box::default(),
            untold_or_required: 0,
            required: 0,
        }
    }
}

/// Text of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperandText {
    /// Bits of negation, absolute value and sign extension.
    pub(crate) signs: u64,
    /// Preformatted text, or only the operand's number.
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

/// Source of an operand's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextSource {
    /// Preformatted text for its number.
    Ready,
    /// Preformatted text, or a literal, which may be any word.
    ReadyOrLiteral,
    /// Mandatory literal.
    Literal,
    /// Preformatted text of a VGPR, or of a scalar operand if its SDWA bit is set.
    SdwaSource,
    /// Preformatted text of one VGPR if SADDR names a register, otherwise of a pair.
    GlobalAddress,
    /// Preformatted text of one VGPR, or `off` if SADDR names a register.
    ScratchAddress,
    /// Preformatted text of zero, one or two VGPRs, depending on the address mode bits.
    BufferAddress,
    /// Preformatted text of registers that are omitted without GLC.
    Returned,
    /// Preformatted text of an SDWA comparison's destination; VCC if none is named.
    SdwaDestination,
    /// VGPRs of an image instruction; their number depends on its modifiers.
    ImageRegisters,
    /// A number, formatted on demand.
    Immediate,
    /// Preformatted text of a register, an immediate offset formatted on demand, or both.
    ScalarOffset,
}

impl TextSource {
    /// True if the operand normally has a preformatted text, selected only by its number.
    #[inline(always)]
    pub(crate) fn is_ready(self) -> bool {
        matches!(self, TextSource::Ready | TextSource::ReadyOrLiteral)
    }
}

/// Index of an operand's preformatted text as a function of the instruction's bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadyText {
    /// Index for number 0.
    pub(crate) first: u16,
    /// Right rotation that moves the operand's number to the low bits, and the mask to apply after it.
    pub(crate) rotation: u8,
    pub(crate) mask: u16,
}

impl ReadyText {
    /// Selects the text at `index`, regardless of the bits.
    pub(crate) const fn at(index: u16) -> ReadyText {
        ReadyText {
            first: index,
            rotation: 0,
            mask: 0,
        }
    }

    /// Number of the operand.
    #[inline(always)]
    pub(crate) fn number(self, bits: u64) -> usize {
        usize::from(bits.rotate_right(self.rotation.into()) as u16 & self.mask)
    }

    /// Index of the text.
    #[inline(always)]
    pub(crate) fn index(self, bits: u64) -> usize {
        usize::from(self.first) + self.number(bits)
    }

    /// Bits of the number.
    pub(crate) fn bits(self) -> u64 {
        u64::from(self.mask).rotate_left(self.rotation.into())
    }
}

/// A sequence of preformatted operands, and the bits that select it. At most one operand follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadyPrefix {
    /// Mask and required value of the bits that select the sequence.
    pub(crate) deciding: u64,
    pub(crate) usual: u64,
    pub(crate) texts: [ReadyText; MOST_OPERANDS],
    pub(crate) count: u8,
    /// Index of the following template operand, which is not preformatted.
    pub(crate) next: Option<u8>,
}

impl ReadyPrefix {
    /// Prefix that applies to no instruction.
    pub(crate) const NEVER: ReadyPrefix = ReadyPrefix {
        deciding: 0,
        usual: 1,
        texts: [ReadyText::at(ReadyTexts::EMPTY); MOST_OPERANDS],
        count: 0,
        next: None,
    };
}

/// Text of a modifier.
#[derive(Debug)]
pub(crate) struct ModifierText {
    pub(crate) value: ModifierValue,
    /// Field, and the bits of a list.
    pub(crate) field: Bits,
    pub(crate) list: ListBits,
    /// A space, then the name with its separator.
    pub(crate) head: Piece<MODIFIER_HEAD>,
    /// Mask, and the value for which the modifier is omitted; an impossible value if it is always written.
    pub(crate) bits: u64,
    pub(crate) left_out: u64,
}

/// Capacity for a modifier's name.
pub(crate) const MODIFIER_HEAD: usize = 32;
