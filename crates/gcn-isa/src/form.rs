//! A form is an instruction in one encoding on one instruction set, with all facts that follow from the row and the
//! field map. The encoder, the decoder, the printer and the assembler look up these facts.

pub(crate) mod layouts;
pub(crate) mod ready;
pub(crate) mod placed;
pub(crate) mod template;

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use crate::field::{Encoding, Field, Layout};
use crate::op::Op;
use crate::operand::{Kind, ModifierValue, Slot};
use crate::row::Row;
use crate::target::Isa;
use layouts::{layout, opcode_in};
use placed::{PlacedModifier, PlacedOperand, modifiers, place};
use template::Template;

/// Value of a source field that indicates a literal.
pub(crate) const LITERAL: u64 = 255;
/// Encoding of v0 in nine-bit source fields.
pub(crate) const FIRST_VGPR: u64 = 256;
/// Width of a source field that may name a VGPR or any other source.
pub(crate) const SOURCE_BITS: u8 = 9;
/// Width of an SDWA or DPP field that may name a VGPR.
const VGPR_BITS: u8 = 8;
/// Maximum number of fields of an instruction that may indicate a literal.
const LITERAL_FIELDS: usize = 2;

/// An instruction in one encoding on one instruction set.
///
/// ```
/// use gcn_isa::{Encoding, Isa};
/// let tables = Isa::Vi.tables();
/// let forms = tables.forms(tables.named("v_add_f32").unwrap());
/// assert_eq!(forms[0].encoding, Encoding::Vop2);
/// assert_eq!((forms[0].operands.len(), forms[1].encoding), (3, Encoding::Vop3));
/// ```
#[derive(Debug)]
pub struct Form {
    /// Identity of the instruction.
    pub op: Op,
    /// Encoding of the form.
    pub encoding: Encoding,
    /// Instruction set of the form.
    pub isa: Isa,
    /// Row of the instruction.
    pub row: &'static Row,
    /// Field map of the encoding.
    pub layout: &'static Layout,
    /// Name without encoding suffix.
    pub name: &'static str,
    /// Mask of the bits that identify the instruction: the encoding's constant bits and the opcode.
    pub fixed: u64,
    /// Operands in order.
    pub operands: Box<[PlacedOperand]>,
    /// Modifiers in syntax order.
    pub modifiers: Box<[PlacedModifier]>,
    /// Bits of mandatory modifiers.
    pub required: u64,
    /// Offset operand of a scalar memory instruction.
    pub scalar_offset: Option<&'static Slot>,
    /// True if the instruction has a scalar address (SADDR) in addition to the vector address.
    pub has_saddr: bool,
    /// True if the instruction always has a literal.
    pub has_literal: bool,
    /// Encoding with every operand zero and all modifiers at their defaults.
    pub(crate) base: u64,
    length: Length,
    /// Text template, compiled on first use. Stored inline, because a pointer would cost a cache miss.
    template: OnceLock<Template>,
}

/// Rule for the length of an instruction: the encoding's length, plus one dword if the row or a source field requires a
/// literal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    /// Length in dwords without a literal.
    dwords: u8,
    /// A literal follows if the first dword matches one of these (mask, value) pairs.
    literal_if: [(u32, u32); LITERAL_FIELDS],
}

impl Length {
    /// Pair that matches no dword.
    const NEVER: (u32, u32) = (0, 1);
    const ALWAYS: (u32, u32) = (0, 0);

    /// Length in dwords of the instruction that begins with `first`.
    #[inline]
    pub(crate) fn dwords(self, first: u32) -> u8 {
        let [a, b] = self.literal_if.map(|(mask, value)| first & mask == value);
        self.dwords + u8::from(a | b)
    }
}

/// Forms are compared by identity: there is one per row, encoding and instruction set.
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
    /// Creates the form of a row in an encoding; `None` if `isa` does not have it.
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
        let mut operands = Vec::with_capacity(row.slots().count());
        operands.extend(row.slots().map(|slot| place(*slot, layout, &modifiers)));
        let find = |is: fn(Kind) -> bool| row.slots().find(|slot| is(slot.kind));
        let required = modifiers.iter().filter(|placed| placed.modifier.required);
        let mut form = Form {
            op: row.op(),
            encoding,
            isa,
            row,
            layout,
            name: row.name_on(isa),
            fixed: u64::from(layout.constant_mask) | op_bits.mask(),
            operands: operands.into(),
            required: required.fold(0, |bits, placed| bits | placed.bits.mask()),
            scalar_offset: find(|kind| matches!(kind, Kind::ScalarOffset { .. })),
            has_saddr: find(|kind| kind == Kind::Saddr).is_some(),
            has_literal: find(|kind| kind == Kind::Literal).is_some(),
            modifiers,
            base: op_bits.put(u64::from(layout.constant), u64::from(opcode)),
            length: length(row, layout, isa),
            template: OnceLock::new(),
        };
        form.base = form.defaults();
        Some(form)
    }

    /// Encoding with every operand zero (v0 if only VGPRs are possible) and all modifiers at their defaults.
    fn defaults(&self) -> u64 {
        let mut base = self.base;
        for operand in &self.operands {
            if operand.slot.kind == Kind::Vgpr && operand.bits.width == SOURCE_BITS {
                base = operand.bits.put(base, FIRST_VGPR);
            }
        }
        for placed in &self.modifiers {
            let default = u64::from(placed.modifier.default);
            if placed.modifier.value != ModifierValue::BitList {
                base = placed.bits.put(base, default);
            } else if default != 0 {
                base |= placed.list.mask();
                if placed.modifier.field == Field::OpSelHi {
                    // LLVM sets the third operand's bit even if there is no third operand.
                    base |= self.layout.bits(Field::OpSelHi2).mask();
                }
            }
        }
        base
    }

    /// Text template; `compile` creates it on first use.
    #[inline]
    pub(crate) fn template(
        &'static self,
        compile: fn(&'static Form) -> Template,
    ) -> &'static Template {
        self.template.get_or_init(|| compile(self))
    }

    /// Opcode in this encoding.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// let tables = Isa::Vi.tables();
    /// let forms = tables.forms(tables.named("v_add_f32").expect("an instruction"));
    /// assert_eq!((forms[0].opcode(), forms[1].opcode()), (0x01, 0x101), "VOP2 and VOP3");
    /// ```
    pub fn opcode(&self) -> u64 {
        self.layout.bits(Field::Op).get(self.base)
    }

    #[inline]
    pub(crate) fn length(&self) -> Length {
        self.length
    }

    /// True if an SMRD offset of 255 without IMM indicates a literal, as on GCN 1.1.
    #[inline]
    pub(crate) fn offset_is_literal(&self, bits: u64) -> bool {
        offset_can_be_literal(self.layout, self.isa)
            && self.layout.bits(Field::Imm).get(bits) == 0
            && self.layout.bits(Field::Offset).get(bits) == LITERAL
    }

    /// Modifier stored in `field`.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Field, Isa};
    /// let tables = Isa::Vi.tables();
    /// let form = &tables.forms(tables.named("ds_read_b32").expect("an instruction"))[0];
    /// let gds = form.modifier(Field::Gds).expect("the modifier exists");
    /// assert_eq!((gds.modifier.names, gds.bits.mask()), (&["gds"][..], 1 << 16));
    /// assert!(form.modifier(Field::Glc).is_none());
    /// ```
    pub fn modifier(&self, field: Field) -> Option<&PlacedModifier> {
        self.modifiers.iter().find(|m| m.modifier.field == field)
    }
}

fn offset_can_be_literal(layout: &Layout, isa: Isa) -> bool {
    layout.encoding == Encoding::Smrd && isa == Isa::Ci
}

/// Length rule of a row in an encoding, from the fields that may indicate a literal.
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
            Kind::Vgpr
            | Kind::GlobalAddress
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::ImageData { .. }
            | Kind::ImageAddress { .. }
            | Kind::ExportTarget
            | Kind::ExportSource(_)
            | Kind::Attribute
            | Kind::VertexParameter
            | Kind::Saddr
            | Kind::Sdst
            | Kind::Aligned(_)
            | Kind::ScalarOffset { .. }
            | Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Branch
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex => None,
        }
    });
    let mut conditions = length.literal_if.iter_mut();
    for asks in asking {
        match conditions.next() {
            Some(condition) => *condition = asks,
            None => unreachable!("{} has more sources", row.name),
        }
    }
    length
}
