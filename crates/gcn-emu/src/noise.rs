//! Noise: reproducible pseudorandom values from a seed.

/// Noise generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Noise(u64);

impl Noise {
    /// Creates the generator for a seed.
    pub(crate) fn new(seed: u64) -> Noise {
        Noise(seed)
    }

    /// Derives an independent generator, selected by `part`.
    #[must_use]
    pub(crate) fn of(self, part: u64) -> Noise {
        let mut noise = Noise(self.0 ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Noise(noise.next())
    }

    /// Returns the next value, using one step of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
    /// number generators", 2014).
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
