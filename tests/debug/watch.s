// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Watchpoints on memory, elements, registers, EXEC, active lanes and $count, with the instruction that wrote.
//! grid = 64
//! args = { out = "u32*64" }
//> start
//> watch out[2..4]
//> watch out[9..70]
//> watch v2[5] if v2[5] > 10
//> watch exec
//> watch nothing
//> continue
//> continue
//> continue
//> info breakpoints
//> delete 2
//> delete 7
//> continue
//> continue
//> delete
//> start
//> watch count(v0 > 9)
//> continue
//> delete
//> watch $count > 8
//> continue
//> delete
//> watch out[2]
//> break s_endpgm
//> continue
//> continue
//> delete
//> start
//> watch exec
//> continue
//> continue 2
//> quit
// GCN all: (gcn) start
// GCN all: kernel begins
// GCN all: workgroup 0,0,0, wave 0: kernel (watch.s:166)
// GCN all: 166	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) watch out[2..4]
// GCN all: Watchpoint 1: out[2..4]
// GCN all: (gcn) watch out[9..70]
// GCN all: error: out has the elements 0..64
// GCN all: (gcn) watch v2[5] if v2[5] > 10
// GCN all: Watchpoint 2: v2[5]
// GCN all: (gcn) watch exec
// GCN all: Watchpoint 3: exec
// GCN all: (gcn) watch nothing
// GCN all: error: there is no variable, buffer or symbol `nothing`; buffers are out
// GCN all: (gcn) continue
// GCN all: Watchpoint 2: v2[5]
// GCN all: v2[5] was 7, is 14
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x18 (watch.s:171): v_lshlrev_b32_e32 v2, 1, v2
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x1c (watch.s:171): v_lshlrev_b32_e32 v2, 1, v2
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x1c (watch.s:172)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x20 (watch.s:172)
// GCN all: 172	    s_mov_b64 exec, 0xff
// GCN all: (gcn) continue
// GCN all: Watchpoint 3: exec
// GCN all: exec was 0xffffffffffffffff, is 0xff
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x1c (watch.s:172): s_mov_b64 exec, 0xff
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x20 (watch.s:172): s_mov_b64 exec, 0xff
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x24 (watch.s:173)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x28 (watch.s:173)
// GCN all: 173	    s_waitcnt lgkmcnt(0)
// GCN all: (gcn) continue
// GCN all: Watchpoint 1: out[2..4]
// GCN all: out[2] was 0, is 14; 1 more changed
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x28 (watch.s:174): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x2c (watch.s:174): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x30 (watch.s:175)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x34 (watch.s:175)
// GCN all: 175	    s_mov_b64 exec, -1
// GCN all: (gcn) info breakpoints
// GCN all: 1: watch out[2..4], hit 1 times
// GCN all: 2: watch v2[5], of workgroup 0,0,0, wave 0, if v2[5] > 10, hit 1 times
// GCN all: 3: watch exec, of workgroup 0,0,0, wave 0, hit 1 times
// GCN all: (gcn) delete 2
// GCN all: (gcn) delete 7
// GCN all: error: there is no breakpoint or watchpoint 7
// GCN all: (gcn) continue
// GCN all: Watchpoint 3: exec
// GCN all: exec was 0xff, is 0xffffffffffffffff
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x30 (watch.s:175): s_mov_b64 exec, -1
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x34 (watch.s:175): s_mov_b64 exec, -1
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x34 (watch.s:176)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x38 (watch.s:176)
// GCN all: 176	    buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: (gcn) continue
// GCN all: Watchpoint 1: out[2..4]
// GCN all: out[2] was 14, is 2; 1 more changed
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x34 (watch.s:176): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x38 (watch.s:176): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x3c (watch.s:177)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x40 (watch.s:177)
// GCN all: 177	    s_endpgm
// GCN all: (gcn) delete
// GCN all: (gcn) start
// GCN all: kernel begins
// GCN all: workgroup 0,0,0, wave 0: kernel (watch.s:166)
// GCN all: 166	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) watch count(v0 > 9)
// GCN all: Watchpoint 4: count(v0 > 9)
// GCN all: (gcn) continue
// GCN all: Watchpoint 4: count(v0 > 9)
// GCN all: count(v0 > 9) was 54, is 0
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x1c (watch.s:172): s_mov_b64 exec, 0xff
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x20 (watch.s:172): s_mov_b64 exec, 0xff
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x24 (watch.s:173)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x28 (watch.s:173)
// GCN all: 173	    s_waitcnt lgkmcnt(0)
// GCN all: (gcn) delete
// GCN all: (gcn) watch $count > 8
// GCN all: Watchpoint 5: $count > 8
// GCN all: (gcn) continue
// GCN all: Watchpoint 5: $count > 8
// GCN all: $count > 8 was 0, is 1
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x28 (watch.s:174): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x2c (watch.s:174): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x30 (watch.s:175)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x34 (watch.s:175)
// GCN all: 175	    s_mov_b64 exec, -1
// GCN all: (gcn) delete
// GCN all: (gcn) watch out[2]
// GCN all: Watchpoint 6: out[2]
// GCN all: (gcn) break s_endpgm
// GCN all: Breakpoint 7 at instruction s_endpgm
// GCN all: (gcn) continue
// GCN all: Watchpoint 6: out[2]
// GCN all: out[2] was 14, is 2
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x34 (watch.s:176): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x38 (watch.s:176): buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x3c (watch.s:177)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x40 (watch.s:177)
// GCN all: 177	    s_endpgm
// GCN all: (gcn) continue
// GCN all: Breakpoint 7
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x3c (watch.s:177)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x40 (watch.s:177)
// GCN all: 177	    s_endpgm
// GCN all: (gcn) delete
// GCN all: (gcn) start
// GCN all: kernel begins
// GCN all: workgroup 0,0,0, wave 0: kernel (watch.s:166)
// GCN all: 166	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) watch exec
// GCN all: Watchpoint 8: exec
// GCN all: (gcn) continue
// GCN all: Watchpoint 8: exec
// GCN all: exec was 0xffffffffffffffff, is 0xff
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x1c (watch.s:172): s_mov_b64 exec, 0xff
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x20 (watch.s:172): s_mov_b64 exec, 0xff
// GCN 1.0, 1.1: workgroup 0,0,0, wave 0: kernel+0x24 (watch.s:173)
// GCN 1.2, 1.4, 1.4.1: workgroup 0,0,0, wave 0: kernel+0x28 (watch.s:173)
// GCN all: 173	    s_waitcnt lgkmcnt(0)
// GCN all: (gcn) continue 2
// GCN all: kernel has ended: waves 1, instructions 12
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
    v_mov_b32 v2, 7
    v_lshlrev_b32 v2, 1, v2
    s_mov_b64 exec, 0xff
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_mov_b64 exec, -1
    buffer_store_dword v0, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
