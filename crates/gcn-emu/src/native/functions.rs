//! Lowering of single-precision functions to integer or double-precision operations, as in the interpreter (errata
//! E199). Host code handles only common values; all others fail the guard.

use gcn_isa::effect::{AluOp, Shift};
use gcn_isa::{Isa, Ty, regs};

use super::double::Halves;
use super::graph::{Binary, Id, Op, Predicate, Rounding, Unary};
use super::lower::{Builder, MaskResult};
use crate::exec::alu::approximate::{
    BIASED_WHOLE, EXPONENTIAL, LOGARITHM, MAX_POWER, SINE, farthest,
};
use crate::exec::alu::conversion::WHOLE_SINGLE;
use crate::exec::alu::rule::{DivisionStep, FloatRule, WaveFunction};
use crate::step::{Arg, Step};

const SIGN: u32 = 1 << 31;
/// Number of fraction bits.
const FRACTION: u8 = 23;
/// Number of fraction bits in the high dword of a double.
const FRACTION_HIGH: u8 = 20;
/// Magnitudes of the smallest normal number, infinity and the smallest quiet NaN.
const NORMAL: u32 = 1 << FRACTION;
const INFINITY: u32 = 0xff << FRACTION;
const QUIET: u32 = INFINITY | NORMAL >> 1;
/// High dwords of the smallest normal double and of infinity.
const NORMAL_HIGH: [u32; 2] = [1 << FRACTION_HIGH, 0x7ff << FRACTION_HIGH];
/// Bounds of the magnitudes that division does not scale: 2^-47 and 2^47, and the high dwords of 2^-383 and 2^383.
const MODERATE: [u32; 2] = [(127 - 47) << FRACTION, (127 + 47) << FRACTION];
const MODERATE_HIGH: [u32; 2] = [(1023 - 383) << FRACTION_HIGH, (1023 + 383) << FRACTION_HIGH];

/// Bit numbers in V_CMP_CLASS for negative and positive values of a class, and the range of the class's magnitudes.
const CLASSES: [([u32; 2], [u32; 2]); 6] = [
    ([0, 0], [INFINITY + 1, QUIET]),
    ([1, 1], [QUIET, SIGN]),
    ([2, 9], [INFINITY, INFINITY + 1]),
    ([3, 8], [NORMAL, INFINITY]),
    ([4, 7], [1, NORMAL]),
    ([5, 6], [0, 1]),
];

impl Builder {
    /// Lowers a function with a single-precision result.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the caller names the operations"
    )]
    pub(super) fn function(&mut self, step: &Step, op: AluOp) -> Option<Id> {
        match op {
            AluOp::Rcp => {
                let a = self.flushing_source(step)?;
                let one = self.recorder.constant(1f32.to_bits());
                let quotient = self.recorder.binary(Binary::DivF32, one, a);
                let result = self.flushed(quotient);
                Some(self.number(result))
            }
            AluOp::Sqrt => {
                let a = self.flushing_source(step)?;
                let result = self.recorder.add(Op::Unary(Unary::SqrtF32, a));
                Some(self.number(result))
            }
            AluOp::Rsq => {
                let a = self.flushing_source(step)?;
                let result = self.reciprocal_root(a);
                Some(self.number(result))
            }
            AluOp::Exp2 => {
                // The result for a denormal is 1, even if the denormal is not flushed.
                let result = self.exponential(self.float(step, 1)?);
                let result = self.flushed(result);
                Some(self.number(result))
            }
            AluOp::Log2 => {
                let a = self.flushing_source(step)?;
                Some(self.logarithm(a))
            }
            AluOp::Sin | AluOp::Cos => {
                let a = if self.isa < Isa::Gfx9 {
                    self.flushing_source(step)?
                } else {
                    self.follow(WaveFunction::RULE)?;
                    self.float(step, 1)?
                };
                let result = self.wave(a, op == AluOp::Cos);
                Some(self.number(result))
            }
            AluOp::FrexpMantissa => {
                let a = self.float(step, 1)?;
                let (_, zero) = self.normal_or_zero(a);
                let r = &self.recorder;
                let fraction = r.binary(Binary::And, a, r.constant(SIGN | (NORMAL - 1)));
                let half = r.constant(0.5f32.to_bits());
                let fraction = r.binary(Binary::Or, fraction, half);
                Some(r.add(Op::Select(zero, a, fraction)))
            }
            AluOp::Ldexp => {
                let (a, power) = (self.float(step, 1)?, self.float(step, 2)?);
                Some(self.scaled(a, power))
            }
            AluOp::DivFmas => {
                self.follow(DivisionStep::RULE)?;
                let [a, b, c] = [1, 2, 3].map(|place| self.float(step, place));
                let result = self.recorder.add(Op::Fma(a?, b?, c?));
                self.guard_scaled()?;
                Some(self.number(result))
            }
            AluOp::DivFixup => {
                let [a, b, c] = [1, 2, 3].map(|place| self.float(step, place));
                self.division_fixup(&[a?], &[b?], &[c?])?.first().copied()
            }
            _ => None,
        }
    }

    /// Lowers V_FREXP_EXP_I32_F32.
    pub(super) fn exponent(&mut self, step: &Step) -> Option<Id> {
        /// Encoded exponent of numbers in [1/2, 1).
        const HALF: u32 = 126;
        let a = self.float(step, 1)?;
        let (normal, _) = self.normal_or_zero(a);
        let r = &self.recorder;
        let encoded = r.add(Op::ShiftBy(Shift::Right, self.magnitude(a), FRACTION));
        let exponent = r.binary(Binary::Sub, encoded, r.constant(HALF));
        Some(r.binary(Binary::And, exponent, normal))
    }

    /// Lowers V_CMP_CLASS_F32.
    pub(super) fn class(&self, step: &Step) -> Option<MaskResult> {
        let (a, classes) = (self.float(step, 1)?, self.dword(step.args[2], 0)?);
        let r = &self.recorder;
        let magnitude = self.magnitude(a);
        let negative = r.add(Op::ShiftBy(Shift::Arithmetic, a, 31));
        let mut class = r.constant(0);
        for (bits, [first, end]) in CLASSES {
            let [below, above] = bits.map(|bit| r.constant(1 << bit));
            let bit = r.add(Op::Select(negative, below, above));
            let is_inside = self.is_between(magnitude, first, end);
            class = r.binary(Binary::Or, r.binary(Binary::And, is_inside, bit), class);
        }
        let common = r.binary(Binary::And, class, classes);
        Some(MaskResult {
            mask: r.binary(Binary::Equal, common, r.constant(0)),
            is_inverted: true,
        })
    }

    /// Lowers V_DIV_SCALE for operands that need no scaling.
    pub(super) fn division_scale(&mut self, step: &Step) -> Option<()> {
        let is_wide = step.inst.row().alu_types().result == Ty::F64;
        let mut result = Vec::new();
        let mut all = Vec::new();
        for place in 2..5 {
            let ids = if is_wide {
                self.dwords64(step, place)?.to_vec()
            } else {
                vec![self.float(step, place)?]
            };
            all.push(self.is_moderate(*ids.last()?, is_wide));
            if place == 2 {
                result = ids;
            }
        }
        let r = &self.recorder;
        let pair = r.binary(Binary::And, all[0], all[1]);
        self.guard_unless(r.binary(Binary::And, pair, all[2]));
        self.set_vgprs(step.args[0], &result)?;
        let none = MaskResult {
            mask: self.recorder.constant(0),
            is_inverted: false,
        };
        self.set_mask(step.args[1], none)
    }

    /// Guards against lanes whose quotient V_DIV_FMAS scales.
    pub(super) fn guard_scaled(&mut self) -> Option<()> {
        let scaled = self.mask(Arg::Scalar(regs::VCC_LO))?;
        let (mask, is_inverted) = (scaled.mask, scaled.is_inverted);
        if is_inverted {
            self.guard_unless(mask);
        } else {
            self.guard_by(mask);
        }
        Some(())
    }

    /// Gives the quotient its sign, and replaces it with zero if the numerator is zero. Lanes in which any step of the
    /// division scales a value fail the guard. Each value has one or two dwords.
    pub(super) fn division_fixup(
        &mut self,
        quotient: &[Id],
        denominator: &[Id],
        numerator: &[Id],
    ) -> Option<Vec<Id>> {
        let (high, low) = quotient.split_last()?;
        let (below, above) = (*denominator.last()?, *numerator.last()?);
        let is_wide = !low.is_empty();
        let normal = if is_wide {
            NORMAL_HIGH
        } else {
            [NORMAL, INFINITY]
        };
        let high = self.magnitude(*high);
        let is_normal = self.is_between(high, normal[0], normal[1]);
        let r = &self.recorder;
        let mut magnitude = self.magnitude(above);
        if is_wide {
            magnitude = r.binary(Binary::Or, numerator[0], magnitude);
        }
        let zero = r.binary(Binary::Equal, magnitude, r.constant(0));
        let number = r.binary(Binary::And, self.is_moderate(above, is_wide), is_normal);
        let number_or_zero = r.binary(Binary::Or, number, zero);
        let moderate = self.is_moderate(below, is_wide);
        self.guard_unless(r.binary(Binary::And, moderate, number_or_zero));
        let r = &self.recorder;
        let signs = r.binary(Binary::Xor, below, above);
        let sign = r.binary(Binary::And, signs, r.constant(SIGN));
        let unless_zero = |id| r.binary(Binary::AndNot, zero, id);
        let mut result: Vec<Id> = low.iter().map(|id| unless_zero(*id)).collect();
        result.push(r.binary(Binary::Or, unless_zero(high), sign));
        Some(result)
    }

    /// Multiplies a value by 2 to the power `power`. The guard rejects values and products that are denormal, infinite
    /// or NaN.
    fn scaled(&mut self, a: Id, power: Id) -> Id {
        /// Exponent beyond which no product is a normal number.
        const ENOUGH: u32 = 1000;
        let (_, zero) = self.normal_or_zero(a);
        let r = &self.recorder;
        let power = r.binary(Binary::MinSigned, power, r.constant(ENOUGH));
        let power = r.binary(Binary::MaxSigned, power, r.constant(ENOUGH.wrapping_neg()));
        let encoded = r.add(Op::ShiftBy(Shift::Right, self.magnitude(a), FRACTION));
        let sum = r.binary(Binary::Add, encoded, power);
        let remains = self.is_between(sum, 1, 0xff);
        self.guard_unless(r.binary(Binary::Or, remains, zero));
        let r = &self.recorder;
        let added = r.add(Op::ShiftBy(Shift::Left, power, FRACTION));
        let product = r.binary(Binary::Add, a, added);
        r.add(Op::Select(zero, a, product))
    }

    /// Computes 2 to the power of a value.
    fn exponential(&self, a: Id) -> Id {
        let r = &self.recorder;
        let single = |value: f32| r.constant(value.to_bits());
        // If one operand is NaN, the host returns the second operand.
        let power = r.binary(Binary::MaxF32, single(-MAX_POWER), a);
        let power = r.binary(Binary::MinF32, single(MAX_POWER), power);
        let whole = r.add(Op::Unary(Unary::RoundF32(Rounding::Nearest), power));
        let rest = self.widened(r.binary(Binary::SubF32, power, whole));
        let biased = r.binary(Binary::AddF32, whole, single(BIASED_WHOLE));
        let high = r.add(Op::ShiftBy(Shift::Left, biased, FRACTION_HIGH));
        let scale =
            [Binary::UnpackLow, Binary::UnpackHigh].map(|half| r.binary(half, r.constant(0), high));
        let series = self.polynomial(&EXPONENTIAL, rest);
        self.narrowed(self.each(Binary::MulF64, series, scale))
    }

    /// Computes the reciprocal square root. Two steps of Halley's method in double precision, from an estimate, have a
    /// relative error of less than 2^-52.4. No result is closer than 2^-51.7 to the midpoint of two adjacent
    /// single-precision numbers (checked for all sources), so rounding gives the same result as the interpreter's
    /// division.
    fn reciprocal_root(&self, a: Id) -> Id {
        let r = &self.recorder;
        let x = self.widened(a);
        let mut y = x.map(|half| r.add(Op::Unary(Unary::RsqrtEstimateF64, half)));
        for _ in 0..2 {
            let product = self.each(Binary::MulF64, x, y);
            let error = self.fused(product, y, self.constant64(-1.0));
            let factor = self.fused(error, self.constant64(0.375), self.constant64(-0.5));
            let change = self.each(Binary::MulF64, error, factor);
            y = self.fused(y, change, y);
        }
        let result = self.narrowed(y);
        let is_equal = |bits| {
            let equal = Binary::CompareF32(Predicate::Equal);
            r.binary(equal, a, r.constant(bits))
        };
        let at_zero = r.binary(Binary::Or, a, r.constant(INFINITY));
        let result = r.add(Op::Select(is_equal(0), at_zero, result));
        r.add(Op::Select(is_equal(INFINITY), r.constant(0), result))
    }

    /// Computes the base-2 logarithm of positive numbers, zeros and infinity.
    fn logarithm(&mut self, a: Id) -> Id {
        let r = &self.recorder;
        let compare = |how, bits| r.binary(Binary::CompareF32(how), a, r.constant(bits));
        let least = r.constant(std::f32::consts::FRAC_1_SQRT_2.to_bits());
        let above = r.binary(Binary::Sub, a, least);
        let power = r.add(Op::ShiftBy(Shift::Arithmetic, above, FRACTION));
        let taken = r.add(Op::ShiftBy(Shift::Left, power, FRACTION));
        let rest = self.widened(r.binary(Binary::Sub, a, taken));
        let below = self.each(Binary::AddF64, rest, self.constant64(-1.0));
        let sum = self.each(Binary::AddF64, rest, self.constant64(1.0));
        let tangent = self.each(Binary::DivF64, below, sum);
        let square = self.each(Binary::MulF64, tangent, tangent);
        let series = self.polynomial(&LOGARITHM, square);
        let power = self.widened(r.add(Op::Unary(Unary::FloatOfSigned, power)));
        let result = self.narrowed(self.fused(tangent, series, power));
        let is_positive = compare(Predicate::Greater, 0);
        let is_finite = compare(Predicate::Less, INFINITY);
        let is_number = r.binary(Binary::And, is_positive, is_finite);
        let at_zero = r.constant(SIGN | INFINITY);
        let limit = r.add(Op::Select(is_positive, a, at_zero));
        let result = r.add(Op::Select(is_number, result, limit));
        let has_none = compare(Predicate::NotGreaterOrEqual, 0);
        self.guard_by(has_none);
        result
    }

    /// Computes the sine or cosine of an angle given in turns.
    fn wave(&self, turns: Id, is_cosine: bool) -> Id {
        let r = &self.recorder;
        let single = |value: f32| r.constant(value.to_bits());
        let round = |how, a| r.add(Op::Unary(Unary::RoundF32(how), a));
        let part = r.binary(Binary::SubF32, turns, round(Rounding::TowardsZero, turns));
        let doubled = r.binary(Binary::MulF32, part, single(2.0));
        let half_turns = round(Rounding::Nearest, doubled);
        let taken = r.binary(Binary::MulF32, half_turns, single(0.5));
        let rest = r.binary(Binary::SubF32, part, taken);
        let angle = if is_cosine {
            // In turns, cos(x) = sin(1/4 - |x|).
            let below = self.widened(r.binary(Binary::Or, rest, r.constant(SIGN)));
            self.each(Binary::AddF64, below, self.constant64(0.25))
        } else {
            self.widened(rest)
        };
        let square = self.each(Binary::MulF64, angle, angle);
        let series = self.polynomial(&SINE, square);
        let sine = self.narrowed(self.each(Binary::MulF64, angle, series));
        // An odd number of half turns changes the sign, unless the sine is zero.
        let whole = r.binary(Binary::AddF32, half_turns, single(WHOLE_SINGLE));
        let sign = r.add(Op::ShiftBy(Shift::Left, whole, 31));
        let unequal = r.binary(Binary::CompareF32(Predicate::NotEqual), sine, single(0.0));
        let changed = r.binary(Binary::And, sign, unequal);
        let mut result = r.binary(Binary::Xor, sine, changed);
        if self.isa < Isa::Gfx9 {
            let magnitude = self.magnitude(turns);
            let is_far = self.is_between(magnitude, farthest(self.isa).to_bits() + 1, INFINITY);
            let far = single(if is_cosine { 1.0 } else { 0.0 });
            result = r.add(Op::Select(is_far, far, result));
        }
        if is_cosine {
            return result;
        }
        let is_zero = r.binary(Binary::CompareF32(Predicate::Equal), turns, single(0.0));
        let zero = r.binary(Binary::And, turns, r.constant(SIGN));
        r.add(Op::Select(is_zero, zero, result))
    }

    /// Source of a function that flushes denormals regardless of MODE. Denormals fail the guard, so the host's
    /// setting does not matter.
    fn flushing_source(&mut self, step: &Step) -> Option<Id> {
        let a = self.float(step, 1)?;
        let denormal = self.is_between(self.magnitude(a), 1, NORMAL);
        self.guard_by(denormal);
        Some(a)
    }

    /// Replaces a denormal result with a zero of the same sign.
    fn flushed(&self, a: Id) -> Id {
        let r = &self.recorder;
        let sign = r.binary(Binary::And, a, r.constant(SIGN));
        let small = self.is_between(self.magnitude(a), 0, NORMAL);
        r.add(Op::Select(small, sign, a))
    }

    fn magnitude(&self, a: Id) -> Id {
        let r = &self.recorder;
        r.binary(Binary::And, a, r.constant(!SIGN))
    }

    /// Mask of the lanes in which a signed number is in `first..end`. If `first` is 0, no number may be negative.
    fn is_between(&self, a: Id, first: u32, end: u32) -> Id {
        let r = &self.recorder;
        let is_below = r.binary(Binary::Greater, r.constant(end), a);
        let is_above = r.binary(Binary::Greater, a, r.constant(first.wrapping_sub(1)));
        match (first, end) {
            (0, _) => is_below,
            (_, SIGN) => is_above,
            _ => r.binary(Binary::And, is_above, is_below),
        }
    }

    /// Masks of normal numbers and of zeros. Lanes with other values fail the guard.
    fn normal_or_zero(&mut self, a: Id) -> (Id, Id) {
        let magnitude = self.magnitude(a);
        let normal = self.is_between(magnitude, NORMAL, INFINITY);
        let zero = self.is_between(magnitude, 0, 1);
        self.guard_unless(self.recorder.binary(Binary::Or, normal, zero));
        (normal, zero)
    }

    /// Mask of the lanes in which division does not scale this operand. A double is represented by its high dword.
    fn is_moderate(&self, a: Id, is_wide: bool) -> Id {
        let [first, end] = if is_wide { MODERATE_HIGH } else { MODERATE };
        self.is_between(self.magnitude(a), first, end)
    }

    fn widened(&self, a: Id) -> Halves {
        [Unary::WidenLow, Unary::WidenHigh].map(|half| self.recorder.add(Op::Unary(half, a)))
    }

    fn narrowed(&self, [low, high]: Halves) -> Id {
        self.recorder.binary(Binary::NarrowF64, low, high)
    }

    fn polynomial(&self, coefficients: &[f64], x: Halves) -> Halves {
        let mut terms = coefficients.iter().rev().map(|it| self.constant64(*it));
        let last = terms.next().unwrap_or_else(|| self.constant64(0.0));
        terms.fold(last, |sum, term| self.fused(sum, x, term))
    }
}
