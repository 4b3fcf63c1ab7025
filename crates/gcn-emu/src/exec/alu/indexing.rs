//! VGPR indexing: while MODE says so, the index in M0 is added to the numbers of vector registers.
//!
//! Source: AMD's GCN3 and Vega manuals, S_SET_GPR_IDX_ON and its relatives; errata E143 and E144.

use gcn_isa::{Field, Inst, Isa, Kind, Operand, regs};

use super::scalar;
use crate::code::{Arg, Handler, Step};
use crate::wave::Wave;

/// MODE: indexing is on. GCN 1.0 and 1.1 have no such bit.
pub const GPR_IDX_EN: u32 = 1 << 27;
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

/// Executes an ALU instruction while indexing is on. Out of range a source reads v0, and with its destination there the
/// instruction is not executed (checklist 1.6).
#[cold]
#[inline(never)]
pub fn execute(w: &mut Wave, s: &Step, handler: Handler) {
    let operands = w.m0() >> OPERANDS_SHIFT & OPERANDS;
    if operands == 0 || w.isa < Isa::Vi {
        return handler(w, s);
    }
    let index = (w.m0() & INDEX) as usize;
    let mut indexed = s.clone();
    for (arg, slot) in indexed.args.iter_mut().zip(s.inst.row().slots()) {
        let Operand::Vgprs { first, count } = s.inst.operand(slot) else {
            continue;
        };
        let Some(bit) = role(&s.inst, slot.field) else {
            continue;
        };
        if operands >> bit & 1 == 0 {
            continue;
        }
        let moved = usize::from(first) + index;
        let inside = moved + usize::from(count) <= w.vgprs.len();
        if !inside && s.inst.writes(slot) {
            return;
        }
        *arg = Arg::Vgpr(u8::try_from(moved).ok().filter(|_| inside).unwrap_or(0));
    }
    handler(w, &indexed);
}

/// The bit of M0's operands that a field goes by (errata E143, E144): a destination that is read as well goes by VDST
/// for both; the second register of V_MADMK is what its multiply-add adds.
fn role(inst: &Inst, field: Field) -> Option<u32> {
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
