//! Memory elements: the data that a lane transfers at once.

/// Maximum number of dwords per lane element.
pub const MAX_DWORDS: usize = 4;
/// Bytes per dword.
pub const DWORD: usize = 4;

/// Number of bits in half a register.
pub const HALF_BITS: u32 = 16;

/// Value of an element: its dwords, with the value in the low bits.
pub type ElementDwords = [u32; MAX_DWORDS];
