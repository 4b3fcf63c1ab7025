// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Conditions of watchpoints hold in the wave and the lane that stored; the start of a wave that is not the first.
//! grid = 128
//! group = 128
//! args = { out = "u32*128" }
//> watch out if $wave == 1
//> run
//> reverse-stepi 1000
//> reverse-step
//> reverse-finish
//> continue
//> continue
//> reverse-continue
//> reverse-continue
//> reverse-continue
//> why out[1]
//> delete
//> watch out[70] if v0 == 70
//> continue
//> break meet
//> reverse-continue
//> break first
//> stepi
//> reverse-continue
//> quit
// GCN all: (gcn) watch out if $wave == 1
// GCN all: Watchpoint 1: out
// GCN all: (gcn) run
// GCN all: Watchpoint 1: out
// GCN all: out[64] was 0, is 64; 63 more changed
// GCN all: by workgroup 0,0,0, wave 1, first (watch-writer.s:125): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: meet (watch-writer.s:127)
// GCN all: 127	    s_barrier
// GCN all: (gcn) reverse-stepi 1000
// GCN all: Workgroup 0,0,0, wave 1 begins: reverse-continue goes back to other waves
// GCN all: workgroup 0,0,0, wave 1: kernel (watch-writer.s:118)
// GCN all: 118	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) reverse-step
// GCN all: Workgroup 0,0,0, wave 1 begins: reverse-continue goes back to other waves
// GCN all: workgroup 0,0,0, wave 1: kernel (watch-writer.s:118)
// GCN all: 118	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) reverse-finish
// GCN all: Workgroup 0,0,0, wave 1 begins: reverse-continue goes back to other waves
// GCN all: workgroup 0,0,0, wave 1: kernel (watch-writer.s:118)
// GCN all: 118	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) continue
// GCN all: Watchpoint 1: out
// GCN all: out[64] was 0, is 64; 63 more changed
// GCN all: by workgroup 0,0,0, wave 1, first (watch-writer.s:125): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: meet (watch-writer.s:127)
// GCN all: 127	    s_barrier
// GCN all: (gcn) continue
// GCN all: Watchpoint 1: out
// GCN all: out[64] was 64, is 5; 63 more changed
// GCN all: by workgroup 0,0,0, wave 1, second (watch-writer.s:129): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: last (watch-writer.s:131)
// GCN all: 131	    s_endpgm
// GCN all: (gcn) reverse-continue
// GCN all: Watchpoint 1: out
// GCN all: out[64] is 64, will be 5; 63 more will change
// GCN all: by workgroup 0,0,0, wave 1, second (watch-writer.s:129): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: second (watch-writer.s:129)
// GCN all: 129	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) reverse-continue
// GCN all: Watchpoint 1: out
// GCN all: out[64] is 0, will be 64; 63 more will change
// GCN all: by workgroup 0,0,0, wave 1, first (watch-writer.s:125): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: first (watch-writer.s:125)
// GCN all: 125	    buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: (gcn) reverse-continue
// GCN all: Start of the launch: nothing earlier is recorded
// GCN all: workgroup 0,0,0, wave 0: kernel (watch-writer.s:118)
// GCN all: 118	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) why out[1]
// GCN all: out[1] = 0
// GCN all: └─ input out[1]
// GCN all: inputs: out[1]
// GCN all: 0 instructions, 0 executions, 1 workgroup traced
// GCN all: 118	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) delete
// GCN all: (gcn) watch out[70] if v0 == 70
// GCN all: Watchpoint 2: out[70]
// GCN all: (gcn) continue
// GCN all: Watchpoint 2: out[70]
// GCN all: out[70] was 0, is 70
// GCN all: by workgroup 0,0,0, wave 1, first (watch-writer.s:125): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: meet (watch-writer.s:127)
// GCN all: 127	    s_barrier
// GCN all: (gcn) break meet
// GCN all: Breakpoint 3 at meet (watch-writer.s:127)
// GCN all: (gcn) reverse-continue
// GCN all: Watchpoint 2: out[70]
// GCN all: out[70] is 0, will be 70
// GCN all: by workgroup 0,0,0, wave 1, first (watch-writer.s:125): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: first (watch-writer.s:125)
// GCN all: 125	    buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: (gcn) break first
// GCN all: Breakpoint 4 at first (watch-writer.s:125)
// GCN all: (gcn) stepi
// GCN all: Watchpoint 2: out[70]
// GCN all: out[70] was 0, is 70
// GCN all: by workgroup 0,0,0, wave 1, first (watch-writer.s:125): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: meet (watch-writer.s:127)
// GCN all: 127	    s_barrier
// GCN all: (gcn) reverse-continue
// GCN all: Breakpoint 4
// GCN all: Watchpoint 2: out[70]
// GCN all: out[70] is 0, will be 70
// GCN all: by workgroup 0,0,0, wave 1, first (watch-writer.s:125): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 1: first (watch-writer.s:125)
// GCN all: 125	    buffer_store_dword v0, v1, s[4:7], 0 offen
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
first:
    buffer_store_dword v0, v1, s[4:7], 0 offen
meet:
    s_barrier
second:
    buffer_store_dword v2, v1, s[4:7], 0 offen
last:
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
