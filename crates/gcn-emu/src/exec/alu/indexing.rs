//! VGPR indexing: while MODE says so, the index in M0 is added to the numbers of vector registers.
//!
//! Source: AMD's GCN3 and Vega manuals, S_SET_GPR_IDX_ON and its relatives; errata E143 and E144.

use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::Vop3;
use gcn_isa::{Access, Field, Inst, Isa, Op, Operand, regs};

use super::scalar;
use crate::code::{Arg, Handler, Step};
use crate::wave::Wave;

/// MODE: indexing is on. GCN 1.0 and 1.1 have no such bit.
const GPR_IDX_EN: u32 = 1 << 27;
/// M0: the index.
const INDEX: u32 = 0xff;
/// M0: the operands that it is added to, a bit each: SRC0, SRC1, SRC2, VDST.
const OPERANDS_SHIFT: u32 = 12;
const OPERANDS: u32 = 0xf;

/// Whether vector instructions are to be executed by [`execute`].
#[inline(always)]
pub fn is_on(w: &Wave) -> bool {
    w.mode & GPR_IDX_EN != 0
}

/// S_SET_GPR_IDX_ON: the index and the operands, and indexing is on.
pub(super) fn turn_on(w: &mut Wave, s: &Step) {
    set_index(w, s, 0);
    set_operands(w, s.inst.get(Field::Ssrc1) as u32);
    w.mode |= GPR_IDX_EN;
}

/// The index, from the source at `place`.
pub(super) fn set_index(w: &mut Wave, s: &Step, place: usize) {
    let index: u32 = scalar::read(w, s.args[place]);
    w.set_scalar(regs::M0, w.m0() & !INDEX | index & INDEX);
}

/// S_SET_GPR_IDX_OFF: M0 stays as it is.
pub fn turn_off(w: &mut Wave) {
    w.mode &= !GPR_IDX_EN;
}

/// The operands, as S_SET_GPR_IDX_MODE has them.
pub fn set_operands(w: &mut Wave, operands: u32) {
    let rest = w.m0() & !(OPERANDS << OPERANDS_SHIFT);
    w.set_scalar(regs::M0, rest | (operands & OPERANDS) << OPERANDS_SHIFT);
}

/// Executes an ALU instruction while indexing is on; false if it is not known what that does to its operands. Out of
/// range a source reads v0, and with its destination there the instruction is not executed (checklist 1.6).
#[cold]
#[inline(never)]
pub fn execute(w: &mut Wave, s: &Step, handler: Handler) -> bool {
    let operands = w.m0() >> OPERANDS_SHIFT & OPERANDS;
    if operands == 0 || w.isa < Isa::Vi {
        handler(w, s);
        return true;
    }
    let index = (w.m0() & INDEX) as usize;
    let mut indexed = s.clone();
    let mut is_indexed = false;
    for (arg, slot) in indexed.args.iter_mut().zip(s.inst.row().slots()) {
        let Operand::Vgprs { first, count } = s.inst.operand(slot) else {
            continue;
        };
        is_indexed = true;
        let bit = match slot.field {
            Field::Src0 => 0,
            Field::Src1 => 1,
            Field::Src2 => 2,
            Field::Vdst => 3,
            _ => continue,
        };
        if operands >> bit & 1 == 0 {
            continue;
        }
        let moved = usize::from(first) + index;
        let inside = moved + usize::from(count) <= w.vgprs.len();
        if !inside && s.inst.writes(slot) {
            return true;
        }
        *arg = Arg::Vgpr(u8::try_from(moved).ok().filter(|_| inside).unwrap_or(0));
    }
    if is_indexed && has_roles_of_its_own(&s.inst) {
        return false;
    }
    handler(w, &indexed);
    true
}

/// Instructions whose operands do not play the roles that their fields say (errata E144): those that read their
/// destination, those that exchange sources or have a constant between them, and those of single lanes.
fn has_roles_of_its_own(inst: &Inst) -> bool {
    let updates = inst
        .row()
        .slots()
        .any(|slot| slot.access == Access::ReadWrite);
    let is_sdwa = inst.layout().has(Field::DstSel);
    updates
        || is_sdwa
        || matches!(
            inst.op,
            Op::Vop1(
                Vop1::V_READFIRSTLANE_B32
                    | Vop1::V_MOVRELD_B32
                    | Vop1::V_MOVRELS_B32
                    | Vop1::V_MOVRELSD_B32
            ) | Op::Vop2(
                Vop2::V_MADMK_F32
                    | Vop2::V_MADAK_F32
                    | Vop2::V_MADMK_F16
                    | Vop2::V_MADAK_F16
                    | Vop2::V_LSHRREV_B32
                    | Vop2::V_ASHRREV_I32
                    | Vop2::V_LSHLREV_B32
                    | Vop2::V_LSHRREV_B16
                    | Vop2::V_ASHRREV_I16
                    | Vop2::V_LSHLREV_B16
            ) | Op::Vop3(
                Vop3::V_READLANE_B32
                    | Vop3::V_WRITELANE_B32
                    | Vop3::V_LSHLREV_B64
                    | Vop3::V_LSHRREV_B64
                    | Vop3::V_ASHRREV_I64
            )
        )
}
