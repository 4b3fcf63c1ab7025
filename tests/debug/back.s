// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Steps back by instructions, lines and to the last stop; changes by the user are made again.
//! grid = 64
//! args = { out = "u32*64" }
//> break store
//> run
//> print v2[1]
//> print s8
//> reverse-stepi 3
//> print s8
//> print v2[1]
//> reverse-stepi 1000
//> set v2 = 100
//> stepi 6
//> set v2[1] = 100
//> continue
//> print v2[1]
//> reverse-step
//> print v2[1]
//> continue
//> print v2[1]
//> delete
//> break loop
//> reverse-continue
//> print s8
//> reverse-continue
//> print s8
//> watch s8
//> reverse-continue
//> continue
//> run
//> print out[1]
//> delete
//> continue
//> print out[1]
//> run
//> print out[1]
// GCN all: (gcn) break store
// GCN all: Breakpoint 1 at store (back.s:148)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: store (back.s:148)
// GCN all: 148	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) print v2[1]
// GCN all: v2[1] = 7
// GCN all: (gcn) print s8
// GCN all: s8 = 0
// GCN all: (gcn) reverse-stepi 3
// GCN all: workgroup 0,0,0, wave 0: loop+0x8 (back.s:144)
// GCN all: 144	    s_cmp_lg_u32 s8, 0
// GCN all: (gcn) print s8
// GCN all: s8 = 0
// GCN all: (gcn) print v2[1]
// GCN all: v2[1] = 7
// GCN all: (gcn) reverse-stepi 1000
// GCN all: Start of the launch: nothing earlier is recorded
// GCN all: workgroup 0,0,0, wave 0: kernel (back.s:135)
// GCN all: 135	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) set v2 = 100
// GCN all: (gcn) stepi 6
// GCN all: workgroup 0,0,0, wave 0: loop (back.s:142)
// GCN all: 142	    v_or_b32 v2, s8, v2
// GCN all: (gcn) set v2[1] = 100
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: store (back.s:148)
// GCN all: 148	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) print v2[1]
// GCN all: v2[1] = 103
// GCN all: (gcn) reverse-step
// GCN all: workgroup 0,0,0, wave 0: loop+0x10 (back.s:146)
// GCN all: 146	    s_waitcnt lgkmcnt(0)
// GCN all: (gcn) print v2[1]
// GCN all: v2[1] = 103
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: store (back.s:148)
// GCN all: 148	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) print v2[1]
// GCN all: v2[1] = 103
// GCN all: (gcn) delete
// GCN all: (gcn) break loop
// GCN all: Breakpoint 2 at loop (back.s:142)
// GCN all: (gcn) reverse-continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: loop (back.s:142)
// GCN all: 142	    v_or_b32 v2, s8, v2
// GCN all: (gcn) print s8
// GCN all: s8 = 1
// GCN all: (gcn) reverse-continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: loop (back.s:142)
// GCN all: 142	    v_or_b32 v2, s8, v2
// GCN all: (gcn) print s8
// GCN all: s8 = 2
// GCN all: (gcn) watch s8
// GCN all: Watchpoint 3: s8
// GCN all: (gcn) reverse-continue
// GCN all: Watchpoint 3: s8
// GCN all: s8 is 3, will be 2
// GCN all: by workgroup 0,0,0, wave 0, loop+0x4 (back.s:143): s_sub_u32 s8, s8, 1
// GCN all: workgroup 0,0,0, wave 0: loop+0x4 (back.s:143)
// GCN all: 143	    s_sub_u32 s8, s8, 1
// GCN all: (gcn) continue
// GCN all: Watchpoint 3: s8
// GCN all: s8 was 3, is 2
// GCN all: by workgroup 0,0,0, wave 0, loop+0x4 (back.s:143): s_sub_u32 s8, s8, 1
// GCN all: workgroup 0,0,0, wave 0: loop+0x8 (back.s:144)
// GCN all: 144	    s_cmp_lg_u32 s8, 0
// GCN all: (gcn) run
// GCN all: Watchpoint 3: s8
// GCN all: s8 was 0, is 4
// GCN 1.0, 1.1: by workgroup 0,0,0, wave 0, kernel+0x18 (back.s:140): s_mov_b32 s8, 4
// GCN 1.2, 1.4, 1.4.1: by workgroup 0,0,0, wave 0, kernel+0x1c (back.s:140): s_mov_b32 s8, 4
// GCN all: workgroup 0,0,0, wave 0: loop (back.s:142)
// GCN all: 142	    v_or_b32 v2, s8, v2
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 0
// GCN all: (gcn) delete
// GCN all: (gcn) continue
// GCN all: kernel has ended: waves 1, instructions 25
// GCN all: All launches have ended.
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 7
// GCN all: (gcn) run
// GCN all: kernel has ended: waves 1, instructions 25
// GCN all: All launches have ended.
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 7
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    s_mov_b32 s8, 4
loop:
    v_or_b32 v2, s8, v2
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 loop
    s_waitcnt lgkmcnt(0)
store:
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
