// RUN: tahiti bonaire fiji gfx900 gfx906
// A lane is selected by a register that the vector ALU has just written: four wait states are missing.
//! grid = 64
//! args = { out = "u32*64" }
// GCN all: error[missing-wait-states]: s4 selects a lane too soon after the vector ALU has written it
// GCN all: --> check/hazards-lane.s:30:5
// GCN all: |
// GCN all: 30 |     v_readlane_b32 s5, v1, s4
// GCN all: |     ^^^^^^^^^^^^^^ needs 4 wait states before it, has 0
// GCN all: |
// GCN all: ::: check/hazards-lane.s:29:5
// GCN all: |
// GCN all: 29 |     v_readfirstlane_b32 s4, v0
// GCN all: |     ------------------- counted from this instruction
// GCN all: |
// GCN 1.0, 1.1: = note: needs 4 wait states before it, has 0: `v_readlane_b32_e32 s5, v1, s4`, at kernel+0x8, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: needs 4 wait states before it, has 0: `v_readlane_b32 s5, v1, s4`, at kernel+0x8, workgroup 0,0,0, wave 0
// GCN all: = note: counted from this instruction: `v_readfirstlane_b32 s4, v0`, at kernel+0x4, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_nop 3` before the instruction
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_mov_b32 v1, v0
    v_readfirstlane_b32 s4, v0
    v_readlane_b32 s5, v1, s4
    v_readfirstlane_b32 s6, v0
    s_nop 3
    v_readlane_b32 s5, v1, s6           // four wait states: enough
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
