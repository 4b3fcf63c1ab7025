// RUN: tahiti bonaire fiji gfx900 gfx906
// ALSO: arith
// Numbers that integers do not have, where the integers are used.
//! grid = 64
//! args = { data = "u32*64" }
// GCN all: warning[float-to-int-overflow]: converts 2147483648, which is out of the range of a signed integer of 32 bits
// GCN all: --> check/arith-conversion.s:69:5
// GCN all: |
// GCN all: 69 |     v_cvt_i32_f32 v4, v3                    // too large from lane 4 on
// GCN all: |     ^^^^^^^^^^^^^ converts it
// GCN all: |
// GCN all: ::: check/arith-conversion.s:70:5
// GCN all: |
// GCN all: 70 |     v_lshlrev_b32 v5, 1, v4
// GCN all: |     ------------- the first use of the result
// GCN all: |
// GCN 1.0, 1.1: = note: converts it: `v_cvt_i32_f32_e32 v4, v3`, at kernel+0x28, workgroup 0,0,0, wave 0, lane 4
// GCN 1.2, 1.4, 1.4.1: = note: converts it: `v_cvt_i32_f32_e32 v4, v3`, at kernel+0x2c, workgroup 0,0,0, wave 0, lane 4
// GCN 1.0, 1.1: = note: the first use of the result: `v_lshlrev_b32_e32 v5, 1, v4`, at kernel+0x2c, workgroup 0,0,0, wave 0, lane 4
// GCN 1.2, 1.4, 1.4.1: = note: the first use of the result: `v_lshlrev_b32_e32 v5, 1, v4`, at kernel+0x30, workgroup 0,0,0, wave 0, lane 4
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: warning[float-to-int-overflow]: converts -1, which is out of the range of an unsigned integer of 32 bits
// GCN all: --> check/arith-conversion.s:75:5
// GCN all: |
// GCN all: 75 |     v_cvt_u32_f32 v8, -v2                   // negative from lane 1 on
// GCN all: |     ^^^^^^^^^^^^^ converts it
// GCN all: |
// GCN all: ::: check/arith-conversion.s:76:5
// GCN all: |
// GCN all: 76 |     buffer_store_dword v8, v1, s[4:7], 0 offen
// GCN all: |     ------------------ the store of the result
// GCN all: |
// GCN 1.0, 1.1: = note: converts it: `v_cvt_u32_f32_e64 v8, -v2`, at kernel+0x44, workgroup 0,0,0, wave 0, lane 1
// GCN 1.2, 1.4, 1.4.1: = note: converts it: `v_cvt_u32_f32_e64 v8, -v2`, at kernel+0x48, workgroup 0,0,0, wave 0, lane 1
// GCN 1.0, 1.1: = note: the store of the result: `buffer_store_dword v8, v1, s[4:7], 0 offen`, at kernel+0x4c, workgroup 0,0,0, wave 0, lane 1
// GCN 1.2, 1.4, 1.4.1: = note: the store of the result: `buffer_store_dword v8, v1, s[4:7], 0 offen`, at kernel+0x50, workgroup 0,0,0, wave 0, lane 1
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: warning[float-to-int-overflow]: converts 8589934592, which is out of the range of an unsigned integer of 32 bits
// GCN all: --> check/arith-conversion.s:80:5
// GCN all: |
// GCN all: 80 |     v_cvt_u32_f32 v10, v9                   // first 2^32, which is overwritten, and then 2^33
// GCN all: |     ^^^^^^^^^^^^^ converts it
// GCN all: |
// GCN all: ::: check/arith-conversion.s:85:5
// GCN all: |
// GCN all: 85 |     v_lshlrev_b32 v11, 1, v10
// GCN all: |     ------------- the first use of the result
// GCN all: |
// GCN all: = note: converts it: `v_cvt_u32_f32_e32 v10, v9`, at again+0x0, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: the first use of the result: `v_lshlrev_b32_e32 v11, 1, v10`, at again+0x14, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 3 warnings
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
    v_mul_f32 v3, 0x4e000000, v2            // 2^29 times the lane
    v_cvt_i32_f32 v4, v3                    // too large from lane 4 on
    v_lshlrev_b32 v5, 1, v4
    v_cvt_u32_f32 v6, v3                    // from lane 8 on
    v_cmp_gt_u32 vcc, 8, v0
    v_cndmask_b32 v7, 0, v6, vcc            // not chosen
    buffer_store_dword v7, v1, s[4:7], 0 offen
    v_cvt_u32_f32 v8, -v2                   // negative from lane 1 on
    buffer_store_dword v8, v1, s[4:7], 0 offen
    v_mov_b32 v9, 0x4f800000                // 2^32
    s_mov_b32 s8, 2
again:
    v_cvt_u32_f32 v10, v9                   // first 2^32, which is overwritten, and then 2^33
    v_add_f32 v9, v9, v9
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 again
    v_lshlrev_b32 v11, 1, v10
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
