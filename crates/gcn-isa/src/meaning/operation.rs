//! Pseudo-code of each operation.

use crate::chapters::sop::{Sop1, Sopk};
use crate::chapters::vintrp::Vop3Interp;
use crate::chapters::vop::Vop1;
use crate::effect::{AluOp, Bitwise, Half, Interpolation, Relative, Sad, Shift, Signedness};
use crate::field::Field;
use crate::op::Op;
use crate::operand::{Kind, Ty};
use crate::row::{AluTypes, Row};

use super::template::{Template, exact, words};

const COUNT_4: &str = "The shift's count is 4 bits of the source: 16 shifts by 0.";
const COUNT_5: &str = "The shift's count is 5 bits of the source: 32 shifts by 0.";
const COUNT_6: &str = "The shift's count is 6 bits of the source: 64 shifts by 0.";
const ONES_5: &str = "Both counts are 5 bits: 32 ones cannot be made.";
const ONES_6: &str = "Both counts are 6 bits: 64 ones cannot be made.";
const LANE: &str = "The lane's number is 6 bits of the source. EXEC does not count.";
const ORDER: &str = "A NaN gives the other source; -0 is less than +0. With IEEE mode a signalling NaN comes out quiet.";
const ORDER3: &str =
    "A NaN is left out; -0 is less than +0. With IEEE mode a signalling NaN comes out quiet.";
const PACKED_U8: &str = "Rounded as MODE says and clamped to 0 to 255; NaN gives 0 (errata E192).";
const UNFUSED: &str =
    "Rounded twice, as a product and as a sum; denormals are flushed whatever MODE says.";
const FUSED: &str = "Rounded once.";
const LEGACY: &str =
    "0 times anything is 0, infinity and NaN included. Rounded twice; denormals are flushed.";
const NORMALISED: &str = "Clamped to -1 to 1; rounded to nearest even; NaN gives 0 (errata E192).";
const NORMALISED_U: &str = "Clamped to 0 to 1; rounded to nearest even; NaN gives 0 (errata E192).";
const BEYOND_SCALAR: &str = "Beyond the wave's registers nothing is written (checklist 1.6).";
const BEYOND: &str = "A source beyond the wave's registers is v0; with a destination beyond them nothing is written (checklist 1.6).";
const WHOLE: &str = "Rounded towards zero and clamped to the type's range; NaN gives 0.";
const BY_MODE: &str = "Rounded as MODE says.";
const EVERY: &str = "Every value is exact.";
const PARTS: &str = "Infinities and NaN come back as they are.";
const TABLE: &str =
    "An approximation of 1 unit in the last place; denormals are flushed (errata E199).";
const TABLE_F16: &str = "An approximation of 0.51 units in the last place (errata E199).";
const TABLE_F64: &str = "An approximation of 2^29 units in the last place (errata E199).";
const NEGATIVE: &str = "A negative number gives NaN. An approximation of 1 unit in the last place; denormals are flushed (errata E199).";
const FINITE: &str = "An infinite result becomes the largest number of its sign.";
const NO_INFINITY: &str = "An infinite result becomes 0.";
const TURNS: &str = "The angle is in turns. Beyond 256 turns it counts as 0 before GCN 1.4 (errata E242); infinity gives NaN.";
const CARRY: &str =
    "SDST has a bit for each lane, VCC in the short encoding; it is the carry with clamp, too.";
const BORROW: &str =
    "SDST has a bit for each lane, VCC in the short encoding; it is the borrow with clamp, too.";
const WIDE: &str = "The exact product has 48 bits.";
const LOW: &str = "The low 32 bits, which signs do not change.";
const CUBE: &str = "The major axis is the one with the greatest magnitude; of equal ones it is Z before Y before X.";
const SUM: &str = "The sum of the absolute differences of four bytes.";
const QUAD: &str = "Each is of SRC1 and the four bytes of SRC0 that begin at byte i; the sums of 16 bits wrap, with clamp they saturate.";
const LANES_16: &str =
    "OP_SEL and OP_SEL_HI choose the halves of the sources; SRC0 to SRC2 are those halves.";
const SHIFT_16: &str = "The count is 4 bits of its half.";
const MIXED: &str =
    "With a bit of OP_SEL_HI set, a source is a half that OP_SEL chooses, else single precision.";
const DOT: &str = "The products are exact.";
const OVERFLOW: &str = "SCC is the signed overflow.";
const FIRST: &str = "SCC says that the first source is the result; it is 0 if both are equal.";
const NO_LANE: &str = "SCC is 1 if a lane is left active.";
const NONE_FOUND: &str = "If there is none, it is -1.";
const ZEROS_ABOVE: &str = "The zeros above the highest one; without a one it is -1.";
const LIKE_SIGN: &str = "The bits that are like the sign, the sign included; if all are, it is -1.";

/// Remark on an instruction that shares its operation with another instruction.
#[rustfmt::skip]
#[expect(clippy::wildcard_enum_match_arm, reason = "most operations say all")]
pub(super) fn remark(op: Op) -> Option<&'static str> {
    match op {
        Op::Sop1(Sop1::S_MOV_REGRD_B32) | Op::Sopk(Sopk::S_GETREG_REGRD_B32) => Some("No manual has more than its name (errata E205)."),
        Op::Sop1(Sop1::S_MOV_FED_B32) | Op::Vop1(Vop1::V_MOV_FED_B32) => Some("Made to test the detection of errors in hardware (errata E205)."),
        Op::Vop1(Vop1::V_RCP_IFLAG_F32) => Some("As V_RCP_F32, but a division by 0 raises the integer exception. Denormals are \
            flushed."),
        Op::Sopk(Sopk::S_MULK_I32) => Some("SCC stays."),
        Op::Vop3Interp(Vop3Interp::V_INTERP_P2_LEGACY_F16) => Some("The high half becomes 0."),
        Op::Vop3Interp(Vop3Interp::V_INTERP_P2_F16) => Some("The high half stays."),
        _ => None,
    }
}

/// Pseudo-code of an operation on values of `bits` bits, without swapped sources.
#[rustfmt::skip]
pub(super) fn template(op: AluOp, row: &Row, bits: u32) -> Template {
    use Ty::{F16, F32, F64, I16, I32, I64, U16, U32, U64};
    let AluTypes { is_scalar, result, source, carries, is_sopk, .. } = row.alu_types();
    let has = |field| row.slots().any(|slot| slot.field == field);
    let is_float = result.is_float();
    let count = match bits { 16 => COUNT_4, 32 => COUNT_5, _ => COUNT_6 };
    match op {
        AluOp::Nop             => words("nothing"),
        AluOp::Move            => exact("$d = $a"),
        AluOp::MoveIf          => exact("if scc: $d = $a"),
        AluOp::MoveRelative(Relative::Source) => words("$d = $f[$a's number + m0]").but(if is_scalar { BEYOND_SCALAR } else { BEYOND }),
        AluOp::MoveRelative(Relative::Destination) => words("$f[$d's number + m0] = $a").but(if is_scalar { BEYOND_SCALAR } else { BEYOND }),
        AluOp::MoveRelative(Relative::Both) => words("$f[$d's number + m0] = $f[$a's number + m0]").but(BEYOND),
        AluOp::Select if is_scalar => exact("$d = scc ? $a : $b"),
        AluOp::Select          => words("$d = $m[lane] ? $a : $b").but("SRC2 is VCC in the short encoding. The sources accept \
            sign modifiers, as floats do, and are otherwise unchanged."),
        AluOp::ReadLane        => words("$d = $a of lane $b").but(LANE),
        AluOp::ReadFirstLane   => words("$d = $a of the lowest active lane").but("Without an active lane it is lane 0's. VDST is scalar."),
        AluOp::WriteLane       => words("$d of lane $b = $a").but(LANE),
        AluOp::Swap            => words("$d, $a = $a, $d").but("Both registers are written, in the active lanes."),
        AluOp::Pack(..) if !is_scalar => words("$d[15:0] = $a; $d[31:16] = $b"),
        AluOp::Pack(Half::Low, Half::Low)  => exact("$d[15:0] = $a[15:0]; $d[31:16] = $b[15:0]"),
        AluOp::Pack(Half::Low, Half::High) => exact("$d[15:0] = $a[15:0]; $d[31:16] = $b[31:16]"),
        AluOp::Pack(Half::High, _)         => exact("$d[15:0] = $a[31:16]; $d[31:16] = $b[31:16]"),

        AluOp::Bitwise(op) => exact(match op {
            Bitwise::And    => "$d = $a & $b",
            Bitwise::Or     => "$d = $a | $b",
            Bitwise::Xor    => "$d = $a ^ $b",
            Bitwise::AndNot => "$d = $a & ~$b",
            Bitwise::OrNot  => "$d = $a | ~$b",
            Bitwise::NotAnd => "$d = ~$a & $b",
            Bitwise::NotOr  => "$d = ~$a | $b",
            Bitwise::Nand   => "$d = ~($a & $b)",
            Bitwise::Nor    => "$d = ~($a | $b)",
            Bitwise::Xnor   => "$d = ~($a ^ $b)",
        }),
        AluOp::SaveExec(op) => exact(match op {
            Bitwise::And    => "$d = exec; exec = $a & exec; scc = exec != 0",
            Bitwise::Or     => "$d = exec; exec = $a | exec; scc = exec != 0",
            Bitwise::Xor    => "$d = exec; exec = $a ^ exec; scc = exec != 0",
            Bitwise::AndNot => "$d = exec; exec = $a & ~exec; scc = exec != 0",
            Bitwise::OrNot  => "$d = exec; exec = $a | ~exec; scc = exec != 0",
            Bitwise::NotAnd => "$d = exec; exec = ~$a & exec; scc = exec != 0",
            Bitwise::NotOr  => "$d = exec; exec = ~$a | exec; scc = exec != 0",
            Bitwise::Nand   => "$d = exec; exec = ~($a & exec); scc = exec != 0",
            Bitwise::Nor    => "$d = exec; exec = ~($a | exec); scc = exec != 0",
            Bitwise::Xnor   => "$d = exec; exec = ~($a ^ exec); scc = exec != 0",
        }).but(NO_LANE),
        AluOp::WriteExec(Bitwise::NotAnd) => exact("exec = ~$a & exec; $d = exec; scc = exec != 0").but(NO_LANE),
        AluOp::WriteExec(_)    => exact("exec = $a & ~exec; $d = exec; scc = exec != 0").but(NO_LANE),
        AluOp::Bitwise3(Bitwise::And, _) => exact("$d = ($a & $b) | $c"),
        AluOp::Bitwise3(..)    => exact("$d = $a | $b | $c"),
        AluOp::Not             => exact("$d = ~$a"),
        AluOp::ReverseBits     => words("$d[i] = $a[$t - i], for each bit i"),
        AluOp::Shift(Shift::Left) => exact("$d = $a << $b[$n:0]").but(count),
        AluOp::Shift(_)        => exact("$d = $a >> $b[$n:0]").but(count),
        AluOp::ShiftOr         => exact("$d = ($a << $b[4:0]) | $c").but(COUNT_5),
        AluOp::Align(1)        => exact("$d = (($a << 32) | $b) >> $c[4:0]"),
        AluOp::Align(_)        => exact("$d = (($a << 32) | $b) >> (8 * $c[1:0])"),
        AluOp::BitSelect       => exact("$d = ($a & $b) | (~$a & $c)"),
        AluOp::Extract if result == I32 => exact("$d = sext($a >> $b[4:0], $c[4:0])").but("Both counts are 5 bits; no bits give 0."),
        AluOp::Extract         => exact("$d = ($a >> $b[4:0]) & ((1 << $c[4:0]) - 1)").but("Both counts are 5 bits; no bits give 0."),
        AluOp::ExtractPacked if matches!(result, I32 | I64) => exact("$d = sext($a >> $b[$n:0], $b[22:16])").but("No bits give 0; the highest bit taken is the sign; bits beyond the highest are the sign."),
        AluOp::ExtractPacked   => exact("$d = ($a >> $b[$n:0]) & ((1 << $b[22:16]) - 1)").but("No bits give 0; bits beyond the highest are 0."),
        AluOp::FieldMask       => exact("$d = ((1 << $a[$n:0]) - 1) << $b[$n:0]").but(if bits == 64 { ONES_6 } else { ONES_5 }),
        AluOp::SignExtend(8)   => exact("$d = sext($a, 8)"),
        AluOp::SignExtend(_)   => exact("$d = sext($a, 16)"),
        AluOp::SetBit(false)   => exact("$d = $d & ~(1 << $a[$n:0])"),
        AluOp::SetBit(true)    => exact("$d = $d | (1 << $a[$n:0])"),
        AluOp::TestBit(false)  => exact("scc = $a[$b[$n:0]] == 0"),
        AluOp::TestBit(true)   => exact("scc = $a[$b[$n:0]] == 1"),
        AluOp::CountZeros      => exact("$d = $w - ones($a)"),
        AluOp::CountOnes       => exact("$d = ones($a)"),
        AluOp::CountOnesAdd    => exact("$d = ones($a) + $b"),
        AluOp::MaskedCount(Half::Low)  => exact("$d = ones($a & ((1 << min(lane, 32)) - 1)) + $b").but("The bits of lanes below, of lanes 0 to 31."),
        AluOp::MaskedCount(Half::High) => exact("$d = ones($a & ((1 << max(lane - 32, 0)) - 1)) + $b").but("The bits of lanes below, of lanes 32 to 63."),
        AluOp::FindLowestZero  => exact("$d = $a == $o ? -1 : lowest(~$a)").but(NONE_FOUND),
        AluOp::FindLowestOne   => exact("$d = $a == 0 ? -1 : lowest($a)").but(NONE_FOUND),
        AluOp::LeadingZeros    => exact("$d = $a == 0 ? -1 : $t - highest($a)").but(ZEROS_ABOVE),
        AluOp::LeadingSigns    => exact("other = $a < 0 ? ~$a : $a; $d = other == 0 ? -1 : $t - highest(other)").but(LIKE_SIGN),
        AluOp::WholeQuads      => words("$d[i] = $a[4*(i/4) + 3 : 4*(i/4)] != 0, for each bit i").but("A group of four bits becomes ones if it has one."),
        AluOp::QuadMask        => words("$d[i] = $a[4*i + 3 : 4*i] != 0, for each group i of four bits").but("The bits above are 0."),
        AluOp::Replicate       => words("$d[2*i] = $a[i]; $d[2*i + 1] = $a[i], for each bit i of $a"),
        AluOp::Permute         => words("each byte of $d = the byte of {$a, $b} that the byte of $c at its place names").but("0 to 3 are bytes of SRC1, 4 to 7 of SRC0; 8 to 11 repeat the sign of a 16-bit part; 12 is 0, 13 and above 0xff."),

        AluOp::Add if is_float => words("$d = $a + $b"),
        AluOp::Add if carries && !is_scalar => exact("$d = $a + $b; sdst[lane] = $a + $b > 0xffffffff").but(CARRY),
        AluOp::Add if is_sopk  => exact("sum = $a + $b; $d = sum; scc = $d != sum").but(OVERFLOW),
        AluOp::Add if is_scalar && result == I32 => exact("$d = $a + $b; scc = $d != $a + $b").but(OVERFLOW),
        AluOp::Add if is_scalar => exact("$d = $a + $b; scc = $a + $b > 0xffffffff").but("SCC is the carry."),
        AluOp::Add             => exact("$d = $a + $b"),
        AluOp::Sub if is_float => words("$d = $a - $b"),
        AluOp::Sub if carries && !is_scalar => exact("$d = $a - $b; sdst[lane] = $a < $b").but(BORROW),
        AluOp::Sub if is_scalar && result == I32 => exact("$d = $a - $b; scc = $d != $a - $b").but(OVERFLOW),
        AluOp::Sub if is_scalar => exact("$d = $a - $b; scc = $a < $b").but("SCC is the borrow."),
        AluOp::Sub             => exact("$d = $a - $b"),
        AluOp::AddCarry if is_scalar => exact("$d = $a + $b + scc; scc = $a + $b + scc > 0xffffffff").but("SCC is the carry, in and out."),
        AluOp::AddCarry        => exact("$d = $a + $b + $m[lane]; sdst[lane] = $a + $b + $m[lane] > 0xffffffff").but(CARRY),
        AluOp::SubBorrow if is_scalar => exact("$d = $a - $b - scc; scc = $a < $b + scc").but("SCC is the borrow, in and out."),
        AluOp::SubBorrow       => exact("$d = $a - $b - $m[lane]; sdst[lane] = $a < $b + $m[lane]").but(BORROW),
        AluOp::Mul if is_float => words("$d = $a * $b"),
        AluOp::Mul if bits < 32 => exact("$d = $a * $b"),
        AluOp::Mul             => exact("$d = $a * $b").but(LOW),
        AluOp::MulHigh         => exact("$d = ($a * $b) >> 32"),
        AluOp::Mul24 if result == I32 => exact("$d = sext($a, 24) * sext($b, 24)").but(WIDE),
        AluOp::Mul24           => exact("$d = $a[23:0] * $b[23:0]").but(WIDE),
        AluOp::MulHigh24 if result == I32 => exact("$d = (sext($a, 24) * sext($b, 24)) >> 32").but(WIDE),
        AluOp::MulHigh24       => exact("$d = ($a[23:0] * $b[23:0]) >> 32").but(WIDE),
        AluOp::MulAdd if is_float => words("$d = $a * $b + $c").but(UNFUSED),
        AluOp::MulAdd if result == U64 => exact("$d = $a * $b + $c; sdst[lane] = $a * $b + $c > 0xffffffffffffffff").but("SDST has a bit for each lane: the carry."),
        AluOp::MulAdd if result == I64 => exact("$d = $a * $b + $c; sdst[lane] = $a * $b + $c < 0").but("SDST has a bit for each lane: bit 64 of the exact sum (errata E302)."),
        AluOp::MulAdd          => exact("$d = $a * $b + $c"),
        AluOp::MulAdd24 if result == I32 => exact("$d = sext($a, 24) * sext($b, 24) + $c"),
        AluOp::MulAdd24        => exact("$d = $a[23:0] * $b[23:0] + $c"),
        AluOp::Fma             => words("$d = $a * $b + $c").but(FUSED),
        AluOp::Min if is_float => words("$d = min($a, $b)").but(ORDER),
        AluOp::Max if is_float => words("$d = max($a, $b)").but(ORDER),
        AluOp::Min if is_scalar => exact("$d = min($a, $b); scc = $a < $b").but(FIRST),
        AluOp::Max if is_scalar => exact("$d = max($a, $b); scc = $a > $b").but(FIRST),
        AluOp::Min             => exact("$d = min($a, $b)"),
        AluOp::Max             => exact("$d = max($a, $b)"),
        AluOp::Min3 if is_float => words("$d = min($a, $b, $c)").but(ORDER3),
        AluOp::Max3 if is_float => words("$d = max($a, $b, $c)").but(ORDER3),
        AluOp::Med3 if is_float => words("$d = median($a, $b, $c)").but("With a NaN it is the least of the others."),
        AluOp::Min3            => exact("$d = min($a, min($b, $c))"),
        AluOp::Max3            => exact("$d = max($a, max($b, $c))"),
        AluOp::Med3            => exact("$d = max(min($a, $b), min(max($a, $b), $c))").but("The one in the middle."),
        AluOp::Add3            => exact("$d = $a + $b + $c"),
        AluOp::XorAdd          => exact("$d = ($a ^ $b) + $c"),
        AluOp::ShiftAdd        => exact("$d = ($a << $b[4:0]) + $c").but(COUNT_5),
        AluOp::ShiftByAdd(1)   => exact("$d = ($a << 1) + $b; scc = ($a << 1) + $b > 0xffffffff"),
        AluOp::ShiftByAdd(2)   => exact("$d = ($a << 2) + $b; scc = ($a << 2) + $b > 0xffffffff"),
        AluOp::ShiftByAdd(3)   => exact("$d = ($a << 3) + $b; scc = ($a << 3) + $b > 0xffffffff"),
        AluOp::ShiftByAdd(_)   => exact("$d = ($a << 4) + $b; scc = ($a << 4) + $b > 0xffffffff"),
        AluOp::AddShift        => exact("$d = ($a + $b) << $c[4:0]").but(COUNT_5),
        AluOp::Abs             => exact("$d = abs($a)").but("The least number is unchanged."),
        AluOp::AbsDiff         => exact("$d = abs(i32($a - $b))").but("The difference wraps before its sign is dropped; of the least number the sign stays."),
        AluOp::Sad(Sad::Bytes) => exact("$d = abs($a[7:0] - $b[7:0]) + abs($a[15:8] - $b[15:8]) + abs($a[23:16] - $b[23:16]) + abs($a[31:24] - $b[31:24]) + $c").but(SUM),
        AluOp::Sad(Sad::BytesHigh) => exact("$d = ((abs($a[7:0] - $b[7:0]) + abs($a[15:8] - $b[15:8]) + abs($a[23:16] - $b[23:16]) + abs($a[31:24] - $b[31:24])) << 16) + $c").but(SUM),
        AluOp::Sad(Sad::Shorts) => exact("$d = abs($a[15:0] - $b[15:0]) + abs($a[31:16] - $b[31:16]) + $c"),
        AluOp::Sad(Sad::Dword) => exact("$d = abs($a - $b) + $c"),
        AluOp::Sad(Sad::MaskedBytes) => words("$d = sum of |$a's byte - $b's byte| over the four bytes + $c").but("Bytes of SRC1 that are 0 are left out."),
        AluOp::QuadSad         => words("16 bits number i of $d = sum of four absolute differences + 16 bits number i of $c, for i = 0 to 3").but(QUAD),
        AluOp::MaskedQuadSad if result == Ty::B64 => words("16 bits number i of $d = sum of four absolute differences, without bytes of $b that are 0, + 16 bits number i of $c, for i = 0 to 3").but(QUAD),
        AluOp::MaskedQuadSad   => words("dword i of $d = sum of four absolute differences, without bytes of $b that are 0, + dword i of $c, for i = 0 to 3").but("Each is of SRC1 and the four bytes of SRC0 that begin at byte i."),
        AluOp::LerpBytes       => words("each byte of $d = ($a + $b + ($c & 1)) >> 1, of the bytes of the sources at its place"),
        AluOp::SaturateBytes   => exact("$d = 0; $d[7:0] = max(0, min(255, sext($a, 16))); $d[15:8] = max(0, min(255, sext($a >> 16, 16)))"),
        AluOp::SaturatePair if source == U32 => exact("$d[15:0] = min($a, 0xffff); $d[31:16] = min($b, 0xffff)"),
        AluOp::SaturatePair    => exact("$d[15:0] = max(-0x8000, min(0x7fff, $a)); $d[31:16] = max(-0x8000, min(0x7fff, $b))"),
        AluOp::Dot(2) if result == F32 => words("$d = $a[15:0] * $b[15:0] + $a[31:16] * $b[31:16] + $c").but("Each addition rounds to nearest even, the low product's first; denormals are flushed whatever MODE says (errata E196)."),
        AluOp::Dot(2) if result == I32 => exact("$d = sext($a, 16) * sext($b, 16) + sext($a >> 16, 16) * sext($b >> 16, 16) + $c").but(DOT),
        AluOp::Dot(2)          => exact("$d = $a[15:0] * $b[15:0] + $a[31:16] * $b[31:16] + $c").but(DOT),
        AluOp::Dot(4) if result == I32 => exact("$d = sext($a, 8) * sext($b, 8) + sext($a >> 8, 8) * sext($b >> 8, 8) + sext($a >> 16, 8) * sext($b >> 16, 8) + sext($a >> 24, 8) * sext($b >> 24, 8) + $c").but(DOT),
        AluOp::Dot(4)          => exact("$d = $a[7:0] * $b[7:0] + $a[15:8] * $b[15:8] + $a[23:16] * $b[23:16] + $a[31:24] * $b[31:24] + $c").but(DOT),
        AluOp::Dot(_) if result == I32 => words("$d = sum of the products of the eight parts of 4 bits with sign of $a and $b, + $c").but(DOT),
        AluOp::Dot(_)          => words("$d = sum of the products of the eight parts of 4 bits of $a and $b, + $c").but(DOT),

        AluOp::MulLegacy       => words("$d = $a * $b").but("0 times anything is 0, infinity and NaN included."),
        AluOp::MulAddLegacy    => words("$d = $a * $b + $c").but(LEGACY),
        AluOp::MinLegacy       => words("$d = $a < $b ? $a : $b").but("With a NaN, or if both are equal, it is SRC1."),
        AluOp::MaxLegacy       => words("$d = $a >= $b ? $a : $b").but("With a NaN it is SRC1."),
        AluOp::MulLit          => words("$d = $b or $c is dark ? -MAX : $a * $b").but("SRC1 is if it is -MAX, -infinity or NaN, SRC2 if it is not above 0 or is NaN; 0 times anything is 0 (errata E197)."),
        AluOp::Trunc           => words("$d = the whole number between $a and 0 that is nearest to $a").but(PARTS),
        AluOp::Ceil            => words("$d = the least whole number >= $a").but(PARTS),
        AluOp::RoundEven       => words("$d = the whole number nearest to $a, the even one of two").but(PARTS),
        AluOp::Floor           => words("$d = the greatest whole number <= $a").but(PARTS),
        AluOp::Fract           => words("$d = $a - floor($a)").but("Always below 1: a result that would round to 1 is the \
            greatest number below 1. Infinity gives NaN."),
        AluOp::Exp2            => words("$d = 2 ^ $a").but(if result == F16 { TABLE_F16 } else { TABLE }),
        AluOp::Log2            => words("$d = log2($a)").but(if result == F16 { TABLE_F16 } else { NEGATIVE }),
        AluOp::Log2Clamped     => words("$d = log2($a)").but("0 gives the least finite number (errata E306)."),
        AluOp::Rcp             => words("$d = 1 / $a").but(accuracy(result, TABLE)),
        AluOp::RcpClamped      => words("$d = 1 / $a").but(FINITE),
        AluOp::RcpLegacy       => words("$d = 1 / $a").but(NO_INFINITY),
        AluOp::Rsq             => words("$d = 1 / sqrt($a)").but(accuracy(result, NEGATIVE)),
        AluOp::RsqClamped      => words("$d = 1 / sqrt($a)").but(FINITE),
        AluOp::RsqLegacy       => words("$d = 1 / sqrt($a)").but(NO_INFINITY),
        AluOp::Sqrt            => words("$d = sqrt($a)").but(accuracy(result, NEGATIVE)),
        AluOp::Sin             => words("$d = sin(2*pi * $a)").but(TURNS),
        AluOp::Cos             => words("$d = cos(2*pi * $a)").but(TURNS),
        AluOp::Ldexp           => words("$d = $a * 2^$b").but("SRC1 is an integer. Rounded once."),
        AluOp::FrexpExponent   => words("$d = e, where $a = m * 2^e and 0.5 <= |m| < 1").but("0, infinities and NaN give 0, the last two -1 on GCN 1.0 (errata E303)."),
        AluOp::FrexpMantissa   => words("$d = m, where $a = m * 2^e and 0.5 <= |m| < 1").but("0, infinities and NaN come back as they are, but on GCN 1.0 the last two as NaN (errata E303)."),
        AluOp::DivScale if result == F32 => words("$d = $a, which is $b or $c, scaled by 2^64 or 2^-64 where $c / $b needs it; sdst[lane] = V_DIV_FMAS has to scale back").but("A zero as SRC1 or SRC2 gives NaN (errata E194)."),
        AluOp::DivScale        => words("$d = $a, which is $b or $c, scaled by 2^128 or 2^-128 where $c / $b needs it; sdst[lane] = V_DIV_FMAS has to scale back").but("A zero as SRC1 or SRC2 gives NaN (errata E194)."),
        AluOp::DivFmas if result == F32 => words("$d = ($a * $b + $c) * (vcc[lane] ? 2^64 or 2^-64 : 1)").but("Up if SRC2 is above 1 or so, else down; rounded once (errata E194)."),
        AluOp::DivFmas         => words("$d = ($a * $b + $c) * (vcc[lane] ? 2^128 or 2^-128 : 1)").but("Up if SRC2 is above 1 or so, else down; rounded once (errata E194)."),
        AluOp::DivFixup        => words("$d = $a, the quotient, with the sign of $c / $b, or what that is where it is 0, infinite or NaN").but("0/0 and infinity/infinity give NaN; a NaN of the numerator comes before one of the denominator (errata E194)."),
        AluOp::TrigPreop       => words("$d = 53 binary digits of 2/pi from digit 53 * $b[4:0] on").but("Shifted further by \
            the excess of SRC0's exponent over 1077; truncated, not rounded (errata E198)."),
        AluOp::CubeFace        => words("$d = face of a cube that the vector ($a, $b, $c) meets: 0 +X, 1 -X, 2 +Y, 3 -Y, 4 +Z, 5 -Z").but(CUBE),
        AluOp::CubeS           => words("$d = coordinate S on the face of a cube that ($a, $b, $c) meets").but(CUBE),
        AluOp::CubeT           => words("$d = coordinate T on the face of a cube that ($a, $b, $c) meets").but(CUBE),
        AluOp::CubeMajor       => words("$d = 2 * the coordinate of ($a, $b, $c) on the major axis").but(CUBE),

        AluOp::Convert => match (result, source) {
            (I32, _)   => words("$d = i32($a)").but(WHOLE),
            (U32, _)   => words("$d = u32($a)").but(WHOLE),
            (I16, _)   => words("$d = i16($a)").but(WHOLE),
            (U16, _)   => words("$d = u16($a)").but(WHOLE),
            (F64, _)   => words("$d = f64($a)").but(EVERY),
            (F16, F32) => words("$d = f16($a)").but("Rounded as MODE says of half precision, before GCN 1.2 of single \
                precision; values that are too large become infinite (errata E192, E307)."),
            (F16, _)   => words("$d = f16($a)").but(BY_MODE),
            (_, F16)   => words("$d = f32($a)").but(EVERY),
            _          => words("$d = f32($a)").but(BY_MODE),
        },
        AluOp::ConvertNear     => words("$d = i32(floor($a + 0.5))").but("The sum is exact, then clamped to the type's range; \
            NaN as infinity of its sign (errata E192)."),
        AluOp::ConvertFloor    => words("$d = i32(floor($a))").but("Clamped to the type's range; NaN as infinity of its sign \
            (errata E192)."),
        AluOp::ConvertOffset   => words("$d = sext($a, 4) / 16.0").but("Four bits with sign: -0.5 to 0.4375."),
        AluOp::ConvertByte(0)  => words("$d = f32($a[7:0])"),
        AluOp::ConvertByte(1)  => words("$d = f32($a[15:8])"),
        AluOp::ConvertByte(2)  => words("$d = f32($a[23:16])"),
        AluOp::ConvertByte(_)  => words("$d = f32($a[31:24])"),
        AluOp::PutByte if result == U32 => words("byte $b[1:0] of $d = u8($a)").but(PACKED_U8),
        AluOp::PutByte         => words("$d = $c; byte $b[1:0] of $d = u8($a)").but(PACKED_U8),
        AluOp::Normalize if result == I16 => words("$d = i16($a * 32767)").but(NORMALISED),
        AluOp::Normalize       => words("$d = u16($a * 65535)").but(NORMALISED_U),
        AluOp::NormalizePair(Signedness::Signed)   => words("$d[15:0] = i16($a * 32767); $d[31:16] = i16($b * 32767)").but(NORMALISED),
        AluOp::NormalizePair(Signedness::Unsigned) => words("$d[15:0] = u16($a * 65535); $d[31:16] = u16($b * 65535)").but(NORMALISED_U),
        AluOp::TruncatePair    => words("$d[15:0] = f16($a); $d[31:16] = f16($b)").but("Truncated, not rounded, whatever MODE \
            says; values that are too large become the largest number."),
        AluOp::Interpolate(Interpolation::First) if has(Field::Src2) => words("$d = P10 * $a + $c's half").but("P0 is in SRC2; the result is single precision."),
        AluOp::Interpolate(Interpolation::First) if row.modifiers().any(|it| it.field == Field::High) => words("$d = P10 * $a + P0").but("The parameter is a half, the result single precision; `high` takes the high halves."),
        AluOp::Interpolate(Interpolation::First) => words("$d = P10 * $a + P0").but("The parameter's values at a triangle's vertices are in LDS, where M0 says: P0 is that of the first, P10 and P20 are the differences of the others to it."),
        AluOp::Interpolate(Interpolation::Second) if result == F32 => words("$d = P20 * $a + $d").but("The second step: SRC1 is coordinate J."),
        AluOp::Interpolate(Interpolation::Second) => words("$d = f16(P20 * $a + $c)"),
        AluOp::Interpolate(Interpolation::Vertex) => words("$d = P10, P20 or P0, as $a says").but("The parameter's value without interpolation."),

        AluOp::Packed(op, ty) => packed(*op, ty),
        AluOp::Mix(AluOp::MulAdd, half) => words(match (result, half) {
            (F32, _)        => "$d = $a * $b + $c, rounded twice",
            (_, Half::Low)  => "$d[15:0] = f16($a * $b + $c), rounded twice",
            (_, Half::High) => "$d[31:16] = f16($a * $b + $c), rounded twice",
        }).but(MIXED),
        AluOp::Mix(_, half) => words(match (result, half) {
            (F32, _)        => "$d = $a * $b + $c, rounded once",
            (_, Half::Low)  => "$d[15:0] = f16($a * $b + $c)",
            (_, Half::High) => "$d[31:16] = f16($a * $b + $c)",
        }).but(MIXED),
        AluOp::Reversed(op) => template(*op, row, bits),

        AluOp::GetPc           => words("$d = pc").but("PC is the address of the next instruction."),
        AluOp::GetRegister     => words("$d = hwreg[offset + width - 1 : offset]").but("The bits above are 0; a register that is not there reads as 0."),
        AluOp::SetRegister if !row.slots().any(|slot| slot.kind == Kind::Literal) => words("hwreg[offset + width - 1 : offset] = sdst").but("The field SDST holds the source. A kernel changes MODE and TRAPSTS; writes to other registers are ignored."),
        AluOp::SetRegister     => words("hwreg[offset + width - 1 : offset] = literal").but("A kernel changes MODE and TRAPSTS; writes to other registers are ignored."),
        AluOp::ClearExceptions => words("clears the wave's floating-point exceptions"),
        AluOp::SetVskip        => words("mode.vskip = $a[$b[4:0]]").but("While it is set, vector instructions are skipped."),
        AluOp::SetIndex        => exact("m0[7:0] = $a[7:0]"),
        AluOp::IndexOn         => words("m0[7:0] = $a[7:0]; m0[15:12] = simm4; mode.gpr_idx_en = 1").but("From then on M0's index is added to the numbers of the VGPRs whose operands M0's four bits name."),
        AluOp::ScreenPartition => words("$d = table[$a[7:0]]").but("The shader engines, a bit each, that a tile of the screen belongs to; the table is in AMD's Vega manual (errata E208)."),
    }
}

/// Accuracy of an approximation with result type `result`; `single` is the accuracy in single precision.
fn accuracy(result: Ty, single: &'static str) -> &'static str {
    if result == Ty::F16 {
        TABLE_F16
    } else if result == Ty::F64 {
        TABLE_F64
    } else {
        single
    }
}

/// Pseudo-code of a packed operation.
#[rustfmt::skip]
#[expect(clippy::wildcard_enum_match_arm, reason = "rows have no other operation on halves")]
fn packed(op: AluOp, ty: Ty) -> Template {
    match op {
        AluOp::MulAdd => words("each half of $d = $a * $b + $c").but(LANES_16),
        AluOp::Fma    => words("each half of $d = $a * $b + $c").but(FUSED),
        AluOp::Mul    => words("each half of $d = $a * $b").but(LANES_16),
        AluOp::Add    => words("each half of $d = $a + $b").but(LANES_16),
        AluOp::Sub    => words("each half of $d = $a - $b").but(LANES_16),
        AluOp::Min    => words("each half of $d = min($a, $b)").but(if ty == Ty::F16 { ORDER } else { LANES_16 }),
        AluOp::Max    => words("each half of $d = max($a, $b)").but(if ty == Ty::F16 { ORDER } else { LANES_16 }),
        AluOp::Reversed(AluOp::Shift(Shift::Left))  => words("each half of $d = $b << $a[3:0]").but(SHIFT_16),
        AluOp::Reversed(AluOp::Shift(Shift::Right)) => words("each half of $d = $b >> $a[3:0]").but(SHIFT_16),
        // V_PK_ASHRREV_I16: no other operation occurs in rows.
        _ => words("each half of $d = $b >> $a[3:0], filled with the sign").but(SHIFT_16),
    }
}
