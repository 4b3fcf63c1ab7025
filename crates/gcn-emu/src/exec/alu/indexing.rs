//! VGPR indexing, which adds the index in M0 to vector register numbers while MODE enables it.
//!
//! Source: AMD's GCN3 and Vega manuals, S_SET_GPR_IDX_ON and related instructions; errata E143 and E144.

use gcn_isa::effect::{AluOp, Control};
use gcn_isa::uses::{RegisterUse, Registers, UseOrigin, UsedLanes};
use gcn_isa::{Does, Inst, Isa, regs};

use super::scalar_operand;
use crate::step::{Arg, Around, MAX_ARGS, Step};
use crate::wave::Wave;

/// MODE: VGPR indexing is enabled. GCN 1.0 and 1.1 lack this bit.
pub const GPR_IDX_EN: u32 = 1 << 27;
/// M0: index.
pub(crate) const INDEX: u32 = 0xff;
/// M0: position and mask of the bits that select the indexed operands (SRC0, SRC1, SRC2, VDST).
pub(crate) const OPERANDS_SHIFT: u32 = 12;
pub(crate) const OPERANDS: u32 = 0xf;

/// True for instructions that turn indexing on or off.
pub fn switches(inst: &Inst) -> bool {
    inst.does() == Does::Alu(AluOp::IndexOn) || switches_off(inst)
}

/// True for S_SET_GPR_IDX_OFF.
pub(crate) fn switches_off(inst: &Inst) -> bool {
    inst.does() == Does::Control(Control::GprIndexOff)
}

/// True if vector instructions must be executed by [`execute`].
#[inline(always)]
pub fn is_on(w: &Wave) -> bool {
    w.mode & GPR_IDX_EN != 0
}

/// Executes S_SET_GPR_IDX_ON: sets the index and the operand mask, and enables indexing.
pub(super) fn turn_on(w: &mut Wave, s: &Step) {
    set_index(w, s, 0);
    set_operands(w, s, 1);
    w.mode |= GPR_IDX_EN;
}

/// Sets the index from the source at `place`.
pub(super) fn set_index(w: &mut Wave, s: &Step, place: usize) {
    let index: u32 = scalar_operand::read(w, s.args[place]);
    w.set_scalar(regs::M0, w.m0() & !INDEX | index & INDEX);
}

/// Executes S_SET_GPR_IDX_OFF: disables indexing and leaves M0 unchanged.
pub fn turn_off(w: &mut Wave) {
    w.mode &= !GPR_IDX_EN;
}

/// Sets the operand mask from the immediate at `place`, as S_SET_GPR_IDX_MODE does.
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

/// Executes an ALU instruction while indexing is enabled. An out-of-range source reads v0; with an out-of-range
/// destination, the instruction is not executed (checklist 1.6).
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

/// Returns the operands of an instruction about to execute, with the registers selected by VGPR indexing and MOVREL. A
/// destination outside the wave's registers is not written; `Arg::None` replaces it.
pub fn operands(w: &Wave, s: &Step) -> [Arg; MAX_ARGS] {
    let mut args = s.args;
    move_operands(w, s, operands_of(w, s), &mut args);
    match s.relative {
        Some(relative) => relative.operands(w, args),
        None => args,
    }
}

/// Returns the mask of the operands to which the index may be added; empty while indexing is disabled.
fn operands_of(w: &Wave, s: &Step) -> u32 {
    if is_on(w) && w.isa >= Isa::Vi && !s.inst.encoding.is_scalar() {
        w.m0() >> OPERANDS_SHIFT & OPERANDS
    } else {
        0
    }
}

/// Returns the use of M0 by an instruction that adds the index to a register number; `None` for other instructions.
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

/// Adds the index to the register numbers selected by M0's operand mask. Returns false if a destination is outside
/// the wave's registers; that operand becomes `Arg::None`.
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
