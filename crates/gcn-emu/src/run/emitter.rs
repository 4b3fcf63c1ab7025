//! Emits the events of an instruction to the observers of a thread.

use gcn_isa::Does;
use gcn_isa::simm::MODE_VSKIP;

use super::reporter::{self, Reporter};
use crate::exec::alu::indexing;
use crate::exec::memory::{self, Attempt, LaneFault, Transfer};
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::observe::{Dispatched, Events, Instruction, Overlook, Skip, Watchers, WaveEnd};
use crate::scoreboard::OperationId;
use crate::step::{Arg, Executor, MAX_ARGS, Step};
use crate::wave::{Waiting, Wave};

/// True if an instruction is a vector instruction while those are skipped (S_SETVSKIP, errata E206). Nothing of it
/// happens, and no counter counts it.
#[inline(always)]
pub(super) fn is_skipped(wave: &Wave, step: &Step) -> bool {
    wave.mode & MODE_VSKIP != 0 && !step.inst.encoding.is_scalar()
}

/// State of a wave when an instruction issues, which may be different when it completes.
pub(super) struct IssueState {
    /// Operands, where they are not the step's.
    operands: Option<Box<[Arg; MAX_ARGS]>>,
    exec: u64,
    operation: Option<OperationId>,
    skip: Option<Skip>,
}

impl IssueState {
    /// Looks at the wave before the instruction executes; `counts` if the wait counters are kept.
    #[inline(always)]
    pub(super) fn of(wave: &Wave, step: &Step, counts: bool) -> IssueState {
        let is_moved = indexing::is_on(wave) || step.relative.is_some();
        let is_counted = counts && (step.memory.is_some() || step.is_message());
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

/// The observers, and the instruction that events are about.
pub(super) struct Emitter<'a> {
    pub(super) to: Reporter<'a>,
    instruction: Instruction<'a>,
    skip: Option<Skip>,
    /// The instruction has been issued before, and has blocked.
    is_resumed: bool,
    /// The observers that overlook its access.
    overlook: Overlook,
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
        issued: &'a IssueState,
        step: &'a Step,
        wave: &Wave,
        overlook: Overlook,
    ) -> Emitter<'a> {
        let pc = wave.pc;
        Emitter {
            to: Reporter {
                dispatched,
                watch,
                pc,
            },
            instruction: issued.instruction(step),
            skip: issued.skip,
            is_resumed: wave.waiting == Waiting::Gws,
            overlook,
        }
    }

    /// The instruction issues, unless it has before or is to be skipped. With `watches` observers say which registers they watch then.
    #[inline(always)]
    pub(super) fn begins(&mut self, wave: &Wave, lds: &Lds, watches: bool) {
        let issue = reporter::issue(self.instruction.step);
        if !self.is_resumed && self.skip.is_none() {
            let instruction = &self.instruction;
            self.to
                .issues((wave, lds), instruction, issue, self.overlook);
        }
        if watches {
            self.to.watches((wave, lds), issue);
        }
    }

    /// The instruction has completed, or was skipped; the wave's `pc` is where it goes on. It may wait or end.
    #[inline(always)]
    pub(super) fn ends(&mut self, wave: &Wave, lds: &Lds) {
        let (context, instruction) = (self.to.context(wave, lds), &self.instruction);
        match self.skip {
            None => self.to.completes((wave, lds), instruction),
            Some(why) => self.to.watch.each(Events::SKIP, |it| {
                it.skipped(&context, instruction.step, why);
            }),
        }
        let watch = &mut *self.to.watch;
        match wave.waiting {
            Waiting::Barrier => watch.each(Events::BARRIER, |it| it.barrier_arrives(&context)),
            Waiting::Ended => {
                watch.each(Events::WAVE, |it| it.wave_ends(&context, WaveEnd::Program));
            }
            Waiting::No | Waiting::Gws | Waiting::Asleep => {}
        }
    }

    /// Memory is about to be accessed; the addresses are in `transfer`.
    ///
    /// # Errors
    /// The veto of an observer.
    pub(super) fn accesses(
        &mut self,
        wave: &Wave,
        lds: &Lds,
        transfer: &Transfer,
    ) -> Result<(), FaultKind> {
        let (state, instruction) = ((wave, lds), &self.instruction);
        self.to
            .accesses(state, instruction, self.overlook, transfer)
    }

    /// Memory has been accessed; the addresses are in `transfer`.
    pub(super) fn accessed(&mut self, wave: &Wave, lds: &Lds, transfer: &Transfer) {
        let (state, instruction) = ((wave, lds), &self.instruction);
        self.to
            .accessed(state, instruction, self.overlook, transfer);
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
        let wants = self.to.watch.wants;
        if wants.any(Events::CACHE)
            && let Some(plan) = &step.memory
            && matches!(plan.does, Does::Cache(_))
        {
            let (context, instruction) = (self.to.context(wave, lds), &self.instruction);
            self.to.watch.each(Events::CACHE, |it| {
                it.manages_cache(&context, instruction);
            });
        }
        if wants.any(Events::GWS) && !self.is_resumed && is_of_gws(step) {
            let context = self.to.context(wave, lds);
            let watch = &mut *self.to.watch;
            watch.each(Events::GWS, |it| it.gws_begins(&context));
        }
        let outcome = self.access(wave, step, lds, transfer)?;
        self.resumes(outcome, wave, lds);
        Ok(outcome)
    }

    /// Executes a memory instruction between the events of its access.
    ///
    /// # Errors
    /// As of [`Emitter::memory`].
    fn access(
        &mut self,
        wave: &mut Wave,
        step: &Step,
        lds: &mut Lds,
        transfer: &mut Transfer,
    ) -> Result<Attempt, Box<LaneFault>> {
        let Dispatched { device, .. } = *self.to.dispatched;
        let wants = self.to.watch.wants;
        if !wants.any(Events::ACCESS | Events::ACCESSED) || self.overlook.is_unanimous {
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
        if is_access && !self.is_resumed && wants.any(Events::ACCESS) {
            let veto = self.accesses(wave, lds, transfer);
            veto.map_err(|veto| Box::new((veto, None)))?;
        }
        let outcome = memory::execute(wave, step, lds, device, transfer);
        let outcome = outcome.map_err(Box::new)?;
        if is_access && outcome == Attempt::Done && wants.any(Events::ACCESSED) {
            self.accessed(wave, lds, transfer);
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
        let device = self.to.dispatched.device;
        memory::addresses(wave, step, device, transfer.access_mut());
        // The registers of the address may be those of the result.
        let mut texels = Vec::new();
        for number in 0.. {
            if number > 0 && !memory::texel(wave, step, number, transfer.access_mut()) {
                break;
            }
            if transfer.access_mut().lanes() != 0 {
                self.accesses(wave, lds, transfer)
                    .map_err(|veto| Box::new((veto, None)))?;
                if self.to.watch.wants.any(Events::ACCESSED) {
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

    /// Reports that the wave goes on, if it was blocked and is not any more, and has done what it wanted of GWS.
    fn resumes(&mut self, outcome: Attempt, wave: &Wave, lds: &Lds) {
        if outcome != Attempt::Done || !self.to.watch.wants.any(Events::GWS) {
            return;
        }
        let context = self.to.context(wave, lds);
        if self.is_resumed {
            self.to
                .watch
                .each(Events::GWS, |it| it.gws_resumes(&context));
        }
        if is_of_gws(self.instruction.step) {
            self.to.watch.each(Events::GWS, |it| it.gws_ends(&context));
        }
    }

    /// The wave blocks, the first time.
    pub(super) fn blocks(&mut self, wave: &Wave, lds: &Lds) {
        let context = self.to.context(wave, lds);
        self.to
            .watch
            .each(Events::GWS, |it| it.gws_blocks(&context));
    }
}
