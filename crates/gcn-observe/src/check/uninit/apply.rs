//! Results of operations whose sources are values with undefined bits.

use super::part::{PartlyDefined, ones};
use crate::operation::{Bitwise, Operation, Shift};

/// The result of an operation on one lane's sources, or on scalar ones.
pub(super) fn apply(
    operation: Operation,
    [a, b, c]: [PartlyDefined; 3],
    width: u32,
) -> PartlyDefined {
    let sum = |undefined: u64| PartlyDefined {
        value: 0,
        undefined: PartlyDefined::upward(undefined) & ones(width),
    };
    let low = |part: PartlyDefined, bits: u32| part.undefined & ones(bits);
    match operation {
        Operation::Copy => a,
        Operation::Not => a.not(),
        Operation::ReverseBits => {
            let unused = u64::BITS - width;
            PartlyDefined {
                value: a.value.reverse_bits() >> unused,
                undefined: a.undefined.reverse_bits() >> unused,
            }
        }
        Operation::Bitwise(op) => a.bitwise(op, b),
        Operation::Bitwise3(first, second) => a.bitwise(first, b).bitwise(second, c),
        Operation::Shift(how) => a.shifted(how, b, width),
        Operation::ShiftReversed(how) => b.shifted(how, a, width),
        Operation::ShiftOr => a.shifted(Shift::Left, b, width).bitwise(Bitwise::Or, c),
        Operation::ShiftAdd => sum(a.shifted(Shift::Left, b, width).undefined | c.undefined),
        Operation::AddShift => {
            let added = sum(a.undefined | b.undefined);
            added.shifted(Shift::Left, c, width)
        }
        Operation::ShiftByAdd(by) => sum(a.undefined << by | b.undefined),
        Operation::Add
        | Operation::AddCarry
        | Operation::Subtract
        | Operation::SubtractReversed
        | Operation::SubtractBorrow
        | Operation::SubtractBorrowReversed
        | Operation::Multiply
        | Operation::MultiplyAdd
        | Operation::XorAdd => sum(a.undefined | b.undefined | c.undefined),
        Operation::Multiply24 | Operation::MultiplyAdd24 => {
            sum(low(a, 24) | low(b, 24) | c.undefined)
        }
        Operation::Extract(is_signed) => {
            let (from, count) = (low(b, 5), low(c, 5));
            if from | count != 0 {
                return PartlyDefined::any(1, width);
            }
            a.extracted(b.value as u32 & 31, c.value as u32 & 31, is_signed)
        }
        Operation::ExtractPacked(is_signed) => {
            let from = (b.value & u64::from(width - 1)) as u32;
            let count = (b.value >> 16 & 0x7f) as u32;
            if b.undefined & 0x7f_003f != 0 {
                return PartlyDefined::any(1, width);
            }
            a.extracted(from, count.min(width - from), is_signed)
        }
        Operation::SignExtend(count) => a.extracted(0, count, true),
        Operation::BitSelect => a.choose(b, c),
        Operation::Align(unit) => {
            if c.undefined & 31 != 0 {
                return PartlyDefined::any(1, width);
            }
            let by = (c.value as u32 * unit) & 31;
            let both = |high: u64, low: u64| (high << 32 | low) >> by & ones(32);
            PartlyDefined {
                value: both(a.value, b.value),
                undefined: both(a.undefined, b.undefined),
            }
        }
        Operation::Permute => permuted(a, b, c),
        Operation::Byte(number) => PartlyDefined::any(a.undefined >> (8 * number) & 0xff, width),
        Operation::Pair => {
            let halves = [a, b].map(|it| PartlyDefined::any(it.undefined, 16).undefined);
            PartlyDefined {
                value: 0,
                undefined: halves[0] | halves[1] << 16,
            }
        }
        Operation::Pack(first, second) => {
            let half = |bits: u64, is_high: bool| bits >> (16 * u64::from(is_high)) & 0xffff;
            PartlyDefined {
                value: half(a.value, first) | half(b.value, second) << 16,
                undefined: half(a.undefined, first) | half(b.undefined, second) << 16,
            }
        }
        // Those that are not followed bit by bit, and those that are evaluated where their registers are.
        Operation::Other
        | Operation::Reciprocal
        | Operation::DivideFixup
        | Operation::ToInteger(_)
        | Operation::ScaleByPower
        | Operation::Packed
        | Operation::Mixed
        | Operation::Select
        | Operation::SelectScalar
        | Operation::MoveScalar
        | Operation::TestBit
        | Operation::SetBit
        | Operation::Exec(..)
        | Operation::Equal
        | Operation::ReadLane
        | Operation::WriteLane
        | Operation::Swap
        | Operation::SetIndex => PartlyDefined::any(a.undefined | b.undefined | c.undefined, width),
    }
}

/// V_PERM_B32: bytes of two registers, of which the second is the lower, their signs, and constants.
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
            // The signs of halves.
            8..12 => both.extracted(16 * (number as u32 - 8) + 15, 1, true),
            12 => PartlyDefined::default(),
            _ => PartlyDefined::defined(0xff),
        };
        result.value |= (byte.value & 0xff) << (8 * place);
        result.undefined |= (byte.undefined & 0xff) << (8 * place);
    }
    result
}
