//! Constants of the layout of allocations in the address space.

/// Address of a device's first allocation, where the host has that free: above 4 GiB, so that a truncated pointer faults.
pub const FIRST_ADDRESS: u64 = 0x1_0000_0000;
/// Allocations begin at multiples of this.
pub const ALIGNMENT: u64 = 0x1_0000;
/// Bit of the addresses that kernels have for memory of the host that is registered under an address of its own. No address
/// of the host's has it.
pub const ALIAS: u64 = 1 << 47;
/// Unmapped bytes behind each allocation, so that running off its end faults.
pub(super) const GUARD: u64 = 0x1_0000;
