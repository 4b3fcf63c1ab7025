//! MTBUF: buffers with a format that the instruction gives. Field maps, formats, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector Memory Buffer Instructions".

use crate::effect::Does::*;
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::family;
use crate::target::{Isa, Numbering, on};
use crate::text::Text;

#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format {
        encoding: Encoding::Mtbuf, on: on::SI_CI, dwords: 2, constant: &[(26, 6, 0b111010)],
        fields: &[
            (Field::Offset, 0, 12), (Field::Offen, 12, 1), (Field::Idxen, 13, 1), (Field::Glc, 14, 1), (Field::Addr64, 15, 1),
            (Field::Op, 16, 3), (Field::Dfmt, 19, 4), (Field::Nfmt, 23, 3), (Field::Format, 19, 7),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Srsrc, 48, 5), (Field::Slc, 54, 1), (Field::Tfe, 55, 1), (Field::Soffset, 56, 8),
        ],
    },
    Format {
        encoding: Encoding::Mtbuf, on: on::VI, dwords: 2, constant: &[(26, 6, 0b111010)],
        fields: &[
            (Field::Offset, 0, 12), (Field::Offen, 12, 1), (Field::Idxen, 13, 1), (Field::Glc, 14, 1),
            (Field::Op, 15, 4), (Field::Dfmt, 19, 4), (Field::Nfmt, 23, 3), (Field::Format, 19, 7),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Srsrc, 48, 5), (Field::Slc, 54, 1), (Field::Tfe, 55, 1), (Field::Soffset, 56, 8),
        ],
    },
];

/// The format that stands without being written: one byte, normalised to 0..=1.
pub const DEFAULT_FORMAT: u8 = 1;
/// How many bits of a format are the data format's.
pub const DATA_FORMAT_BITS: u32 = 4;

/// How a buffer's elements are divided into components, by number.
pub const DATA_FORMATS: [&str; 16] = [
    "BUF_DATA_FORMAT_INVALID",
    "BUF_DATA_FORMAT_8",
    "BUF_DATA_FORMAT_16",
    "BUF_DATA_FORMAT_8_8",
    "BUF_DATA_FORMAT_32",
    "BUF_DATA_FORMAT_16_16",
    "BUF_DATA_FORMAT_10_11_11",
    "BUF_DATA_FORMAT_11_11_10",
    "BUF_DATA_FORMAT_10_10_10_2",
    "BUF_DATA_FORMAT_2_10_10_10",
    "BUF_DATA_FORMAT_8_8_8_8",
    "BUF_DATA_FORMAT_32_32",
    "BUF_DATA_FORMAT_16_16_16_16",
    "BUF_DATA_FORMAT_32_32_32",
    "BUF_DATA_FORMAT_32_32_32_32",
    "BUF_DATA_FORMAT_RESERVED_15",
];

/// How a component is read, by number, on `isa`.
pub const fn number_formats(isa: Isa) -> [&'static str; 8] {
    [
        "BUF_NUM_FORMAT_UNORM",
        "BUF_NUM_FORMAT_SNORM",
        "BUF_NUM_FORMAT_USCALED",
        "BUF_NUM_FORMAT_SSCALED",
        "BUF_NUM_FORMAT_UINT",
        "BUF_NUM_FORMAT_SINT",
        if matches!(isa.numbering(), Numbering::Vi9) {
            "BUF_NUM_FORMAT_RESERVED_6"
        } else {
            "BUF_NUM_FORMAT_SNORM_OGL"
        },
        "BUF_NUM_FORMAT_FLOAT",
    ]
}

/// Writes a format as LLVM does: names in brackets, without the one that stands by default.
pub(crate) fn write_format(out: &mut Text, isa: Isa, format: u8) {
    let data = format & ((1 << DATA_FORMAT_BITS) - 1);
    let number = format >> DATA_FORMAT_BITS;
    let names = (
        DATA_FORMATS.get(usize::from(data)),
        number_formats(isa).get(usize::from(number)).copied(),
    );
    let (Some(data_name), Some(number_name)) = names else {
        return out.push_decimal(format.into());
    };
    out.push('[');
    if data != DEFAULT_FORMAT {
        out.push_str(data_name);
        if number != 0 {
            out.push(',');
        }
    }
    if number != 0 {
        out.push_str(number_name);
    }
    out.push(']');
}

#[rustfmt::skip]
family! {
    /// MTBUF instructions.
    Mtbuf in MTBUF;
//  instruction                            si,ci vi,9 on      written as                                                                                                           does
    TBUFFER_LOAD_FORMAT_X                  0x0   0x0  SI      [BufLoaded(1), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(1, B32);
    TBUFFER_LOAD_FORMAT_XY                 0x1   0x1  SI      [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(2, B32);
    TBUFFER_LOAD_FORMAT_XYZ                0x2   0x2  SI      [BufLoaded(3), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(3, B32);
    TBUFFER_LOAD_FORMAT_XYZW               0x3   0x3  SI      [BufLoaded(4), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(4, B32);
    TBUFFER_STORE_FORMAT_X                 0x4   0x4  SI      [BufStored(1), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(1, B32);
    TBUFFER_STORE_FORMAT_XY                0x5   0x5  SI      [BufStored(2), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(2, B32);
    TBUFFER_STORE_FORMAT_XYZ               0x6   0x6  SI      [BufStored(3), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(3, B32);
    TBUFFER_STORE_FORMAT_XYZW              0x7   0x7  SI      [BufStored(4), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(4, B32);
    TBUFFER_LOAD_FORMAT_D16_X              _     0x8  VI      [BufLoaded(1), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(1, B16);
    TBUFFER_LOAD_FORMAT_D16_XY_UNPACKED    _     0x9  SPREAD  [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(2, B16), spelled SPREAD "tbuffer_load_format_d16_xy";
    TBUFFER_LOAD_FORMAT_D16_XY             _     0x9  PACKED  [BufLoaded(1), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(2, B16);
    TBUFFER_LOAD_FORMAT_D16_XYZ_UNPACKED   _     0xa  SPREAD  [BufLoaded(3), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(3, B16), spelled SPREAD "tbuffer_load_format_d16_xyz";
    TBUFFER_LOAD_FORMAT_D16_XYZ            _     0xa  PACKED  [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(3, B16);
    TBUFFER_LOAD_FORMAT_D16_XYZW_UNPACKED  _     0xb  SPREAD  [BufLoaded(4), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(4, B16), spelled SPREAD "tbuffer_load_format_d16_xyzw";
    TBUFFER_LOAD_FORMAT_D16_XYZW           _     0xb  PACKED  [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] LoadFormat(4, B16);
    TBUFFER_STORE_FORMAT_D16_X             _     0xc  VI      [BufStored(1), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(1, B16);
    TBUFFER_STORE_FORMAT_D16_XY_UNPACKED   _     0xd  SPREAD  [BufStored(2), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(2, B16), spelled SPREAD "tbuffer_store_format_d16_xy";
    TBUFFER_STORE_FORMAT_D16_XY            _     0xd  PACKED  [BufStored(1), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(2, B16);
    TBUFFER_STORE_FORMAT_D16_XYZ_UNPACKED  _     0xe  SPREAD  [BufStored(3), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(3, B16), spelled SPREAD "tbuffer_store_format_d16_xyz";
    TBUFFER_STORE_FORMAT_D16_XYZ           _     0xe  PACKED  [BufStored(2), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(3, B16);
    TBUFFER_STORE_FORMAT_D16_XYZW_UNPACKED _     0xf  SPREAD  [BufStored(4), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(4, B16), spelled SPREAD "tbuffer_store_format_d16_xyzw";
    TBUFFER_STORE_FORMAT_D16_XYZW          _     0xf  PACKED  [BufStored(2), BufAddress, Srsrc, BufSoffset, Format, Dfmt, Nfmt, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe] StoreFormat(4, B16);
}
