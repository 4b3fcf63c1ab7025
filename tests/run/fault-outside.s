// RUN: tahiti bonaire fiji gfx900 gfx906
// A jump out of the code.
//! grid = 1
// GCN all: error[pc-outside-code]: kernel kernel, workgroup 0,0,0, wave 0, at 0x10
// GCN all: the program counter left the code
// GCN all: it came from the instruction at 0x100001304 (kernel+0x4): s_setpc_b64 s[4:5]
// GCN all: --> run/fault-outside.s:14: s_setpc_b64 s[4:5]
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b64 s[4:5], 0x10
    s_setpc_b64 s[4:5]
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
