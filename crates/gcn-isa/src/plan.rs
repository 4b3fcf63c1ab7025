//! What the text of a row in an encoding is made of, as far as an instruction's bits do not matter.

use crate::effect::{Does, Implicit};
use crate::field::{Encoding, Field, Layout};
use crate::form::{Form, LITERAL, Place, PlacedModifier};
use crate::llvm;
use crate::names::{MISSING, Names};
use crate::operand::{Access, Kind, Modifier, Slot, Value, When};
use crate::plain::{Lookup, Plain};
use crate::regs;
use crate::row::Forms;
use crate::rules;
use crate::target::{Isa, on};
use crate::text::Piece;

/// What the text of a row in an encoding is made of.
///
/// Nearly all instructions have the [usual bits](Plan::usual), and ready texts or plain numbers as operands: they are
/// written by these parts, with no judgement. For the others [`crate::print`] looks at everything.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The name with the suffix of the encoding and a blank.
    pub(crate) head: Piece<HEAD>,
    /// How nearly all lines are written, and some others.
    pub(crate) plain: Plain,
    pub(crate) other_plain: Box<[Plain]>,
    /// Bits that decide what its text is beside operands and modifiers, and what they usually hold.
    pub(crate) deciding: u64,
    pub(crate) usual: u64,
    parts: [Part; MOST_PARTS],
    count: u8,
    /// Bytes that are too much at the end: a comma and a blank, or only that after the name.
    pub(crate) too_much: u8,
    /// How many values its operands may read over the bus that a vector instruction has for scalar ones, beside those
    /// that are always scalar registers.
    pub(crate) most_reads: u8,
    /// Whether some modifier is written whatever it is.
    pub(crate) writes_always: bool,
    /// The bits of all modifiers, and what they hold when none is written.
    pub(crate) modifier_bits: u64,
    pub(crate) unwritten: u64,
    pub(crate) modifiers: Box<[ShownModifier]>,
    /// Bits that the text does not tell, and those without which it does not mean the words; only the latter may be set.
    pub(crate) untold_or_required: u64,
    pub(crate) required: u64,
}

/// The most operands that are usually shown.
pub(crate) const MOST_PARTS: usize = 5;
/// Room for a name.
const HEAD: usize = 48;

/// How an operand is usually shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Its negation, absolute value, extension.
    pub(crate) signs: u64,
    /// Its number, and its ready text if it has one.
    pub(crate) text: Lookup,
    pub(crate) how: How,
    /// Which of the form's operands it is.
    pub(crate) place: u8,
}

/// How an operand gets its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// It has ready texts, by its number.
    Ready,
    /// The same; and whatever of 32 bits a literal is, it is right.
    ReadyOrLiteral,
    /// One register where SADDR names another, else a pair.
    Global,
    /// One register, or `off` where SADDR names one.
    Scratch,
    /// As many registers as some bits say.
    Buffer,
    /// A number.
    Immediate,
    /// A constant offset below [`Part::offsets`], or a register.
    Offset,
    /// A register of VGPRs that is left out without GLC.
    Returned,
}

impl How {
    /// Whether it usually has a ready text, by its number alone.
    #[inline(always)]
    pub(crate) fn is_ready(self) -> bool {
        matches!(self, How::Ready | How::ReadyOrLiteral)
    }
}

impl Part {
    const NONE: Part = Part {
        signs: 0,
        text: Lookup::NOTHING,
        how: How::Ready,
        place: 0,
    };

    /// What an offset of scalar memory is below that is no literal (GCN 1.1) and has no sign (GCN 1.4).
    pub(crate) fn offsets(form: &Form) -> u64 {
        const UNSIGNED_BITS: u32 = 20;
        match form.encoding {
            Encoding::Smrd => LITERAL,
            _ => 1 << UNSIGNED_BITS,
        }
    }
}

/// How a modifier is shown.
#[derive(Debug)]
pub(crate) struct ShownModifier {
    pub(crate) placed: PlacedModifier,
    /// A blank, and the name with what separates it from the value.
    pub(crate) head: Piece<MODIFIER_HEAD>,
    /// Its bits, and what they hold where it is left out; what they cannot if it never is.
    pub(crate) bits: u64,
    pub(crate) left_out: u64,
}

/// Room for the name of a modifier.
const MODIFIER_HEAD: usize = 32;

impl ShownModifier {
    fn new(form: &Form, placed: &PlacedModifier) -> ShownModifier {
        let modifier = placed.modifier;
        let name = modifier.names[0];
        let head = match modifier.value {
            Value::Flag | Value::BitList => format!(" {name}"),
            Value::Omod | Value::LanePermutation | Value::Swizzle => " ".to_owned(),
            _ => format!(" {name}:"),
        };
        ShownModifier {
            placed: *placed,
            head: Piece::new(&head).unwrap_or(Piece::EMPTY),
            bits: bits_shown(placed),
            left_out: if is_always_written(modifier) {
                !bits_shown(placed)
            } else {
                unwritten(form, placed) & bits_shown(placed)
            },
        }
    }
}

impl Plan {
    pub(crate) fn new(form: &'static Form) -> Plan {
        let layout = form.layout;
        let head = format!("{}{} ", form.name, suffix(form));
        let of_operands = form.places.iter().fold(0, |told, place| {
            told | told_by(layout, place.slot) | place.negate | place.absolute | place.extend
        });
        let modifiers = &form.modifiers;
        let modifier_bits = modifiers.iter().fold(0, |bits, m| bits | bits_of(form, m));
        let literal = if layout.dwords == 1 { LITERAL_BITS } else { 0 };
        let required = modifiers.iter().fold(0, |bits, m| bits | required(form, m));
        let untold_or_required = required | !(of_operands | modifier_bits | literal | form.fixed);
        let mut plan = Plan {
            head: Piece::new(&head).unwrap_or(Piece::EMPTY),
            plain: Plain::NEVER,
            other_plain: Box::default(),
            deciding: untold_or_required | llvm::doubtful_bits(form) | rules::breaking_bits(form),
            usual: required,
            parts: [Part::NONE; MOST_PARTS],
            count: 0,
            too_much: 1,
            most_reads: most_reads(form),
            writes_always: modifiers.iter().any(|m| is_always_written(m.modifier)),
            modifier_bits,
            unwritten: modifiers
                .iter()
                .fold(0, |bits, m| bits | unwritten(form, m)),
            modifiers: modifiers
                .iter()
                // Of what is a part the whole is shown.
                .filter(|m| m.modifier.value != Value::Part)
                .map(|placed| ShownModifier::new(form, placed))
                .collect(),
            untold_or_required,
            required,
        };
        let has_parts = (0..)
            .zip(&form.places)
            .all(|(index, place)| plan.add_part(form, index, place).is_some());
        if !has_parts || plan.head.is_empty() || plan.deciding == u64::MAX {
            // No bits are usual then.
            (plan.deciding, plan.usual) = (0, 1);
        } else {
            let mut plain = Plain::all(form, plan.deciding, plan.usual, plan.parts()).into_iter();
            plan.plain = plain.next().unwrap_or(Plain::NEVER);
            plan.other_plain = plain.collect();
        }
        plan
    }

    /// Whether some modifier is to be written.
    #[inline(always)]
    pub(crate) fn is_modified(&self, bits: u64) -> bool {
        self.writes_always | (bits & self.modifier_bits != self.unwritten)
    }

    pub(crate) fn parts(&self) -> &[Part] {
        self.parts.get(..self.count.into()).unwrap_or_default()
    }

    /// Adds how an operand is usually shown; nothing if it is always looked at.
    fn add_part(&mut self, form: &Form, index: u8, place: &Place) -> Option<()> {
        let (layout, slot, bits) = (form.layout, place.slot, place.bits);
        let field = |field| layout.bits(field).mask();
        match slot.when {
            When::Always | When::Returned => {}
            When::Optional => {
                self.deciding |= bits.mask();
                return Some(());
            }
            When::NotLds => self.deciding |= field(Field::Lds),
        }
        let dwords = slot.ty.dwords();
        let is_word = dwords == 1 && slot.ty.constant_bits() == u32::BITS;
        let has_literal = is_word && layout.dwords == 1 && form.row.does != Does::Fork;
        let (how, first) = match (slot.kind, bits.width) {
            (Kind::Vgpr, 8) if slot.when == When::Returned => {
                self.deciding |= field(Field::Tfe);
                (How::Returned, Names::vgprs(dwords)?)
            }
            (Kind::Vgpr, 8) => {
                if matches!(form.encoding, Encoding::Mubuf | Encoding::Mtbuf) {
                    self.deciding |= field(Field::Tfe);
                }
                (How::Ready, Names::vgprs(dwords)?)
            }
            (Kind::Vgpr, 9) => (How::Ready, Names::only_vgprs(dwords)?),
            (Kind::Src, 8) => {
                self.deciding |= field(match slot.field {
                    Field::Src0 => Field::Src0Scalar,
                    _ => Field::Src1Scalar,
                });
                (How::Ready, Names::vgprs(dwords)?)
            }
            (Kind::Src, 9) | (Kind::Ssrc, 8) if has_literal => {
                (How::ReadyOrLiteral, Names::sources(dwords)?)
            }
            (Kind::Src, 9) | (Kind::Ssrc, 7 | 8) => (How::Ready, Names::sources(dwords)?),
            // A comparison of SDWA has VCC in its own way.
            (Kind::Sdst, _) if layout.has(Field::SdwaSdst) => return None,
            (Kind::Sdst, 0) => (
                How::Ready,
                Names::scalars(dwords)? + u16::from(regs::VCC_LO),
            ),
            // Some registers are not to be loaded.
            (Kind::Sdst, _) if slot.field == Field::Sdata => (How::Ready, Names::loaded(dwords)?),
            (Kind::Sdst | Kind::Aligned(_), _) => (How::Ready, Names::scalars(dwords)?),
            (Kind::Saddr, _) => (How::Ready, Names::addresses(dwords)?),
            (Kind::GlobalAddress, 8) => (How::Global, Names::vgprs(1)?),
            (Kind::ScratchAddress, 8) => (How::Scratch, Names::vgprs(1)?),
            (Kind::BufferAddress, 8) => (How::Buffer, Names::vgprs(1)?),
            (
                Kind::Waitcnt
                | Kind::Simm16
                | Kind::Branch
                | Kind::Unsigned
                | Kind::Signed
                | Kind::Hwreg
                | Kind::SendMsg,
                1..,
            ) => (How::Immediate, 0),
            (Kind::ScalarOffset { .. }, _) => {
                self.deciding |= field(Field::Soe) | field(Field::Soffset);
                // There are rules for the register.
                if matches!(form.row.does, Does::Store(_)) && on::VI_ONLY.has(form.isa) {
                    self.deciding |= field(Field::Imm);
                    self.usual |= field(Field::Imm);
                }
                (How::Offset, Names::scalars(1)?)
            }
            _ => return None,
        };
        if slot.kind == Kind::Sdst && slot.access == Access::Read {
            self.most_reads = self.most_reads.saturating_sub(1);
        }
        let shift = match slot.kind {
            Kind::Aligned(shift) => shift,
            _ => 0,
        };
        let part = self.parts.get_mut(usize::from(self.count))?;
        *part = Part {
            signs: place.negate | place.absolute | place.extend,
            text: Lookup {
                first,
                rotation: (bits.low + u64::BITS as u8 - shift) % u64::BITS as u8,
                mask: (bits.max() as u16) << shift,
            },
            how,
            place: index,
        };
        self.count += 1;
        self.too_much = 2;
        Some(())
    }
}

/// How many values an instruction's operands may read over the bus, beside what it reads anyway.
fn most_reads(form: &Form) -> u8 {
    match form.row.does {
        _ if !form.encoding.is_vector_alu() => MISSING - 1, // Nothing is shared.
        Does::Alu(implicit) if implicit.has(Implicit::READS_VCC) => 0,
        Does::Alu(implicit) if implicit.has(Implicit::READS_M0) => 0,
        _ => 1,
    }
}

/// The dword of a literal.
const LITERAL_BITS: u64 = (u32::MAX as u64) << 32;

/// LLVM tells the encodings of an instruction that has several by a suffix.
pub(crate) fn suffix(form: &Form) -> &'static str {
    let has_long_form = form.row.forms.has(Forms::E64);
    match form.encoding {
        // Without operands there is nothing to tell apart.
        Encoding::Vop1 if form.row.written.is_empty() => "",
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc if has_long_form => "_e32",
        Encoding::Vintrp if has_long_form && form.isa >= Isa::Vi => "_e32",
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

/// The bits of a modifier that its text shows.
fn bits_shown(placed: &PlacedModifier) -> u64 {
    match placed.modifier.value {
        Value::BitList => placed.list.mask(),
        _ => placed.bits.mask(),
    }
}

/// The bits of a modifier.
fn bits_of(form: &Form, placed: &PlacedModifier) -> u64 {
    match placed.modifier.value {
        Value::BitList if is_list_of_ones(placed.modifier) => {
            placed.list.mask() | form.layout.bits(Field::OpSelHi2).mask()
        }
        _ => bits_shown(placed),
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
