//! Vector registers: one dword per lane.

/// Number of lanes per wave on every GCN generation.
pub const LANES: usize = 64;
/// Number of lanes whose mask bits fit in a dword; masks are expanded and packed in halves.
pub(super) const HALF: usize = 32;

/// Bit of each lane within its half.
pub(super) const BIT: [u32; HALF] = {
    let mut bits = [0; HALF];
    let mut lane = 0;
    while lane < HALF {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// Vector register: one dword per lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes(pub [u32; LANES]);

impl Lanes {
    /// Zero in all lanes.
    pub const ZERO: Lanes = Lanes([0; LANES]);

    /// Creates a register with the same value in every lane.
    #[inline]
    pub const fn splat(value: u32) -> Lanes {
        Lanes([value; LANES])
    }
}

/// Zeros, in place of absent operands and of registers outside the register file.
pub(crate) static NOTHING: Lanes = Lanes::ZERO;

/// Returns all ones if `bit` is nonzero, otherwise zero.
#[inline(always)]
pub(crate) fn keep_if(bit: u32) -> u32 {
    u32::from(bit != 0).wrapping_neg()
}

/// Iterates over the lanes whose bits are set in `mask`, in ascending order.
pub fn active(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
