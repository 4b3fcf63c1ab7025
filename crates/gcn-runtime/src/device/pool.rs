//! Threads that serve queues. A thread is made when a queue has something to do and all threads are busy, so that kernels that
//! wait for each other in different queues all run; one that has had nothing to do for a while ends.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gcn_emu::run::FloatEnvironment;

/// Time after which a thread without work ends.
const PATIENCE: Duration = Duration::from_secs(2);

/// Work for a thread.
pub(crate) type PoolTask = Box<dyn FnOnce() + Send>;

/// The threads of a device's queues.
#[derive(Default)]
pub(crate) struct ThreadPool {
    state: Mutex<WorkerPoolState>,
    changed: Condvar,
}

#[derive(Default)]
struct WorkerPoolState {
    tasks: VecDeque<PoolTask>,
    /// Threads that wait for tasks.
    idle: usize,
}

impl ThreadPool {
    pub(crate) fn new() -> Arc<ThreadPool> {
        Arc::default()
    }

    fn state(&self) -> MutexGuard<'_, WorkerPoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a thread do something.
    pub(crate) fn schedule(self: &Arc<ThreadPool>, task: PoolTask) {
        let mut state = self.state();
        state.tasks.push_back(task);
        if state.tasks.len() <= state.idle {
            drop(state);
            self.changed.notify_one();
            return;
        }
        drop(state);
        let pool = self.clone();
        let thread = std::thread::Builder::new().name("gcn queue".to_owned());
        if thread.spawn(move || pool.work()).is_err() {
            // The host has no more threads: the caller's does the work, unless another has come to it.
            let task = self.state().tasks.pop_front();
            if let Some(task) = task {
                task();
            }
        }
    }

    fn work(&self) {
        let _environment = FloatEnvironment::usual();
        let mut state = self.state();
        loop {
            if let Some(task) = state.tasks.pop_front() {
                drop(state);
                task();
                state = self.state();
                continue;
            }
            state.idle += 1;
            let waited = self
                .changed
                .wait_timeout_while(state, PATIENCE, |state| state.tasks.is_empty());
            let (woken, _) = waited.unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if state.tasks.is_empty() {
                return;
            }
        }
    }
}
