//! VGPR indexing: while MODE says so, the index in M0 is added to the numbers of vector registers.
//!
//! Source: AMD's GCN3 and Vega manuals, S_SET_GPR_IDX_ON and its relatives; errata E143 and E144.

use gcn_isa::effect::{AluOp, Control};
use gcn_isa::uses::{RegisterUse, Registers, UseOrigin, UsedLanes};
use gcn_isa::{Does, Inst, Isa, regs};

use super::scalar_operand;
use crate::step::{Arg, Around, MAX_ARGS, Step};
use crate::wave::Wave;

/// MODE: indexing is on. GCN 1.0 and 1.1 have no such bit.
pub const GPR_IDX_EN: u32 = 1 << 27;
/// M0: the index.
const INDEX: u32 = 0xff;
/// M0: the operands that it is added to, a bit each: SRC0, SRC1, SRC2, VDST.
const OPERANDS_SHIFT: u32 = 12;
const OPERANDS: u32 = 0xf;

/// True of an instruction that turns indexing on or off.
pub fn switches(inst: &Inst) -> bool {
    matches!(
        inst.does(),
        Does::Alu(AluOp::IndexOn) | Does::Control(Control::GprIndexOff)
    )
}

/// True if vector instructions are to be executed by [`execute`].
#[inline(always)]
pub fn is_on(w: &Wave) -> bool {
    w.mode & GPR_IDX_EN != 0
}

/// S_SET_GPR_IDX_ON: the index and the operands, and indexing is on.
pub(super) fn turn_on(w: &mut Wave, s: &Step) {
    set_index(w, s, 0);
    set_operands(w, s, 1);
    w.mode |= GPR_IDX_EN;
}

/// The index, from the source at `place`.
pub(super) fn set_index(w: &mut Wave, s: &Step, place: usize) {
    let index: u32 = scalar_operand::read(w, s.args[place]);
    w.set_scalar(regs::M0, w.m0() & !INDEX | index & INDEX);
}

/// S_SET_GPR_IDX_OFF: M0 stays as it is.
pub fn turn_off(w: &mut Wave) {
    w.mode &= !GPR_IDX_EN;
}

/// The operands, from the number at `place`, as S_SET_GPR_IDX_MODE has them.
pub fn set_operands(w: &mut Wave, s: &Step, place: usize) {
    let Arg::Imm(operands) = s.args[place] else {
        return;
    };
    let rest = w.m0() & !(OPERANDS << OPERANDS_SHIFT);
    w.set_scalar(
        regs::M0,
        rest | (operands as u32 & OPERANDS) << OPERANDS_SHIFT,
    );
}

/// Executes an ALU instruction while indexing is on. Out of range a source reads v0, and with its destination there the
/// instruction is not executed (checklist 1.6).
#[inline(never)]
pub fn execute(w: &mut Wave, s: &Step) {
    let operands = w.m0() >> OPERANDS_SHIFT & OPERANDS;
    if operands == 0 || w.isa < Isa::Vi {
        return (s.handler)(w, s);
    }
    let mut args = s.args;
    if !move_operands(w, s, operands, &mut args) {
        return;
    }
    let mut moved = s.with_registers(args);
    if let Some(Around::Modifiers(modified)) = s.around.as_deref() {
        let mut args = modified.operation.args;
        move_operands(w, s, operands, &mut args);
        moved.around = Some(Box::new(Around::Modifiers(modified.with_registers(args))));
    }
    (s.handler)(w, &moved);
}

/// The operands of an instruction at its execution, with the registers that VGPR indexing and MOVREL name. `Arg::None` is in
/// place of a destination that is outside the wave's registers, which is not written.
pub fn operands(w: &Wave, s: &Step) -> [Arg; MAX_ARGS] {
    let mut args = s.args;
    move_operands(w, s, operands_of(w, s), &mut args);
    match s.relative {
        Some(relative) => relative.operands(w, args),
        None => args,
    }
}

/// The operands of an instruction that the index may be added to, a bit each: none while indexing is off.
fn operands_of(w: &Wave, s: &Step) -> u32 {
    if is_on(w) && w.isa >= Isa::Vi && !s.inst.encoding.is_scalar() {
        w.m0() >> OPERANDS_SHIFT & OPERANDS
    } else {
        0
    }
}

/// The index as a register that an instruction reads. `None` where it is added to no register of the instruction.
pub fn index(w: &Wave, s: &Step) -> Option<RegisterUse> {
    let operands = operands_of(w, s);
    let mut indexed = s.indexed.operands();
    let is_added = indexed.any(|(bit, ..)| operands >> bit & 1 != 0);
    is_added.then_some(RegisterUse {
        registers: Registers::Scalar {
            first: regs::M0,
            count: 1,
        },
        read: INDEX,
        written: 0,
        lanes: UsedLanes::Scalar,
        source: UseOrigin::Implicit,
        indexed: false,
    })
}

/// Adds the index to the numbers of the registers that are in M0's set. Returns false if a destination is not the wave's;
/// that operand is `Arg::None` then.
fn move_operands(w: &Wave, s: &Step, operands: u32, args: &mut [Arg; MAX_ARGS]) -> bool {
    let index = (w.m0() & INDEX) as usize;
    for (bit, place, count) in s.indexed.operands() {
        if operands >> bit & 1 == 0 {
            continue;
        }
        if let Arg::Vgpr(register) = &mut args[place] {
            let to = usize::from(*register) + index;
            *register = match u8::try_from(to) {
                Ok(to) if usize::from(to) + count <= w.vgprs.len() => to,
                _ if is_written(&s.inst, place) => {
                    args[place] = Arg::None;
                    return false;
                }
                _ => 0,
            };
        }
    }
    true
}

#[cold]
fn is_written(inst: &Inst, place: usize) -> bool {
    let slot = inst.row().slots().nth(place);
    slot.is_some_and(|slot| inst.writes(slot))
}
