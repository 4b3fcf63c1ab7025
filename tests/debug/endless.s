// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A kernel without an end stops at its limit.
//! grid = 1
//! limit = 1000
//! args = { out = "u32*1" }
//> break again if $count > 990
//> run
//> print $count
//> delete
//> continue
//> print s8
//> advance again
// GCN all: (gcn) break again if $count > 990
// GCN all: Breakpoint 1 at again (endless.s:37)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: again (endless.s:37)
// GCN all: 37	    s_add_u32 s8, s8, 1
// GCN all: (gcn) print $count
// GCN all: $count = 991
// GCN all: (gcn) delete
// GCN all: (gcn) continue
// GCN all: Fault: stopped after 1000 instructions, the limit
// GCN all: workgroup 0,0,0, wave 0: again+0x4 (endless.s:38)
// GCN all: 38	    s_branch again
// GCN all: (gcn) print s8
// GCN all: s8 = 500
// GCN all: (gcn) advance again
// GCN all: kernel ended with the fault; buffers are as it left them.
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_mov_b32 s8, 0
again:
    s_add_u32 s8, s8, 1
    s_branch again
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
