// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A step over a recursive call ends at the level of the call.
//! grid = 64
//! args = { out = "u32*64" }
//> tbreak call
//> run
//> print s30
//> next
//> print s30
//> print s20
//> quit
// GCN all: (gcn) tbreak call
// GCN all: Temporary breakpoint 1 at call (recursive.s:50)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: call (recursive.s:50)
// GCN all: 50	    s_swappc_b64 s[12:13], s[10:11]
// GCN all: (gcn) print s30
// GCN all: s30 = 2
// GCN all: (gcn) next
// GCN all: 51	    s_mov_b32 s21, s20
// GCN all: (gcn) print s30
// GCN all: s30 = 2
// GCN all: (gcn) print s20
// GCN all: s20 = 0
// GCN all: (gcn) quit
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_mov_b32 s20, 3
    s_mov_b32 s30, 0
    s_getpc_b64 s[10:11]
here:
    s_add_u32 s10, s10, recurse-here
    s_addc_u32 s11, s11, 0
    s_swappc_b64 s[12:13], s[10:11]
    s_endpgm

recurse:
    s_mov_b32 m0, s30
    s_nop 0
    s_movreld_b64 s[40:41], s[12:13]
    s_add_u32 s30, s30, 2
    s_sub_u32 s20, s20, 1
    s_cmp_eq_u32 s20, 0
    s_cbranch_scc1 leaf
call:
    s_swappc_b64 s[12:13], s[10:11]
    s_mov_b32 s21, s20
leaf:
    s_sub_u32 s30, s30, 2
    s_mov_b32 m0, s30
    s_nop 0
    s_movrels_b64 s[12:13], s[40:41]
    s_setpc_b64 s[12:13]
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 64
.end_amdhsa_kernel
