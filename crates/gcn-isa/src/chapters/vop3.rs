//! Vector ALU instructions that exist only in VOP3 or VOP3P. A row per instruction; the field maps are in
//! [`vop`](crate::vop).
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, chapter "Vector ALU Operations". GCN 1.4 reuses
//! the names of five 16-bit instructions of GCN 1.2 for new ones that preserve the other half of the destination, and
//! adds `legacy` to the names of the old ones.

use crate::effect::{AluOp::*, Bitwise::*, Does::*, Half::*, Sad::*, Shift::*, Signedness::*};
use crate::operand::{Ty::*, words::*};
use crate::row::family;

#[rustfmt::skip]
family! {
    /// Instructions that exist only in VOP3.
    Vop3 in VOP3;
//  instruction            si,ci vi,9  on    written as                                                       does
    V_MAD_LEGACY_F32       0x140 0x1c0 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(MulAddLegacy);
    V_MAD_F32              0x141 0x1c1 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(MulAdd);
    V_MAD_I32_I24          0x142 0x1c2 SI    [VDst(I32), Src0(I32), Src1(I32), Src2(I32), Clamp]              Alu(MulAdd24);
    V_MAD_U32_U24          0x143 0x1c3 SI    [VDst(U32), Src0(U32), Src1(U32), Src2(U32), Clamp]              Alu(MulAdd24);
    V_CUBEID_F32           0x144 0x1c4 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(CubeFace);
    V_CUBESC_F32           0x145 0x1c5 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(CubeS);
    V_CUBETC_F32           0x146 0x1c6 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(CubeT);
    V_CUBEMA_F32           0x147 0x1c7 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(CubeMajor);
    V_BFE_U32              0x148 0x1c8 SI    [VDst(U32), Src0(U32), Src1(U32), Src2(U32)]                     Alu(Extract);
    V_BFE_I32              0x149 0x1c9 SI    [VDst(I32), Src0(I32), Src1(U32), Src2(U32)]                     Alu(Extract);
    V_BFI_B32              0x14a 0x1ca SI    [VDst(B32), Src0(B32), Src1(B32), Src2(B32)]                     Alu(BitSelect);
    V_FMA_F32              0x14b 0x1cb SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(Fma);
    V_FMA_F64              0x14c 0x1cc SI    [VDst(F64), Src0(F64), Src1(F64), Src2(F64), Clamp, Omod]        Alu(Fma);
    V_LERP_U8              0x14d 0x1cd SI    [VDst(B32), Src0(B32), Src1(B32), Src2(B32)]                     Alu(LerpBytes);
    V_ALIGNBIT_B32         0x14e 0x1ce SI    [VDst(B32), Src0(B32), Src1(B32), Src2(U32)]                     Alu(Align(1));
    V_ALIGNBYTE_B32        0x14f 0x1cf SI    [VDst(B32), Src0(B32), Src1(B32), Src2(U32)]                     Alu(Align(8));
    V_MULLIT_F32           0x150 _     SI_CI [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(MulLit);
    V_MIN3_F32             0x151 0x1d0 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(Min3);
    V_MIN3_I32             0x152 0x1d1 SI    [VDst(I32), Src0(I32), Src1(I32), Src2(I32)]                     Alu(Min3);
    V_MIN3_U32             0x153 0x1d2 SI    [VDst(U32), Src0(U32), Src1(U32), Src2(U32)]                     Alu(Min3);
    V_MAX3_F32             0x154 0x1d3 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(Max3);
    V_MAX3_I32             0x155 0x1d4 SI    [VDst(I32), Src0(I32), Src1(I32), Src2(I32)]                     Alu(Max3);
    V_MAX3_U32             0x156 0x1d5 SI    [VDst(U32), Src0(U32), Src1(U32), Src2(U32)]                     Alu(Max3);
    V_MED3_F32             0x157 0x1d6 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(Med3);
    V_MED3_I32             0x158 0x1d7 SI    [VDst(I32), Src0(I32), Src1(I32), Src2(I32)]                     Alu(Med3);
    V_MED3_U32             0x159 0x1d8 SI    [VDst(U32), Src0(U32), Src1(U32), Src2(U32)]                     Alu(Med3);
    V_SAD_U8               0x15a 0x1d9 SI    [VDst(U32), Src0(B32), Src1(B32), Src2(U32), Clamp]              Alu(Sad(Bytes));
    V_SAD_HI_U8            0x15b 0x1da SI    [VDst(U32), Src0(B32), Src1(B32), Src2(U32), Clamp]              Alu(Sad(BytesHigh));
    V_SAD_U16              0x15c 0x1db SI    [VDst(U32), Src0(B32), Src1(B32), Src2(U32), Clamp]              Alu(Sad(Shorts));
    V_SAD_U32              0x15d 0x1dc SI    [VDst(U32), Src0(U32), Src1(U32), Src2(U32), Clamp]              Alu(Sad(Dword));
    V_CVT_PK_U8_F32        0x15e 0x1dd SI    [VDst(B32), Src0(F32), Src1(U32), Src2(B32), Clamp]              Alu(PutByte);
    V_DIV_FIXUP_F32        0x15f 0x1de SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(DivFixup);
    V_DIV_FIXUP_F64        0x160 0x1df SI    [VDst(F64), Src0(F64), Src1(F64), Src2(F64), Clamp, Omod]        Alu(DivFixup);
    V_LSHL_B64             0x161 _     SI_CI [VDst(B64), Src0(B64), Src1(U32)]                                Alu(Shift(Left));
    V_LSHR_B64             0x162 _     SI_CI [VDst(B64), Src0(B64), Src1(U32)]                                Alu(Shift(Right));
    V_ASHR_I64             0x163 _     SI_CI [VDst(I64), Src0(I64), Src1(U32)]                                Alu(Shift(Arithmetic));
    V_ADD_F64              0x164 0x280 SI    [VDst(F64), Src0(F64), Src1(F64), Clamp, Omod]                   Alu(Add);
    V_MUL_F64              0x165 0x281 SI    [VDst(F64), Src0(F64), Src1(F64), Clamp, Omod]                   Alu(Mul);
    V_MIN_F64              0x166 0x282 SI    [VDst(F64), Src0(F64), Src1(F64), Clamp, Omod]                   Alu(Min);
    V_MAX_F64              0x167 0x283 SI    [VDst(F64), Src0(F64), Src1(F64), Clamp, Omod]                   Alu(Max);
    V_LDEXP_F64            0x168 0x284 SI    [VDst(F64), Src0(F64), Src1(I32), Clamp, Omod]                   Alu(Ldexp);
    V_MUL_LO_U32           0x169 0x285 SI    [VDst(U32), Src0(U32), Src1(U32)]                                Alu(Mul);
    V_MUL_HI_U32           0x16a 0x286 SI    [VDst(U32), Src0(U32), Src1(U32)]                                Alu(MulHigh);
    V_MUL_LO_I32           0x16b _     SI_CI [VDst(I32), Src0(I32), Src1(I32)]                                Alu(Mul);
    V_MUL_HI_I32           0x16c 0x287 SI    [VDst(I32), Src0(I32), Src1(I32)]                                Alu(MulHigh);
    V_DIV_FMAS_F32         0x16f 0x1e2 SI    [VDst(F32), Src0(F32), Src1(F32), Src2(F32), Clamp, Omod]        Alu(DivFmas);
    V_DIV_FMAS_F64         0x170 0x1e3 SI    [VDst(F64), Src0(F64), Src1(F64), Src2(F64), Clamp, Omod]        Alu(DivFmas);
    V_MSAD_U8              0x171 0x1e4 SI    [VDst(U32), Src0(B32), Src1(B32), Src2(U32), Clamp]              Alu(Sad(MaskedBytes));
    V_QSAD_PK_U16_U8       0x172 0x1e5 SI    [VDst(B64), Src0(B64), Src1(B32), Src2(B64), Clamp]              Alu(QuadSad), lacking OLDEST;
    V_MQSAD_PK_U16_U8      0x173 0x1e6 SI    [VDst(B64), Src0(B64), Src1(B32), Src2(B64), Clamp]              Alu(MaskedQuadSad);
    V_TRIG_PREOP_F64       0x174 0x292 SI    [VDst(F64), Src0(F64), Src1(U32), Clamp, Omod]                   Alu(TrigPreop);
    V_MQSAD_U32_U8         0x175 0x1e7 CI    [VDst(B128), Src0(B64), Src1(B32), Src2(B128), Clamp]            Alu(MaskedQuadSad);
    V_MAD_LEGACY_F16       _     0x1ea VI    [VDst(F16), Src0(F16), Src1(F16), Src2(F16), Clamp, Omod]        Alu(MulAdd), spelled VI_ONLY "v_mad_f16";
    V_MAD_LEGACY_U16       _     0x1eb VI    [VDst(U16), Src0(U16), Src1(U16), Src2(U16), Clamp]              Alu(MulAdd), spelled VI_ONLY "v_mad_u16";
    V_MAD_LEGACY_I16       _     0x1ec VI    [VDst(I16), Src0(I16), Src1(I16), Src2(I16), Clamp]              Alu(MulAdd), spelled VI_ONLY "v_mad_i16";
    V_PERM_B32             _     0x1ed VI    [VDst(B32), Src0(B32), Src1(B32), Src2(B32)]                     Alu(Permute);
    V_FMA_LEGACY_F16       _     0x1ee VI    [VDst(F16), Src0(F16), Src1(F16), Src2(F16), Clamp, Omod]        Alu(Fma), spelled VI_ONLY "v_fma_f16";
    V_DIV_FIXUP_LEGACY_F16 _     0x1ef VI    [VDst(F16), Src0(F16), Src1(F16), Src2(F16), Clamp, Omod]        Alu(DivFixup), spelled VI_ONLY "v_div_fixup_f16";
    V_CVT_PKACCUM_U8_F32   _     0x1f0 VI    [VDst(U32).updated(), Src0(F32), Src1(U32), Clamp]               Alu(PutByte);
    V_LDEXP_F32            _     0x288 VI    [VDst(F32), Src0(F32), Src1(I32), Clamp, Omod]                   Alu(Ldexp);
    V_READLANE_B32         _     0x289 VI    [VDstScalar, VSrc0, Lane1]                                       Alu(ReadLane), lacking LANES;
    V_WRITELANE_B32        _     0x28a VI    [VDst(B32).updated(), Scalar0, Lane1]                            Alu(WriteLane), lacking LANES;
    V_BCNT_U32_B32         _     0x28b VI    [VDst(U32), Src0(B32), Src1(U32)]                                Alu(CountOnesAdd);
    V_MBCNT_LO_U32_B32     _     0x28c VI    [VDst(U32), Src0(B32), Src1(U32)]                                Alu(MaskedCount(Low));
    V_MBCNT_HI_U32_B32     _     0x28d VI    [VDst(U32), Src0(B32), Src1(U32)]                                Alu(MaskedCount(High));
    V_LSHLREV_B64          _     0x28f VI    [VDst(B64), Src0(U32), Src1(B64)]                                Alu(Reversed(&Shift(Left))), lacking LDS_DIRECT;
    V_LSHRREV_B64          _     0x290 VI    [VDst(B64), Src0(U32), Src1(B64)]                                Alu(Reversed(&Shift(Right))), lacking LDS_DIRECT;
    V_ASHRREV_I64          _     0x291 VI    [VDst(I64), Src0(U32), Src1(I64)]                                Alu(Reversed(&Shift(Arithmetic))), lacking LDS_DIRECT;
    V_BFM_B32              _     0x293 VI    [VDst(B32), Src0(U32), Src1(U32)]                                Alu(FieldMask);
    V_CVT_PKNORM_I16_F32   _     0x294 VI    [VDst(I16x2), Src0(F32), Src1(F32), Clamp]                       Alu(NormalizePair(Signed));
    V_CVT_PKNORM_U16_F32   _     0x295 VI    [VDst(I16x2), Src0(F32), Src1(F32), Clamp]                       Alu(NormalizePair(Unsigned));
    V_CVT_PKRTZ_F16_F32    _     0x296 VI    [VDst(F16x2), Src0(F32), Src1(F32), Clamp, Omod]                 Alu(TruncatePair);
    V_CVT_PK_U16_U32       _     0x297 VI    [VDst(I16x2), Src0(U32), Src1(U32)]                              Alu(SaturatePair);
    V_CVT_PK_I16_I32       _     0x298 VI    [VDst(I16x2), Src0(I32), Src1(I32)]                              Alu(SaturatePair);
    V_MAD_U32_U16          _     0x1f1 GFX9  [VDst(U32), Src0(U16), Src1(U16), Src2(U32), OpSel, Clamp]       Alu(MulAdd);
    V_MAD_I32_I16          _     0x1f2 GFX9  [VDst(I32), Src0(I16), Src1(I16), Src2(I32), OpSel, Clamp]       Alu(MulAdd);
    V_XAD_U32              _     0x1f3 GFX9  [VDst(U32), Src0(U32), Src1(U32), Src2(U32)]                     Alu(XorAdd);
    V_MIN3_F16             _     0x1f4 GFX9  [VDst(F16), Src0(F16), Src1(F16), Src2(F16), OpSel, Clamp, Omod] Alu(Min3);
    V_MIN3_I16             _     0x1f5 GFX9  [VDst(I16), Src0(I16), Src1(I16), Src2(I16), OpSel, Clamp]       Alu(Min3);
    V_MIN3_U16             _     0x1f6 GFX9  [VDst(U16), Src0(U16), Src1(U16), Src2(U16), OpSel, Clamp]       Alu(Min3);
    V_MAX3_F16             _     0x1f7 GFX9  [VDst(F16), Src0(F16), Src1(F16), Src2(F16), OpSel, Clamp, Omod] Alu(Max3);
    V_MAX3_I16             _     0x1f8 GFX9  [VDst(I16), Src0(I16), Src1(I16), Src2(I16), OpSel, Clamp]       Alu(Max3);
    V_MAX3_U16             _     0x1f9 GFX9  [VDst(U16), Src0(U16), Src1(U16), Src2(U16), OpSel, Clamp]       Alu(Max3);
    V_MED3_F16             _     0x1fa GFX9  [VDst(F16), Src0(F16), Src1(F16), Src2(F16), OpSel, Clamp, Omod] Alu(Med3);
    V_MED3_I16             _     0x1fb GFX9  [VDst(I16), Src0(I16), Src1(I16), Src2(I16), OpSel, Clamp]       Alu(Med3);
    V_MED3_U16             _     0x1fc GFX9  [VDst(U16), Src0(U16), Src1(U16), Src2(U16), OpSel, Clamp]       Alu(Med3);
    V_LSHL_ADD_U32         _     0x1fd GFX9  [VDst(U32), Src0(U32), Src1(U32), Src2(U32)]                     Alu(ShiftAdd);
    V_ADD_LSHL_U32         _     0x1fe GFX9  [VDst(U32), Src0(U32), Src1(U32), Src2(U32)]                     Alu(AddShift);
    V_ADD3_U32             _     0x1ff GFX9  [VDst(U32), Src0(U32), Src1(U32), Src2(U32)]                     Alu(Add3);
    V_LSHL_OR_B32          _     0x200 GFX9  [VDst(B32), Src0(B32), Src1(U32), Src2(B32)]                     Alu(ShiftOr);
    V_AND_OR_B32           _     0x201 GFX9  [VDst(B32), Src0(B32), Src1(B32), Src2(B32)]                     Alu(Bitwise3(And, Or));
    V_OR3_B32              _     0x202 GFX9  [VDst(B32), Src0(B32), Src1(B32), Src2(B32)]                     Alu(Bitwise3(Or, Or));
    V_MAD_F16              _     0x203 GFX9  [VDst(F16).updated(), Src0(F16), Src1(F16), Src2(F16), OpSel, Clamp, Omod] Alu(MulAdd);
    V_MAD_U16              _     0x204 GFX9  [VDst(U16).updated(), Src0(U16), Src1(U16), Src2(U16), OpSel, Clamp]       Alu(MulAdd);
    V_MAD_I16              _     0x205 GFX9  [VDst(I16).updated(), Src0(I16), Src1(I16), Src2(I16), OpSel, Clamp]       Alu(MulAdd);
    V_FMA_F16              _     0x206 GFX9  [VDst(F16).updated(), Src0(F16), Src1(F16), Src2(F16), OpSel, Clamp, Omod] Alu(Fma);
    V_DIV_FIXUP_F16        _     0x207 GFX9  [VDst(F16).updated(), Src0(F16), Src1(F16), Src2(F16), OpSel, Clamp, Omod] Alu(DivFixup);
    V_CVT_PKNORM_I16_F16   _     0x299 GFX9  [VDst(I16x2), Src0(F16), Src1(F16), OpSel, Clamp]                Alu(NormalizePair(Signed));
    V_CVT_PKNORM_U16_F16   _     0x29a GFX9  [VDst(I16x2), Src0(F16), Src1(F16), OpSel, Clamp]                Alu(NormalizePair(Unsigned));
    V_ADD_I32              _     0x29c GFX9  [VDst(I32), Src0(I32), Src1(I32), Clamp]                         Alu(Add);
    V_SUB_I32              _     0x29d GFX9  [VDst(I32), Src0(I32), Src1(I32), Clamp]                         Alu(Sub);
    V_ADD_I16              _     0x29e GFX9  [VDst(I16), Src0(I16), Src1(I16), OpSel, Clamp]                  Alu(Add);
    V_SUB_I16              _     0x29f GFX9  [VDst(I16), Src0(I16), Src1(I16), OpSel, Clamp]                  Alu(Sub);
    V_PACK_B32_F16         _     0x2a0 GFX9  [VDst(F16x2), Src0(F16), Src1(F16), OpSel, Clamp]                Alu(Pack(Low, Low));
}

#[rustfmt::skip]
family! {
    /// Instructions that exist only in VOP3 and have a scalar destination in addition to the vector destination.
    Vop3b in VOP3B;
//  instruction     si,ci vi,9  on written as                                                       does
    V_DIV_SCALE_F32 0x16d 0x1e0 SI [VDst(F32), Carry, Src0(F32), Src1(F32), Src2(F32), Clamp, Omod] Alu(DivScale);
    V_DIV_SCALE_F64 0x16e 0x1e1 SI [VDst(F64), Carry, Src0(F64), Src1(F64), Src2(F64), Clamp, Omod] Alu(DivScale);
    V_MAD_U64_U32   0x176 0x1e8 CI [VDst(U64), Carry, Src0(U32), Src1(U32), Src2(U64), Clamp]       Alu(MulAdd);
    V_MAD_I64_I32   0x177 0x1e9 CI [VDst(I64), Carry, Src0(I32), Src1(I32), Src2(I64), Clamp]       Alu(MulAdd);
}

#[rustfmt::skip]
family! {
    /// VOP3P instructions: packed 16-bit arithmetic, mixed precision, dot products.
    Vop3p in VOP3P;
//  instruction      si,ci vi,9 on     written as                                                                                does
    V_PK_MAD_I16     _    0x00 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), Src2(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp] Alu(Packed(&MulAdd, I16));
    V_PK_MUL_LO_U16  _    0x01 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Mul, U16));
    V_PK_ADD_I16     _    0x02 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Add, I16));
    V_PK_SUB_I16     _    0x03 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Sub, I16));
    V_PK_LSHLREV_B16 _    0x04 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Reversed(&Shift(Left)), B16)), lacking LDS_DIRECT;
    V_PK_LSHRREV_B16 _    0x05 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Reversed(&Shift(Right)), B16)), lacking LDS_DIRECT;
    V_PK_ASHRREV_I16 _    0x06 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Reversed(&Shift(Arithmetic)), I16)), lacking LDS_DIRECT;
    V_PK_MAX_I16     _    0x07 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Max, I16));
    V_PK_MIN_I16     _    0x08 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Min, I16));
    V_PK_MAD_U16     _    0x09 GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), Src2(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp] Alu(Packed(&MulAdd, U16));
    V_PK_ADD_U16     _    0x0a GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Add, U16));
    V_PK_SUB_U16     _    0x0b GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Sub, U16));
    V_PK_MAX_U16     _    0x0c GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Max, U16));
    V_PK_MIN_U16     _    0x0d GFX9   [VDst(I16x2), Src0(I16x2), Src1(I16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Min, U16));
    V_PK_FMA_F16     _    0x0e GFX9   [VDst(F16x2), Src0(F16x2), Src1(F16x2), Src2(F16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp] Alu(Packed(&Fma, F16));
    V_PK_ADD_F16     _    0x0f GFX9   [VDst(F16x2), Src0(F16x2), Src1(F16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Add, F16));
    V_PK_MUL_F16     _    0x10 GFX9   [VDst(F16x2), Src0(F16x2), Src1(F16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Mul, F16));
    V_PK_MIN_F16     _    0x11 GFX9   [VDst(F16x2), Src0(F16x2), Src1(F16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Min, F16));
    V_PK_MAX_F16     _    0x12 GFX9   [VDst(F16x2), Src0(F16x2), Src1(F16x2), OpSel, OpSelHi, NegLo, NegHi, Clamp]              Alu(Packed(&Max, F16));
    V_MAD_MIX_F32    _    0x20 VEGA10 [VDst(F32), Src0(F32), Src1(F32), Src2(F32), OpSel, OpSelMix, Clamp]                      Alu(Mix(&MulAdd, Low));
    V_MAD_MIXLO_F16  _    0x21 VEGA10 [VDst(F16).updated(), Src0(F32), Src1(F32), Src2(F32), OpSel, OpSelMix, Clamp]            Alu(Mix(&MulAdd, Low));
    V_MAD_MIXHI_F16  _    0x22 VEGA10 [VDst(F16).updated(), Src0(F32), Src1(F32), Src2(F32), OpSel, OpSelMix, Clamp]            Alu(Mix(&MulAdd, High));
    V_FMA_MIX_F32    _    0x20 VEGA12 [VDst(F32), Src0(F32), Src1(F32), Src2(F32), OpSel, OpSelMix, Clamp]                      Alu(Mix(&Fma, Low));
    V_FMA_MIXLO_F16  _    0x21 VEGA12 [VDst(F16).updated(), Src0(F32), Src1(F32), Src2(F32), OpSel, OpSelMix, Clamp]            Alu(Mix(&Fma, Low));
    V_FMA_MIXHI_F16  _    0x22 VEGA12 [VDst(F16).updated(), Src0(F32), Src1(F32), Src2(F32), OpSel, OpSelMix, Clamp]            Alu(Mix(&Fma, High));
    V_DOT2_F32_F16   _    0x23 VEGA20 [VDst(F32), Src0(F16x2), Src1(F16x2), Src2(F32), OpSel, OpSelHi, NegLo, NegHi, Clamp]     Alu(Dot(2));
    V_DOT2_I32_I16   _    0x26 VEGA20 [VDst(I32), Src0(I16x2), Src1(I16x2), Src2(I32), OpSel, OpSelHi, NegLo, NegHi, Clamp]     Alu(Dot(2));
    V_DOT2_U32_U16   _    0x27 VEGA20 [VDst(U32), Src0(I16x2), Src1(I16x2), Src2(U32), OpSel, OpSelHi, NegLo, NegHi, Clamp]     Alu(Dot(2));
    V_DOT4_I32_I8    _    0x28 VEGA20 [VDst(I32), Src0(B32), Src1(B32), Src2(I32), OpSel, OpSelHi, NegLo, NegHi, Clamp]         Alu(Dot(4));
    V_DOT4_U32_U8    _    0x29 VEGA20 [VDst(U32), Src0(B32), Src1(B32), Src2(U32), OpSel, OpSelHi, NegLo, NegHi, Clamp]         Alu(Dot(4));
    V_DOT8_I32_I4    _    0x2a VEGA20 [VDst(I32), Src0(B32), Src1(B32), Src2(I32), OpSel, OpSelHi, NegLo, NegHi, Clamp]         Alu(Dot(8));
    V_DOT8_U32_U4    _    0x2b VEGA20 [VDst(U32), Src0(B32), Src1(B32), Src2(U32), OpSel, OpSelHi, NegLo, NegHi, Clamp]         Alu(Dot(8));
}
