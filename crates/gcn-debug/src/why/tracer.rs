//! Observer that records a [`Trace`].

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::fault::{Fault, Intent};
use gcn_emu::observe::{
    Access, Context, Dispatched, Events, Instruction, MemoryEvent, Observer, WaveEnd, WaveObserver,
};
use gcn_emu::run::Stats;

use super::groups::Group;
use super::trace::{RunInfo, Trace, is_late};

/// Observer that records a trace of successive runs; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Tracer {
    state: Arc<Mutex<Option<Box<Trace>>>>,
    /// Number of traced workgroups that have ended in this run.
    pub(crate) ended: Arc<AtomicUsize>,
    /// True if the trace has reached its maximum size.
    pub(crate) is_full: Arc<AtomicBool>,
    traces: bool,
    has_values: bool,
}

impl Tracer {
    /// Creates a tracer of the workgroups in `trace.wanted`. If there are none, it records only the last writers.
    pub(crate) fn new(trace: Trace) -> Tracer {
        Tracer {
            traces: !trace.wanted.is_empty(),
            has_values: !trace.values_of.is_empty(),
            state: Arc::new(Mutex::new(Some(Box::new(trace)))),
            ended: Arc::default(),
            is_full: Arc::default(),
        }
    }

    /// Calls a function with the trace. During a run, the wave observer holds the trace.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut Trace) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        f(state.get_or_insert_default())
    }

    pub(crate) fn into_trace(self) -> Trace {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state.take().unwrap_or_default()
    }
}

impl Observer for Tracer {
    fn wants(&self) -> Events {
        let waves = Events::DISPATCH | Events::WAVE;
        match (self.traces, self.has_values) {
            (false, _) => waves | Events::STORED,
            (true, false) => waves | Events::ACCESSED | Events::ISSUE,
            (true, true) => waves | Events::ACCESSED | Events::ISSUE | Events::COMPLETE,
        }
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Box::new(WaveTracer {
            trace: state.take().unwrap_or_default(),
            tracer: self.clone(),
        }))
    }

    fn dispatch_begins(&self, dispatched: &Dispatched<'_>) {
        let dispatch = dispatched.dispatch;
        self.with(|trace| {
            trace.runs.insert(
                trace.run,
                RunInfo {
                    kernel: dispatch.kernel.clone(),
                    kernarg: dispatch.kernarg.clone(),
                    initial: dispatch.initial.clone(),
                },
            );
        });
    }

    fn dispatch_ends(&self, dispatched: &Dispatched<'_>, _: &Stats, _: Option<&Fault>) {
        self.with(|trace| {
            let executed: Vec<u64> = trace.facts.iter().map(|it| it.pc).collect();
            trace.control.add(dispatched.code, &executed);
        });
    }
}

/// Observer on a run's only host thread. Holds the trace during the run.
struct WaveTracer {
    trace: Box<Trace>,
    tracer: Tracer,
}

impl Drop for WaveTracer {
    fn drop(&mut self) {
        let mut state = self
            .tracer
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *state = Some(std::mem::take(&mut self.trace));
    }
}

impl WaveTracer {
    fn is_traced(&self, group: Group) -> bool {
        self.trace.wanted.contains(&group)
    }

    fn group(&self, context: &Context<'_>) -> Group {
        Group {
            run: self.trace.run,
            group: context.id().group,
        }
    }

    /// Records a faulting access in the lanes below `lane`, which faulted.
    fn faulted(&mut self, context: &Context<'_>, lane: u8) {
        let Some(Ok(step)) = context.dispatched.code.step(context.pc) else {
            return;
        };
        let Some(plan) = step.memory.as_deref() else {
            return;
        };
        // The registers may no longer contain the addresses of a late access, or of a load that overwrites them.
        let is_store = plan.does.intent() == Some(Intent::Store);
        if is_late(context) || !is_store && !plan.keeps_addresses {
            return;
        }
        let mut access = Access::default();
        context.addresses(step, &mut access);
        let below = (1_u64 << (lane % 64)) - 1;
        access.global &= below;
        access.lds &= below;
        access.gds &= below;
        access.scratch &= below;
        access.buffer &= below;
        self.trace.access(context, step, &access);
    }
}

impl WaveObserver for WaveTracer {
    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        if let Some(wave) = self.trace.wave(context.id()) {
            self.trace.issue(wave, context, instruction);
            if self.trace.is_full {
                self.tracer.is_full.store(true, Relaxed);
            }
        }
    }

    fn completes(&mut self, context: &Context<'_>, _: &Instruction<'_>) {
        if let Some(wave) = self.trace.wave(context.id()) {
            self.trace.complete(wave, context);
        }
    }

    fn accessed(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        // Computing addresses is slow, so skip loads of untraced workgroups.
        let is_load = event.intent() == Some(Intent::Load);
        if !is_load || self.is_traced(self.group(context)) {
            let step = event.instruction.step;
            self.trace.access(context, step, event.access());
        }
    }

    fn wave_ends(&mut self, context: &Context<'_>, end: WaveEnd<'_>) {
        if let WaveEnd::Fault(_, Some(lane)) = end {
            self.faulted(context, lane);
        }
        let group = self.group(context);
        let is_traced = self.is_traced(group);
        if self.trace.ends.add(context, group, end, is_traced) {
            self.tracer.ended.fetch_add(1, Relaxed);
        }
    }
}
