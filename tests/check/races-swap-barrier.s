// RUN: gfx900 gfx906
// Compare-and-swaps that fail, and behind each a barrier of all workgroups, where the wave waits for those of other threads.
//! grid = 1024
//! group = 64
//! args = { out = "u32*1" }
//? --threads 1
//? --threads 4
// GCN all: no findings
// GCN all: no findings
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_mov_b32 v1, 15                        // workgroups that a barrier waits for, besides the wave's own
    v_mov_b32 v2, 0
    v_mov_b32 v3, 5
    v_mov_b32 v4, 9
    s_mov_b32 m0, 0
    s_mov_b64 exec, 1
    s_mov_b32 s5, 0x8000
delay:                                      // until every thread has workgroups
    s_sub_u32 s5, s5, 1
    s_cbranch_scc0 delay
    s_waitcnt lgkmcnt(0)
    global_atomic_cmpswap v5, v2, v[3:4], s[6:7] glc
    s_waitcnt vmcnt(0)
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
