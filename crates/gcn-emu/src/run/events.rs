//! Reporting of an instruction's events to a thread's observers.

use gcn_isa::Does;
use gcn_isa::simm::{MODE_VSKIP, Waitcnt};
use gcn_isa::uses::Counters;

use crate::exec::alu::indexing;
use crate::exec::memory::{self, Attempt, LaneFault, Transfer};
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::observe::{
    Context, Dispatched, Events, Instruction, MemoryEvent, Overlook, Phase, Skip, Verdict,
    Watchers, WaveEnd,
};
use crate::scoreboard::{OperationId, Retired};
use crate::step::{Arg, Executor, MAX_ARGS, Step};
use crate::wave::{Waiting, Wave};

/// True if an instruction is a vector instruction and MODE skips vector instructions (S_SETVSKIP, errata E206). A
/// skipped instruction has no effect and increments no counter.
#[inline(always)]
pub(super) fn is_skipped(wave: &Wave, step: &Step) -> bool {
    wave.mode & MODE_VSKIP != 0 && !step.inst.encoding.is_scalar()
}

/// State of a wave when an instruction issues. The state may differ when the instruction completes.
pub(super) struct IssueState {
    /// Operands, if they differ from the step's.
    operands: Option<Box<[Arg; MAX_ARGS]>>,
    exec: u64,
    operation: Option<OperationId>,
    skip: Option<Skip>,
    /// True if the instruction has already been issued and has blocked.
    is_resumed: bool,
}

impl IssueState {
    /// Captures the wave's state before the instruction executes. `counts` is true if wait counters are maintained.
    #[inline(always)]
    pub(super) fn of(wave: &Wave, step: &Step, counts: bool) -> IssueState {
        let is_moved = indexing::is_on(wave) || step.relative.is_some();
        let skip = match step.run {
            Executor::Cancelled => Some(Skip::Destination),
            Executor::Vector | Executor::VectorFromLds | Executor::Memory | Executor::Missing
                if is_skipped(wave, step) =>
            {
                Some(Skip::Mode)
            }
            _ => None,
        };
        IssueState {
            operands: is_moved.then(|| Box::new(indexing::operands(wave, step))),
            skip,
            is_resumed: wave.waiting == Waiting::Gws,
            ..IssueState::plain(wave, step, counts)
        }
    }

    /// State of an instruction that takes effect after its issue, as the operation with this ID.
    pub(super) fn delayed(wave: &Wave, step: &Step, operation: OperationId) -> IssueState {
        IssueState {
            operation: Some(operation),
            // The wave may wait for GWS, but not because of this instruction.
            is_resumed: false,
            ..IssueState::of(wave, step, false)
        }
    }

    /// Captures the state of an instruction that is neither skipped nor resumed and uses its operands as encoded.
    #[inline(always)]
    pub(super) fn plain(wave: &Wave, step: &Step, counts: bool) -> IssueState {
        let is_counted = counts && (step.memory.is_some() || step.is_message());
        IssueState {
            operands: None,
            exec: wave.exec(),
            operation: is_counted.then(|| wave.scoreboard.next()),
            skip: None,
            is_resumed: false,
        }
    }
}

/// Writer of an instruction's events to a thread's observers. Small methods are inlined so that the writer stays in
/// host registers.
pub(super) struct EventWriter<'a> {
    dispatched: &'a Dispatched<'a>,
    pub(super) watch: &'a mut Watchers,
    /// Address of the instruction.
    pub(super) pc: u64,
    pub(super) instruction: Instruction<'a>,
    skip: Option<Skip>,
    is_resumed: bool,
    /// Observers that do not need the events of the instruction's access.
    overlook: Overlook,
}

/// True for a global wave synchronization instruction.
fn is_of_gws(step: &Step) -> bool {
    let plan = step.memory.as_deref();
    plan.is_some_and(|plan| matches!(plan.does, Does::Gws(_)))
}

impl<'a> EventWriter<'a> {
    /// Creates a writer for the instruction that the wave executes now.
    #[inline(always)]
    pub(super) fn new(
        dispatched: &'a Dispatched<'a>,
        watch: &'a mut Watchers,
        issued: &'a IssueState,
        step: &'a Step,
        wave: &mut Wave,
        overlook: Overlook,
    ) -> EventWriter<'a> {
        let pc = dispatched.code.address(step.index);
        wave.pc = pc;
        EventWriter {
            dispatched,
            watch,
            pc,
            instruction: Instruction {
                step,
                operands: issued.operands.as_deref().unwrap_or(&step.args),
                exec: issued.exec,
                operation: issued.operation,
            },
            skip: issued.skip,
            is_resumed: issued.is_resumed,
            overlook,
        }
    }

    #[inline(always)]
    fn context<'b>(&self, wave: &'b Wave, lds: &'b Lds) -> Context<'b>
    where
        'a: 'b,
    {
        Context {
            dispatched: self.dispatched,
            wave,
            lds,
            pc: self.pc,
        }
    }

    /// Reports the issue, unless the instruction has already been issued or is skipped. If `watches` is true, observers
    /// then choose the registers that they watch.
    #[inline(always)]
    pub(super) fn issues(&mut self, wave: &Wave, lds: &Lds, watches: bool) {
        let events = match self.instruction.step.run {
            Executor::Wait(_) => Events::WAIT_ISSUES,
            _ => Events::ISSUES,
        };
        let context = self.context(wave, lds);
        if !self.is_resumed && self.skip.is_none() && self.watch.wants.intersects(events) {
            let (overlook, instruction) = (self.overlook, &self.instruction);
            self.watch
                .each_accessing(events, overlook, |it| it.issues(&context, instruction));
        }
        if watches {
            self.watch.watch(&context, events);
        }
    }

    /// Reports the completion. The wave continues at the dword with index `next`.
    #[inline(always)]
    pub(super) fn completes(&mut self, wave: &mut Wave, lds: &Lds, next: usize) {
        if self.watch.wants.intersects(Events::COMPLETE) {
            wave.executed += 1;
            wave.pc = self.dispatched.code.address(next);
            let context = self.context(wave, lds);
            let instruction = &self.instruction;
            self.watch
                .each(Events::COMPLETE, |it| it.completes(&context, instruction));
        }
    }

    /// Reports that the instruction has completed or was skipped. The wave's `pc` is the address at which it continues.
    /// The wave may be waiting or have ended.
    #[inline(always)]
    pub(super) fn ends(&mut self, wave: &Wave, lds: &Lds) {
        let (context, instruction) = (self.context(wave, lds), &self.instruction);
        let watch = &mut *self.watch;
        match self.skip {
            None => watch.each(Events::COMPLETE, |it| it.completes(&context, instruction)),
            Some(why) => watch.each(Events::SKIP, |it| {
                it.skipped(&context, instruction.step, why);
            }),
        }
        match wave.waiting {
            Waiting::Barrier => watch.each(Events::BARRIER, |it| it.barrier_arrives(&context)),
            Waiting::Ended => {
                watch.each(Events::WAVE, |it| it.wave_ends(&context, WaveEnd::Program));
            }
            Waiting::No | Waiting::Gws | Waiting::Asleep => {}
        }
    }

    /// Reports an access before it happens. The addresses are in `transfer`, or can be computed.
    ///
    /// # Errors
    /// Returns the veto of an observer.
    #[inline(always)]
    pub(super) fn accesses(
        &mut self,
        wave: &Wave,
        lds: &Lds,
        transfer: &Transfer,
    ) -> Result<(), FaultKind> {
        let (context, overlook) = (self.context(wave, lds), self.overlook);
        let event = MemoryEvent::new(&self.instruction, &context, Phase::Before, transfer);
        let mut veto: Option<Box<str>> = None;
        let events = Events::before(self.instruction.step.memory.as_deref());
        self.watch.each_accessing(events, overlook, |it| {
            if let Verdict::Veto(message) = it.accesses(&context, &event) {
                veto.get_or_insert(message);
            }
        });
        veto.map_or(Ok(()), |message| Err(FaultKind::Vetoed(message)))
    }

    /// Reports an access after it has happened. The addresses are in `transfer`, or can be computed.
    #[inline(always)]
    pub(super) fn accessed(&mut self, wave: &Wave, lds: &Lds, transfer: &Transfer) {
        let (context, overlook) = (self.context(wave, lds), self.overlook);
        let event = MemoryEvent::new(&self.instruction, &context, Phase::After, transfer);
        let events = Events::after(self.instruction.step.memory.as_deref());
        self.watch.each_accessing(events, overlook, |it| {
            it.accessed(&context, &event);
        });
    }

    /// Waits for counters, and reports the operations that retire.
    #[inline(always)]
    pub(super) fn waits(&mut self, wave: &mut Wave, lds: &Lds, until: Waitcnt) {
        let retired = &mut self.watch.retired;
        wave.scoreboard.wait_reported(until, retired);
        self.retires(wave, lds);
    }

    /// Counts an operation, and reports the operations that retire because of it.
    #[inline(always)]
    pub(super) fn counts(&mut self, wave: &mut Wave, lds: &Lds, counters: Counters) {
        let retired = &mut self.watch.retired;
        wave.scoreboard.issue_reported(self.pc, counters, retired);
        self.retires(wave, lds);
    }

    #[inline(always)]
    fn retires(&mut self, wave: &Wave, lds: &Lds) {
        if !self.watch.retired.is_empty() {
            let context = self.context(wave, lds);
            report_retired(self.watch, &context);
        }
    }

    /// Executes a memory instruction and reports its events, except issue and completion.
    ///
    /// # Errors
    /// Returns the fault with its lane, or the veto of an observer. The error is boxed so that the result fits in
    /// registers.
    pub(super) fn memory(
        &mut self,
        wave: &mut Wave,
        step: &Step,
        lds: &mut Lds,
        transfer: &mut Transfer,
    ) -> Result<Attempt, Box<LaneFault>> {
        let wants = self.watch.wants;
        if wants.intersects(Events::CACHE)
            && let Some(plan) = &step.memory
            && matches!(plan.does, Does::Cache(_))
        {
            let (context, instruction) = (self.context(wave, lds), &self.instruction);
            self.watch.each(Events::CACHE, |it| {
                it.manages_cache(&context, instruction);
            });
        }
        if wants.intersects(Events::GWS) && !self.is_resumed && is_of_gws(step) {
            let context = self.context(wave, lds);
            let watch = &mut *self.watch;
            watch.each(Events::GWS, |it| it.gws_begins(&context));
        }
        let outcome = self.access(wave, step, lds, transfer)?;
        self.resumes(outcome, wave, lds);
        Ok(outcome)
    }

    /// Executes a memory instruction and reports the events of its access.
    ///
    /// # Errors
    /// Returns the errors of [`EventWriter::memory`].
    fn access(
        &mut self,
        wave: &mut Wave,
        step: &Step,
        lds: &mut Lds,
        transfer: &mut Transfer,
    ) -> Result<Attempt, Box<LaneFault>> {
        let Dispatched { device, .. } = *self.dispatched;
        let wants = self.watch.wants;
        let plan = step.memory.as_deref();
        let (before, after) = (Events::before(plan), Events::after(plan));
        if !wants.intersects(before | after) || self.overlook.is_unanimous {
            transfer.forget();
            let outcome = memory::execute(wave, step, lds, device, transfer);
            return outcome.map_err(Box::new);
        }
        if step.accesses_texels() {
            return self.samples(wave, step, lds, transfer);
        }
        let access = transfer.access_mut();
        memory::addresses(wave, step, device, access);
        let is_access = access.intent.is_some() && access.lanes() != 0;
        if is_access && !self.is_resumed && wants.intersects(before) {
            let veto = self.accesses(wave, lds, transfer);
            veto.map_err(|veto| Box::new((veto, None)))?;
        }
        let outcome = memory::execute(wave, step, lds, device, transfer);
        let outcome = outcome.map_err(Box::new)?;
        if is_access && outcome == Attempt::Done && wants.intersects(after) {
            self.accessed(wave, lds, transfer);
        }
        Ok(outcome)
    }

    /// Executes an image sample, which accesses several texels per lane. Each texel is reported as an access.
    #[inline(never)]
    fn samples(
        &mut self,
        wave: &mut Wave,
        step: &Step,
        lds: &mut Lds,
        transfer: &mut Transfer,
    ) -> Result<Attempt, Box<LaneFault>> {
        let device = self.dispatched.device;
        memory::addresses(wave, step, device, transfer.access_mut());
        // The result may overwrite the address registers, so compute all texels first.
        let mut texels = Vec::new();
        for number in 0.. {
            if number > 0 && !memory::texel(wave, step, number, transfer.access_mut()) {
                break;
            }
            if transfer.access_mut().lanes() != 0 {
                self.accesses(wave, lds, transfer)
                    .map_err(|veto| Box::new((veto, None)))?;
                if self.watch.wants.intersects(Events::ACCESSED) {
                    texels.push(transfer.access_mut().clone());
                }
            }
        }
        let outcome = memory::execute(wave, step, lds, device, transfer);
        let outcome = outcome.map_err(Box::new)?;
        for access in texels {
            *transfer.access_mut() = access;
            self.accessed(wave, lds, transfer);
        }
        Ok(outcome)
    }

    /// After a completed access, reports that a blocked wave continues and that a GWS operation has ended.
    fn resumes(&mut self, outcome: Attempt, wave: &Wave, lds: &Lds) {
        if outcome != Attempt::Done || !self.watch.wants.intersects(Events::GWS) {
            return;
        }
        let context = self.context(wave, lds);
        if self.is_resumed {
            self.watch.each(Events::GWS, |it| it.gws_resumes(&context));
        }
        if is_of_gws(self.instruction.step) {
            self.watch.each(Events::GWS, |it| it.gws_ends(&context));
        }
    }

    /// Reports that the wave blocks. Called only when it first blocks at an instruction.
    pub(super) fn blocks(&mut self, wave: &Wave, lds: &Lds) {
        let context = self.context(wave, lds);
        self.watch.each(Events::GWS, |it| it.gws_blocks(&context));
    }
}

#[inline(never)]
fn report_retired(watch: &mut Watchers, context: &Context<'_>) {
    let mut retired: Vec<Retired> = std::mem::take(&mut watch.retired);
    for it in &retired {
        watch.each(Events::RETIRE, |observer| observer.retires(context, it));
    }
    retired.clear();
    watch.retired = retired;
}
