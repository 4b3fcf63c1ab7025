//! Conversion between half and single precision, for scalars and for 64 lanes.
//!
//! This is one of the modules that may use `unsafe`: functions compiled for optional host instructions are called
//! only on hosts that have them.

use std::hint::select_unpredictable as select;

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::Ordering::Relaxed;

use super::lane::Lane;
#[cfg(target_arch = "x86_64")]
use super::level::{LEVEL, Level};
use super::register::Lanes;

/// Half-precision value that is computed in single precision, with results rounded to nearest even. The half starts at
/// bit `UP` of a register's dword.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfFloat<const UP: u32 = 0>(pub(crate) f32);

impl<const UP: u32> Lane for HalfFloat<UP> {
    const BITS: u32 = 16;
    const IS_HALF: bool = true;
    const SIGN: u32 = 1 << 15;
    const WIDENED: Option<u32> = Some(UP);
    #[inline(always)]
    fn join(low: u32, _: u32) -> HalfFloat<UP> {
        HalfFloat(f32::from_bits(low))
    }
    #[inline(always)]
    fn split(self) -> [u32; 2] {
        [self.0.to_bits(), 0]
    }
}

impl HalfFloat {
    /// Applies a single-precision function.
    #[inline(always)]
    pub(crate) fn map(self, f: impl Fn(f32) -> f32) -> HalfFloat {
        HalfFloat(f(self.0))
    }
}

macro_rules! operators {
    ($($Operator:ident $name:ident)*) => {
        $(impl std::ops::$Operator for HalfFloat {
            type Output = HalfFloat;
            #[inline(always)]
            fn $name(self, other: HalfFloat) -> HalfFloat {
                HalfFloat(std::ops::$Operator::$name(self.0, other.0))
            }
        })*
    };
}
operators! { Add add Sub sub Mul mul }

/// Converts to single precision exactly, except that a signaling NaN becomes quiet.
#[inline(always)]
pub(crate) fn to_single(half: u16) -> f32 {
    /// 2 to the power of 112, the difference of the exponent biases. The multiplication also normalizes denormals and
    /// quiets NaNs.
    const REBIAS: f32 = f32::from_bits((112 + 127) << 23);
    /// Half-precision exponent of infinities and NaNs, shifted like `bits` below.
    const LARGEST: u32 = 0x7c00 << 13;
    const INFINITE: u32 = 0x7f80_0000;
    // Moves the sign to the top, and aligns the fraction with a single-precision fraction.
    let bits = ((i32::from(half as i16) << 13) as u32) & 0x8fff_e000;
    let is_finite = bits & LARGEST != LARGEST;
    f32::from_bits(select(is_finite, bits, bits | INFINITE)) * REBIAS
}

/// Converts to half precision, rounding to nearest even.
#[inline(always)]
pub(crate) fn of_single(value: f32) -> u16 {
    let sign = (value.to_bits() >> 16) & 0x8000;
    let magnitude = value.to_bits() & 0x7fff_ffff;
    // Adding 0.5 leaves the rounded bits of a half denormal at the low end of the sum.
    let small = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let normal = magnitude
        .wrapping_add(0xfff + (magnitude >> 13 & 1))
        .wrapping_sub(112 << 23)
        >> 13;
    let finite = select(magnitude < 0x3880_0000, small, normal);
    let number = select(magnitude >= 0x4780_0000, 0x7c00, finite);
    let nan = 0x7e00 | magnitude >> 13 & 0x3ff;
    let bits = select(magnitude > 0x7f80_0000, nan, number);
    (bits | sign) as u16
}

/// Applies `to_single` to the halves at bit `up` of each lane.
#[inline(always)]
pub fn widened(from: Lanes, up: u32) -> Lanes {
    #[cfg(target_arch = "x86_64")]
    {
        let level = LEVEL.load(Relaxed);
        if level == Level::Avx512 as u8 {
            // SAFETY: the host supports the level's features.
            return unsafe { avx512::widened(from, up) };
        }
        if level == Level::Avx2 as u8 {
            // SAFETY: as above.
            return unsafe { avx2::widened(from, up) };
        }
    }
    let mut to = from;
    for dword in &mut to.0 {
        *dword = to_single((*dword >> up) as u16).to_bits();
    }
    to
}

/// Applies `of_single` to each lane; the upper bits are zero.
#[inline(always)]
pub fn narrowed(from: Lanes) -> Lanes {
    #[cfg(target_arch = "x86_64")]
    {
        let level = LEVEL.load(Relaxed);
        if level == Level::Avx512 as u8 {
            // SAFETY: the host supports the level's features.
            return unsafe { avx512::narrowed(from) };
        }
        if level == Level::Avx2 as u8 {
            // SAFETY: as above.
            return unsafe { avx2::narrowed(from) };
        }
    }
    let mut to = from;
    for dword in &mut to.0 {
        *dword = of_single(f32::from_bits(*dword)).into();
    }
    to
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::super::register::Lanes;
    use super::super::vectors::avx512::{lanes_of, vectors};

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn widened(from: Lanes, up: u32) -> Lanes {
        let up = _mm_cvtsi32_si128(up as i32);
        let mut to = vectors(from);
        for vector in &mut to {
            let halves = _mm512_cvtepi32_epi16(_mm512_srl_epi32(*vector, up));
            *vector = _mm512_castps_si512(_mm512_cvtph_ps(halves));
        }
        lanes_of(to)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn narrowed(from: Lanes) -> Lanes {
        let mut to = vectors(from);
        for vector in &mut to {
            let singles = _mm512_castsi512_ps(*vector);
            let halves =
                _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(singles);
            *vector = _mm512_cvtepu16_epi32(halves);
        }
        lanes_of(to)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;
    use std::mem::transmute;

    use crate::lanes::Lanes;

    /// Number of vectors per register.
    const VECTORS: usize = 8;

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn widened(from: Lanes, up: u32) -> Lanes {
        let up = _mm_cvtsi32_si128(up as i32);
        let low = _mm256_set1_epi32(0xffff);
        // SAFETY: both types have 256 bytes and no invalid values.
        let mut to: [__m256i; VECTORS] = unsafe { transmute(from) };
        for vector in &mut to {
            let halves = _mm256_and_si256(_mm256_srl_epi32(*vector, up), low);
            let halves = _mm_packus_epi32(
                _mm256_castsi256_si128(halves),
                _mm256_extracti128_si256::<1>(halves),
            );
            *vector = _mm256_castps_si256(_mm256_cvtph_ps(halves));
        }
        // SAFETY: as above.
        unsafe { transmute(to) }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn narrowed(from: Lanes) -> Lanes {
        // SAFETY: both types have 256 bytes and no invalid values.
        let mut to: [__m256i; VECTORS] = unsafe { transmute(from) };
        for vector in &mut to {
            let singles = _mm256_castsi256_ps(*vector);
            *vector = _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(singles));
        }
        // SAFETY: as above.
        unsafe { transmute(to) }
    }
}
