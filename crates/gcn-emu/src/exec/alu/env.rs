//! MODE's settings for floating point.
//!
//! [`Env`] is what MODE says of one width: here is the one place where rounding and denormals are dealt with.
//! Operations are functions on values; the host computes them with round to nearest even and denormals kept, and
//! [`Env::input`] and [`Env::output`] do the rest.

use std::hint::select_unpredictable as select;

use gcn_isa::Isa;

use super::float::{Float, Flush};

/// Rounding mode (MODE bits 3:0, two for single precision, two for the other widths).
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
    /// As MODE has it for values of type `F`.
    #[inline(always)]
    pub(crate) fn of<F: Float>(mode: u32) -> Round {
        match mode >> F::ROUND_BIT & 3 {
            0 => Round::Nearest,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }

    /// True if a magnitude too large becomes infinite, not the largest finite one.
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
    /// Denormal sources keep their value.
    keeps_sources: bool,
    /// Denormal results keep their value.
    keeps_results: bool,
    /// A signalling NaN that is a result is quiet (errata E190).
    quiets: bool,
    /// A magnitude too large is the largest finite one in every rounding mode (errata E313).
    saturates: bool,
}

/// MODE: results of floating point follow IEEE 754 in minima, maxima and signalling NaN.
pub(crate) const MODE_IEEE: u32 = 1 << 9;
/// MODE from GCN 1.4 on, FP16_OVFL: half precision saturates.
const MODE_SATURATES: u32 = 1 << 23;

impl Env {
    /// Every denormal becomes zero, whatever MODE says (V_MAD, V_MAC and the approximations).
    pub(crate) const FLUSHING: Env = Env {
        round: Round::Nearest,
        keeps_sources: false,
        keeps_results: false,
        quiets: true,
        saturates: false,
    };

    /// Denormals keep their value.
    pub(crate) const KEEPING: Env = Env {
        round: Round::Nearest,
        keeps_sources: true,
        keeps_results: true,
        quiets: true,
        saturates: false,
    };

    /// From MODE, for values of type `F`.
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

    /// The same for a conversion from or to `F`. Before GCN 1.2 conversions are all there is of half precision: it keeps its
    /// denormals and is rounded as single precision is (errata E307).
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

    /// True if results are rounded as the host rounds them.
    #[inline(always)]
    pub(crate) fn is_nearest(self) -> bool {
        self.round == Round::Nearest && !self.saturates
    }

    /// Clamps a result before it is rounded to half precision, if FP16_OVFL is set. Infinite results of an infinity or of a
    /// division by zero are not overflows (errata E313).
    #[inline(always)]
    pub(crate) fn limited(self, source: f32, result: f32) -> f32 {
        /// The largest finite half.
        const LARGEST: f32 = 65504.0;
        if self.saturates && source.is_finite() && source != 0.0 {
            result.clamp(-LARGEST, LARGEST)
        } else {
            result
        }
    }

    /// The value of a magnitude too large.
    #[inline(always)]
    pub(crate) fn overflow<F: Float>(self, negative: bool) -> F {
        let infinity = u64::from(F::EXPONENT_MAX) << F::FRACTION;
        let is_finite = self.saturates | !self.round.overflows(negative);
        F::signed(infinity - u64::from(is_finite), negative)
    }

    /// Settings with denormals kept.
    #[inline(always)]
    pub(crate) fn keeping(self) -> Env {
        Env {
            keeps_sources: true,
            keeps_results: true,
            ..self
        }
    }

    /// Settings that keep denormal results if they keep denormal sources: those of minima and maxima, which make none (errata E193).
    #[inline(always)]
    pub(crate) fn with_results_as_sources(self) -> Env {
        Env {
            keeps_results: self.keeps_sources,
            ..self
        }
    }

    /// The same without denormals.
    #[inline(always)]
    pub(crate) fn flushing(self) -> Env {
        Env {
            keeps_sources: false,
            keeps_results: false,
            ..self
        }
    }

    /// The same with denormal sources kept.
    #[inline(always)]
    pub(crate) fn keeping_sources(self) -> Env {
        Env {
            keeps_sources: true,
            ..self
        }
    }

    /// The same with every NaN made quiet.
    #[inline(always)]
    pub(crate) fn quieting(self) -> Env {
        Env {
            quiets: true,
            ..self
        }
    }

    /// The same with results rounded towards zero.
    #[inline(always)]
    pub(crate) fn towards_zero(self) -> Env {
        Env {
            round: Round::Zero,
            ..self
        }
    }

    /// The same where [`Env::is_nearest`] has been found, so that the compiler knows.
    #[inline(always)]
    pub(crate) fn to_nearest(self) -> Env {
        Env {
            round: Round::Nearest,
            saturates: false,
            ..self
        }
    }

    /// True if denormals are left as they are.
    #[inline(always)]
    pub(crate) fn keeps_denormals(self) -> bool {
        self.keeps_sources && self.keeps_results
    }

    /// True if denormal results are left as they are.
    #[inline(always)]
    pub(crate) fn keeps_results(self) -> bool {
        self.keeps_results
    }

    /// True if a signalling NaN that is a result is quiet.
    #[inline(always)]
    pub(crate) fn quiets(self) -> bool {
        self.quiets
    }

    /// True if denormals are what they are under other settings.
    #[inline(always)]
    pub(crate) fn has_denormals_of(self, other: Env) -> bool {
        self.keeps_sources == other.keeps_sources && self.keeps_results == other.keeps_results
    }

    /// True if output factors count.
    pub(crate) fn takes_factor(self, mode: u32) -> bool {
        !self.keeps_results && mode & MODE_IEEE == 0
    }

    /// A NaN that is a result because it is a source.
    #[inline(always)]
    pub(crate) fn nan<F: Float>(self, source: F) -> F {
        select(self.quiets, source.quiet(), source)
    }

    /// A source as the operation sees it.
    #[inline(always)]
    pub(crate) fn input<F: Flush>(self, value: F) -> F {
        value.flushed_unless(self.keeps_sources)
    }

    /// A result as it is written, if it is exact or no rounding has brought it to the least normal number: what is less
    /// when it is rounded as if there were no least exponent is flushed (errata E300).
    #[inline(always)]
    pub(crate) fn output<F: Flush>(self, value: F) -> F {
        value.flushed_unless(self.keeps_results)
    }
}
