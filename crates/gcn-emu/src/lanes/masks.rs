//! Masks: results under EXEC, and masks of results.
//!
//! This is one of the modules that may use `unsafe`: what is compiled for instructions that not every host has is
//! called only where the host has been found to have them.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::Ordering::Relaxed;

#[cfg(target_arch = "x86_64")]
use super::level::{LEVEL, Level};
use super::register::{BIT, HALF, LANES, Lanes, keep_if};
#[cfg(target_arch = "x86_64")]
use super::vectors;

impl Lanes {
    /// Writes `new` in the lanes whose bit in `exec` is set.
    #[inline(always)]
    pub fn blend(&mut self, new: &Lanes, exec: u64) {
        if exec == u64::MAX {
            *self = *new;
        } else {
            // The host's memory has this copy, not what has been computed: that stays in registers wherever all lanes are active.
            self.blend_in_memory(&{ *new }, exec);
        }
    }

    /// [`Lanes::blend`] of what is in memory anyway, if the host has masks for it: then it becomes a few instructions of handlers. Returns
    /// false if it has not.
    #[inline(always)]
    pub(crate) fn blend_by_masks(&mut self, new: &Lanes, exec: u64) -> bool {
        #[cfg(target_arch = "x86_64")]
        if LEVEL.load(Relaxed) == Level::Avx512 as u8 {
            // SAFETY: the host has the level's features.
            unsafe { vectors::avx512::blend(self, new, exec) };
            return true;
        }
        let _ = (new, exec);
        false
    }

    /// [`Lanes::blend`] of what is in memory anyway.
    #[inline]
    pub(crate) fn blend_in_memory(&mut self, new: &Lanes, exec: u64) {
        if self.blend_by_masks(new, exec) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if LEVEL.load(Relaxed) == Level::Avx2 as u8 {
            // SAFETY: the host has the level's features.
            unsafe { vectors::avx2::blend(self, new, exec) };
            return;
        }
        self.blend_by_bits(new, exec);
    }

    /// [`Lanes::blend_in_memory`] at [`Level::Baseline`]. Many call it: inlined into them it took much of the time in which this
    /// crate compiles.
    #[inline(never)]
    fn blend_by_bits(&mut self, new: &Lanes, exec: u64) {
        for half in 0..LANES / HALF {
            let active = (exec >> (half * HALF)) as u32;
            for (lane, bit) in BIT.iter().enumerate() {
                let lane = half * HALF + lane;
                let changed = (self.0[lane] ^ new.0[lane]) & keep_if(active & bit);
                self.0[lane] ^= changed;
            }
        }
    }
}

/// A mask of the lanes whose dword is all ones rather than zero.
#[inline(always)]
pub(crate) fn signs(words: [u32; LANES]) -> u64 {
    // Each way has a copy of its own, not one in memory for all: what is computed stays in registers.
    // The level has been found by the time that there is a handler to run.
    #[cfg(target_arch = "x86_64")]
    {
        let level = LEVEL.load(Relaxed);
        if level == Level::Avx512 as u8 {
            // SAFETY: the host has the level's features.
            return unsafe { vectors::avx512::signs(Lanes(words)) };
        }
        if level == Level::Avx2 as u8 {
            // SAFETY: as above.
            return unsafe { vectors::avx2::signs(&Lanes(words)) };
        }
    }
    // No function for all: its words would be in memory, and callers would have a stack frame for it at every level.
    let (low, high) = words.split_at(HALF);
    let gather = |half: &[u32]| {
        let bits = half.iter().zip(&BIT).map(|(word, bit)| word & bit);
        u64::from(bits.fold(0, |bits, bit| bits | bit))
    };
    gather(low) | gather(high) << HALF
}
