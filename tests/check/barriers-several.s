// RUN: tahiti bonaire fiji gfx900 gfx906
// The second wave waits at a barrier of its own, and ends before the next one.
//! grid = 128
//! group = 128
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_readfirstlane_b32 s4, v0
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc1 first
    s_barrier
    s_endpgm
first:
    s_barrier
    s_barrier
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
