//! Sources of the loop over lanes: registers and uniform values.

use super::halves::widened;
use super::register::Lanes;

/// Registers of a source: low dwords and high dwords.
pub type SourceLanes<'a> = [&'a Lanes; 2];

/// Dwords of a source that is uniform across lanes.
pub type Same = [u32; 2];

/// Masks for a dword: bits to keep, then bits to flip.
pub type SignBits = [u32; 2];

/// Sign modifier of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Sign {
    /// No change.
    #[default]
    Kept,
    /// Absolute value: clears the sign.
    Off,
    /// Negation: flips the sign.
    Over,
    /// Negated absolute value.
    On,
}

impl Sign {
    /// All modifiers, indexed by absolute value (bit 0) and negation (bit 1).
    pub const WAYS: [Sign; 4] = [Sign::Kept, Sign::Off, Sign::Over, Sign::On];

    /// Returns the masks of each modifier for a dword whose sign bit is `bit`.
    #[inline(always)]
    pub const fn all(bit: u32) -> [SignBits; Sign::WAYS.len()] {
        [[!0, 0], [!bit, 0], [!0, bit], [!bit, bit]]
    }
}

/// Low or high dwords of a source, for all lanes.
pub trait Dwords: Copy {
    /// Converts half-precision values at bit `up` to single precision.
    fn widened(self, up: u32) -> Self;

    /// Returns the dword of a lane.
    fn of(&self, lane: usize) -> u32;
}

impl Dwords for Lanes {
    #[inline(always)]
    fn widened(self, up: u32) -> Lanes {
        widened(self, up)
    }

    #[inline(always)]
    fn of(&self, lane: usize) -> u32 {
        self.0[lane]
    }
}

/// Uniform dword.
impl Dwords for u32 {
    #[inline(always)]
    fn widened(self, up: u32) -> u32 {
        widened(Lanes::splat(self), up).0[0]
    }

    #[inline(always)]
    fn of(&self, _: usize) -> u32 {
        *self
    }
}

/// Source of [`super::map`].
pub trait Lanewise: Copy {
    /// Representation of the dwords in the loop.
    type Dwords: Dwords;

    /// Copies the low (`n` = 0) or high dwords; the contents are unspecified unless `is_used`.
    fn copy(self, n: usize, is_used: bool) -> Self::Dwords;
}

impl Lanewise for SourceLanes<'_> {
    type Dwords = Lanes;

    #[inline(always)]
    fn copy(self, n: usize, is_used: bool) -> Lanes {
        if is_used { *self[n] } else { Lanes::ZERO }
    }
}

impl Lanewise for Same {
    type Dwords = u32;

    #[inline(always)]
    fn copy(self, n: usize, _: bool) -> u32 {
        self[n]
    }
}
