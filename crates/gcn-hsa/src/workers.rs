//! Worker threads that execute tasks once they are ready, which usually depends on signals.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::changes::RECHECK_INTERVAL;
use crate::signals::CHANGES;
use crate::status::{HsaResult, Status};

/// Maximum time that a worker thread sleeps if no tasks are waiting.
const IDLE: Duration = Duration::from_secs(3600);

pub(crate) trait WorkerTask: Send + Sync + Sized + 'static {
    const THREAD: &'static str;

    /// Returns true if the task can be executed now.
    fn is_ready(&self) -> bool;

    /// Executes the task. Returns true to queue the task again.
    fn carry_out(&self) -> bool;
}

/// Queue of waiting tasks, and a thread that executes them, started by the first task.
pub(crate) struct TaskWorker<T>(Mutex<WorkerState<T>>);

struct WorkerState<T> {
    /// Waiting tasks in order of submission.
    tasks: Vec<Arc<T>>,
    /// Task that the thread is executing; `None` if the thread is idle or [`TaskWorker::retain`] has rejected the task.
    running: Option<Arc<T>>,
    has_thread: bool,
}

impl<T> Default for TaskWorker<T> {
    fn default() -> TaskWorker<T> {
        TaskWorker(Mutex::new(WorkerState {
            tasks: Vec::new(),
            running: None,
            has_thread: false,
        }))
    }
}

impl<T> TaskWorker<T> {
    fn state(&self) -> MutexGuard<'_, WorkerState<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the thread has been started.
    pub(crate) fn has_thread(&self) -> bool {
        self.state().has_thread
    }

    /// Drops the waiting tasks for which `keep` returns false. A running task that `keep` rejects is not queued again.
    pub(crate) fn retain(&self, keep: impl Fn(&T) -> bool) {
        let mut state = self.state();
        state.tasks.retain(|task| keep(task));
        state.running = state.running.take().filter(|task| keep(task));
    }
}

impl<T: WorkerTask> TaskWorker<T> {
    /// Submits a task for execution once it is ready. Ready tasks are executed in order of submission.
    ///
    /// # Errors
    /// Fails if the worker thread cannot be created.
    pub(crate) fn submit(self: &Arc<Self>, task: T) -> HsaResult {
        let mut state = self.state();
        state.tasks.push(Arc::new(task));
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
            let place = state.tasks.iter().position(|task| task.is_ready());
            let task = place.map(|place| state.tasks.remove(place));
            state.running.clone_from(&task);
            let is_idle = state.tasks.is_empty();
            drop(state);
            match task {
                Some(task) => {
                    let waits_again = task.carry_out();
                    let mut state = self.state();
                    let kept = state.running.take();
                    state.tasks.extend(kept.filter(|_| waits_again));
                }
                None => CHANGES.sleep(seen, if is_idle { IDLE } else { RECHECK_INTERVAL }),
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
