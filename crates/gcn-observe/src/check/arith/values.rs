//! Per-lane values of floating-point operands.

use gcn_emu::observe::{Context, Instruction};
use gcn_emu::step::{Arg, Sign};
use gcn_isa::Ty;
use half::f16;

use super::facts::FloatSource;

/// Bit pattern of a value, and its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FloatBits {
    bits: u64,
    ty: Ty,
}

/// Infinity in half, single and double precision: all exponent bits are set.
const INFINITY: [u64; 3] = [0x7c00, 0x7f80_0000, 0x7ff0_0000_0000_0000];

impl FloatBits {
    pub(super) fn new(bits: u64, ty: Ty) -> FloatBits {
        FloatBits { bits, ty }
    }

    /// Returns the value of an operand in a lane, with its sign modifiers applied.
    pub(super) fn of(
        context: &Context<'_>,
        instruction: &Instruction<'_>,
        it: FloatSource,
        lane: usize,
    ) -> FloatBits {
        let wave = context.wave;
        let is_wide = it.ty.dwords() > 1;
        let bits = match instruction.operands[it.place] {
            Arg::Vgpr(first) => {
                let low = u64::from(wave.vgpr(first).0[lane]);
                if is_wide {
                    low | u64::from(wave.vgpr(first.wrapping_add(1)).0[lane]) << u32::BITS
                } else {
                    low
                }
            }
            Arg::Scalar(code) if is_wide => wave.scalar64(code),
            Arg::Scalar(code) => wave.scalar(code).into(),
            Arg::Special(code) => wave.special(code),
            Arg::Const(bits) => bits,
            Arg::None | Arg::Imm(_) => 0,
        };
        let value = FloatBits::new(bits, it.ty);
        match instruction.step.signs[it.place] {
            Sign::Kept => value,
            Sign::Off => FloatBits::new(bits & !value.sign(), it.ty),
            Sign::Over => FloatBits::new(bits ^ value.sign(), it.ty),
            Sign::On => FloatBits::new(bits | value.sign(), it.ty),
        }
    }

    /// Returns the mask of the sign bits.
    fn sign(self) -> u64 {
        match self.ty {
            Ty::F16 => 0x8000,
            Ty::F16x2 => 0x8000_8000,
            Ty::F64 => 1 << 63,
            _ => 0x8000_0000,
        }
    }

    /// Returns the magnitude of each number, and of infinity in its type. A packed value has two numbers.
    fn magnitudes(self) -> impl Iterator<Item = (u64, u64)> {
        let [half, single, double] = INFINITY;
        let low = self.bits & 0x7fff;
        let (first, second) = match self.ty {
            Ty::F16 => ((low, half), None),
            Ty::F16x2 => ((low, half), Some((self.bits >> 16 & 0x7fff, half))),
            Ty::F64 => ((self.bits & !self.sign(), double), None),
            _ => ((self.bits & 0x7fff_ffff, single), None),
        };
        std::iter::once(first).chain(second)
    }

    /// True if the value is or contains a NaN.
    pub(super) fn is_nan(self) -> bool {
        self.magnitudes().any(|(bits, infinity)| bits > infinity)
    }

    /// True if the value is or contains infinity or a NaN.
    pub(super) fn is_special(self) -> bool {
        self.magnitudes().any(|(bits, infinity)| bits >= infinity)
    }

    /// True for positive and negative zero.
    pub(super) fn is_zero(self) -> bool {
        self.magnitudes().all(|(bits, _)| bits == 0)
    }

    /// Formats the number: integers below 10^15 exactly, others with the fewest digits that identify them as `f32`, or
    /// as `f64` for double precision.
    pub(super) fn text(self) -> String {
        /// Smallest magnitude that is written with an exponent.
        const LARGE: f64 = 1e15;
        let number = self.number();
        let is_short = self.ty != Ty::F64;
        if number.is_infinite() {
            return if number < 0.0 {
                "-infinity"
            } else {
                "infinity"
            }
            .to_owned();
        }
        match number.abs() < LARGE {
            true if is_short && number.fract() != 0.0 => (number as f32).to_string(),
            true => number.to_string(),
            false if is_short => format!("{:e}", number as f32),
            false => format!("{number:e}"),
        }
    }

    /// Returns the value as a number. For a packed value, this is the low half.
    pub(super) fn number(self) -> f64 {
        match self.ty {
            Ty::F16 | Ty::F16x2 => f16::from_bits(self.bits as u16).to_f64(),
            Ty::F64 => f64::from_bits(self.bits),
            _ => f32::from_bits(self.bits as u32).into(),
        }
    }
}

/// Returns the register that contains the exponent of an operand, and thus identifies infinities and NaNs.
pub(super) fn exponent_register(instruction: &Instruction<'_>, it: FloatSource) -> Option<u8> {
    match instruction.operands[it.place] {
        Arg::Vgpr(first) => Some(first.wrapping_add(it.ty.dwords() - 1)),
        Arg::Scalar(_) | Arg::Special(_) | Arg::Const(_) | Arg::None | Arg::Imm(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_of_their_type() {
        for (ty, bits, expected) in [
            (Ty::F32, u64::from(3e9_f32.to_bits()), "3000000000"),
            (Ty::F32, 0x4f00_0000, "2147483648"),
            (Ty::F32, u64::from((-0.1_f32).to_bits()), "-0.1"),
            (Ty::F32, u64::from(1e30_f32.to_bits()), "1e30"),
            (Ty::F32, 0xff80_0000, "-infinity"),
            (Ty::F16, 0x7bff, "65504"),
            (Ty::F16, 0x7c00, "infinity"),
            (Ty::F64, (-2_147_483_649.5_f64).to_bits(), "-2147483649.5"),
            (Ty::F64, 0.1_f64.to_bits(), "0.1"),
        ] {
            assert_eq!(FloatBits::new(bits, ty).text(), expected);
        }
    }

    #[test]
    fn kinds_of_numbers_follow_from_their_bits() {
        for (ty, bits, nan, special, zero) in [
            (Ty::F32, 0x7f80_0000, false, true, false),
            (Ty::F32, 0xff80_0001, true, true, false),
            (Ty::F32, 0x8000_0000, false, false, true),
            (Ty::F32, 1, false, false, false),
            (Ty::F64, 0xfff8_0000_0000_0000, true, true, false),
            (Ty::F64, 0x7ff0_0000_0000_0000, false, true, false),
            (Ty::F64, 1 << 63, false, false, true),
            (Ty::F16, 0xffff_7c01, true, true, false),
            (Ty::F16, 0xffff_8000, false, false, true),
            (Ty::F16x2, 0x7e00_0000, true, true, false),
            (Ty::F16x2, 0x8000_0000, false, false, true),
        ] {
            let it = FloatBits::new(bits, ty);
            let found = (it.is_nan(), it.is_special(), it.is_zero());
            assert_eq!(found, (nan, special, zero), "{ty:?} {bits:#x}");
        }
    }
}
