//! DS: local and global data share. Field maps, then a row per instruction.
//!
//! Source: CLRX's DS document (tables for GCN 1.0/1.1 and 1.2/1.4), corrected by errata E002–E009 (opcodes and
//! availability), E018–E022 (operands) and E030 (fields).

use crate::effect::{AtomicOp::*, Does::*, GwsOp::*, Half::*, LaneMove::*, Stride::*};
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::family;
use crate::target::on;

/// GDS and the opcode are one bit lower on GCN 1.2 and later (errata E030).
#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format {
        encoding: Encoding::Ds, on: on::SI_CI, dwords: 2, constant: &[(26, 6, 0b110110)],
        fields: &[
            (Field::Offset, 0, 16), (Field::Offset0, 0, 8), (Field::Offset1, 8, 8), (Field::Gds, 17, 1), (Field::Op, 18, 8),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Vdata1, 48, 8), (Field::Vdst, 56, 8),
        ],
    },
    Format {
        encoding: Encoding::Ds, on: on::VI, dwords: 2, constant: &[(26, 6, 0b110110)],
        fields: &[
            (Field::Offset, 0, 16), (Field::Offset0, 0, 8), (Field::Offset1, 8, 8), (Field::Gds, 16, 1), (Field::Op, 17, 8),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Vdata1, 48, 8), (Field::Vdst, 56, 8),
        ],
    },
];

#[rustfmt::skip]
family! {
    /// DS instructions.
    Ds in DS;
//  instruction              si,ci vi,9 on  written as                                                     does
    DS_ADD_U32               0x00 0x00 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Add, U32);
    DS_SUB_U32               0x01 0x01 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Sub, U32);
    DS_RSUB_U32              0x02 0x02 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Rsub, U32);
    DS_INC_U32               0x03 0x03 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Inc, U32);
    DS_DEC_U32               0x04 0x04 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Dec, U32);
    DS_MIN_I32               0x05 0x05 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Min, I32);
    DS_MAX_I32               0x06 0x06 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Max, I32);
    DS_MIN_U32               0x07 0x07 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Min, U32);
    DS_MAX_U32               0x08 0x08 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Max, U32);
    DS_AND_B32               0x09 0x09 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(And, B32);
    DS_OR_B32                0x0a 0x0a SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Or, B32);
    DS_XOR_B32               0x0b 0x0b SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Xor, B32);
    DS_MSKOR_B32             0x0c 0x0c SI   [Vaddr(1), Vdata(1), Vdata1(1), Offset, Gds]                   Atomic(MaskOr, B32);
    DS_WRITE_B32             0x0d 0x0d SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Store(B32);
    DS_WRITE2_B32            0x0e 0x0e SI   [Vaddr(1), Vdata(1), Vdata1(1), Offset0, Offset1, Gds]         StoreTwo(B32, One);
    DS_WRITE2ST64_B32        0x0f 0x0f SI   [Vaddr(1), Vdata(1), Vdata1(1), Offset0, Offset1, Gds]         StoreTwo(B32, Wave);
    DS_CMPST_B32             0x10 0x10 SI   [Vaddr(1), Vdata(1), Vdata1(1), Offset, Gds]                   Atomic(CompareSwap, B32);
    DS_CMPST_F32             0x11 0x11 SI   [Vaddr(1), Vdata(1), Vdata1(1), Offset, Gds]                   Atomic(CompareSwap, F32);
    DS_MIN_F32               0x12 0x12 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Min, F32);
    DS_MAX_F32               0x13 0x13 SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Max, F32);
    DS_NOP                   0x14 0x14 CI   [Vaddr(1).optional()]                                          LdsNop;
    DS_GWS_SEMA_RELEASE_ALL  0x18 0x98 CI   [Vaddr(1).optional(), Offset, Gds.required()]                  Gws(SemaReleaseAll);
    DS_GWS_INIT              0x19 0x99 SI   [Vaddr(1), Offset, Gds.required()]                             Gws(Init);
    DS_GWS_SEMA_V            0x1a 0x9a SI   [Vaddr(1).optional(), Offset, Gds.required()]                  Gws(SemaV);
    DS_GWS_SEMA_BR           0x1b 0x9b SI   [Vaddr(1), Offset, Gds.required()]                             Gws(SemaBr);
    DS_GWS_SEMA_P            0x1c 0x9c SI   [Vaddr(1).optional(), Offset, Gds.required()]                  Gws(SemaP);
    DS_GWS_BARRIER           0x1d 0x9d SI   [Vaddr(1), Offset, Gds.required()]                             Gws(Barrier);
    DS_WRITE_B8              0x1e 0x1e SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Store(B8);
    DS_WRITE_B16             0x1f 0x1f SI   [Vaddr(1), Vdata(1), Offset, Gds]                              Store(B16);
    DS_ADD_RTN_U32           0x20 0x20 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Add, U32);
    DS_SUB_RTN_U32           0x21 0x21 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Sub, U32);
    DS_RSUB_RTN_U32          0x22 0x22 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Rsub, U32);
    DS_INC_RTN_U32           0x23 0x23 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Inc, U32);
    DS_DEC_RTN_U32           0x24 0x24 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Dec, U32);
    DS_MIN_RTN_I32           0x25 0x25 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Min, I32);
    DS_MAX_RTN_I32           0x26 0x26 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Max, I32);
    DS_MIN_RTN_U32           0x27 0x27 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Min, U32);
    DS_MAX_RTN_U32           0x28 0x28 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Max, U32);
    DS_AND_RTN_B32           0x29 0x29 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(And, B32);
    DS_OR_RTN_B32            0x2a 0x2a SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Or, B32);
    DS_XOR_RTN_B32           0x2b 0x2b SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Xor, B32);
    DS_MSKOR_RTN_B32         0x2c 0x2c SI   [Vdst(1), Vaddr(1), Vdata(1), Vdata1(1), Offset, Gds]          Return(MaskOr, B32);
    DS_WRXCHG_RTN_B32        0x2d 0x2d SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Swap, B32);
    DS_WRXCHG2_RTN_B32       0x2e 0x2e SI   [Vdst(2), Vaddr(1), Vdata(1), Vdata1(1), Offset0, Offset1, Gds] ExchangeTwo(B32, One);
    DS_WRXCHG2ST64_RTN_B32   0x2f 0x2f SI   [Vdst(2), Vaddr(1), Vdata(1), Vdata1(1), Offset0, Offset1, Gds] ExchangeTwo(B32, Wave);
    DS_CMPST_RTN_B32         0x30 0x30 SI   [Vdst(1), Vaddr(1), Vdata(1), Vdata1(1), Offset, Gds]          Return(CompareSwap, B32);
    DS_CMPST_RTN_F32         0x31 0x31 SI   [Vdst(1), Vaddr(1), Vdata(1), Vdata1(1), Offset, Gds]          Return(CompareSwap, F32);
    DS_MIN_RTN_F32           0x32 0x32 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Min, F32);
    DS_MAX_RTN_F32           0x33 0x33 SI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Max, F32);
    DS_WRAP_RTN_B32          0x34 0x34 CI   [Vdst(1), Vaddr(1), Vdata(1), Vdata1(1), Offset, Gds]          Return(Wrap, U32);
    DS_SWIZZLE_B32           0x35 0x3d SI   [Vdst(1), Vaddr(1), SwizzleOffset, Gds]                        Lanes(Swizzle);
    DS_READ_B32              0x36 0x36 SI   [Vdst(1), Vaddr(1), Offset, Gds]                               Load(B32);
    DS_READ2_B32             0x37 0x37 SI   [Vdst(2), Vaddr(1), Offset0, Offset1, Gds]                     LoadTwo(B32, One);
    DS_READ2ST64_B32         0x38 0x38 SI   [Vdst(2), Vaddr(1), Offset0, Offset1, Gds]                     LoadTwo(B32, Wave);
    DS_READ_I8               0x39 0x39 SI   [Vdst(1), Vaddr(1), Offset, Gds]                               Load(I8);
    DS_READ_U8               0x3a 0x3a SI   [Vdst(1), Vaddr(1), Offset, Gds]                               Load(U8);
    DS_READ_I16              0x3b 0x3b SI   [Vdst(1), Vaddr(1), Offset, Gds]                               Load(I16);
    DS_READ_U16              0x3c 0x3c SI   [Vdst(1), Vaddr(1), Offset, Gds]                               Load(U16);
    DS_CONSUME               0x3d 0xbd SI   [Vdst(1), Offset, Gds]                                         Count(Sub);
    DS_APPEND                0x3e 0xbe SI   [Vdst(1), Offset, Gds]                                         Count(Add);
    DS_ORDERED_COUNT         0x3f 0xbf SI   [Vdst(1), Vaddr(1), Offset, Gds.required()]                    OrderedCount;
    DS_ADD_U64               0x40 0x40 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Add, U64);
    DS_SUB_U64               0x41 0x41 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Sub, U64);
    DS_RSUB_U64              0x42 0x42 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Rsub, U64);
    DS_INC_U64               0x43 0x43 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Inc, U64);
    DS_DEC_U64               0x44 0x44 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Dec, U64);
    DS_MIN_I64               0x45 0x45 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Min, I64);
    DS_MAX_I64               0x46 0x46 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Max, I64);
    DS_MIN_U64               0x47 0x47 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Min, U64);
    DS_MAX_U64               0x48 0x48 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Max, U64);
    DS_AND_B64               0x49 0x49 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(And, B64);
    DS_OR_B64                0x4a 0x4a SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Or, B64);
    DS_XOR_B64               0x4b 0x4b SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Xor, B64);
    DS_MSKOR_B64             0x4c 0x4c SI   [Vaddr(1), Vdata(2), Vdata1(2), Offset, Gds]                   Atomic(MaskOr, B64);
    DS_WRITE_B64             0x4d 0x4d SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Store(B64);
    DS_WRITE2_B64            0x4e 0x4e SI   [Vaddr(1), Vdata(2), Vdata1(2), Offset0, Offset1, Gds]         StoreTwo(B64, One);
    DS_WRITE2ST64_B64        0x4f 0x4f SI   [Vaddr(1), Vdata(2), Vdata1(2), Offset0, Offset1, Gds]         StoreTwo(B64, Wave);
    DS_CMPST_B64             0x50 0x50 SI   [Vaddr(1), Vdata(2), Vdata1(2), Offset, Gds]                   Atomic(CompareSwap, B64);
    DS_CMPST_F64             0x51 0x51 SI   [Vaddr(1), Vdata(2), Vdata1(2), Offset, Gds]                   Atomic(CompareSwap, F64);
    DS_MIN_F64               0x52 0x52 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Min, F64);
    DS_MAX_F64               0x53 0x53 SI   [Vaddr(1), Vdata(2), Offset, Gds]                              Atomic(Max, F64);
    DS_ADD_RTN_U64           0x60 0x60 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Add, U64);
    DS_SUB_RTN_U64           0x61 0x61 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Sub, U64);
    DS_RSUB_RTN_U64          0x62 0x62 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Rsub, U64);
    DS_INC_RTN_U64           0x63 0x63 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Inc, U64);
    DS_DEC_RTN_U64           0x64 0x64 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Dec, U64);
    DS_MIN_RTN_I64           0x65 0x65 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Min, I64);
    DS_MAX_RTN_I64           0x66 0x66 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Max, I64);
    DS_MIN_RTN_U64           0x67 0x67 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Min, U64);
    DS_MAX_RTN_U64           0x68 0x68 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Max, U64);
    DS_AND_RTN_B64           0x69 0x69 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(And, B64);
    DS_OR_RTN_B64            0x6a 0x6a SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Or, B64);
    DS_XOR_RTN_B64           0x6b 0x6b SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Xor, B64);
    DS_MSKOR_RTN_B64         0x6c 0x6c SI   [Vdst(2), Vaddr(1), Vdata(2), Vdata1(2), Offset, Gds]          Return(MaskOr, B64);
    DS_WRXCHG_RTN_B64        0x6d 0x6d SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Swap, B64);
    DS_WRXCHG2_RTN_B64       0x6e 0x6e SI   [Vdst(4), Vaddr(1), Vdata(2), Vdata1(2), Offset0, Offset1, Gds] ExchangeTwo(B64, One);
    DS_WRXCHG2ST64_RTN_B64   0x6f 0x6f SI   [Vdst(4), Vaddr(1), Vdata(2), Vdata1(2), Offset0, Offset1, Gds] ExchangeTwo(B64, Wave);
    DS_CMPST_RTN_B64         0x70 0x70 SI   [Vdst(2), Vaddr(1), Vdata(2), Vdata1(2), Offset, Gds]          Return(CompareSwap, B64);
    DS_CMPST_RTN_F64         0x71 0x71 SI   [Vdst(2), Vaddr(1), Vdata(2), Vdata1(2), Offset, Gds]          Return(CompareSwap, F64);
    DS_MIN_RTN_F64           0x72 0x72 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Min, F64);
    DS_MAX_RTN_F64           0x73 0x73 SI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     Return(Max, F64);
    DS_READ_B64              0x76 0x76 SI   [Vdst(2), Vaddr(1), Offset, Gds]                               Load(B64);
    DS_READ2_B64             0x77 0x77 SI   [Vdst(4), Vaddr(1), Offset0, Offset1, Gds]                     LoadTwo(B64, One);
    DS_READ2ST64_B64         0x78 0x78 SI   [Vdst(4), Vaddr(1), Offset0, Offset1, Gds]                     LoadTwo(B64, Wave);
    DS_CONDXCHG32_RTN_B64    0x7e 0x7e CI   [Vdst(2), Vaddr(1), Vdata(2), Offset, Gds]                     ExchangeConditionally(B64);
    DS_ADD_SRC2_U32          0x80 0x80 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Add, U32);
    DS_SUB_SRC2_U32          0x81 0x81 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Sub, U32);
    DS_RSUB_SRC2_U32         0x82 0x82 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Rsub, U32);
    DS_INC_SRC2_U32          0x83 0x83 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Inc, U32);
    DS_DEC_SRC2_U32          0x84 0x84 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Dec, U32);
    DS_MIN_SRC2_I32          0x85 0x85 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Min, I32);
    DS_MAX_SRC2_I32          0x86 0x86 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Max, I32);
    DS_MIN_SRC2_U32          0x87 0x87 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Min, U32);
    DS_MAX_SRC2_U32          0x88 0x88 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Max, U32);
    DS_AND_SRC2_B32          0x89 0x89 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(And, B32);
    DS_OR_SRC2_B32           0x8a 0x8a SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Or, B32);
    DS_XOR_SRC2_B32          0x8b 0x8b SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Xor, B32);
    DS_WRITE_SRC2_B32        0x8d 0x8d SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Swap, B32);
    DS_MIN_SRC2_F32          0x92 0x92 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Min, F32);
    DS_MAX_SRC2_F32          0x93 0x93 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Max, F32);
    DS_ADD_SRC2_U64          0xc0 0xc0 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Add, U64);
    DS_SUB_SRC2_U64          0xc1 0xc1 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Sub, U64);
    DS_RSUB_SRC2_U64         0xc2 0xc2 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Rsub, U64);
    DS_INC_SRC2_U64          0xc3 0xc3 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Inc, U64);
    DS_DEC_SRC2_U64          0xc4 0xc4 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Dec, U64);
    DS_MIN_SRC2_I64          0xc5 0xc5 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Min, I64);
    DS_MAX_SRC2_I64          0xc6 0xc6 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Max, I64);
    DS_MIN_SRC2_U64          0xc7 0xc7 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Min, U64);
    DS_MAX_SRC2_U64          0xc8 0xc8 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Max, U64);
    DS_AND_SRC2_B64          0xc9 0xc9 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(And, B64);
    DS_OR_SRC2_B64           0xca 0xca SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Or, B64);
    DS_XOR_SRC2_B64          0xcb 0xcb SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Xor, B64);
    DS_WRITE_SRC2_B64        0xcd 0xcd SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Swap, B64);
    DS_MIN_SRC2_F64          0xd2 0xd2 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Min, F64);
    DS_MAX_SRC2_F64          0xd3 0xd3 SI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Max, F64);
    DS_WRITE_B96             0xde 0xde CI   [Vaddr(1), Vdata(3), Offset, Gds]                              Store(B96);
    DS_WRITE_B128            0xdf 0xdf CI   [Vaddr(1), Vdata(4), Offset, Gds]                              Store(B128);
    DS_CONDXCHG32_RTN_B128   0xfd 0xfd CI   [Vdst(4), Vaddr(1).optional(), Vdata(4).optional(), Offset, Gds] ExchangeConditionally(B128), lacking ALL;
    DS_READ_B96              0xfe 0xfe CI   [Vdst(3), Vaddr(1), Offset, Gds]                               Load(B96);
    DS_READ_B128             0xff 0xff CI   [Vdst(4), Vaddr(1), Offset, Gds]                               Load(B128);
    DS_ADD_F32               _    0x15 VI   [Vaddr(1), Vdata(1), Offset, Gds]                              Atomic(Add, F32);
    DS_WRITE_ADDTID_B32      _    0x1d GFX9 [Vdata(1), Offset, Gds]                                        StoreByLane;
    DS_ADD_RTN_F32           _    0x35 VI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Return(Add, F32);
    DS_PERMUTE_B32           _    0x3e VI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Lanes(Push), lacking GDS;
    DS_BPERMUTE_B32          _    0x3f VI   [Vdst(1), Vaddr(1), Vdata(1), Offset, Gds]                     Lanes(Pull), lacking GDS;
    DS_WRITE_B8_D16_HI       _    0x54 GFX9 [Vaddr(1), Vdata(1), Offset, Gds]                              StoreHigh(B8);
    DS_WRITE_B16_D16_HI      _    0x55 GFX9 [Vaddr(1), Vdata(1), Offset, Gds]                              StoreHigh(B16);
    DS_READ_U8_D16           _    0x56 GFX9 [Vdst(1).updated(), Vaddr(1), Offset, Gds]                     LoadHalf(U8, Low);
    DS_READ_U8_D16_HI        _    0x57 GFX9 [Vdst(1).updated(), Vaddr(1), Offset, Gds]                     LoadHalf(U8, High);
    DS_READ_I8_D16           _    0x58 GFX9 [Vdst(1).updated(), Vaddr(1), Offset, Gds]                     LoadHalf(I8, Low);
    DS_READ_I8_D16_HI        _    0x59 GFX9 [Vdst(1).updated(), Vaddr(1), Offset, Gds]                     LoadHalf(I8, High);
    DS_READ_U16_D16          _    0x5a GFX9 [Vdst(1).updated(), Vaddr(1), Offset, Gds]                     LoadHalf(U16, Low);
    DS_READ_U16_D16_HI       _    0x5b GFX9 [Vdst(1).updated(), Vaddr(1), Offset, Gds]                     LoadHalf(U16, High);
    DS_ADD_SRC2_F32          _    0x95 VI   [Vaddr(1), Offset, Gds]                                        AtomicFromLds(Add, F32);
    DS_READ_ADDTID_B32       _    0xb6 GFX9 [Vdst(1), Offset, Gds]                                         LoadByLane;
}
