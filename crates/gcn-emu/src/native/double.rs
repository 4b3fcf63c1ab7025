//! Lowering of double-precision operations. A double-precision value is two graph values, each with half of a slice's
//! lanes.

use gcn_isa::effect::{AluOp, Test};

use super::graph::{Binary, Id, Op, Predicate};
use super::lower::{Builder, MaskResult, predicate};
use crate::exec::alu::env::Env;
use crate::exec::alu::rule::{DivisionStep, Exact, FloatRule, Fused, Product, Rule, Sum};
use crate::step::Step;

/// Double-precision value as the two halves of a slice.
pub(super) type Halves = [Id; 2];

impl Builder {
    /// Lowers an operation with a double-precision result. Returns the result as two dwords.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the interpreter executes all others"
    )]
    pub(super) fn double(
        &mut self,
        step: &Step,
        op: AluOp,
        [first, second]: [usize; 2],
    ) -> Option<[Id; 2]> {
        if op == AluOp::DivFixup {
            let [a, b, c] = [1, 2, 3].map(|place| self.dwords64(step, place));
            return self.division_fixup(&a?, &b?, &c?)?.try_into().ok();
        }
        let rule: Rule = match op {
            AluOp::Add => Sum::RULE,
            AluOp::Mul => Product::RULE,
            AluOp::Fma => Fused::RULE,
            AluOp::Rcp => Exact::RULE,
            AluOp::DivFmas => DivisionStep::RULE,
            _ => return None,
        };
        let env = rule.environment.of::<f64>(self.isa, self.mode);
        self.settings(env, rule.rounds)?;
        if op == AluOp::DivFmas {
            self.guard_scaled()?;
        }
        if op == AluOp::Rcp {
            let one = self.constant64(1.0);
            let result = self.each(Binary::DivF64, one, self.halves(step, 1)?);
            return Some(self.number64(result));
        }
        let sources = [self.halves(step, 1)?, self.halves(step, 2)?];
        let (a, b) = (sources[first], sources[second]);
        let result = match op {
            AluOp::Add => self.each(Binary::AddF64, a, b),
            AluOp::Mul => self.each(Binary::MulF64, a, b),
            _ => self.fused(a, b, self.halves(step, 3)?),
        };
        Some(self.number64(result))
    }

    /// Splits a result into two dwords. Guards results against NaN, two at a time.
    fn number64(&mut self, result: Halves) -> [Id; 2] {
        match self.state.unguarded_wide.take() {
            Some(other) => self.guard_wide(other, result),
            None => self.state.unguarded_wide = Some(result),
        }
        let [low, high] = result;
        [Binary::PackLow, Binary::PackHigh].map(|pack| self.recorder.binary(pack, low, high))
    }

    /// Lowers a double-precision comparison.
    pub(super) fn compare_doubles(&mut self, step: &Step, test: Test) -> Option<MaskResult> {
        let env = Env::of::<f64>(self.mode).with_results_as_sources();
        self.settings(env, false)?;
        let compare = Binary::CompareF64(predicate(test)?);
        let masks = self.each(compare, self.halves(step, 1)?, self.halves(step, 2)?);
        Some(MaskResult {
            mask: self.mask_of(masks),
            is_inverted: false,
        })
    }

    /// Adds a guard against NaN in two results.
    pub(super) fn guard_wide(&mut self, a: Halves, b: Halves) {
        let nan = self.each(Binary::CompareF64(Predicate::Unordered), a, b);
        self.guard_by(self.mask_of(nan));
    }

    fn mask_of(&self, [low, high]: Halves) -> Id {
        self.recorder.binary(Binary::PackHigh, low, high)
    }

    pub(super) fn constant64(&self, value: f64) -> Halves {
        [self.recorder.add(Op::Const64(value.to_bits())); 2]
    }

    pub(super) fn fused(&self, a: Halves, b: Halves, c: Halves) -> Halves {
        [0, 1].map(|n| self.recorder.add(Op::FmaF64(a[n], b[n], c[n])))
    }

    pub(super) fn each(&self, binary: Binary, a: Halves, b: Halves) -> Halves {
        [0, 1].map(|n| self.recorder.binary(binary, a[n], b[n]))
    }

    /// Dwords of the source operand at an index, with its sign modifier applied.
    pub(super) fn dwords64(&self, step: &Step, place: usize) -> Option<[Id; 2]> {
        let arg = step.args[place];
        let (low, high) = (self.dword(arg, 0)?, self.dword(arg, 1)?);
        Some([low, self.with_sign(high, step.signs[place])])
    }

    /// Halves of the source operand at an index.
    fn halves(&self, step: &Step, place: usize) -> Option<Halves> {
        let ([low, high], r) = (self.dwords64(step, place)?, &self.recorder);
        Some([Binary::UnpackLow, Binary::UnpackHigh].map(|half| r.binary(half, low, high)))
    }
}
