//! Elements of memory: what a lane transfers at once.

/// Dwords of the largest element of a lane.
pub const MAX_DWORDS: usize = 4;
/// Bytes of a dword.
pub const DWORD: usize = 4;

/// Bits of half a register.
pub const HALF_BITS: u32 = 16;

/// The value of an element: its dwords, in the low bits.
pub type ElementDwords = [u32; MAX_DWORDS];
