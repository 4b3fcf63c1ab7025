//! The step loop of runs with observers: instructions with events, one by one and in stretches.

use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::RegisterSet;

use super::emitter::{Emitter, IssueState};
use super::instruction::{After, CHANGES_EXECUTION, NOWHERE, count, does_nothing, execute, holds};
use super::late::LateContext;
use super::reporter::Reporter;
use super::stop::Stop;
use super::turn::Turn;
use crate::exec::memory::{self, Transfer};
use crate::lds::Lds;
use crate::observe::{Context, Dispatched, Events, Instruction, Overlook, Watchers};
use crate::step::{Executor, MemoryPlan, Step};
use crate::wave::Wave;

/// Instructions with events, as the observers of a run want them.
#[derive(Clone, Copy)]
pub(super) struct Observed<'a> {
    dispatched: &'a Dispatched<'a>,
    /// Observers watch registers.
    watches: bool,
    /// The wait counters are kept.
    counts: bool,
    /// All instructions have events.
    reports_all: bool,
    /// Observers get events of the instructions that follow each other.
    reports_sequences: bool,
    /// Waits have none, and nothing is counted.
    skips_waits: bool,
    /// Barriers and the like have none.
    skips_flow: bool,
    /// Observers may overlook accesses of LDS.
    asks: bool,
    /// An access that all overlook has no event.
    drops_overlooked: bool,
    /// Operations take effect as late as they may.
    is_late: bool,
}

impl<'a> Observed<'a> {
    /// Events of the instructions of a wave, as the observers want them.
    pub(super) fn new(
        dispatched: &'a Dispatched<'a>,
        wave: &Wave,
        watch: &Watchers,
    ) -> Observed<'a> {
        let wants = |events| watch.wants.any(events);
        let is_late = wave.late.is_some();
        // All has taken effect already: what is outstanding is of use only to those who look.
        let counts = wants(Events::OPERATIONS) || dispatched.code.reads_counters();
        let reports_all = wants(Events::INSTRUCTION);
        let asks = watch.may_overlook && !is_late;
        let of_flow = Events::INSTRUCTION
            | Events::WATCHED
            | Events::BARRIER
            | Events::WAVE
            | Events::SEQUENCE;
        Observed {
            dispatched,
            watches: !reports_all && wants(Events::WATCHED),
            counts,
            reports_all,
            reports_sequences: wants(Events::SEQUENCE),
            skips_waits: !reports_all && !counts && !is_late && !wants(Events::WAIT),
            skips_flow: !counts && !is_late && !wants(of_flow),
            asks,
            drops_overlooked: asks && !wants(Events::NOT_OVERLOOKED),
            is_late,
        }
    }

    /// Runs a wave as [`run_wave`](super::steps::run_wave) does.
    ///
    /// # Errors
    /// As of that.
    pub(super) fn run_wave(
        &self,
        wave: &mut Wave,
        lds: &mut Lds,
        transfer: &mut Transfer,
        watch: &mut Watchers,
        instructions: u64,
    ) -> Result<(), Stop> {
        let code = self.dispatched.code;
        let turn = Turn::new(self.dispatched, wave, instructions);
        let mut index = code.index(wave.pc).unwrap_or(NOWHERE);
        if self.watches {
            let context = Context {
                dispatched: self.dispatched,
                wave,
                lds,
                pc: wave.pc,
            };
            watch.watch(&context, Events::WATCHED);
        }
        loop {
            if !self.is_late && wave.mode & CHANGES_EXECUTION == 0 {
                let state = (&mut *wave, &mut *lds, &mut *transfer);
                index = self
                    .run(state, index, turn.until, watch)
                    .map_err(|stop| *stop)?;
            }
            if wave.executed >= turn.until {
                if self.is_late {
                    if index != NOWHERE {
                        wave.pc = code.address(index);
                    }
                    LateContext::new(self.dispatched, lds, transfer, watch).finish(wave)?;
                }
                return turn.end(wave, index);
            }
            let step = turn.step(wave, index)?;
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            match self.one(state, step, watch)? {
                After::Goes(next) | After::Changed(next) => {
                    if next != step.following() {
                        wave.branch = Some(step.index);
                    }
                    index = next;
                }
                After::Waits(next) => {
                    wave.pc = code.address(next);
                    return Ok(());
                }
                After::Blocked => {
                    // The wave yields, and tries the instruction again at its next turn.
                    wave.pc = code.address(index);
                    return Ok(());
                }
            }
        }
    }

    /// Executes an instruction that is not executed in stretches, with its events if it has any.
    ///
    /// # Errors
    /// As of [`Observed::execute`].
    fn one(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        step: &Step,
        watch: &mut Watchers,
    ) -> Result<After, Stop> {
        let Dispatched { code, .. } = *self.dispatched;
        let executed = wave.executed;
        let is_unmodified = wave.mode & CHANGES_EXECUTION == 0;
        let used = || code.used_at(step.index).first();
        let is_watched =
            self.watches && (!is_unmodified || used().is_none_or(|used| watch.watches(used)));
        let reports_nothing = match step.run {
            Executor::Scalar | Executor::ScalarControl | Executor::Branch(..) => true,
            _ => step.is_simple() && is_unmodified,
        };
        let has_events = (self.reports_all || is_watched || !reports_nothing)
            && !(self.skips_waits && matches!(step.run, Executor::Wait(_)))
            && !(self.skips_flow && matches!(step.run, Executor::Flow));
        if self.reports_sequences {
            watch.begun = Some(step.index);
        }
        let sequence = std::slice::from_ref(step);
        let after = if has_events {
            let sequence = self.reports_sequences.then_some(sequence);
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            self.execute(state, step, watch, Overlook::default(), sequence)
                .map_err(|stop| *stop)?
        } else {
            let (dispatched, next) = (self.dispatched, step.following());
            execute(
                dispatched,
                wave,
                step,
                next,
                lds,
                transfer,
                self.counts,
                None,
            )?
        };
        if !matches!(after, After::Blocked) {
            wave.executed = executed + 1;
        }
        if self.reports_sequences && matches!(after, After::Goes(_) | After::Changed(_)) {
            watch.executed(self.dispatched, wave, lds, sequence);
        }
        Ok(after)
    }
}

impl Observed<'_> {
    /// [`execute`] between the events of an instruction. `sequence` has the instructions up to it, if they are reported.
    ///
    /// # Errors
    /// Reason for which the wave stops, boxed: a small result is handed on in registers.
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
        let issued = IssueState::of(wave, step, self.counts);
        let mut emitter = Emitter::new(self.dispatched, watch, &issued, step, wave, overlook);
        emitter.begins(wave, lds, self.watches);
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
            emitter
                .to
                .watch
                .executed(self.dispatched, wave, lds, sequence);
        }
        emitter.ends(wave, lds);
        Ok(after)
    }

    /// The same of a memory instruction [by lane](MemoryPlan::is_by_lane): with less to look at it takes half the time.
    ///
    /// # Errors
    /// As of [`Observed::execute`].
    #[inline(always)]
    fn access(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        (step, plan): (&Step, &MemoryPlan),
        watch: &mut Watchers,
        overlook: Overlook,
    ) -> Result<(), Box<Stop>> {
        let Dispatched { device, .. } = *self.dispatched;
        let mut report = self.reporter(wave, step, watch);
        let pc = report.pc;
        let instruction = &self.unmodified(wave, step);
        let issue = Events::ISSUES;
        report.issues((wave, lds), instruction, issue, overlook);
        if self.watches {
            report.watches((wave, lds), issue);
        }
        let is_access = instruction.exec != 0 && !overlook.is_unanimous;
        transfer.forget();
        if is_access && report.watch.wants.any(Events::ACCESS) {
            let told = report.accesses((wave, lds), instruction, overlook, transfer);
            told.map_err(|kind| {
                let lane = None;
                Box::new(Stop { kind, pc, lane })
            })?;
        }
        let is_reported = is_access && report.watch.wants.any(Events::ACCESSED);
        if is_reported && !plan.keeps_addresses && transfer.known().is_none() {
            memory::addresses(wave, step, device, transfer.access_mut());
        }
        if memory::execute_fast_path(wave, plan, lds, device, transfer).is_none() {
            memory::execute_slow_path(wave, step, lds, device, transfer)
                .map_err(|(kind, lane)| Box::new(Stop { kind, pc, lane }))?;
        }
        wave.blame(pc);
        if is_reported {
            report.accessed((wave, lds), instruction, overlook, transfer);
        }
        if self.counts
            && let Some(counters) = plan.counters
        {
            report.counts(wave, lds, counters);
        }
        self.completes((wave, lds), &mut report, instruction, step.following());
        Ok(())
    }

    /// An instruction has been executed; the wave goes on at the dword with number `next`.
    #[inline(always)]
    fn completes(
        &self,
        (wave, lds): (&mut Wave, &Lds),
        report: &mut Reporter<'_>,
        instruction: &Instruction<'_>,
        next: usize,
    ) {
        if report.watch.wants.any(Events::COMPLETE) {
            wave.executed += 1;
            wave.pc = self.dispatched.code.address(next);
            report.completes((wave, lds), instruction);
        }
    }

    /// Executes instructions with their events, from the dword with number `index` on, until the wave has executed `until`
    /// instructions or comes to one that is executed by itself. Returns where the wave is then, with MODE as it was.
    ///
    /// Here are the instructions that kernels are nearly all made of. One by one, an observer of memory events took 1.73 to 1.9 times
    /// as long as none on sgemm (AVX2), and so it takes 1.4 to 1.5 (benchmark `observers`, AVX2 and AVX-512).
    ///
    /// # Errors
    /// As of [`Observed::execute`].
    #[inline(never)]
    fn run(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        mut index: usize,
        until: u64,
        watch: &mut Watchers,
    ) -> Result<usize, Box<Stop>> {
        let code = self.dispatched.code;
        while wave.executed < until
            && let Some(Ok(mut steps)) = code.steps_at(index)
        {
            let executed = wave.executed;
            if let Ok(left) = usize::try_from(until - executed)
                && left < steps.len()
            {
                steps = &steps[..left];
            }
            if self.reports_sequences {
                watch.begun = Some(index);
            }
            let used = if self.watches {
                code.used_at(index)
            } else {
                &[]
            };
            let state = (&mut *wave, &mut *lds, &mut *transfer);
            let (done, next) = self.stretch(state, steps, used, watch)?;
            wave.executed = executed + done as u64;
            let Some(last) = done.checked_sub(1) else {
                break;
            };
            index = steps[last].following();
            if let Some(next) = next
                && next != index
            {
                wave.branch = Some(steps[last].index);
                index = next;
            }
            if self.reports_sequences {
                watch.executed(self.dispatched, wave, lds, &steps[..done]);
            }
            if done < steps.len() {
                break;
            }
        }
        Ok(index)
    }

    /// Executes instructions that follow each other, up to the first that is executed by itself. Returns their number; and of a
    /// branch, which is the last then, the number of the dword where the wave goes on. `used` has the registers of each where
    /// some may be watched.
    ///
    /// # Errors
    /// As of [`Observed::execute`].
    #[inline(always)]
    fn stretch(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        steps: &[Step],
        used: &[RegisterSet],
        watch: &mut Watchers,
    ) -> Result<(usize, Option<usize>), Box<Stop>> {
        let executed = wave.executed;
        let before = |number| executed + number as u64;
        let is_watched = |number, watch: &Watchers| {
            self.watches && used.get(number).is_none_or(|used| watch.watches(used))
        };
        for (number, step) in steps.iter().enumerate() {
            match step.run {
                _ if step.is_simple() => {
                    if self.reports_all && step.relative.is_none() {
                        wave.executed = before(number);
                        self.simple((wave, lds), step, step.following(), watch, step.handler);
                    } else if self.reports_all || is_watched(number, watch) {
                        return Ok((number, None));
                    } else {
                        (step.handler)(wave, step);
                    }
                }
                Executor::Wait(_) if self.skips_waits && does_nothing(step) => {}
                Executor::Wait(until) if self.counts => {
                    wave.executed = before(number);
                    self.wait(wave, step, until, lds, watch);
                }
                Executor::Memory => {
                    let Some(plan) = step.memory.as_deref() else {
                        return Ok((number, None));
                    };
                    wave.executed = before(number);
                    let state = (&mut *wave, &mut *lds, &mut *transfer);
                    if self.asks && plan.share.is_some() {
                        self.share(state, (step, plan), watch)?;
                    } else if plan.is_by_lane {
                        self.access(state, (step, plan), watch, Overlook::default())?;
                    } else {
                        return Ok((number, None));
                    }
                }
                // It is the last one of the block.
                Executor::Branch(condition, distance) if !is_watched(number, watch) => {
                    let next = if holds(wave, condition) {
                        step.following().wrapping_add_signed(distance.into())
                    } else {
                        step.following()
                    };
                    if self.reports_all {
                        wave.executed = before(number);
                        self.simple((wave, lds), step, next, watch, |_, _| ());
                    }
                    return Ok((number + 1, Some(next)));
                }
                _ => return Ok((number, None)),
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
        let mut report = self.reporter(wave, step, watch);
        let instruction = &self.unmodified(wave, step);
        let (issue, overlook) = (Events::ISSUES, Overlook::default());
        report.issues((wave, lds), instruction, issue, overlook);
        execute(wave, step);
        self.completes((wave, lds), &mut report, instruction, next);
    }

    /// Tells observers of an instruction that the wave is at now.
    #[inline(always)]
    fn reporter<'a>(
        &'a self,
        wave: &mut Wave,
        step: &Step,
        watch: &'a mut Watchers,
    ) -> Reporter<'a> {
        let pc = self.dispatched.code.address(step.index);
        wave.pc = pc;
        Reporter {
            dispatched: self.dispatched,
            watch,
            pc,
        }
    }

    /// The same of an access of LDS that observers may overlook.
    ///
    /// # Errors
    /// As of [`Observed::execute`].
    #[inline(always)]
    fn share(
        &self,
        (wave, lds, transfer): (&mut Wave, &mut Lds, &mut Transfer),
        (step, plan): (&Step, &MemoryPlan),
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
            return if plan.is_by_lane {
                self.access(state, (step, plan), watch, overlook)
            } else {
                self.execute(state, step, watch, overlook, None).map(drop)
            };
        }
        transfer.forget();
        let outcome = memory::execute(wave, step, lds, device, transfer);
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
        let mut report = self.reporter(wave, step, watch);
        let instruction = &self.unmodified(wave, step);
        let (issue, overlook) = (Events::WAIT_ISSUES, Overlook::default());
        report.issues((wave, lds), instruction, issue, overlook);
        report.waits(wave, lds, until);
        self.completes((wave, lds), &mut report, instruction, step.following());
    }

    /// An instruction as observers see it that is neither skipped nor blocked, and whose operands are those that it names.
    #[inline(always)]
    fn unmodified<'a>(&self, wave: &Wave, step: &'a Step) -> Instruction<'a> {
        let is_counted = self.counts && step.memory.is_some();
        Instruction {
            step,
            operands: &step.args,
            exec: wave.exec(),
            operation: is_counted.then(|| wave.scoreboard.next()),
        }
    }
}

/// Reports the instructions up to a wave's last one, at `pc`, which has faulted.
#[cold]
pub(super) fn end_sequence(
    dispatched: &Dispatched<'_>,
    wave: &Wave,
    lds: &Lds,
    watch: &mut Watchers,
    pc: u64,
) {
    let code = dispatched.code;
    let Some((first, last)) = watch.begun.zip(code.index(pc)) else {
        return;
    };
    if let Some(Ok(steps)) = code.steps_at(first) {
        let count = steps.iter().take_while(|step| step.index <= last).count();
        watch.executed(dispatched, wave, lds, &steps[..count]);
    }
}
