// RUN: gfx900 gfx906
// A wave at a GWS barrier has stored a value; a wave of another workgroup polls for it before it arrives there.
//! grid = 128
//! group = 64
//! args = { out = "u32*1" }
//! print = ["out"]
//? --late
// GCN all: out: u32[0..1] = 5
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_mov_b32 v2, 0
    v_mov_b32 v3, 5
    v_mov_b32 v1, 1
    s_mov_b32 m0, 0
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 .Lpoll
    ds_gws_init v1 gds
    s_waitcnt lgkmcnt(0)
    global_store_dword v2, v3, s[6:7]
    ds_gws_barrier v1 gds
    s_waitcnt lgkmcnt(0)
    s_endpgm
.Lpoll:
    global_load_dword v4, v2, s[6:7] glc
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s5, v4
    s_cmp_eq_u32 s5, 5
    s_cbranch_scc0 .Lpoll
    ds_gws_barrier v1 gds
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
