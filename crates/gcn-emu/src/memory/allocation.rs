//! Allocations, and the reasons why memory cannot be allocated, freed or registered.

use std::sync::Arc;

/// An allocation, or a range of the host's that is registered, as it was when it was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// The host's name for it, for messages.
    pub name: Arc<str>,
    /// First address.
    pub base: u64,
    /// Length in bytes.
    pub len: u64,
    /// True if it has been freed or released.
    pub is_freed: bool,
    /// True if the host has written any of it; true for ranges of the host's.
    pub host_has_written: bool,
}

/// Memory that kernels may execute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExecutableRange {
    /// First address.
    pub base: u64,
    /// Length in bytes.
    pub len: u64,
    /// Number that no other range of the memory has had.
    pub(super) id: u64,
}

impl Allocation {
    /// Bytes between an address and the allocation; 0 inside.
    pub(super) fn distance(&self, address: u64) -> u64 {
        if address < self.base {
            self.base - address
        } else {
            address.saturating_sub(self.base + self.len)
        }
    }
}

/// A reason why memory cannot be allocated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AllocError {
    /// The host has not so much.
    #[error("cannot allocate {bytes} bytes for {name}")]
    TooLarge {
        /// Purpose.
        name: String,
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The host has no range of addresses for a device's memory.
    #[error(
        "the host has no address space for the memory of a device, at least 1 GiB, of which {name} needs {bytes} bytes: raise the \
         limit of the process (`ulimit -v`)"
    )]
    NoAddressSpace {
        /// Purpose.
        name: String,
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The device has not so much.
    #[error(
        "cannot allocate {bytes} bytes for {name}: {used} of the device's {limit} bytes are in use"
    )]
    Limit {
        /// Purpose.
        name: String,
        /// Bytes that were asked for.
        bytes: u64,
        /// Bytes in use.
        used: u64,
        /// Bytes that may be in use.
        limit: u64,
    },
}

/// Memory that is freed, or released, and is none: there is no allocation that begins at the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no allocation begins at {0:#x}")]
#[non_exhaustive]
pub struct FreeError(pub u64);

impl FreeError {
    /// The error of an address.
    pub fn new(address: u64) -> FreeError {
        FreeError(address)
    }
}

/// A reason why memory cannot be shared, or mapped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The range is wrong.
    #[error("the range of {len} bytes at {base:#x} {reason}")]
    Range {
        /// First address.
        base: u64,
        /// Length in bytes.
        len: u64,
        /// The end of the message.
        reason: &'static str,
    },
    /// The host cannot.
    #[error("the host cannot share memory: {0}")]
    Host(std::io::Error),
}

/// A reason why a range of the host's cannot be registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the range of {len} bytes at {base:#x} {reason}")]
pub struct RegisterError {
    pub(super) base: u64,
    pub(super) len: u64,
    pub(super) reason: &'static str,
}
