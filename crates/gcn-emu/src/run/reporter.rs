//! Tells the observers of a thread about an instruction at an address: one function for each event.

use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::Counters;

use crate::exec::memory::Transfer;
use crate::fault::FaultKind;
use crate::lds::Lds;
use crate::observe::{
    Context, Dispatched, Events, Instruction, MemoryEvent, Overlook, Phase, Verdict, Watchers,
};
use crate::scoreboard::Retired;
use crate::step::{Executor, Step};
use crate::wave::Wave;

/// The observers, and the address of an instruction. All that takes it by reference is inlined, so that the host keeps it in registers.
pub(super) struct Reporter<'a> {
    pub(super) dispatched: &'a Dispatched<'a>,
    pub(super) watch: &'a mut Watchers,
    /// Address of the instruction.
    pub(super) pc: u64,
}

/// Events of an instruction when it issues.
#[inline(always)]
pub(super) fn issue(step: &Step) -> Events {
    match step.run {
        Executor::Wait(_) => Events::WAIT_ISSUES,
        _ => Events::ISSUES,
    }
}

impl<'a> Reporter<'a> {
    #[inline(always)]
    pub(super) fn context<'b>(&self, wave: &'b Wave, lds: &'b Lds) -> Context<'b>
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

    /// The instruction issues, with these events for it.
    #[inline(always)]
    pub(super) fn issues(
        &mut self,
        (wave, lds): (&Wave, &Lds),
        instruction: &Instruction<'_>,
        events: Events,
        overlook: Overlook,
    ) {
        if self.watch.wants.any(events) {
            let context = self.context(wave, lds);
            self.watch
                .each_accessing(events, overlook, |it| it.issues(&context, instruction));
        }
    }

    /// Asks the observers that have got events of the instruction which registers they watch now.
    #[inline(always)]
    pub(super) fn watches(&mut self, (wave, lds): (&Wave, &Lds), events: Events) {
        let context = self.context(wave, lds);
        self.watch.watch(&context, events);
    }

    /// The instruction has completed; the wave's `pc` is where it goes on.
    #[inline(always)]
    pub(super) fn completes(&mut self, (wave, lds): (&Wave, &Lds), instruction: &Instruction<'_>) {
        if self.watch.wants.any(Events::COMPLETE) {
            let context = self.context(wave, lds);
            self.watch
                .each(Events::COMPLETE, |it| it.completes(&context, instruction));
        }
    }

    /// Memory is about to be accessed.
    ///
    /// # Errors
    /// The veto of an observer.
    #[inline(always)]
    pub(super) fn accesses(
        &mut self,
        (wave, lds): (&Wave, &Lds),
        instruction: &Instruction<'_>,
        overlook: Overlook,
        transfer: &Transfer,
    ) -> Result<(), FaultKind> {
        let context = self.context(wave, lds);
        let before = Phase::Before;
        let event = MemoryEvent::new(instruction, &context, before, transfer);
        let mut veto: Option<Box<str>> = None;
        self.watch.each_accessing(Events::ACCESS, overlook, |it| {
            if let Verdict::Veto(message) = it.accesses(&context, &event) {
                veto.get_or_insert(message);
            }
        });
        veto.map_or(Ok(()), |message| Err(FaultKind::Vetoed(message)))
    }

    /// Memory has been accessed.
    #[inline(always)]
    pub(super) fn accessed(
        &mut self,
        (wave, lds): (&Wave, &Lds),
        instruction: &Instruction<'_>,
        overlook: Overlook,
        transfer: &Transfer,
    ) {
        let context = self.context(wave, lds);
        let after = Phase::After;
        let event = MemoryEvent::new(instruction, &context, after, transfer);
        self.watch.each_accessing(Events::ACCESSED, overlook, |it| {
            it.accessed(&context, &event);
        });
    }

    /// Waits for the counters, and reports what that makes retire.
    #[inline(always)]
    pub(super) fn waits(&mut self, wave: &mut Wave, lds: &Lds, until: Waitcnt) {
        let retired = &mut self.watch.retired;
        wave.scoreboard.wait_reported(until, retired);
        self.retires(wave, lds);
    }

    /// Counts an operation, and reports what that makes retire.
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
