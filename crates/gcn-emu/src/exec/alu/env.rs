//! MODE's floating-point settings.
//!
//! [`Env`] holds MODE's settings for one width. The host computes operations with round-to-nearest-even and without
//! flushing; [`Env::input`] and [`Env::output`] flush denormals. `exact` implements the other rounding modes.

use std::hint::select_unpredictable as select;

use gcn_isa::Isa;

use super::float::{Float, Flush};

/// Rounding mode (MODE bits 3:0: two for single precision, two for the other widths).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    /// To nearest, ties to even.
    Nearest,
    /// Towards +∞.
    Up,
    /// Towards −∞.
    Down,
    /// Towards zero.
    Zero,
}

impl Round {
    /// Decodes MODE's rounding mode for values of type `F`.
    #[inline(always)]
    pub(crate) fn of<F: Float>(mode: u32) -> Round {
        match mode >> F::ROUND_BIT & 3 {
            0 => Round::Nearest,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }

    /// True if an overflow returns infinity instead of the largest finite value.
    #[inline(always)]
    fn overflows(self, negative: bool) -> bool {
        match self {
            Round::Nearest => true,
            Round::Up => !negative,
            Round::Down => negative,
            Round::Zero => false,
        }
    }
}

/// MODE's settings for one width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Env {
    /// Rounding of results.
    pub(crate) round: Round,
    /// True if denormal sources keep their values.
    keeps_sources: bool,
    /// True if denormal results keep their values.
    keeps_results: bool,
    /// True if signaling NaNs are made quiet in results (errata E190).
    quiets: bool,
    /// True if overflows return the largest finite value in every rounding mode (errata E313).
    saturates: bool,
}

/// MODE: IEEE 754 rules for minima, maxima and signaling NaNs.
pub(crate) const MODE_IEEE: u32 = 1 << 9;
/// MODE, FP16_OVFL on GCN 1.4 and later: half-precision overflows saturate.
const MODE_SATURATES: u32 = 1 << 23;

impl Env {
    /// Settings that round to nearest and flush all denormals, regardless of MODE.
    pub(crate) const FLUSHING: Env = Env {
        round: Round::Nearest,
        keeps_sources: false,
        keeps_results: false,
        quiets: true,
        saturates: false,
    };

    /// Settings that keep denormals.
    pub(crate) const KEEPING: Env = Env {
        round: Round::Nearest,
        keeps_sources: true,
        keeps_results: true,
        quiets: true,
        saturates: false,
    };

    /// Decodes MODE for values of type `F`.
    #[inline(always)]
    pub(crate) fn of<F: Float>(mode: u32) -> Env {
        let bits = mode >> F::DENORMAL_BIT;
        Env {
            round: Round::of::<F>(mode),
            keeps_sources: bits & 1 != 0,
            keeps_results: bits & 2 != 0,
            quiets: mode & MODE_IEEE != 0,
            saturates: F::BITS == u16::BITS && mode & MODE_SATURATES != 0,
        }
    }

    /// Decodes MODE for a conversion from or to `F`. Before GCN 1.2, conversions are the only half-precision
    /// operations: they keep half-precision denormals and use the rounding mode of single precision (errata E307).
    #[inline(always)]
    pub(crate) fn of_converted<F: Float>(isa: Isa, mode: u32) -> Env {
        if F::BITS == u16::BITS && isa < Isa::Vi {
            Env {
                keeps_sources: true,
                keeps_results: true,
                ..Env::of::<f32>(mode)
            }
        } else {
            Env::of::<F>(mode)
        }
    }

    /// True if results are rounded as on the host: to nearest, with overflow to infinity.
    #[inline(always)]
    pub(crate) fn is_nearest(self) -> bool {
        self.round == Round::Nearest && !self.saturates
    }

    /// Clamps a result before it is rounded to half precision, if FP16_OVFL is set. Infinite results from an infinity
    /// or a division by zero are not overflows (errata E313).
    #[inline(always)]
    pub(crate) fn limited(self, source: f32, result: f32) -> f32 {
        /// Largest finite half.
        const LARGEST: f32 = 65504.0;
        if self.saturates && source.is_finite() && source != 0.0 {
            result.clamp(-LARGEST, LARGEST)
        } else {
            result
        }
    }

    /// Returns the result of an overflow.
    #[inline(always)]
    pub(crate) fn overflow<F: Float>(self, negative: bool) -> F {
        let infinity = u64::from(F::EXPONENT_MAX) << F::FRACTION;
        let is_finite = self.saturates | !self.round.overflows(negative);
        F::signed(infinity - u64::from(is_finite), negative)
    }

    /// Returns these settings with denormals kept.
    #[inline(always)]
    pub(crate) fn keeping(self) -> Env {
        Env {
            keeps_sources: true,
            keeps_results: true,
            ..self
        }
    }

    /// Returns these settings with denormal results kept if and only if denormal sources are. Minima and maxima use
    /// them, since they return their sources (errata E193).
    #[inline(always)]
    pub(crate) fn with_results_as_sources(self) -> Env {
        Env {
            keeps_results: self.keeps_sources,
            ..self
        }
    }

    /// Returns these settings with denormals flushed.
    #[inline(always)]
    pub(crate) fn flushing(self) -> Env {
        Env {
            keeps_sources: false,
            keeps_results: false,
            ..self
        }
    }

    /// Returns these settings with denormal sources kept.
    #[inline(always)]
    pub(crate) fn keeping_sources(self) -> Env {
        Env {
            keeps_sources: true,
            ..self
        }
    }

    /// Returns these settings with every NaN made quiet.
    #[inline(always)]
    pub(crate) fn quieting(self) -> Env {
        Env {
            quiets: true,
            ..self
        }
    }

    /// Returns these settings with results rounded towards zero.
    #[inline(always)]
    pub(crate) fn towards_zero(self) -> Env {
        Env {
            round: Round::Zero,
            ..self
        }
    }

    /// Returns these settings with constants in the fields that [`Env::is_nearest`] has checked, for the optimizer.
    #[inline(always)]
    pub(crate) fn to_nearest(self) -> Env {
        Env {
            round: Round::Nearest,
            saturates: false,
            ..self
        }
    }

    /// True if denormals are kept.
    #[inline(always)]
    pub(crate) fn keeps_denormals(self) -> bool {
        self.keeps_sources && self.keeps_results
    }

    /// True if denormal results are kept.
    #[inline(always)]
    pub(crate) fn keeps_results(self) -> bool {
        self.keeps_results
    }

    /// True if signaling NaNs are made quiet in results.
    #[inline(always)]
    pub(crate) fn quiets(self) -> bool {
        self.quiets
    }

    /// True if denormals are handled as in `other`.
    #[inline(always)]
    pub(crate) fn has_denormals_of(self, other: Env) -> bool {
        self.keeps_sources == other.keeps_sources && self.keeps_results == other.keeps_results
    }

    /// True if output multipliers (OMOD) take effect.
    pub(crate) fn takes_factor(self, mode: u32) -> bool {
        !self.keeps_results && mode & MODE_IEEE == 0
    }

    /// Returns the result for a NaN source.
    #[inline(always)]
    pub(crate) fn nan<F: Float>(self, source: F) -> F {
        select(self.quiets, source.quiet(), source)
    }

    /// Returns a source as the operation sees it, with denormals flushed unless kept.
    #[inline(always)]
    pub(crate) fn input<F: Flush>(self, value: F) -> F {
        value.flushed_unless(self.keeps_sources)
    }

    /// Returns the result to write, with denormals flushed unless kept. Does not handle results that rounding raised to
    /// the smallest normal number: hardware flushes them if they are smaller when rounded with an unbounded exponent
    /// range (errata E300).
    #[inline(always)]
    pub(crate) fn output<F: Flush>(self, value: F) -> F {
        value.flushed_unless(self.keeps_results)
    }
}
