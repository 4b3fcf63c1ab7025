//! VGPRs whose initial values a kernel may use. The others need not be cleared before a wave starts.

use gcn_isa::field::Field;
use gcn_isa::uses::{RegisterUse, Registers, UnnumberedState, UsedLanes};
use gcn_isa::{Does, regs};

use crate::step::{Executor, Step};

/// Number of VGPRs that an instruction can name.
const NAMED: usize = 256;
/// Minimum number of VGPRs to leave uncleared. With fewer, clearing the others one by one takes longer than clearing
/// all VGPRs at once.
const WORTHWHILE: usize = 4;

/// Returns the numbers of the VGPRs, out of the first `vgprs`, whose initial values may matter to a wave that begins
/// with these consecutive steps. The last step may be a branch. All lanes must be active, and MODE must not affect the
/// steps. Returns `None` if the values of almost all VGPRs may matter.
///
/// A register is left out only if one of the steps writes all its lanes before any step reads it. The search ends at
/// the first step that may deactivate lanes or read registers that it does not name. A faulting step ends the wave, so
/// later steps need no registers.
pub(crate) fn exposed(steps: &[Step], vgprs: usize) -> Option<Box<[u8]>> {
    let (mut used, mut replaced) = ([false; NAMED], [false; NAMED]);
    for step in steps {
        let uses: Vec<RegisterUse> = step.inst.uses().registers().collect();
        // A source that is partly outside the allocation reads v0 and following registers (checklist 1.6). The number of
        // registers in an image address depends on the image descriptor.
        let reads_others = step.inst.uses().address_beyond().is_some()
            || uses
                .iter()
                .flat_map(vector)
                .any(|register| register >= vgprs);
        if reads_others || uses.iter().any(ends_search) {
            break;
        }
        let is_whole = |it: &RegisterUse| {
            it.read == 0 && it.written == u32::MAX && it.lanes == UsedLanes::Active
        };
        for register in uses.iter().filter(|it| !is_whole(it)).flat_map(vector) {
            used[register] |= !replaced[register];
        }
        if writes_all_lanes(step) {
            for register in uses.iter().filter(|it| is_whole(it)).flat_map(vector) {
                replaced[register] |= !used[register];
            }
        }
    }
    let numbers = (0..=u8::MAX).take(vgprs);
    let exposed: Box<[u8]> = numbers.filter(|it| !replaced[usize::from(*it)]).collect();
    (exposed.len() + WORTHWHILE <= vgprs).then_some(exposed)
}

/// True if an instruction that uses these registers may deactivate lanes, continue elsewhere, change the execution of
/// later instructions, or use other registers.
fn ends_search(it: &RegisterUse) -> bool {
    let is_written = it.written != 0;
    match it.registers {
        _ if it.indexed => true,
        Registers::Vector { .. } => false,
        Registers::Scalar { first, count } => {
            is_written && first.saturating_add(count) > regs::EXEC_LO
        }
        Registers::State(state) => {
            is_written && matches!(state, UnnumberedState::MODE | UnnumberedState::Pc)
        }
    }
}

/// True if an instruction writes its destination in all active lanes, or faults. DPP leaves lanes out.
fn writes_all_lanes(step: &Step) -> bool {
    let inst = &step.inst;
    let is_load = matches!(inst.does(), Does::Load(_));
    match step.run {
        Executor::Vector => !inst.layout().has(Field::RowMask),
        Executor::Memory => is_load,
        Executor::Scalar
        | Executor::VectorFromLds
        | Executor::ScalarControl
        | Executor::Branch(..)
        | Executor::Wait(_)
        | Executor::Flow
        | Executor::Cancelled
        | Executor::Missing => false,
    }
}

/// Numbers of the VGPRs of a use.
fn vector(it: &RegisterUse) -> impl Iterator<Item = usize> + use<> {
    let (first, count) = match it.registers {
        Registers::Vector { first, count } => (first, count),
        Registers::Scalar { .. } | Registers::State(_) => (0, 0),
    };
    (0..count).map(move |n| usize::from(first.wrapping_add(n)))
}
