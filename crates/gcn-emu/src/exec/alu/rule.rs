//! Rules of floating-point operations, as data: the environment, rounding, NaN, and lanes that the host's result is not for.
//!
//! An operation names its rule in its line of a table, and `floating` follows it.

use gcn_isa::Isa;

use super::env::Env;
use super::float::Float;
use crate::wave::Wave;

/// Rule of a floating-point operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    /// MODE's settings that count.
    pub(crate) environment: Environment,
    /// Denormal sources and results.
    pub(crate) denormals: Denormals,
    /// True if the result obeys MODE's rounding and FP16_OVFL.
    pub(crate) rounds: bool,
    /// NaN that the operation returns.
    pub(crate) nan: NanRule,
    /// Lanes whose result needs more than the host's operation.
    pub(crate) rare: Rare,
}

/// MODE's settings, and exceptions from them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Environment {
    /// MODE's settings, unmodified.
    Mode,
    /// Denormals are flushed.
    Flushing,
    /// On targets before GCN 1.4, denormals are flushed (errata E199).
    FlushingBefore14,
    /// Denormal sources are kept (errata E194).
    KeepingSources,
    /// Denormals are kept before GCN 1.4, and then results are as sources are (errata E193).
    Order,
    /// Settings of a conversion, for the narrower type (errata E192). Half precision has no signalling NaN (errata E190).
    Converted,
}

/// Flushing of sources and result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Denormals {
    /// Sources and result are flushed around the operation; a denormal result is exact.
    Exact,
    /// Sources and result are flushed around the operation; a result that may have been rounded up to the least normal number is
    /// computed again (errata E300).
    Rounded,
    /// Sources are flushed before the operation, which flushes its own result.
    Sources,
    /// The operation itself flushes.
    Operation,
}

/// NaN of an operation that gives one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NanRule {
    /// The first source that is one, else the NaN of an invalid operation: where there is no product with a sum.
    First,
    /// [`NanRule::First`] of the second source and the first.
    Reversed,
    /// The product's, else the addend's.
    OfProduct,
    /// [`NanRule::OfProduct`] where zero times anything is zero.
    LegacyProduct,
}

/// Lanes whose result needs more than the host's operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rare {
    /// No lanes, apart from those that the operation itself flags.
    None,
    /// NaN, where MODE leaves signalling NaN as they are.
    Signals,
    /// NaN results: hosts differ in them.
    Nan,
    /// All lanes, where MODE leaves signalling NaN as they are.
    AllIfSignals,
}

/// Type-level name of a rule.
pub(crate) trait FloatRule: Copy {
    /// The rule.
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
    /// A function of one source that does not round.
    Exact          Mode              Exact      false  First          Signals;
    /// An approximation in single precision.
    Approximation  Flushing          Exact      false  First          Signals;
    /// A sine or cosine.
    WaveFunction   FlushingBefore14  Exact      false  First          Signals;
    /// A function of one source that rounds.
    Fraction       Mode              Exact      true   First          Signals;
    /// A root in double precision.
    Root           Mode              Operation  false  First          Signals;
    /// A choice among sources.
    Choice         Mode              Exact      false  First          None;
    /// Twice the coordinate of a cube with the greatest magnitude.
    CubeMajor      Mode              Exact      true   First          None;
    /// A minimum, maximum or median.
    Order          Order             Sources    false  First          None;
    /// A sum or difference.
    Sum            Mode              Exact      true   First          Nan;
    /// A difference of the second source and the first.
    ReversedSum    Mode              Exact      true   Reversed       Nan;
    /// A product.
    Product        Mode              Rounded    true   First          Nan;
    /// A product and a sum, rounded once.
    Fused          Mode              Rounded    true   OfProduct      Nan;
    /// A product and a sum, each rounded.
    Unfused        Flushing          Operation  true   OfProduct      Nan;
    /// [`Unfused`], but zero times anything is zero.
    LegacyUnfused  Flushing          Operation  true   LegacyProduct  Nan;
    /// The last product and sum of a division.
    DivisionStep   KeepingSources    Rounded    true   OfProduct      Nan;
    /// The last operation of a division.
    DivisionFixup  Mode              Operation  false  First          None;
    /// A product with a power of two.
    Scaling        Mode              Sources    true   First          Signals;
    /// A product with a power of two in double precision.
    WideScaling    Mode              Operation  true   First          AllIfSignals;
    /// A conversion from one width to another.
    Conversion     Converted         Operation  true   First          AllIfSignals;
    /// A conversion of an integer.
    FromInteger    Mode              Operation  true   First          None;
}

impl Environment {
    /// True if denormal sources may be kept and results flushed, or the other way round.
    pub(crate) const fn may_be_mixed(self) -> bool {
        !matches!(self, Environment::Flushing | Environment::Order)
    }

    /// MODE's settings for an operation whose result is of type `F`.
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

/// MODE's settings for an operation with this rule and a result of type `F`.
#[inline(always)]
pub(crate) fn environment<P: FloatRule, F: Float>(w: &Wave) -> Env {
    P::RULE.environment.of::<F>(w.isa, w.mode)
}
