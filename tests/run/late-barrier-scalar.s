// RUN: gfx900 gfx906
// A wave at a barrier has stored by a scalar store; another polls for the value before it arrives there.
//! grid = 128
//! group = 128
//! args = { out = "u32*1" }
//! print = ["out"]
//? --late
// GCN all: out: u32[0..1] = 9
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_mov_b32 v2, 0
    s_mov_b32 s8, 9
    v_readfirstlane_b32 s4, v0
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc0 .Lpoll
    s_store_dword s8, s[6:7], 0x0
    s_dcache_wb
    s_barrier
    s_endpgm
.Lpoll:
    global_load_dword v4, v2, s[6:7] glc
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s5, v4
    s_cmp_eq_u32 s5, 9
    s_cbranch_scc0 .Lpoll
    s_barrier
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
