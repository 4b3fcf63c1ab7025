//! MUBUF: buffers without format conversion. Field maps, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector Memory Buffer Instructions".

use crate::effect::Does::*;
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::family;
use crate::target::on;

#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format {
        encoding: Encoding::Mubuf, on: on::SI_CI, dwords: 2, constant: &[(26, 6, 0b111000)],
        fields: &[
            (Field::Offset, 0, 12), (Field::Offen, 12, 1), (Field::Idxen, 13, 1), (Field::Glc, 14, 1), (Field::Addr64, 15, 1),
            (Field::Lds, 16, 1), (Field::Op, 18, 7), (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Srsrc, 48, 5),
            (Field::Slc, 54, 1), (Field::Tfe, 55, 1), (Field::Soffset, 56, 8),
        ],
    },
    Format {
        encoding: Encoding::Mubuf, on: on::VI, dwords: 2, constant: &[(26, 6, 0b111000)],
        fields: &[
            (Field::Offset, 0, 12), (Field::Offen, 12, 1), (Field::Idxen, 13, 1), (Field::Glc, 14, 1),
            (Field::Lds, 16, 1), (Field::Slc, 17, 1), (Field::Op, 18, 7), (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8),
            (Field::Srsrc, 48, 5), (Field::Tfe, 55, 1), (Field::Soffset, 56, 8),
        ],
    },
];

#[rustfmt::skip]
family! {
    /// MUBUF instructions.
    Mubuf in MUBUF;
//  instruction              si,ci vi,9 on    written as                                                                                   does
    BUFFER_LOAD_DWORD        0x0c 0x14 SI    [BufLoaded(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe, Lds] Load(B32);
    BUFFER_STORE_DWORD       0x1c 0x1c SI    [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]      Store(B32);
}
