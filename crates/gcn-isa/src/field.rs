//! Instruction fields, encodings, and the layout of each encoding on each generation.

use crate::target::IsaSet;

/// A field of an encoding, named as in the ISA manuals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // Names from the manuals; each encoding's map has the fields' positions.
pub enum Field {
    Op,
    // Vector registers
    Vdst,
    Vaddr,
    Vdata,
    Vdata1,
    // ALU operands
    Src0,
    Src1,
    Src2,
    Sdst,
    Ssrc0,
    Ssrc1,
    Simm16,
    Literal,
    Abs,
    Neg,
    Omod,
    Clamp,
    OpSel,
    OpSelHi,
    OpSelHi2,
    NegHi,
    // Sub-dword addressing and lane permutation
    DstSel,
    DstUnused,
    Src0Sel,
    Src0Sext,
    Src0Neg,
    Src0Abs,
    Src0Scalar,
    Src1Sel,
    Src1Sext,
    Src1Neg,
    Src1Abs,
    Src1Scalar,
    SdwaSdst,
    DppCtrl,
    BoundCtrl,
    BankMask,
    RowMask,
    // Memory
    Offset,
    Offset0,
    Offset1,
    Offset12,
    Gds,
    Glc,
    Slc,
    Lds,
    Tfe,
    Nv,
    Saddr,
    Sdata,
    Sbase,
    Imm,
    Soe,
    Soffset,
    Srsrc,
    Ssamp,
    Offen,
    Idxen,
    Addr64,
    Dfmt,
    Nfmt,
    /// DFMT in the low four bits, NFMT above them.
    Format,
    // Images, exports, interpolation
    Dmask,
    Unorm,
    Da,
    R128,
    A16,
    Lwe,
    D16,
    En,
    Tgt,
    Compr,
    Done,
    Vm,
    Vsrc0,
    Vsrc1,
    Vsrc2,
    Vsrc3,
    High,
    Attr,
    AttrChan,
}

/// Number of fields.
pub const FIELDS: usize = Field::AttrChan as usize + 1;

impl Field {
    /// Every field.
    #[rustfmt::skip]
    pub const ALL: [Field; FIELDS] = {
        use Field::*;
        [
            Op, Vdst, Vaddr, Vdata, Vdata1, Src0, Src1, Src2, Sdst, Ssrc0, Ssrc1, Simm16,
            Literal, Abs, Neg, Omod, Clamp, OpSel, OpSelHi, OpSelHi2, NegHi, DstSel, DstUnused, Src0Sel,
            Src0Sext, Src0Neg, Src0Abs, Src0Scalar, Src1Sel, Src1Sext, Src1Neg, Src1Abs, Src1Scalar, SdwaSdst, DppCtrl, BoundCtrl,
            BankMask, RowMask, Offset, Offset0, Offset1, Offset12, Gds, Glc, Slc, Lds, Tfe, Nv,
            Saddr, Sdata, Sbase, Imm, Soe, Soffset, Srsrc, Ssamp, Offen, Idxen, Addr64, Dfmt,
            Nfmt, Format, Dmask, Unorm, Da, R128, A16, Lwe, D16, En, Tgt, Compr,
            Done, Vm, Vsrc0, Vsrc1, Vsrc2, Vsrc3, High, Attr, AttrChan,
        ]
    };
}

/// Consecutive bits of an instruction, which has at most 64 bits.
///
/// ```
/// use gcn_isa::field::Bits;
/// let bits = Bits { low: 8, width: 4 };
/// assert_eq!((bits.max(), bits.mask()), (0xf, 0xf00));
/// assert_eq!((bits.get(0xabcd), bits.get_signed(0xabcd)), (0xb, -5));
/// assert_eq!(bits.put(0xabcd, 0x7), 0xa7cd);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bits {
    /// Lowest bit, 0..=63.
    pub low: u8,
    /// Number of bits; 0 if the encoding does not have the field.
    pub width: u8,
}

impl Bits {
    /// Maximum unsigned value.
    pub const fn max(self) -> u64 {
        if self.width == 0 {
            0
        } else {
            u64::MAX >> (64 - self.width)
        }
    }

    /// Mask of the bits within the instruction.
    pub const fn mask(self) -> u64 {
        if self.width == 0 {
            0
        } else {
            self.max() << self.low
        }
    }

    /// Extracts the field's value from `word`.
    pub const fn get(self, word: u64) -> u64 {
        (word >> self.low) & self.max()
    }

    /// Extracts the field's value from `word`, sign-extended.
    #[inline]
    pub const fn get_signed(self, word: u64) -> i64 {
        let unused = 64
            - if self.width == 0 {
                1
            } else {
                self.width as u32
            };
        (self.get(word) << unused) as i64 >> unused
    }

    /// Returns `word` with the field set to the low bits of `value`.
    pub const fn put(self, word: u64, value: u64) -> u64 {
        (word & !self.mask()) | ((value & self.max()) << self.low)
    }
}

/// An instruction encoding: a chapter of the manual, or a variant of one.
///
/// # Examples
/// ```
/// use gcn_isa::Encoding;
/// assert_eq!((Encoding::Vop2.suffix(), Encoding::Vop2Sdwa.suffix()), ("_e32", "_sdwa"));
/// assert!(Encoding::Vop1Dpp.is_vector_alu() && Encoding::Vop1Dpp.is_extended());
/// assert!(Encoding::Smem.is_scalar() && !Encoding::Ds.is_scalar());
/// assert!(Encoding::Vop3c.is_vop3() && !Encoding::Vop3p.is_vop3(), "packed VOP3 has another layout");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // Names from the manuals.
pub enum Encoding {
    Sop2,
    Sopk,
    Sop1,
    Sopc,
    Sopp,
    Smrd,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    /// VOP3 with a vector destination.
    Vop3,
    /// VOP3 with a vector and a scalar destination (carry, division scaling).
    Vop3b,
    /// VOP3 with only a scalar destination (comparisons).
    Vop3c,
    Vop3p,
    Vop1Sdwa,
    Vop2Sdwa,
    VopcSdwa,
    Vop1Dpp,
    Vop2Dpp,
    Vintrp,
    /// VOP3 with an attribute and channel in place of the first source (interpolation).
    Vop3Interp,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
    Mtbuf,
    Mimg,
    Exp,
}

impl Encoding {
    /// True for encodings whose instructions execute once per wave, regardless of EXEC.
    pub const fn is_scalar(self) -> bool {
        (self as u8) < Encoding::Vop1 as u8
    }

    /// True for vector ALU encodings, whose operands share the constant bus.
    pub const fn is_vector_alu(self) -> bool {
        matches!(
            self,
            Encoding::Vop1
                | Encoding::Vop2
                | Encoding::Vopc
                | Encoding::Vop3
                | Encoding::Vop3b
                | Encoding::Vop3c
                | Encoding::Vop3p
                | Encoding::Vop1Sdwa
                | Encoding::Vop2Sdwa
                | Encoding::VopcSdwa
                | Encoding::Vop1Dpp
                | Encoding::Vop2Dpp
        )
    }

    /// Suffix by which LLVM distinguishes the encodings of an instruction; `_e32` for all except VOP3, SDWA and DPP.
    pub const fn suffix(self) -> &'static str {
        match self {
            Encoding::Vop3
            | Encoding::Vop3b
            | Encoding::Vop3c
            | Encoding::Vop3p
            | Encoding::Vop3Interp => "_e64",
            Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa => "_sdwa",
            Encoding::Vop1Dpp | Encoding::Vop2Dpp => "_dpp",
            Encoding::Sop2
            | Encoding::Sopk
            | Encoding::Sop1
            | Encoding::Sopc
            | Encoding::Sopp
            | Encoding::Smrd
            | Encoding::Smem
            | Encoding::Vop1
            | Encoding::Vop2
            | Encoding::Vopc
            | Encoding::Vintrp
            | Encoding::Ds
            | Encoding::Flat
            | Encoding::Global
            | Encoding::Scratch
            | Encoding::Mubuf
            | Encoding::Mtbuf
            | Encoding::Mimg
            | Encoding::Exp => "_e32",
        }
    }

    /// True for VOP3, including interpolation, but not for packed instructions (VOP3P).
    pub const fn is_vop3(self) -> bool {
        matches!(
            self,
            Encoding::Vop3 | Encoding::Vop3b | Encoding::Vop3c | Encoding::Vop3Interp
        )
    }

    /// True for SDWA (sub-dword addressing).
    pub const fn is_sdwa(self) -> bool {
        matches!(
            self,
            Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa
        )
    }

    /// True for DPP (data-parallel primitives: lane permutations).
    pub const fn is_dpp(self) -> bool {
        matches!(self, Encoding::Vop1Dpp | Encoding::Vop2Dpp)
    }

    /// True for SDWA and DPP, encodings that assemblers use only on request.
    pub const fn is_extended(self) -> bool {
        matches!(
            self,
            Encoding::Vop1Sdwa
                | Encoding::Vop2Sdwa
                | Encoding::VopcSdwa
                | Encoding::Vop1Dpp
                | Encoding::Vop2Dpp
        )
    }
}

/// Encoding suffixes.
pub const SUFFIXES: [&str; 4] = ["_e32", "_e64", "_sdwa", "_dpp"];

/// Number of encodings.
pub const ENCODINGS: usize = Encoding::Exp as usize + 1;

impl Encoding {
    /// Every encoding.
    #[rustfmt::skip]
    pub const ALL: [Encoding; ENCODINGS] = {
        use Encoding::*;
        [
            Sop2, Sopk, Sop1, Sopc, Sopp, Smrd, Smem, Vop1, Vop2, Vopc, Vop3, Vop3b, Vop3c,
            Vop3p, Vop1Sdwa, Vop2Sdwa, VopcSdwa, Vop1Dpp, Vop2Dpp, Vintrp, Vop3Interp, Ds, Flat, Global, Scratch, Mubuf, Mtbuf, Mimg, Exp,
        ]
    };
}

/// Field map of an encoding on some generations.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Encoding that the map describes.
    pub encoding: Encoding,
    /// Instruction sets that have the encoding.
    pub on: IsaSet,
    /// Length in dwords, excluding a literal.
    pub dwords: u8,
    /// Constant bits of the first dword as (lowest bit, width, value); later entries override earlier ones.
    pub constant: &'static [(u8, u8, u32)],
    /// Fields as (field, lowest bit, width).
    pub fields: &'static [(Field, u8, u8)],
}

/// A [`Format`], indexed by field.
///
/// # Examples
/// ```
/// use gcn_isa::{Encoding, Field, Isa};
/// let [old, new] = [Isa::Ci, Isa::Vi].map(|isa| isa.tables().layout(Encoding::Ds).expect("the encoding exists"));
/// assert_eq!((old.bits(Field::Gds).low, new.bits(Field::Gds).low), (17, 16), "GCN 1.2 moves the bit");
/// assert_eq!((new.constant, new.constant_mask), (0xd800_0000, 0xfc00_0000));
/// assert!(!new.has(Field::Glc) && new.bits(Field::Glc).width == 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Encoding with this layout.
    pub encoding: Encoding,
    /// Length in dwords, excluding a literal.
    pub dwords: u8,
    /// Constant bits of the first dword.
    pub constant: u32,
    /// Mask of the constant bits.
    pub constant_mask: u32,
    bits: [Bits; FIELDS],
}

impl Layout {
    pub(crate) const fn new(format: &Format) -> Layout {
        let mut layout = Layout {
            encoding: format.encoding,
            dwords: format.dwords,
            constant: 0,
            constant_mask: 0,
            bits: [Bits { low: 0, width: 0 }; FIELDS],
        };
        let mut i = 0;
        while i < format.constant.len() {
            let (low, width, value) = format.constant[i];
            let bits = Bits { low, width };
            layout.constant = bits.put(layout.constant as u64, value as u64) as u32;
            layout.constant_mask |= bits.mask() as u32;
            i += 1;
        }
        let mut i = 0;
        while i < format.fields.len() {
            let (field, low, width) = format.fields[i];
            layout.bits[field as usize] = Bits { low, width };
            i += 1;
        }
        layout
    }

    /// Bits of `field`; the width is zero if this encoding does not have it.
    #[inline]
    pub const fn bits(&self, field: Field) -> Bits {
        self.bits[field as usize]
    }

    /// True if this encoding has `field`.
    #[inline]
    pub const fn has(&self, field: Field) -> bool {
        self.bits(field).width != 0
    }
}
