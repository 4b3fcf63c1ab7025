// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Breakpoints by label, line and condition; steps; registers that are shown and changed.
//! grid = 8
//! args = { out = "u32*8" }
//> info breakpoints
//> break loop if v2[3] == 2
//> tbreak store
//> info breakpoints
//> run
//> print v2
//> print v2[3] + 40, s8
//> print v2[3] + 40
//> print s[200:201]
//> print 25e-1 * 2 == 5
//> print 1e+
//> print any(count(v0) > 1)
//> print any(v0) + count(v0)
//> info registers s8 scc exec
//> stepi
//> stepi 2
//> continue 3
//> next
//> set s8 = 1
//> set v2[3] = 1000
//> set v2[70] = 1
//> continue
//> print/x v2
//> info breakpoints
//> list
//> backtrace
//> info lanes
//> finish
//> print out
//> run
//> continue 3
//> print s8
//> quit
// GCN all: (gcn) info breakpoints
// GCN all: No breakpoints or watchpoints.
// GCN all: (gcn) break loop if v2[3] == 2
// GCN all: Breakpoint 1 at loop (steps.s:143)
// GCN all: (gcn) tbreak store
// GCN all: Temporary breakpoint 2 at store (steps.s:149)
// GCN all: (gcn) info breakpoints
// GCN all: 1: break loop (steps.s:143), if v2[3] == 2
// GCN all: 2: break store (steps.s:149), once
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: loop (steps.s:143)
// GCN all: 143	    v_add_f32 v3, 1.0, v3
// GCN all: (gcn) print v2
// GCN all: v2 = {2, 2, 2, 2, 2, 2, 2, 2, 0 <repeats 56 times>}, active lanes: exec = 0xff
// GCN all: (gcn) print v2[3] + 40, s8
// GCN all: error: unexpected `,` in `v2[3] + 40, s8`
// GCN all: (gcn) print v2[3] + 40
// GCN all: v2[3] + 40 = 42
// GCN all: (gcn) print s[200:201]
// GCN 1.0, 1.1: error: s201 is out of range: registers end at s103 in `s[200:201]`
// GCN 1.2, 1.4, 1.4.1: error: s201 is out of range: registers end at s101 in `s[200:201]`
// GCN all: (gcn) print 25e-1 * 2 == 5
// GCN all: 25e-1 * 2 == 5 = 1
// GCN all: (gcn) print 1e+
// GCN all: error: `1e+` is not a number in `1e+`
// GCN all: (gcn) print any(count(v0) > 1)
// GCN all: error: `count` cannot be inside any, all or count in `any(count(v0) > 1)`
// GCN all: (gcn) print any(v0) + count(v0)
// GCN all: any(v0) + count(v0) = 8
// GCN all: (gcn) info registers s8 scc exec
// GCN all: s8 = 0x4 (4)
// GCN all: scc = 0x1 (1)
// GCN all: exec = 0xff
// GCN all: (gcn) stepi
// GCN all: 144	    v_or_b32 v2, 2, v2
// GCN all: (gcn) stepi 2
// GCN all: 146	    s_cmp_lg_u32 s8, 0
// GCN all: (gcn) continue 3
// GCN all: error: continue takes a number only at a breakpoint or watchpoint
// GCN all: (gcn) next
// GCN all: 147	    s_cbranch_scc1 loop
// GCN all: (gcn) set s8 = 1
// GCN all: (gcn) set v2[3] = 1000
// GCN all: (gcn) set v2[70] = 1
// GCN all: error: lane 70 does not exist: lanes are 0 to 63
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: store (steps.s:149)
// GCN all: 149	    s_waitcnt lgkmcnt(0)
// GCN all: (gcn) print/x v2
// GCN all: v2 = {0x2, 0x2, 0x2, 0x3ea, 0x2, 0x2, 0x2, 0x2, 0x0 <repeats 56 times>}, active lanes: exec = 0xff
// GCN all: (gcn) info breakpoints
// GCN all: 1: break loop (steps.s:143), if v2[3] == 2, hit 1 times
// GCN all: (gcn) list
// GCN all: 144	    v_or_b32 v2, 2, v2
// GCN all: 145	    s_sub_u32 s8, s8, 1
// GCN all: 146	    s_cmp_lg_u32 s8, 0
// GCN all: 147	    s_cbranch_scc1 loop
// GCN all: 148	store:
// GCN all: >149	    s_waitcnt lgkmcnt(0)
// GCN all: 150	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: 151	    s_endpgm
// GCN all: 152	.rodata
// GCN all: 153	.p2align 6
// GCN all: (gcn) backtrace
// GCN all: #0 ? at steps.s:149
// GCN all: (gcn) info lanes
// GCN all: exec = 0xff
// GCN all: * lane 0: local 0,0,0, global 0,0,0
// GCN all: lane 1: local 1,0,0, global 1,0,0
// GCN all: lane 2: local 2,0,0, global 2,0,0
// GCN all: lane 3: local 3,0,0, global 3,0,0
// GCN all: lane 4: local 4,0,0, global 4,0,0
// GCN all: lane 5: local 5,0,0, global 5,0,0
// GCN all: lane 6: local 6,0,0, global 6,0,0
// GCN all: lane 7: local 7,0,0, global 7,0,0
// GCN all: (gcn) finish
// GCN all: kernel has ended: waves 1, instructions 24
// GCN all: All launches have ended.
// GCN all: (gcn) print out
// GCN all: out = {2, 2, 2, 1002, 2, 2, 2, 2}
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: loop (steps.s:143)
// GCN all: 143	    v_add_f32 v3, 1.0, v3
// GCN all: (gcn) continue 3
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: loop (steps.s:143)
// GCN all: 143	    v_add_f32 v3, 1.0, v3
// GCN all: (gcn) print s8
// GCN all: s8 = 1
// GCN all: (gcn) quit
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    s_mov_b32 s8, 5
loop:
    v_add_f32 v3, 1.0, v3
    v_or_b32 v2, 2, v2
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 loop
store:
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
