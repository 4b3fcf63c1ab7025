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

/// Set of observers. Clones share the observers.
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
    /// Returns the empty set.
    pub fn none() -> Observers {
        Observers::default()
    }

    /// Adds an observer to the set.
    #[must_use]
    pub fn with(mut self, observer: Arc<dyn Observer>) -> Observers {
        let wants = observer.wants();
        self.wants |= wants;
        self.list.push((wants, observer));
        self
    }

    /// Adds a debugger. Runs that it controls use a single thread.
    #[must_use]
    pub fn controlled_by(self, debugger: Arc<dyn Debugger>) -> Observers {
        Observers {
            debugger: Some(debugger),
            ..self
        }
    }

    /// Debugger, if there is one.
    pub(crate) fn debugger(&self) -> Option<&Arc<dyn Debugger>> {
        self.debugger.as_ref()
    }

    /// Events that at least one observer wants.
    pub fn wants(&self) -> Events {
        self.wants
    }

    /// Calls each observer that wants the event.
    fn each(&self, event: Events, f: impl Fn(&dyn Observer)) {
        let wanting = self
            .list
            .iter()
            .filter(|(wants, _)| wants.intersects(event));
        wanting.for_each(|(_, observer)| f(&**observer));
    }

    /// Reports the beginning of a dispatch.
    pub(crate) fn dispatch_begins(&self, dispatch: &Dispatched<'_>) {
        self.each(Events::DISPATCH, |it| it.dispatch_begins(dispatch));
    }

    /// Reports the end of a dispatch.
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

    /// Creates the observers for a thread's waves in a dispatch.
    pub(crate) fn watchers(&self, dispatch: &Dispatched<'_>) -> Watchers {
        let mut watchers = Watchers::default();
        for (wants, observer) in &self.list {
            let wants = *wants & observer.wants_in(dispatch);
            if !wants.is_empty()
                && let Some(waves) = observer.waves()
            {
                watchers.wants |= wants;
                let may_overlook = wants.intersects(Events::OVERLOOKED) && observer.may_overlook();
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

/// Observer of one thread's waves.
struct Watcher {
    wants: Events,
    /// True if the observer may ignore LDS accesses.
    may_overlook: bool,
    observer: Box<dyn WaveObserver>,
    /// Registers of the current wave that the observer watches ([`Events::WATCHED`]).
    watched: RegisterSet,
}

impl Watcher {
    /// True if the observer, which has index `number` in the set, receives an event.
    #[inline(always)]
    fn gets(&self, event: Events, overlook: Overlook, number: usize) -> bool {
        let overlooks =
            overlook.by != 0 && overlook.by.checked_shr(number as u32).unwrap_or(0) & 1 != 0;
        let needs_all = (self.wants & event).intersects(Events::ISSUE);
        self.wants.intersects(event) && (needs_all || !overlooks)
    }
}

/// Calls each observer in `list` that receives the event.
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

/// Observers of one thread's waves.
#[derive(Default)]
pub(crate) struct Watchers {
    list: Vec<Watcher>,
    /// Events that at least one observer wants.
    pub(crate) wants: Events,
    /// True if at least one observer may ignore LDS accesses.
    pub(crate) may_overlook: bool,
    /// Registers that at least one observer watches.
    watched: RegisterSet,
    /// Index of the dword at which the current unreported sequence of instructions begins ([`Events::SEQUENCE`]).
    pub(crate) begun: Option<usize>,
    /// Cached bounds of the values in LDS address registers.
    reaches: Reaches,
    /// Buffer for the operations that an instruction retires, reused to avoid allocation.
    pub(crate) retired: Vec<Retired>,
}

/// Observers that do not need the events of an access.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overlook {
    /// Bit set of indexes in the observer set.
    by: u64,
    /// True if every observer that wants events of the access ignores it.
    pub(crate) is_unanimous: bool,
}

impl Watchers {
    /// Calls each observer that wants the event.
    #[inline(always)]
    pub(crate) fn each(&mut self, event: Events, f: impl FnMut(&mut dyn WaveObserver)) {
        self.each_accessing(event, Overlook::default(), f);
    }

    /// Determines the observers that ignore an instruction's access, if it is an LDS access.
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
            if !it.wants.intersects(Events::OVERLOOKED) {
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

    /// Like [`Watchers::each`] for the events of an access or the issue of its instruction, but skips observers that
    /// ignore the access. Observers of all instructions still receive the issue.
    #[inline(always)]
    pub(crate) fn each_accessing(
        &mut self,
        event: Events,
        overlook: Overlook,
        mut f: impl FnMut(&mut dyn WaveObserver),
    ) {
        // Usually there is one observer, which is called without a loop.
        if let [it] = &mut *self.list {
            if it.gets(event, overlook, 0) {
                f(&mut *it.observer);
            }
        } else {
            each_of(&mut self.list, event, overlook, f);
        }
    }

    /// Reports consecutive instructions that a wave has just executed.
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

    /// Updates the watched registers of the observers that want any of the given events.
    pub(crate) fn watch(&mut self, context: &Context<'_>, of: Events) {
        let mut watched = RegisterSet::default();
        for it in &mut self.list {
            if !it.wants.intersects(Events::WATCHED) {
                continue;
            }
            if it.wants.intersects(of) {
                it.watched = it.observer.watched(context);
            }
            watched.add_all(&it.watched);
        }
        self.watched = watched;
    }

    /// True if an observer watches any of `registers`.
    #[inline(always)]
    pub(crate) fn watches(&self, registers: &RegisterSet) -> bool {
        self.watched.meets(registers)
    }
}
