// RUN: tahiti bonaire fiji gfx900 gfx906
// The second wave waits for a flag that the first one would set behind their barrier.
//! grid = 128
//! group = 128
//! limit = 1000
// GCN all: error[instruction-limit]: kernel kernel, workgroup 0,0,0, wave 1, at spin+0x10: s_cmp_eq_u32 s5, 0
// GCN all: --> check/barriers-deadlock.s:46: s_cmp_eq_u32 s5, 0
// GCN all: stopped after 1000 instructions, the limit
// GCN all: 2 unfinished waves:
// GCN all: workgroup 0,0,0, wave 0, at meet+0x0: s_barrier, exec=ffffffffffffffff
// GCN all: --> check/barriers-deadlock.s:49: s_barrier
// GCN all: workgroup 0,0,0, wave 1, at spin+0x10: s_cmp_eq_u32 s5, 0, exec=ffffffffffffffff
// GCN all: --> check/barriers-deadlock.s:46: s_cmp_eq_u32 s5, 0
// GCN all: error[barrier-deadlock]: wave 0 waits at a barrier for wave 1, which does not come
// GCN all: --> check/barriers-deadlock.s:49:5
// GCN all: |
// GCN all: 49 |     s_barrier
// GCN all: |     ^^^^^^^^^ waits here
// GCN all: |
// GCN all: ::: check/barriers-deadlock.s:46:5
// GCN all: |
// GCN all: 46 |     s_cmp_eq_u32 s5, 0
// GCN all: |     ------------ wave 1 was here when the run stopped
// GCN all: |
// GCN all: = note: waits here: `s_barrier`, at meet+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: wave 1 was here when the run stopped: `s_cmp_eq_u32 s5, 0`, at spin+0x10, workgroup 0,0,0, wave 1
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, -1
    v_readfirstlane_b32 s4, v0
    v_mov_b32 v1, 0
    v_mov_b32 v2, 0
    s_cmp_eq_u32 s4, 0
    s_cbranch_scc1 meet
    ds_write_b32 v1, v2
spin:
    ds_read_b32 v3, v1
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s5, v3
    s_cmp_eq_u32 s5, 0
    s_cbranch_scc1 spin
meet:
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
