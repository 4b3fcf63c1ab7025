//! Propagation of undefined bits through ALU operations.

use gcn_isa::effect::{AluOp, body};

use super::integer::UndefinedInteger;
use super::part::PartlyDefined;

/// Evaluates an operation on sources of `width` bits and a carry. Returns `None` for operations that are not tracked
/// bit by bit.
pub(super) fn apply(
    op: AluOp,
    [a, b, c]: [PartlyDefined; 3],
    carry: PartlyDefined,
    width: u32,
    is_signed: bool,
) -> Option<PartlyDefined> {
    Some(match op {
        AluOp::Permute => permuted(a, b, c),
        AluOp::ConvertByte(number) => PartlyDefined::any(a.undefined >> (8 * number) & 0xff, width),
        AluOp::TruncatePair | AluOp::NormalizePair(_) | AluOp::SaturatePair => {
            let halves = [a, b].map(|it| PartlyDefined::any(it.undefined, 16).undefined);
            PartlyDefined {
                value: 0,
                undefined: halves[0] | halves[1] << 16,
            }
        }
        op => {
            let sources = [a, b, c].map(|part| UndefinedInteger::new(part, width, is_signed));
            body::evaluate(op, sources, carry)?.part
        }
    })
}

/// True if [`apply`] supports an operation.
pub(super) fn follows(op: AluOp) -> bool {
    let nothing = PartlyDefined::default();
    apply(op, [nothing; 3], nothing, u32::BITS, false).is_some()
}

/// Evaluates V_PERM_B32, in which each result byte is a byte of {`a`, `b`}, the sign of a half, or a constant.
fn permuted(a: PartlyDefined, b: PartlyDefined, selector: PartlyDefined) -> PartlyDefined {
    const BYTES: u64 = 8;
    if selector.undefined != 0 {
        return PartlyDefined::any(1, 32);
    }
    let both = PartlyDefined {
        value: a.value << 32 | b.value,
        undefined: a.undefined << 32 | b.undefined,
    };
    let mut result = PartlyDefined::default();
    for place in 0..4 {
        let number = selector.value >> (8 * place) & 0xff;
        let byte = match number {
            0..BYTES => both.extracted(8 * number as u32, 8, false),
            // The sign of a 16-bit half.
            8..12 => both.extracted(16 * (number as u32 - 8) + 15, 1, true),
            12 => PartlyDefined::default(),
            _ => PartlyDefined::defined(0xff),
        };
        result.value |= (byte.value & 0xff) << (8 * place);
        result.undefined |= (byte.undefined & 0xff) << (8 * place);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const OPS: &[AluOp] = {
        use gcn_isa::effect::{Bitwise as Bits, Shift as By};
        use AluOp::*;
        &[
            Move, Not, ReverseBits, Bitwise(Bits::AndNot), Bitwise3(Bits::And, Bits::Or), Shift(By::Left), Shift(By::Right), ShiftOr, ShiftAdd, AddShift, ShiftByAdd(1), BitSelect,
            Extract, ExtractPacked, FieldMask, CountOnes, CountZeros, CountOnesAdd, FindLowestOne, FindLowestZero,
            LeadingZeros, LeadingSigns, Add, Sub, AddCarry, SubBorrow, Add3, XorAdd, Mul, MulHigh, MulAdd, Min, Max,
            Min3, Max3, Med3, Abs, AbsDiff, Reversed(&Sub),
        ]
    };

    /// Hashes a counter to a pseudo-random number.
    fn random(n: u64) -> u64 {
        let mixed = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 7
    }

    #[test]
    fn no_bit_that_can_differ_is_called_defined() {
        const WIDTH: u32 = 4;
        const BITS: u64 = 15;
        for (&op, is_signed) in OPS.iter().flat_map(|op| [(op, false), (op, true)]) {
            for n in 0..2000 {
                let word = random(n);
                let part = |at: u32| PartlyDefined {
                    value: word >> at & BITS,
                    undefined: word >> (at + 4) & word >> (at + 8) & BITS,
                };
                let (a, b, c, carry) = (part(0), part(12), part(24), part(36));
                let flag = |bits: u64| if bits & 1 == 0 { 0 } else { u64::MAX };
                let carry = PartlyDefined {
                    value: flag(carry.value),
                    undefined: flag(carry.undefined),
                };
                let found = apply(op, [a, b, c], carry, WIDTH, is_signed).expect("followed");
                let result = |fill: u64| {
                    let filled = |it: PartlyDefined, at: u32| {
                        let fill = if at == 60 {
                            flag(fill >> at)
                        } else {
                            fill >> at
                        };
                        PartlyDefined::defined(it.value & !it.undefined | fill & it.undefined)
                    };
                    let sources = [filled(a, 0), filled(b, 20), filled(c, 40)];
                    let result = apply(op, sources, filled(carry, 60), WIDTH, is_signed);
                    result.expect("followed").value & BITS
                };
                let first = result(0);
                for fill in 0..16 {
                    let differ = (result(random(n ^ fill << 32)) ^ first) & !found.undefined;
                    assert_eq!(differ, 0, "{op:?} {a:?} {b:?} {c:?} {carry:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn defined_values_have_the_results_of_integers() {
        for n in 0..20_000 {
            let numbers = [0, 1, 2].map(|at| random(3 * n + at) as u32 >> (random(n) % 32));
            let sources = numbers.map(|it| PartlyDefined::defined(it.into()));
            let carry = n % 2 == 1;
            let flag = PartlyDefined::defined(if carry { u64::MAX } else { 0 });
            for &op in OPS {
                let result = |is_signed| {
                    let result = apply(op, sources, flag, u32::BITS, is_signed);
                    result.map(|it| (it.undefined, it.value as u32))
                };
                let unsigned = body::evaluate(op, numbers, carry);
                let signed = body::evaluate(op, numbers.map(u32::cast_signed), carry);
                let signed = signed.map(i32::cast_unsigned);
                assert_eq!(
                    result(false),
                    unsigned.map(|it| (0, it)),
                    "{op:?} {numbers:x?}"
                );
                assert_eq!(
                    result(true),
                    signed.map(|it| (0, it)),
                    "{op:?} {numbers:x?}"
                );
            }
        }
    }
}
