// RUN: tahiti bonaire fiji gfx900 gfx906
// An operation on GDS may read its data late: expcnt says when it has.
//! grid = 64
// GCN all: error[source-overwritten]: v2 is overwritten while an operation may still have to read it
// GCN all: --> check/waits-gds.s:31:5
// GCN all: |
// GCN all: 31 |     v_mov_b32 v2, 7                         // too early
// GCN all: |     ^^^^^^^^^ writes v2
// GCN all: |
// GCN all: ::: check/waits-gds.s:30:5
// GCN all: |
// GCN all: 30 |     ds_add_u32 v1, v2 gds
// GCN all: |     ---------- the operation that reads v2
// GCN all: |
// GCN all: = note: writes v2: `v_mov_b32_e32 v2, 7`, at kernel+0x1c, workgroup 0,0,0, wave 0
// GCN all: = note: the operation that reads v2: `ds_add_u32 v1, v2 gds`, at kernel+0x14, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt expcnt(0)` before the instruction
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, 0x1000
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    v_mov_b32 v3, 1
    ds_add_u32 v1, v2 gds
    v_mov_b32 v2, 7                         // too early
    ds_add_u32 v1, v3 gds
    s_waitcnt expcnt(0)
    v_mov_b32 v3, 8
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
