// RUN: gfx900 gfx906
// One wave waits at a barrier for the other, which waits for seven more that never come.
//! grid = 128
//! group = 128
// GCN all: error[deadlock]: kernel kernel, workgroup 0,0,0, wave 0, at kernel+0x24: s_barrier
// GCN all: --> run/fault-blocked.s:26: s_barrier
// GCN all: all waves are blocked: 1 at a barrier, 1 at a global wave synchronisation, 0 ended
// GCN all: 2 unfinished waves:
// GCN all: workgroup 0,0,0, wave 0, at kernel+0x24: s_barrier, exec=ffffffffffffffff
// GCN all: --> run/fault-blocked.s:26: s_barrier
// GCN all: workgroup 0,0,0, wave 1, at kernel+0x1c: ds_gws_barrier v1 gds, exec=ffffffffffffffff
// GCN all: --> run/fault-blocked.s:24: ds_gws_barrier v1 gds
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_readfirstlane_b32 s4, v0
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc1 .Lbarrier
    s_mov_b32 m0, 0
    v_mov_b32 v1, 7
    ds_gws_init v1 gds
    ds_gws_barrier v1 gds
.Lbarrier:
    s_barrier
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
