//! Scalar operands: registers, register pairs and constants.

use crate::step::Arg;
use crate::wave::Wave;

/// Value in one or two scalar registers.
pub(super) trait Scalar: Copy {
    /// Number of registers.
    const DWORDS: u8;
    /// Converts from 64 bits; excess high bits are ignored.
    fn from_bits(bits: u64) -> Self;
    /// Converts to 64 bits.
    fn bits(self) -> u64;
}

macro_rules! scalar {
    ($($Type:ty, $dwords:literal, $Unsigned:ty;)*) => {
        $(impl Scalar for $Type {
            const DWORDS: u8 = $dwords;
            #[inline(always)]
            fn from_bits(bits: u64) -> $Type { bits as $Type }
            #[inline(always)]
            fn bits(self) -> u64 { u64::from(self as $Unsigned) }
        })*
    };
}
scalar! { u32, 1, u32; i32, 1, u32; u64, 2, u64; i64, 2, u64; }

/// Reads a scalar source.
#[inline(always)]
pub(super) fn read<T: Scalar>(wave: &Wave, source: Arg) -> T {
    T::from_bits(match source {
        Arg::Scalar(code) if T::DWORDS == 2 => {
            u64::from(wave.resolved(code)) | u64::from(wave.resolved(code + 1)) << 32
        }
        Arg::Scalar(code) => u64::from(wave.resolved(code)),
        Arg::Const(value) => value,
        Arg::None | Arg::Vgpr(_) | Arg::Special(_) | Arg::Imm(_) => read_other(wave, source),
    })
}

/// Reads a source of a rare kind.
#[cold]
#[inline(never)]
fn read_other(wave: &Wave, source: Arg) -> u64 {
    match source {
        Arg::Special(code) => wave.special(code),
        Arg::Imm(value) => value as u64,
        Arg::None | Arg::Vgpr(_) | Arg::Scalar(_) | Arg::Const(_) => 0,
    }
}

/// Writes a scalar destination.
#[inline(always)]
pub(super) fn write<T: Scalar>(wave: &mut Wave, destination: Arg, value: T) {
    if let Arg::Scalar(code) = destination {
        if T::DWORDS == 2 {
            wave.set_scalar64(code, value.bits());
        } else {
            wave.set_scalar(code, value.bits() as u32);
        }
    }
}
