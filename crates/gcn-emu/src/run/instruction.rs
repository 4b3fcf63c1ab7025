//! Execution of a single instruction of a wave, with its events if there are observers.

use gcn_isa::Does;
use gcn_isa::effect::{Condition, Control};
use gcn_isa::simm::MODE_VSKIP;

use super::events::{EventWriter, is_skipped};
use super::late::{self, LateContext};
use super::stop::Stop;
use crate::block::BlockEntry;
use crate::device::{Device, OnViolation};
use crate::exec::alu::indexing;
use crate::exec::memory::{self, Attempt, LaneFault, Transfer};
use crate::fault::{self, FaultKind};
use crate::lds::Lds;
use crate::observe::Dispatched;
use crate::step::{Executor, Step};
use crate::wave::{Waiting, Wave};

/// Wave, its workgroup's LDS, and a buffer for an access. The buffer is scratch space, owned by the caller so that it
/// is not allocated again for every turn.
pub(super) type State<'a> = (&'a mut Wave, &'a mut Lds, &'a mut Transfer);

/// State of a wave after an instruction.
#[derive(Clone, Copy)]
pub(super) enum After {
    /// The wave continues at the dword with this index.
    Goes(usize),
    /// The wave waits, and will continue at the dword with this index.
    Waits(usize),
    /// The wave is blocked, and will try the instruction again.
    Blocked,
}

/// Executes an instruction other than a branch, and reports its events if there is a writer.
#[inline(always)]
pub(super) fn execute(
    dispatched: &Dispatched<'_>,
    (wave, lds, transfer): State<'_>,
    step: &Step,
    counts: bool,
    mut events: Option<&mut EventWriter<'_>>,
) -> Result<After, Stop> {
    let Dispatched { device, code, .. } = *dispatched;
    let pc = || code.address(step.index);
    let at = |kind| Stop {
        kind,
        pc: pc(),
        lane: None,
    };
    let following = step.following();
    let is_late = events.is_some() && wave.late.is_some();
    match step.run {
        Executor::Vector
        | Executor::VectorFromLds
        | Executor::Memory
        | Executor::Cancelled
        | Executor::Missing
            if is_skipped(wave, step) => {}
        Executor::Vector => vector(wave, step),
        Executor::Scalar => (step.handler)(wave, step),
        Executor::VectorFromLds => {
            let m0 = wave.m0();
            if let Some(events) = &mut events {
                memory::addresses(wave, step, device, transfer.access_mut());
                events.accesses(wave, lds, transfer).map_err(at)?;
            }
            wave.lds_direct = lds.direct(m0);
            if let Some(events) = &mut events {
                events.accessed(wave, lds, transfer);
            }
            vector(wave, step);
            wave.lds_direct = 0;
        }
        Executor::ScalarControl => {
            let after = code.address(following);
            wave.pc = after;
            (step.handler)(wave, step);
            if wave.pc != after {
                return Ok(After::Goes(code.index(wave.pc).unwrap_or(NOWHERE)));
            }
        }
        Executor::Wait(until) if counts || is_late => {
            match &mut events {
                Some(events) => events.waits(wave, lds, until),
                None => wave.scoreboard.wait(until),
            }
            if is_late && let Some(events) = &mut events {
                LateContext::new(dispatched, lds, transfer, events.watch).wait(wave, until)?;
            }
        }
        // A wait orders earlier accesses before later ones (see `memory`).
        Executor::Wait(_) if cfg!(not(target_arch = "x86_64")) => device.memory.fence(),
        Executor::Wait(_) => {}
        Executor::Memory => {
            let result = match &mut events {
                Some(events) if is_late && late::defers(step) => {
                    LateContext::new(dispatched, lds, transfer, events.watch).issue(
                        wave,
                        step,
                        pc(),
                    )?;
                    Ok(Attempt::Done)
                }
                None => access_unobserved(wave, step, lds, device, transfer),
                Some(events) => events
                    .memory(wave, step, lds, transfer)
                    .map_err(|fault| *fault),
            };
            wave.blame(pc());
            match result {
                Ok(Attempt::Done) => wave.waiting = Waiting::No,
                Ok(Attempt::Blocked) => {
                    if let Some(events) = &mut events
                        && wave.waiting != Waiting::Gws
                    {
                        events.blocks(wave, lds);
                    }
                    wave.waiting = Waiting::Gws;
                    return Ok(After::Blocked);
                }
                Err((kind, lane)) => {
                    let pc = pc();
                    return Err(Stop { kind, pc, lane });
                }
            }
            if counts {
                count(wave, step, pc(), lds, events);
            }
        }
        Executor::Cancelled if device.config.on_violation == OnViolation::Stop => {
            return Err(at(FaultKind::RegisterOutOfRange {
                vgprs: code.vgprs(),
                sgprs: code.sgprs(),
            }));
        }
        Executor::Cancelled if counts => count(wave, step, pc(), lds, events),
        Executor::Cancelled => {}
        Executor::Flow => {
            if is_late && let Some(events) = &mut events {
                let mut machine = LateContext::new(dispatched, lds, transfer, events.watch);
                if late::finishes(step) {
                    machine.finish(wave)?;
                } else if step.inst.does() == Does::Control(Control::Barrier) {
                    machine.barrier(wave)?;
                }
            }
            flow(wave, step).map_err(at)?;
            if counts && step.is_message() {
                count(wave, step, pc(), lds, events);
            }
            return Ok(if wave.waiting == Waiting::No {
                After::Goes(following)
            } else {
                After::Waits(following)
            });
        }
        // A branch is the exit of its block.
        Executor::Missing | Executor::Branch(..) => return Err(at(FaultKind::NotExecuted)),
    }
    Ok(After::Goes(following))
}

/// Executes a memory instruction without events. The step loop handles most of them on its fast path instead.
#[inline(never)]
fn access_unobserved(
    wave: &mut Wave,
    step: &Step,
    lds: &mut Lds,
    device: &Device,
    transfer: &mut Transfer,
) -> Result<Attempt, LaneFault> {
    transfer.forget();
    memory::execute(wave, step, lds, device, transfer)
}

/// True for a wait on an x86-64 host. If counters are not maintained, the wait does nothing, because all operations
/// have already taken effect. On other hosts, a wait is a fence.
#[inline(always)]
pub(super) fn does_nothing(step: &Step) -> bool {
    cfg!(target_arch = "x86_64") && matches!(step.run, Executor::Wait(_))
}

/// Executes a vector instruction, with the operands that VGPR indexing selects.
#[inline(always)]
fn vector(wave: &mut Wave, step: &Step) {
    if indexing::is_on(wave) {
        indexing::execute(wave, step);
    } else {
        (step.handler)(wave, step);
    }
}

/// Counts the operation of the instruction at `pc`. The function is inlined so that runs without observers keep no
/// writer in memory.
#[inline(always)]
pub(super) fn count(
    wave: &mut Wave,
    step: &Step,
    pc: u64,
    lds: &Lds,
    events: Option<&mut EventWriter<'_>>,
) {
    match events {
        Some(events) => {
            if let Some(counters) = step.counters() {
                events.counts(wave, lds, counters);
            }
        }
        None => count_unobserved(wave, step, pc),
    }
}

/// Variant of [`count`] without events, for code that reads its counters, which is rare.
#[cold]
#[inline(never)]
fn count_unobserved(wave: &mut Wave, step: &Step, pc: u64) {
    if let Some(counters) = step.counters() {
        wave.scoreboard.issue(pc, counters);
    }
}

/// Invalid dword index that represents a misaligned program counter. No branch target is near it.
pub(super) const NOWHERE: usize = 1 << (usize::BITS - 1);

/// MODE bits that affect the execution of vector instructions: indexing and skipping.
const CHANGES_EXECUTION: u32 = indexing::GPR_IDX_EN | MODE_VSKIP;

/// True if the wave's MODE does not affect the execution of vector instructions.
#[inline(always)]
pub(super) fn is_unmodified(wave: &Wave) -> bool {
    leaves_execution(wave.mode)
}

/// True if this MODE does not affect the execution of vector instructions.
#[inline(always)]
pub(super) fn leaves_execution(mode: u32) -> bool {
    mode & CHANGES_EXECUTION == 0
}

/// True if a wave that may execute `left` more instructions can run the host code of the block that it enters.
#[inline(always)]
pub(super) fn can_run_host_code(
    BlockEntry { block, from }: BlockEntry<'_>,
    wave: &Wave,
    left: u64,
) -> bool {
    from == 0 && left >= block.steps().len() as u64 && is_unmodified(wave)
}

/// Mask of S_SETPRIO's two bits.
const PRIORITY: u8 = 3;

/// True if a branch on `condition` is taken.
#[inline]
pub(super) fn holds(wave: &Wave, condition: Condition) -> bool {
    match condition {
        Condition::Always => true,
        Condition::Scc0 => !wave.scc,
        Condition::Scc1 => wave.scc,
        Condition::VccZero => wave.vcc() == 0,
        Condition::VccNotZero => wave.vcc() != 0,
        Condition::ExecZero => wave.exec() == 0,
        Condition::ExecNotZero => wave.exec() != 0,
        Condition::Debugger => false,
    }
}

/// Executes a program control instruction.
fn flow(wave: &mut Wave, step: &Step) -> Result<(), FaultKind> {
    match step.inst.does() {
        Does::Control(control) => match control {
            // Outstanding operations do not delay the end, and still take effect (checklist 5.5).
            Control::End => wave.waiting = Waiting::Ended,
            Control::Barrier => wave.waiting = Waiting::Barrier,
            Control::SendMsg { halt: true } => return Err(FaultKind::Halted),
            // Messages have no receiver.
            Control::SendMsg { halt: false } => {}
            Control::Trap if step.immediate() as u8 == fault::BREAKPOINT => {}
            Control::Trap => return Err(FaultKind::Trap(step.immediate() as u8)),
            Control::SetHalt if step.immediate() & 1 != 0 => return Err(FaultKind::Halted),
            // A wave usually sleeps to wait for another wave, so let the others run. Time is not modeled.
            Control::Sleep => wave.waiting = Waiting::Asleep,
            Control::SetPrio => wave.priority = step.immediate() as u8 & PRIORITY,
            Control::GprIndexOff => indexing::turn_off(wave),
            Control::GprIndexMode => indexing::set_operands(wave, step, 0),
            // Time, instruction caches and performance counters are not emulated. `execute` handles S_WAITCNT itself.
            Control::Nop
            | Control::Waitcnt
            | Control::SetHalt
            | Control::CacheInvalidate
            | Control::PerfCount
            | Control::TraceData
            | Control::SetKill
            | Control::Wakeup => {}
        },
        Does::ReturnFromTrap => return Err(FaultKind::OutsideTrapHandler),
        _ => return Err(FaultKind::NotExecuted),
    }
    Ok(())
}
