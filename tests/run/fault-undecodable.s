// RUN: tahiti bonaire fiji gfx900 gfx906
// A word that begins no instruction.
//! grid = 1
// GCN all: error[invalid-instruction]: kernel kernel, workgroup 0,0,0, wave 0, at kernel+0x4
// GCN 1.0: 0xffffffff does not begin an instruction of GCN 1.0
// GCN 1.1: 0xffffffff does not begin an instruction of GCN 1.1
// GCN 1.2: 0xffffffff does not begin an instruction of GCN 1.2
// GCN 1.4: 0xffffffff does not begin an instruction of GCN 1.4
// GCN 1.4.1: 0xffffffff does not begin an instruction of GCN 1.4.1
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_nop 0
    .long 0xffffffff
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
