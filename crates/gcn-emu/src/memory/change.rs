//! Memory operations of the host, and listeners for them.

use std::fmt::Debug;
use std::ops::Range;

/// Listener for the host's memory operations.
pub trait Listener: Debug + Send + Sync {
    /// Called for a memory operation of the host, on the thread that performs it. No lock is held, so the listener may
    /// access memory.
    fn memory_changes(&self, change: &MemoryChange<'_>);
}

/// Operation on memory by the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryChange<'a> {
    /// Kind of operation.
    pub kind: MemoryChangeKind,
    /// Affected address range.
    pub range: Range<u64>,
    /// Name of the allocation.
    pub name: &'a str,
}

/// Kind of a [`MemoryChange`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryChangeKind {
    /// Memory allocated and filled with zeros, registered, or mapped.
    Allocated,
    /// Memory freed, released or unmapped.
    Freed,
    /// Memory written by the host.
    Written,
    /// Contents undefined until written: the program allocated uninitialized memory.
    Undefined,
    /// Memory read by the host, for example by a copy, and not changed.
    Read,
    /// Memory read by the host as results to show, save or compare, and not changed. All of it should have been
    /// written.
    ReadAsResults,
}
