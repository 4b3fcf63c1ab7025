//! S_CBRANCH_…_FORK and S_CBRANCH_JOIN. They split a wave and save its waiting parts on a stack in scalar registers.

use super::scalar_operand::read;
use crate::step::Step;
use crate::wave::Wave;

/// MODE: stack depth, in the upper three bits.
const STACK_SHIFT: u32 = 29;
/// Scalar registers per stack entry: EXEC, then the program counter.
const PART: u32 = 4;

fn depth(w: &Wave) -> u32 {
    w.mode >> STACK_SHIFT
}

fn set_depth(w: &mut Wave, depth: u32) {
    w.mode = w.mode & !(u32::MAX << STACK_SHIFT) | depth << STACK_SHIFT;
}

/// Returns the first scalar registers of EXEC and of the program counter in stack entry `number`.
fn part(number: u32) -> [u8; 2] {
    let first = (number * PART) as u8;
    [first, first + 2]
}

/// Splits the wave: lanes in the first operand's mask branch to `target`, the others continue. If both parts have
/// lanes, the smaller one executes first and the other waits on the stack (errata E204). Registers outside the wave's
/// allocation are not written (checklist 1.7).
pub(super) fn fork(w: &mut Wave, s: &Step, target: u64) {
    let (exec, next) = (w.exec(), w.pc);
    let mask: u64 = read(w, s.args[0]);
    let (passes, fails) = (mask & exec, !mask & exec);
    if passes == exec {
        w.pc = target;
        return;
    }
    if fails == exec {
        return;
    }
    let (first, later) = if fails.count_ones() < passes.count_ones() {
        ((fails, next), (passes, target))
    } else {
        ((passes, target), (fails, next))
    };
    let depth_before = depth(w);
    let [lanes, address] = part(depth_before);
    if w.owns_scalars(lanes, PART as u8) {
        w.set_scalar64(lanes, later.0);
        w.set_scalar64(address, later.1);
    }
    set_depth(w, depth_before + 1);
    w.set_exec(first.0);
    w.pc = first.1;
}

/// Continues if the stack depth equals the operand. Otherwise resumes the next waiting part (errata E204).
pub(super) fn join(w: &mut Wave, s: &Step) {
    let until: u32 = read(w, s.args[0]);
    if depth(w) == until {
        return;
    }
    let number = depth(w).wrapping_sub(1) & (u32::MAX >> STACK_SHIFT);
    let [lanes, address] = part(number);
    set_depth(w, number);
    let (exec, pc) = (w.scalar64(lanes), w.scalar64(address));
    w.set_exec(exec);
    w.pc = pc;
}
