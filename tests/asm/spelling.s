// RUN: tahiti bonaire fiji gfx900 gfx906
// Spellings that LLVM does not take or takes too: case, blanks, comments of both dialects.

DS_ADD_U32 V1, V2 OFFSET:4
Ds_Add_Rtn_U32	v5 ,v1,  v2   Gds   Offset : 4
ds_add_u32 v1, v2 offset:4 ; a comment of LLVM
ds_add_u32 v1, v2 offset:4 // a comment of C++
ds_add_u32 v1, /* inside */ v2 offset:4 /* behind
   and over
   several lines */ gds
# a comment at the line's beginning
  # and after blanks
ds_add_u32 v[1], v[2:2] offset:1+3
ds_add_u32 v[2-1], v2 offset:(2<<1)
s_load_dword S1, S[2:3], 0X10
S_LOAD_DWORD s[1], [s2,s3], 0b10000
s_mov_b32 M0, -1
s_mov_b64 EXEC, VCC
s_waitcnt vmcnt(0) & lgkmcnt(0)
s_waitcnt LGKMCNT(0), EXPCNT(0)
s_endpgm
