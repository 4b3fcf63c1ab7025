//! Vector registers that VGPR indexing moves.
//!
//! Source: AMD's GCN3 and Vega manuals, S_SET_GPR_IDX_ON and its relatives; errata E143 and E144.

use gcn_isa::{Field, Inst, Kind, Operand};

/// An instruction's vector registers by the bits of M0's operands that index them: the operand's place and how many
/// registers it has, 0 where a bit has no operand, in a byte.
#[derive(Clone, Copy, Debug, Default)]
pub struct Indexed([u8; ROLES]);

/// Bits of M0's operands: SRC0, SRC1, SRC2, VDST.
const ROLES: usize = 4;
/// Bits of [`Indexed`] that count registers.
const COUNT: u8 = 0x1f;
const PLACE_SHIFT: u32 = COUNT.count_ones();

impl Indexed {
    /// The indexed operands of an instruction in a wave with `vgprs` registers. Out-of-range registers are left unchanged.
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

    /// The operands: the bit of M0's operands that indexes each, its place, and its number of registers.
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

/// The bit of M0's operands that indexes a field (errata E143, E144): a destination that is read as well uses VDST
/// for both; the second register of V_MADMK is what its multiply-add adds.
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
