//! Operands to which VGPR indexing can apply.
//!
//! Sources: AMD's GCN3 and Vega manuals, S_SET_GPR_IDX_ON and related instructions; errata E143 and E144.

use gcn_isa::{Field, Inst, Kind, Operand};

/// Vector register operands of an instruction, by the M0 bit that indexes them. Each byte contains an operand index and
/// the operand's number of registers, which is 0 if the bit has no operand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Indexed([u8; ROLES]);

/// Number of M0 bits that select operands: SRC0, SRC1, SRC2, VDST.
const ROLES: usize = 4;
/// Bits of [`Indexed`] that count registers.
const COUNT: u8 = 0x1f;
const PLACE_SHIFT: u32 = COUNT.count_ones();

impl Indexed {
    /// Returns the indexed operands of an instruction in a wave with `vgprs` registers. Operands that are out of range
    /// as encoded are not indexed.
    pub fn of(inst: &Inst, vgprs: usize) -> Indexed {
        let mut indexed = Indexed::default();
        for (place, slot) in (0..).zip(inst.row().slots()) {
            if let Operand::Vgprs { first, count } = inst.operand(slot)
                && usize::from(first) + usize::from(count) <= vgprs
                && let Some(bit) = role(inst, slot.field)
            {
                debug_assert!(count <= COUNT, "{count} registers");
                indexed.0[bit] = place << PLACE_SHIFT | count & COUNT;
            }
        }
        indexed
    }

    /// Iterates over the indexed operands: the M0 bit, the operand index and the number of registers of each.
    pub(crate) fn operands(self) -> impl Iterator<Item = (usize, usize, usize)> {
        let with_bits = self.0.into_iter().enumerate();
        with_bits.filter_map(|(bit, operand)| {
            let (place, count) = (
                usize::from(operand >> PLACE_SHIFT),
                usize::from(operand & COUNT),
            );
            (count != 0).then_some((bit, place, count))
        })
    }
}

/// Returns the M0 bit that indexes a field (errata E143, E144). A destination that is also read uses VDST for both. The
/// second register of V_MADMK is the addend of its multiply-add.
fn role(inst: &Inst, field: Field) -> Option<usize> {
    let adds_second = inst
        .row()
        .slots()
        .nth(2)
        .is_some_and(|s| s.kind == Kind::Literal);
    match field {
        Field::Src0 => Some(0),
        Field::Src1 if adds_second => Some(2),
        Field::Src1 => Some(1),
        Field::Src2 => Some(2),
        Field::Vdst => Some(3),
        _ => None,
    }
}
