//! Values that record the operations applied to them, to lower the generic bodies of integer operations to a graph.

use std::cell::RefCell;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use gcn_isa::effect::{Shift, Value};

use super::graph::{Binary, Graph, Id, Op, Unary};

/// Recorder of operations. Sets a flag if an operation has no short sequence of host instructions.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    graph: RefCell<Graph>,
    is_incomplete: std::cell::Cell<bool>,
}

impl Recorder {
    pub(super) fn add(&self, op: Op) -> Id {
        self.graph.borrow_mut().add(op)
    }

    pub(super) fn binary(&self, binary: Binary, a: Id, b: Id) -> Id {
        self.add(Op::Binary(binary, a, b))
    }

    pub(super) fn constant(&self, value: u32) -> Id {
        self.add(Op::Const(value))
    }

    pub(super) fn op(&self, id: Id) -> Op {
        self.graph.borrow().op(id)
    }

    /// Returns true if an operation since the last call could not be recorded.
    pub(super) fn take_incomplete(&self) -> bool {
        self.is_incomplete.take()
    }

    pub(super) fn into_graph(self) -> Graph {
        self.graph.into_inner()
    }

    fn missing(&self) -> Id {
        self.is_incomplete.set(true);
        self.constant(0)
    }
}

/// Recorded 32-bit or 64-bit integer.
#[derive(Clone, Copy)]
pub(super) struct Recorded<'r> {
    recorder: &'r Recorder,
    /// Dwords, low one first. A 32-bit number holds its dword twice.
    dwords: [Id; 2],
    is_wide: bool,
    is_signed: bool,
}

/// Recorded mask.
#[derive(Clone, Copy)]
pub(super) struct RecordedFlag<'r> {
    recorder: &'r Recorder,
    pub(super) mask: Id,
    /// True if the mask is inverted.
    pub(super) is_inverted: bool,
}

impl<'r> Recorded<'r> {
    pub(super) fn dword(recorder: &'r Recorder, id: Id, is_signed: bool) -> Recorded<'r> {
        Recorded {
            recorder,
            dwords: [id; 2],
            is_wide: false,
            is_signed,
        }
    }

    pub(super) fn wide(recorder: &'r Recorder, dwords: [Id; 2], is_signed: bool) -> Recorded<'r> {
        Recorded {
            recorder,
            dwords,
            is_wide: true,
            is_signed,
        }
    }

    /// Dwords: one for a 32-bit number, two for a 64-bit number.
    pub(super) fn ids(&self) -> &[Id] {
        &self.dwords[..if self.is_wide { 2 } else { 1 }]
    }

    fn low(self) -> Id {
        self.dwords[0]
    }

    fn with(self, id: Id) -> Recorded<'r> {
        Recorded {
            dwords: [id; 2],
            ..self
        }
    }

    fn with_dwords(self, low: Id, high: Id) -> Recorded<'r> {
        Recorded {
            dwords: [low, high],
            ..self
        }
    }

    fn flag(self, mask: Id, is_inverted: bool) -> RecordedFlag<'r> {
        RecordedFlag {
            recorder: self.recorder,
            mask,
            is_inverted,
        }
    }

    /// Mask of the lanes in which a dword is negative.
    fn negative(self, of: Recorded<'r>) -> RecordedFlag<'r> {
        let sign = Op::ShiftBy(Shift::Arithmetic, of.low(), 31);
        self.flag(self.recorder.add(sign), false)
    }

    fn missing(self) -> Recorded<'r> {
        let id = self.recorder.missing();
        self.with_dwords(id, id)
    }

    /// Applies an operation to each dword.
    fn each(self, binary: Binary, other: Recorded<'r>) -> Recorded<'r> {
        let [low, high] = [0, 1].map(|n| {
            self.recorder
                .binary(binary, self.dwords[n], other.dwords[n])
        });
        self.with_dwords(low, high)
    }

    /// Tests two unsigned dwords for `a < b`. Returns a mask, and true if it is inverted.
    fn less_unsigned(self, a: Id, b: Id) -> (Id, bool) {
        (self.recorder.binary(Binary::AtLeast, a, b), true)
    }

    /// Converts a mask to the number 1 or 0.
    fn one_if(self, flag: RecordedFlag<'r>) -> Id {
        let r = self.recorder;
        if flag.is_inverted {
            r.binary(Binary::Add, flag.mask, r.constant(1))
        } else {
            r.add(Op::ShiftBy(Shift::Right, flag.mask, 31))
        }
    }

    /// Shifts a 64-bit number. Dword shifts by 32 and more give zero.
    fn shifted_wide(self, how: Shift, by: Recorded<'r>) -> Recorded<'r> {
        let r = self.recorder;
        let [low, high] = self.dwords;
        let count = r.binary(Binary::And, by.low(), r.constant(63));
        let less = r.binary(Binary::Sub, count, r.constant(32));
        let rest = r.binary(Binary::Sub, r.constant(32), count);
        let any = |a, b, c| {
            let both = r.binary(Binary::Or, a, b);
            r.binary(Binary::Or, both, c)
        };
        match how {
            Shift::Left => self.with_dwords(
                r.binary(Binary::Shl, low, count),
                any(
                    r.binary(Binary::Shl, high, count),
                    r.binary(Binary::Shr, low, rest),
                    r.binary(Binary::Shl, low, less),
                ),
            ),
            Shift::Right => self.with_dwords(
                any(
                    r.binary(Binary::Shr, low, count),
                    r.binary(Binary::Shl, high, rest),
                    r.binary(Binary::Shr, high, less),
                ),
                r.binary(Binary::Shr, high, count),
            ),
            Shift::Arithmetic => {
                // Arithmetic shifts fill with the sign instead of zeros.
                let is_far = r.binary(Binary::Greater, count, r.constant(31));
                let near = r.binary(
                    Binary::Or,
                    r.binary(Binary::Shr, low, count),
                    r.binary(Binary::Shl, high, rest),
                );
                let far = r.binary(Binary::Sar, high, less);
                self.with_dwords(
                    r.add(Op::Select(is_far, far, near)),
                    r.binary(Binary::Sar, high, count),
                )
            }
        }
    }

    /// Shifts a 32-bit number.
    fn shifted(self, binary: Binary, by: Recorded<'r>) -> Recorded<'r> {
        let r = self.recorder;
        let count = r.binary(Binary::And, by.low(), r.constant(31));
        self.with(r.binary(binary, self.low(), count))
    }
}

macro_rules! bitwise {
    ($($Trait:ident, $function:ident, $Binary:ident;)*) => {$(
        impl<'r> $Trait for Recorded<'r> {
            type Output = Recorded<'r>;

            fn $function(self, other: Recorded<'r>) -> Recorded<'r> {
                self.each(Binary::$Binary, other)
            }
        }
    )*};
}

bitwise! {
    BitAnd, bitand, And;
    BitOr, bitor, Or;
    BitXor, bitxor, Xor;
}

impl<'r> Not for Recorded<'r> {
    type Output = Recorded<'r>;

    fn not(self) -> Recorded<'r> {
        let ones = self.recorder.constant(u32::MAX);
        self.each(Binary::Xor, self.with_dwords(ones, ones))
    }
}

impl<'r> RecordedFlag<'r> {
    pub(super) fn new(recorder: &'r Recorder, mask: Id) -> RecordedFlag<'r> {
        RecordedFlag {
            recorder,
            mask,
            is_inverted: false,
        }
    }

    fn with(self, mask: Id, is_inverted: bool) -> RecordedFlag<'r> {
        RecordedFlag {
            mask,
            is_inverted,
            ..self
        }
    }
}

impl<'r> Not for RecordedFlag<'r> {
    type Output = RecordedFlag<'r>;

    fn not(self) -> RecordedFlag<'r> {
        self.with(self.mask, !self.is_inverted)
    }
}

impl<'r> BitAnd for RecordedFlag<'r> {
    type Output = RecordedFlag<'r>;

    fn bitand(self, other: RecordedFlag<'r>) -> RecordedFlag<'r> {
        let (r, a, b) = (self.recorder, self.mask, other.mask);
        match (self.is_inverted, other.is_inverted) {
            (false, false) => self.with(r.binary(Binary::And, a, b), false),
            (true, false) => self.with(r.binary(Binary::AndNot, a, b), false),
            (false, true) => self.with(r.binary(Binary::AndNot, b, a), false),
            (true, true) => self.with(r.binary(Binary::Or, a, b), true),
        }
    }
}

impl<'r> BitOr for RecordedFlag<'r> {
    type Output = RecordedFlag<'r>;

    fn bitor(self, other: RecordedFlag<'r>) -> RecordedFlag<'r> {
        !(!self & !other)
    }
}

impl<'r> BitXor for RecordedFlag<'r> {
    type Output = RecordedFlag<'r>;

    fn bitxor(self, other: RecordedFlag<'r>) -> RecordedFlag<'r> {
        let mask = self.recorder.binary(Binary::Xor, self.mask, other.mask);
        self.with(mask, self.is_inverted != other.is_inverted)
    }
}

impl<'r> Value for Recorded<'r> {
    type Flag = RecordedFlag<'r>;
    type Dword = Recorded<'r>;

    fn width(self) -> u32 {
        if self.is_wide { u64::BITS } else { u32::BITS }
    }

    fn is_signed(self) -> bool {
        self.is_signed
    }

    fn constant(self, value: u64) -> Recorded<'r> {
        let low = self.recorder.constant(value as u32);
        if self.is_wide {
            let high = self.recorder.constant((value >> u32::BITS) as u32);
            return self.with_dwords(low, high);
        }
        self.with(low)
    }

    fn dword(self) -> Recorded<'r> {
        Recorded::dword(self.recorder, self.low(), false)
    }

    fn of_dword(self, dword: Recorded<'r>) -> Recorded<'r> {
        if self.is_wide {
            return self.with_dwords(dword.low(), self.recorder.constant(0));
        }
        self.with(dword.low())
    }

    fn select(flag: RecordedFlag<'r>, one: Recorded<'r>, other: Recorded<'r>) -> Recorded<'r> {
        let (one, other) = if flag.is_inverted {
            (other, one)
        } else {
            (one, other)
        };
        let r = one.recorder;
        let number = |id| match r.op(id) {
            Op::Const(value) => Some(value),
            _ => None,
        };
        match (number(one.low()), number(other.low())) {
            (Some(1), Some(0)) if !one.is_wide => {
                let flag = RecordedFlag {
                    is_inverted: false,
                    ..flag
                };
                return one.with(one.one_if(flag));
            }
            (Some(0), Some(1)) if !one.is_wide => {
                let flag = RecordedFlag {
                    is_inverted: true,
                    ..flag
                };
                return one.with(one.one_if(flag));
            }
            _ => {}
        }
        // Recognize minimum and maximum.
        if let (false, Op::Binary(Binary::Greater, a, b)) = (one.is_wide, r.op(flag.mask)) {
            let pair = (one.low(), other.low());
            if pair == (a, b) {
                return one.with(r.binary(Binary::MaxSigned, a, b));
            } else if pair == (b, a) {
                return one.with(r.binary(Binary::MinSigned, a, b));
            }
        }
        if let (false, Op::Binary(Binary::AtLeast, a, b)) = (one.is_wide, r.op(flag.mask)) {
            let pair = (one.low(), other.low());
            if pair == (a, b) {
                return one.with(r.binary(Binary::MaxUnsigned, a, b));
            } else if pair == (b, a) {
                return one.with(r.binary(Binary::MinUnsigned, a, b));
            }
        }
        let [low, high] =
            [0, 1].map(|n| r.add(Op::Select(flag.mask, one.dwords[n], other.dwords[n])));
        one.with_dwords(low, high)
    }

    fn wrapping_add(self, other: Recorded<'r>) -> Recorded<'r> {
        let r = self.recorder;
        if !self.is_wide {
            return self.each(Binary::Add, other);
        }
        let low = r.binary(Binary::Add, self.low(), other.low());
        let (mask, is_inverted) = self.less_unsigned(low, self.low());
        let carry = self.one_if(self.flag(mask, is_inverted));
        let high = r.binary(Binary::Add, self.dwords[1], other.dwords[1]);
        self.with_dwords(low, r.binary(Binary::Add, high, carry))
    }

    fn wrapping_sub(self, other: Recorded<'r>) -> Recorded<'r> {
        let r = self.recorder;
        if !self.is_wide {
            return self.each(Binary::Sub, other);
        }
        let low = r.binary(Binary::Sub, self.low(), other.low());
        let (mask, is_inverted) = self.less_unsigned(self.low(), other.low());
        let borrow = self.one_if(self.flag(mask, is_inverted));
        let high = r.binary(Binary::Sub, self.dwords[1], other.dwords[1]);
        self.with_dwords(low, r.binary(Binary::Sub, high, borrow))
    }

    fn wrapping_mul(self, other: Recorded<'r>) -> Recorded<'r> {
        if self.is_wide {
            return self.missing();
        }
        self.each(Binary::Mul, other)
    }

    fn mul_high(self, other: Recorded<'r>) -> Recorded<'r> {
        if self.is_wide {
            return self.missing();
        }
        let r = self.recorder;
        let product = if self.is_signed {
            Binary::MulEvenSigned
        } else {
            Binary::MulEven
        };
        let odd = |id| r.add(Op::Unary(Unary::OddToEven, id));
        let even = r.binary(product, self.low(), other.low());
        let odd_product = r.binary(product, odd(self.low()), odd(other.low()));
        self.with(r.binary(Binary::Interleave, odd(even), odd_product))
    }

    fn overflowing_add(self, other: Recorded<'r>) -> (Recorded<'r>, RecordedFlag<'r>) {
        let sum = self.wrapping_add(other);
        if self.is_wide {
            return (self.missing(), self.flag(sum.low(), false));
        } else if self.is_signed {
            // Overflow: the signs of both operands differ from the sign of the sum.
            let lost = (self ^ sum) & (other ^ sum);
            return (sum, self.negative(lost));
        }
        let (mask, is_inverted) = self.less_unsigned(sum.low(), self.low());
        (sum, self.flag(mask, is_inverted))
    }

    fn overflowing_sub(self, other: Recorded<'r>) -> (Recorded<'r>, RecordedFlag<'r>) {
        let difference = self.wrapping_sub(other);
        if self.is_wide {
            return (self.missing(), self.flag(difference.low(), false));
        } else if self.is_signed {
            let lost = (self ^ other) & (self ^ difference);
            return (difference, self.negative(lost));
        }
        (difference, self.less(other))
    }

    fn saturating_add(self, _: Recorded<'r>) -> Recorded<'r> {
        self.missing()
    }

    fn saturating_sub(self, _: Recorded<'r>) -> Recorded<'r> {
        self.missing()
    }

    fn shl(self, by: Recorded<'r>) -> Recorded<'r> {
        if self.is_wide {
            return self.shifted_wide(Shift::Left, by);
        }
        self.shifted(Binary::Shl, by)
    }

    fn shr(self, by: Recorded<'r>) -> Recorded<'r> {
        match (self.is_wide, self.is_signed) {
            (true, true) => self.shifted_wide(Shift::Arithmetic, by),
            (true, false) => self.shifted_wide(Shift::Right, by),
            (false, true) => self.shifted(Binary::Sar, by),
            (false, false) => self.shifted(Binary::Shr, by),
        }
    }

    fn reverse_bits(self) -> Recorded<'r> {
        self.missing()
    }

    fn count_ones(self) -> Recorded<'r> {
        self.missing().dword()
    }

    fn leading_zeros(self) -> Recorded<'r> {
        self.missing().dword()
    }

    fn trailing_zeros(self) -> Recorded<'r> {
        self.missing().dword()
    }

    fn equals(self, other: Recorded<'r>) -> RecordedFlag<'r> {
        let r = self.recorder;
        let low = r.binary(Binary::Equal, self.low(), other.low());
        if !self.is_wide {
            return self.flag(low, false);
        }
        let high = r.binary(Binary::Equal, self.dwords[1], other.dwords[1]);
        self.flag(r.binary(Binary::And, low, high), false)
    }

    fn less(self, other: Recorded<'r>) -> RecordedFlag<'r> {
        let r = self.recorder;
        let dword = |n: usize, is_signed| {
            let (a, b) = (self.dwords[n], other.dwords[n]);
            if is_signed {
                self.flag(r.binary(Binary::Greater, b, a), false)
            } else {
                let (mask, is_inverted) = self.less_unsigned(a, b);
                self.flag(mask, is_inverted)
            }
        };
        if !self.is_wide {
            return dword(0, self.is_signed);
        }
        let same = r.binary(Binary::Equal, self.dwords[1], other.dwords[1]);
        dword(1, self.is_signed) | self.flag(same, false) & dword(0, false)
    }
}
