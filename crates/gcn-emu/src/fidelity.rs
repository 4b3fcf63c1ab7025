//! Fidelity of instructions to hardware: exact unless listed below.
//!
//! Integers, memory, moves and IEEE arithmetic are exact by their definitions and tested against references. What only
//! hardware's tables define is rounded correctly here and *approximate*; what no source settles is *open*, and the
//! errata say what was chosen. Where hardware has a fault, instructions do here what the documents say.

use gcn_isa::ds::Ds;
use gcn_isa::effect::{Clock, ImageOp};
use gcn_isa::sop::{Sop1, Sopk};
use gcn_isa::swizzle::Pattern;
use gcn_isa::vop::{Vop1, Vop2};
use gcn_isa::vop3::{Vop3, Vop3p};
use gcn_isa::{Does, Encoding, Field, Inst, Isa, Op, Ty};

/// Fidelity of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fidelity {
    /// To the last bit.
    Exact,
    /// Rounded correctly where hardware may be a few units of the last place away. The errata entry.
    Approximate(&'static str),
    /// As the errata entry chose; no source, or no second one, settles it.
    Open(&'static str),
    /// As documented, but hardware has a fault that the errata entry describes.
    HardwareFault(&'static str),
}

impl Fidelity {
    /// The fidelity of an instruction of a kernel with `vgprs` vector registers.
    pub fn of(inst: &Inst, vgprs: usize) -> Fidelity {
        if let Some(entry) = hardware_fault(inst, vgprs) {
            return Fidelity::HardwareFault(entry);
        }
        match inst.op {
            Op::Vop1(op) => of_vop1(op),
            Op::Vop2(op) => of_vop2(op, inst.isa),
            Op::Vop3(op) => of_vop3(op),
            Op::Vop3p(op) => of_vop3p(op),
            Op::Sop1(Sop1::S_MOV_REGRD_B32) | Op::Sopk(Sopk::S_GETREG_REGRD_B32) => {
                Fidelity::Open("E205")
            }
            Op::Ds(Ds::DS_CONDXCHG32_RTN_B128) => Fidelity::Open("E002"),
            Op::Ds(Ds::DS_SWIZZLE_B32) if is_fft(inst) && inst.isa < Isa::Gfx9 => {
                Fidelity::Open("E056")
            }
            _ => of_effect(inst.does()),
        }
    }

    /// Name and the errata entry.
    pub fn words(self) -> (&'static str, Option<&'static str>) {
        match self {
            Fidelity::Exact => ("exact", None),
            Fidelity::Approximate(entry) => ("approximate", Some(entry)),
            Fidelity::Open(entry) => ("open", Some(entry)),
            Fidelity::HardwareFault(entry) => ("hardware fault", Some(entry)),
        }
    }
}

/// The errata entry of the fault that hardware has in an instruction. Faults of some boards alone (E263) are left out.
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

/// Bytes of a dword.
const DWORD: u8 = 4;
/// Components that a gather returns.
const GATHERED: usize = 4;

/// The register behind an image's data with one in each register.
fn data_end(inst: &Inst, components: usize) -> usize {
    inst.get(Field::Vdata) as usize + components
}

/// True for the butterfly of a swizzle.
fn is_fft(inst: &Inst) -> bool {
    let offset = inst.get(Field::Offset) as u16;
    matches!(Pattern::unpack(inst.isa, offset), Pattern::Fft { .. })
}

fn of_vop1(op: Vop1) -> Fidelity {
    use Vop1::*;
    match op {
        V_EXP_F32 | V_EXP_LEGACY_F32 | V_LOG_F32 | V_LOG_LEGACY_F32 | V_LOG_CLAMP_F32
        | V_RCP_F32 | V_RCP_CLAMP_F32 | V_RCP_LEGACY_F32 | V_RCP_IFLAG_F32 | V_RSQ_F32
        | V_RSQ_CLAMP_F32 | V_RSQ_LEGACY_F32 | V_SQRT_F32 | V_SIN_F32 | V_COS_F32 | V_RCP_F64
        | V_RCP_CLAMP_F64 | V_RSQ_F64 | V_RSQ_CLAMP_F64 | V_SQRT_F64 | V_RCP_F16 | V_SQRT_F16
        | V_RSQ_F16 | V_LOG_F16 | V_EXP_F16 | V_SIN_F16 | V_COS_F16 => {
            Fidelity::Approximate("E199")
        }
        V_CVT_NORM_I16_F16 | V_CVT_NORM_U16_F16 => Fidelity::Open("E192"),
        _ => Fidelity::Exact,
    }
}

fn of_vop2(op: Vop2, isa: Isa) -> Fidelity {
    use Vop2::*;
    match op {
        V_MAC_F16 | V_MADMK_F16 | V_MADAK_F16 if isa >= Isa::Gfx9 => Fidelity::Open("E304"),
        V_MIN_LEGACY_F32 | V_MAX_LEGACY_F32 => Fidelity::Open("E307"),
        _ => Fidelity::Exact,
    }
}

fn of_vop3(op: Vop3) -> Fidelity {
    use Vop3::*;
    match op {
        V_CVT_PKNORM_I16_F16 | V_CVT_PKNORM_U16_F16 => Fidelity::Open("E192"),
        V_MIN3_I16 | V_MIN3_U16 | V_MAX3_I16 | V_MAX3_U16 | V_MED3_I16 | V_MED3_U16 | V_ADD_I16
        | V_SUB_I16 => Fidelity::Open("E304"),
        V_CUBEID_F32 | V_CUBESC_F32 | V_CUBETC_F32 | V_CUBEMA_F32 => Fidelity::Open("E305"),
        V_MQSAD_U32_U8 => Fidelity::Open("E307"),
        V_MULLIT_F32 => Fidelity::Open("E197"),
        _ => Fidelity::Exact,
    }
}

fn of_vop3p(op: Vop3p) -> Fidelity {
    use Vop3p::*;
    match op {
        V_MAD_MIXLO_F16 | V_MAD_MIXHI_F16 | V_FMA_MIXLO_F16 | V_FMA_MIXHI_F16 => {
            Fidelity::Open("E195")
        }
        V_DOT2_F32_F16 => Fidelity::Open("E196"),
        _ => Fidelity::Exact,
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
