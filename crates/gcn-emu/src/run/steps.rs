//! Step loop: executes a wave's instructions block by block.
//!
//! The loop is compiled twice: for runs without observers ([`Unobserved`]) and with observers
//! ([`Observed`](super::observed::Observed)). The two versions differ in the execution of a step ([`Execution`]).
//! [`Execution::fast`] executes most steps inline, and [`Execution::execute`] the rest out of line.

use gcn_isa::DecodeError;

use super::instruction::{
    After, NOWHERE, State, can_run_host_code, does_nothing, execute, holds, is_unmodified,
    leaves_execution,
};
use super::stop::Stop;
use super::stop_points::StopPoints;
use super::turn::Turn;
use crate::block::{Block, BlockEntry, Exit};
use crate::code::Code;
use crate::device::Device;
use crate::exec::memory::{self, Transfer};
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::native::{
    Engine, Fallback, FrameSlot, Memories, NativeBlock, NativeExit, Policy, Variant,
};
use crate::observe::Dispatched;
use crate::step::{Executor, Step};
use crate::wave::{Waiting, Wave};

/// Exit of a wave from a block.
pub(super) enum BlockExit {
    /// The wave continues at the dword with this index.
    Goes(usize),
    /// The wave waits or is blocked, and will continue at the dword with this index.
    Waits(usize),
    /// The block has no decodable instruction.
    Undecodable(DecodeError),
}

/// Execution of steps, with or without events. `executed` is the wave's instruction count on entry to the block.
pub(super) trait Execution<'a> {
    /// Begins a turn of the wave.
    fn begin_turn(&mut self, wave: &Wave, lds: &Lds);

    /// Number of steps that the wave executes from an entry before a debugger stops it.
    fn until_stop(&mut self, entry: BlockEntry<'a>) -> u64;

    /// Enters a block at the step with this index.
    fn enter(&mut self, block: &'a Block, from: usize);

    /// Runs the wave with the host code of a block and its successors, for at most `left` instructions. Returns `None`
    /// if the block has no host code for the wave.
    ///
    /// # Errors
    /// Returns the errors of [`Execution::fast`].
    fn compiled(
        &mut self,
        state: State<'_>,
        entry: BlockEntry<'a>,
        left: u64,
    ) -> Result<Option<BlockExit>, Box<Stop>>;

    /// True if host code may continue the wave after interpreted steps.
    #[inline(always)]
    fn may_stay_compiled(&self) -> bool {
        true
    }

    /// Executes steps until one needs [`Execution::execute`], and returns that step and the rest. `number` is the index
    /// of the first step, counted from the block's entry. MODE must not affect the steps.
    ///
    /// # Errors
    /// Returns the reason why the wave stops. The error is boxed so that the result fits in registers.
    fn fast<'b>(
        &mut self,
        state: State<'_>,
        steps: &'b [Step],
        number: usize,
        executed: u64,
    ) -> Result<&'b [Step], Box<Stop>>;

    /// Executes the last of `steps`, which must not be a branch. The others are the steps that the wave has executed
    /// since it entered the block.
    ///
    /// # Errors
    /// Returns the errors of [`Execution::fast`].
    fn execute(&mut self, state: State<'_>, steps: &[Step]) -> Result<After, Box<Stop>>;

    /// Reports a branch, which is the last of the steps. The wave continues at the dword with index `next`.
    fn branch(&mut self, state: State<'_>, steps: &[Step], executed: u64, next: usize);

    /// Reports that the wave leaves a block after these steps.
    fn leave(&mut self, wave: &Wave, lds: &Lds, steps: &[Step]);

    /// Reports that the barrier of a wave that is alone in its workgroup has opened.
    fn barrier_opens(&mut self, wave: &Wave);
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
    // `index` is the program counter, in dwords of the code. The wave's own program counter and instruction count are
    // updated only when other code can see them.
    execution.begin_turn(wave, lds);
    let mut index = code.index(wave.pc).unwrap_or(NOWHERE);
    while wave.executed < turn.until {
        let Some(entry) = code.entry(index) else {
            return Err(turn.nowhere(wave, index, None));
        };
        let left = (turn.until - wave.executed).min(execution.until_stop(entry));
        if left == 0 {
            turn.set_pc(wave, index);
            return Ok(());
        }
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
    turn.end(wave)
}

/// Runs a wave from a step of a block until it leaves the block or has executed `left` instructions. Updates the
/// wave's instruction count and last branch.
#[inline(always)]
fn interpret<'a>(
    execution: &mut impl Execution<'a>,
    (wave, lds, transfer): State<'_>,
    entry: BlockEntry<'a>,
    left: u64,
) -> Result<BlockExit, Box<Stop>> {
    let BlockEntry { block, from } = entry;
    entry.count();
    let state = (&mut *wave, &mut *lds, &mut *transfer);
    if let Some(exit) = execution.compiled(state, entry, left)? {
        return Ok(exit);
    }
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
    let state = (&mut *wave, &mut *lds, &mut *transfer);
    if let Some(exit) = execute_steps(execution, state, body, executed)? {
        return Ok(exit);
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

/// Executes consecutive steps of a block, except its branch. `executed` is the wave's instruction count before them.
/// Returns `None` if the wave continues after them.
#[inline(always)]
fn execute_steps<'a>(
    execution: &mut impl Execution<'a>,
    (wave, lds, transfer): State<'_>,
    steps: &[Step],
    executed: u64,
) -> Result<Option<BlockExit>, Box<Stop>> {
    let mut rest = steps;
    loop {
        if is_unmodified(wave) {
            let number = steps.len() - rest.len();
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            rest = execution.fast(state, rest, number, executed)?;
        }
        let [step, others @ ..] = rest else {
            return Ok(None);
        };
        let done = steps.len() - others.len();
        let before = executed + done as u64 - 1;
        wave.executed = before;
        let state = (&mut *wave, &mut *lds, &mut *transfer);
        match execution.execute(state, &steps[..done])? {
            // The instruction may have turned indexing on or off.
            After::Goes(next) if next == step.following() => rest = others,
            After::Goes(next) => {
                wave.executed = before + 1;
                wave.branch = Some(step.index);
                execution.leave(wave, lds, &steps[..done]);
                return Ok(Some(BlockExit::Goes(next)));
            }
            After::Waits(next) => {
                wave.executed = before + 1;
                // The only wave of a workgroup passes its barriers, as in host code.
                if wave.waiting == Waiting::Barrier && wave.group.waves == 1 {
                    wave.waiting = Waiting::No;
                    execution.barrier_opens(wave);
                    return Ok(Some(BlockExit::Goes(next)));
                }
                return Ok(Some(BlockExit::Waits(next)));
            }
            After::Blocked => {
                // The wave yields, and tries the instruction again in its next turn.
                execution.leave(wave, lds, &steps[..done - 1]);
                return Ok(Some(BlockExit::Waits(step.index)));
            }
        }
    }
}

/// First `left` steps, or all of them if there are fewer.
#[cold]
#[inline(never)]
fn shortened(steps: &[Step], left: u64) -> &[Step] {
    &steps[..steps.len().min(left as usize)]
}

/// Host code of a block at which the waves of a workgroup begin their turns.
#[derive(Clone, Copy)]
pub(super) struct HostEntry<'a> {
    policy: Policy,
    /// Address of the block.
    pc: u64,
    block: &'a Block,
    native: &'a NativeBlock,
}

impl<'a> HostEntry<'a> {
    /// VGPRs to clear in unobserved waves that start here with this MODE and all lanes active; `None` means all VGPRs.
    pub(super) fn cleared(&self, code: &Code, mode: u32) -> Option<&'a [u8]> {
        self.block
            .exposed(code.vgprs())
            .filter(|_| leaves_execution(mode))
    }

    /// Host code of the block at `pc`, if it has been compiled.
    pub(super) fn at(code: &'a Code, pc: u64, policy: Policy) -> Option<HostEntry<'a>> {
        let BlockEntry { block, from } = code.entry(code.index(pc)?)?;
        let native = block.native(policy.variant).filter(|_| from == 0)?;
        Some(HostEntry {
            policy,
            pc,
            block,
            native,
        })
    }
}

/// Waves that take turns one after another.
pub(super) trait Turns {
    /// Takes the next wave; `None` if there are no more.
    fn next(&mut self) -> Option<Box<Wave>>;

    /// Puts back a wave that waits or has ended.
    fn end(&mut self, wave: Box<Wave>);
}

/// Runs waves one after another with the host code at `entry`, each for at most `instructions` instructions, as long as
/// they begin there or at another block of the same region, and wait or end within that code. Returns the first wave
/// that does not, with the outcome of its turn so far, or `None` after the last wave.
#[inline(never)]
pub(super) fn run_together<'a>(
    dispatched: &Dispatched<'a>,
    entry: HostEntry<'a>,
    (lds, transfer): (&mut Lds, &mut Transfer),
    instructions: u64,
    turns: &mut impl Turns,
) -> Option<(Box<Wave>, Result<(), Stop>)> {
    let (mut entry, policy) = (entry, entry.policy);
    let mut unobserved = Unobserved {
        policy: Some(policy),
        dispatched,
        counts: false,
        stops: None,
    };
    let mut interpreter = Interpreter {
        execution: &mut unobserved,
        device: dispatched.device,
        lds,
        transfer,
        left: None,
    };
    let mut slot = FrameSlot::new();
    let mut runner = entry.native.runner(&mut interpreter, &mut slot);
    let (mut wave, turn, exit) = loop {
        let mut wave = turns.next()?;
        let turn = Turn::new(dispatched, &wave, instructions);
        let left = turn.until.saturating_sub(wave.executed);
        if wave.pc != entry.pc
            && let Some(other) = HostEntry::at(dispatched.code, wave.pc, policy)
            && runner.moves_to(other.native)
        {
            entry = other;
        }
        let is_at_entry = wave.pc == entry.pc
            && left >= entry.block.steps().len() as u64
            && is_unmodified(&wave)
            && entry.native.is_for(&wave);
        if !is_at_entry {
            return Some((wave, Ok(())));
        }
        match runner.run(&mut wave, left) {
            NativeExit::Waits(following) => {
                wave.pc = dispatched.code.address(following);
                turns.end(wave);
            }
            exit => break (wave, turn, exit),
        }
    };
    let exit = match exit {
        NativeExit::Goes(next) => Ok(BlockExit::Goes(next)),
        NativeExit::Waits(next) => Ok(BlockExit::Waits(next)),
        NativeExit::Interpreted => interpreter.left.unwrap_or(Ok(BlockExit::Goes(NOWHERE))),
    };
    let result = match exit {
        Ok(BlockExit::Goes(next)) => {
            turn.set_pc(&mut wave, next);
            if wave.executed < turn.until {
                Ok(())
            } else {
                turn.end(&wave)
            }
        }
        Ok(BlockExit::Waits(next)) => {
            wave.pc = dispatched.code.address(next);
            Ok(())
        }
        Ok(BlockExit::Undecodable(error)) => {
            Err(turn.nowhere(&wave, NOWHERE, Some(FaultKind::Undecodable(error))))
        }
        Err(stop) => Err(*stop),
    };
    Some((wave, result))
}

/// Execution of steps without events.
struct Unobserved<'a, 'd, 's> {
    /// Thresholds for compiling blocks.
    policy: Option<Policy>,
    dispatched: &'d Dispatched<'a>,
    /// True if wait counters are maintained.
    counts: bool,
    /// Debugger stops.
    stops: Option<&'s mut StopPoints>,
}

/// Thresholds for compiling blocks of runs without observers; `None` if nothing is compiled. Since host code may write
/// registers ahead of a faulting access, the interpreter executes memory accesses if a debugger needs exact registers
/// at a fault.
pub(super) fn unobserved_policy(is_exact: bool) -> Option<Policy> {
    Engine::policy(if is_exact {
        Variant::WithoutMemory
    } else {
        Variant::Full
    })
}

/// Variant of [`run_wave`] without observers.
pub(super) fn run_unobserved<'a>(
    dispatched: &Dispatched<'a>,
    state: State<'_>,
    stops: Option<&mut StopPoints>,
    instructions: u64,
    policy: Option<Policy>,
) -> Result<(), Stop> {
    // Operations take effect at once, so the wait counters matter only to code that reads them. Host code does not
    // maintain them.
    let counts = dispatched.code.reads_counters();
    let mut unobserved = Unobserved {
        policy: policy.filter(|_| !counts),
        dispatched,
        counts,
        stops,
    };
    run_wave(dispatched, &mut unobserved, state, instructions)
}

/// Interpreter called by host code.
struct Interpreter<'b, E> {
    execution: &'b mut E,
    device: &'b Device,
    lds: &'b mut Lds,
    transfer: &'b mut Transfer,
    /// Exit from the region during interpretation.
    left: Option<Result<BlockExit, Box<Stop>>>,
}

impl<'a, E: Execution<'a>> Fallback for Interpreter<'_, E> {
    fn memories(&mut self) -> Memories<'_> {
        Memories {
            global: &self.device.memory,
            is_exact: !self.device.config.dword_alignment,
            windows: &mut self.transfer.windows,
            lds: self.lds,
        }
    }

    fn interpret(&mut self, wave: &mut Wave, steps: &[Step], executed: u64) -> bool {
        let state = (&mut *wave, &mut *self.lds, &mut *self.transfer);
        let exit = execute_steps(self.execution, state, steps, executed);
        self.left = match (exit, steps) {
            (Ok(None), _) if self.execution.may_stay_compiled() => return true,
            (Ok(None), [.., last]) => {
                wave.executed = executed + steps.len() as u64;
                Some(Ok(BlockExit::Goes(last.following())))
            }
            (exit, _) => exit.transpose(),
        };
        self.left.is_none()
    }
}

/// Host code of a block for a wave that may execute `left` more instructions, if there is any. Compiles the block if it
/// is due.
#[inline(always)]
pub(super) fn host_code<'a>(
    dispatched: &Dispatched<'a>,
    policy: Policy,
    entry: BlockEntry<'a>,
    wave: &Wave,
    left: u64,
) -> Option<&'a NativeBlock> {
    if !can_run_host_code(entry, wave, left) {
        return None;
    }
    let block = entry.block;
    if block.is_due(policy) {
        dispatched.code.compile(block, wave.mode, policy);
    }
    let native = block.native(policy.variant);
    native.filter(|native| native.is_for(wave))
}

/// Runs a wave with host code, for at most `left` instructions.
#[inline(never)]
pub(super) fn run_native<'a>(
    native: &NativeBlock,
    execution: &mut impl Execution<'a>,
    device: &Device,
    (wave, lds, transfer): State<'_>,
    left: u64,
) -> Result<BlockExit, Box<Stop>> {
    let mut interpreter = Interpreter {
        execution,
        device,
        lds,
        transfer,
        left: None,
    };
    match native
        .runner(&mut interpreter, &mut FrameSlot::new())
        .run(wave, left)
    {
        NativeExit::Goes(next) => Ok(BlockExit::Goes(next)),
        NativeExit::Waits(next) => Ok(BlockExit::Waits(next)),
        NativeExit::Interpreted => interpreter.left.unwrap_or(Ok(BlockExit::Goes(NOWHERE))),
    }
}

impl Unobserved<'_, '_, '_> {
    /// Interprets steps up to one that cannot be executed inline.
    #[inline(always)]
    fn interpreted<'b>(&self, (wave, lds, transfer): State<'_>, steps: &'b [Step]) -> &'b [Step] {
        let device = self.dispatched.device;
        let mut rest = steps;
        while let [step, others @ ..] = rest {
            // The most frequent instructions come first.
            if step.is_simple() {
                (step.handler)(wave, step);
                rest = others;
                continue;
            }
            // Next most frequent: common memory accesses, and waits that have nothing to wait for.
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

impl<'a> Execution<'a> for Unobserved<'a, '_, '_> {
    #[inline(always)]
    fn begin_turn(&mut self, _wave: &Wave, _lds: &Lds) {}

    #[inline(always)]
    fn until_stop(&mut self, entry: BlockEntry<'a>) -> u64 {
        match &mut self.stops {
            Some(stops) => stops.distance(self.dispatched, entry),
            None => u64::MAX,
        }
    }

    #[inline(always)]
    fn enter(&mut self, _block: &'a Block, _from: usize) {}

    #[inline(always)]
    fn compiled(
        &mut self,
        state: State<'_>,
        entry: BlockEntry<'a>,
        left: u64,
    ) -> Result<Option<BlockExit>, Box<Stop>> {
        let Some(policy) = self.policy else {
            return Ok(None);
        };
        if let Some(stops) = &mut self.stops {
            let Some(native) = stops.host_code(self.dispatched, policy, entry, state.0, left)
            else {
                return Ok(None);
            };
            return run_native(&native, self, self.dispatched.device, state, left).map(Some);
        }
        let Some(native) = host_code(self.dispatched, policy, entry, state.0, left) else {
            return Ok(None);
        };
        run_native(native, self, self.dispatched.device, state, left).map(Some)
    }

    #[inline(always)]
    fn fast<'b>(
        &mut self,
        (wave, lds, transfer): State<'_>,
        steps: &'b [Step],
        _number: usize,
        _executed: u64,
    ) -> Result<&'b [Step], Box<Stop>> {
        Ok(self.interpreted((wave, lds, transfer), steps))
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
    fn barrier_opens(&mut self, _wave: &Wave) {}
}

/// Variant of [`execute`] without events. Kept out of the step loop, where it would increase register pressure.
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
