//! Lane masks: writing results under EXEC, and computing masks from results.
//!
//! This is one of the modules that may use `unsafe`: functions compiled for optional host instructions are called
//! only on hosts that have them.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::Ordering::Relaxed;

#[cfg(target_arch = "x86_64")]
use super::level::{LEVEL, Level};
use super::register::{BIT, HALF, LANES, Lanes, keep_if};
#[cfg(target_arch = "x86_64")]
use super::vectors;

impl Lanes {
    /// Writes `new` to the lanes whose bit in `exec` is set.
    #[inline(always)]
    pub fn blend(&mut self, new: &Lanes, exec: u64) {
        if exec == u64::MAX {
            *self = *new;
        } else {
            // Only this copy must be in memory, so computed values stay in registers if all lanes are active.
            self.blend_in_memory(&{ *new }, exec);
        }
    }

    /// Variant of [`Lanes::blend`] for values that are in memory anyway, on hosts with mask registers, where it adds
    /// only a few instructions to a handler. Returns false on other hosts.
    #[inline(always)]
    pub(crate) fn blend_by_masks(&mut self, new: &Lanes, exec: u64) -> bool {
        #[cfg(target_arch = "x86_64")]
        if LEVEL.load(Relaxed) == Level::Avx512 as u8 {
            // SAFETY: the host supports the level's features.
            unsafe { vectors::avx512::blend(self, new, exec) };
            return true;
        }
        let _ = (new, exec);
        false
    }

    /// Variant of [`Lanes::blend`] for values that are in memory anyway.
    #[inline]
    pub(crate) fn blend_in_memory(&mut self, new: &Lanes, exec: u64) {
        if self.blend_by_masks(new, exec) {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if LEVEL.load(Relaxed) == Level::Avx2 as u8 {
            // SAFETY: the host supports the level's features.
            unsafe { vectors::avx2::blend(self, new, exec) };
            return;
        }
        self.blend_by_bits(new, exec);
    }

    /// Variant of [`Lanes::blend_in_memory`] at [`Level::Baseline`]. Not inlined into its many callers, since that
    /// would slow down compilation of this crate considerably.
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

/// Returns the mask of the lanes whose dword is all ones. The other dwords must be zero.
#[inline(always)]
pub(crate) fn signs(words: [u32; LANES]) -> u64 {
    // Each branch uses its own copy instead of a shared one in memory, so computed values stay in registers. The
    // level has been determined before any handler runs.
    #[cfg(target_arch = "x86_64")]
    {
        let level = LEVEL.load(Relaxed);
        if level == Level::Avx512 as u8 {
            // SAFETY: the host supports the level's features.
            return unsafe { vectors::avx512::signs(Lanes(words)) };
        }
        if level == Level::Avx2 as u8 {
            // SAFETY: as above.
            return unsafe { vectors::avx2::signs(&Lanes(words)) };
        }
    }
    // Not a separate function: its argument would be in memory, and callers would need a stack frame for it at every
    // level.
    let (low, high) = words.split_at(HALF);
    let gather = |half: &[u32]| {
        let bits = half.iter().zip(&BIT).map(|(word, bit)| word & bit);
        u64::from(bits.fold(0, |bits, bit| bits | bit))
    };
    gather(low) | gather(high) << HALF
}
