//! The host of a run, as the run sees it: it answers calls and learns of progress.

use std::fmt::Debug;

use crate::memory::Memory;

/// Answers what waves ask of their host through memory.
pub trait HostCalls: Debug + Send + Sync {
    /// Answers the calls that are ready. The thread that runs a wave asks after each of its turns.
    ///
    /// # Errors
    /// The reason why a call cannot be answered, which ends the run.
    fn serve(&self, memory: &Memory) -> Result<(), String>;
}

/// Learns how far a run is.
pub trait Monitor: Debug + Send + Sync {
    /// A run of `groups` workgroups begins on `threads` threads.
    fn begin(&self, groups: u128, threads: usize);
    /// Thread number `thread` has ended `groups` workgroups and executed `instructions` instructions so far.
    fn advance(&self, thread: usize, groups: u64, instructions: u64);
}
