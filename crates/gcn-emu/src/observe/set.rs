//! Sets of observers.

use std::fmt;
use std::sync::Arc;

use gcn_isa::uses::RegisterSet;

use super::{Context, Debugger, Dispatched, Events, Observer, ShareAccess, WaveObserver};
use crate::dispatch::Stats;
use crate::exec::memory::Reaches;
use crate::fault::Fault;
use crate::lds::Lds;
use crate::memory::{Listener, MemoryChange};
use crate::scoreboard::Retired;
use crate::step::Step;
use crate::wave::Wave;

/// A set of observers. Copies have the same ones.
#[derive(Clone, Default)]
pub struct Observers {
    list: Vec<(Events, Arc<dyn Observer>)>,
    wants: Events,
    debugger: Option<Arc<dyn Debugger>>,
}

impl fmt::Debug for Observers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} observers of {:?}", self.list.len(), self.wants)
    }
}

impl Observers {
    /// No observer.
    pub fn none() -> Observers {
        Observers::default()
    }

    /// The same and one more.
    #[must_use]
    pub fn with(mut self, observer: Arc<dyn Observer>) -> Observers {
        let wants = observer.wants();
        self.wants = self.wants | wants;
        self.list.push((wants, observer));
        self
    }

    /// Adds a debugger, which controls runs; these have one thread.
    #[must_use]
    pub fn controlled_by(self, debugger: Arc<dyn Debugger>) -> Observers {
        Observers {
            debugger: Some(debugger),
            ..self
        }
    }

    /// The debugger.
    pub(crate) fn debugger(&self) -> Option<&Arc<dyn Debugger>> {
        self.debugger.as_ref()
    }

    /// Events that at least one of them wants.
    pub fn wants(&self) -> Events {
        self.wants
    }

    /// Calls each one that wants the event.
    fn each(&self, event: Events, f: impl Fn(&dyn Observer)) {
        let wanting = self.list.iter().filter(|(wants, _)| wants.any(event));
        wanting.for_each(|(_, observer)| f(&**observer));
    }

    /// Reports the begin of a dispatch.
    pub(crate) fn dispatch_begins(&self, dispatch: &Dispatched<'_>) {
        self.each(Events::DISPATCH, |it| it.dispatch_begins(dispatch));
    }

    /// Reports its end.
    pub(crate) fn dispatch_ends(
        &self,
        dispatch: &Dispatched<'_>,
        stats: &Stats,
        fault: Option<&Fault>,
    ) {
        self.each(Events::DISPATCH, |it| {
            it.dispatch_ends(dispatch, stats, fault);
        });
    }

    /// Makes the observers of a thread's waves in a dispatch.
    pub(crate) fn watchers(&self, dispatch: &Dispatched<'_>) -> Watchers {
        let mut watchers = Watchers::default();
        for (wants, observer) in &self.list {
            let wants = *wants & observer.wants_in(dispatch);
            if wants != Events::NONE
                && let Some(waves) = observer.waves()
            {
                watchers.wants = watchers.wants | wants;
                let may_overlook = wants.any(Events::OVERLOOKED) && observer.may_overlook();
                watchers.may_overlook |= may_overlook;
                watchers.list.push(Watcher {
                    wants,
                    may_overlook,
                    observer: waves,
                    watched: RegisterSet::default(),
                });
            }
        }
        watchers
    }
}

impl Listener for Observers {
    fn memory_changes(&self, change: &MemoryChange<'_>) {
        self.each(Events::MEMORY, |it| it.memory_changes(change));
    }
}

/// An observer of one thread's waves.
struct Watcher {
    wants: Events,
    /// The observer is asked which accesses of LDS it overlooks.
    may_overlook: bool,
    observer: Box<dyn WaveObserver>,
    /// Registers of the wave whose turn it is that it watches ([`Events::WATCHED`]).
    watched: RegisterSet,
}

impl Watcher {
    /// True if the observer, the one with this number in the set, is told of an event.
    #[inline(always)]
    fn gets(&self, event: Events, overlook: Overlook, number: usize) -> bool {
        let overlooks =
            overlook.by != 0 && overlook.by.checked_shr(number as u32).unwrap_or(0) & 1 != 0;
        let needs_all = (self.wants & event).any(Events::ISSUE);
        self.wants.any(event) && (needs_all || !overlooks)
    }
}

/// Calls each one of several that is told of an event.
#[inline(never)]
fn each_of(
    list: &mut [Watcher],
    event: Events,
    overlook: Overlook,
    mut f: impl FnMut(&mut dyn WaveObserver),
) {
    for (number, it) in list.iter_mut().enumerate() {
        if it.gets(event, overlook, number) {
            f(&mut *it.observer);
        }
    }
}

/// The observers of one thread's waves.
#[derive(Default)]
pub(crate) struct Watchers {
    list: Vec<Watcher>,
    /// Events that at least one of them wants.
    pub(crate) wants: Events,
    /// At least one of them may overlook accesses of LDS.
    pub(crate) may_overlook: bool,
    /// Registers that at least one of them watches.
    watched: RegisterSet,
    /// The dword at which a sequence of instructions has begun that is not reported yet ([`Events::SEQUENCE`]).
    pub(crate) begun: Option<usize>,
    /// Of registers with addresses in LDS.
    reaches: Reaches,
    /// Operations that the instruction has made retire; kept to be allocated once.
    pub(crate) retired: Vec<Retired>,
}

/// Observers that overlook an access.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overlook {
    /// Places in the set, as bits.
    by: u64,
    /// All that could do.
    pub(crate) is_unanimous: bool,
}

impl Watchers {
    /// Calls each one that wants the event.
    #[inline(always)]
    pub(crate) fn each(&mut self, event: Events, f: impl FnMut(&mut dyn WaveObserver)) {
        self.each_accessing(event, Overlook::default(), f);
    }

    /// Asks the observers which of them overlook an instruction's access, if it is one of LDS.
    #[inline(never)]
    pub(crate) fn overlook(&mut self, context: &Context<'_>, step: &Step) -> Overlook {
        let device = context.dispatched.device;
        let Some(access) = &ShareAccess::of(context.wave, step, device, &mut self.reaches) else {
            return Overlook::default();
        };
        let mut overlook = Overlook {
            by: 0,
            is_unanimous: true,
        };
        for (number, it) in self.list.iter_mut().enumerate() {
            if !it.wants.any(Events::OVERLOOKED) {
                continue;
            }
            let bit = 1u64.checked_shl(number as u32).unwrap_or(0);
            if bit != 0 && it.may_overlook && it.observer.overlooks(context, access) {
                overlook.by |= bit;
            } else {
                overlook.is_unanimous = false;
            }
        }
        overlook
    }

    /// Like [`Watchers::each`] for the events of an access or the issue of its instruction, except for observers that
    /// overlook it. Observers of all instructions get the issue in any case.
    #[inline(always)]
    pub(crate) fn each_accessing(
        &mut self,
        event: Events,
        overlook: Overlook,
        mut f: impl FnMut(&mut dyn WaveObserver),
    ) {
        // Most often there is one: it is called without a loop.
        if let [it] = &mut *self.list {
            if it.gets(event, overlook, 0) {
                f(&mut *it.observer);
            }
        } else {
            each_of(&mut self.list, event, overlook, f);
        }
    }

    /// Reports instructions that a wave has executed one after the other, up to now.
    #[inline(never)]
    pub(crate) fn executed(
        &mut self,
        dispatched: &Dispatched<'_>,
        wave: &Wave,
        lds: &Lds,
        sequence: &[Step],
    ) {
        self.begun = None;
        let Some(first) = sequence.first() else {
            return;
        };
        let context = Context {
            dispatched,
            wave,
            lds,
            pc: dispatched.code.address(first.index),
        };
        self.each(Events::SEQUENCE, |it| it.executed(&context, sequence));
    }

    /// Asks those that want some events which registers of a wave they watch.
    pub(crate) fn watch(&mut self, context: &Context<'_>, of: Events) {
        let mut watched = RegisterSet::default();
        for it in &mut self.list {
            if !it.wants.any(Events::WATCHED) {
                continue;
            }
            if it.wants.any(of) {
                it.watched = it.observer.watched(context);
            }
            watched.add_all(&it.watched);
        }
        self.watched = watched;
    }

    /// True if one of them is watched.
    #[inline(always)]
    pub(crate) fn watches(&self, registers: &RegisterSet) -> bool {
        self.watched.meets(registers)
    }
}
