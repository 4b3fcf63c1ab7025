//! Changes of memory by the host, and who learns of them.

use std::fmt::Debug;
use std::ops::Range;

/// Learns of what the host does to memory.
pub trait Listener: Debug + Send + Sync {
    /// The host has changed memory. Called in the thread that did; no lock is held, so that memory may be looked at.
    fn memory_changes(&self, change: &MemoryChange<'_>);
}

/// A change of memory by the host, or another event that concerns what is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryChange<'a> {
    /// Kind.
    pub kind: MemoryChangeKind,
    /// Addresses that it happened to.
    pub range: Range<u64>,
    /// The allocation's name.
    pub name: &'a str,
}

/// Kind of a [`MemoryChange`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryChangeKind {
    /// The range is an allocation now, of zeros.
    Allocated,
    /// The range was an allocation and is none any more.
    Freed,
    /// The host has written the range.
    Written,
    /// The range's contents mean nothing until somebody writes them: a program allocated it as memory that is not initialised.
    Undefined,
    /// The host reads the range, for example by a copy. Does not change the memory.
    Read,
    /// The host reads the range as results to show, save or compare, so all of it should have been written. Does not change
    /// the memory.
    ReadAsResults,
}
