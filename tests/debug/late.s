// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A watched value with delayed operations: it changes at the wait and at the end of the wave. Conditions read registers.
//! grid = 128
//! group = 64
//! args = { out = "u32*64" }
//? --late
//> watch out[1]
//> run
//> continue
//> reverse-continue
//> print out[1]
//> continue
//> delete
//> continue
//> print out[1]
//> watch out[1] if v3 == 8
//> run
//> continue
//> quit
// GCN all: (gcn) watch out[1]
// GCN all: Watchpoint 1: out[1]
// GCN all: (gcn) run
// GCN all: Watchpoint 1: out[1]
// GCN all: out[1] was 0, is 5
// GCN all: by workgroup 0,0,0, wave 0, wait (late.s:80): s_waitcnt vmcnt(0)
// GCN all: workgroup 0,0,0, wave 0: second (late.s:82)
// GCN all: 82	    buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: (gcn) continue
// GCN all: Watchpoint 1: out[1]
// GCN all: out[1] was 5, is 7
// GCN all: by workgroup 0,0,0, wave 0, last (late.s:85): s_endpgm
// GCN all: workgroup 1,0,0, wave 0: kernel (late.s:71)
// GCN all: 71	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) reverse-continue
// GCN all: Watchpoint 1: out[1]
// GCN all: out[1] is 5, will be 7
// GCN all: by workgroup 0,0,0, wave 0, last (late.s:85): s_endpgm
// GCN all: workgroup 0,0,0, wave 0: last (late.s:85)
// GCN all: 85	    s_endpgm
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 5
// GCN all: (gcn) continue
// GCN all: Watchpoint 1: out[1]
// GCN all: out[1] was 5, is 7
// GCN all: by workgroup 0,0,0, wave 0, last (late.s:85): s_endpgm
// GCN all: workgroup 1,0,0, wave 0: kernel (late.s:71)
// GCN all: 71	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) delete
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 24
// GCN all: All launches have ended.
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 7
// GCN all: (gcn) watch out[1] if v3 == 8
// GCN all: Watchpoint 2: out[1]
// GCN all: (gcn) run
// GCN all: Watchpoint 2: out[1]
// GCN all: out[1] was 5, is 7
// GCN all: by workgroup 0,0,0, wave 0, last (late.s:85): s_endpgm
// GCN all: workgroup 1,0,0, wave 0: kernel (late.s:71)
// GCN all: 71	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 24
// GCN all: All launches have ended.
// GCN all: (gcn) quit
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 5
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    v_mov_b32 v3, 7
wait:
    s_waitcnt vmcnt(0)
second:
    buffer_store_dword v3, v1, s[4:7], 0 offen
    v_mov_b32 v3, 8
last:
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
