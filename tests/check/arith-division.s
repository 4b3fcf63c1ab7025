// RUN: tahiti bonaire fiji gfx900 gfx906
// ALSO: arith
// Divisions by zero, where their results are used: lane 0 has a zero.
//! grid = 64
//! args = { data = "u32*64:iota" }
// GCN all: not exact: v_rcp_f32, v_rcp_iflag_f32 (approximate, E199)
// GCN all: warning[divide-by-zero]: divides by zero
// GCN all: --> check/arith-division.s:56:5
// GCN all: |
// GCN all: 56 |     v_rcp_iflag_f32 v3, v3                  // infinite in lane 0
// GCN all: |     ^^^^^^^^^^^^^^^ divides by zero
// GCN all: |
// GCN all: ::: check/arith-division.s:59:5
// GCN all: |
// GCN all: 59 |     v_mul_lo_u32 v5, v4, v2                 // an integer that is made of it is used
// GCN all: |     ------------ the first use of the result
// GCN all: |
// GCN 1.0, 1.1: = note: divides by zero: `v_rcp_iflag_f32_e32 v3, v3`, at kernel+0x2c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: divides by zero: `v_rcp_iflag_f32_e32 v3, v3`, at kernel+0x30, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the first use of the result: `v_mul_lo_u32 v5, v4, v2`, at kernel+0x3c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: the first use of the result: `v_mul_lo_u32 v5, v4, v2`, at kernel+0x40, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: warning[divide-by-zero]: divides by zero
// GCN all: --> check/arith-division.s:66:5
// GCN all: |
// GCN all: 66 |     v_rcp_f32 v10, v7                       // infinite in lane 0
// GCN all: |     ^^^^^^^^^ divides by zero
// GCN all: |
// GCN all: ::: check/arith-division.s:68:5
// GCN all: |
// GCN all: 68 |     buffer_store_dword v11, v1, s[4:7], 0 offen
// GCN all: |     ------------------ the store of the result
// GCN all: |
// GCN 1.0, 1.1: = note: divides by zero: `v_rcp_f32_e32 v10, v7`, at kernel+0x64, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: divides by zero: `v_rcp_f32_e32 v10, v7`, at kernel+0x68, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the store of the result: `buffer_store_dword v11, v1, s[4:7], 0 offen`, at kernel+0x6c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: the store of the result: `buffer_store_dword v11, v1, s[4:7], 0 offen`, at kernel+0x70, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 2 warnings
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
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_cvt_f32_u32 v3, v2
    v_rcp_iflag_f32 v3, v3                  // infinite in lane 0
    v_mul_f32 v4, 0x4f7ffffe, v3
    v_cvt_u32_f32 v4, v4
    v_mul_lo_u32 v5, v4, v2                 // an integer that is made of it is used
    v_mov_b32 v6, 1.0
    v_cvt_f32_u32 v7, v2
    v_div_fixup_f32 v8, v6, v7, v6          // infinite in lane 0
    v_cmp_ne_u32 vcc, 0, v0
    v_cndmask_b32 v9, 0, v8, vcc            // and not chosen
    buffer_store_dword v9, v1, s[4:7], 0 offen
    v_rcp_f32 v10, v7                       // infinite in lane 0
    v_mul_f32 v11, 2.0, v10
    buffer_store_dword v11, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
