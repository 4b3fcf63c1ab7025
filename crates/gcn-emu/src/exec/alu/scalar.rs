//! Scalar ALU: SOP2, SOPK, SOP1 and SOPC. The table has a row for each operation; the functions below read sources and
//! write results.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Scalar ALU Operations".

use gcn_isa::effect::{AluOp, Half::*, Shift::*, Test, Value, body};
use gcn_isa::simm::MODE_VSKIP;
use gcn_isa::{AluTypes, Inst, Kind, Ty};

use super::fork::{fork, join};
use super::hardware::{get_register, set_register};
use super::indexing;
use super::scalar_operand::{Scalar, read, write};
use crate::step::{Arg, Handler, Step};
use crate::wave::Wave;

/// Handler for operands of type `$T`: `u32` or `u64` depending on their width.
macro_rules! by_width {
    ($ty:expr, |$T:ident| $handler:expr) => {
        if $ty.dwords() > 1 {
            type $T = u64;
            $handler as Handler
        } else {
            type $T = u32;
            $handler as Handler
        }
    };
}

/// Handler for operands of type `$T`: `i32`, `i64`, `u32` or `u64`.
macro_rules! by_type {
    ($ty:expr, |$T:ident| $handler:expr) => {
        match $ty {
            Ty::I32 => {
                type $T = i32;
                $handler as Handler
            }
            Ty::I64 => {
                type $T = i64;
                $handler as Handler
            }
            ty => by_width!(ty, |$T| $handler),
        }
    };
}

/// Handler for a bitwise operation, available as the constant `$OP`.
macro_rules! by_bitwise {
    ($op:expr, |$OP:ident| $handler:expr) => {
        by_bitwise!($op, |$OP| $handler, And Or Xor AndNot OrNot NotAnd NotOr Nand Nor Xnor)
    };
    ($op:expr, |$OP:ident| $handler:expr, $($Name:ident)*) => {
        match $op {
            $(gcn_isa::effect::Bitwise::$Name => {
                const $OP: gcn_isa::effect::Bitwise = gcn_isa::effect::Bitwise::$Name;
                $handler as Handler
            })*
        }
    };
}

/// Returns the handler of a scalar operation.
#[rustfmt::skip]
#[allow(clippy::wildcard_enum_match_arm, reason = "an operation has rows of few types")]
pub fn handler(op: AluOp, of: AluTypes) -> Option<Handler> {
    use AluOp::*;
    let ty = of.result;
    let handler: Handler = match op {
        Move           => by_width!(ty, |T| |w, s| one(w, s, |a: T, _| a)),
        MoveIf         => by_width!(ty, |T| |w, s| if w.scc { one(w, s, |a: T, _| a) }),
        MoveRelative(_) => by_width!(ty, |T| |w, s| move_relative::<T>(w, s)),
        Select         => by_width!(ty, |T| |w, s| two(w, s, |a: T, b: T, scc| if scc { a } else { b })),
        Bitwise(op)    => by_width!(ty, |T| by_bitwise!(op, |OP| |w, s| two(w, s, |a: T, b: T, _| non_zero(OP.apply(a, b))))),
        Not            => by_width!(ty, |T| |w, s| one(w, s, |a: T, _| non_zero(!a))),
        Shift(Left)    => by_width!(ty, |T| |w, s| two(w, s, |a: T, b, _| non_zero(a.shl(b)))),
        Shift(_)       => by_type!(ty, |T| |w, s| two(w, s, |a: T, b, _| non_zero(a.shr(b)))),
        Add if of.is_sopk => |w, s| update(w, s, |d: i32, k: i32| d.overflowing_add(k)),
        Add            => by_type!(ty, |T| |w, s| two(w, s, |a: T, b: T, _| a.overflowing_add(b))),
        Sub            => by_type!(ty, |T| |w, s| two(w, s, |a: T, b: T, _| a.overflowing_sub(b))),
        AddCarry       => |w, s| two(w, s, |a: u32, b: u32, scc| body::add_carry(a, b, scc)),
        SubBorrow      => |w, s| two(w, s, |a: u32, b: u32, scc| body::sub_borrow(a, b, scc)),
        Mul if of.is_sopk => |w, s| update(w, s, |d: i32, k: i32| d.wrapping_mul(k)),
        Mul            => |w, s| two(w, s, |a: i32, b: i32, _| a.wrapping_mul(b)),
        MulHigh        => by_type!(ty, |T| |w, s| two(w, s, |a: T, b: T, _| a.mul_high(b))),
        Min            => by_type!(ty, |T| |w, s| two(w, s, |a: T, b: T, _| (a.min(b), a < b))),
        Max            => by_type!(ty, |T| |w, s| two(w, s, |a: T, b: T, _| (a.max(b), a > b))),
        Abs            => |w, s| one(w, s, |a: i32, _| non_zero(a.wrapping_abs())),
        AbsDiff        => |w, s| two(w, s, |a: i32, b: i32, _| non_zero(a.wrapping_sub(b).wrapping_abs())),
        ShiftByAdd(1)  => |w, s| two(w, s, |a: u32, b: u32, _| body::shift_by_add(1, a, b)),
        ShiftByAdd(2)  => |w, s| two(w, s, |a: u32, b: u32, _| body::shift_by_add(2, a, b)),
        ShiftByAdd(3)  => |w, s| two(w, s, |a: u32, b: u32, _| body::shift_by_add(3, a, b)),
        ShiftByAdd(4)  => |w, s| two(w, s, |a: u32, b: u32, _| body::shift_by_add(4, a, b)),
        ExtractPacked  => by_type!(ty, |T| |w, s| two(w, s, |a: T, b, _| non_zero(body::extract_packed(a, b)))),
        FieldMask      => by_width!(ty, |T| |w, s| two(w, s, |a: T, b: T, _| body::field_mask(a, b))),
        SignExtend(8)  => |w, s| one(w, s, |a: i32, _| body::sign_extend(a, 8)),
        SignExtend(16) => |w, s| one(w, s, |a: i32, _| body::sign_extend(a, 16)),
        SetBit(false)  => by_width!(ty, |T| |w, s| update(w, s, |d: T, a| body::set_bit(false, d, a))),
        SetBit(true)   => by_width!(ty, |T| |w, s| update(w, s, |d: T, a| body::set_bit(true, d, a))),
        TestBit(false) => by_width!(of.source, |T| |w, s| compare(w, s, |a: T, b| body::test_bit(false, a, b))),
        TestBit(true)  => by_width!(of.source, |T| |w, s| compare(w, s, |a: T, b| body::test_bit(true, a, b))),
        ReverseBits    => by_width!(ty, |T| |w, s| one(w, s, |a: T, _| a.reverse_bits())),
        CountZeros     => by_width!(of.source, |T| |w, s| one(w, s, |a: T, _| non_zero(a.count_zeros()))),
        CountOnes      => by_width!(of.source, |T| |w, s| one(w, s, |a: T, _| non_zero(a.count_ones()))),
        FindLowestZero => by_width!(of.source, |T| |w, s| one(w, s, |a: T, _| body::find_lowest_one(!a))),
        FindLowestOne  => by_width!(of.source, |T| |w, s| one(w, s, |a: T, _| body::find_lowest_one(a))),
        LeadingZeros   => by_width!(of.source, |T| |w, s| one(w, s, |a: T, _| body::leading_zeros(a))),
        LeadingSigns   => by_type!(of.source, |T| |w, s| one(w, s, |a: T, _| body::leading_signs(a))),
        WholeQuads     => by_width!(ty, |T| |w, s| one(w, s, |a: T, _| non_zero(T::from_bits(whole_quads(a.bits()))))),
        QuadMask       => by_width!(ty, |T| |w, s| one(w, s, |a: T, _| non_zero(T::from_bits(quad_mask(a.bits()))))),
        Replicate      => |w, s| one(w, s, |a: u32, _| replicate(a)),
        Pack(Low, Low)   => |w, s| two(w, s, |a: u32, b: u32, _| body::pack(Low, Low, a, b)),
        Pack(Low, High)  => |w, s| two(w, s, |a: u32, b: u32, _| body::pack(Low, High, a, b)),
        Pack(High, High) => |w, s| two(w, s, |a: u32, b: u32, _| body::pack(High, High, a, b)),
        SaveExec(op)   => by_bitwise!(op, |OP| |w, s| save_exec(w, s, |a, exec| OP.apply(a, exec))),
        WriteExec(op)  => by_bitwise!(op, |OP| |w, s| write_exec(w, s, |a, exec| OP.apply(a, exec))),
        GetPc          => |w, s| { let next = w.pc; write(w, s.args[0], next) },
        GetRegister    => |w, s| get_register(w, s),
        SetRegister    => |w, s| set_register(w, s),
        SetIndex       => |w, s| indexing::set_index(w, s, 0),
        IndexOn        => indexing::turn_on,
        SetVskip       => |w, s| {
            let bits: u32 = read(w, s.args[0]);
            let skips = bits.wrapping_shr(read(w, s.args[1])) & 1 != 0;
            w.mode = w.mode & !MODE_VSKIP | if skips { MODE_VSKIP } else { 0 };
        },
        // Only vector instructions perform these operations.
        Nop | ReadLane | ReadFirstLane | WriteLane | Swap | Pack(..) | Bitwise3(..) | ShiftOr | Align(_) | BitSelect
        | Extract | SignExtend(_) | CountOnesAdd | MaskedCount(_) | Permute | MulAdd | Fma | Min3 | Max3 | Med3 | Add3
        | Mul24 | MulHigh24 | MulAdd24 | XorAdd | ShiftAdd | ShiftByAdd(_) | AddShift | Sad(_) | QuadSad
        | MaskedQuadSad | LerpBytes | SaturateBytes | SaturatePair | Dot(_) | MulLegacy | MulAddLegacy | MinLegacy
        | MaxLegacy | MulLit | Trunc | Ceil | Floor | RoundEven | Fract | Exp2 | Log2 | Log2Clamped | Rcp | RcpClamped
        | RcpLegacy | Rsq | RsqClamped | RsqLegacy | Sqrt | Sin | Cos | Ldexp | FrexpExponent | FrexpMantissa
        | DivScale | DivFmas | DivFixup | TrigPreop | CubeFace | CubeS | CubeT | CubeMajor | Interpolate(_) | Convert
        | ConvertFloor | ConvertNear | ConvertOffset | ConvertByte(_) | PutByte | Normalize | NormalizePair(_)
        | TruncatePair | Reversed(_) | Packed(..) | Mix(..) | ClearExceptions | ScreenPartition => return None,
    };
    Some(handler)
}

/// Returns the handler of a scalar comparison. Unsigned comparisons of SOPK zero-extend the constant.
#[rustfmt::skip]
#[allow(clippy::wildcard_enum_match_arm, reason = "an operation has rows of few types")]
pub fn comparison(test: Test, of: AluTypes) -> Option<Handler> {
    use Test::*;
    let handler: Handler = match (test, of.source) {
        (Eq, Ty::U32) if of.is_sopk => |w, s| compare(w, s, |a: u32, k: u32| a == k & 0xffff),
        (Lg, Ty::U32) if of.is_sopk => |w, s| compare(w, s, |a: u32, k: u32| a != k & 0xffff),
        (Gt, Ty::U32) if of.is_sopk => |w, s| compare(w, s, |a: u32, k: u32| a > k & 0xffff),
        (Ge, Ty::U32) if of.is_sopk => |w, s| compare(w, s, |a: u32, k: u32| a >= k & 0xffff),
        (Lt, Ty::U32) if of.is_sopk => |w, s| compare(w, s, |a: u32, k: u32| a < k & 0xffff),
        (Le, Ty::U32) if of.is_sopk => |w, s| compare(w, s, |a: u32, k: u32| a <= k & 0xffff),
        (Eq, ty)      => by_width!(ty, |T| |w, s| compare(w, s, |a: T, b: T| a == b)),
        (Lg, ty)      => by_width!(ty, |T| |w, s| compare(w, s, |a: T, b: T| a != b)),
        (Gt, Ty::I32) => |w, s| compare(w, s, |a: i32, b: i32| a > b),
        (Ge, Ty::I32) => |w, s| compare(w, s, |a: i32, b: i32| a >= b),
        (Lt, Ty::I32) => |w, s| compare(w, s, |a: i32, b: i32| a < b),
        (Le, Ty::I32) => |w, s| compare(w, s, |a: i32, b: i32| a <= b),
        (Gt, _)       => |w, s| compare(w, s, |a: u32, b: u32| a > b),
        (Ge, _)       => |w, s| compare(w, s, |a: u32, b: u32| a >= b),
        (Lt, _)       => |w, s| compare(w, s, |a: u32, b: u32| a < b),
        (Le, _)       => |w, s| compare(w, s, |a: u32, b: u32| a <= b),
        (F | O | U | Nge | Nlg | Ngt | Nle | Neq | Nlt | Tru | Class, _) => return None,
    };
    Some(handler)
}

/// Returns the handler of a jump to an address in registers. A destination, if present, receives the address of the
/// next instruction.
pub fn jump(inst: &Inst) -> Handler {
    if inst.row().slots().count() == 1 {
        |w, s| w.pc = read(w, s.args[0])
    } else {
        |w, s| {
            let (next, target) = (w.pc, read(w, s.args[1]));
            write(w, s.args[0], next);
            w.pc = target;
        }
    }
}

/// Executes a call to a relative address.
pub fn call(w: &mut Wave, s: &Step) {
    let next = w.pc;
    write(w, s.args[0], next);
    w.pc = next.wrapping_add_signed(s.immediate() * 4);
}

/// Returns the handler of S_CBRANCH_G_FORK, S_CBRANCH_I_FORK or S_CBRANCH_JOIN.
pub fn split(inst: &Inst) -> Handler {
    match inst.row().slots().nth(1).map(|slot| slot.kind) {
        None => join,
        Some(Kind::Branch) => |w, s| {
            let target = w.pc.wrapping_add_signed(s.immediate() * 4);
            fork(w, s, target);
        },
        Some(_) => |w, s| {
            let target = read(w, s.args[1]);
            fork(w, s, target);
        },
    }
}

/// Result of a scalar instruction: a value, or a value and SCC.
trait ScalarResult {
    fn put(self, wave: &mut Wave, destination: Arg);
}

impl<T: Scalar> ScalarResult for T {
    #[inline(always)]
    fn put(self, wave: &mut Wave, destination: Arg) {
        write(wave, destination, self);
    }
}

impl<T: Scalar> ScalarResult for (T, bool) {
    #[inline(always)]
    fn put(self, wave: &mut Wave, destination: Arg) {
        write(wave, destination, self.0);
        wave.scc = self.1;
    }
}

/// Executes an operation with a destination and two sources. The last argument of `f` is SCC.
#[inline(always)]
fn two<A: Scalar, B: Scalar, R: ScalarResult>(w: &mut Wave, s: &Step, f: impl Fn(A, B, bool) -> R) {
    f(read(w, s.args[1]), read(w, s.args[2]), w.scc).put(w, s.args[0]);
}

/// Executes an operation with a destination and one source. The last argument of `f` is SCC.
#[inline(always)]
fn one<A: Scalar, R: ScalarResult>(w: &mut Wave, s: &Step, f: impl Fn(A, bool) -> R) {
    f(read(w, s.args[1]), w.scc).put(w, s.args[0]);
}

/// Executes an operation with one source and a destination that is also read.
#[inline(always)]
fn update<D: Scalar, A: Scalar, R: ScalarResult>(w: &mut Wave, s: &Step, f: impl Fn(D, A) -> R) {
    f(read(w, s.args[0]), read(w, s.args[1])).put(w, s.args[0]);
}

/// Executes a comparison of two sources, which writes SCC.
#[inline(always)]
fn compare<A: Scalar, B: Scalar>(w: &mut Wave, s: &Step, f: impl Fn(A, B) -> bool) {
    w.scc = f(read(w, s.args[0]), read(w, s.args[1]));
}

/// Updates EXEC, and writes its old value to the destination. SCC is set if the new EXEC has an active lane.
#[inline(always)]
fn save_exec(w: &mut Wave, s: &Step, f: impl Fn(u64, u64) -> u64) {
    let old = w.exec();
    let new = f(read(w, s.args[1]), old);
    write(w, s.args[0], old);
    w.set_exec(new);
    w.scc = new != 0;
}

/// Updates EXEC, and writes its new value to the destination. SCC is set if it has an active lane.
#[inline(always)]
fn write_exec(w: &mut Wave, s: &Step, f: impl Fn(u64, u64) -> u64) {
    let new = f(read(w, s.args[1]), w.exec());
    write(w, s.args[0], new);
    w.set_exec(new);
    w.scc = new != 0;
}

/// Pairs a result with the value of SCC: true if the result is nonzero.
#[inline(always)]
fn non_zero<T: Scalar>(value: T) -> (T, bool) {
    (value, value.bits() != 0)
}

/// Lowest bit of each group of four.
const QUADS: u64 = 0x1111_1111_1111_1111;

/// Sets the lowest bit of each group of four in which any bit is set.
fn quads(value: u64) -> u64 {
    (value | value >> 1 | value >> 2 | value >> 3) & QUADS
}

/// Sets all bits of each group of four in which any bit is set.
fn whole_quads(value: u64) -> u64 {
    quads(value) * 0xf
}

/// Returns a mask with one bit for each group of four, set if any bit in the group is.
fn quad_mask(value: u64) -> u64 {
    let quads = quads(value);
    (0..16).fold(0, |mask, quad| mask | (quads >> (3 * quad)) & 1 << quad)
}

/// Duplicates every bit.
fn replicate(value: u32) -> u64 {
    (0..32).fold(0, |wide, bit| {
        wide | (u64::from(value >> bit & 1) * 0b11) << (2 * bit)
    })
}

/// Moves a register or pair, adding M0 to the number of the source or the destination (MOVREL; checklist 1.7).
fn move_relative<T: Scalar>(w: &mut Wave, s: &Step) {
    let [destination, source, ..] = s.relative_operands(w);
    if let Arg::Scalar(_) = destination {
        let value: T = read(w, source);
        write(w, destination, value);
    }
}
