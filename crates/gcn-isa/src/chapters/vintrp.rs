//! VINTRP: parameter interpolation for pixel shaders. Field maps, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "LDS Parameter Reads". On GCN 1.2
//! and later, the instructions also have a VOP3 form; 16-bit interpolation has only that form. On GCN 1.4,
//! `v_interp_p2_f16` names a new instruction that preserves the other half of the destination; the GCN 1.2 instruction
//! of that name is called `v_interp_p2_legacy_f16` there.

use crate::effect::{AluOp::*, Does::*, Interpolation::*};
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::{Forms, family};
use crate::target::on;

#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format { encoding: Encoding::Vintrp, on: on::SI_CI, dwords: 1, constant: &[(26, 6, 0b110010)], fields: FIELDS },
    Format { encoding: Encoding::Vintrp, on: on::VI, dwords: 1, constant: &[(26, 6, 0b110101)], fields: FIELDS },
    Format {
        encoding: Encoding::Vop3Interp, on: on::VI, dwords: 2, constant: &[(26, 6, 0b110100)],
        fields: &[
            (Field::Vdst, 0, 8), (Field::Abs, 8, 3), (Field::Clamp, 15, 1), (Field::Op, 16, 10),
            (Field::Attr, 32, 6), (Field::AttrChan, 38, 2), (Field::High, 40, 1), (Field::Src1, 41, 9), (Field::Src2, 50, 9),
            (Field::Omod, 59, 2), (Field::Neg, 61, 3),
        ],
    },
];

#[rustfmt::skip]
const FIELDS: &[(Field, u8, u8)] = &[
    (Field::Src1, 0, 8), (Field::AttrChan, 8, 2), (Field::Attr, 10, 6), (Field::Op, 16, 2), (Field::Vdst, 18, 8),
];

/// Maximum attribute number.
pub const MAX_ATTRIBUTE: u8 = 32;
/// Channels of an attribute, by number.
pub const CHANNELS: [char; 4] = ['x', 'y', 'z', 'w'];
/// Names of the values that V_INTERP_MOV_F32 can read, by number: the parameter's differences P10 and P20 between
/// vertices, and its value P0 at the first vertex.
pub const VERTEX_PARAMETERS: [&str; 3] = ["p10", "p20", "p0"];

/// Packs an attribute number and a channel into one number.
///
/// # Examples
/// ```
/// use gcn_isa::vintrp::{CHANNELS, pack_attribute};
/// let packed = pack_attribute(2, 3);
/// assert_eq!((packed / 4, CHANNELS[packed as usize % 4]), (2, 'w'), "attr2.w");
/// ```
pub const fn pack_attribute(attribute: u8, channel: u8) -> i64 {
    attribute as i64 * CHANNELS.len() as i64 + channel as i64
}

#[rustfmt::skip]
family! {
    /// VINTRP instructions.
    Vintrp in VINTRP;
//  instruction      si,ci vi,9 on written as                                                  does
    V_INTERP_P1_F32  0     0    SI [VDst(F32), Coordinate, Attr, Clamp, Omod]                  Alu(Interpolate(First)), in Forms::E64;
    V_INTERP_P2_F32  1     1    SI [VDst(F32).updated(), Coordinate, Attr, Clamp, Omod]        Alu(Interpolate(Second)), in Forms::E64;
    V_INTERP_MOV_F32 2     2    SI [VDst(F32), VertexParameter, Attr, Clamp, Omod]             Alu(Interpolate(Vertex)), in Forms::E64;
}

#[rustfmt::skip]
family! {
    /// Interpolation that exists only in VOP3.
    Vop3Interp in VOP3_INTERP;
//  instruction            si,ci vi,9  on   written as                                                  does
    V_INTERP_P1LL_F16      _     0x274 VI   [VDst(F32), Coordinate, Attr, HighHalf, Clamp, Omod]            Alu(Interpolate(First));
    V_INTERP_P1LV_F16      _     0x275 VI   [VDst(F32), Coordinate, Attr, Accumulated, HighHalf, Clamp, Omod] Alu(Interpolate(First));
    V_INTERP_P2_LEGACY_F16 _     0x276 VI   [VDst(F16), Coordinate, Attr, Accumulated, HighHalf, Clamp]     Alu(Interpolate(Second)), spelled VI_ONLY "v_interp_p2_f16";
    V_INTERP_P2_F16        _     0x277 GFX9 [VDst(F16), Coordinate, Attr, Accumulated, HighHalf, Clamp]     Alu(Interpolate(Second));
}
