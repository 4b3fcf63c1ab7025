//! The 64-lane loops. Only here is SIMD thought about.
//!
//! A vector register is [`Lanes`]: one dword for each of the 64 lanes. An operation computes all lanes and
//! blends the result in under EXEC; with all lanes active the blend is a copy.

/// Lanes of a wave on every GCN generation.
pub const LANES: usize = 64;

/// A vector register: a dword per lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Lanes(pub [u32; LANES]);

impl Lanes {
    /// All lanes zero.
    pub const ZERO: Lanes = Lanes([0; LANES]);

    /// The same value in every lane.
    #[inline]
    pub const fn splat(value: u32) -> Lanes {
        Lanes([value; LANES])
    }

    /// Writes `new` in the lanes whose bit in `exec` is set.
    #[inline]
    pub fn blend(&mut self, new: &Lanes, exec: u64) {
        if exec == u64::MAX {
            *self = *new;
            return;
        }
        for (lane, (old, &new)) in self.0.iter_mut().zip(&new.0).enumerate() {
            let active = ((exec >> lane) & 1) as u32;
            let mask = active.wrapping_neg();
            *old = (*old & !mask) | (new & mask);
        }
    }
}

/// The lanes whose bits are set in `mask`, in ascending order.
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
