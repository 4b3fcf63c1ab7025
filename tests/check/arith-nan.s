// RUN: tahiti bonaire fiji gfx900 gfx906
// ALSO: arith
// NaNs that arithmetic makes, where they are stored.
//! grid = 64
//! args = { data = "f32*64" }
// GCN all: not exact: v_sqrt_f32 (approximate, E199)
// GCN all: warning[nan-produced]: produces a NaN from operands that are not NaN
// GCN all: --> check/arith-nan.s:38:5
// GCN all: |
// GCN all: 38 |     v_sqrt_f32 v3, v2                       // a NaN in lane 0
// GCN all: |     ^^^^^^^^^^ makes a NaN
// GCN all: |
// GCN all: ::: check/arith-nan.s:40:5
// GCN all: |
// GCN all: 40 |     buffer_store_dword v4, v1, s[4:7], 0 offen
// GCN all: |     ------------------ the store of the result
// GCN all: |
// GCN 1.0, 1.1: = note: makes a NaN: `v_sqrt_f32_e32 v3, v2`, at kernel+0x24, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: makes a NaN: `v_sqrt_f32_e32 v3, v2`, at kernel+0x28, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the store of the result: `buffer_store_dword v4, v1, s[4:7], 0 offen`, at kernel+0x2c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: the store of the result: `buffer_store_dword v4, v1, s[4:7], 0 offen`, at kernel+0x30, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 1 warning
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    v_cvt_f32_u32 v2, v0
    v_add_f32 v2, -1.0, v2                  // -1, 0, 1 ...
    v_sqrt_f32 v3, v2                       // a NaN in lane 0
    v_add_f32 v4, 1.0, v3
    buffer_store_dword v4, v1, s[4:7], 0 offen
    v_mov_b32 v5, 0x7f800000                // infinity, twice
    v_sub_f32 v6, v5, v5                    // a NaN that nobody stores
    v_max_f32 v7, v6, v2
    v_mov_b32 v8, 0x7fc00000                // a NaN that is there on purpose
    v_mul_f32 v8, v8, v2
    buffer_store_dword v8, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
