//! Operands and modifiers of a row in an encoding, with their bits.

use crate::field::{Bits, Encoding, Field, Layout};
use crate::operand::{ENCODING_MODIFIERS, Kind, Modifier, ModifierValue, SDWA_CLAMP, Slot};
use crate::row::Row;

/// Maximum number of bits in a bit list: three sources and a destination.
const LIST_BITS: usize = 4;
/// Modifier capacity that suffices for most forms.
const MOST_MODIFIERS: usize = 16;

/// An operand in an encoding.
///
/// # Examples
/// ```
/// use gcn_isa::{Field, Isa};
/// let (_, form) = Isa::Vi.tables().mnemonic(b"v_mul_f32_e64").expect("an instruction");
/// let place = &form.expect("VOP3").operands[2];
/// assert_eq!((place.slot.field, place.bits.low, place.bits.width), (Field::Src1, 41, 9));
/// assert_eq!((place.negate, place.absolute, place.extend), (1 << 62, 1 << 9, 0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PlacedOperand {
    /// Operand in the row.
    pub slot: Slot,
    /// Bits of the field; width zero if the encoding lacks it.
    pub bits: Bits,
    /// Negation bit, or 0.
    pub negate: u64,
    /// Absolute value bit, or 0.
    pub absolute: u64,
    /// Sign extension bit, or 0.
    pub extend: u64,
}

/// A modifier in an encoding.
#[derive(Clone, Copy, Debug)]
pub struct PlacedModifier {
    /// Modifier of the row or of the encoding.
    pub modifier: &'static Modifier,
    /// Bits of the field.
    pub bits: Bits,
    /// Bits of a bit list; empty for other modifiers.
    pub list: ListBits,
}

/// Bits of a bit-list modifier; see [`Inst::list_bits`](crate::Inst::list_bits).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ListBits {
    bits: [u8; LIST_BITS],
    len: u8,
}

impl ListBits {
    /// Indices of the bits in the 64 bits of an instruction.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.bits.iter().copied().take(usize::from(self.len))
    }

    /// Maximum number of sources with bits in a list.
    const SOURCES: usize = LIST_BITS - 1;

    /// Mask of the bits in an instruction.
    pub fn mask(&self) -> u64 {
        self.iter().fold(0, |mask, bit| mask | 1 << bit)
    }

    /// Sets the bit of the third source, which is in a separate field.
    fn set_third(&mut self, bit: u8) {
        self.bits[2] = bit;
    }

    fn push(&mut self, bit: u8) {
        if let Some(free) = self.bits.get_mut(usize::from(self.len)) {
            *free = bit;
            self.len += 1;
        }
    }
}

/// Modifiers of a row in an encoding.
pub(crate) fn modifiers(row: &'static Row, layout: &Layout) -> Box<[PlacedModifier]> {
    let is_sdwa = layout.has(Field::Src0Sel);
    let clamp: &'static [Modifier] = if is_sdwa { SDWA_CLAMP } else { &[] };
    let is_float = row.slots().next().is_some_and(|slot| slot.ty.is_float());
    // SDWA has output scaling only for floats.
    let is_replaced = |field| field == Field::Clamp || field == Field::Omod && !is_float;
    let of_row = row
        .modifiers()
        .filter(|m| !(is_sdwa && is_replaced(m.field)));
    let of_encoding: &'static [Modifier] = if is_sdwa || layout.has(Field::DppCtrl) {
        ENCODING_MODIFIERS
    } else {
        &[]
    };
    let all = clamp.iter().chain(of_row).chain(of_encoding);
    // A comparison has no destination to select part of, although the fields exist on GCN 1.2.
    let is_meant = |modifier: &&Modifier| {
        let is_of_destination = matches!(modifier.field, Field::DstSel | Field::DstUnused);
        layout.has(modifier.field) && !(layout.encoding == Encoding::VopcSdwa && is_of_destination)
    };
    let placed = all.filter(is_meant).map(|modifier| PlacedModifier {
        modifier,
        bits: layout.bits(modifier.field),
        list: if modifier.value == ModifierValue::BitList {
            list_bits(row, layout, modifier.field)
        } else {
            ListBits::default()
        },
    });
    let mut modifiers = Vec::with_capacity(MOST_MODIFIERS);
    modifiers.extend(placed);
    modifiers.into()
}

/// Bits of a bit list: one per source and, for OP_SEL of VOP3, one for the destination.
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

/// Places an operand in an encoding, with the bits of its source modifiers.
pub(crate) fn place(slot: Slot, layout: &Layout, modifiers: &[PlacedModifier]) -> PlacedOperand {
    // SDWA and DPP have separate fields for the first two sources; other encodings have fields with a bit per source.
    const SOURCES: [(Field, [Field; 3]); 3] = [
        (
            Field::Src0,
            [Field::Src0Neg, Field::Src0Abs, Field::Src0Sext],
        ),
        (
            Field::Src1,
            [Field::Src1Neg, Field::Src1Abs, Field::Src1Sext],
        ),
        (Field::Src2, [Field::Src2; 3]),
    ];
    let mut sources = (0..).zip(SOURCES);
    let source = sources.find(|(_, (field, _))| *field == slot.field);
    let mut place = PlacedOperand {
        slot,
        bits: layout.bits(slot.field),
        negate: 0,
        absolute: 0,
        extend: 0,
    };
    let Some((index, (_, [neg, abs, sext]))) = source else {
        return place;
    };
    if !slot.ty.is_float() {
        if index < 2 {
            place.extend = layout.bits(sext).mask();
        }
        return place;
    }
    // Packed instructions have a negation modifier instead, a bit list; mixed-precision instructions do not.
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
