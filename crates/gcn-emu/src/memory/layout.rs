//! Constants of the address space layout.

/// Address of a device's first allocation, if the address is free on the host. Allocations start at 4 GiB, so that a
/// truncated pointer faults.
pub const FIRST_ADDRESS: u64 = 0x1_0000_0000;
/// Alignment of allocations.
pub const ALIGNMENT: u64 = 0x1_0000;
/// Address bit that distinguishes an alias of host memory ([`Memory::register_alias`](super::Memory::register_alias))
/// from its host address, which never has this bit.
pub const ALIAS: u64 = 1 << 47;
/// Unmapped bytes after each allocation, so that overruns fault.
pub(super) const GUARD: u64 = 0x1_0000;
