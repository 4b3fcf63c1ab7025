//! Host callbacks of a run: host calls and progress.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::memory::Memory;

/// Server of requests that waves send to the host through memory.
pub trait HostCalls: Debug + Send + Sync {
    /// Serves all pending requests. Called after each turn of a wave, by the thread that runs the wave. Must not free
    /// memory of the run, because host code keeps the addresses of allocations from turn to turn.
    ///
    /// # Errors
    /// Returns the reason why a request cannot be served; this ends the run.
    fn serve(&self, memory: &Memory) -> Result<(), String>;

    /// Saves the state of host calls, for a run that may return to it later; `None` if it cannot be saved.
    fn save(&self) -> Option<SavedCalls> {
        None
    }

    /// Restores a saved state.
    fn restore(&self, _saved: &SavedCalls) {}
}

/// Saved state of [`HostCalls`], opaque to everything except their implementation.
pub type SavedCalls = Arc<dyn Any + Send + Sync>;

/// Receiver of a run's progress reports.
pub trait Monitor: Debug + Send + Sync {
    /// Called when a run of `groups` workgroups starts on `threads` threads.
    fn begin(&self, groups: u128, threads: usize);
    /// Called with the number of workgroups completed and instructions executed so far by thread `thread`.
    fn advance(&self, thread: usize, groups: u64, instructions: u64);
}
