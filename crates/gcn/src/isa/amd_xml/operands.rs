//! Operands of the document: types, and the names of their values.

use gcn_isa::regs;
use gcn_isa::sop::Sop1;
use gcn_isa::{Encoding, Inst, Isa, Kind, Op, PlacedOperand};

/// Type of an operand, which determines the names of its values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum OperandType {
    /// VGPRs by number.
    Vgpr { dwords: u8 },
    /// First of several VGPRs; other fields determine how many.
    FirstVgpr,
    /// VGPRs, whose codes start at 256, or LDS.
    VgprSource { dwords: u8 },
    /// Scalar sources, constants, and VGPRs, whose codes start at 256.
    Source { dwords: u8 },
    /// Scalar sources and constants.
    ScalarSource { dwords: u8 },
    /// Scalar destinations.
    ScalarDestination { dwords: u8 },
    /// SGPR of an address, or `off`.
    ScalarAddress { dwords: u8 },
    /// Scalar destination of a comparison with SDWA: VCC unless the highest bit is set.
    SdwaDestination,
    /// Implied VCC, without a field.
    ImpliedVcc,
    /// Field that contains a number, not a register.
    Number,
}

/// Number of scalar source codes; VGPRs follow.
const SCALARS: u16 = 256;
const VGPRS: u16 = 256;
/// Code of a literal, with the name by which AMD's decoder recognizes it.
const LITERAL: (u16, &str) = (255, "src_literal");
/// Number of scalar destination codes.
const DESTINATIONS: u16 = 128;
/// Value of SADDR for no register.
const OFF: u16 = 0x7f;
/// Bit that is set in an SDWA destination other than VCC.
const SDWA_REGISTER: u16 = 0x80;
/// Size of VCC and other lane masks in dwords.
const MASK_DWORDS: u8 = 2;
/// Width in bits of a source field that can also select VGPRs.
const WIDE_SOURCE: u8 = 9;

impl OperandType {
    /// Type of an operand in an encoding; `None` if the encoding does not have the operand.
    pub(super) fn of(encoding: Encoding, operand: &PlacedOperand) -> Option<OperandType> {
        let dwords = operand.slot.ty.dwords();
        let width = operand.bits.width;
        if width == 0 {
            let is_vcc = matches!(operand.slot.kind, Kind::Sdst | Kind::Ssrc);
            return is_vcc.then_some(OperandType::ImpliedVcc);
        }
        Some(match operand.slot.kind {
            Kind::Vgpr if width == WIDE_SOURCE => OperandType::VgprSource { dwords },
            Kind::Src if width == WIDE_SOURCE => OperandType::Source { dwords },
            Kind::Vgpr | Kind::Src => OperandType::Vgpr { dwords },
            Kind::ExportSource(_) => OperandType::Vgpr { dwords: 1 },
            Kind::GlobalAddress
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::ImageData { .. }
            | Kind::ImageAddress { .. } => OperandType::FirstVgpr,
            Kind::Ssrc => OperandType::ScalarSource { dwords },
            Kind::Sdst if encoding == Encoding::VopcSdwa => OperandType::SdwaDestination,
            Kind::Sdst | Kind::Aligned(_) => OperandType::ScalarDestination { dwords },
            Kind::Saddr => OperandType::ScalarAddress { dwords },
            Kind::ExportTarget
            | Kind::Attribute
            | Kind::VertexParameter
            | Kind::ScalarOffset { .. }
            | Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Branch
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex
            | Kind::Literal => OperandType::Number,
        })
    }

    /// Name in the document. AMD's decoder prints an operand as `vcc` if its type has VCC in its name and no values.
    pub(super) fn name(self) -> String {
        match self {
            OperandType::Vgpr { dwords } => format!("OPR_VGPR_B{}", bits(dwords)),
            OperandType::FirstVgpr => "OPR_VGPR_FIRST".to_owned(),
            OperandType::VgprSource { dwords } => format!("OPR_SRC_VGPR_B{}", bits(dwords)),
            OperandType::Source { dwords } => format!("OPR_SRC_B{}", bits(dwords)),
            OperandType::ScalarSource { dwords } => format!("OPR_SSRC_B{}", bits(dwords)),
            OperandType::ScalarDestination { dwords } => format!("OPR_SREG_B{}", bits(dwords)),
            OperandType::ScalarAddress { dwords } => format!("OPR_SADDR_B{}", bits(dwords)),
            OperandType::SdwaDestination => "OPR_SDST_SDWA".to_owned(),
            OperandType::ImpliedVcc => "OPR_VCC".to_owned(),
            OperandType::Number => "OPR_NUMBER".to_owned(),
        }
    }

    /// Named values of the field.
    pub(super) fn values(self, isa: Isa) -> Vec<(u16, String)> {
        let scalars = |codes: std::ops::Range<u16>, dwords: u8| {
            codes.filter_map(move |code| {
                let name = scalar(isa, code as u8, dwords)?;
                Some((code, name))
            })
        };
        let vgprs = |dwords: u8| {
            let numbers = 0..=VGPRS - u16::from(dwords);
            numbers.map(move |number| (number, vgpr(number, dwords)))
        };
        let high = |dwords| vgprs(dwords).map(|(number, name)| (SCALARS + number, name));
        let literal = [(LITERAL.0, LITERAL.1.to_owned())];
        match self {
            OperandType::Vgpr { dwords } => vgprs(dwords).collect(),
            OperandType::FirstVgpr => vgprs(1).collect(),
            OperandType::VgprSource { dwords } => {
                let lds = scalars(regs::LDS_DIRECT.into()..LITERAL.0, 1);
                lds.chain(high(dwords)).collect()
            }
            OperandType::Source { dwords } => {
                let scalar = scalars(0..LITERAL.0, dwords);
                scalar.chain(literal).chain(high(dwords)).collect()
            }
            OperandType::ScalarSource { dwords } => {
                scalars(0..LITERAL.0, dwords).chain(literal).collect()
            }
            OperandType::ScalarDestination { dwords } => scalars(0..DESTINATIONS, dwords).collect(),
            OperandType::ScalarAddress { dwords } => {
                let off = [(OFF, "off".to_owned())];
                scalars(0..OFF, dwords).chain(off).collect()
            }
            OperandType::SdwaDestination => {
                let vcc = [(0, "vcc".to_owned())].into_iter();
                let others = scalars(0..DESTINATIONS, MASK_DWORDS);
                vcc.chain(others.map(|(code, name)| (SDWA_REGISTER | code, name)))
                    .collect()
            }
            OperandType::ImpliedVcc | OperandType::Number => Vec::new(),
        }
    }
}

fn bits(dwords: u8) -> u32 {
    u32::from(dwords) * u32::BITS
}

/// Assembly name of a VGPR range.
fn vgpr(first: u16, dwords: u8) -> String {
    match dwords {
        1 => format!("v{first}"),
        _ => format!("v[{first}:{}]", first + u16::from(dwords) - 1),
    }
}

/// Name of a scalar register of `dwords` dwords, or of a constant.
fn scalar(isa: Isa, code: u8, dwords: u8) -> Option<String> {
    let constant = || {
        regs::inline(isa, code)?;
        let mut inst = Inst::new(isa, Op::Sop1(Sop1::S_MOV_B32), Encoding::Sop1)?;
        inst.set(gcn_isa::Field::Ssrc0, code.into()).ok()?;
        Some(inst.text().rsplit(' ').next()?.to_owned())
    };
    regs::scalar_name(isa, code, dwords).or_else(constant)
}
