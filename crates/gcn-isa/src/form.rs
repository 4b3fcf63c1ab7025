//! An instruction in one encoding on one instruction set: what follows from its row and the field maps, worked out
//! once. Encoding, decoding, printing and assembling look things up here and search nothing.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use crate::field::{Bits, Encoding, Field, Layout};
use crate::layouts::{layout, opcode_in};
use crate::op::Op;
use crate::operand::{ENCODING_MODIFIERS, Kind, Modifier, SDWA_CLAMP, Slot, Value};
use crate::plan::Plan;
use crate::row::Row;
use crate::target::Isa;

/// The value of a source field that announces a literal.
pub(crate) const LITERAL: u64 = 255;
/// The first number of VGPRs among nine-bit sources.
pub(crate) const FIRST_VGPR: u64 = 256;
/// The width of a field that may name a VGPR or anything else.
pub(crate) const SOURCE_BITS: u8 = 9;
/// The width of a field of SDWA and DPP that may name a VGPR.
const VGPR_BITS: u8 = 8;
/// The value of SADDR that means `off` (errata E079).
pub(crate) const SADDR_OFF: u64 = 0x7f;
/// The most bits that a list of bits has: three sources and a destination.
const LIST_BITS: usize = 4;
/// More modifiers than most forms have.
const MOST_MODIFIERS: usize = 16;
/// The most fields of an instruction that may announce a literal.
const LITERAL_FIELDS: usize = 2;

/// An instruction in one encoding on one instruction set.
#[derive(Debug)]
pub struct Form {
    /// Which instruction.
    pub op: Op,
    /// In which encoding.
    pub encoding: Encoding,
    /// Of which instruction set.
    pub isa: Isa,
    /// Its row in the tables.
    pub row: &'static Row,
    /// Where its fields are.
    pub layout: &'static Layout,
    /// Its name without an encoding's suffix.
    pub name: &'static str,
    /// The bits that say which instruction it is.
    pub fixed: u64,
    /// Its operands in order.
    pub places: Box<[Place]>,
    /// Its modifiers in the order in which they are written.
    pub modifiers: Box<[PlacedModifier]>,
    /// Every operand zero and every modifier unwritten.
    pub(crate) base: u64,
    length: Length,
    /// What its text is made of, once it has been asked for.
    plan: OnceLock<Box<Plan>>,
}

/// An operand of a [`Form`].
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// What it is.
    pub slot: &'static Slot,
    /// Where its field is; of width zero if the encoding lacks it.
    pub bits: Bits,
    /// The bit that negates it, or 0.
    pub negate: u64,
    /// The bit that takes its absolute value, or 0.
    pub absolute: u64,
    /// The bit that extends its sign, or 0.
    pub extend: u64,
}

/// A modifier of a [`Form`].
#[derive(Clone, Copy, Debug)]
pub struct PlacedModifier {
    /// What it is.
    pub modifier: &'static Modifier,
    /// Where its field is.
    pub bits: Bits,
    /// Where the bits of a list are; empty for other modifiers.
    pub list: ListBits,
}

/// The bits of a modifier that is a list of bits; see [`Inst::list_bits`](crate::Inst::list_bits).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ListBits {
    bits: [u8; LIST_BITS],
    len: u8,
}

impl ListBits {
    /// The bits' numbers in an instruction of 64 bits.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.bits.iter().copied().take(usize::from(self.len))
    }

    /// The most sources that a list has bits for.
    pub(crate) const SOURCES: usize = LIST_BITS - 1;

    /// The bits themselves, set in place.
    pub fn mask(&self) -> u64 {
        self.iter().fold(0, |mask, bit| mask | 1 << bit)
    }

    /// The third source has a field of its own.
    pub(crate) fn set_third(&mut self, bit: u8) {
        self.bits[2] = bit;
    }

    pub(crate) fn push(&mut self, bit: u8) {
        if let Some(place) = self.bits.get_mut(usize::from(self.len)) {
            *place = bit;
            self.len += 1;
        }
    }
}

/// How long an instruction is: one dword more than its encoding where its row, or what a source field holds, asks for a
/// literal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    /// Without a literal.
    dwords: u8,
    /// A literal follows if the first dword has one of these (mask, value).
    literal_if: [(u32, u32); LITERAL_FIELDS],
}

impl Length {
    /// What no dword has, and what every dword has.
    const NEVER: (u32, u32) = (0, 1);
    const ALWAYS: (u32, u32) = (0, 0);

    /// In dwords, of the instruction that begins with `first`.
    #[inline]
    pub(crate) fn dwords(self, first: u32) -> u8 {
        let [a, b] = self.literal_if.map(|(mask, value)| first & mask == value);
        self.dwords + u8::from(a | b)
    }
}

/// A form is itself only: there is one per row, encoding and instruction set.
impl PartialEq for Form {
    fn eq(&self, other: &Form) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Form {}

impl Hash for Form {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.op, self.encoding, self.isa).hash(state);
    }
}

impl Form {
    /// The form of a row in an encoding; nothing if `isa` lacks either.
    pub(crate) fn new(isa: Isa, row: &'static Row, encoding: Encoding) -> Option<Form> {
        let layout = layout(isa, encoding)?;
        let opcode = opcode_in(row, isa, encoding)?;
        let op_bits = layout.bits(Field::Op);
        assert!(
            u64::from(opcode) <= op_bits.max(),
            "{} does not fit {encoding:?}",
            row.name
        );
        let modifiers = modifiers(row, layout);
        let mut places = Vec::with_capacity(row.slots().count());
        places.extend(row.slots().map(|slot| place(slot, layout, &modifiers)));
        let mut form = Form {
            op: row.op(),
            encoding,
            isa,
            row,
            layout,
            name: row.name_on(isa),
            fixed: u64::from(layout.constant_mask) | op_bits.mask(),
            places: places.into(),
            modifiers,
            base: op_bits.put(u64::from(layout.constant), u64::from(opcode)),
            length: length(row, layout, isa),
            plan: OnceLock::new(),
        };
        form.base = form.defaults();
        Some(form)
    }

    /// The bits of the instruction with every operand zero and every modifier unwritten.
    fn defaults(&self) -> u64 {
        let mut base = self.base;
        for place in &self.places {
            if place.slot.kind == Kind::Vgpr && place.bits.width == SOURCE_BITS {
                base = place.bits.put(base, FIRST_VGPR);
            }
        }
        for placed in &self.modifiers {
            let default = u64::from(placed.modifier.default);
            if placed.modifier.value != Value::BitList {
                base = placed.bits.put(base, default);
            } else if default != 0 {
                base |= placed.list.mask();
                if placed.modifier.field == Field::OpSelHi {
                    // LLVM sets it even where there is no third operand.
                    base |= self.layout.bits(Field::OpSelHi2).mask();
                }
            }
        }
        base
    }

    /// What its text is made of.
    #[inline]
    pub(crate) fn plan(&'static self) -> &'static Plan {
        self.plan.get_or_init(|| Box::new(Plan::new(self)))
    }

    /// Its number in this encoding.
    pub fn opcode(&self) -> u64 {
        self.layout.bits(Field::Op).get(self.base)
    }

    /// How long it is.
    #[inline]
    pub(crate) fn length(&self) -> Length {
        self.length
    }

    /// On GCN 1.1 an SMRD offset of 255 without IMM announces a literal.
    #[inline]
    pub(crate) fn offset_is_literal(&self, bits: u64) -> bool {
        offset_can_be_literal(self.layout, self.isa)
            && self.layout.bits(Field::Imm).get(bits) == 0
            && self.layout.bits(Field::Offset).get(bits) == LITERAL
    }

    /// The modifier that this field holds.
    pub fn modifier(&self, field: Field) -> Option<&PlacedModifier> {
        self.modifiers.iter().find(|m| m.modifier.field == field)
    }
}

/// The modifiers that a row has in an encoding.
fn modifiers(row: &'static Row, layout: &Layout) -> Box<[PlacedModifier]> {
    let is_sdwa = layout.has(Field::Src0Sel);
    let clamp: &'static [Modifier] = if is_sdwa { SDWA_CLAMP } else { &[] };
    let is_float = row.slots().next().is_some_and(|slot| slot.ty.is_float());
    let of_row = row.modifiers().filter(|m| match m.field {
        Field::Clamp => !is_sdwa,
        // SDWA scales floats only.
        Field::Omod => !is_sdwa || is_float,
        _ => true,
    });
    let of_encoding: &'static [Modifier] = if is_sdwa || layout.has(Field::DppCtrl) {
        ENCODING_MODIFIERS
    } else {
        &[]
    };
    let all = clamp.iter().chain(of_row).chain(of_encoding);
    // A comparison has no destination to select a part of, though GCN 1.2 has the fields.
    let is_meant = |modifier: &&Modifier| {
        let is_of_destination = matches!(modifier.field, Field::DstSel | Field::DstUnused);
        layout.has(modifier.field) && !(layout.encoding == Encoding::VopcSdwa && is_of_destination)
    };
    let placed = all.filter(is_meant).map(|modifier| PlacedModifier {
        modifier,
        bits: layout.bits(modifier.field),
        list: if modifier.value == Value::BitList {
            list_bits(row, layout, modifier.field)
        } else {
            ListBits::default()
        },
    });
    let mut modifiers = Vec::with_capacity(MOST_MODIFIERS);
    modifiers.extend(placed);
    modifiers.into()
}

/// Where the bits of a list are: a bit for each source, and for OP_SEL of VOP3 one for the destination.
pub(crate) fn list_bits(row: &Row, layout: &Layout, field: Field) -> ListBits {
    let bits = layout.bits(field);
    let mut list = ListBits::default();
    let sources = row.slots().filter(|slot| slot.kind == Kind::Src);
    for (bit, _) in (bits.low..).zip(sources).take(ListBits::SOURCES) {
        list.push(bit);
    }
    if field == Field::OpSelHi {
        list.set_third(layout.bits(Field::OpSelHi2).low);
    } else if field == Field::OpSel && matches!(layout.encoding, Encoding::Vop3 | Encoding::Vop3c) {
        list.push(bits.low + bits.width - 1);
    }
    list
}

/// An operand in an encoding, with the bits of its source modifiers.
fn place(slot: &'static Slot, layout: &Layout, modifiers: &[PlacedModifier]) -> Place {
    // SDWA and DPP have fields of their own for each source, other encodings a bit of a common one.
    let fields = match slot.field {
        Field::Src0 => Some((0, [Field::Src0Neg, Field::Src0Abs, Field::Src0Sext])),
        Field::Src1 => Some((1, [Field::Src1Neg, Field::Src1Abs, Field::Src1Sext])),
        Field::Src2 => Some((2, [Field::Src2; 3])),
        _ => None,
    };
    let mut place = Place {
        slot,
        bits: layout.bits(slot.field),
        negate: 0,
        absolute: 0,
        extend: 0,
    };
    let Some((index, [neg, abs, sext])) = fields else {
        return place;
    };
    if !slot.ty.is_float() {
        if index < 2 {
            place.extend = layout.bits(sext).mask();
        }
        return place;
    }
    // Packed instructions list negations instead; those of mixed precision do not.
    let is_packed = layout.encoding == Encoding::Vop3p;
    if is_packed && modifiers.iter().any(|m| m.modifier.field == Field::Neg) {
        return place;
    }
    if layout.has(Field::Src0Neg) {
        if index < 2 {
            place.negate = layout.bits(neg).mask();
            place.absolute = layout.bits(abs).mask();
        }
        return place;
    }
    let bit = |field: Field| {
        let bits = layout.bits(field);
        if index < bits.width {
            1 << (bits.low + index)
        } else {
            0
        }
    };
    place.negate = bit(Field::Neg);
    place.absolute = bit(if is_packed { Field::NegHi } else { Field::Abs });
    place
}

fn offset_can_be_literal(layout: &Layout, isa: Isa) -> bool {
    layout.encoding == Encoding::Smrd && isa == Isa::Ci
}

/// What announces a literal.
fn length(row: &Row, layout: &Layout, isa: Isa) -> Length {
    let mut length = Length {
        dwords: layout.dwords,
        literal_if: [Length::NEVER; LITERAL_FIELDS],
    };
    if layout.dwords != 1 {
        return length;
    }
    let asking = row.slots().filter_map(|slot| {
        let bits = layout.bits(slot.field);
        let announced = (bits.mask() as u32, bits.put(0, LITERAL) as u32);
        match slot.kind {
            Kind::Literal => Some(Length::ALWAYS),
            Kind::ScalarOffset { .. } if offset_can_be_literal(layout, isa) => {
                let imm = layout.bits(Field::Imm).mask() as u32;
                Some((announced.0 | imm, announced.1))
            }
            Kind::Src if bits.width == VGPR_BITS => None,
            Kind::Src | Kind::Ssrc => Some(announced),
            _ => None,
        }
    });
    let mut places = length.literal_if.iter_mut();
    for asks in asking {
        match places.next() {
            Some(place) => *place = asks,
            None => unreachable!("{} has more sources", row.name),
        }
    }
    length
}
