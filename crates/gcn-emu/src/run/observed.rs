//! Execution of steps with the events that a run's observers request.
//!
//! [`Observed`] executes nearly all instructions of a kernel in place, in [`Execution::fast`]. With an observer of
//! memory events, sgemm takes 1.4 to 1.5 times as long as without observers (benchmark `observers`, AVX2 and AVX-512).
//! With a separate call for each step, it took 1.73 to 1.9 times as long (AVX2).

use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::RegisterSet;

use super::events::{EventWriter, IssueState};
use super::instruction::{After, NOWHERE, State, count, does_nothing, execute, is_unmodified};
use super::steps::{BlockExit, Execution, host_code, run_native, run_wave};
use super::stop::Stop;
use super::stop_points::StopPoints;
use crate::block::{Block, BlockEntry};
use crate::exec::memory::{self, LaneFault};
use crate::lds::Lds;
use crate::native::{Engine, Policy, Variant};
use crate::observe::{Context, Dispatched, Events, Overlook, Watchers};
use crate::step::{Executor, MemoryPlan, Step};
use crate::wave::Wave;

/// Execution of steps with events.
struct Observed<'a> {
    dispatched: &'a Dispatched<'a>,
    watch: &'a mut Watchers,
    /// True if observers watch registers.
    watches: bool,
    /// True if wait counters are maintained.
    counts: bool,
    /// True if all instructions have events.
    reports_all: bool,
    /// True if observers want sequences of executed instructions.
    reports_sequences: bool,
    /// True if waits have no events and nothing is counted.
    skips_waits: bool,
    /// True if program control instructions such as barriers have no events.
    skips_flow: bool,
    /// True if observers may ignore LDS accesses.
    asks: bool,
    /// True if an access has no events when all observers ignore it.
    drops_overlooked: bool,
    /// True if only stores outside LDS have events.
    reports_only_stores: bool,
    /// True if operations take effect as late as possible.
    is_late: bool,
    /// Registers that each step of the block uses, starting at the entry, if some may be watched.
    used: &'a [RegisterSet],
    /// Thresholds for compiling blocks; `None` if observers want events of arithmetic or branches.
    policy: Option<Policy>,
    /// Registers that the wave's current host code uses.
    compiled: Option<&'a RegisterSet>,
    /// Debugger stops.
    stops: Option<&'a mut StopPoints>,
}

/// Variant of [`run_wave`] with observers. If `is_exact` is true, host code contains no loads, since a debugger needs
/// exact registers at a fault.
pub(super) fn run_observed(
    dispatched: &Dispatched<'_>,
    state: State<'_>,
    (watch, stops): (&mut Watchers, Option<&mut StopPoints>),
    instructions: u64,
    is_exact: bool,
) -> Result<(), Stop> {
    let observed = Observed::new(dispatched, state.0, watch);
    let variant = if observed.reports_only_stores && !is_exact {
        Variant::WithoutStores
    } else {
        Variant::Observed
    };
    // With stops, `compiled` does not check host code for watched registers.
    let is_compiled = (stops.is_none() || !observed.watches)
        && state.0.late.is_none()
        && !observed.reports_all
        && !observed.reports_sequences;
    let mut observed = Observed {
        stops,
        policy: Engine::policy(variant).filter(|_| is_compiled),
        ..observed
    };
    run_wave(dispatched, &mut observed, state, instructions)
}

impl<'a> Observed<'a> {
    fn new(dispatched: &'a Dispatched<'a>, wave: &Wave, watch: &'a mut Watchers) -> Observed<'a> {
        let wanted = watch.wants;
        let wants = |events| wanted.intersects(events);
        let is_late = wave.late.is_some();
        // Operations take effect at once, so outstanding ones matter only to observers and to code that reads counters.
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
            reports_only_stores: !counts && !is_late && Events::WITHOUT_LOADS.contains(wanted),
            is_late,
            used: &[],
            policy: None,
            compiled: None,
            stops: None,
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
        match &mut self.stops {
            Some(stops) => stops.distance(self.dispatched, entry),
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
        state: State<'_>,
        entry: BlockEntry<'a>,
        left: u64,
    ) -> Result<Option<BlockExit>, Box<Stop>> {
        let Some(policy) = self.policy else {
            return Ok(None);
        };
        let device = self.dispatched.device;
        if let Some(stops) = &mut self.stops {
            let Some(native) = stops.host_code(self.dispatched, policy, entry, state.0, left)
            else {
                return Ok(None);
            };
            return run_native(&native, self, device, state, left).map(Some);
        }
        let Some(native) = host_code(self.dispatched, policy, entry, state.0, left) else {
            return Ok(None);
        };
        let registers = native.registers();
        if self.watches && self.watch.watches(registers) {
            return Ok(None);
        }
        self.compiled = Some(registers);
        let exit = run_native(native, self, device, state, left);
        self.compiled = None;
        exit.map(Some)
    }

    #[inline(always)]
    fn may_stay_compiled(&self) -> bool {
        !(self.watches && self.compiled.is_some_and(|used| self.watch.watches(used)))
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
                    } else if self.reports_all || self.uses_watched(step, number) {
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
                    if self.has_no_events(plan) {
                        let device = self.dispatched.device;
                        if memory::execute_fast_path(wave, plan, lds, device, transfer).is_none() {
                            return Ok(&steps[place..]);
                        }
                        continue;
                    }
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
        let has_events =
            (self.reports_all || self.is_watched(state.0, step, number) || !reports_nothing)
                && !(self.skips_waits && matches!(step.run, Executor::Wait(_)))
                && !(self.skips_flow && matches!(step.run, Executor::Flow))
                && !step
                    .memory
                    .as_deref()
                    .is_some_and(|it| self.has_no_events(it));
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
        if self.reports_all || self.watches && self.is_watched(wave, step, number) {
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

    fn barrier_opens(&mut self, wave: &Wave) {
        let (dispatched, group) = (self.dispatched, wave.id.group);
        self.watch
            .each(Events::BARRIER, |it| it.barrier_opens(dispatched, group));
    }
}

impl Observed<'_> {
    /// True if observers receive no event for a memory access.
    #[inline(always)]
    fn has_no_events(&self, plan: &MemoryPlan) -> bool {
        self.reports_only_stores && !plan.stores_outside_lds()
    }

    /// True if observers watch a register that a step uses. `number` is the step's index from the block's entry.
    #[inline(always)]
    fn uses_watched(&self, step: &Step, number: usize) -> bool {
        self.watches
            && match self.compiled {
                Some(used) => self.watch.watches(used) && self.watch.watches(&step.registers()),
                None => {
                    let used = self.used.get(number);
                    used.is_none_or(|used| self.watch.watches(used))
                }
            }
    }

    /// True if observers watch a register that a step uses, or may use because of VGPR indexing. Kept out of the step
    /// loop, because the register test is long.
    #[inline(never)]
    fn is_watched(&self, wave: &Wave, step: &Step, number: usize) -> bool {
        self.watches && !is_unmodified(wave) || self.uses_watched(step, number)
    }

    /// Executes the last of `steps` and reports all its events.
    ///
    /// # Errors
    /// Returns the errors of [`Execution::fast`].
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

    /// Executes an instruction in which all active lanes access memory ([`MemoryPlan::is_by_lane`]), and reports its
    /// events. With fewer cases than [`Observed::any`], this takes half the time.
    ///
    /// # Errors
    /// Returns the errors of [`Execution::fast`].
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
        if is_access && events.watch.wants.intersects(Events::before(Some(plan))) {
            let told = events.accesses(wave, lds, transfer);
            told.map_err(|kind| stop(pc, (kind, None)))?;
        }
        let is_reported = is_access && events.watch.wants.intersects(Events::after(Some(plan)));
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

    /// Executes an LDS access that observers may ignore.
    ///
    /// # Errors
    /// Returns the errors of [`Execution::fast`].
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

    /// Executes an instruction with `execute` and reports its events. The instruction accesses no memory and uses its
    /// operands as encoded; the wave continues at the dword with index `next`.
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

    /// Executes a wait and reports its events. Wait counters must be maintained.
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

/// Creates the stop for a faulting or vetoed access.
#[cold]
fn stop(pc: u64, (kind, lane): LaneFault) -> Box<Stop> {
    Box::new(Stop { kind, pc, lane })
}

/// Reports the instructions since the last report, up to the one at `pc`, which has faulted.
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
