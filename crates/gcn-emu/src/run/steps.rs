//! The step loop: a wave's instructions, block by block.
//!
//! There is one loop, compiled twice: for runs without observers ([`Unobserved`]) and with a set of them
//! ([`Observed`](super::observed::Observed)), which differ in how a step is executed ([`Execution`]). Most steps are executed by
//! [`Execution::fast`], in place; the rest by [`Execution::execute`], a call away.

use super::instruction::{After, CHANGES_EXECUTION, NOWHERE, State, does_nothing, execute, holds};
use super::stop::Stop;
use super::turn::Turn;
use crate::block::{Block, BlockEntry, Exit};
use crate::exec::memory;
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::observe::Dispatched;
use crate::step::{Executor, Step};
use crate::wave::Wave;

/// Exit of a wave from a block.
pub(super) enum BlockExit {
    /// The wave goes on at the dword with this number.
    Goes(usize),
    /// The wave waits, or is blocked, and will go on there.
    Waits(usize),
}

/// Execution of steps, with or without events. `number` counts the steps of a block from its entry.
pub(super) trait Execution<'a> {
    /// A turn of the wave begins.
    fn begin_turn(&mut self, wave: &Wave, lds: &Lds);

    /// The wave enters a block.
    fn enter(&mut self, block: &'a Block, from: usize, is_unmodified: bool);

    /// Executes a step before which the wave has executed `before` instructions. Returns false, and has done nothing, if the step
    /// is one for [`Execution::execute`].
    ///
    /// # Errors
    /// The reason for which the wave stops, boxed: a small result is handed on in registers.
    fn fast(
        &mut self,
        state: State<'_>,
        step: &Step,
        number: usize,
        before: u64,
    ) -> Result<bool, Box<Stop>>;

    /// Executes the last of the steps that the wave has executed since it has entered the block. It is no branch.
    ///
    /// # Errors
    /// As of [`Execution::fast`].
    fn execute(&mut self, state: State<'_>, steps: &[Step]) -> Result<After, Box<Stop>>;

    /// The wave takes a branch to the dword with number `next`, or falls through to it.
    fn branch(&mut self, wave: &mut Wave, lds: &Lds, step: &Step, number: usize, next: usize);

    /// The wave leaves a block in which it has executed these steps.
    fn leave(&mut self, wave: &Wave, lds: &Lds, steps: &[Step]);

    /// The turn ends because the wave has executed as many instructions as it may.
    ///
    /// # Errors
    /// The reason for which the wave stops.
    fn end_turn(&mut self, state: State<'_>) -> Result<(), Stop>;
}

/// Runs a wave until it ends, waits, or has executed `instructions` instructions.
#[inline(always)]
pub(super) fn run_wave<'a>(
    dispatched: &Dispatched<'a>,
    execution: &mut impl Execution<'a>,
    (wave, lds, transfer): State<'_>,
    instructions: u64,
) -> Result<(), Stop> {
    let code = dispatched.code;
    let turn = Turn::new(dispatched, wave, instructions);
    // The program counter is in `index`, in dwords of the code; the wave's own is right wherever anyone can see it, and so is
    // its count of instructions.
    let mut index = code.index(wave.pc).unwrap_or(NOWHERE);
    execution.begin_turn(wave, lds);
    while wave.executed < turn.until {
        let Some(entry) = code.entry(index) else {
            return Err(turn.nowhere(wave, index, None));
        };
        if let Exit::Undecodable(error) = entry.block.exit() {
            return Err(turn.nowhere(wave, index, Some(FaultKind::Undecodable(error))));
        }
        entry.count();
        let state = (&mut *wave, &mut *lds, &mut *transfer);
        let left = turn.until - state.0.executed;
        match interpret(execution, state, entry, left).map_err(|stop| *stop)? {
            BlockExit::Goes(next) => index = next,
            BlockExit::Waits(next) => {
                wave.pc = code.address(next);
                return Ok(());
            }
        }
    }
    turn.set_pc(wave, index);
    execution.end_turn((wave, lds, transfer))?;
    turn.end(wave)
}

/// Runs a wave from a step of a block on until it leaves the block, or has executed `left` instructions. Only here the wave's count of
/// instructions and its last branch change.
#[inline(always)]
fn interpret<'a>(
    execution: &mut impl Execution<'a>,
    (wave, lds, transfer): State<'_>,
    BlockEntry { block, from }: BlockEntry<'a>,
    left: u64,
) -> Result<BlockExit, Box<Stop>> {
    let is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
    let executed = wave.executed;
    let steps = &block.steps()[from..];
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    let straight = left.min(block.straight() - from);
    execution.enter(block, from, is_unmodified);
    let (count, next) = 'block: {
        for (number, step) in steps[..straight].iter().enumerate() {
            let before = executed + number as u64;
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            if execution.fast(state, step, number, before)? {
                continue;
            }
            wave.executed = before;
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            match execution.execute(state, &steps[..=number])? {
                After::Goes(next) if next == step.following() => {}
                After::Goes(next) => break 'block (number + 1, next),
                After::Waits(next) => {
                    wave.executed = before + 1;
                    return Ok(BlockExit::Waits(next));
                }
                After::Blocked => {
                    // The wave yields, and tries the instruction again at its next turn.
                    execution.leave(wave, lds, &steps[..number]);
                    return Ok(BlockExit::Waits(step.index));
                }
            }
        }
        match block.exit() {
            Exit::Branch { condition, target } if straight < left => {
                let step = &steps[straight];
                let next = if holds(wave, condition) {
                    target
                } else {
                    step.following()
                };
                wave.executed = executed + straight as u64;
                execution.branch(wave, lds, step, straight, next);
                (straight + 1, next)
            }
            _ => (straight, steps[straight - 1].following()),
        }
    };
    wave.executed = executed + count as u64;
    let last = &steps[count - 1];
    if next != last.following() {
        wave.branch = Some(last.index);
    }
    execution.leave(wave, lds, &steps[..count]);
    Ok(BlockExit::Goes(next))
}

/// Steps without events.
struct Unobserved<'a> {
    dispatched: &'a Dispatched<'a>,
    /// The wait counters are kept.
    counts: bool,
    is_unmodified: bool,
}

/// [`run_wave`] without observers.
pub(super) fn run_unobserved(
    dispatched: &Dispatched<'_>,
    state: State<'_>,
    instructions: u64,
) -> Result<(), Stop> {
    let mut unobserved = Unobserved {
        dispatched,
        // All has taken effect already: what is outstanding is of use only to code that looks.
        counts: dispatched.code.reads_counters(),
        is_unmodified: false,
    };
    run_wave(dispatched, &mut unobserved, state, instructions)
}

impl<'a> Execution<'a> for Unobserved<'a> {
    #[inline(always)]
    fn begin_turn(&mut self, _wave: &Wave, _lds: &Lds) {}

    #[inline(always)]
    fn enter(&mut self, _block: &'a Block, _from: usize, is_unmodified: bool) {
        self.is_unmodified = is_unmodified;
    }

    #[inline(always)]
    fn fast(
        &mut self,
        (wave, lds, transfer): State<'_>,
        step: &Step,
        _number: usize,
        _before: u64,
    ) -> Result<bool, Box<Stop>> {
        if !self.is_unmodified {
            return Ok(false);
        }
        // The most frequent instructions, ahead of the rest.
        if step.is_simple() {
            (step.handler)(wave, step);
            return Ok(true);
        }
        // Those that come next: accesses of a common shape, and waits that have nothing to wait for.
        Ok(!self.counts
            && match (step.run, step.memory.as_deref()) {
                (Executor::Memory, Some(plan)) => {
                    let device = self.dispatched.device;
                    memory::execute_fast_path(wave, plan, lds, device, transfer).is_some()
                }
                _ => does_nothing(step),
            })
    }

    #[inline(always)]
    fn execute(&mut self, state: State<'_>, steps: &[Step]) -> Result<After, Box<Stop>> {
        let step = &steps[steps.len() - 1];
        execute(self.dispatched, state, step, self.counts, None).map_err(Box::new)
    }

    #[inline(always)]
    fn branch(&mut self, _: &mut Wave, _: &Lds, _step: &Step, _number: usize, _next: usize) {}

    #[inline(always)]
    fn leave(&mut self, _wave: &Wave, _lds: &Lds, _steps: &[Step]) {}

    #[inline(always)]
    fn end_turn(&mut self, _state: State<'_>) -> Result<(), Stop> {
        Ok(())
    }
}
