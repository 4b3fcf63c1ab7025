// RUN: tahiti bonaire fiji gfx900 gfx906
// Half of the lanes skip a barrier and go on behind it.
//! grid = 128
//! group = 128
// GCN all: error[divergent-barrier]: only part of a wave reaches a barrier: 32 lanes skip it
// GCN all: --> check/barriers-divergent.s:31:5
// GCN all: |
// GCN all: 31 |     s_barrier
// GCN all: |     ^^^^^^^^^ lane 32 is not active here
// GCN all: |
// GCN all: ::: check/barriers-divergent.s:33:5
// GCN all: |
// GCN all: 33 |     ds_write_b32 v1, v0
// GCN all: |     ------------ lane 32 is active again
// GCN all: |
// GCN all: = note: lane 32 is not active here: `s_barrier`, at kernel+0x14, workgroup 0,0,0, wave 0
// GCN all: = note: lane 32 is active again: `ds_write_b32 v1, v0`, at kernel+0x1c, workgroup 0,0,0, wave 0, lane 32
// GCN all: = note: kernel kernel, twice
// GCN all: = help: move the barrier out of the condition or loop
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    s_mov_b64 s[4:5], exec
    s_mov_b64 exec, 0x00000000ffffffff
    s_barrier
    s_mov_b64 exec, s[4:5]
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
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
