//! What the text of a row in an encoding is made of, as far as an instruction's bits do not matter.

use std::ops::Range;

use crate::effect::{Does, Implicit};
use crate::field::{Encoding, Field, Layout};
use crate::form::{Form, Place, PlacedModifier};
use crate::llvm;
use crate::operand::{Access, Kind, Modifier, Slot, Ty, Value, When};
use crate::print::Syntax;
use crate::regs::{self, write_group};
use crate::row::Forms;
use crate::rules;
use crate::target::{Isa, on};
use crate::text::{Piece, Text};

/// What the text of a row in an encoding is made of.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The name with the suffix of the encoding and a blank, for each syntax.
    pub(crate) heads: [Piece<HEAD>; 2],
    pub(crate) operands: Vec<Shown>,
    /// The bits of all modifiers, and what they hold when none is written.
    pub(crate) modifier_bits: u64,
    pub(crate) unwritten: u64,
    /// Whether some modifier is written whatever it is.
    pub(crate) writes_always: bool,
    /// Bits that the text does not tell.
    pub(crate) untold: u64,
    /// Bits without which the text does not mean the words.
    pub(crate) required: u64,
    /// Without these bits and a doubtful operand LLVM does not refuse it.
    pub(crate) doubtful_bits: u64,
    /// What it reads before any operand.
    pub(crate) bus: Bus,
    /// Whether its modifiers may break a rule.
    pub(crate) has_rules: bool,
}

/// What a vector instruction reads over the bus that its operands share for scalar values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bus {
    /// This is no vector instruction, and nothing is shared.
    None,
    /// Nothing so far.
    Free,
    /// One register by number and count.
    Taken(u8, u8),
    /// More, which the rule is to judge.
    Doubtful,
}

impl Bus {
    /// The number that stands for a literal.
    pub(crate) const LITERAL: u8 = u8::MAX;

    #[inline]
    pub(crate) fn read(&mut self, code: u8, count: u8) {
        *self = match *self {
            Bus::None => Bus::None,
            Bus::Free => Bus::Taken(code, count),
            taken if taken == Bus::Taken(code, count) => taken,
            Bus::Taken(..) | Bus::Doubtful => Bus::Doubtful,
        };
    }
}

/// Room for a name.
const HEAD: usize = 40;

/// How an operand is shown.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) place: Place,
    pub(crate) how: How,
    /// The first of its ready texts.
    pub(crate) first: u16,
    /// How many bits its number is shifted by.
    pub(crate) shift: u8,
    /// The number where the encoding has no field: VCC's.
    pub(crate) implied: u8,
    /// With one of these bits it has no ready text.
    pub(crate) unusual: u64,
    /// Nor has it with these numbers, which rules are about.
    pub(crate) doubtful: Range<u16>,
    /// Whether it is read over the bus for scalar values, if it is one.
    pub(crate) is_read: bool,
    /// Without any of these bits it is left out, if there are any.
    pub(crate) shown_by: u64,
}

/// How an operand gets its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// It has ready texts, by its number.
    Ready,
    /// The same, and `off` is one of them.
    ReadyOrOff,
    /// One register where SADDR names another, else a pair.
    Global,
    /// As many registers as some bits say.
    Buffer,
    /// It is written each time.
    Written,
}

impl Plan {
    pub(crate) fn new(form: &'static Form) -> Plan {
        let layout = form.layout;
        let head = |syntax| {
            let text = format!("{}{} ", form.name, suffix(form, syntax));
            Piece::new(&text).unwrap_or(Piece::EMPTY)
        };
        let of_operands = form.places.iter().fold(0, |told, place| {
            told | told_by(layout, place.slot) | place.negate | place.absolute | place.extend
        });
        let modifiers = &form.modifiers;
        let modifier_bits = modifiers.iter().fold(0, |bits, m| bits | bits_of(form, m));
        let literal = if layout.dwords == 1 { LITERAL_BITS } else { 0 };
        Plan {
            heads: [head(Syntax::Llvm), head(Syntax::Clrx)],
            operands: form
                .places
                .iter()
                .map(|place| Shown::new(form, place))
                .collect(),
            modifier_bits,
            unwritten: modifiers
                .iter()
                .fold(0, |bits, m| bits | unwritten(form, m)),
            writes_always: modifiers.iter().any(|m| is_always_written(m.modifier)),
            untold: !(of_operands | modifier_bits | literal | form.fixed),
            required: modifiers.iter().fold(0, |bits, m| bits | required(form, m)),
            doubtful_bits: llvm::doubtful_bits(form),
            bus: match form.row.does {
                _ if !form.encoding.is_vector_alu() => Bus::None,
                Does::Alu(implicit) if implicit.has(Implicit::READS_VCC) => {
                    Bus::Taken(regs::VCC_LO, 2)
                }
                Does::Alu(implicit) if implicit.has(Implicit::READS_M0) => Bus::Taken(regs::M0, 1),
                _ => Bus::Free,
            },
            has_rules: rules::may_break(form),
        }
    }
}

/// The number of a value of LDS, which only some sources take ([`crate::rules::Rule::LdsPlace`]).
const LDS: Range<u16> = regs::LDS_DIRECT as u16..regs::LDS_DIRECT as u16 + 1;
/// Numbers of registers that scalar memory may not load ([`crate::rules::Rule::ScalarData`]).
const NO_SCALAR_DATA: Range<u16> = regs::M0 as u16..regs::EXEC_HI as u16 + 1;

/// The dword of a literal.
const LITERAL_BITS: u64 = (u32::MAX as u64) << 32;

/// LLVM tells the encodings of an instruction that has several by a suffix.
pub(crate) fn suffix(form: &Form, syntax: Syntax) -> &'static str {
    let has_long_form = form.row.forms.has(Forms::E64);
    match form.encoding {
        // Without operands there is nothing to tell apart.
        Encoding::Vop1 if form.row.written.is_empty() => "",
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc
            if has_long_form && syntax == Syntax::Llvm =>
        {
            "_e32"
        }
        Encoding::Vintrp if has_long_form && form.isa >= Isa::Vi && syntax == Syntax::Llvm => {
            "_e32"
        }
        Encoding::Vop3 | Encoding::Vop3b | Encoding::Vop3c | Encoding::Vop3Interp
            if has_long_form =>
        {
            "_e64"
        }
        // The selections say it; LLVM's disassembler leaves this suffix out.
        Encoding::VopcSdwa if on::VI_ONLY.has(form.isa) => "",
        Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa => "_sdwa",
        Encoding::Vop1Dpp | Encoding::Vop2Dpp => "_dpp",
        _ => "",
    }
}

/// The bits that an operand tells, without those of its negation.
fn told_by(layout: &Layout, slot: &Slot) -> u64 {
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

/// Whether a modifier is written whatever its value is.
pub(crate) fn is_always_written(modifier: &Modifier) -> bool {
    matches!(
        modifier.value,
        Value::Named(_) | Value::Hex | Value::LanePermutation
    )
}

/// Whether a modifier is the list OP_SEL_HI of packed instructions, whose bits are one when it is not written, that of
/// a third operand even where there is none.
fn is_list_of_ones(modifier: &Modifier) -> bool {
    modifier.field == Field::OpSelHi && modifier.default != 0
}

/// The bits of a modifier.
fn bits_of(form: &Form, placed: &PlacedModifier) -> u64 {
    match placed.modifier.value {
        Value::BitList if is_list_of_ones(placed.modifier) => {
            placed.list.mask() | form.layout.bits(Field::OpSelHi2).mask()
        }
        Value::BitList => placed.list.mask(),
        _ => placed.bits.mask(),
    }
}

/// What the bits of a modifier hold when it is not written.
fn unwritten(form: &Form, placed: &PlacedModifier) -> u64 {
    let default = placed.modifier.default;
    match placed.modifier.value {
        Value::BitList if default != 0 => bits_of(form, placed),
        Value::BufferFormat => placed.bits.put(0, default.into()),
        _ => 0,
    }
}

/// The bits of a modifier without which no text means the words: those of one that must be written, and those of a list
/// of ones that it does not show.
fn required(form: &Form, placed: &PlacedModifier) -> u64 {
    match placed.modifier.value {
        Value::BitList if is_list_of_ones(placed.modifier) => {
            bits_of(form, placed) & !placed.list.mask()
        }
        _ if placed.modifier.required => placed.bits.mask(),
        _ => 0,
    }
}

impl Shown {
    fn new(form: &Form, place: &Place) -> Shown {
        let (layout, slot, bits) = (form.layout, place.slot, place.bits);
        let field = |field| layout.bits(field).mask();
        let mut unusual = place.negate | place.absolute | place.extend;
        let shown_by = match slot.when {
            When::Always => 0,
            When::Returned => field(Field::Glc) | bits.mask(),
            When::Optional => bits.mask(),
            When::NotLds => {
                unusual |= field(Field::Lds);
                0
            }
        };
        let (how, first) = match (slot.kind, bits.width) {
            (Kind::Vgpr, 8) => {
                if matches!(form.encoding, Encoding::Mubuf | Encoding::Mtbuf) {
                    unusual |= field(Field::Tfe);
                }
                (How::Ready, Names::vgpr(slot.ty.dwords()))
            }
            (Kind::Vgpr, 9) => (How::Ready, Names::not_scalar(slot.ty.dwords())),
            (Kind::Src, 8) => {
                unusual |= field(match slot.field {
                    Field::Src0 => Field::Src0Scalar,
                    _ => Field::Src1Scalar,
                });
                (How::Ready, Names::vgpr(slot.ty.dwords()))
            }
            (Kind::Src, 9) | (Kind::Ssrc, 7 | 8) => (How::Ready, Names::source(slot.ty.dwords())),
            // A comparison of SDWA has VCC in its own way.
            (Kind::Sdst, _) if !layout.has(Field::SdwaSdst) => {
                (How::Ready, Names::scalar(slot.ty.dwords()))
            }
            (Kind::Saddr, _) => (How::ReadyOrOff, Names::scalar(slot.ty.dwords())),
            (Kind::Aligned(_), _) => (How::Ready, Names::scalar(slot.ty.dwords())),
            (Kind::GlobalAddress, 8) => (How::Global, None),
            (Kind::BufferAddress, 8) => (How::Buffer, None),
            _ => (How::Written, None),
        };
        let doubtful = match slot.kind {
            Kind::Src | Kind::Ssrc => LDS,
            Kind::Sdst if slot.field == Field::Sdata => NO_SCALAR_DATA,
            _ => 0..0,
        };
        let has_names = first.is_some() || matches!(how, How::Global | How::Buffer);
        Shown {
            place: *place,
            how: if has_names { how } else { How::Written },
            first: first.unwrap_or_default(),
            shift: match slot.kind {
                Kind::Aligned(shift) => shift,
                _ => 0,
            },
            implied: match slot.kind {
                Kind::Sdst if bits.width == 0 => regs::VCC_LO,
                _ => 0,
            },
            unusual,
            doubtful,
            is_read: form.encoding.is_vector_alu() && slot.access != Access::Write,
            shown_by,
        }
    }

    #[inline]
    pub(crate) fn number(&self, bits: u64) -> usize {
        ((self.place.bits.get(bits) << self.shift) + u64::from(self.implied)) as usize
    }
}

/// Ready texts of operands, each with the comma and the blank that follow it. For each count of registers there are
/// three blocks of 256 and three of 512: VGPRs by number; scalar registers by number; nothing, then VGPRs; scalar
/// registers, then nothing; scalar registers and constants, then VGPRs.
pub(crate) struct Names(Vec<Piece<NAME>>);

/// Room for a name: of what is longer there is no ready text.
const NAME: usize = 15;
/// What separates operands.
pub(crate) const SEPARATOR: &[u8; 2] = b", ";
/// The counts of registers that operands have.
const COUNTS: [u8; 6] = [1, 2, 3, 4, 8, 16];
/// Names by a number of eight bits.
const BLOCK: usize = 256;
/// The blocks of a count, in order: nothing, VGPRs, scalar registers, nothing, sources, VGPRs again.
const BLOCKS: usize = 6;

impl Names {
    pub(crate) fn new(isa: Isa) -> Names {
        let mut names = vec![Piece::EMPTY; COUNTS.len() * BLOCKS * BLOCK];
        let mut text = Text::new();
        for (blocks, count) in names.chunks_exact_mut(BLOCKS * BLOCK).zip(COUNTS) {
            for number in 0..=u8::MAX {
                let place = usize::from(number);
                let mut write = |block: usize, write: &dyn Fn(&mut Text) -> bool| {
                    text.clear();
                    if write(&mut text) {
                        text.push_ascii(SEPARATOR);
                        blocks[block * BLOCK + place] =
                            Piece::new(text.as_str()).unwrap_or(Piece::EMPTY);
                    }
                };
                let vgprs = |out: &mut Text| {
                    write_group(out, 'v', number, count);
                    usize::from(number) + usize::from(count) <= BLOCK
                };
                write(1, &vgprs);
                write(5, &vgprs);
                let scalar = |out: &mut Text| regs::write_scalar(out, isa, number, count);
                let is_doubtful = llvm::is_doubtful_xnack_mask(isa, number);
                if number <= regs::EXEC_HI && !is_doubtful {
                    write(2, &scalar);
                }
                // The digits of 1/(2π) depend on the type.
                write(4, &|out| {
                    !is_doubtful && scalar(out)
                        || number != regs::INV_2PI && regs::write_inline(out, isa, number, Ty::B32)
                });
            }
        }
        Names(names)
    }

    fn block(count: u8, block: usize) -> Option<u16> {
        let index = COUNTS.iter().position(|&known| known == count)?;
        u16::try_from((index * BLOCKS + block) * BLOCK).ok()
    }

    /// The texts of VGPRs.
    pub(crate) fn vgpr(count: u8) -> Option<u16> {
        Names::block(count, 1)
    }

    /// The texts of nine bits that name VGPRs only.
    fn not_scalar(count: u8) -> Option<u16> {
        Names::block(count, 0)
    }

    /// The texts of scalar registers.
    fn scalar(count: u8) -> Option<u16> {
        Names::block(count, 2)
    }

    /// The texts of eight or nine bits that name anything.
    fn source(count: u8) -> Option<u16> {
        Names::block(count, 4)
    }

    /// Appends a text, if there is one.
    #[inline]
    pub(crate) fn write(&self, out: &mut Text, index: usize) -> bool {
        match self.0.get(index) {
            Some(name) if !name.is_empty() => {
                out.push_piece(name);
                true
            }
            _ => false,
        }
    }
}
