//! The step loop: a wave's instructions, one after the other.

use std::sync::atomic::Ordering::Relaxed;

use gcn_isa::Does;
use gcn_isa::effect::{Condition, Control};
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::RegisterSet;

use super::emitter::{Emitter, Issued, is_skipped};
use super::late::{self, Machine};
use super::stop::Stop;
use crate::code::Code;
use crate::device::{Device, OnViolation};
use crate::exec::alu::indexing;
use crate::exec::memory::{self, Attempt, LaneFault, Transfer};
use crate::fault::{self, FaultKind};
use crate::lds::Lds;
use crate::observe::{Context, Dispatched, Events, Instruction, Overlook, Watchers};
use crate::step::{Executor, Step};
use crate::wave::{MODE_VSKIP, Waiting, Wave};

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
    let flow =
        Events::INSTRUCTION | Events::WATCHED | Events::BARRIER | Events::WAVE | Events::SEQUENCE;
    // Then barriers and the like have none.
    let skips_flow = OBSERVED && !counts && !is_late && !watch.wants.any(flow);
    let observed = Observed {
        dispatched,
        watches,
        counts,
        reports_all,
        skips_waits,
        asks,
        drops_overlooked,
    };
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
        let used = if watches { code.used_at(index) } else { &[] };
        if reports_sequences {
            watch.begun = Some(index);
        }
        let mut is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
        let mut rest = steps.iter().enumerate();
        // The next instruction is one that `Observed::run` leaves to the step loop.
        let mut has_run = false;
        while let Some((number, step)) = rest.next() {
            let is_watched = watches && used.get(number).is_none_or(|used| watch.watches(used));
            // The most frequent instructions, ahead of the rest.
            if step.is_simple && !runs && !reports_all && !is_watched && is_unmodified {
                (step.handler)(wave, step);
                continue;
            }
            if !OBSERVED && !counts && is_unmodified {
                let done = match step.run {
                    Executor::Memory => {
                        memory::execute_fast_path(wave, step, lds, device, transfer).is_some()
                    }
                    _ => does_nothing(step),
                };
                if done {
                    continue;
                }
            }
            let before = executed + number as u64;
            wave.executed = before;
            if OBSERVED && runs && is_unmodified && !has_run {
                let state = (&mut *wave, &mut *lds, &mut *transfer);
                let used = used.get(number..).unwrap_or_default();
                let (done, next) = observed
                    .run(state, &steps[number..], used, watch)
                    .map_err(|stop| *stop)?;
                if let Some(next) = next {
                    let last = number + done - 1;
                    index = steps[last].index;
                    wave.executed = before + done as u64;
                    if next != steps[last].following() {
                        wave.branch = Some(index as u32);
                        if reports_sequences {
                            watch.executed(dispatched, wave, lds, &steps[..=last]);
                        }
                        index = next;
                        continue 'blocks;
                    }
                }
                if let Some(more) = done.checked_sub(1) {
                    if let Some(more) = more.checked_sub(1) {
                        rest.nth(more);
                    }
                    has_run = true;
                    continue;
                }
            }
            has_run = false;
            index = step.index;
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
                overlook = watch.overlook(&context, step);
                has_events &= !(drops_overlooked && overlook.is_unanimous);
            }
            has_events &= !(skips_waits && matches!(step.run, Executor::Wait(_)));
            has_events &= !(skips_flow && matches!(step.run, Executor::Flow));
            let following = step.following();
            let after = if OBSERVED && has_events {
                let state = (&mut *wave, &mut *lds, &mut *transfer);
                let result = if is_unmodified && !is_late && keeps_addresses(step) {
                    let done = observed.access(state, step, watch, overlook);
                    done.map(|()| After::Goes(following))
                } else {
                    let sequence = reports_sequences.then(|| &steps[..=number]);
                    observed.execute(state, step, watch, overlook, sequence)
                };
                match result {
                    Ok(after) => after,
                    Err(stop) => return Err(*stop),
                }
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

/// A wave behind an instruction.
#[derive(Clone, Copy)]
enum After {
    /// It goes on at the dword with this number.
    Goes(usize),
    /// It goes on there; MODE may be another.
    Changed(usize),
    /// It waits, and will go on there.
    Waits(usize),
    /// It is blocked, and tries the instruction again.
    Blocked,
}

/// Executes an instruction that is none of the simplest, between its events if it has an emitter. `following` is the number of the
/// dword behind it.
#[expect(
    clippy::too_many_arguments,
    reason = "as values they stay in the host's registers"
)]
#[inline(always)]
fn execute(
    dispatched: &Dispatched<'_>,
    wave: &mut Wave,
    step: &Step,
    following: usize,
    lds: &mut Lds,
    transfer: &mut Transfer,
    counts: bool,
    mut emitter: Option<&mut Emitter<'_>>,
) -> Result<After, Stop> {
    let Dispatched { device, code, .. } = *dispatched;
    let pc = || code.address(step.index);
    let at = |kind| Stop {
        kind,
        pc: pc(),
        lane: None,
    };
    let is_late = emitter.is_some() && wave.late.is_some();
    match step.run {
        Executor::Vector
        | Executor::VectorFromLds
        | Executor::Memory
        | Executor::Cancelled
        | Executor::Missing
            if is_skipped(wave, step) => {}
        Executor::Vector => vector(wave, step),
        Executor::VectorFromLds => {
            let m0 = wave.m0();
            if let Some(emitter) = &mut emitter {
                transfer.access.direct(m0);
                emitter
                    .accesses(wave, lds, transfer, &mut true)
                    .map_err(at)?;
            }
            wave.lds_direct = lds.direct(m0);
            if let Some(emitter) = &mut emitter {
                emitter.accessed(wave, lds, transfer, true);
            }
            vector(wave, step);
            wave.lds_direct = 0;
        }
        Executor::Scalar => {
            let after = code.address(following);
            wave.pc = after;
            (step.handler)(wave, step);
            return Ok(After::Changed(if wave.pc == after {
                following
            } else {
                code.index(wave.pc).unwrap_or(NOWHERE)
            }));
        }
        Executor::Branch(condition, distance) => {
            if holds(wave, condition) {
                let target = following.wrapping_add_signed(distance as isize);
                return Ok(After::Goes(target));
            }
        }
        Executor::Wait(until) if counts || is_late => {
            match &mut emitter {
                Some(emitter) => emitter.waits(wave, lds, until),
                None => wave.scoreboard.wait(until),
            }
            if is_late && let Some(Emitter { watch, .. }) = &mut emitter {
                Machine::new(dispatched, lds, transfer, watch).wait(wave, until)?;
            }
        }
        // What came before a wait is before what follows (see `memory`).
        Executor::Wait(_) if cfg!(not(target_arch = "x86_64")) => device.memory.fence(),
        Executor::Wait(_) => {}
        Executor::Memory => {
            let result = match &mut emitter {
                Some(Emitter { watch, .. }) if is_late && late::defers(step) => {
                    Machine::new(dispatched, lds, transfer, watch).issue(wave, step, pc())?;
                    Ok(Attempt::Done)
                }
                None => access_unobserved(wave, step, lds, device, transfer),
                Some(emitter) => emitter
                    .memory(wave, step, lds, transfer)
                    .map_err(|fault| *fault),
            };
            wave.blame(pc());
            match result {
                Ok(Attempt::Done) => wave.waiting = Waiting::No,
                Ok(Attempt::Blocked) => {
                    if let Some(emitter) = &mut emitter
                        && wave.waiting != Waiting::Gws
                    {
                        emitter.blocks(wave, lds);
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
                count(wave, step, pc(), lds, emitter);
            }
        }
        Executor::Cancelled if device.config.on_violation == OnViolation::Stop => {
            return Err(at(FaultKind::RegisterOutOfRange {
                vgprs: code.vgprs(),
                sgprs: code.sgprs(),
            }));
        }
        Executor::Cancelled if counts => count(wave, step, pc(), lds, emitter),
        Executor::Cancelled => {}
        Executor::Flow => {
            if is_late
                && late::finishes(step)
                && let Some(Emitter { watch, .. }) = &mut emitter
            {
                Machine::new(dispatched, lds, transfer, watch).finish(wave)?;
            }
            flow(wave, step).map_err(at)?;
            if counts && step.is_message() {
                count(wave, step, pc(), lds, emitter);
            }
            return Ok(if wave.waiting == Waiting::No {
                After::Changed(following)
            } else {
                After::Waits(following)
            });
        }
        Executor::Missing => return Err(at(FaultKind::NotExecuted)),
    }
    Ok(After::Goes(following))
}

/// A memory instruction of which no observer is told, and that the step loop has not executed ahead of the rest.
#[inline(never)]
fn access_unobserved(
    wave: &mut Wave,
    step: &Step,
    lds: &mut Lds,
    device: &Device,
    transfer: &mut Transfer,
) -> Result<Attempt, LaneFault> {
    memory::execute(wave, step, lds, device, transfer, false)
}

/// Instructions with events. Its functions are none of the step loop's, so that the host keeps in registers what that needs.
#[derive(Clone, Copy)]
struct Observed<'a> {
    dispatched: &'a Dispatched<'a>,
    /// Observers watch registers.
    watches: bool,
    /// The wait counters are kept.
    counts: bool,
    /// All instructions have events.
    reports_all: bool,
    /// Waits have none, and nothing is counted.
    skips_waits: bool,
    /// Observers may overlook accesses of LDS.
    asks: bool,
    /// What all overlook has no event.
    drops_overlooked: bool,
}

impl Observed<'_> {
    /// [`execute`] between the events of an instruction. `sequence` has the instructions up to it, if they are reported.
    ///
    /// # Errors
    /// Why the wave stops, boxed: a small result is handed on in registers.
    #[inline(never)]
    fn execute(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        step: &Step,
        watch: &mut Watchers,
        overlook: Overlook,
        sequence: Option<&[Step]>,
    ) -> Result<After, Box<Stop>> {
        let code = self.dispatched.code;
        wave.pc = code.address(step.index);
        let issued = Issued::of(wave, step);
        let mut emitter = Emitter::new(self.dispatched, watch, &issued, step, wave);
        emitter.overlook = overlook;
        emitter.begins(wave, lds);
        if self.watches {
            emitter.watches(wave, lds);
        }
        let after = execute(
            self.dispatched,
            wave,
            step,
            step.following(),
            lds,
            transfer,
            self.counts,
            Some(&mut emitter),
        );
        let after = after.map_err(Box::new)?;
        let (next, waits) = match after {
            After::Goes(next) | After::Changed(next) => (next, false),
            After::Waits(next) => (next, true),
            After::Blocked => return Ok(after),
        };
        wave.executed += 1;
        if next != NOWHERE {
            wave.pc = code.address(next);
        }
        if let Some(sequence) = sequence
            && waits
        {
            emitter.watch.executed(self.dispatched, wave, lds, sequence);
        }
        emitter.ends(wave, lds);
        Ok(after)
    }

    /// The same of a memory instruction that [keeps its addresses](crate::step::MemoryPlan::keeps_addresses): with less to look
    /// at it takes half the time.
    ///
    /// # Errors
    /// As of [`Observed::execute`].
    #[inline(always)]
    fn access(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        step: &Step,
        watch: &mut Watchers,
        overlook: Overlook,
    ) -> Result<(), Box<Stop>> {
        let code = self.dispatched.code;
        let pc = code.address(step.index);
        wave.pc = pc;
        let mut emitter = Emitter::plain(self.dispatched, watch, step, wave, pc);
        emitter.overlook = overlook;
        emitter.begins(wave, lds);
        if self.watches {
            emitter.watches(wave, lds);
        }
        let outcome = emitter.access(wave, step, lds, transfer);
        wave.blame(pc);
        if let Err(fault) = outcome {
            let (kind, lane) = *fault;
            return Err(Box::new(Stop { kind, pc, lane }));
        }
        if self.counts {
            count(wave, step, pc, lds, Some(&mut emitter));
        }
        wave.executed += 1;
        wave.pc = code.address(step.following());
        emitter.completes(wave, lds);
        Ok(())
    }

    /// Executes instructions, with their events, up to the first that needs the step loop. Returns their number; and of a branch,
    /// which is the last then, the number of the dword where the wave goes on. `used` has the registers of each where some may be
    /// watched.
    ///
    /// # Errors
    /// As of [`Observed::execute`].
    #[inline(never)]
    fn run(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        steps: &[Step],
        used: &[RegisterSet],
        watch: &mut Watchers,
    ) -> Result<(usize, Option<usize>), Box<Stop>> {
        let executed = wave.executed;
        let is_watched = |number, watch: &Watchers| {
            let used = used.get(number);
            self.watches && used.is_none_or(|used| watch.watches(used))
        };
        for (number, step) in steps.iter().enumerate() {
            if step.is_simple && !self.reports_all {
                if is_watched(number, watch) {
                    return Ok((number, None));
                }
                (step.handler)(wave, step);
                continue;
            }
            if self.skips_waits && does_nothing(step) {
                continue;
            }
            wave.executed = executed + number as u64;
            if step.is_simple && step.relative.is_none() {
                self.simple((wave, lds), step, step.following(), watch, step.handler);
            } else if self.asks && step.memory.as_ref().is_some_and(|it| it.share.is_some()) {
                let state = (&mut *wave, &mut *lds, &mut *transfer);
                self.share(state, step, watch)?;
            } else if keeps_addresses(step) {
                let state = (&mut *wave, &mut *lds, &mut *transfer);
                self.access(state, step, watch, Overlook::default())?;
            } else if let Executor::Wait(until) = step.run
                && self.counts
            {
                self.wait(wave, step, until, lds, watch);
            } else if let Executor::Branch(condition, distance) = step.run
                && !is_watched(number, watch)
            {
                // It is the last one of the block.
                let next = if holds(wave, condition) {
                    step.following().wrapping_add_signed(distance as isize)
                } else {
                    step.following()
                };
                if self.reports_all {
                    self.simple((wave, lds), step, next, watch, |_, _| ());
                }
                return Ok((number + 1, Some(next)));
            } else {
                return Ok((number, None));
            }
        }
        Ok((steps.len(), None))
    }

    /// The same of an instruction that accesses no memory and has the operands that it names, by the function that executes it;
    /// the wave goes on at the dword with number `next`.
    #[inline(always)]
    fn simple(
        &self,
        (wave, lds): (&mut Wave, &Lds),
        step: &Step,
        next: usize,
        watch: &mut Watchers,
        execute: impl FnOnce(&mut Wave, &Step),
    ) {
        let code = self.dispatched.code;
        let pc = code.address(step.index);
        let instruction = Instruction {
            step,
            operands: &step.args,
            exec: wave.exec(),
            operation: None,
        };
        wave.pc = pc;
        let context = Context {
            dispatched: self.dispatched,
            wave,
            lds,
            pc,
        };
        watch.each(Events::ISSUES, |it| it.issues(&context, &instruction));
        execute(wave, step);
        wave.executed += 1;
        wave.pc = code.address(next);
        let context = Context {
            dispatched: self.dispatched,
            wave,
            lds,
            pc,
        };
        watch.each(Events::COMPLETE, |it| it.completes(&context, &instruction));
    }

    /// The same of an access of LDS that observers may overlook.
    ///
    /// # Errors
    /// As of [`Observed::execute`].
    #[inline(always)]
    fn share(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        step: &Step,
        watch: &mut Watchers,
    ) -> Result<(), Box<Stop>> {
        let Dispatched { device, code, .. } = *self.dispatched;
        let pc = code.address(step.index);
        let context = Context {
            dispatched: self.dispatched,
            wave,
            lds,
            pc,
        };
        let overlook = watch.overlook(&context, step);
        if !self.drops_overlooked || !overlook.is_unanimous {
            let state = (wave, lds, transfer);
            return if keeps_addresses(step) {
                self.access(state, step, watch, overlook)
            } else {
                self.execute(state, step, watch, overlook, None).map(drop)
            };
        }
        let outcome = memory::execute(wave, step, lds, device, transfer, false);
        wave.blame(pc);
        if let Err((kind, lane)) = outcome {
            return Err(Box::new(Stop { kind, pc, lane }));
        }
        if self.counts {
            count(wave, step, pc, lds, None);
        }
        Ok(())
    }

    /// The same of a wait for counters that are kept.
    #[inline(always)]
    fn wait(&self, wave: &mut Wave, step: &Step, until: Waitcnt, lds: &Lds, watch: &mut Watchers) {
        let code = self.dispatched.code;
        let pc = code.address(step.index);
        wave.pc = pc;
        let mut emitter = Emitter::plain(self.dispatched, watch, step, wave, pc);
        emitter.begins(wave, lds);
        emitter.waits(wave, lds, until);
        wave.executed += 1;
        wave.pc = code.address(step.following());
        emitter.completes(wave, lds);
    }
}

/// True of a memory instruction for [`Observed::access`].
#[inline(always)]
fn keeps_addresses(step: &Step) -> bool {
    let plan = step.memory.as_deref();
    matches!(step.run, Executor::Memory) && plan.is_some_and(|plan| plan.keeps_addresses)
}

/// True of a wait, where nothing is counted that it waits for: all has taken effect already. On some hosts it is a fence.
#[inline(always)]
fn does_nothing(step: &Step) -> bool {
    cfg!(target_arch = "x86_64") && matches!(step.run, Executor::Wait(_))
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
fn count(wave: &mut Wave, step: &Step, pc: u64, lds: &Lds, emitter: Option<&mut Emitter<'_>>) {
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
