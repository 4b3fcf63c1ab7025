// RUN: tahiti bonaire fiji gfx900 gfx906
// A trap, as compilers write it where control must not come.
//! grid = 1
// GCN all: error[trap]: kernel kernel, workgroup 0,0,0, wave 0, at kernel+0x0: s_trap 2
// GCN all: --> run/fault-trap.s:12: s_trap 2
// GCN all: trap 2: the kernel aborts, as by __builtin_trap or a failed assertion
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_trap 2
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
