// RUN: tahiti bonaire fiji gfx900 gfx906
// Atomics that replace undefined bits, or leave memory alone, and a vector instruction without active lanes: no undefined value counts.
//! grid = 64
//! args = { out = "u32*64:iota", sums = "u32*64:undefined" }
//! print = ["sums[0..2]"]
// GCN all: sums: u32[0..2] = 0, 0
// GCN all: no findings
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[8:11], s[0:1], 0x0
    s_mov_b32 s6, 256
    s_mov_b32 s7, 0x27000
    s_mov_b64 s[14:15], s[6:7]
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v3, -1
    v_mov_b32 v5, 0x100
    v_mov_b32 v6, 0
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[4:5], s[8:9]
    s_mov_b64 s[12:13], s[10:11]
    buffer_atomic_cmpswap v[4:5], v1, s[4:7], 0 offen       // no element is 0x100
    buffer_atomic_and v6, v1, s[12:15], 0 offen
    ds_mskor_b32 v1, v3, v5
    ds_read_b32 v7, v1
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v7, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    s_mov_b64 s[2:3], exec
    s_mov_b64 exec, 0
    buffer_store_dword v7, v1, s[24:27], s28 offen
    s_mov_b64 exec, s[2:3]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
