//! How far a run is, for whoever wants to know while it goes on. A thread of the run writes only its own counter, which
//! no other thread writes, so that counting costs two stores.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far a run is.
#[derive(Debug, Default)]
pub struct Progress(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    total: u128,
    counters: Vec<Arc<Counter>>,
}

/// What a run has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    /// Workgroups that have ended.
    pub groups: u64,
    /// Workgroups in all; 0 before the run.
    pub total: u128,
    /// Instructions executed, one for each wave that did.
    pub instructions: u64,
}

/// What a thread has done so far, in a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counter {
    groups: AtomicU64,
    instructions: AtomicU64,
}

impl Progress {
    /// What has been done until now.
    pub fn done(&self) -> Done {
        let state = self.state();
        let sum = |of: fn(&Counter) -> &AtomicU64| {
            let counts = state
                .counters
                .iter()
                .map(|counter| of(counter).load(Relaxed));
            counts.sum()
        };
        Done {
            groups: sum(|counter| &counter.groups),
            total: state.total,
            instructions: sum(|counter| &counter.instructions),
        }
    }

    /// A run of so many workgroups begins.
    pub(crate) fn begin(&self, total: u128) {
        *self.state() = State {
            total,
            counters: Vec::new(),
        };
    }

    /// A counter for another thread.
    pub(crate) fn counter(&self) -> Arc<Counter> {
        let counter = Arc::new(Counter::default());
        self.state().counters.push(counter.clone());
        counter
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counter {
    /// Says what the thread has done.
    pub(crate) fn set(&self, groups: u64, instructions: u64) {
        self.groups.store(groups, Relaxed);
        self.instructions.store(instructions, Relaxed);
    }
}
