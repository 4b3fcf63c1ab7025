// RUN: tahiti bonaire fiji gfx900 gfx906
// LDS atomics of all lanes on one dword take their turns; what they return is the value before.
//! grid = 4
//! args = { out = "i32*21" }
//! print = ["out"]
// GCN all: out: i32[0..21] =
// GCN all: 0: 10, 16, 16, 99, 10, 16, 99, 0
// GCN all: 8: 11, 16, 99, 1, 13, 16, 99, 2
// GCN all: 16: 3, 0, 1, 0, -5
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1                // no limit of LDS either, which only GCN 1.4 does not read
    v_mov_b32 v1, 0
    v_mov_b32 v2, 10
    v_mov_b32 v3, -5
    ds_write_b32 v1, v2
    ds_write_b32 v1, v3 offset:4
    ds_add_rtn_u32 v4, v1, v0           // 10, 10 + 0, 10 + 0 + 1 …
    ds_max_rtn_u32 v5, v1, v0           // the sum is greater than any lane's number
    ds_min_i32 v1, v0 offset:4          // -5 is less than any of them
    v_mov_b32 v6, 16
    v_mov_b32 v7, 99
    ds_cmpst_rtn_b32 v8, v1, v6, v7     // the first lane finds 16 and leaves 99
    ds_wrxchg_rtn_b32 v9, v1, v0        // 99, then what the lane before left
    v_mov_b32 v6, 1
    ds_inc_rtn_u32 v10, v1, v6          // 3 is above the limit: 0, then 1, then again 0
    ds_read_b32 v11, v1 offset:4
    v_lshlrev_b32 v12, 4, v0
    v_lshlrev_b32 v13, 2, v0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v6, v8
    v_mov_b32 v7, v9
    buffer_store_dwordx4 v[4:7], v12, s[4:7], 0 offen
    buffer_store_dword v10, v13, s[4:7], 0 offen offset:64
    v_mov_b32 v13, 0
    buffer_store_dword v11, v13, s[4:7], 0 offen offset:80
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 512
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
