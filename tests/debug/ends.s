// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Stops between launches, and questions and steps back when they have ended.
//! grid = 64
//! [buffers]
//! out = "u32*64"
//! [[launch]]
//! kernel = "first"
//! args = { out = "out" }
//! [[launch]]
//! kernel = "second"
//! args = { out = "out" }
//> why out[1]
//> reverse-stepi
//> start
//> finish
//> finish
//> why/1 out[1]
//> print out[1]
//> reverse-stepi
//> continue
//> break second_store
//> reverse-continue
//> print out[1]
//> continue
//> set out[1] = 5
//> why out[1]
//> delete
//> catch launch end
//> run
//> continue
//> print out[1]
//> why/1 out[1]
//> stepi
//> reverse-continue
//> continue
//> continue
//> continue
//> print out[1]
//> continue
// GCN all: (gcn) why out[1]
// GCN all: error: no launch is running: use run or start
// GCN all: (gcn) reverse-stepi
// GCN all: error: no launch is running: use run or start
// GCN all: (gcn) start
// GCN all: first begins
// GCN all: workgroup 0,0,0, wave 0: first (ends.s:126)
// GCN all: 126	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) finish
// GCN all: first has ended: waves 1, instructions 8
// GCN all: second begins
// GCN all: workgroup 0,0,0, wave 0: second (ends.s:139)
// GCN all: 139	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) finish
// GCN all: second has ended: waves 1, instructions 10
// GCN all: All launches have ended.
// GCN all: (gcn) why/1 out[1]
// GCN all: out[1] = 7
// GCN all: └─ buffer_store_dword v2, v1, s[4:7], 0 offen  [ends.s:148, launch 2 (second), workgroup 0,0,0, wave 0, lane 1]
// GCN all: └─ … 5 dependences: raise --depth
// GCN all: arguments: bytes 0..8
// GCN all: 13 instructions, 15 executions, 2 workgroups traced
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 7
// GCN all: (gcn) reverse-stepi
// GCN all: workgroup 0,0,0, wave 0: second_end (ends.s:150)
// GCN all: 150	    s_endpgm
// GCN all: (gcn) continue
// GCN all: second has ended: waves 1, instructions 10
// GCN all: All launches have ended.
// GCN all: (gcn) break second_store
// GCN all: Breakpoint 1 at second_store (ends.s:148)
// GCN all: (gcn) reverse-continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: second_store (ends.s:148)
// GCN all: 148	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 2
// GCN all: (gcn) continue
// GCN all: second has ended: waves 1, instructions 10
// GCN all: All launches have ended.
// GCN all: (gcn) set out[1] = 5
// GCN all: (gcn) why out[1]
// GCN all: error: `set` has changed what the launch does: restart it with run
// GCN all: (gcn) delete
// GCN all: (gcn) catch launch end
// GCN all: fault is shown
// GCN all: launch stops
// GCN all: end stops
// GCN all: (gcn) run
// GCN all: first begins
// GCN all: workgroup 0,0,0, wave 0: first (ends.s:126)
// GCN all: 126	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) continue
// GCN all: first has ended: waves 1, instructions 8
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 2
// GCN all: (gcn) why/1 out[1]
// GCN all: out[1] = 2
// GCN all: └─ buffer_store_dword v2, v1, s[4:7], 0 offen  [ends.s:132, launch 1 (first), workgroup 0,0,0, wave 0, lane 1]
// GCN all: └─ … 5 dependences: raise --depth
// GCN all: arguments: bytes 0..8
// GCN all: 6 instructions, 7 executions, 1 workgroup traced
// GCN all: (gcn) stepi
// GCN all: error: no launch is running: use continue
// GCN all: (gcn) reverse-continue
// GCN all: Start of the launch: nothing earlier is recorded
// GCN all: workgroup 0,0,0, wave 0: first (ends.s:126)
// GCN all: 126	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) continue
// GCN all: first has ended: waves 1, instructions 8
// GCN all: (gcn) continue
// GCN all: second begins
// GCN all: workgroup 0,0,0, wave 0: second (ends.s:139)
// GCN all: 139	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) continue
// GCN all: second has ended: waves 1, instructions 10
// GCN all: All launches have ended.
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 7
// GCN all: (gcn) continue
// GCN all: error: no launch is running: use run or start
.globl first
.p2align 8
.type first,@function
first:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_lshlrev_b32 v2, 1, v0
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
first_end:
    s_endpgm
.globl second
.p2align 8
.type second,@function
second:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    v_xor_b32 v2, 5, v2
second_store:
    buffer_store_dword v2, v1, s[4:7], 0 offen
second_end:
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel first
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel second
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
