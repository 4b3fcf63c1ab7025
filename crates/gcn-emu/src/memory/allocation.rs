//! Allocations, and errors when allocating, freeing and registering memory.

use std::sync::Arc;

/// Name of the allocation from which a kernel's `malloc` takes its blocks.
pub const DEVICE_HEAP: &str = "the memory of the device's malloc";

/// Snapshot of an allocation or a registered host range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// Name given by the host, for messages.
    pub name: Arc<str>,
    /// First address.
    pub base: u64,
    /// Length in bytes.
    pub len: u64,
    /// True if the memory has been freed or released.
    pub is_freed: bool,
    /// True if the host has written to the allocation; always true for host ranges and mappings at reserved addresses.
    pub host_has_written: bool,
}

/// Executable memory range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExecutableRange {
    /// First address.
    pub base: u64,
    /// Length in bytes.
    pub len: u64,
    /// Unique ID among all ranges of the memory, past and present.
    pub(super) id: u64,
}

impl Allocation {
    /// Distance in bytes from an address to the allocation; 0 inside it.
    pub(super) fn distance(&self, address: u64) -> u64 {
        if address < self.base {
            self.base - address
        } else {
            address.saturating_sub(self.base + self.len)
        }
    }
}

/// Error when allocating memory.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AllocError {
    /// Too little memory on the host.
    #[error("cannot allocate {bytes} bytes for {name}")]
    TooLarge {
        /// Name of the allocation.
        name: String,
        /// Number of bytes requested.
        bytes: u64,
    },
    /// No address range for device memory on the host.
    #[error(
        "the host has no address space for the memory of a device, at least 1 GiB, of which {name} needs {bytes} bytes: raise the \
         limit of the process (`ulimit -v`)"
    )]
    NoAddressSpace {
        /// Name of the allocation.
        name: String,
        /// Number of bytes requested.
        bytes: u64,
    },
    /// Device memory limit exceeded.
    #[error(
        "cannot allocate {bytes} bytes for {name}: {used} of the device's {limit} bytes are in use"
    )]
    Limit {
        /// Name of the allocation.
        name: String,
        /// Number of bytes requested.
        bytes: u64,
        /// Number of bytes in use.
        used: u64,
        /// Maximum number of bytes in use.
        limit: u64,
    },
}

/// Error when freeing or releasing memory at an address where no allocation begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no allocation begins at {0:#x}")]
#[non_exhaustive]
pub struct FreeError(pub u64);

impl FreeError {
    /// Creates the error for an address.
    pub fn new(address: u64) -> FreeError {
        FreeError(address)
    }
}

/// Error when sharing or mapping memory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// Invalid range.
    #[error("the range of {len} bytes at {base:#x} {reason}")]
    Range {
        /// First address.
        base: u64,
        /// Length in bytes.
        len: u64,
        /// End of the error message.
        reason: &'static str,
    },
    /// Host error.
    #[error("the host cannot share memory: {0}")]
    Host(std::io::Error),
}

/// Error when registering a host range.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the range of {len} bytes at {base:#x} {reason}")]
pub struct RegisterError {
    pub(super) base: u64,
    pub(super) len: u64,
    pub(super) reason: &'static str,
}
