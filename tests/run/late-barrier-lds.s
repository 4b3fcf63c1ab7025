// RUN: gfx900 gfx906
// A wave at a barrier has stored to LDS; another polls for the value before it arrives there.
//! grid = 128
//! group = 128
//! args = { out = "u32*1" }
//! print = ["out"]
//? --late
// GCN all: out: u32[0..1] = 5
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    v_mov_b32 v2, 0
    v_mov_b32 v3, 5
    s_mov_b32 m0, -1
    v_readfirstlane_b32 s4, v0
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc0 .Lpoll
    ds_write_b32 v2, v3
    s_barrier
    s_endpgm
.Lpoll:
    ds_read_b32 v4, v2
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s5, v4
    s_cmp_eq_u32 s5, 5
    s_cbranch_scc0 .Lpoll
    s_barrier
    global_store_dword v2, v3, s[2:3]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 2048
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
