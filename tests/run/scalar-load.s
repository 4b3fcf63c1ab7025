// RUN: tahiti bonaire fiji gfx900 gfx906
// Scalar loads: constant offsets count dwords on GCN 1.0 and 1.1, bytes from 1.2 on; a buffer ends where it says.
//! grid = 1
//! args = { out = "u32*6", in = "u32:11,22,33,44,55,66,77,88" }
//! print = ["out"]
// GCN all: out: u32[0..6] = 22, 88, 33, 66, 33, 0
.globl kernel
.p2align 8
.type kernel,@function
kernel:
.if .amdgcn.gfx_generation_number < 8
.set UNIT, 1
.else
.set UNIT, 4
.endif
    s_load_dwordx2 s[4:5], s[0:1], 0 * UNIT
    s_load_dwordx2 s[8:9], s[0:1], 2 * UNIT
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, 12               // s[8:11]: three dwords at `in`
    s_mov_b32 s11, 0x27fac
    s_mov_b32 s12, 28
    s_waitcnt lgkmcnt(0)
    s_load_dword s16, s[8:9], 1 * UNIT
    s_load_dword s17, s[8:9], s12
    s_load_dwordx4 s[20:23], s[8:9], 2 * UNIT
    s_buffer_load_dwordx2 s[24:25], s[8:11], 2 * UNIT
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v0, s16
    v_mov_b32 v1, s17
    v_mov_b32 v2, s20
    v_mov_b32 v3, s23
    v_mov_b32 v4, s24
    v_mov_b32 v5, s25
    buffer_store_dwordx4 v[0:3], off, s[4:7], 0
    buffer_store_dwordx2 v[4:5], off, s[4:7], 0 offset:16
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
