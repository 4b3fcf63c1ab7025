// RUN: gfx803 gfx900 gfx906
// The session of docs/debug.md: each work-item should sum four numbers of its own, and reads those of its neighbour.
//! grid = 64
//! args = { in = "f32*256:iota", out = "f32*64" }
//> run
//> print out[1]
//> break next
//> lane 1
//> run
//> print v3[1]
//> display v4[1]
//> display/f v5[1]
//> delete
//> tbreak store
//> continue
// GCN all: (gcn) run
// GCN all: sums has ended: waves 1, instructions 37
// GCN all: All launches have ended.
// GCN all: (gcn) print out[1]
// GCN all: out[1] = 14
// GCN all: (gcn) break next
// GCN all: Breakpoint 1 at next (tutorial.s:59)
// GCN all: (gcn) lane 1
// GCN all: lane 1
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: next (tutorial.s:59)
// GCN all: 59	    buffer_load_dword v5, v3, s[4:7], s12 offen
// GCN all: (gcn) print v3[1]
// GCN all: v3[1] = 8
// GCN all: (gcn) display v4[1]
// GCN all: 1: v4[1] = 0
// GCN all: (gcn) display/f v5[1]
// GCN all: 2: v5[1] = 0
// GCN all: (gcn) delete
// GCN all: (gcn) tbreak store
// GCN all: Temporary breakpoint 2 at store (tutorial.s:66)
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: store (tutorial.s:66)
// GCN all: 66	    v_lshlrev_b32 v1, 2, v0
// GCN all: 1: v4[1] = 1096810496
// GCN all: 2: v5[1] = 5
.globl sums
.p2align 8
.type sums,@function
sums:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x8
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    v_lshlrev_b32 v3, 3, v0         // the first number of the work-item, in bytes
    v_mov_b32 v4, 0
    s_mov_b32 s12, 0
    s_waitcnt lgkmcnt(0)
next:
    buffer_load_dword v5, v3, s[4:7], s12 offen
    s_waitcnt vmcnt(0)
    v_add_f32 v4, v4, v5
    s_add_u32 s12, s12, 4
    s_cmp_lg_u32 s12, 16
    s_cbranch_scc1 next
store:
    v_lshlrev_b32 v1, 2, v0
    buffer_store_dword v4, v1, s[8:11], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel sums
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
