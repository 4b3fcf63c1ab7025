//! MUBUF: buffers, untyped or in the descriptor's format. Field maps, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "Vector Memory Buffer Instructions".

use crate::effect::{AtomicOp::*, CacheOp, Does::*, Half::*};
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
//  instruction                           si,ci vi,9 on      written as                                                                                                does
    BUFFER_LOAD_FORMAT_X                  0x00 0x00 SI      [BufLoaded(1).not_lds(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe, Lds] LoadFormat(1, B32);
    BUFFER_LOAD_FORMAT_XY                 0x01 0x01 SI      [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(2, B32);
    BUFFER_LOAD_FORMAT_XYZ                0x02 0x02 SI      [BufLoaded(3), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(3, B32);
    BUFFER_LOAD_FORMAT_XYZW               0x03 0x03 SI      [BufLoaded(4), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(4, B32);
    BUFFER_STORE_FORMAT_X                 0x04 0x04 SI      [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(1, B32);
    BUFFER_STORE_FORMAT_XY                0x05 0x05 SI      [BufStored(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(2, B32);
    BUFFER_STORE_FORMAT_XYZ               0x06 0x06 SI      [BufStored(3), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(3, B32);
    BUFFER_STORE_FORMAT_XYZW              0x07 0x07 SI      [BufStored(4), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(4, B32);
    BUFFER_LOAD_UBYTE                     0x08 0x10 SI      [BufLoaded(1).not_lds(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe, Lds] Load(U8);
    BUFFER_LOAD_SBYTE                     0x09 0x11 SI      [BufLoaded(1).not_lds(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe, Lds] Load(I8);
    BUFFER_LOAD_USHORT                    0x0a 0x12 SI      [BufLoaded(1).not_lds(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe, Lds] Load(U16);
    BUFFER_LOAD_SSHORT                    0x0b 0x13 SI      [BufLoaded(1).not_lds(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe, Lds] Load(I16);
    BUFFER_LOAD_DWORD                     0x0c 0x14 SI      [BufLoaded(1).not_lds(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe, Lds] Load(B32);
    BUFFER_LOAD_DWORDX2                   0x0d 0x15 SI      [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Load(B64);
    BUFFER_LOAD_DWORDX3                   0x0f 0x16 CI      [BufLoaded(3), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Load(B96);
    BUFFER_LOAD_DWORDX4                   0x0e 0x17 SI      [BufLoaded(4), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Load(B128);
    BUFFER_STORE_BYTE                     0x18 0x18 SI      [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Store(B8);
    BUFFER_STORE_SHORT                    0x1a 0x1a SI      [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Store(B16);
    BUFFER_STORE_DWORD                    0x1c 0x1c SI      [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Store(B32);
    BUFFER_STORE_DWORDX2                  0x1d 0x1d SI      [BufStored(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Store(B64);
    BUFFER_STORE_DWORDX3                  0x1f 0x1e CI      [BufStored(3), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Store(B96);
    BUFFER_STORE_DWORDX4                  0x1e 0x1f SI      [BufStored(4), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                Store(B128);
    BUFFER_ATOMIC_SWAP                    0x30 0x40 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Swap, B32);
    BUFFER_ATOMIC_CMPSWAP                 0x31 0x41 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(CompareSwap, B32);
    BUFFER_ATOMIC_ADD                     0x32 0x42 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Add, U32);
    BUFFER_ATOMIC_SUB                     0x33 0x43 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Sub, U32);
    BUFFER_ATOMIC_RSUB                    0x34 _    SI_ONLY [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Rsub, U32), lacking ALL;
    BUFFER_ATOMIC_SMIN                    0x35 0x44 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Min, I32);
    BUFFER_ATOMIC_UMIN                    0x36 0x45 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Min, U32);
    BUFFER_ATOMIC_SMAX                    0x37 0x46 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Max, I32);
    BUFFER_ATOMIC_UMAX                    0x38 0x47 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Max, U32);
    BUFFER_ATOMIC_AND                     0x39 0x48 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(And, B32);
    BUFFER_ATOMIC_OR                      0x3a 0x49 SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Or, B32);
    BUFFER_ATOMIC_XOR                     0x3b 0x4a SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Xor, B32);
    BUFFER_ATOMIC_INC                     0x3c 0x4b SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Inc, U32);
    BUFFER_ATOMIC_DEC                     0x3d 0x4c SI      [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Dec, U32);
    BUFFER_ATOMIC_FCMPSWAP                0x3e _    SI_CI   [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(CompareSwap, F32);
    BUFFER_ATOMIC_FMIN                    0x3f _    SI_CI   [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Min, F32);
    BUFFER_ATOMIC_FMAX                    0x40 _    SI_CI   [BufStored(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Max, F32);
    BUFFER_ATOMIC_SWAP_X2                 0x50 0x60 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Swap, B64);
    BUFFER_ATOMIC_CMPSWAP_X2              0x51 0x61 SI      [BufStored(4).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(CompareSwap, B64);
    BUFFER_ATOMIC_ADD_X2                  0x52 0x62 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Add, U64);
    BUFFER_ATOMIC_SUB_X2                  0x53 0x63 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Sub, U64);
    BUFFER_ATOMIC_RSUB_X2                 0x54 _    SI_ONLY [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Rsub, U64), lacking ALL;
    BUFFER_ATOMIC_SMIN_X2                 0x55 0x64 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Min, I64);
    BUFFER_ATOMIC_UMIN_X2                 0x56 0x65 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Min, U64);
    BUFFER_ATOMIC_SMAX_X2                 0x57 0x66 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Max, I64);
    BUFFER_ATOMIC_UMAX_X2                 0x58 0x67 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Max, U64);
    BUFFER_ATOMIC_AND_X2                  0x59 0x68 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(And, B64);
    BUFFER_ATOMIC_OR_X2                   0x5a 0x69 SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Or, B64);
    BUFFER_ATOMIC_XOR_X2                  0x5b 0x6a SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Xor, B64);
    BUFFER_ATOMIC_INC_X2                  0x5c 0x6b SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Inc, U64);
    BUFFER_ATOMIC_DEC_X2                  0x5d 0x6c SI      [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Dec, U64);
    BUFFER_ATOMIC_FCMPSWAP_X2             0x5e _    SI_CI   [BufStored(4).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(CompareSwap, F64);
    BUFFER_ATOMIC_FMIN_X2                 0x5f _    SI_CI   [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Min, F64);
    BUFFER_ATOMIC_FMAX_X2                 0x60 _    SI_CI   [BufStored(2).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc]           Atomic(Max, F64);
    BUFFER_WBINVL1_SC                     0x70 _    SI_ONLY []                                                                                                        Cache(CacheOp::Invalidate);
    BUFFER_WBINVL1_VOL                    0x70 0x3f CI      []                                                                                                        Cache(CacheOp::Invalidate);
    BUFFER_WBINVL1                        0x71 0x3e SI      []                                                                                                        Cache(CacheOp::Invalidate);
    BUFFER_LOAD_FORMAT_D16_X              _    0x08 VI      [BufLoaded(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(1, B16);
    BUFFER_LOAD_FORMAT_D16_XY_UNPACKED    _    0x09 SPREAD  [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(2, B16), spelled SPREAD "buffer_load_format_d16_xy";
    BUFFER_LOAD_FORMAT_D16_XYZ_UNPACKED   _    0x0a SPREAD  [BufLoaded(3), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(3, B16), spelled SPREAD "buffer_load_format_d16_xyz";
    BUFFER_LOAD_FORMAT_D16_XYZW_UNPACKED  _    0x0b SPREAD  [BufLoaded(4), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(4, B16), spelled SPREAD "buffer_load_format_d16_xyzw";
    BUFFER_STORE_FORMAT_D16_X             _    0x0c VI      [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(1, B16);
    BUFFER_STORE_FORMAT_D16_XY_UNPACKED   _    0x0d SPREAD  [BufStored(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(2, B16), spelled SPREAD "buffer_store_format_d16_xy";
    BUFFER_STORE_FORMAT_D16_XYZ_UNPACKED  _    0x0e SPREAD  [BufStored(3), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(3, B16), spelled SPREAD "buffer_store_format_d16_xyz";
    BUFFER_STORE_FORMAT_D16_XYZW_UNPACKED _    0x0f SPREAD  [BufStored(4), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(4, B16), spelled SPREAD "buffer_store_format_d16_xyzw";
    BUFFER_LOAD_FORMAT_D16_XY             _    0x09 PACKED  [BufLoaded(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(2, B16);
    BUFFER_LOAD_FORMAT_D16_XYZ            _    0x0a PACKED  [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(3, B16);
    BUFFER_LOAD_FORMAT_D16_XYZW           _    0x0b PACKED  [BufLoaded(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                LoadFormat(4, B16);
    BUFFER_STORE_FORMAT_D16_XY            _    0x0d PACKED  [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(2, B16);
    BUFFER_STORE_FORMAT_D16_XYZ           _    0x0e PACKED  [BufStored(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(3, B16);
    BUFFER_STORE_FORMAT_D16_XYZW          _    0x0f PACKED  [BufStored(2), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormat(4, B16);
    BUFFER_STORE_LDS_DWORD                _    0x3d VI      [Srsrc, BufSoffset, Offset, Lds.required(), Glc, Slc]                                                     StoreFromLds;
    BUFFER_STORE_BYTE_D16_HI              _    0x19 GFX9    [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreHigh(B8);
    BUFFER_STORE_SHORT_D16_HI             _    0x1b GFX9    [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreHigh(B16);
    BUFFER_LOAD_UBYTE_D16                 _    0x20 GFX9    [BufLoaded(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]      LoadHalf(U8, Low);
    BUFFER_LOAD_UBYTE_D16_HI              _    0x21 GFX9    [BufLoaded(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]      LoadHalf(U8, High);
    BUFFER_LOAD_SBYTE_D16                 _    0x22 GFX9    [BufLoaded(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]      LoadHalf(I8, Low);
    BUFFER_LOAD_SBYTE_D16_HI              _    0x23 GFX9    [BufLoaded(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]      LoadHalf(I8, High);
    BUFFER_LOAD_SHORT_D16                 _    0x24 GFX9    [BufLoaded(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]      LoadHalf(B16, Low);
    BUFFER_LOAD_SHORT_D16_HI              _    0x25 GFX9    [BufLoaded(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]      LoadHalf(B16, High);
    BUFFER_LOAD_FORMAT_D16_HI_X           _    0x26 GFX9    [BufLoaded(1).updated(), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]      LoadFormatHigh;
    BUFFER_STORE_FORMAT_D16_HI_X          _    0x27 GFX9    [BufStored(1), BufAddress, Srsrc, BufSoffset, Idxen, Offen, Addr64, Offset, Glc, Slc, Tfe]                StoreFormatHigh;
}
