//! Emits the events of an instruction to the observers of a thread.

use gcn_isa::Does;
use gcn_isa::simm::Waitcnt;

use crate::exec::alu::indexing;
use crate::exec::memory::{self, Attempt, LaneFault, Transfer};
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::observe::{
    Context, Dispatched, Events, Instruction, MemoryEvent, Overlook, Phase, Skip, Verdict,
    Watchers, WaveEnd,
};
use crate::scoreboard::{Increments, Kind, OperationId};
use crate::step::{Arg, Executor, MAX_ARGS, Step};
use crate::wave::{MODE_VSKIP, Waiting, Wave};

/// True if an instruction is a vector instruction while those are skipped (S_SETVSKIP, errata E206). Nothing of it
/// happens, and no counter counts it.
#[inline(always)]
pub(super) fn is_skipped(wave: &Wave, step: &Step) -> bool {
    wave.mode & MODE_VSKIP != 0 && !step.inst.encoding.is_scalar()
}

/// State of a wave when an instruction issues, which may be different when it completes.
pub(super) struct Issued {
    /// Its operands, where they are not the step's.
    operands: Option<Box<[Arg; MAX_ARGS]>>,
    exec: u64,
    operation: Option<OperationId>,
    skip: Option<Skip>,
}

impl Issued {
    /// Looks at the wave before the instruction executes.
    #[inline(always)]
    pub(super) fn of(wave: &Wave, step: &Step) -> Issued {
        let is_moved = indexing::is_on(wave) || step.relative.is_some();
        let is_counted = step.memory.is_some() || step.is_message();
        let skip = match step.run {
            Executor::Cancelled => Some(Skip::Destination),
            Executor::Vector | Executor::VectorFromLds | Executor::Memory | Executor::Missing
                if is_skipped(wave, step) =>
            {
                Some(Skip::Mode)
            }
            _ => None,
        };
        Issued {
            operands: is_moved.then(|| Box::new(indexing::operands(wave, step))),
            exec: wave.exec(),
            operation: is_counted.then(|| wave.scoreboard.next()),
            skip,
        }
    }

    /// The instruction as observers see it.
    pub(super) fn instruction<'a>(&'a self, step: &'a Step) -> Instruction<'a> {
        Instruction {
            step,
            operands: self.operands.as_deref().unwrap_or(&step.args),
            exec: self.exec,
            operation: self.operation,
        }
    }
}

/// The observers, and the instruction that they are told of.
pub(super) struct Emitter<'a> {
    dispatched: &'a Dispatched<'a>,
    pub(super) watch: &'a mut Watchers,
    instruction: Instruction<'a>,
    skip: Option<Skip>,
    /// It has been issued before, and has blocked.
    is_resumed: bool,
    /// The observers that overlook its access.
    pub(super) overlook: Overlook,
    /// Its address.
    pc: u64,
}

/// True of an instruction of global wave synchronisation.
fn is_of_gws(step: &Step) -> bool {
    let plan = step.memory.as_deref();
    plan.is_some_and(|plan| matches!(plan.does, Does::Gws(_)))
}

impl<'a> Emitter<'a> {
    /// For an instruction of a wave whose `pc` is its address.
    #[inline(always)]
    pub(super) fn new(
        dispatched: &'a Dispatched<'a>,
        watch: &'a mut Watchers,
        issued: &'a Issued,
        step: &'a Step,
        wave: &Wave,
    ) -> Emitter<'a> {
        Emitter {
            dispatched,
            watch,
            instruction: issued.instruction(step),
            skip: issued.skip,
            is_resumed: wave.waiting == Waiting::Gws,
            overlook: Overlook::default(),
            pc: wave.pc,
        }
    }

    #[inline]
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

    /// Events of the instruction when it issues.
    #[inline]
    fn issue(&self) -> Events {
        match self.instruction.step.run {
            Executor::Wait(_) => Events::WAIT_ISSUES,
            _ => Events::ISSUES,
        }
    }

    /// The instruction issues, unless it has before or is to be skipped.
    #[inline(always)]
    pub(super) fn begins(&mut self, wave: &Wave, lds: &Lds) {
        let issue = self.issue();
        if self.watch.wants.any(issue) && !self.is_resumed && self.skip.is_none() {
            let (context, instruction) = (self.context(wave, lds), &self.instruction);
            let overlook = self.overlook;
            self.watch
                .each_accessing(issue, overlook, |it| it.issues(&context, instruction));
        }
    }

    /// Asks the observers that have been told of the instruction which registers they watch now.
    #[inline]
    pub(super) fn watches(&mut self, wave: &Wave, lds: &Lds) {
        let (context, issue) = (self.context(wave, lds), self.issue());
        self.watch.watch(&context, issue);
    }

    /// The instruction has completed, or was skipped; the wave's `pc` is where it goes on.
    #[inline(always)]
    pub(super) fn completes(&mut self, wave: &Wave, lds: &Lds) {
        let (context, instruction) = (self.context(wave, lds), &self.instruction);
        match self.skip {
            None if self.watch.wants.any(Events::COMPLETE) => {
                self.watch
                    .each(Events::COMPLETE, |it| it.completes(&context, instruction));
            }
            None => {}
            Some(why) => self.watch.each(Events::SKIP, |it| {
                it.skipped(&context, instruction.step, why);
            }),
        }
    }

    /// The same, of an instruction by which the wave may wait or end.
    #[inline(always)]
    pub(super) fn ends(&mut self, wave: &Wave, lds: &Lds) {
        self.completes(wave, lds);
        let context = self.context(wave, lds);
        match wave.waiting {
            Waiting::Barrier => self
                .watch
                .each(Events::BARRIER, |it| it.barrier_arrives(&context)),
            Waiting::Ended => self
                .watch
                .each(Events::WAVE, |it| it.wave_ends(&context, WaveEnd::Program)),
            Waiting::No | Waiting::Gws | Waiting::Asleep => {}
        }
    }

    /// For an instruction at `pc` that is neither skipped nor blocked, and whose operands are those that it names.
    #[inline(always)]
    pub(super) fn unmodified(
        dispatched: &'a Dispatched<'a>,
        watch: &'a mut Watchers,
        step: &'a Step,
        wave: &Wave,
        pc: u64,
    ) -> Emitter<'a> {
        let instruction = Instruction {
            step,
            operands: &step.args,
            exec: wave.exec(),
            operation: step.memory.is_some().then(|| wave.scoreboard.next()),
        };
        Emitter {
            dispatched,
            watch,
            instruction,
            skip: None,
            is_resumed: false,
            overlook: Overlook::default(),
            pc,
        }
    }

    /// Memory is about to be accessed. With `is_addressed` the addresses are in `transfer`, or are then.
    ///
    /// # Errors
    /// The veto of an observer.
    #[inline(always)]
    pub(super) fn accesses(
        &mut self,
        wave: &Wave,
        lds: &Lds,
        transfer: &mut Transfer,
        is_addressed: &mut bool,
    ) -> Result<(), FaultKind> {
        let context = self.context(wave, lds);
        let event = MemoryEvent::new(
            &self.instruction,
            &context,
            Phase::Before,
            transfer,
            *is_addressed,
        );
        let mut veto: Option<String> = None;
        self.watch
            .each_accessing(Events::ACCESS, self.overlook, |it| {
                if let Verdict::Veto(message) = it.accesses(&context, &event) {
                    veto.get_or_insert(message);
                }
            });
        *is_addressed = event.is_addressed();
        veto.map_or(Ok(()), |message| Err(FaultKind::Vetoed(message)))
    }

    /// Memory has been accessed. With `is_addressed` the addresses are in `transfer`.
    #[inline(always)]
    pub(super) fn accessed(
        &mut self,
        wave: &Wave,
        lds: &Lds,
        transfer: &mut Transfer,
        is_addressed: bool,
    ) {
        let context = self.context(wave, lds);
        let event = MemoryEvent::new(
            &self.instruction,
            &context,
            Phase::After,
            transfer,
            is_addressed,
        );
        self.watch
            .each_accessing(Events::ACCESSED, self.overlook, |it| {
                it.accessed(&context, &event);
            });
    }

    /// Executes a memory instruction between its events, but for issue and completion.
    ///
    /// # Errors
    /// The fault and the lane to blame, or the veto of an observer. They are boxed: a small result is handed on in registers.
    pub(super) fn memory(
        &mut self,
        wave: &mut Wave,
        step: &Step,
        lds: &mut Lds,
        transfer: &mut Transfer,
    ) -> Result<Attempt, Box<LaneFault>> {
        if self.watch.wants.any(Events::CACHE)
            && let Some(plan) = &step.memory
            && matches!(plan.does, Does::Cache { .. })
        {
            let (context, instruction) = (self.context(wave, lds), &self.instruction);
            self.watch.each(Events::CACHE, |it| {
                it.manages_cache(&context, instruction);
            });
        }
        if self.watch.wants.any(Events::GWS) && !self.is_resumed && is_of_gws(step) {
            let context = self.context(wave, lds);
            self.watch.each(Events::GWS, |it| it.gws_begins(&context));
        }
        let outcome = self.access(wave, step, lds, transfer)?;
        self.resumes(outcome, wave, lds);
        Ok(outcome)
    }

    /// Executes a memory instruction between the events of its access.
    ///
    /// # Errors
    /// As of [`Emitter::memory`].
    #[inline(always)]
    pub(super) fn access(
        &mut self,
        wave: &mut Wave,
        step: &Step,
        lds: &mut Lds,
        transfer: &mut Transfer,
    ) -> Result<Attempt, Box<LaneFault>> {
        let device = self.dispatched.device;
        let wants = self.watch.wants.any(Events::ACCESS | Events::ACCESSED);
        if !wants || self.overlook.is_unanimous {
            let outcome = memory::execute(wave, step, lds, device, transfer, false);
            return outcome.map_err(Box::new);
        }
        let plan = step.memory.as_deref();
        let mut is_addressed = !plan.is_some_and(|plan| plan.keeps_addresses);
        if is_addressed && step.accesses_texels() {
            return self.samples(wave, step, lds, transfer);
        }
        let is_access = if is_addressed {
            memory::addresses(wave, step, device, &mut transfer.access);
            transfer.access.intent.is_some() && transfer.access.lanes() != 0
        } else {
            wave.exec() != 0
        };
        if is_access && !self.is_resumed && self.watch.wants.any(Events::ACCESS) {
            let veto = self.accesses(wave, lds, transfer, &mut is_addressed);
            veto.map_err(|veto| Box::new((veto, None)))?;
        }
        let outcome = memory::execute(wave, step, lds, device, transfer, is_addressed);
        let outcome = outcome.map_err(Box::new)?;
        if is_access && outcome == Attempt::Done && self.watch.wants.any(Events::ACCESSED) {
            self.accessed(wave, lds, transfer, is_addressed);
        }
        Ok(outcome)
    }

    /// Executes a sample of an image, which accesses several texels a lane: an access for each.
    #[inline(never)]
    fn samples(
        &mut self,
        wave: &mut Wave,
        step: &Step,
        lds: &mut Lds,
        transfer: &mut Transfer,
    ) -> Result<Attempt, Box<LaneFault>> {
        let device = self.dispatched.device;
        memory::addresses(wave, step, device, &mut transfer.access);
        // The registers of the address may be those of the result.
        let mut texels = Vec::new();
        for number in 0.. {
            if number > 0 && !memory::texel(wave, step, number, &mut transfer.access) {
                break;
            }
            if transfer.access.lanes() != 0 {
                self.accesses(wave, lds, transfer, &mut true)
                    .map_err(|veto| Box::new((veto, None)))?;
                if self.watch.wants.any(Events::ACCESSED) {
                    texels.push(transfer.access.clone());
                }
            }
        }
        let outcome = memory::execute(wave, step, lds, device, transfer, true);
        let outcome = outcome.map_err(Box::new)?;
        for access in texels {
            transfer.access = access;
            self.accessed(wave, lds, transfer, true);
        }
        Ok(outcome)
    }

    /// Reports that the wave goes on, if it was blocked and is not any more, and has done what it wanted of GWS.
    fn resumes(&mut self, outcome: Attempt, wave: &Wave, lds: &Lds) {
        if outcome != Attempt::Done || !self.watch.wants.any(Events::GWS) {
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

    /// The wave blocks, the first time.
    pub(super) fn blocks(&mut self, wave: &Wave, lds: &Lds) {
        let context = self.context(wave, lds);
        self.watch.each(Events::GWS, |it| it.gws_blocks(&context));
    }

    /// Waits for the counters.
    #[inline]
    pub(super) fn waits(&mut self, wave: &mut Wave, lds: &Lds, until: Waitcnt) {
        let retired = &mut self.watch.retired;
        wave.scoreboard.wait_reported(until, retired);
        self.retires(wave, lds);
    }

    /// Counts an operation.
    #[inline]
    pub(super) fn counts(
        &mut self,
        wave: &mut Wave,
        lds: &Lds,
        (kind, increments): (Kind, Increments),
    ) {
        let retired = &mut self.watch.retired;
        wave.scoreboard
            .issue_reported(kind, self.pc, increments, retired);
        self.retires(wave, lds);
    }

    #[inline]
    fn retires(&mut self, wave: &Wave, lds: &Lds) {
        if !self.watch.retired.is_empty() {
            self.report_retired(wave, lds);
        }
    }

    #[inline(never)]
    fn report_retired(&mut self, wave: &Wave, lds: &Lds) {
        let context = self.context(wave, lds);
        let retired = std::mem::take(&mut self.watch.retired);
        for it in &retired {
            self.watch
                .each(Events::RETIRE, |observer| observer.retires(&context, it));
        }
        self.watch.retired = retired;
        self.watch.retired.clear();
    }
}
