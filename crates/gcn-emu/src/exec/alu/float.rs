//! IEEE arithmetic under the MODE register, and conversions.
//!
//! [`Env`] is what MODE says of one width: here is the one place where rounding and denormals are dealt with.
//! Operations are functions on values; the host computes them with round to nearest even and denormals kept, and
//! [`Env::input`] and [`Env::output`] do the rest.

use crate::lanes::Lane;

/// A half-precision value by its bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct F16(pub(crate) u16);

impl PartialEq for F16 {
    #[inline(always)]
    fn eq(&self, other: &F16) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for F16 {
    #[inline(always)]
    fn partial_cmp(&self, other: &F16) -> Option<std::cmp::Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
    #[inline(always)]
    fn lt(&self, other: &F16) -> bool {
        self.to_f32() < other.to_f32()
    }
    #[inline(always)]
    fn le(&self, other: &F16) -> bool {
        self.to_f32() <= other.to_f32()
    }
    #[inline(always)]
    fn gt(&self, other: &F16) -> bool {
        self.to_f32() > other.to_f32()
    }
    #[inline(always)]
    fn ge(&self, other: &F16) -> bool {
        self.to_f32() >= other.to_f32()
    }
}

impl Lane for F16 {
    const DWORDS: usize = 1;
    #[inline(always)]
    fn join(low: u32, _: u32) -> F16 {
        F16(low as u16)
    }
    #[inline(always)]
    fn split(self) -> [u32; 2] {
        [u32::from(self.0), 0]
    }
}

/// A floating-point type of a lane.
pub(crate) trait Float: Lane + PartialOrd {
    /// Bits of the fraction.
    const FRACTION: u32;
    /// The largest exponent as it is encoded: infinities and NaN.
    const EXPONENT_MAX: u32;
    /// The lowest of its two bits among MODE's denormal bits.
    const DENORMAL_BIT: u32;
    /// Its bits.
    fn bits(self) -> u64;
    /// From its bits.
    fn of_bits(bits: u64) -> Self;
    /// A denormal becomes zero with its sign.
    fn flushed(self) -> Self;
    /// Times a power of two.
    fn scaled(self, factor: f32) -> Self;
    /// Brought to 0..=1; NaN to 0 or left.
    fn clamped(self, nan_is_zero: bool) -> Self;

    /// The exponent as it is encoded.
    #[inline(always)]
    fn exponent(self) -> u32 {
        (self.bits() >> Self::FRACTION) as u32 & Self::EXPONENT_MAX
    }

    /// Whether the sign bit is set.
    #[inline(always)]
    fn negative(self) -> bool {
        self.bits() >> Self::FRACTION > u64::from(Self::EXPONENT_MAX)
    }

    /// Its class, one of the bits that V_CMP_CLASS asks for: signalling NaN, quiet NaN, −∞, −normal, −denormal, −0,
    /// +0, +denormal, +normal, +∞ from bit 0 on.
    #[inline(always)]
    fn class(self) -> u32 {
        let fraction = self.bits() & ((1 << Self::FRACTION) - 1);
        let exponent = self.exponent();
        if exponent == Self::EXPONENT_MAX && fraction != 0 {
            return 1 << (fraction >> (Self::FRACTION - 1));
        }
        let distance = if exponent == Self::EXPONENT_MAX {
            3
        } else if exponent != 0 {
            2
        } else {
            u32::from(fraction != 0)
        };
        1 << if self.negative() {
            5 - distance
        } else {
            6 + distance
        }
    }
}

macro_rules! float {
    ($($Type:ty, $fraction:literal, $exponent_max:literal, $denormal_bit:literal;)*) => {
        $(impl Float for $Type {
            const FRACTION: u32 = $fraction;
            const EXPONENT_MAX: u32 = $exponent_max;
            #[inline(always)]
            fn bits(self) -> u64 { self.to_bits().into() }
            #[inline(always)]
            fn of_bits(bits: u64) -> $Type { <$Type>::from_bits(bits as _) }
            const DENORMAL_BIT: u32 = $denormal_bit;
            #[inline(always)]
            fn flushed(self) -> $Type {
                // Zeros stay what they are, so magnitude is all there is to compare.
                if self.abs() < <$Type>::MIN_POSITIVE { (0.0 as $Type).copysign(self) } else { self }
            }
            #[inline(always)]
            fn scaled(self, factor: f32) -> $Type {
                self * <$Type>::from(factor)
            }
            #[inline(always)]
            fn clamped(self, nan_is_zero: bool) -> $Type {
                if self > 1.0 {
                    1.0
                } else if self <= 0.0 || self.is_nan() && nan_is_zero {
                    0.0
                } else {
                    self
                }
            }
        })*
    };
}
// Bits 5:4 of MODE are of single precision, 7:6 of the others.
float! { f32, 23, 0xff, 4; f64, 52, 0x7ff, 6; }

impl Float for F16 {
    const FRACTION: u32 = 10;
    const EXPONENT_MAX: u32 = 0x1f;
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.0)
    }
    #[inline(always)]
    fn of_bits(bits: u64) -> F16 {
        F16(bits as u16)
    }
    const DENORMAL_BIT: u32 = 6;
    #[inline(always)]
    fn flushed(self) -> F16 {
        const EXPONENT: u16 = 0x7c00;
        const SIGN: u16 = 0x8000;
        if self.0 & EXPONENT == 0 {
            F16(self.0 & SIGN)
        } else {
            self
        }
    }
    #[inline(always)]
    fn scaled(self, factor: f32) -> F16 {
        F16::from_f32(self.to_f32() * factor)
    }
    #[inline(always)]
    fn clamped(self, nan_is_zero: bool) -> F16 {
        F16::from_f32(self.to_f32().clamped(nan_is_zero))
    }
}

/// What MODE says of one width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Env {
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
        keeps_sources: false,
        keeps_results: false,
    };

    /// From MODE, for values of type `F`.
    #[inline(always)]
    pub(crate) fn of<F: Float>(mode: u32) -> Env {
        let bits = mode >> F::DENORMAL_BIT;
        Env {
            keeps_sources: bits & 1 != 0,
            keeps_results: bits & 2 != 0,
        }
    }

    /// Whether the host's own arithmetic is all that is needed.
    #[inline(always)]
    pub(crate) fn is_plain(self) -> bool {
        self.keeps_sources && self.keeps_results
    }

    /// Whether output factors count.
    pub(crate) fn takes_factor(self, mode: u32) -> bool {
        !self.keeps_results && mode & MODE_IEEE == 0
    }

    /// A source as the operation sees it.
    #[inline(always)]
    pub(crate) fn input<F: Float>(self, value: F) -> F {
        if self.keeps_sources {
            value
        } else {
            value.flushed()
        }
    }

    /// A result as it is written.
    #[inline(always)]
    pub(crate) fn output<F: Float>(self, value: F) -> F {
        if self.keeps_results {
            value
        } else {
            value.flushed()
        }
    }
}

/// The product, rounded, and the sum of that and `c`, rounded; denormals are zero throughout, whatever MODE says.
#[inline(always)]
pub(crate) fn mad(a: f32, b: f32, c: f32) -> f32 {
    let env = Env::FLUSHING;
    let product = env.output(env.input(a) * env.input(b));
    env.output(product + env.input(c))
}

impl F16 {
    /// Every value is one of single precision; a signalling NaN becomes quiet.
    #[inline(always)]
    pub(crate) fn to_f32(self) -> f32 {
        /// 2^112, the difference of the exponents' biases: makes normal numbers of denormal ones too.
        const REBIAS: f32 = f32::from_bits((112 + 127) << 23);
        const QUIET: u32 = 1 << 22;
        let magnitude = u32::from(self.0 & 0x7fff) << 13;
        let sign = u32::from(self.0 & 0x8000) << 16;
        let finite = (f32::from_bits(magnitude) * REBIAS).to_bits();
        let bits = if magnitude < 0x7c00 << 13 {
            finite
        } else if magnitude == 0x7c00 << 13 {
            0x7f80_0000
        } else {
            0x7f80_0000 | magnitude | QUIET
        };
        f32::from_bits(bits | sign)
    }

    /// Rounded to nearest even.
    #[inline(always)]
    pub(crate) fn from_f32(value: f32) -> F16 {
        let sign = (value.to_bits() >> 16) & 0x8000;
        let magnitude = value.to_bits() & 0x7fff_ffff;
        // Adding 0.5 leaves the bits of a half denormal, rounded, at the end of the sum.
        let small = (f32::from_bits(magnitude) + 0.5)
            .to_bits()
            .wrapping_sub(0.5f32.to_bits());
        let normal = magnitude
            .wrapping_add(0xfff + (magnitude >> 13 & 1))
            .wrapping_sub(112 << 23)
            >> 13;
        let bits = if magnitude > 0x7f80_0000 {
            0x7e00 | magnitude >> 13 & 0x3ff
        } else if magnitude >= 0x4780_0000 {
            0x7c00
        } else if magnitude < 0x3880_0000 {
            small
        } else {
            normal
        };
        F16((bits | sign) as u16)
    }

    /// Rounded towards zero.
    #[inline(always)]
    pub(crate) fn from_f32_truncated(value: f32) -> F16 {
        /// Units of the last place of half denormals in 1.
        const DENORMALS_IN_ONE: f32 = 16_777_216.0;
        let sign = (value.to_bits() >> 16) & 0x8000;
        let magnitude = value.to_bits() & 0x7fff_ffff;
        let bits = if magnitude > 0x7f80_0000 {
            0x7e00 | magnitude >> 13 & 0x3ff
        } else if magnitude == 0x7f80_0000 {
            0x7c00
        } else if magnitude >= 0x4780_0000 {
            0x7bff
        } else if magnitude < 0x3880_0000 {
            (f32::from_bits(magnitude) * DENORMALS_IN_ONE) as u32
        } else {
            magnitude.wrapping_sub(112 << 23) >> 13
        };
        F16((bits | sign) as u16)
    }
}
