//! Operands and modifiers, each bound to a field: the contents of a row's "written as" column.

use crate::field::Field;

/// Type of a value: determines its width, the interpretation of constants, and its representation in memory.
///
/// # Examples
/// ```
/// use gcn_isa::Ty;
/// assert_eq!((Ty::F16.bytes(), Ty::F16.dwords(), Ty::F16.constant_bits()), (2, 1, 16));
/// assert!(Ty::F16x2.is_float() && !Ty::F16x2.is_short_integer(), "two floats in a dword");
/// assert_eq!(Ty::of_dwords(4), Ty::B128);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // B is untyped bits, U unsigned, I signed, F IEEE floating point.
pub enum Ty {
    B8,
    B16,
    B32,
    B64,
    B96,
    B128,
    B256,
    B512,
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    F16x2,
    /// Two 16-bit integers, signed or unsigned, in a dword.
    I16x2,
}

impl Ty {
    /// Size in bytes.
    #[inline]
    pub const fn bytes(self) -> u8 {
        match self {
            Ty::B8 | Ty::U8 | Ty::I8 => 1,
            Ty::B16 | Ty::U16 | Ty::I16 | Ty::F16 => 2,
            Ty::B32 | Ty::U32 | Ty::I32 | Ty::F32 | Ty::F16x2 | Ty::I16x2 => 4,
            Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 => 8,
            Ty::B96 => 12,
            Ty::B128 => 16,
            Ty::B256 => 32,
            Ty::B512 => 64,
        }
    }

    /// Number of registers that hold a value; a sub-dword value takes a whole register.
    #[inline]
    pub const fn dwords(self) -> u8 {
        self.bytes().div_ceil(4)
    }

    /// True for floating-point types, to which the source modifiers absolute value and negation apply.
    pub const fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64 | Ty::F16x2)
    }

    /// Width in bits of a constant of this type: 16, 32 or 64.
    pub const fn constant_bits(self) -> u32 {
        match self {
            Ty::B16 | Ty::U16 | Ty::I16 | Ty::F16 => 16,
            Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 => 64,
            Ty::B8
            | Ty::B32
            | Ty::B96
            | Ty::B128
            | Ty::B256
            | Ty::B512
            | Ty::U8
            | Ty::U32
            | Ty::I8
            | Ty::I32
            | Ty::F32
            | Ty::F16x2
            | Ty::I16x2 => 32,
        }
    }

    /// True for 16-bit integers or untyped 16-bit values.
    pub const fn is_short_integer(self) -> bool {
        matches!(self, Ty::B16 | Ty::U16 | Ty::I16)
    }

    /// Untyped type of 1, 2, 3, 4, 8 or 16 registers; panics for other numbers.
    pub const fn of_dwords(dwords: u8) -> Ty {
        match dwords {
            1 => Ty::B32,
            2 => Ty::B64,
            3 => Ty::B96,
            4 => Ty::B128,
            8 => Ty::B256,
            16 => Ty::B512,
            _ => panic!("no type has this number of dwords"),
        }
    }
}

/// Interpretation of a field's value.
///
/// # Examples
/// ```
/// use gcn_isa::{Kind, Op, smem::Smem};
/// let kinds = Op::Smem(Smem::S_LOAD_DWORD).row().slots().map(|slot| slot.kind);
/// assert!(kinds.eq([Kind::Sdst, Kind::Aligned(1), Kind::ScalarOffset { signed: true }]));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Number of the first VGPR. In nine-bit fields, VGPRs are numbered from 256, and the only other valid value is
    /// LDS_DIRECT.
    Vgpr,
    /// GLOBAL address: a VGPR pair, or one VGPR if SADDR names a register (errata E016).
    GlobalAddress,
    /// SCRATCH address: one VGPR, or `off` if SADDR names a register (errata E017).
    ScratchAddress,
    /// Buffer address: as many VGPRs as IDXEN, OFFEN and ADDR64 require, or `off` for none.
    BufferAddress,
    /// Data of an image instruction: one VGPR per component in DMASK, half as many with packed 16-bit components,
    /// plus a status dword with TFE.
    ImageData {
        /// True if there are always four components (gathers).
        gathers: bool,
    },
    /// Address of an image instruction. The number of VGPRs depends on the image, which the encoding does not specify,
    /// so LLVM prints the minimum.
    ImageAddress {
        /// Minimum number of VGPRs, with 16-bit components.
        least: u8,
        /// Maximum number of VGPRs.
        most: u8,
    },
    /// Export target: `mrt0`, `pos0`, `param0` (see [`exp`](crate::exp)).
    ExportTarget,
    /// Export value by index, 0 to 3: a VGPR, or `off` if its bit in EN is clear. With COMPR, two values share a
    /// VGPR.
    ExportSource(u8),
    /// Attribute number and channel: `attr0.x`; as a number, 4 · attribute + channel.
    Attribute,
    /// Parameter value of V_INTERP_MOV_F32: difference `p10` or `p20` between vertices, or `p0` at the first vertex.
    VertexParameter,
    /// SADDR: an SGPR or SGPR pair; 0x7f means `off` (errata E079).
    Saddr,
    /// Vector source: a 9-bit field names a scalar source, a constant or (from 256) a VGPR; an 8-bit field names a VGPR
    /// or, in SDWA on GCN 1.4, a scalar source.
    Src,
    /// Scalar source: SGPR, special register, inline constant or literal.
    Ssrc,
    /// Scalar register: a destination, or a source that cannot be a constant; VCC if the encoding lacks the field.
    Sdst,
    /// Number of the first SGPR, shifted right by this amount: 1 for SBASE, 2 for SRSRC and SSAMP.
    Aligned(u8),
    /// Offset of a scalar memory instruction: immediate, register or both (errata E025).
    ScalarOffset {
        /// True if the immediate is signed on instruction sets whose field has 21 bits (errata E012).
        signed: bool,
    },
    /// Unsigned number.
    Unsigned,
    /// Signed number.
    Signed,
    /// 16-bit immediate, which may be given as a signed or unsigned number.
    Simm16,
    /// Distance in dwords from the next instruction.
    Branch,
    /// Counters of S_WAITCNT.
    Waitcnt,
    /// Hardware register and a range of its bits.
    Hwreg,
    /// Message of S_SENDMSG.
    SendMsg,
    /// Bit mask of the operands that VGPR indexing applies to: `gpr_idx(SRC0,SRC1,SRC2,DST)`.
    GprIndex,
    /// Mandatory literal in the dword after the encoding (V_MADMK, V_MADAK, S_SETREG_IMM32).
    Literal,
}

/// Direction of an instruction's access to an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum OperandAccess {
    Read,
    Write,
    ReadWrite,
}

/// Condition under which an operand appears in LLVM's syntax. An operand whose field is nonzero always appears.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Presence {
    /// Always.
    Always,
    /// Only if an atomic returns the old value (GLC; errata E014).
    Returned,
    /// Only without `lds`, with which the VGPR destination is not written (errata E015).
    NotLds,
    /// Only if its field is nonzero (errata E018, E019).
    Optional,
}

/// An operand of a row.
///
/// # Examples
/// ```
/// use gcn_isa::{Field, Kind, Op, OperandAccess, Ty, vop::Vop2};
/// let sum = Op::Vop2(Vop2::V_MAC_F32).row().slots().next().expect("its destination");
/// assert_eq!((sum.field, sum.kind, sum.ty), (Field::Vdst, Kind::Vgpr, Ty::F32));
/// assert_eq!(sum.access, OperandAccess::ReadWrite, "the destination is also an addend");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// Field that holds the register number or immediate.
    pub field: Field,
    /// Interpretation of the field's value.
    pub kind: Kind,
    /// Type, which determines the number of registers.
    pub ty: Ty,
    /// Direction of the access: read, write or both.
    pub access: OperandAccess,
    /// Condition under which the operand appears in the text.
    pub when: Presence,
}

/// Syntax of a modifier's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ModifierValue {
    /// No value: `gds`.
    Flag,
    /// `offset:N`, N ≥ 0.
    Unsigned,
    /// `offset:N`, signed.
    Signed,
    /// `offset:N` or `offset:swizzle(…)` (errata E023).
    Swizzle,
    /// `mul:2`, `mul:4`, `div:2`.
    Omod,
    /// Bit list, mostly one bit per source: `op_sel:[0,1]`; see [`Inst::list_bits`](crate::Inst::list_bits).
    BitList,
    /// Name of a value: `dst_sel:WORD_1`. LLVM always prints the modifier.
    Named(&'static [&'static str]),
    /// Hexadecimal number: `row_mask:0xf`. LLVM always prints the modifier.
    Hex,
    /// Hexadecimal number, omitted if it is 0: `dmask:0xf`.
    Mask,
    /// Data and number format: `format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]` (see [`mtbuf`](crate::mtbuf)).
    BufferFormat,
    /// Part of another modifier's value: `dfmt:4`. Never printed; may precede operands.
    Part,
    /// Lane permutation, written as the permutation's name: `quad_perm:[0,1,2,3]`, `row_shl:1` (see
    /// [`dpp`](crate::dpp)).
    LanePermutation,
}

/// A modifier. Modifiers follow the operands in any order.
///
/// # Examples
/// ```
/// use gcn_isa::{ModifierValue, Op, ds::Ds};
/// let offset = Op::Ds(Ds::DS_READ_B32).row().modifiers().next().expect("its offset");
/// assert_eq!((offset.names, offset.value), (&["offset"][..], ModifierValue::Unsigned));
/// assert!(!offset.required && offset.default == 0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Modifier {
    /// Field that holds the value.
    pub field: Field,
    /// Name as printed, followed by alternative names.
    pub names: &'static [&'static str],
    /// Syntax of the value.
    pub value: ModifierValue,
    /// True if the modifier is mandatory (errata E019, E020).
    pub required: bool,
    /// Default value; for a list, the value of each bit.
    pub default: u8,
}

/// Entry of the "written as" column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Written {
    /// An operand; operands are listed in text order.
    Operand(Slot),
    /// A modifier.
    Modifier(Modifier),
}

/// Parts of a register that SDWA can select, by number.
pub const SELECTIONS: &[&str] = &[
    "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD",
];
/// SDWA selection of the whole register.
pub(crate) const SEL_DWORD: u8 = 6;
/// Treatment of the remaining bits of an SDWA destination, by number: zero, sign extension, old value.
pub const UNUSED: &[&str] = &["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
/// DST_UNUSED value that preserves the remaining bits.
const UNUSED_PRESERVE: u8 = 2;
/// Mask of all rows or all banks.
const ALL_LANES: u8 = 0xf;
/// Identity permutation, `quad_perm:[0,1,2,3]`.
const SAME_LANE: u8 = 0xe4;

const fn of_encoding(
    field: Field,
    name: &'static [&'static str],
    value: ModifierValue,
    default: u8,
) -> Modifier {
    Modifier {
        field,
        names: name,
        value,
        required: false,
        default,
    }
}

/// Modifiers that an encoding with the corresponding fields adds to the row's own.
#[rustfmt::skip]
pub(crate) const ENCODING_MODIFIERS: &[Modifier] = &[
    of_encoding(Field::DstSel,    &["dst_sel"],    ModifierValue::Named(SELECTIONS), SEL_DWORD),
    of_encoding(Field::DstUnused, &["dst_unused", "dst_un"], ModifierValue::Named(UNUSED), UNUSED_PRESERVE),
    of_encoding(Field::Src0Sel,   &["src0_sel"],   ModifierValue::Named(SELECTIONS), SEL_DWORD),
    of_encoding(Field::Src1Sel,   &["src1_sel"],   ModifierValue::Named(SELECTIONS), SEL_DWORD),
    of_encoding(Field::DppCtrl,   &["dpp_ctrl"],   ModifierValue::LanePermutation,   SAME_LANE),
    of_encoding(Field::RowMask,   &["row_mask"],   ModifierValue::Hex,               ALL_LANES),
    of_encoding(Field::BankMask,  &["bank_mask"],  ModifierValue::Hex,               ALL_LANES),
    of_encoding(Field::BoundCtrl, &["bound_ctrl"], ModifierValue::Unsigned,          0),
];

/// CLAMP of SDWA, which every SDWA instruction has.
pub(crate) const SDWA_CLAMP: &[Modifier] = &[of_encoding(
    Field::Clamp,
    &["clamp"],
    ModifierValue::Flag,
    0,
)];

/// Vocabulary of the rows, spelled like the manuals' fields, so that a row reads like the manual.
#[allow(non_snake_case, non_upper_case_globals, missing_docs)]
pub(crate) mod words {
    use super::{Kind, Modifier, ModifierValue, OperandAccess::*, Presence, Slot, Ty, Written};
    use crate::buffer_format::DEFAULT_FORMAT;
    use crate::field::Field;

    const fn slot(field: Field, kind: Kind, ty: Ty, access: super::OperandAccess) -> Written {
        Written::Operand(Slot {
            field,
            kind,
            ty,
            access,
            when: Presence::Always,
        })
    }

    impl Written {
        const fn when(self, when: Presence) -> Written {
            match self {
                Written::Operand(slot) => Written::Operand(Slot { when, ..slot }),
                modifier => modifier,
            }
        }

        /// Marks an operand as read and written.
        pub(crate) const fn updated(self) -> Written {
            match self {
                Written::Operand(slot) => Written::Operand(Slot {
                    access: ReadWrite,
                    ..slot
                }),
                modifier => modifier,
            }
        }

        /// Marks an operand that may be omitted if zero.
        pub(crate) const fn optional(self) -> Written {
            self.when(Presence::Optional)
        }

        /// Marks a destination that appears only if the atomic returns the old value (errata E014).
        pub(crate) const fn returned(self) -> Written {
            self.when(Presence::Returned)
        }

        /// Marks a destination that is omitted with `lds` (errata E015).
        pub(crate) const fn not_lds(self) -> Written {
            self.when(Presence::NotLds)
        }

        /// Sets the default of each bit of a bit list to 1.
        pub(crate) const fn by_default(self) -> Written {
            match self {
                Written::Modifier(m) => Written::Modifier(Modifier { default: 1, ..m }),
                operand => operand,
            }
        }

        const fn with_default(self, default: u8) -> Written {
            match self {
                Written::Modifier(m) => Written::Modifier(Modifier { default, ..m }),
                operand => operand,
            }
        }

        /// Marks a mandatory modifier.
        pub(crate) const fn required(self) -> Written {
            match self {
                Written::Modifier(m) => Written::Modifier(Modifier {
                    required: true,
                    ..m
                }),
                operand => operand,
            }
        }
    }

    // Vector memory: n registers.
    pub const fn Vdst(n: u8) -> Written {
        slot(Field::Vdst, Kind::Vgpr, Ty::of_dwords(n), Write)
    }
    pub const fn Vaddr(n: u8) -> Written {
        slot(Field::Vaddr, Kind::Vgpr, Ty::of_dwords(n), Read)
    }
    pub const fn Vdata(n: u8) -> Written {
        slot(Field::Vdata, Kind::Vgpr, Ty::of_dwords(n), Read)
    }
    pub const fn Vdata1(n: u8) -> Written {
        slot(Field::Vdata1, Kind::Vgpr, Ty::of_dwords(n), Read)
    }
    pub const GlobalAddress: Written = slot(Field::Vaddr, Kind::GlobalAddress, Ty::B64, Read);
    pub const ScratchAddress: Written = slot(Field::Vaddr, Kind::ScratchAddress, Ty::B32, Read);
    pub const fn Saddr(n: u8) -> Written {
        slot(Field::Saddr, Kind::Saddr, Ty::of_dwords(n), Read)
    }
    pub const fn BufLoaded(n: u8) -> Written {
        slot(Field::Vdata, Kind::Vgpr, Ty::of_dwords(n), Write)
    }
    pub const fn BufStored(n: u8) -> Written {
        slot(Field::Vdata, Kind::Vgpr, Ty::of_dwords(n), Read)
    }
    pub const BufAddress: Written = slot(Field::Vaddr, Kind::BufferAddress, Ty::B64, Read);
    pub const Srsrc: Written = slot(Field::Srsrc, Kind::Aligned(2), Ty::B128, Read);
    pub const BufSoffset: Written = slot(Field::Soffset, Kind::Ssrc, Ty::B32, Read);

    // Scalar memory: n registers.
    pub const fn Sdata(n: u8) -> Written {
        slot(Field::Sdata, Kind::Sdst, Ty::of_dwords(n), Write)
    }
    pub const fn Sstore(n: u8) -> Written {
        slot(Field::Sdata, Kind::Sdst, Ty::of_dwords(n), Read)
    }
    pub const fn Sbase(n: u8) -> Written {
        slot(Field::Sbase, Kind::Aligned(1), Ty::of_dwords(n), Read)
    }
    pub const Probe: Written = slot(Field::Sdata, Kind::Unsigned, Ty::U8, Read);
    /// Immediate (signed on GCN 1.4), register, or (on GCN 1.4) both.
    pub const Soffset: Written = slot(
        Field::Offset,
        Kind::ScalarOffset { signed: true },
        Ty::B32,
        Read,
    );
    /// [`Soffset`] without negative immediates.
    pub const Boffset: Written = slot(
        Field::Offset,
        Kind::ScalarOffset { signed: false },
        Ty::B32,
        Read,
    );

    // ALU operands, by type.
    pub const fn VDst(ty: Ty) -> Written {
        slot(Field::Vdst, Kind::Vgpr, ty, Write)
    }
    pub const fn Src0(ty: Ty) -> Written {
        slot(Field::Src0, Kind::Src, ty, Read)
    }
    pub const fn Src1(ty: Ty) -> Written {
        slot(Field::Src1, Kind::Src, ty, Read)
    }
    pub const fn Src2(ty: Ty) -> Written {
        slot(Field::Src2, Kind::Src, ty, Read)
    }
    /// Scalar destination in the field of the vector destination (V_READLANE).
    pub const VDstScalar: Written = slot(Field::Vdst, Kind::Sdst, Ty::B32, Write);
    /// Source that must be a VGPR or LDS_DIRECT.
    pub const VSrc0: Written = slot(Field::Src0, Kind::Vgpr, Ty::B32, Read);
    /// Source that must be scalar.
    pub const Scalar0: Written = slot(Field::Src0, Kind::Ssrc, Ty::B32, Read);
    /// Lane number, which must be scalar.
    pub const Lane1: Written = slot(Field::Src1, Kind::Ssrc, Ty::B32, Read);
    pub const fn SDst(ty: Ty) -> Written {
        slot(Field::Sdst, Kind::Sdst, ty, Write)
    }
    pub const fn SSrc0(ty: Ty) -> Written {
        slot(Field::Ssrc0, Kind::Ssrc, ty, Read)
    }
    pub const fn SSrc1(ty: Ty) -> Written {
        slot(Field::Ssrc1, Kind::Ssrc, ty, Read)
    }
    /// Scalar source that must be a register.
    pub const fn SReg0(ty: Ty) -> Written {
        slot(Field::Ssrc0, Kind::Sdst, ty, Read)
    }
    /// Scalar source register, encoded in SDST.
    pub const fn SStored(ty: Ty) -> Written {
        slot(Field::Sdst, Kind::Sdst, ty, Read)
    }
    /// Scalar destination in addition to the vector destination; VCC if the encoding lacks the field.
    pub const Carry: Written = slot(Field::Sdst, Kind::Sdst, Ty::B64, Write);
    /// Lane mask as a source; VCC if the encoding lacks the field.
    pub const Mask: Written = slot(Field::Src2, Kind::Sdst, Ty::B64, Read);
    pub const K: Written = slot(Field::Literal, Kind::Literal, Ty::B32, Read);
    /// [`K`] as a 16-bit float: the upper 16 bits are zero.
    pub const K16: Written = slot(Field::Literal, Kind::Literal, Ty::F16, Read);
    pub const fn Simm(kind: Kind) -> Written {
        slot(Field::Simm16, kind, Ty::B16, Read)
    }

    pub const GprIndex: Written = slot(Field::Ssrc1, Kind::GprIndex, Ty::B8, Read);

    const fn flag(field: Field, names: &'static [&'static str]) -> Written {
        Written::Modifier(Modifier {
            field,
            names,
            value: ModifierValue::Flag,
            required: false,
            default: 0,
        })
    }
    const fn number(field: Field, names: &'static [&'static str], value: ModifierValue) -> Written {
        Written::Modifier(Modifier {
            field,
            names,
            value,
            required: false,
            default: 0,
        })
    }

    pub const Offset: Written = number(Field::Offset, &["offset"], ModifierValue::Unsigned);
    pub const Offset0: Written = number(Field::Offset0, &["offset0"], ModifierValue::Unsigned);
    pub const Offset1: Written = number(Field::Offset1, &["offset1"], ModifierValue::Unsigned);
    pub const SwizzleOffset: Written = number(Field::Offset, &["offset"], ModifierValue::Swizzle);
    /// FLAT's 12-bit unsigned offset (errata E013, E084).
    pub const FlatOffset: Written = number(
        Field::Offset12,
        &["offset", "inst_offset"],
        ModifierValue::Unsigned,
    );
    /// 13-bit signed offset of GLOBAL and SCRATCH.
    pub const SegmentOffset: Written = number(
        Field::Offset,
        &["offset", "inst_offset"],
        ModifierValue::Signed,
    );
    pub const Gds: Written = flag(Field::Gds, &["gds"]);
    pub const Glc: Written = flag(Field::Glc, &["glc"]);
    pub const Slc: Written = flag(Field::Slc, &["slc"]);
    pub const Tfe: Written = flag(Field::Tfe, &["tfe"]);
    pub const Nv: Written = flag(Field::Nv, &["nv"]);
    pub const Lds: Written = flag(Field::Lds, &["lds"]);
    pub const Offen: Written = flag(Field::Offen, &["offen"]);
    pub const Idxen: Written = flag(Field::Idxen, &["idxen"]);
    pub const Addr64: Written = flag(Field::Addr64, &["addr64"]);
    pub const Clamp: Written = flag(Field::Clamp, &["clamp"]);
    pub const OpSel: Written = number(Field::OpSel, &["op_sel"], ModifierValue::BitList);
    /// Selects the source halves for the high half of the result; by default, the high halves.
    pub const OpSelHi: Written =
        number(Field::OpSelHi, &["op_sel_hi"], ModifierValue::BitList).by_default();
    /// Marks 16-bit sources of a mixed-precision instruction; by default, none.
    pub const OpSelMix: Written = number(Field::OpSelHi, &["op_sel_hi"], ModifierValue::BitList);
    pub const NegLo: Written = number(Field::Neg, &["neg_lo"], ModifierValue::BitList);
    pub const NegHi: Written = number(Field::NegHi, &["neg_hi"], ModifierValue::BitList);
    // Typed buffers.
    pub const Format: Written = number(Field::Format, &["format"], ModifierValue::BufferFormat)
        .with_default(DEFAULT_FORMAT);
    pub const Dfmt: Written =
        number(Field::Dfmt, &["dfmt"], ModifierValue::Part).with_default(DEFAULT_FORMAT);
    pub const Nfmt: Written = number(Field::Nfmt, &["nfmt"], ModifierValue::Part);

    // Images.
    pub const fn ImageData(gathers: bool, access: super::OperandAccess) -> Written {
        slot(Field::Vdata, Kind::ImageData { gathers }, Ty::B32, access)
    }
    pub const fn ImageAddress(least: u8, most: u8) -> Written {
        slot(
            Field::Vaddr,
            Kind::ImageAddress { least, most },
            Ty::B32,
            Read,
        )
    }
    pub const ImageResource: Written = slot(Field::Srsrc, Kind::Aligned(2), Ty::B256, Read);
    pub const Sampler: Written = slot(Field::Ssamp, Kind::Aligned(2), Ty::B128, Read);
    pub const Dmask: Written = number(Field::Dmask, &["dmask"], ModifierValue::Mask);
    pub const Unorm: Written = flag(Field::Unorm, &["unorm"]);
    pub const R128: Written = flag(Field::R128, &["r128"]);
    pub const A16: Written = flag(Field::A16, &["a16"]);
    pub const Lwe: Written = flag(Field::Lwe, &["lwe"]);
    pub const Da: Written = flag(Field::Da, &["da"]);
    pub const D16: Written = flag(Field::D16, &["d16"]);

    // Exports and interpolation.
    pub const ExportTo: Written = slot(Field::Tgt, Kind::ExportTarget, Ty::B8, Read);
    pub const fn Exported(field: Field, place: u8) -> Written {
        slot(field, Kind::ExportSource(place), Ty::B32, Read)
    }
    pub const Done: Written = flag(Field::Done, &["done"]);
    pub const Compr: Written = flag(Field::Compr, &["compr"]);
    pub const ValidMask: Written = flag(Field::Vm, &["vm"]);
    /// Barycentric coordinate.
    pub const Coordinate: Written = slot(Field::Src1, Kind::Vgpr, Ty::F32, Read);
    /// Result of an earlier interpolation instruction.
    pub const Accumulated: Written = slot(Field::Src2, Kind::Vgpr, Ty::F32, Read);
    pub const VertexParameter: Written = slot(Field::Src1, Kind::VertexParameter, Ty::B32, Read);
    pub const Attr: Written = slot(Field::Attr, Kind::Attribute, Ty::B32, Read);
    pub const HighHalf: Written = flag(Field::High, &["high"]);

    pub const Omod: Written = number(Field::Omod, &["mul", "div"], ModifierValue::Omod);
}
