//! Results of operations whose sources are values with undefined bits.

use gcn_isa::effect::{AluOp, Half, Shift};

use super::part::{PartlyDefined, ones};

/// The result of an operation on one lane's sources, or on scalar ones; `None` if its bits are not followed one by one.
/// `is_signed` if the first source is a signed number.
pub(super) fn apply(
    op: AluOp,
    [a, b, c]: [PartlyDefined; 3],
    width: u32,
    is_signed: bool,
) -> Option<PartlyDefined> {
    let sum = |undefined: u64| PartlyDefined {
        value: 0,
        undefined: PartlyDefined::upward(undefined) & ones(width),
    };
    let low = |part: PartlyDefined, bits: u32| part.undefined & ones(bits);
    let result = match op {
        AluOp::Move | AluOp::MoveRelative(_) => a,
        AluOp::Not => !a,
        AluOp::ReverseBits => {
            let unused = u64::BITS - width;
            PartlyDefined {
                value: a.value.reverse_bits() >> unused,
                undefined: a.undefined.reverse_bits() >> unused,
            }
        }
        AluOp::Bitwise(op) => op.apply(a, b),
        AluOp::Bitwise3(first, second) => second.apply(first.apply(a, b), c),
        AluOp::Shift(how) => a.shifted(how, b, width),
        AluOp::ShiftOr => a.shifted(Shift::Left, b, width) | c,
        AluOp::ShiftAdd => sum(a.shifted(Shift::Left, b, width).undefined | c.undefined),
        AluOp::AddShift => {
            let added = sum(a.undefined | b.undefined);
            added.shifted(Shift::Left, c, width)
        }
        AluOp::ShiftByAdd(by) => sum(a.undefined << by | b.undefined),
        AluOp::Add
        | AluOp::Add3
        | AluOp::AddCarry
        | AluOp::Sub
        | AluOp::SubBorrow
        | AluOp::Mul
        | AluOp::MulAdd
        | AluOp::XorAdd => sum(a.undefined | b.undefined | c.undefined),
        AluOp::Mul24 | AluOp::MulAdd24 => sum(low(a, 24) | low(b, 24) | c.undefined),
        AluOp::Extract => {
            let (from, count) = (low(b, 5), low(c, 5));
            if from | count != 0 {
                return Some(PartlyDefined::any(1, width));
            }
            a.extracted(b.value as u32 & 31, c.value as u32 & 31, is_signed)
        }
        AluOp::ExtractPacked => {
            let from = (b.value & u64::from(width - 1)) as u32;
            let count = (b.value >> 16 & 0x7f) as u32;
            if b.undefined & 0x7f_003f != 0 {
                return Some(PartlyDefined::any(1, width));
            }
            a.extracted(from, count.min(width - from), is_signed)
        }
        AluOp::SignExtend(count) => a.extracted(0, count.into(), true),
        AluOp::BitSelect => a.choose(b, c),
        AluOp::Align(unit) => {
            if c.undefined & 31 != 0 {
                return Some(PartlyDefined::any(1, width));
            }
            let by = (c.value as u32 * u32::from(unit)) & 31;
            let both = |high: u64, low: u64| (high << 32 | low) >> by & ones(32);
            PartlyDefined {
                value: both(a.value, b.value),
                undefined: both(a.undefined, b.undefined),
            }
        }
        AluOp::Permute => permuted(a, b, c),
        AluOp::ConvertByte(number) => PartlyDefined::any(a.undefined >> (8 * number) & 0xff, width),
        AluOp::TruncatePair | AluOp::NormalizePair(_) | AluOp::SaturatePair => {
            let halves = [a, b].map(|it| PartlyDefined::any(it.undefined, 16).undefined);
            PartlyDefined {
                value: 0,
                undefined: halves[0] | halves[1] << 16,
            }
        }
        AluOp::Pack(first, second) => {
            let half = |bits: u64, half| match half {
                Half::Low => bits & 0xffff,
                Half::High => bits >> 16 & 0xffff,
            };
            PartlyDefined {
                value: half(a.value, first) | half(b.value, second) << 16,
                undefined: half(a.undefined, first) | half(b.undefined, second) << 16,
            }
        }
        AluOp::Reversed(op) => return apply(*op, [b, a, c], width, is_signed),
        // Not followed bit by bit, or evaluated where the registers are.
        #[rustfmt::skip]
        AluOp::Nop | AluOp::MoveIf | AluOp::Select | AluOp::ReadLane | AluOp::ReadFirstLane | AluOp::WriteLane
        | AluOp::Swap | AluOp::FieldMask | AluOp::SetBit(_) | AluOp::TestBit(_) | AluOp::CountZeros
        | AluOp::CountOnes | AluOp::CountOnesAdd | AluOp::MaskedCount(_) | AluOp::FindLowestZero
        | AluOp::FindLowestOne | AluOp::LeadingZeros | AluOp::LeadingSigns | AluOp::WholeQuads
        | AluOp::QuadMask | AluOp::Replicate | AluOp::Fma | AluOp::Min | AluOp::Max | AluOp::Min3
        | AluOp::Max3 | AluOp::Med3 | AluOp::MulHigh | AluOp::MulHigh24 | AluOp::Abs | AluOp::AbsDiff
        | AluOp::Sad(_) | AluOp::QuadSad | AluOp::MaskedQuadSad | AluOp::LerpBytes | AluOp::SaturateBytes
        | AluOp::Dot(_) | AluOp::MulLegacy | AluOp::MulAddLegacy | AluOp::MinLegacy | AluOp::MaxLegacy
        | AluOp::MulLit | AluOp::Trunc | AluOp::Ceil | AluOp::Floor | AluOp::RoundEven | AluOp::Fract
        | AluOp::Exp2 | AluOp::Log2 | AluOp::Log2Clamped | AluOp::Rcp | AluOp::RcpClamped | AluOp::RcpLegacy
        | AluOp::Rsq | AluOp::RsqClamped | AluOp::RsqLegacy | AluOp::Sqrt | AluOp::Sin | AluOp::Cos
        | AluOp::Ldexp | AluOp::FrexpExponent | AluOp::FrexpMantissa | AluOp::DivScale | AluOp::DivFmas
        | AluOp::DivFixup | AluOp::TrigPreop | AluOp::CubeFace | AluOp::CubeS | AluOp::CubeT
        | AluOp::CubeMajor | AluOp::Interpolate(_) | AluOp::Convert | AluOp::ConvertFloor | AluOp::ConvertNear
        | AluOp::ConvertOffset | AluOp::PutByte | AluOp::Normalize | AluOp::Packed(..) | AluOp::Mix(..)
        | AluOp::SaveExec(_) | AluOp::WriteExec(_) | AluOp::GetPc | AluOp::GetRegister | AluOp::SetRegister
        | AluOp::ClearExceptions | AluOp::SetVskip | AluOp::SetIndex | AluOp::IndexOn | AluOp::ScreenPartition => return None,
    };
    Some(result)
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
