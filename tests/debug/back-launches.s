// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Steps back from a launch into the launches before it; changes by the user there are made again.
//! [buffers]
//! out = "u32*128"
//! [[launch]]
//! kernel = "kernel"
//! grid = 128
//! group = 128
//! repeat = 3
//! args = { out = "out" }
//> break store if $wave == 0
//> run
//> set v2[1] = 100
//> continue
//> print out[1]
//> continue
//> print out[1]
//> info record
//> delete
//> reverse-stepi 100
//> print out[1]
//> reverse-stepi
//> print out[1]
//> info record
//> reverse-stepi 1000
//> break store
//> reverse-continue
//> print v2[1]
//> stepi
//> print out[1]
//> reverse-continue
//> reverse-continue
//> watch out[1]
//> delete 2
//> continue
//> continue
//> print out[1]
//> reverse-continue
//> reverse-continue
//> reverse-continue
//> delete
//> continue
//> print out[1]
//> run
//> print out[1]
// GCN all: (gcn) break store if $wave == 0
// GCN all: Breakpoint 1 at store (back-launches.s:170)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: store (back-launches.s:170)
// GCN all: 170	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) set v2[1] = 100
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: store (back-launches.s:170)
// GCN all: 170	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 100
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: store (back-launches.s:170)
// GCN all: 170	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 202
// GCN all: (gcn) info record
// GCN all: The recording starts with the launch, 9 instructions ago, and 2 launches before it can be repeated; checkpoints: 1, 0 KiB besides the first
// GCN all: (gcn) delete
// GCN all: (gcn) reverse-stepi 100
// GCN all: Start of the launch: going back continues in the previous launch
// GCN all: workgroup 0,0,0, wave 0: kernel (back-launches.s:160)
// GCN all: 160	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 202
// GCN all: (gcn) reverse-stepi
// GCN all: workgroup 0,0,0, wave 1: store+0x8 (back-launches.s:171)
// GCN all: 171	    s_endpgm
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 202
// GCN all: (gcn) info record
// GCN all: The recording starts with the launch, 21 instructions ago, and 1 launch before it can be repeated; checkpoints: 1, 0 KiB besides the first
// GCN all: (gcn) reverse-stepi 1000
// GCN all: Workgroup 0,0,0, wave 1 begins: reverse-continue goes back to other waves
// GCN all: workgroup 0,0,0, wave 1: kernel (back-launches.s:160)
// GCN all: 160	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) break store
// GCN all: Breakpoint 2 at store (back-launches.s:170)
// GCN all: (gcn) reverse-continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: store (back-launches.s:170)
// GCN all: 170	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) print v2[1]
// GCN all: v2[1] = 202
// GCN all: (gcn) stepi
// GCN all: 171	    s_endpgm
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 202
// GCN all: (gcn) reverse-continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: store (back-launches.s:170)
// GCN all: 170	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) reverse-continue
// GCN all: Start of the launch: going back continues in the previous launch
// GCN all: workgroup 0,0,0, wave 0: kernel (back-launches.s:160)
// GCN all: 160	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) watch out[1]
// GCN all: Watchpoint 3: out[1]
// GCN all: (gcn) delete 2
// GCN all: (gcn) continue
// GCN all: Watchpoint 3: out[1]
// GCN all: out[1] was 100, is 202
// GCN all: by workgroup 0,0,0, wave 0, store (back-launches.s:170): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 0: store+0x8 (back-launches.s:171)
// GCN all: 171	    s_endpgm
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: Watchpoint 3: out[1]
// GCN all: out[1] was 202, is 406
// GCN all: by workgroup 0,0,0, wave 0, store (back-launches.s:170): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 0: store+0x8 (back-launches.s:171)
// GCN all: 171	    s_endpgm
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 406
// GCN all: (gcn) reverse-continue
// GCN all: Watchpoint 3: out[1]
// GCN all: out[1] is 202, will be 406
// GCN all: by workgroup 0,0,0, wave 0, store (back-launches.s:170): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 0: store (back-launches.s:170)
// GCN all: 170	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) reverse-continue
// GCN all: Start of the launch: going back continues in the previous launch
// GCN all: workgroup 0,0,0, wave 0: kernel (back-launches.s:160)
// GCN all: 160	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) reverse-continue
// GCN all: Watchpoint 3: out[1]
// GCN all: out[1] is 100, will be 202
// GCN all: by workgroup 0,0,0, wave 0, store (back-launches.s:170): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: workgroup 0,0,0, wave 0: store (back-launches.s:170)
// GCN all: 170	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) delete
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: All launches have ended.
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 406
// GCN all: (gcn) run
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: kernel has ended: waves 2, instructions 22
// GCN all: All launches have ended.
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 14
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_xor_b32 v2, v0, v2
    v_lshlrev_b32 v2, 1, v2
store:
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
