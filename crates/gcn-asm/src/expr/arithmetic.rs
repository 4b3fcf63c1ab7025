//! Evaluates operators.

use super::error::EvalError;
use super::operator::Operator;
use crate::value::ExprValue;

impl Operator {
    pub(super) fn unary(self, value: ExprValue) -> Result<ExprValue, EvalError> {
        if self == Operator::Neg {
            return Ok(value.negated());
        }
        let number = value.as_absolute().ok_or(EvalError::Addresses(self))?;
        Ok(ExprValue::absolute(match self {
            Operator::Not => !number,
            _ => i64::from(number == 0),
        }))
    }

    pub(super) fn binary(self, left: ExprValue, right: ExprValue) -> Result<ExprValue, EvalError> {
        let sum = match self {
            Operator::Add => Some(left.plus(right)),
            Operator::Sub => Some(left.plus(right.negated())),
            _ => None,
        };
        if let Some(sum) = sum {
            return sum.ok_or(EvalError::Addresses(self));
        }
        let (Some(a), Some(b)) = (left.as_absolute(), right.as_absolute()) else {
            return Err(EvalError::Addresses(self));
        };
        // A true comparison gives −1, as in GNU as.
        let truth = |t: bool| -i64::from(t);
        let shift = |by: i64| u32::try_from(by).ok().filter(|&by| by < 64);
        let (x, y) = (a.cast_unsigned(), b.cast_unsigned());
        Ok(ExprValue::absolute(match self {
            Operator::Mul => a.wrapping_mul(b),
            Operator::Div | Operator::Rem | Operator::UnsignedDiv | Operator::UnsignedRem
                if b == 0 =>
            {
                return Err(EvalError::DivisionByZero);
            }
            Operator::AlignTo => align_to(a, b).ok_or(EvalError::DivisionByZero)?,
            Operator::Max => a.max(b),
            Operator::UnsignedDiv => (x / y).cast_signed(),
            Operator::UnsignedRem => (x % y).cast_signed(),
            Operator::Div => a.wrapping_div(b),
            Operator::Rem => a.wrapping_rem(b),
            Operator::Shl => shift(b).map_or(0, |by| a << by),
            Operator::Shr => shift(b).map_or(0, |by| (a.cast_unsigned() >> by).cast_signed()),
            Operator::SignedShr => shift(b).map_or(0, |by| a >> by),
            Operator::Below => truth(x < y),
            Operator::NotAbove => truth(x <= y),
            Operator::Above => truth(x > y),
            Operator::NotBelow => truth(x >= y),
            Operator::Or => a | b,
            Operator::OrNot => a | !b,
            Operator::Xor => a ^ b,
            Operator::And => a & b,
            Operator::Eq => truth(a == b),
            Operator::Ne => truth(a != b),
            Operator::Lt => truth(a < b),
            Operator::Le => truth(a <= b),
            Operator::Gt => truth(a > b),
            Operator::Ge => truth(a >= b),
            Operator::LogicalAnd => i64::from(a != 0 && b != 0),
            Operator::LogicalOr => i64::from(a != 0 || b != 0),
            Operator::Neg
            | Operator::Not
            | Operator::LogicalNot
            | Operator::Add
            | Operator::Sub
            | Operator::Choice
            | Operator::Occupancy(_) => 0,
        }))
    }
}

/// Smallest multiple of `multiple` that is at least `value`; `None` on overflow or if `multiple` is 0.
pub(super) fn align_to(value: i64, multiple: i64) -> Option<i64> {
    match value.checked_rem_euclid(multiple)? {
        0 => Some(value),
        rest => value.checked_add(multiple.checked_abs()?.checked_sub(rest)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_up() {
        assert_eq!(align_to(5, 4), Some(8));
        assert_eq!(align_to(8, 4), Some(8));
        assert_eq!(align_to(1, 0), None);
        assert_eq!(align_to(i64::MAX, 4), None);
    }
}
