// RUN: tahiti bonaire fiji gfx900 gfx906
// A lane is selected by a register that the vector ALU has just written: four wait states are missing.
//! grid = 64
//! args = { out = "u32*64" }
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
