//! The step loop: a wave's instructions, block by block.
//!
//! There is one loop, compiled twice: for runs without observers ([`Unobserved`]) and with a set of them
//! ([`Observed`](super::observed::Observed)), which differ in how a step is executed ([`Execution`]). Most steps are executed by
//! [`Execution::fast`], in place; the rest by [`Execution::execute`], a call away.

use gcn_isa::DecodeError;

use super::instruction::{After, NOWHERE, State, does_nothing, execute, holds, is_unmodified};
use super::stop::Stop;
use super::turn::Turn;
use crate::block::{Block, BlockEntry, Exit};
use crate::exec::memory::{self, Transfer};
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::native::{Engine, Policy};
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

/// Execution of steps, with or without events. `executed` is the wave's count of instructions when it has entered the block.
pub(super) trait Execution<'a> {
    /// A turn of the wave begins.
    fn begin_turn(&mut self, wave: &Wave, lds: &Lds);

    /// The wave enters a block at the step with a number.
    fn enter(&mut self, block: &'a Block, from: usize);

    /// Executes steps of which the first has a number from the block's entry, up to one for [`Execution::execute`], which is the first
    /// of those that are returned. MODE does not change what they do.
    ///
    /// # Errors
    /// The reason for which the wave stops, boxed: a small result is handed on in registers.
    fn fast<'b>(
        &mut self,
        state: State<'_>,
        steps: &'b [Step],
        number: usize,
        executed: u64,
    ) -> Result<&'b [Step], Box<Stop>>;

    /// Executes the last of the steps that the wave has executed since it has entered the block. It is no branch.
    ///
    /// # Errors
    /// As of [`Execution::fast`].
    fn execute(&mut self, state: State<'_>, steps: &[Step]) -> Result<After, Box<Stop>>;

    /// The wave executes a branch, the last of the steps, and goes on at the dword with number `next`.
    fn branch(&mut self, state: State<'_>, steps: &[Step], executed: u64, next: usize);

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
    let takes_exit = left >= steps.len() as u64;
    let body = block.body(steps);
    let body = if takes_exit {
        body
    } else {
        shortened(body, left)
    };
    execution.enter(block, from);
    let mut rest = body;
    loop {
        if is_unmodified(wave) {
            let number = body.len() - rest.len();
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            rest = execution.fast(state, rest, number, executed)?;
        }
        let [step, others @ ..] = rest else {
            break;
        };
        let done = body.len() - others.len();
        let before = executed + done as u64 - 1;
        wave.executed = before;
        let state = (&mut *wave, &mut *lds, &mut *transfer);
        match execution.execute(state, &body[..done])? {
            // Indexing may be on now, or off.
            After::Goes(next) if next == step.following() => rest = others,
            After::Goes(next) => {
                wave.executed = before + 1;
                wave.branch = Some(step.index);
                execution.leave(wave, lds, &body[..done]);
                return Ok(BlockExit::Goes(next));
            }
            After::Waits(next) => {
                wave.executed = before + 1;
                return Ok(BlockExit::Waits(next));
            }
            After::Blocked => {
                // The wave yields, and tries the instruction again at its next turn.
                execution.leave(wave, lds, &body[..done - 1]);
                return Ok(BlockExit::Waits(step.index));
            }
        }
    }
    if !takes_exit {
        wave.executed = executed + left;
        execution.leave(wave, lds, body);
        return Ok(BlockExit::Goes(steps[body.len()].index));
    }
    let mut next = block.following();
    if let Exit::Branch { condition, target } = block.exit() {
        let is_taken = holds(wave, condition);
        if is_taken {
            next = target;
        }
        let state = (&mut *wave, &mut *lds, &mut *transfer);
        execution.branch(state, steps, executed, next);
        if is_taken {
            wave.branch = Some(block.last());
        }
    } else if let Exit::Undecodable(error) = block.exit() {
        return Ok(BlockExit::Undecodable(error));
    }
    wave.executed = executed + steps.len() as u64;
    execution.leave(wave, lds, steps);
    Ok(BlockExit::Goes(next))
}

/// The first steps, of which the turn has `left`, or all.
#[cold]
#[inline(never)]
fn shortened(steps: &[Step], left: u64) -> &[Step] {
    &steps[..steps.len().min(left as usize)]
}

/// Steps without events.
struct Unobserved<'a> {
    /// Block that the wave is in, and the step at which it has entered.
    entry: Option<BlockEntry<'a>>,
    /// Conditions under which blocks are compiled.
    policy: Option<Policy>,
    dispatched: &'a Dispatched<'a>,
    /// The wait counters are kept.
    counts: bool,
}

/// [`run_wave`] without observers.
pub(super) fn run_unobserved(
    dispatched: &Dispatched<'_>,
    state: State<'_>,
    instructions: u64,
) -> Result<(), Stop> {
    let mut unobserved = Unobserved {
        entry: None,
        policy: Engine::policy(),
        dispatched,
        // All has taken effect already: what is outstanding is of use only to code that looks.
        counts: dispatched.code.reads_counters(),
    };
    run_wave(dispatched, &mut unobserved, state, instructions)
}

impl Unobserved<'_> {
    /// Interprets steps, up to one that is not to be executed in place.
    #[inline(always)]
    fn interpreted<'b>(&self, (wave, lds, transfer): State<'_>, steps: &'b [Step]) -> &'b [Step] {
        let device = self.dispatched.device;
        let mut rest = steps;
        while let [step, others @ ..] = rest {
            // The most frequent instructions, ahead of the rest.
            if step.is_simple() {
                (step.handler)(wave, step);
                rest = others;
                continue;
            }
            // Those that come next: accesses of a common shape, and waits that have nothing to wait for.
            let is_done = !self.counts
                && match (step.run, step.memory.as_deref()) {
                    (Executor::Memory, Some(plan)) => {
                        memory::execute_fast_path(wave, plan, lds, device, transfer).is_some()
                    }
                    _ => does_nothing(step),
                };
            if !is_done {
                break;
            }
            rest = others;
        }
        rest
    }
}

impl<'a> Execution<'a> for Unobserved<'a> {
    #[inline(always)]
    fn begin_turn(&mut self, _wave: &Wave, _lds: &Lds) {}

    #[inline(always)]
    fn enter(&mut self, block: &'a Block, from: usize) {
        self.entry = Some(BlockEntry { block, from });
    }

    #[inline(always)]
    fn fast<'b>(
        &mut self,
        (wave, lds, transfer): State<'_>,
        steps: &'b [Step],
        number: usize,
        _executed: u64,
    ) -> Result<&'b [Step], Box<Stop>> {
        let mut done = 0;
        if let Some(policy) = self.policy
            && let Some(BlockEntry { block, from }) = self.entry
        {
            let first = from + number;
            for segment in block.segments(wave, policy) {
                let Some(start) = segment.from().checked_sub(first) else {
                    continue;
                };
                let Some(own) = steps.get(start..start + segment.count()) else {
                    break;
                };
                let rest = self.interpreted((wave, lds, transfer), &steps[done..start]);
                if !rest.is_empty() {
                    return Ok(&steps[start - rest.len()..]);
                }
                segment.run(wave, own);
                done = start + segment.count();
            }
        }
        Ok(self.interpreted((wave, lds, transfer), &steps[done..]))
    }

    #[inline(always)]
    fn execute(&mut self, state: State<'_>, steps: &[Step]) -> Result<After, Box<Stop>> {
        let (step, (wave, lds, transfer)) = (&steps[steps.len() - 1], state);
        execute_unobserved(self.dispatched, wave, lds, transfer, step, self.counts)
    }

    #[inline(always)]
    fn branch(&mut self, _state: State<'_>, _steps: &[Step], _executed: u64, _next: usize) {}

    #[inline(always)]
    fn leave(&mut self, _wave: &Wave, _lds: &Lds, _steps: &[Step]) {}

    #[inline(always)]
    fn end_turn(&mut self, _state: State<'_>) -> Result<(), Stop> {
        Ok(())
    }
}

/// [`execute`] without events, out of the loop: it would take the host's registers from it.
#[inline(never)]
fn execute_unobserved(
    dispatched: &Dispatched<'_>,
    wave: &mut Wave,
    lds: &mut Lds,
    transfer: &mut Transfer,
    step: &Step,
    counts: bool,
) -> Result<After, Box<Stop>> {
    execute(dispatched, (wave, lds, transfer), step, counts, None).map_err(Box::new)
}
