//! Lowering of single-precision operations.

use gcn_isa::Ty;
use gcn_isa::effect::AluOp;

use super::graph::{Binary, Id, Op, Rounding, Unary};
use super::lower::{Builder, Denormals};
use crate::exec::alu::rule::{Exact, FloatRule, FromInteger, Fused, Order, Product, Sum, Unfused};
use crate::step::Step;

impl Builder {
    /// Guards a single-precision result against NaN, and returns it.
    pub(super) fn number(&mut self, id: Id) -> Id {
        match self.state.unguarded.take() {
            Some(other) => self.guard(other, id),
            None => self.state.unguarded = Some(id),
        }
        id
    }

    /// Lowers a conversion to a 32-bit integer. Values outside the range of the host's signed conversion fail the
    /// guard. For unsigned results, negative values and NaN become zero.
    pub(super) fn integer_of_float(&mut self, step: &Step, ty: Ty) -> Option<Id> {
        let a = self.float(step, 1)?;
        let r = &self.recorder;
        let convert = |a| r.add(Op::Unary(Unary::SignedOfFloat, a));
        if ty == Ty::U32 {
            let result = convert(r.binary(Binary::MaxF32, a, r.constant(0)));
            self.guard_by(result);
            Some(result)
        } else if ty == Ty::I32 {
            let result = convert(a);
            let is_none = r.binary(Binary::Equal, result, r.constant(1 << 31));
            self.guard_by(is_none);
            Some(result)
        } else {
            None
        }
    }

    /// Lowers an operation with a single-precision result.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the interpreter executes all others"
    )]
    pub(super) fn single(
        &mut self,
        step: &Step,
        op: AluOp,
        [first, second]: [usize; 2],
    ) -> Option<Id> {
        let types = step.inst.row().alu_types();
        let is_integer = matches!(types.source, Ty::I32 | Ty::U32 | Ty::B32);
        match op {
            AluOp::Convert if types.source == Ty::I32 => {
                self.follow(FromInteger::RULE)?;
                let [a] = *self.source(step, 1)?.ids() else {
                    return None;
                };
                return Some(self.recorder.add(Op::Unary(Unary::FloatOfSigned, a)));
            }
            AluOp::Convert if types.source == Ty::U32 => {
                self.follow(FromInteger::RULE)?;
                let [a] = *self.source(step, 1)?.ids() else {
                    return None;
                };
                // Both halves are exact, and their sum is rounded once.
                let r = &self.recorder;
                let float = |a| r.add(Op::Unary(Unary::FloatOfSigned, a));
                let high = float(r.binary(Binary::Shr, a, r.constant(16)));
                let low = float(r.binary(Binary::And, a, r.constant(0xffff)));
                return Some(r.add(Op::Fma(high, r.constant(65536f32.to_bits()), low)));
            }
            AluOp::ConvertByte(number) if is_integer => {
                let [a] = *self.source(step, 1)?.ids() else {
                    return None;
                };
                let r = &self.recorder;
                let shifted = r.binary(Binary::Shr, a, r.constant(8 * u32::from(number)));
                let byte = r.binary(Binary::And, shifted, r.constant(0xff));
                return Some(r.add(Op::Unary(Unary::FloatOfSigned, byte)));
            }
            _ => {}
        }
        let pair = |it: &Builder| {
            let pair = [it.float(step, 1)?, it.float(step, 2)?];
            Some((pair[first], pair[second]))
        };
        let third = |it: &Builder| {
            if types.accumulates {
                it.dword(step.args[0], 0)
            } else {
                it.float(step, 3)
            }
        };
        let binary = match op {
            AluOp::Add => Some((Binary::AddF32, Sum::RULE)),
            AluOp::Sub => Some((Binary::SubF32, Sum::RULE)),
            AluOp::Mul => Some((Binary::MulF32, Product::RULE)),
            _ => None,
        };
        if let Some((binary, rule)) = binary {
            self.follow(rule)?;
            let (a, b) = pair(self)?;
            let result = self.recorder.binary(binary, a, b);
            return Some(self.number(result));
        }
        match op {
            AluOp::Fma => {
                self.follow(Fused::RULE)?;
                let ((a, b), c) = (pair(self)?, third(self)?);
                let result = self.recorder.add(Op::Fma(a, b, c));
                Some(self.number(result))
            }
            AluOp::MulAdd => {
                self.follow(Unfused::RULE)?;
                let ((a, b), c) = (pair(self)?, third(self)?);
                let product = self.recorder.binary(Binary::MulF32, a, b);
                let result = self.recorder.binary(Binary::AddF32, product, c);
                Some(self.number(result))
            }
            AluOp::Trunc | AluOp::Ceil | AluOp::Floor | AluOp::RoundEven => {
                self.follow(Exact::RULE)?;
                let a = self.float(step, 1)?;
                let rounding = match op {
                    AluOp::Ceil => Rounding::Up,
                    AluOp::Floor => Rounding::Down,
                    AluOp::Trunc => Rounding::TowardsZero,
                    _ => Rounding::Nearest,
                };
                let result = self.recorder.add(Op::Unary(Unary::RoundF32(rounding), a));
                Some(self.number(result))
            }
            AluOp::Rcp
            | AluOp::Sqrt
            | AluOp::Rsq
            | AluOp::Exp2
            | AluOp::Log2
            | AluOp::Sin
            | AluOp::Cos
            | AluOp::FrexpMantissa
            | AluOp::Ldexp
            | AluOp::DivFmas
            | AluOp::DivFixup => self.function(step, op),
            AluOp::Min | AluOp::Max => {
                // The host's minimum and maximum do not flush denormals.
                self.follow(Order::RULE)?;
                if self.state.denormals != Some(Denormals::Kept) {
                    return None;
                }
                let (a, b) = pair(self)?;
                // NaN sources are rare, so guard the sources instead of the result.
                self.guard(a, b);
                let r = &self.recorder;
                let (chosen, bits) = if op == AluOp::Min {
                    (Binary::MinF32, Binary::Or)
                } else {
                    (Binary::MaxF32, Binary::And)
                };
                // For zeros of different signs, the two operand orders return different zeros; combining their bits
                // gives the correct one.
                Some(r.binary(bits, r.binary(chosen, a, b), r.binary(chosen, b, a)))
            }
            _ => None,
        }
    }
}
