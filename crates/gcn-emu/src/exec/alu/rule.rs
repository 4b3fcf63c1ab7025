//! Rules of floating-point operations: environment, rounding, NaN results, and the lanes in which the host's result is
//! invalid.
//!
//! The table row of an operation names its rule, which `floating` applies.

use gcn_isa::Isa;

use super::env::Env;
use super::float::Float;
use crate::wave::Wave;

/// Rule of a floating-point operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    /// Applicable settings of MODE.
    pub(crate) environment: Environment,
    /// Handling of denormal sources and results.
    pub(crate) denormals: Denormals,
    /// True if the result obeys MODE's rounding and FP16_OVFL.
    pub(crate) rounds: bool,
    /// Selection of the NaN that the operation returns.
    pub(crate) nan: NanRule,
    /// Lanes whose host result is corrected or recomputed.
    pub(crate) rare: Rare,
}

/// MODE's settings as they apply to an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Environment {
    /// MODE's settings, unmodified.
    Mode,
    /// Denormals are flushed.
    Flushing,
    /// Denormals are flushed on targets before GCN 1.4 (errata E199).
    FlushingBefore14,
    /// Denormal sources are kept (errata E194).
    KeepingSources,
    /// On targets before GCN 1.4, denormals are kept. On GCN 1.4 and later, denormal results are handled like denormal
    /// sources (errata E193).
    Order,
    /// Settings of a conversion to the result's type (errata E192). Conversions to half precision make NaNs quiet
    /// (errata E190).
    Converted,
}

/// Flushing of sources and result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Denormals {
    /// Sources and result are flushed around the operation. Denormal results are exact.
    Exact,
    /// Sources and result are flushed around the operation. A result that rounding may have raised to the smallest
    /// normal number is recomputed (errata E300).
    Rounded,
    /// Sources are flushed before the operation, which flushes its own result.
    Sources,
    /// The operation flushes sources and result itself.
    Operation,
}

/// Selection of the NaN that an operation returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NanRule {
    /// First NaN source, else the NaN of an invalid operation. For operations other than multiply-add.
    First,
    /// [`NanRule::First`] with the first two sources swapped.
    Reversed,
    /// NaN of the product, else of the addend.
    OfProduct,
    /// [`NanRule::OfProduct`] for products in which zero times anything is zero.
    LegacyProduct,
}

/// Lanes whose host result is corrected or recomputed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rare {
    /// No lanes, except those that the operation itself flags.
    None,
    /// NaN results, if MODE preserves signaling NaNs.
    Signals,
    /// NaN results, which differ between hosts.
    Nan,
    /// All lanes, if MODE preserves signaling NaNs.
    AllIfSignals,
}

/// Rule as a type, so that handlers are specialized for it.
pub(crate) trait FloatRule: Copy {
    /// Rule data.
    const RULE: Rule;
}

macro_rules! rules {
    ($($(#[$meta:meta])* $Name:ident $environment:ident $denormals:ident $rounds:literal $nan:ident $rare:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub(crate) struct $Name;

        impl FloatRule for $Name {
            const RULE: Rule = Rule {
                environment: Environment::$environment,
                denormals: Denormals::$denormals,
                rounds: $rounds,
                nan: NanRule::$nan,
                rare: Rare::$rare,
            };
        }
    )*};
}

#[rustfmt::skip]
rules! {
//  rule           environment       denormals  rounds NaN            rare lanes
    /// Function of one source that ignores MODE's rounding.
    Exact          Mode              Exact      false  First          Signals;
    /// Approximation in single precision.
    Approximation  Flushing          Exact      false  First          Signals;
    /// Sine or cosine.
    WaveFunction   FlushingBefore14  Exact      false  First          Signals;
    /// Fractional part.
    Fraction       Mode              Exact      true   First          Signals;
    /// Reciprocal square root in double precision.
    Root           Mode              Operation  false  First          Signals;
    /// Selection of a source, or cube face.
    Choice         Mode              Exact      false  First          None;
    /// Twice the cube coordinate with the greatest magnitude.
    CubeMajor      Mode              Exact      true   First          None;
    /// Minimum, maximum or median.
    Order          Order             Sources    false  First          None;
    /// Sum or difference.
    Sum            Mode              Exact      true   First          Nan;
    /// Difference of swapped sources: the second minus the first.
    ReversedSum    Mode              Exact      true   Reversed       Nan;
    /// Product.
    Product        Mode              Rounded    true   First          Nan;
    /// Fused multiply-add.
    Fused          Mode              Rounded    true   OfProduct      Nan;
    /// Multiply-add with two roundings.
    Unfused        Flushing          Operation  true   OfProduct      Nan;
    /// [`Unfused`], but zero times anything is zero.
    LegacyUnfused  Flushing          Operation  true   LegacyProduct  Nan;
    /// Last multiply-add of a division.
    DivisionStep   KeepingSources    Rounded    true   OfProduct      Nan;
    /// Last operation of a division.
    DivisionFixup  Mode              Operation  false  First          None;
    /// Multiplication by a power of two.
    Scaling        Mode              Sources    true   First          Signals;
    /// Multiplication by a power of two in double precision.
    WideScaling    Mode              Operation  true   First          AllIfSignals;
    /// Conversion between widths.
    Conversion     Converted         Operation  true   First          AllIfSignals;
    /// Conversion of an integer.
    FromInteger    Mode              Operation  true   First          None;
}

impl Environment {
    /// True if denormal sources and denormal results may be handled differently from each other.
    pub(crate) const fn may_be_mixed(self) -> bool {
        !matches!(self, Environment::Flushing | Environment::Order)
    }

    /// Returns MODE's settings for an operation whose result is of type `F`.
    #[inline(always)]
    pub(crate) fn of<F: Float>(self, isa: Isa, mode: u32) -> Env {
        let env = Env::of::<F>(mode);
        match self {
            Environment::Mode => env,
            Environment::Flushing => env.flushing(),
            Environment::FlushingBefore14 if isa < Isa::Gfx9 => env.flushing(),
            Environment::FlushingBefore14 => env,
            Environment::KeepingSources => env.keeping_sources(),
            Environment::Order if isa < Isa::Gfx9 => env.keeping(),
            Environment::Order => env.with_results_as_sources(),
            Environment::Converted if F::BITS == u16::BITS => {
                Env::of_converted::<F>(isa, mode).quieting()
            }
            Environment::Converted => Env::of_converted::<F>(isa, mode),
        }
    }
}

/// Returns MODE's settings for an operation with rule `P` and a result of type `F`.
#[inline(always)]
pub(crate) fn environment<P: FloatRule, F: Float>(w: &Wave) -> Env {
    P::RULE.environment.of::<F>(w.isa, w.mode)
}
