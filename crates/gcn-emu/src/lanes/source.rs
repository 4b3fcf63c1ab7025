//! Sources of the loop over lanes: registers, and what is the same in all lanes.

use super::halves::widened;
use super::register::Lanes;

/// A source's registers: those of the low dwords and of the high ones.
pub type SourceLanes<'a> = [&'a Lanes; 2];

/// A source that is the same in all lanes: its dwords.
pub type Same = [u32; 2];

/// Bits of a dword that are kept, and those that are then turned over.
pub type SignBits = [u32; 2];

/// Sign modifier of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Sign {
    /// No change.
    #[default]
    Kept,
    /// The sign is taken off: the absolute value.
    Off,
    /// The sign is turned over: the negated value.
    Over,
    /// Both: the negated absolute value.
    On,
}

impl Sign {
    /// The ways that there are.
    pub const WAYS: [Sign; 4] = [Sign::Kept, Sign::Off, Sign::Over, Sign::On];

    /// Masks of each modifier for a dword whose sign is this bit.
    #[inline(always)]
    pub const fn all(bit: u32) -> [SignBits; Sign::WAYS.len()] {
        [[!0, 0], [!bit, 0], [!0, bit], [!bit, bit]]
    }
}

/// The low dwords of a source in all lanes, or the high ones.
pub trait Dwords: Copy {
    /// Half-precision values at bit `up`, in single precision.
    fn widened(self, up: u32) -> Self;

    /// A lane's dword.
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

/// The same in all lanes.
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

/// A source of [`super::map`].
pub trait Lanewise: Copy {
    /// Dwords, as the loop reads them.
    type Dwords: Dwords;

    /// A copy of the low dwords or the high ones, which are used or not.
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
