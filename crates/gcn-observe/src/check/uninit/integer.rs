//! Integers with undefined bits, for the generic implementations of ALU operations.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use gcn_isa::effect::{Shift, Value};

use super::part::{PartlyDefined, ones};

/// An integer of up to 64 bits, some of which may be undefined.
#[derive(Clone, Copy, Debug)]
pub(super) struct UndefinedInteger {
    pub(super) part: PartlyDefined,
    width: u32,
    is_signed: bool,
}

impl UndefinedInteger {
    /// Creates an integer from the low `width` bits of a value.
    pub(super) fn new(part: PartlyDefined, width: u32, is_signed: bool) -> UndefinedInteger {
        let own = ones(width);
        UndefinedInteger {
            part: PartlyDefined {
                value: part.value & own,
                undefined: part.undefined & own,
            },
            width,
            is_signed,
        }
    }

    /// Creates an integer with the width and signedness of `self`.
    fn with(self, part: PartlyDefined) -> UndefinedInteger {
        UndefinedInteger::new(part, self.width, self.is_signed)
    }

    /// Returns the value, sign-extended if it is signed.
    fn number(self) -> i128 {
        let unused = u64::BITS - self.width;
        if self.is_signed {
            ((self.part.value << unused) as i64 >> unused).into()
        } else {
            self.part.value.into()
        }
    }

    /// Returns the union of the undefined bits of two values.
    fn undefined(self, other: UndefinedInteger) -> u64 {
        self.part.undefined | other.part.undefined
    }

    /// Creates a result in which the lowest undefined bit of the two operands and all higher bits are undefined.
    fn upward(self, other: UndefinedInteger, number: i128) -> UndefinedInteger {
        self.with(PartlyDefined {
            value: number as u64,
            undefined: PartlyDefined::upward(self.undefined(other)),
        })
    }

    /// Creates a result that is entirely undefined if either operand has undefined bits.
    fn all(self, other: UndefinedInteger, number: i128) -> UndefinedInteger {
        let any = PartlyDefined::any(self.undefined(other), self.width);
        self.with(PartlyDefined {
            value: number as u64,
            ..any
        })
    }

    /// Creates a flag that is undefined if either operand has undefined bits.
    fn flag(self, other: UndefinedInteger, flag: bool) -> PartlyDefined {
        PartlyDefined {
            value: if flag { u64::MAX } else { 0 },
            undefined: PartlyDefined::any(self.undefined(other), u64::BITS).undefined,
        }
    }

    /// True if a number is out of range for the type.
    fn is_beyond(self, number: i128) -> bool {
        self.with(PartlyDefined::defined(number as u64)).number() != number
    }

    /// Clamps a number to the range of the type.
    fn limited(self, number: i128) -> i128 {
        let (least, count) = match (self.is_signed, 1_i128 << self.width) {
            (true, count) => (-count / 2, count),
            (false, count) => (0, count),
        };
        number.clamp(least, least + count - 1)
    }

    /// Creates a 32-bit count, which is undefined if `self` has undefined bits.
    fn count(self, count: u32) -> UndefinedInteger {
        UndefinedInteger::new(
            PartlyDefined {
                value: count.into(),
                ..PartlyDefined::any(self.part.undefined, u32::BITS)
            },
            u32::BITS,
            false,
        )
    }
}

impl BitAnd for UndefinedInteger {
    type Output = UndefinedInteger;

    fn bitand(self, other: UndefinedInteger) -> UndefinedInteger {
        self.with(self.part & other.part)
    }
}

impl BitOr for UndefinedInteger {
    type Output = UndefinedInteger;

    fn bitor(self, other: UndefinedInteger) -> UndefinedInteger {
        self.with(self.part | other.part)
    }
}

impl BitXor for UndefinedInteger {
    type Output = UndefinedInteger;

    fn bitxor(self, other: UndefinedInteger) -> UndefinedInteger {
        self.with(self.part ^ other.part)
    }
}

impl Not for UndefinedInteger {
    type Output = UndefinedInteger;

    fn not(self) -> UndefinedInteger {
        self.with(!self.part)
    }
}

/// Flags are masks: all ones or zero.
impl Value for UndefinedInteger {
    type Flag = PartlyDefined;
    type Dword = UndefinedInteger;

    fn width(self) -> u32 {
        self.width
    }

    fn is_signed(self) -> bool {
        self.is_signed
    }

    fn constant(self, value: u64) -> UndefinedInteger {
        self.with(PartlyDefined::defined(value))
    }

    fn dword(self) -> UndefinedInteger {
        UndefinedInteger::new(self.part, u32::BITS, false)
    }

    fn of_dword(self, dword: UndefinedInteger) -> UndefinedInteger {
        self.with(dword.part)
    }

    fn select(
        flag: PartlyDefined,
        one: UndefinedInteger,
        other: UndefinedInteger,
    ) -> UndefinedInteger {
        one.with(flag.choose(one.part, other.part))
    }

    fn wrapping_add(self, other: UndefinedInteger) -> UndefinedInteger {
        self.upward(other, self.number() + other.number())
    }

    fn wrapping_sub(self, other: UndefinedInteger) -> UndefinedInteger {
        self.upward(other, self.number() - other.number())
    }

    fn wrapping_mul(self, other: UndefinedInteger) -> UndefinedInteger {
        self.upward(other, self.number().wrapping_mul(other.number()))
    }

    fn mul_high(self, other: UndefinedInteger) -> UndefinedInteger {
        self.all(
            other,
            self.number().wrapping_mul(other.number()) >> self.width,
        )
    }

    fn overflowing_add(self, other: UndefinedInteger) -> (UndefinedInteger, PartlyDefined) {
        let is_beyond = self.is_beyond(self.number() + other.number());
        (self.wrapping_add(other), self.flag(other, is_beyond))
    }

    fn overflowing_sub(self, other: UndefinedInteger) -> (UndefinedInteger, PartlyDefined) {
        let is_beyond = self.is_beyond(self.number() - other.number());
        (self.wrapping_sub(other), self.flag(other, is_beyond))
    }

    fn saturating_add(self, other: UndefinedInteger) -> UndefinedInteger {
        self.all(other, self.limited(self.number() + other.number()))
    }

    fn saturating_sub(self, other: UndefinedInteger) -> UndefinedInteger {
        self.all(other, self.limited(self.number() - other.number()))
    }

    fn shl(self, by: UndefinedInteger) -> UndefinedInteger {
        self.with(self.part.shifted(Shift::Left, by.part, self.width))
    }

    fn shr(self, by: UndefinedInteger) -> UndefinedInteger {
        let how = if self.is_signed {
            Shift::Arithmetic
        } else {
            Shift::Right
        };
        self.with(self.part.shifted(how, by.part, self.width))
    }

    fn reverse_bits(self) -> UndefinedInteger {
        let reversed = |bits: u64| bits.reverse_bits() >> (u64::BITS - self.width);
        self.with(PartlyDefined {
            value: reversed(self.part.value),
            undefined: reversed(self.part.undefined),
        })
    }

    fn count_ones(self) -> UndefinedInteger {
        self.count(self.part.value.count_ones())
    }

    fn leading_zeros(self) -> UndefinedInteger {
        self.count(self.part.value.leading_zeros() + self.width - u64::BITS)
    }

    fn trailing_zeros(self) -> UndefinedInteger {
        self.count(self.part.value.trailing_zeros().min(self.width))
    }

    fn equals(self, other: UndefinedInteger) -> PartlyDefined {
        let defined = !self.undefined(other);
        if (self.part.value ^ other.part.value) & defined & ones(self.width) != 0 {
            return PartlyDefined::default();
        }
        self.flag(other, self.part.value == other.part.value)
    }

    fn less(self, other: UndefinedInteger) -> PartlyDefined {
        self.flag(other, self.number() < other.number())
    }
}
