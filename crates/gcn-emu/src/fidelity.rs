//! Fidelity of instructions to hardware: exact unless listed below.
//!
//! Integer, memory, move and IEEE operations are exact by definition and tested against references. Operations that
//! depend on hardware tables are correctly rounded here and therefore *approximate*. Behavior that no source settles is
//! *open*; the errata record the choice made. For instructions with a hardware bug, the emulator follows the
//! documentation.

use gcn_isa::ds::Ds;
use gcn_isa::effect::{AluOp, Clock, ImageOp};
use gcn_isa::sop::{Sop1, Sopk};
use gcn_isa::swizzle::Pattern;
use gcn_isa::{Does, Encoding, Field, Inst, Isa, Op, Ty};

/// Fidelity of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fidelity {
    /// Bit-exact.
    Exact,
    /// Differs from hardware by rounding, or by the rate of a clock. Holds the errata entry.
    Approximate(&'static str),
    /// Follows the choice in the errata entry; no source settles the behavior, or only one describes it.
    Open(&'static str),
    /// Follows the documentation, although hardware has the bug described in the errata entry.
    HardwareFault(&'static str),
}

impl Fidelity {
    /// Returns the fidelity of an instruction in a kernel with `vgprs` vector registers.
    pub fn of(inst: &Inst, vgprs: usize) -> Fidelity {
        if let Some(entry) = hardware_fault(inst, vgprs) {
            return Fidelity::HardwareFault(entry);
        }
        match inst.op {
            // Only the names of these instructions are known.
            Op::Sop1(Sop1::S_MOV_REGRD_B32) | Op::Sopk(Sopk::S_GETREG_REGRD_B32) => {
                return Fidelity::Open("E205");
            }
            Op::Ds(Ds::DS_CONDXCHG32_RTN_B128) => return Fidelity::Open("E002"),
            Op::Ds(Ds::DS_SWIZZLE_B32) if is_fft(inst) && inst.isa < Isa::Gfx9 => {
                return Fidelity::Open("E056");
            }
            _ => {}
        }
        match inst.does() {
            Does::Alu(op) => of_alu(op, inst),
            does => of_effect(does),
        }
    }

    /// Name of the fidelity and its errata entry.
    pub fn words(self) -> (&'static str, Option<&'static str>) {
        match self {
            Fidelity::Exact => ("exact", None),
            Fidelity::Approximate(entry) => ("approximate", Some(entry)),
            Fidelity::Open(entry) => ("open", Some(entry)),
            Fidelity::HardwareFault(entry) => ("hardware fault", Some(entry)),
        }
    }
}

/// Errata entry for an instruction's hardware bug.
fn hardware_fault(inst: &Inst, vgprs: usize) -> Option<&'static str> {
    let is_buffer = inst.encoding == Encoding::Mubuf;
    match inst.does() {
        Does::Store(ty) if is_buffer && inst.isa == Isa::Si => {
            let is_narrow = ty.bytes() < DWORD;
            (is_narrow && !inst.flag(Field::Glc)).then_some("E257")
        }
        Does::Image(ImageOp::Gather(_) | ImageOp::GatherRow) => {
            let is_short = inst.flag(Field::D16) && inst.isa >= Isa::Stoney;
            (is_short && data_end(inst, GATHERED) > vgprs).then_some("E258")
        }
        Does::Image(ImageOp::Store(..)) => {
            let is_short = inst.flag(Field::D16) && inst.isa == Isa::Stoney;
            let components = inst.get(Field::Dmask).count_ones() as usize;
            (is_short && data_end(inst, components) > vgprs).then_some("E258")
        }
        Does::Load(_) | Does::Store(_) if inst.encoding == Encoding::Scratch => {
            (!inst.saddr_is_off() && inst.get_signed(Field::Offset) < 0).then_some("E259")
        }
        Does::Atomic(..) if is_buffer => {
            let is_aligned = inst.get(Field::Offset).is_multiple_of(u64::from(DWORD));
            (!is_aligned).then_some("E260")
        }
        _ => None,
    }
}

/// Size of a dword in bytes.
const DWORD: u8 = 4;
/// Number of components returned by a gather.
const GATHERED: usize = 4;

/// End of an image instruction's data registers, with one component per register.
fn data_end(inst: &Inst, components: usize) -> usize {
    inst.get(Field::Vdata) as usize + components
}

/// True for the FFT mode of a swizzle.
fn is_fft(inst: &Inst) -> bool {
    let offset = inst.get(Field::Offset) as u16;
    matches!(Pattern::unpack(inst.isa, offset), Pattern::Fft { .. })
}

fn of_alu(op: AluOp, inst: &Inst) -> Fidelity {
    let first = inst.row().slots().next();
    let is_wide = first.is_some_and(|slot| slot.ty.dwords() > 2);
    let result = first.map_or(Ty::B32, |slot| slot.ty);
    let has_half_sources = inst.row().slots().skip(1).all(|slot| slot.ty == Ty::F16);
    match op {
        AluOp::Exp2 | AluOp::Log2 | AluOp::Log2Clamped | AluOp::Sqrt | AluOp::Sin | AluOp::Cos => {
            Fidelity::Approximate("E199")
        }
        AluOp::Rcp | AluOp::RcpClamped | AluOp::RcpLegacy => Fidelity::Approximate("E199"),
        AluOp::Rsq | AluOp::RsqClamped | AluOp::RsqLegacy => Fidelity::Approximate("E199"),
        AluOp::Normalize => Fidelity::Open("E192"),
        AluOp::NormalizePair(_) if has_half_sources => Fidelity::Open("E192"),
        AluOp::MulAdd
            if result == Ty::F16 && matches!(inst.op, Op::Vop2(_)) && inst.isa >= Isa::Gfx9 =>
        {
            Fidelity::Open("E304")
        }
        AluOp::Min3 | AluOp::Max3 | AluOp::Med3 if matches!(result, Ty::I16 | Ty::U16) => {
            Fidelity::Open("E304")
        }
        AluOp::Add | AluOp::Sub if result == Ty::I16 => Fidelity::Open("E304"),
        AluOp::MinLegacy | AluOp::MaxLegacy => Fidelity::Open("E307"),
        AluOp::MaskedQuadSad if is_wide => Fidelity::Open("E307"),
        AluOp::CubeFace | AluOp::CubeS | AluOp::CubeT | AluOp::CubeMajor => Fidelity::Open("E305"),
        AluOp::MulLit => Fidelity::Open("E197"),
        AluOp::Mix(..) if result == Ty::F16 => Fidelity::Open("E195"),
        AluOp::Dot(_) if result == Ty::F32 => Fidelity::Open("E196"),
        AluOp::Reversed(op) => of_alu(*op, inst),
        AluOp::NormalizePair(_) | AluOp::MulAdd | AluOp::Min3 | AluOp::Max3 | AluOp::Med3 => {
            Fidelity::Exact
        }
        AluOp::Add | AluOp::Sub | AluOp::MaskedQuadSad | AluOp::Mix(..) | AluOp::Dot(_) => {
            Fidelity::Exact
        }
        #[rustfmt::skip]
        AluOp::Nop | AluOp::Move | AluOp::MoveIf | AluOp::MoveRelative(_) | AluOp::Select | AluOp::ReadLane
        | AluOp::ReadFirstLane | AluOp::WriteLane | AluOp::Swap | AluOp::Pack(..) | AluOp::Bitwise(_)
        | AluOp::Bitwise3(..) | AluOp::Not | AluOp::ReverseBits | AluOp::Shift(_) | AluOp::ShiftOr
        | AluOp::Align(_) | AluOp::BitSelect | AluOp::Extract | AluOp::ExtractPacked | AluOp::FieldMask
        | AluOp::SignExtend(_) | AluOp::SetBit(_) | AluOp::TestBit(_) | AluOp::CountZeros | AluOp::CountOnes
        | AluOp::CountOnesAdd | AluOp::MaskedCount(_) | AluOp::FindLowestZero | AluOp::FindLowestOne
        | AluOp::LeadingZeros | AluOp::LeadingSigns | AluOp::WholeQuads | AluOp::QuadMask | AluOp::Replicate
        | AluOp::Permute | AluOp::Mul | AluOp::Fma | AluOp::Min | AluOp::Max | AluOp::AddCarry
        | AluOp::SubBorrow | AluOp::Add3 | AluOp::MulHigh | AluOp::Mul24 | AluOp::MulHigh24 | AluOp::MulAdd24
        | AluOp::XorAdd | AluOp::ShiftAdd | AluOp::ShiftByAdd(_) | AluOp::AddShift | AluOp::Abs
        | AluOp::AbsDiff | AluOp::Sad(_) | AluOp::QuadSad | AluOp::LerpBytes | AluOp::SaturateBytes
        | AluOp::SaturatePair | AluOp::MulLegacy | AluOp::MulAddLegacy | AluOp::Trunc | AluOp::Ceil
        | AluOp::Floor | AluOp::RoundEven | AluOp::Fract | AluOp::Ldexp | AluOp::FrexpExponent
        | AluOp::FrexpMantissa | AluOp::DivScale | AluOp::DivFmas | AluOp::DivFixup | AluOp::TrigPreop
        | AluOp::Interpolate(_) | AluOp::Convert | AluOp::ConvertFloor | AluOp::ConvertNear
        | AluOp::ConvertOffset | AluOp::ConvertByte(_) | AluOp::PutByte | AluOp::TruncatePair
        | AluOp::Packed(..) | AluOp::SaveExec(_) | AluOp::WriteExec(_) | AluOp::GetPc | AluOp::GetRegister
        | AluOp::SetRegister | AluOp::ClearExceptions | AluOp::SetVskip | AluOp::SetIndex | AluOp::IndexOn
        | AluOp::ScreenPartition => Fidelity::Exact,
    }
}

fn of_effect(does: Does) -> Fidelity {
    match does {
        Does::StoreFormat(..) | Does::StoreFormatHigh => Fidelity::Open("E203"),
        Does::Atomic(_, Ty::F32 | Ty::F64)
        | Does::Return(_, Ty::F32 | Ty::F64)
        | Does::AtomicFromLds(_, Ty::F32 | Ty::F64) => Fidelity::Open("E053"),
        Does::Count(_) => Fidelity::Open("E051"),
        Does::Time(Clock::Shader | Clock::Reference) => Fidelity::Approximate("E126"),
        _ => Fidelity::Exact,
    }
}
