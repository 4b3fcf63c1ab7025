//! Tracks command progress: execution status, profiling times, and callbacks for status changes.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::abi::{CL_COMPLETE, CL_QUEUED, CL_RUNNING, CL_SUBMITTED};
use crate::clock;

/// Callback for a status change, called with the new status.
pub(crate) type StatusCallback = Box<dyn FnOnce(i32) + Send>;

/// Profiling times of a command, in nanoseconds of [`clock::now`]; 0 until reached.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct CommandTimes {
    pub(crate) queued: u64,
    pub(crate) submitted: u64,
    pub(crate) begun: u64,
    pub(crate) ended: u64,
}

struct ProgressState {
    /// Execution status: from `CL_QUEUED` down to `CL_COMPLETE`, or a negative error.
    status: i32,
    times: CommandTimes,
    /// Callbacks, each with a status. A callback is called once the execution status is at or below its status.
    waiting: Vec<(i32, StatusCallback)>,
}

/// Progress of a command or of a user event.
pub(crate) struct CommandProgress {
    state: Mutex<ProgressState>,
    changed: Condvar,
}

impl CommandProgress {
    /// Creates the progress of a command that is being enqueued.
    pub(crate) fn queued() -> Arc<CommandProgress> {
        CommandProgress::new(CL_QUEUED)
    }

    /// Creates the progress of a user event, whose initial status is `CL_SUBMITTED`.
    pub(crate) fn submitted() -> Arc<CommandProgress> {
        CommandProgress::new(CL_SUBMITTED)
    }

    fn new(status: i32) -> Arc<CommandProgress> {
        Arc::new(CommandProgress {
            state: Mutex::new(ProgressState {
                status,
                times: CommandTimes {
                    queued: clock::now(),
                    ..CommandTimes::default()
                },
                waiting: Vec::new(),
            }),
            changed: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn status(&self) -> i32 {
        self.state().status
    }

    /// Returns true if the command has ended, successfully or with an error.
    pub(crate) fn has_ended(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    pub(crate) fn times(&self) -> CommandTimes {
        self.state().times
    }

    /// Lowers the status. Returns false if the command has ended or has already reached `status`.
    pub(crate) fn advance(&self, status: i32) -> bool {
        let now = clock::now();
        let mut state = self.state();
        if state.status <= CL_COMPLETE || state.status <= status {
            return false;
        }
        state.status = status;
        let times = &mut state.times;
        match status {
            CL_SUBMITTED => times.submitted = now,
            CL_RUNNING => times.begun = now,
            _ => {
                times.ended = now;
                // A command that ends without running starts and ends at the same time.
                times.begun = if times.begun == 0 { now } else { times.begun };
            }
        }
        let (ready, waiting) = std::mem::take(&mut state.waiting)
            .into_iter()
            .partition(|(at, _)| status <= *at);
        state.waiting = waiting;
        drop(state);
        if status <= CL_COMPLETE {
            self.changed.notify_all();
        }
        let ready: Vec<(i32, StatusCallback)> = ready;
        for (at, then) in ready {
            then(if status < 0 { status } else { at });
        }
        true
    }

    /// Calls `then` once the status is at or below `at`: immediately if it already is, otherwise on the thread that
    /// changes the status.
    pub(crate) fn subscribe(&self, at: i32, then: StatusCallback) {
        let mut state = self.state();
        let status = state.status;
        if status > at {
            state.waiting.push((at, then));
            return;
        }
        drop(state);
        then(if status < 0 { status } else { at });
    }

    /// Waits for the command to end, and returns its final status.
    pub(crate) fn wait(&self) -> i32 {
        let state = self.state();
        let ended = self
            .changed
            .wait_while(state, |state| state.status > CL_COMPLETE);
        ended.unwrap_or_else(PoisonError::into_inner).status
    }
}

impl std::fmt::Debug for CommandProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Progress").field(&self.status()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn functions_are_called_once_when_their_status_is_reached() {
        let progress = CommandProgress::queued();
        let (sender, receiver) = mpsc::channel();
        for at in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
            let sender = sender.clone();
            let send = move |status| {
                let _ = sender.send((at, status));
            };
            progress.subscribe(at, Box::new(send));
        }
        assert!(progress.advance(CL_SUBMITTED));
        assert_eq!(
            receiver.try_iter().collect::<Vec<_>>(),
            [(CL_SUBMITTED, CL_SUBMITTED)]
        );
        assert!(!progress.advance(CL_SUBMITTED));
        // An error triggers all remaining callbacks.
        assert!(progress.advance(-5));
        assert_eq!(
            receiver.try_iter().collect::<Vec<_>>(),
            [(CL_COMPLETE, -5), (CL_RUNNING, -5)]
        );
        assert!(!progress.advance(CL_COMPLETE) && progress.has_ended());
        assert_eq!(progress.wait(), -5);
        let times = progress.times();
        assert!(times.queued <= times.submitted && times.begun == times.ended);
    }
}
