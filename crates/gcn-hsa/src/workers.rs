//! Threads that carry tasks out when signals have the values that the tasks wait for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::changes::LOOK_AGAIN;
use crate::signals::CHANGES;
use crate::status::{HsaResult, Status};

/// Time that a thread sleeps at most while it has no task.
const IDLE: Duration = Duration::from_secs(3600);

/// A task of a worker.
pub(crate) trait WorkerTask: Send + Sized + 'static {
    /// Name of the thread.
    const THREAD: &'static str;

    /// True if it can be carried out.
    fn is_ready(&self) -> bool;

    /// Carries it out; yields it again if it waits once more.
    fn carry_out(self) -> Option<Self>;
}

/// The tasks that wait, and a thread for them, which the first one starts.
pub(crate) struct TaskWorker<T>(Mutex<WorkerState<T>>);

struct WorkerState<T> {
    /// In the order of their submission.
    tasks: Vec<T>,
    has_thread: bool,
}

impl<T> Default for TaskWorker<T> {
    fn default() -> TaskWorker<T> {
        TaskWorker(Mutex::new(WorkerState {
            tasks: Vec::new(),
            has_thread: false,
        }))
    }
}

impl<T> TaskWorker<T> {
    fn state(&self) -> MutexGuard<'_, WorkerState<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a thread was started.
    pub(crate) fn has_thread(&self) -> bool {
        self.state().has_thread
    }

    /// Forgets the tasks that wait and that `keep` says no to.
    pub(crate) fn retain(&self, keep: impl FnMut(&T) -> bool) {
        self.state().tasks.retain(keep);
    }
}

impl<T: WorkerTask> TaskWorker<T> {
    /// Has a task carried out when it is ready. Of those that are, the first one submitted is next.
    ///
    /// # Errors
    /// The host has no thread for it.
    pub(crate) fn submit(self: &Arc<Self>, task: T) -> HsaResult {
        let mut state = self.state();
        state.tasks.push(task);
        if !std::mem::replace(&mut state.has_thread, true) {
            let worker = self.clone();
            let thread = std::thread::Builder::new().name(T::THREAD.to_owned());
            if thread.spawn(move || worker.work()).is_err() {
                state.has_thread = false;
                state.tasks.pop();
                return Err(Status::OUT_OF_RESOURCES);
            }
        }
        drop(state);
        CHANGES.count();
        Ok(())
    }

    fn work(&self) {
        loop {
            let seen = CHANGES.seen();
            let mut state = self.state();
            let place = state.tasks.iter().position(T::is_ready);
            let task = place.map(|place| state.tasks.remove(place));
            let is_idle = state.tasks.is_empty();
            drop(state);
            match task {
                Some(task) => {
                    let again = task.carry_out();
                    self.state().tasks.extend(again);
                }
                None => CHANGES.sleep(seen, if is_idle { IDLE } else { LOOK_AGAIN }),
            }
        }
    }
}

impl<T> std::fmt::Debug for TaskWorker<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("tasks", &self.state().tasks.len())
            .finish_non_exhaustive()
    }
}
