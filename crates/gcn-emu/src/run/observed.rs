//! Execution of steps with events, as the observers of a run want them.
//!
//! Kernels are nearly all made of the steps that [`Observed`] executes in place. One by one, an observer of memory events took 1.73
//! to 1.9 times as long as none on sgemm (AVX2), and so it takes 1.4 to 1.5 (benchmark `observers`, AVX2 and AVX-512).

use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::RegisterSet;

use super::events::{EventWriter, IssueState};
use super::instruction::{After, NOWHERE, State, count, does_nothing, execute, is_unmodified};
use super::late::LateContext;
use super::steps::{BlockExit, Execution, run_wave};
use super::stop::Stop;
use crate::block::{Block, BlockEntry};
use crate::exec::memory::{self, LaneFault};
use crate::lds::Lds;
use crate::observe::{Context, Dispatched, Events, Overlook, StopPoints, Watchers};
use crate::step::{Executor, MemoryPlan, Step};
use crate::wave::Wave;

/// Steps with events, as the observers of a run want them.
struct Observed<'a> {
    dispatched: &'a Dispatched<'a>,
    watch: &'a mut Watchers,
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
    /// Registers that each step of the block uses, from its entry on, where some may be watched.
    used: &'a [RegisterSet],
    /// Stops of a debugger.
    stops: Option<&'a mut StopPoints>,
    /// The wave has executed nothing since its turn has begun.
    begins: bool,
}

/// [`run_wave`] with observers.
pub(super) fn run_observed(
    dispatched: &Dispatched<'_>,
    state: State<'_>,
    (watch, stops): (&mut Watchers, Option<&mut StopPoints>),
    instructions: u64,
) -> Result<(), Stop> {
    let mut observed = Observed {
        stops,
        ..Observed::new(dispatched, state.0, watch)
    };
    run_wave(dispatched, &mut observed, state, instructions)
}

impl<'a> Observed<'a> {
    fn new(dispatched: &'a Dispatched<'a>, wave: &Wave, watch: &'a mut Watchers) -> Observed<'a> {
        let wanted = watch.wants;
        let wants = |events| wanted.any(events);
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
            watch,
            watches: !reports_all && wants(Events::WATCHED),
            counts,
            reports_all,
            reports_sequences: wants(Events::SEQUENCE),
            skips_waits: !reports_all && !counts && !is_late && !wants(Events::WAIT),
            skips_flow: !counts && !is_late && !wants(of_flow),
            asks,
            drops_overlooked: asks && !wants(Events::NOT_OVERLOOKED),
            is_late,
            used: &[],
            stops: None,
            begins: true,
        }
    }
}

impl<'a> Execution<'a> for Observed<'a> {
    fn begin_turn(&mut self, wave: &Wave, lds: &Lds) {
        if self.watches {
            let context = Context {
                dispatched: self.dispatched,
                wave,
                lds,
                pc: wave.pc,
            };
            self.watch.watch(&context, Events::WATCHED);
        }
    }

    #[inline(always)]
    fn until_stop(&mut self, entry: BlockEntry<'a>) -> u64 {
        let least = usize::from(std::mem::replace(&mut self.begins, false));
        match &mut self.stops {
            Some(stops) => stops.distance(self.dispatched, entry, least),
            None => u64::MAX,
        }
    }

    #[inline(always)]
    fn enter(&mut self, block: &'a Block, from: usize) {
        if self.watches {
            self.used = &block.uses()[from..];
        }
        if self.reports_sequences {
            self.watch.begun = block.steps().get(from).map(|step| step.index);
        }
    }

    #[inline(always)]
    fn compiled(
        &mut self,
        _state: State<'_>,
        _entry: BlockEntry<'a>,
        _left: u64,
    ) -> Result<Option<BlockExit>, Box<Stop>> {
        Ok(None)
    }

    #[inline(always)]
    fn fast<'b>(
        &mut self,
        (wave, lds, transfer): State<'_>,
        steps: &'b [Step],
        number: usize,
        executed: u64,
    ) -> Result<&'b [Step], Box<Stop>> {
        if self.is_late {
            return Ok(steps);
        }
        for (place, step) in steps.iter().enumerate() {
            let number = number + place;
            let before = executed + number as u64;
            match step.run {
                Executor::Vector | Executor::Scalar => {
                    if self.reports_all && step.relative.is_none() {
                        wave.executed = before;
                        let following = step.following();
                        self.reported(wave, lds, step, following, step.handler);
                    } else if self.reports_all || self.uses_watched(number) {
                        return Ok(&steps[place..]);
                    } else {
                        (step.handler)(wave, step);
                    }
                }
                Executor::Wait(_) if self.skips_waits && does_nothing(step) => {}
                Executor::Wait(until) if self.counts => {
                    wave.executed = before;
                    self.wait(wave, lds, step, until);
                }
                Executor::Memory => {
                    let Some(plan) = step.memory.as_deref() else {
                        return Ok(&steps[place..]);
                    };
                    wave.executed = before;
                    let state = (&mut *wave, &mut *lds, &mut *transfer);
                    if self.asks && plan.share.is_some() {
                        self.share(state, step, plan)?;
                    } else if plan.is_by_lane {
                        self.access(state, step, plan, Overlook::default())?;
                    } else {
                        return Ok(&steps[place..]);
                    }
                }
                _ => return Ok(&steps[place..]),
            }
        }
        Ok(&[])
    }

    #[inline(always)]
    fn execute(&mut self, state: State<'_>, steps: &[Step]) -> Result<After, Box<Stop>> {
        let number = steps.len() - 1;
        let step = &steps[number];
        let reports_nothing = match step.run {
            Executor::Scalar | Executor::ScalarControl => true,
            _ => step.is_simple() && is_unmodified(state.0),
        };
        let has_events = (self.reports_all || self.is_watched(state.0, number) || !reports_nothing)
            && !(self.skips_waits && matches!(step.run, Executor::Wait(_)))
            && !(self.skips_flow && matches!(step.run, Executor::Flow));
        if has_events {
            self.any(state, steps, Overlook::default())
        } else {
            execute(self.dispatched, state, step, self.counts, None).map_err(Box::new)
        }
    }

    #[inline(always)]
    fn branch(&mut self, (wave, lds, _): State<'_>, steps: &[Step], executed: u64, next: usize) {
        let number = steps.len() - 1;
        let step = &steps[number];
        if self.reports_all || self.watches && self.is_watched(wave, number) {
            wave.executed = executed + number as u64;
            self.reported(wave, lds, step, next, |_, _| ());
        }
    }

    #[inline(always)]
    fn leave(&mut self, wave: &Wave, lds: &Lds, steps: &[Step]) {
        if self.reports_sequences {
            self.watch.executed(self.dispatched, wave, lds, steps);
        }
    }

    fn end_turn(&mut self, (wave, lds, transfer): State<'_>) -> Result<(), Stop> {
        if self.is_late {
            LateContext::new(self.dispatched, lds, transfer, self.watch).finish(wave)?;
        }
        Ok(())
    }
}

impl Observed<'_> {
    /// True if observers watch a register that a step of the block uses. `number` counts from the block's entry.
    #[inline(always)]
    fn uses_watched(&self, number: usize) -> bool {
        let used = self.used.get(number);
        self.watches && used.is_none_or(|used| self.watch.watches(used))
    }

    /// True if observers watch a register that a step uses, or may use if MODE moves its operands. Out of the loop, since the test of
    /// registers is long.
    #[inline(never)]
    fn is_watched(&self, wave: &Wave, number: usize) -> bool {
        self.watches && !is_unmodified(wave) || self.uses_watched(number)
    }

    /// Executes the last of some steps between all events that it may have.
    ///
    /// # Errors
    /// As of [`Execution::fast`].
    #[inline(never)]
    fn any(
        &mut self,
        (wave, lds, transfer): State<'_>,
        steps: &[Step],
        overlook: Overlook,
    ) -> Result<After, Box<Stop>> {
        let dispatched = self.dispatched;
        let step = &steps[steps.len() - 1];
        let issued = &IssueState::of(wave, step, self.counts);
        let mut events = EventWriter::new(dispatched, self.watch, issued, step, wave, overlook);
        events.issues(wave, lds, self.watches);
        let state = (&mut *wave, &mut *lds, &mut *transfer);
        let after = execute(dispatched, state, step, self.counts, Some(&mut events));
        let after = after.map_err(Box::new)?;
        let (next, waits) = match after {
            After::Goes(next) => (next, false),
            After::Waits(next) => (next, true),
            After::Blocked => return Ok(after),
        };
        wave.executed += 1;
        if next != NOWHERE {
            wave.pc = dispatched.code.address(next);
        }
        if self.reports_sequences && waits {
            events.watch.executed(dispatched, wave, lds, steps);
        }
        events.ends(wave, lds);
        Ok(after)
    }

    /// Executes a memory instruction [by lane](MemoryPlan::is_by_lane) between its events: with less to look at it takes half the time
    /// of [`Observed::any`].
    ///
    /// # Errors
    /// As of [`Execution::fast`].
    #[inline(always)]
    fn access(
        &mut self,
        (wave, lds, transfer): State<'_>,
        step: &Step,
        plan: &MemoryPlan,
        overlook: Overlook,
    ) -> Result<(), Box<Stop>> {
        let (dispatched, device) = (self.dispatched, self.dispatched.device);
        let issued = &IssueState::plain(wave, step, self.counts);
        let mut events = EventWriter::new(dispatched, self.watch, issued, step, wave, overlook);
        let pc = events.pc;
        events.issues(wave, lds, self.watches);
        let is_access = events.instruction.exec != 0 && !overlook.is_unanimous;
        transfer.forget();
        if is_access && events.watch.wants.any(Events::ACCESS) {
            let told = events.accesses(wave, lds, transfer);
            told.map_err(|kind| stop(pc, (kind, None)))?;
        }
        let is_reported = is_access && events.watch.wants.any(Events::ACCESSED);
        if is_reported && !plan.keeps_addresses && transfer.known().is_none() {
            memory::addresses(wave, step, device, transfer.access_mut());
        }
        if memory::execute_fast_path(wave, plan, lds, device, transfer).is_none() {
            memory::execute_slow_path(wave, step, lds, device, transfer)
                .map_err(|fault| stop(pc, fault))?;
        }
        wave.blame(pc);
        if is_reported {
            events.accessed(wave, lds, transfer);
        }
        if self.counts
            && let Some(counters) = plan.counters
        {
            events.counts(wave, lds, counters);
        }
        events.completes(wave, lds, step.following());
        Ok(())
    }

    /// Executes an access of LDS that observers may overlook.
    ///
    /// # Errors
    /// As of [`Execution::fast`].
    #[inline(always)]
    fn share(
        &mut self,
        (wave, lds, transfer): State<'_>,
        step: &Step,
        plan: &MemoryPlan,
    ) -> Result<(), Box<Stop>> {
        let Dispatched { device, code, .. } = *self.dispatched;
        let pc = code.address(step.index);
        let context = Context {
            dispatched: self.dispatched,
            wave,
            lds,
            pc,
        };
        let overlook = self.watch.overlook(&context, step);
        if !self.drops_overlooked || !overlook.is_unanimous {
            let state = (wave, lds, transfer);
            return if plan.is_by_lane {
                self.access(state, step, plan, overlook)
            } else {
                let steps = std::slice::from_ref(step);
                self.any(state, steps, overlook).map(drop)
            };
        }
        transfer.forget();
        let outcome = memory::execute(wave, step, lds, device, transfer);
        wave.blame(pc);
        outcome.map_err(|fault| stop(pc, fault))?;
        if self.counts {
            count(wave, step, pc, lds, None);
        }
        Ok(())
    }

    /// Executes an instruction that accesses no memory and has the operands that it names between its events, by a function; the
    /// wave goes on at the dword with number `next`.
    #[inline(always)]
    fn reported(
        &mut self,
        wave: &mut Wave,
        lds: &Lds,
        step: &Step,
        next: usize,
        execute: impl FnOnce(&mut Wave, &Step),
    ) {
        let overlook = Overlook::default();
        let issued = &IssueState::plain(wave, step, self.counts);
        let mut events =
            EventWriter::new(self.dispatched, self.watch, issued, step, wave, overlook);
        events.issues(wave, lds, self.watches);
        execute(wave, step);
        events.completes(wave, lds, next);
    }

    /// Executes a wait for counters that are kept, between its events.
    #[inline(always)]
    fn wait(&mut self, wave: &mut Wave, lds: &Lds, step: &Step, until: Waitcnt) {
        let overlook = Overlook::default();
        let issued = &IssueState::plain(wave, step, self.counts);
        let mut events =
            EventWriter::new(self.dispatched, self.watch, issued, step, wave, overlook);
        events.issues(wave, lds, false);
        events.waits(wave, lds, until);
        events.completes(wave, lds, step.following());
    }
}

/// Stop by a fault of an access.
#[cold]
fn stop(pc: u64, (kind, lane): LaneFault) -> Box<Stop> {
    Box::new(Stop { kind, pc, lane })
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
    if let Some(BlockEntry { block, from }) = code.entry(first) {
        let steps = &block.steps()[from..];
        let count = steps.iter().take_while(|step| step.index <= last).count();
        watch.executed(dispatched, wave, lds, &steps[..count]);
    }
}
