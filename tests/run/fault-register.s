// RUN: tahiti bonaire fiji gfx900 gfx906
// A destination beyond the registers that the kernel asks for ends the run (checklist 1.6).
//! grid = 1
// GCN all: error[register-out-of-range]: kernel kernel, workgroup 0,0,0, wave 0, at kernel+0x0: v_mov_b32_e32 v200, 1
// GCN all: --> run/fault-register.s:13: v_mov_b32 v200, 1
// GCN 1.0, 1.1: writes registers that the wave does not have: its kernel asks for 16 VGPRs and 40 SGPRs
// GCN 1.2, 1.4, 1.4.1: writes registers that the wave does not have: its kernel asks for 16 VGPRs and 48 SGPRs
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_mov_b32 v200, 1
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
