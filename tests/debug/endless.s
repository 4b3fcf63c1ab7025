// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A kernel without an end stops at its limit.
//! grid = 1
//! limit = 1000
//! args = { out = "u32*1" }
//> break again if $count > 990
//> run
//> print $count
//> delete
//> continue
//> print s8
//> advance again
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_mov_b32 s8, 0
again:
    s_add_u32 s8, s8, 1
    s_branch again
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
