//! The step loop of runs without observers: a wave's instructions, one after the other. That of runs with observers is
//! [`Observed`](super::observed::Observed)'s.

use super::instruction::{After, CHANGES_EXECUTION, NOWHERE, does_nothing, execute};
use super::stop::Stop;
use super::turn::Turn;
use crate::exec::memory::{self, Transfer};
use crate::lds::Lds;
use crate::observe::Dispatched;
use crate::step::Executor;
use crate::wave::Wave;

/// Runs a wave until it ends, waits, or has executed `instructions` instructions. `transfer` may hold anything; it is the
/// caller's so that it is not made anew for every turn.
pub(super) fn run_wave(
    dispatched: &Dispatched<'_>,
    wave: &mut Wave,
    lds: &mut Lds,
    transfer: &mut Transfer,
    instructions: u64,
) -> Result<(), Stop> {
    let Dispatched { device, code, .. } = *dispatched;
    let turn = Turn::new(dispatched, wave, instructions);
    // The program counter is in `index`, in dwords of the code; the wave's own is right wherever anyone can see it, and so is
    // its count of instructions.
    let mut index = code.index(wave.pc).unwrap_or(NOWHERE);
    // All has taken effect already: what is outstanding is of use only to code that looks.
    let counts = code.reads_counters();
    'blocks: loop {
        let mut is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
        if wave.executed >= turn.until {
            return turn.end(wave, index);
        }
        let executed = wave.executed;
        let steps = turn.steps(wave, index)?;
        for (number, step) in steps.iter().enumerate() {
            // The most frequent instructions, ahead of the rest.
            if step.is_simple() && is_unmodified {
                (step.handler)(wave, step);
                continue;
            }
            // Those that come next: accesses of a common shape, and waits that have nothing to wait for.
            if !counts && is_unmodified {
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
            let following = step.following();
            let after = execute(
                dispatched, wave, step, following, lds, transfer, counts, None,
            )?;
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
                    wave.pc = code.address(index);
                    return Ok(());
                }
            };
            wave.executed = before + 1;
            if next != following {
                wave.branch = Some(index);
                index = next;
                continue 'blocks;
            }
        }
        wave.executed = executed + steps.len() as u64;
        if let Some(last) = steps.last() {
            index = last.following();
        }
    }
}
