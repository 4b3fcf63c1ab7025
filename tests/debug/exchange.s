// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Calls of functions that jump to a table, and that return by a jump which saves its own address.
//! grid = 64
//> tbreak call
//> run
//> next
//> tbreak outer
//> continue
//> finish
//> quit
// GCN all: (gcn) tbreak call
// GCN all: Temporary breakpoint 1 at call (exchange.s:44)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: call (exchange.s:44)
// GCN all: 44	    s_swappc_b64 s[12:13], s[10:11]
// GCN all: (gcn) next
// GCN all: 45	    s_nop 1
// GCN all: (gcn) tbreak outer
// GCN all: Temporary breakpoint 2 at outer (exchange.s:52)
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: outer (exchange.s:52)
// GCN all: 52	    s_swappc_b64 s[20:21], s[16:17]
// GCN all: (gcn) finish
// GCN all: The function has returned
// GCN all: workgroup 0,0,0, wave 0: again+0x4 (exchange.s:48)
// GCN all: 48	    s_nop 2
// GCN all: (gcn) quit
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_getpc_b64 s[8:9]
here:
    s_add_u32 s10, s8, outer-here
    s_addc_u32 s11, s9, 0
    s_add_u32 s14, s8, table-here
    s_addc_u32 s15, s9, 0
    s_add_u32 s16, s8, inner-here
    s_addc_u32 s17, s9, 0
call:
    s_swappc_b64 s[12:13], s[10:11]
    s_nop 1
again:
    s_swappc_b64 s[12:13], s[10:11]
    s_nop 2
    s_endpgm

outer:
    s_swappc_b64 s[20:21], s[16:17]
    s_nop 4
    s_setpc_b64 s[12:13]

inner:
    s_setpc_b64 s[14:15]
table:
    s_nop 3
    s_swappc_b64 s[18:19], s[20:21]
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 64
.end_amdhsa_kernel
