//! The step loop: a wave's instructions, one after the other.

use std::sync::atomic::Ordering::Relaxed;

use gcn_isa::Does;
use gcn_isa::effect::{Condition, Control};
use gcn_isa::uses::RegisterSet;

use super::emitter::{Emitter, Issued, is_skipped};
use super::late::{self, Machine};
use super::stop::Stop;
use crate::code::Code;
use crate::device::OnViolation;
use crate::exec::alu::indexing;
use crate::exec::memory::{self, Attempt, Transfer};
use crate::fault::{self, FaultKind};
use crate::lds::Lds;
use crate::observe::{Context, Dispatched, Events, Overlook, Watchers};
use crate::step::{Executor, Step};
use crate::wave::{MODE_VSKIP, Waiting, Wave};

/// Runs a wave until it ends, waits, or has executed `instructions` instructions. `transfer` may hold anything; it is the
/// caller's so that it is not made anew for every turn. `OBSERVED` says whether `watch` has any observers: the loop is compiled
/// for runs without observers, and for those with any.
pub(super) fn run_wave<const OBSERVED: bool>(
    dispatched: Dispatched<'_>,
    code: &Code,
    wave: &mut Wave,
    lds: &mut Lds,
    transfer: &mut Transfer,
    watch: &mut Watchers,
    instructions: u64,
) -> Result<(), Stop> {
    let device = dispatched.device;
    let limit = device.config.limit.unwrap_or(u64::MAX);
    let until = wave.executed.saturating_add(instructions.max(1)).min(limit);
    // The program counter is in `index`, in dwords of the code; the wave's own is right wherever anyone can see it, and so is
    // its count of instructions.
    let mut index = code.index(wave.pc).unwrap_or(NOWHERE);
    // All has taken effect already: what is outstanding is of use only to those who look.
    let counts = OBSERVED && watch.wants.any(Events::OPERATIONS) || code.reads_counters();
    let reports_all = OBSERVED && watch.wants.any(Events::INSTRUCTION);
    let watches = OBSERVED && !reports_all && watch.wants.any(Events::WATCHED);
    let is_late = OBSERVED && wave.late.is_some();
    let asks = OBSERVED && watch.wants.any(Events::OVERLOOKED) && !is_late;
    // Then an access that all observers overlook has no event at all.
    let drops_overlooked = asks && !watch.wants.any(Events::NOT_OVERLOOKED);
    let reports_sequences = OBSERVED && watch.wants.any(Events::SEQUENCE);
    // Then waits have none.
    let skips_waits =
        OBSERVED && !reports_all && !counts && !is_late && !watch.wants.any(Events::WAIT);
    let quick = QuickSteps {
        skips_waits,
        loads: drops_overlooked && !counts,
    };
    if watches {
        let context = Context {
            dispatched,
            wave,
            lds,
            pc: wave.pc,
        };
        watch.watch(&context, Events::WATCHED);
    }
    'blocks: loop {
        let stop = |kind, pc| Stop {
            kind,
            pc,
            lane: None,
        };
        let executed = wave.executed;
        if executed >= until {
            if index != NOWHERE {
                wave.pc = code.address(index);
            }
            if is_late {
                Machine::new(dispatched, code, lds, transfer, watch).finish(wave)?;
            }
            if executed >= limit {
                return Err(stop(FaultKind::Limit(limit), wave.pc));
            }
            if device.interrupted.load(Relaxed) {
                return Err(stop(FaultKind::Interrupted, wave.pc));
            }
            return Ok(());
        }
        let mut steps = match code.steps_at(index) {
            Some(Ok(steps)) => steps,
            Some(Err(error)) => {
                return Err(stop(FaultKind::Undecodable(error), code.address(index)));
            }
            None => {
                let from = wave.branch.map(|branch| code.address(branch as usize));
                return Err(if index == NOWHERE {
                    stop(FaultKind::PcMisaligned { from }, wave.pc)
                } else {
                    stop(FaultKind::PcOutside { from }, code.address(index))
                });
            }
        };
        if let Ok(left) = usize::try_from(until - executed)
            && left < steps.len()
        {
            steps = &steps[..left];
        }
        let used = if watches { code.used_at(index) } else { &[] };
        if reports_sequences {
            watch.begun = Some(index);
        }
        let mut is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
        let mut rest = steps.iter().enumerate();
        // Which observers overlook the access of the next instruction, if they have been asked.
        let mut asked: Option<Overlook> = None;
        while let Some((number, step)) = rest.next() {
            let is_watched = watches && used.get(number).is_none_or(|used| watch.watches(used));
            // The most frequent instructions, ahead of the rest.
            if step.is_simple && !reports_all && !is_watched && is_unmodified {
                (step.handler)(wave, step);
                if OBSERVED {
                    let (next, used) = (&steps[number + 1..], used.get(number + 1..));
                    let done;
                    (done, asked) = quick.run(wave, next, used, watch, (dispatched, code, lds));
                    if let Some(skip) = done.checked_sub(1) {
                        rest.nth(skip);
                    }
                }
                continue;
            }
            let before = executed + number as u64;
            wave.executed = before;
            index = step.index;
            let at = |kind| stop(kind, code.address(index));
            let issued;
            let is_plain = matches!(step.run, Executor::Scalar | Executor::Branch(..));
            let mut has_events =
                reports_all || !is_plain || watches && (is_watched || !is_unmodified);
            let mut overlook = Overlook::default();
            if asks && matches!(step.run, Executor::Memory) && !is_skipped(wave, step) {
                let context = Context {
                    dispatched,
                    wave,
                    lds,
                    pc: code.address(index),
                };
                let known = asked.take();
                overlook = known.unwrap_or_else(|| watch.overlook(&context, step));
                has_events &= !(drops_overlooked && overlook.is_unanimous);
            }
            has_events &= !(skips_waits && matches!(step.run, Executor::Wait(_)));
            let mut emitter: Option<Emitter<'_>> = None;
            if OBSERVED && has_events {
                wave.pc = code.address(index);
                issued = Issued::of(wave, step);
                let emitter = emitter.insert(Emitter::new(&dispatched, watch, &issued, step, wave));
                emitter.overlook = overlook;
                emitter.begins(wave, lds);
                if watches {
                    emitter.watches(wave, lds);
                }
            }
            let following = step.following();
            let mut next = following;
            match step.run {
                Executor::Vector
                | Executor::VectorFromLds
                | Executor::Memory
                | Executor::Cancelled
                | Executor::Missing
                    if is_skipped(wave, step) => {}
                Executor::Vector => vector(wave, step),
                Executor::VectorFromLds => {
                    if let Some(emitter) = &mut emitter {
                        let m0 = wave.m0();
                        transfer.access.direct(m0);
                        emitter.accesses(wave, lds, transfer).map_err(at)?;
                        wave.lds_direct = lds.direct(m0);
                        emitter.accessed(wave, lds, transfer);
                    } else {
                        wave.lds_direct = lds.direct(wave.m0());
                    }
                    vector(wave, step);
                    wave.lds_direct = 0;
                }
                Executor::Scalar => {
                    let after = code.address(next);
                    wave.pc = after;
                    (step.handler)(wave, step);
                    if wave.pc != after {
                        next = code.index(wave.pc).unwrap_or(NOWHERE);
                    }
                    is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
                }
                Executor::Branch(condition, distance) => {
                    if holds(wave, condition) {
                        next = next.wrapping_add_signed(distance as isize);
                    }
                }
                Executor::Wait(until) if counts || is_late => {
                    match &mut emitter {
                        Some(emitter) => emitter.waits(wave, lds, until),
                        None => wave.scoreboard.wait(until),
                    }
                    if is_late && let Some(Emitter { watch, .. }) = &mut emitter {
                        Machine::new(dispatched, code, lds, transfer, watch).wait(wave, until)?;
                    }
                }
                // What came before a wait is before what follows (see `memory`).
                Executor::Wait(_) if cfg!(not(target_arch = "x86_64")) => device.memory.fence(),
                Executor::Wait(_) => {}
                Executor::Memory => {
                    let pc = code.address(index);
                    let result = match &mut emitter {
                        Some(Emitter { watch, .. }) if is_late && late::defers(step) => {
                            Machine::new(dispatched, code, lds, transfer, watch)
                                .issue(wave, step, pc)?;
                            Ok(Attempt::Done)
                        }
                        None => memory::execute::<false>(wave, step, lds, device, transfer),
                        Some(emitter) => match emitter.memory(wave, step, lds, transfer) {
                            Ok(outcome) => Ok(outcome),
                            Err(fault) => {
                                wave.blame(pc);
                                let (kind, lane) = *fault;
                                return Err(Stop { kind, pc, lane });
                            }
                        },
                    };
                    wave.blame(pc);
                    match result {
                        Ok(Attempt::Done) => wave.waiting = Waiting::No,
                        Ok(Attempt::Blocked) => {
                            // The wave yields, and tries the instruction again at its next turn.
                            wave.pc = pc;
                            if let Some(emitter) = &mut emitter
                                && wave.waiting != Waiting::Gws
                            {
                                emitter.blocks(wave, lds);
                            }
                            if reports_sequences {
                                watch.executed(dispatched, wave, lds, code, &steps[..number]);
                            }
                            wave.waiting = Waiting::Gws;
                            return Ok(());
                        }
                        Err((kind, lane)) => return Err(Stop { kind, pc, lane }),
                    }
                    if counts {
                        count(wave, step, pc, lds, &mut emitter);
                    }
                }
                Executor::Cancelled if device.config.on_violation == OnViolation::Stop => {
                    return Err(at(FaultKind::RegisterOutOfRange {
                        vgprs: code.vgprs(),
                        sgprs: code.sgprs(),
                    }));
                }
                Executor::Cancelled if counts => {
                    count(wave, step, code.address(index), lds, &mut emitter);
                }
                Executor::Cancelled => {}
                Executor::Flow => {
                    if is_late
                        && late::finishes(step)
                        && let Some(Emitter { watch, .. }) = &mut emitter
                    {
                        Machine::new(dispatched, code, lds, transfer, watch).finish(wave)?;
                    }
                    flow(wave, step).map_err(at)?;
                    if counts && step.is_message() {
                        count(wave, step, code.address(index), lds, &mut emitter);
                    }
                    is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
                }
                Executor::Missing => return Err(at(FaultKind::NotExecuted)),
            }
            wave.executed = before + 1;
            let waits = matches!(step.run, Executor::Flow) && wave.waiting != Waiting::No;
            if let Some(emitter) = &mut emitter {
                if next != NOWHERE {
                    wave.pc = code.address(next);
                }
                if waits && reports_sequences {
                    emitter
                        .watch
                        .executed(dispatched, wave, lds, code, &steps[..=number]);
                }
                emitter.ends(wave, lds);
            }
            // Nothing else makes a wave wait; a memory instruction that does has returned.
            if waits {
                wave.pc = code.address(next);
                return Ok(());
            }
            if next != following {
                wave.branch = Some(index as u32);
                if reports_sequences {
                    watch.executed(dispatched, wave, lds, code, &steps[..=number]);
                }
                index = next;
                continue 'blocks;
            }
        }
        wave.executed = executed + steps.len() as u64;
        if reports_sequences {
            watch.executed(dispatched, wave, lds, code, steps);
        }
        if let Some(last) = steps.last() {
            index = last.following();
        }
    }
}

/// Instructions that [`QuickSteps::run`] runs besides simple ones.
#[derive(Clone, Copy)]
struct QuickSteps {
    /// Waits, of which no observer is told.
    skips_waits: bool,
    /// Loads from LDS that all observers overlook.
    loads: bool,
}

impl QuickSteps {
    /// Runs instructions as far as they are quick and no simple one uses a watched register; `used` has the registers of each where
    /// some may be watched. Returns their number, and the observers that overlook the next one's access if they have been asked.
    /// Without the rest of the step loop around it the host keeps in registers what this needs.
    #[inline(never)]
    fn run(
        self,
        wave: &mut Wave,
        steps: &[Step],
        used: Option<&[RegisterSet]>,
        watch: &mut Watchers,
        (dispatched, code, lds): (Dispatched<'_>, &Code, &mut Lds),
    ) -> (usize, Option<Overlook>) {
        let used = used.unwrap_or_default();
        let count = if used.is_empty() {
            steps.len()
        } else {
            steps.len().min(used.len())
        };
        for (number, step) in steps[..count].iter().enumerate() {
            if step.is_simple {
                if used.get(number).is_some_and(|used| watch.watches(used)) {
                    return (number, None);
                }
                (step.handler)(wave, step);
                continue;
            }
            if self.skips_waits && does_nothing(step) {
                continue;
            }
            if !self.loads || !memory::loads_from_lds(step) {
                return (number, None);
            }
            let context = Context {
                dispatched,
                wave,
                lds,
                pc: code.address(step.index),
            };
            let overlook = watch.overlook(&context, step);
            if !overlook.is_unanimous
                || memory::load_from_lds(wave, step, lds, dispatched.device).is_none()
            {
                return (number, Some(overlook));
            }
        }
        (count, None)
    }
}

/// True of a wait, where nothing is counted that it waits for: all has taken effect already. On some hosts it is a fence.
#[inline(always)]
fn does_nothing(step: &Step) -> bool {
    cfg!(target_arch = "x86_64") && matches!(step.run, Executor::Wait(_))
}

/// Reports the instructions up to a wave's last one, at `pc`, which has faulted.
#[cold]
pub(super) fn end_sequence(
    dispatched: Dispatched<'_>,
    code: &Code,
    wave: &Wave,
    lds: &Lds,
    watch: &mut Watchers,
    pc: u64,
) {
    let Some((first, last)) = watch.begun.zip(code.index(pc)) else {
        return;
    };
    if let Some(Ok(steps)) = code.steps_at(first) {
        let count = steps.iter().take_while(|step| step.index <= last).count();
        watch.executed(dispatched, wave, lds, code, &steps[..count]);
    }
}

/// A vector instruction, with its operands where VGPR indexing has moved them.
#[inline(always)]
fn vector(wave: &mut Wave, step: &Step) {
    if indexing::is_on(wave) {
        indexing::execute(wave, step);
    } else {
        (step.handler)(wave, step);
    }
}

/// Counts the operation of the instruction at `pc`. It is inlined so that without observers no emitter is in memory.
#[inline(always)]
fn count(wave: &mut Wave, step: &Step, pc: u64, lds: &Lds, emitter: &mut Option<Emitter<'_>>) {
    match emitter {
        Some(emitter) => {
            if let Some(operation) = step.operation() {
                emitter.counts(wave, lds, operation);
            }
        }
        None => count_unobserved(wave, step, pc),
    }
}

/// [`count`] for code that reads its counters, which little does.
#[cold]
#[inline(never)]
fn count_unobserved(wave: &mut Wave, step: &Step, pc: u64) {
    if let Some((kind, increments)) = step.operation() {
        wave.scoreboard.issue(kind, pc, increments);
    }
}

/// The number of no dword: where a program counter points that is not aligned. No branch comes near it.
const NOWHERE: usize = 1 << (usize::BITS - 1);

/// MODE: bits that change what vector instructions do: indexing, and skipping them.
const CHANGES_EXECUTION: u32 = indexing::GPR_IDX_EN | MODE_VSKIP;

/// S_SETPRIO has two bits.
const PRIORITY: u8 = 3;

/// True if a branch on `condition` is taken.
#[inline]
fn holds(wave: &Wave, condition: Condition) -> bool {
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

/// Program control.
fn flow(wave: &mut Wave, step: &Step) -> Result<(), FaultKind> {
    match step.inst.does() {
        Does::Control(control) => match control {
            // The counters do not hold up the end; what was issued takes place all the same (checklist 5.5).
            Control::End => wave.waiting = Waiting::Ended,
            Control::Barrier => wave.waiting = Waiting::Barrier,
            Control::SendMsg { halt: true } => return Err(FaultKind::Halted),
            // Nobody is there to receive it.
            Control::SendMsg { halt: false } => {}
            Control::Trap if step.immediate() as u8 == fault::BREAKPOINT => {}
            Control::Trap => return Err(FaultKind::Trap(step.immediate() as u8)),
            Control::SetHalt if step.immediate() & 1 != 0 => return Err(FaultKind::Halted),
            // Who sleeps waits for somebody, whose turn it is now. There is no time that could pass.
            Control::Sleep => wave.waiting = Waiting::Asleep,
            Control::SetPrio => wave.priority = step.immediate() as u8 & PRIORITY,
            Control::GprIndexOff => indexing::turn_off(wave),
            Control::GprIndexMode => indexing::set_operands(wave, step, 0),
            // Nothing here depends on time, priority, caches of code or performance counters. Waits have been done.
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
