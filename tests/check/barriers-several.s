// RUN: tahiti bonaire fiji gfx900 gfx906
// The second wave waits at a barrier of its own, and ends before the next one.
//! grid = 128
//! group = 128
// GCN all: error[mismatched-barriers]: waves of a workgroup meet at different barriers
// GCN all: --> check/barriers-several.s:48:5
// GCN all: |
// GCN all: 48 |     s_barrier
// GCN all: |     ^^^^^^^^^ wave 0 is here
// GCN all: |
// GCN all: ::: check/barriers-several.s:45:5
// GCN all: |
// GCN all: 45 |     s_barrier
// GCN all: |     --------- wave 1 is here
// GCN all: |
// GCN all: = note: wave 0 is here: `s_barrier`, at first+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: wave 1 is here: `s_barrier`, at kernel+0xc, workgroup 0,0,0, wave 1
// GCN all: = note: kernel kernel, once
// GCN all: = help: put one barrier after both paths
// GCN all: 
// GCN all: warning[early-end]: a wave has ended before a barrier that other waves of its workgroup reach
// GCN all: --> check/barriers-several.s:49:5
// GCN all: |
// GCN all: 49 |     s_barrier
// GCN all: |     ^^^^^^^^^ wave 0 does not wait for wave 1
// GCN all: |
// GCN all: ::: check/barriers-several.s:46:5
// GCN all: |
// GCN all: 46 |     s_endpgm
// GCN all: |     -------- wave 1 ends here
// GCN all: |
// GCN all: = note: wave 0 does not wait for wave 1: `s_barrier`, at first+0x4, workgroup 0,0,0, wave 0
// GCN all: = note: wave 1 ends here: `s_endpgm`, at kernel+0x10, workgroup 0,0,0, wave 1
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 1 error, 1 warning
// GCN all: exit status 3
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
