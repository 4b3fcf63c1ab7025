//! Thread pool that serves queues. If no thread is idle, another is started, because kernels in different queues may wait
//! for each other. Idle threads exit after a while.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gcn_emu::run::FloatEnvironment;

/// Time after which an idle thread exits.
const PATIENCE: Duration = Duration::from_secs(2);

/// Task for a pool thread.
pub(crate) type PoolTask = Box<dyn FnOnce() + Send>;

/// Threads that serve a device's queues.
#[derive(Default)]
pub(crate) struct ThreadPool {
    state: Mutex<ThreadPoolState>,
    changed: Condvar,
}

#[derive(Default)]
struct ThreadPoolState {
    tasks: VecDeque<PoolTask>,
    /// Number of idle threads.
    idle: usize,
}

impl ThreadPool {
    pub(crate) fn new() -> Arc<ThreadPool> {
        Arc::default()
    }

    fn state(&self) -> MutexGuard<'_, ThreadPoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a task on a pool thread, or on this thread if the host cannot start another.
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
            // Run the first task here, unless another thread has taken it.
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
