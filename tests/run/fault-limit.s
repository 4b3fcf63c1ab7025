// RUN: tahiti bonaire fiji gfx900 gfx906
// A loop without end: the limit of instructions ends it.
//! grid = 1
//! limit = 1000
// GCN all: error[instruction-limit]: kernel kernel, workgroup 0,0,0, wave 0, at kernel+0x0: s_branch 65535
// GCN all: --> run/fault-limit.s:17: s_branch .Lagain
// GCN all: stopped after 1000 instructions, the limit
// GCN all: 1 unfinished wave:
// GCN all: workgroup 0,0,0, wave 0, at kernel+0x0: s_branch 65535, exec=0000000000000001
// GCN all: --> run/fault-limit.s:17: s_branch .Lagain
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
.Lagain:
    s_branch .Lagain
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
