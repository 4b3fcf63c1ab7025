//! The step loop: a wave's instructions, one after the other.

use std::sync::atomic::Ordering::Relaxed;

use super::instruction::{After, CHANGES_EXECUTION, NOWHERE, does_nothing, execute};
use super::late::Machine;
use super::observed::Observed;
use super::stop::Stop;
use crate::code::Code;
use crate::exec::memory::{self, Transfer};
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::observe::{Context, Dispatched, Events, Overlook, Watchers};
use crate::step::Executor;
use crate::wave::Wave;

/// Runs a wave until it ends, waits, or has executed `instructions` instructions. `transfer` may hold anything; it is the
/// caller's so that it is not made anew for every turn. `OBSERVED` says whether `watch` has any observers: the loop is compiled
/// for runs without observers, and for those with any.
pub(super) fn run_wave<const OBSERVED: bool>(
    dispatched: &Dispatched<'_>,
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
    let asks = OBSERVED && watch.may_overlook && !is_late;
    // Then an access that all observers overlook has no event at all.
    let drops_overlooked = asks && !watch.wants.any(Events::NOT_OVERLOOKED);
    let reports_sequences = OBSERVED && watch.wants.any(Events::SEQUENCE);
    // Then waits have none.
    let skips_waits =
        OBSERVED && !reports_all && !counts && !is_late && !watch.wants.any(Events::WAIT);
    let of_flow =
        Events::INSTRUCTION | Events::WATCHED | Events::BARRIER | Events::WAVE | Events::SEQUENCE;
    // Then barriers and the like have none.
    let skips_flow = OBSERVED && !counts && !is_late && !watch.wants.any(of_flow);
    let observed = Observed {
        dispatched,
        watches,
        counts,
        reports_all,
        reports_sequences,
        skips_waits,
        asks,
        drops_overlooked,
    };
    // Then `observed` executes stretches of instructions by itself.
    let runs = OBSERVED && !is_late;
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
        let mut is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
        // Then the next instruction is one that `observed` leaves to this loop.
        let is_left = runs && is_unmodified;
        if is_left {
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            index = observed
                .run(state, index, until, watch)
                .map_err(|stop| *stop)?;
        }
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
                Machine::new(dispatched, lds, transfer, watch).finish(wave)?;
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
        if is_left {
            steps = &steps[..steps.len().min(1)];
        }
        let used = if watches { code.used_at(index) } else { &[] };
        if reports_sequences {
            watch.begun = Some(index);
        }
        for (number, step) in steps.iter().enumerate() {
            let is_watched = watches && used.get(number).is_none_or(|used| watch.watches(used));
            // The most frequent instructions, ahead of the rest.
            if step.is_simple && !reports_all && !is_watched && is_unmodified {
                (step.handler)(wave, step);
                continue;
            }
            // Those that come next: accesses of a common shape, and waits that have nothing to wait for.
            if !OBSERVED && !counts && is_unmodified {
                let done = match (step.run, step.memory.as_deref()) {
                    (Executor::Memory, Some(plan)) => {
                        memory::execute_fast_path(wave, plan, lds, device, transfer).is_some()
                    }
                    _ => does_nothing(step),
                };
                if done {
                    continue;
                }
            }
            let before = executed + number as u64;
            wave.executed = before;
            index = step.index;
            let is_plain = matches!(step.run, Executor::Scalar | Executor::Branch(..));
            let mut has_events =
                reports_all || !is_plain || watches && (is_watched || !is_unmodified);
            has_events &= !(skips_waits && matches!(step.run, Executor::Wait(_)));
            has_events &= !(skips_flow && matches!(step.run, Executor::Flow));
            let following = step.following();
            let after = if OBSERVED && has_events {
                let state = (&mut *wave, &mut *lds, &mut *transfer);
                let sequence = reports_sequences.then(|| &steps[..=number]);
                let overlook = Overlook::default();
                observed
                    .execute(state, step, watch, overlook, sequence)
                    .map_err(|stop| *stop)?
            } else {
                execute(
                    dispatched, wave, step, following, lds, transfer, counts, None,
                )?
            };
            let next = match after {
                After::Goes(next) => next,
                After::Changed(next) => {
                    is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
                    next
                }
                After::Waits(next) => {
                    wave.executed = before + 1;
                    wave.pc = code.address(next);
                    return Ok(());
                }
                After::Blocked => {
                    // The wave yields, and tries the instruction again at its next turn.
                    if reports_sequences {
                        watch.executed(dispatched, wave, lds, &steps[..number]);
                    }
                    wave.pc = code.address(index);
                    return Ok(());
                }
            };
            wave.executed = before + 1;
            if next != following {
                wave.branch = Some(index as u32);
                if reports_sequences {
                    watch.executed(dispatched, wave, lds, &steps[..=number]);
                }
                index = next;
                continue 'blocks;
            }
        }
        wave.executed = executed + steps.len() as u64;
        if reports_sequences {
            watch.executed(dispatched, wave, lds, steps);
        }
        if let Some(last) = steps.last() {
            index = last.following();
        }
    }
}

/// Reports the instructions up to a wave's last one, at `pc`, which has faulted.
#[cold]
pub(super) fn end_sequence(
    dispatched: &Dispatched<'_>,
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
        watch.executed(dispatched, wave, lds, &steps[..count]);
    }
}
