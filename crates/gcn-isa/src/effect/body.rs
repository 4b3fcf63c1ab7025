//! Bodies of integer operations, generic over [`Value`]: the emulator's lanes and scalar registers, values with
//! undefined bits, and nodes that a compiler records. The value's type determines width and sign.
//!
//! Sources are in the order of the unreversed operation ([`AluOp::in_order`]).

use super::alu::{AluOp, Half, Sad, Shift};
use super::value::{Bits, Value};

impl Shift {
    /// Shifts a value, whose signedness determines the bits shifted in.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::effect::Shift;
    /// assert_eq!(Shift::Left.apply(1_u32, 33), 2);
    /// assert_eq!(Shift::Arithmetic.apply(-4_i64, 1), -2);
    /// ```
    #[inline(always)]
    pub fn apply<V: Value>(self, a: V, by: V::Dword) -> V {
        match self {
            Shift::Left => a.shl(by),
            Shift::Right | Shift::Arithmetic => a.shr(by),
        }
    }
}

/// Bits of `one` where `mask` is one, otherwise of `other`.
#[inline(always)]
pub fn bit_select<V: Bits>(mask: V, one: V, other: V) -> V {
    mask & one | !mask & other
}

/// Low 32 bits of {high, low} shifted right by `units` units of `unit` bits.
#[inline(always)]
pub fn align<V: Value>(unit: u8, high: V, low: V, units: V) -> V {
    let last = units.constant(31);
    let by = units.wrapping_mul(units.constant(unit.into())) & last;
    // 64-bit lanes would halve the number of lanes per host vector.
    let one = high.constant(1).dword();
    high.shl(one).shl((last ^ by).dword()) | low.shr(by.dword())
}

/// Low `width` bits of a value, sign-extended or zero-extended; `width` must be less than the value's width.
#[inline(always)]
fn low_bits<V: Value>(a: V, width: V::Dword) -> V {
    let (zero, all) = (a.constant(0), width.constant(a.width().into()));
    if a.is_signed() {
        let unused = all.wrapping_sub(width);
        let field = a.shl(unused).shr(unused);
        V::select(width.equals(width.constant(0)), zero, field)
    } else {
        a & a.constant(1).shl(width).wrapping_sub(a.constant(1))
    }
}

/// Bit field of `a`; only the low 5 bits of `from` and `width` count.
#[inline(always)]
pub fn extract<V: Value>(a: V, from: V::Dword, width: V::Dword) -> V {
    let last = from.constant(31);
    low_bits(a.shr(from & last), width & last)
}

/// Bit field of `a`: the low bits of `field` hold its offset, bits 22:16 its width.
#[inline(always)]
pub fn extract_packed<V: Value>(a: V, field: V::Dword) -> V {
    let width = field.shr(field.constant(16)) & field.constant(0x7f);
    let rest = a.shr(field);
    let is_part = width.less(width.constant(a.width().into()));
    V::select(is_part, low_bits(rest, width), rest)
}

/// Mask of `width` ones, starting at bit `from`; both are taken modulo the value's width.
#[inline(always)]
pub fn field_mask<V: Value>(width: V, from: V) -> V {
    let one = width.constant(1);
    one.shl(width.dword()).wrapping_sub(one).shl(from.dword())
}

/// Low `width` bits of a signed value, sign-extended.
#[inline(always)]
pub fn sign_extend<V: Value>(a: V, width: u8) -> V {
    let unused = a.dword().constant(u64::from(a.width()) - u64::from(width));
    a.shl(unused).shr(unused)
}

/// Sets bit `number` of `old` to `value`.
#[inline(always)]
pub fn set_bit<V: Value>(value: bool, old: V, number: V::Dword) -> V {
    let bit = old.constant(1).shl(number);
    if value { old | bit } else { old & !bit }
}

/// True if bit `number` of `a` equals `value`.
#[inline(always)]
pub fn test_bit<V: Value>(value: bool, a: V, number: V::Dword) -> V::Flag {
    (a.shr(number) & a.constant(1)).equals(a.constant(value.into()))
}

/// Bit number, or -1 if it equals the width of `a`.
#[inline(always)]
fn index_or_minus_one<V: Value>(a: V, number: V::Dword) -> V::Dword {
    let beyond = number.constant(a.width().into());
    V::Dword::select(number.equals(beyond), number.constant(u64::MAX), number)
}

/// Index of the lowest set bit, or -1 if there is none.
#[inline(always)]
pub fn find_lowest_one<V: Value>(a: V) -> V::Dword {
    index_or_minus_one(a, a.trailing_zeros())
}

/// Number of zeros above the highest set bit, or -1 if no bit is set.
#[inline(always)]
pub fn leading_zeros<V: Value>(a: V) -> V::Dword {
    index_or_minus_one(a, a.leading_zeros())
}

/// Number of leading bits equal to the sign bit, or -1 if all are.
#[inline(always)]
pub fn leading_signs<V: Value>(a: V) -> V::Dword {
    let last = a.dword().constant(u64::from(a.width()) - 1);
    index_or_minus_one(a, (a ^ a.shr(last)).leading_zeros())
}

/// Sum with carry-in, and carry-out.
#[inline(always)]
pub fn add_carry<V: Value>(a: V, b: V, carry: V::Flag) -> (V, V::Flag) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(V::select(carry, a.constant(1), a.constant(0)));
    (sum, first | second)
}

/// Difference with borrow-in, and borrow-out.
#[inline(always)]
pub fn sub_borrow<V: Value>(a: V, b: V, borrow: V::Flag) -> (V, V::Flag) {
    // Host vector instructions have comparisons, but no carry.
    let difference = a.wrapping_sub(b);
    let last = V::select(borrow, a.constant(1), a.constant(0));
    (
        difference.wrapping_sub(last),
        a.less(b) | difference.less(last),
    )
}

/// (a << by) + b, and a flag that is set if the shift or the sum overflows.
#[inline(always)]
pub fn shift_by_add<V: Value>(by: u8, a: V, b: V) -> (V, V::Flag) {
    let (by, all) = (u64::from(by), u64::from(a.width()));
    let (sum, is_beyond) = a.shl(a.dword().constant(by)).overflowing_add(b);
    let lost = a.shr(a.dword().constant(all - by));
    (sum, is_beyond | !lost.equals(a.constant(0)))
}

/// Minimum of two values.
#[inline(always)]
pub fn min<V: Value>(a: V, b: V) -> V {
    V::select(a.less(b), a, b)
}

/// Maximum of two values.
#[inline(always)]
pub fn max<V: Value>(a: V, b: V) -> V {
    V::select(b.less(a), a, b)
}

/// Median of three values.
#[inline(always)]
pub fn median<V: Value>(a: V, b: V, c: V) -> V {
    max(min(a, b), min(max(a, b), c))
}

/// Absolute difference.
#[inline(always)]
pub fn abs_diff<V: Value>(a: V, b: V) -> V {
    V::select(a.less(b), b.wrapping_sub(a), a.wrapping_sub(b))
}

/// Absolute value; the most negative value is unchanged.
#[inline(always)]
pub fn abs<V: Value>(a: V) -> V {
    let zero = a.constant(0);
    V::select(a.less(zero), zero.wrapping_sub(a), a)
}

/// Low 24 bits of a dword, sign-extended or zero-extended.
#[inline(always)]
fn low_24<V: Value>(a: V) -> V {
    let unused = a.dword().constant(8);
    a.shl(unused).shr(unused)
}

/// Product of the low 24 bits.
#[inline(always)]
pub fn mul_24<V: Value>(a: V, b: V) -> V {
    low_24(a).wrapping_mul(low_24(b))
}

/// High dword of the 64-bit product of the low 24 bits.
#[inline(always)]
pub fn mul_high_24<V: Value>(a: V, b: V) -> V {
    low_24(a).mul_high(low_24(b))
}

/// Element `number` of a dword whose elements have `bits` bits.
#[inline(always)]
fn element<V: Value>(a: V, bits: u8, number: u8) -> V {
    let mask = a.constant((1 << bits) - 1);
    a.shr(a.dword().constant(u64::from(bits) * u64::from(number))) & mask
}

/// For each byte, `(a + b + lowest bit of c) >> 1`.
#[inline(always)]
pub fn lerp_bytes<V: Value>(a: V, b: V, c: V) -> V {
    let one = a.constant(1);
    (0..4).fold(a.constant(0), |all, number| {
        let [a, b, c] = [a, b, c].map(|source| element(source, 8, number));
        let sum = a.wrapping_add(b).wrapping_add(c & one).shr(one.dword());
        all | sum.shl(one.dword().constant(8 * u64::from(number)))
    })
}

/// Sum of absolute differences of `a` and a reference.
#[inline(always)]
pub fn sad<V: Value>(sad: Sad, a: V, reference: V) -> V {
    let zero = a.constant(0);
    let sum = |bits, count| {
        (0..count).fold(zero, |sum, number| {
            let [a, b] = [a, reference].map(|source| element(source, bits, number));
            let difference = abs_diff(a, b);
            sum.wrapping_add(if sad == Sad::MaskedBytes {
                V::select(b.equals(zero), zero, difference)
            } else {
                difference
            })
        })
    };
    match sad {
        Sad::Bytes | Sad::MaskedBytes => sum(8, 4),
        Sad::BytesHigh => sum(8, 4).shl(a.dword().constant(16)),
        Sad::Shorts => sum(16, 2),
        Sad::Dword => abs_diff(a, reference),
    }
}

/// A half of `a` as the low half, and a half of `b` as the high half.
#[inline(always)]
pub fn pack<V: Value>(low: Half, high: Half, a: V, b: V) -> V {
    let sixteen = a.dword().constant(16);
    let top = a.constant(0xffff_0000);
    let low = match low {
        Half::Low => a & !top,
        Half::High => a.shr(sixteen),
    };
    low | match high {
        Half::Low => b.shl(sixteen),
        Half::High => b & top,
    }
}

/// Result of an operation on sources of the same width; `carry` is the carry-in or borrow-in. `None` for operations
/// without a body here.
///
/// # Examples
/// ```
/// use gcn_isa::effect::{AluOp, body::evaluate};
/// assert_eq!(evaluate(AluOp::ShiftAdd, [3_u32, 4, 5], false), Some(53));
/// assert_eq!(evaluate(AluOp::Reversed(&AluOp::Sub), [3_u32, 4, 0], false), Some(1));
/// assert_eq!(evaluate(AluOp::Sin, [0_u32; 3], false), None);
/// ```
#[rustfmt::skip]
pub fn evaluate<V: Value>(op: AluOp, [a, b, c]: [V; 3], carry: V::Flag) -> Option<V> {
    use AluOp::*;
    let count = |dword| a.of_dword(dword);
    Some(match op {
        Move | MoveRelative(_)  => a,
        Not                     => !a,
        Bitwise(op)             => op.apply(a, b),
        Bitwise3(first, second) => second.apply(first.apply(a, b), c),
        BitSelect               => bit_select(a, b, c),
        ReverseBits             => a.reverse_bits(),
        Shift(how)              => how.apply(a, b.dword()),
        ShiftOr                 => a.shl(b.dword()) | c,
        ShiftAdd                => a.shl(b.dword()).wrapping_add(c),
        AddShift                => a.wrapping_add(b).shl(c.dword()),
        ShiftByAdd(by)          => shift_by_add(by, a, b).0,
        Align(unit)             => align(unit, a, b, c),
        Extract                 => extract(a, b.dword(), c.dword()),
        ExtractPacked           => extract_packed(a, b.dword()),
        SignExtend(width)       => sign_extend(a, width),
        FieldMask               => field_mask(a, b),
        Pack(low, high)         => pack(low, high, a, b),
        CountOnes               => count(a.count_ones()),
        CountZeros              => count((!a).count_ones()),
        CountOnesAdd            => count(a.count_ones()).wrapping_add(b),
        FindLowestOne           => count(find_lowest_one(a)),
        FindLowestZero          => count(find_lowest_one(!a)),
        LeadingZeros            => count(leading_zeros(a)),
        LeadingSigns            => count(leading_signs(a)),
        Add                     => a.wrapping_add(b),
        Sub                     => a.wrapping_sub(b),
        AddCarry                => add_carry(a, b, carry).0,
        SubBorrow               => sub_borrow(a, b, carry).0,
        Add3                    => a.wrapping_add(b).wrapping_add(c),
        XorAdd                  => (a ^ b).wrapping_add(c),
        Mul                     => a.wrapping_mul(b),
        MulHigh                 => a.mul_high(b),
        MulAdd                  => a.wrapping_mul(b).wrapping_add(c),
        Mul24                   => mul_24(a, b),
        MulHigh24               => mul_high_24(a, b),
        MulAdd24                => mul_24(a, b).wrapping_add(c),
        Min                     => min(a, b),
        Max                     => max(a, b),
        Min3                    => min(min(a, b), c),
        Max3                    => max(max(a, b), c),
        Med3                    => median(a, b, c),
        Abs                     => abs(a),
        AbsDiff                 => abs(a.wrapping_sub(b)),
        Sad(elements)           => sad(elements, a, b).wrapping_add(c),
        LerpBytes               => lerp_bytes(a, b, c),
        Reversed(op)            => return evaluate(*op, [b, a, c], carry),
        // These have no result, or access state, other lanes or the old destination.
        Nop | MoveIf | Select | ReadLane | ReadFirstLane | WriteLane | Swap | SetBit(_) | TestBit(_) | MaskedCount(_)
        | SaveExec(_) | WriteExec(_) | GetPc | GetRegister | SetRegister | ClearExceptions | SetVskip | SetIndex | IndexOn => return None,
        // These access parts of registers, or have sources of different widths.
        WholeQuads | QuadMask | Replicate | Permute | QuadSad | MaskedQuadSad | SaturateBytes | SaturatePair | Dot(_)
        | Packed(..) | Mix(..) | ScreenPartition => return None,
        // Floating point.
        Fma | MulLegacy | MulAddLegacy | MinLegacy | MaxLegacy | MulLit | Trunc | Ceil | Floor | RoundEven | Fract
        | Exp2 | Log2 | Log2Clamped | Rcp | RcpClamped | RcpLegacy | Rsq | RsqClamped | RsqLegacy | Sqrt | Sin | Cos
        | Ldexp | FrexpExponent | FrexpMantissa | DivScale | DivFmas | DivFixup | TrigPreop | CubeFace | CubeS | CubeT
        | CubeMajor | Interpolate(_) | Convert | ConvertFloor | ConvertNear | ConvertOffset | ConvertByte(_) | PutByte
        | Normalize | NormalizePair(_) | TruncatePair => return None,
    })
}
