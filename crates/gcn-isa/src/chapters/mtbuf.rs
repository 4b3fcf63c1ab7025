//! MTBUF: buffers whose format the instruction specifies. Field maps, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "Vector Memory Buffer Instructions".

use crate::effect::Does::*;
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::family;
use crate::target::on;

pub use crate::buffer_format::{DATA_FORMAT_BITS, DATA_FORMATS, DEFAULT_FORMAT, number_formats};

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
