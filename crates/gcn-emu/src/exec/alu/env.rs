//! MODE's settings for floating point.
//!
//! [`Env`] is what MODE says of one width: here is the one place where rounding and denormals are dealt with.
//! Operations are functions on values; the host computes them with round to nearest even and denormals kept, and
//! [`Env::input`] and [`Env::output`] do the rest.

use super::exact::Round;
use super::float::{Float, Flush};

/// MODE's settings for one width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Env {
    /// Rounding of results.
    pub(crate) round: Round,
    /// Denormal sources keep their value.
    keeps_sources: bool,
    /// Denormal results keep their value.
    keeps_results: bool,
}

/// MODE: results of floating point follow IEEE 754 in minima, maxima and signalling NaN.
pub(crate) const MODE_IEEE: u32 = 1 << 9;

impl Env {
    /// Every denormal becomes zero, whatever MODE says (V_MAD, V_MAC and the approximations).
    pub(crate) const FLUSHING: Env = Env {
        round: Round::Nearest,
        keeps_sources: false,
        keeps_results: false,
    };

    /// Denormals keep their value.
    pub(crate) const KEEPING: Env = Env {
        round: Round::Nearest,
        keeps_sources: true,
        keeps_results: true,
    };

    /// From MODE, for values of type `F`.
    #[inline(always)]
    pub(crate) fn of<F: Float>(mode: u32) -> Env {
        let bits = mode >> F::DENORMAL_BIT;
        Env {
            round: Round::of::<F>(mode),
            keeps_sources: bits & 1 != 0,
            keeps_results: bits & 2 != 0,
        }
    }

    /// True if results are rounded as the host rounds them.
    #[inline(always)]
    pub(crate) fn is_nearest(self) -> bool {
        self.round == Round::Nearest
    }

    /// The same with denormal results kept: of minima and maxima, which make none (errata E193).
    #[inline(always)]
    pub(crate) fn keeping_results(self) -> Env {
        Env {
            keeps_results: true,
            ..self
        }
    }

    /// The same without denormals.
    #[inline(always)]
    pub(crate) fn flushing(self) -> Env {
        Env {
            round: self.round,
            ..Env::FLUSHING
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

    /// The same where [`Env::is_nearest`] has been found, so that the compiler knows.
    #[inline(always)]
    pub(crate) fn to_nearest(self) -> Env {
        Env {
            round: Round::Nearest,
            ..self
        }
    }

    /// True if denormals are left as they are.
    #[inline(always)]
    pub(crate) fn keeps_denormals(self) -> bool {
        self.keeps_sources && self.keeps_results
    }

    /// True if every denormal becomes zero.
    #[inline(always)]
    pub(crate) fn is_flushing(self) -> bool {
        !self.keeps_sources && !self.keeps_results
    }

    /// True if output factors count.
    pub(crate) fn takes_factor(self, mode: u32) -> bool {
        !self.keeps_results && mode & MODE_IEEE == 0
    }

    /// A source as the operation sees it.
    #[inline(always)]
    pub(crate) fn input<F: Flush>(self, value: F) -> F {
        value.flushed_unless(self.keeps_sources)
    }

    /// A result as it is written.
    #[inline(always)]
    pub(crate) fn output<F: Flush>(self, value: F) -> F {
        value.flushed_unless(self.keeps_results)
    }
}
