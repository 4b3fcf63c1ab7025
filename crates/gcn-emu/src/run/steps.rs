//! The step loop: a wave's instructions, block by block.
//!
//! There is one loop, compiled twice: for runs without observers ([`Unobserved`]) and with a set of them
//! ([`Observed`](super::observed::Observed)), which differ in how a step is executed ([`Execution`]). Most steps are executed by
//! [`Execution::fast`], in place; the rest by [`Execution::execute`], a call away.

use gcn_isa::DecodeError;

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
enum BlockExit {
    /// The wave goes on at the dword with this number.
    Goes(usize),
    /// The wave waits, or is blocked, and will go on there.
    Waits(usize),
    /// The block has no instruction.
    Undecodable(DecodeError),
}

/// Execution of steps, with or without events. `number` counts the steps of a block from its entry, before which the wave has executed
/// `executed` instructions.
pub(super) trait Execution<'a> {
    /// A turn of the wave begins.
    fn begin_turn(&mut self, wave: &Wave, lds: &Lds);

    /// The wave enters a block.
    fn enter(&mut self, block: &'a Block, from: usize, is_unmodified: bool);

    /// Executes steps from one on, up to the first that is one for [`Execution::execute`]. Returns its number, or their length.
    ///
    /// # Errors
    /// The reason for which the wave stops, boxed: a small result is handed on in registers.
    fn fast(
        &mut self,
        state: State<'_>,
        steps: &[Step],
        number: usize,
        executed: u64,
    ) -> Result<usize, Box<Stop>>;

    /// Executes the last of the steps that the wave has executed since it has entered the block. It is no branch.
    ///
    /// # Errors
    /// As of [`Execution::fast`].
    fn execute(&mut self, state: State<'_>, steps: &[Step]) -> Result<After, Box<Stop>>;

    /// The wave takes a branch to the dword with number `next`, or falls through to it.
    fn branch(&mut self, state: State<'_>, step: &Step, number: usize, executed: u64, next: usize);

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
        let left = turn.until - wave.executed;
        let state = (&mut *wave, &mut *lds, &mut *transfer);
        match interpret(execution, state, entry, left).map_err(|stop| *stop)? {
            BlockExit::Goes(next) => index = next,
            BlockExit::Waits(next) => {
                wave.pc = code.address(next);
                return Ok(());
            }
            BlockExit::Undecodable(error) => {
                return Err(turn.nowhere(wave, index, Some(FaultKind::Undecodable(error))));
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
    entry: BlockEntry<'a>,
    left: u64,
) -> Result<BlockExit, Box<Stop>> {
    let BlockEntry { block, from } = entry;
    entry.count();
    let executed = wave.executed;
    let steps = &block.steps()[from..];
    let mut body = block.body(steps);
    // The turn may end ahead of the exit.
    let takes_exit = left >= steps.len() as u64;
    if !takes_exit {
        body = &body[..body.len().min(left as usize)];
    }
    execution.enter(block, from, wave.mode & CHANGES_EXECUTION == 0);
    let mut number = 0;
    loop {
        let state = (&mut *wave, &mut *lds, &mut *transfer);
        number = execution.fast(state, body, number, executed)?;
        let Some(step) = body.get(number) else {
            break;
        };
        wave.executed = executed + number as u64;
        let state = (&mut *wave, &mut *lds, &mut *transfer);
        match execution.execute(state, &body[..=number])? {
            After::Goes(next) => {
                number += 1;
                if next != step.following() {
                    wave.executed = executed + number as u64;
                    wave.branch = Some(step.index);
                    execution.leave(wave, lds, &body[..number]);
                    return Ok(BlockExit::Goes(next));
                }
            }
            After::Waits(next) => {
                wave.executed = executed + number as u64 + 1;
                return Ok(BlockExit::Waits(next));
            }
            After::Blocked => {
                // The wave yields, and tries the instruction again at its next turn.
                execution.leave(wave, lds, &body[..number]);
                return Ok(BlockExit::Waits(step.index));
            }
        }
    }
    if !takes_exit {
        wave.executed = executed + left;
        execution.leave(wave, lds, body);
        return Ok(BlockExit::Goes(steps[number].index));
    }
    let mut next = block.following();
    match block.exit() {
        Exit::Branch { condition, target } => {
            let step = &steps[number];
            let is_taken = holds(wave, condition);
            if is_taken {
                next = target;
            }
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            execution.branch(state, step, number, executed, next);
            if is_taken {
                wave.branch = Some(step.index);
            }
        }
        Exit::Undecodable(error) => return Ok(BlockExit::Undecodable(error)),
        Exit::FallThrough | Exit::Jump | Exit::Wait | Exit::End => {}
    }
    wave.executed = executed + steps.len() as u64;
    execution.leave(wave, lds, steps);
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
        steps: &[Step],
        number: usize,
        _executed: u64,
    ) -> Result<usize, Box<Stop>> {
        if !self.is_unmodified {
            return Ok(number);
        }
        let device = self.dispatched.device;
        let mut rest = steps[number..].iter();
        let left = loop {
            let Some(step) = rest.next() else {
                break 0;
            };
            // The most frequent instructions, ahead of the rest.
            if step.is_simple() {
                (step.handler)(wave, step);
                continue;
            }
            // Those that come next: accesses of a common shape, and waits that have nothing to wait for.
            let done = !self.counts
                && match (step.run, step.memory.as_deref()) {
                    (Executor::Memory, Some(plan)) => {
                        memory::execute_fast_path(wave, plan, lds, device, transfer).is_some()
                    }
                    _ => does_nothing(step),
                };
            if !done {
                break rest.len() + 1;
            }
        };
        Ok(steps.len() - left)
    }

    #[inline(never)]
    fn execute(&mut self, state: State<'_>, steps: &[Step]) -> Result<After, Box<Stop>> {
        let step = &steps[steps.len() - 1];
        execute(self.dispatched, state, step, self.counts, None).map_err(Box::new)
    }

    #[inline(always)]
    fn branch(&mut self, _: State<'_>, _: &Step, _number: usize, _executed: u64, _next: usize) {}

    #[inline(always)]
    fn leave(&mut self, _wave: &Wave, _lds: &Lds, _steps: &[Step]) {}

    #[inline(always)]
    fn end_turn(&mut self, _state: State<'_>) -> Result<(), Stop> {
        Ok(())
    }
}
