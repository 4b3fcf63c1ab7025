// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Watchpoints after `set`, after `enable`, with a condition that has no value, and when the launches begin again.
//! grid = 128
//! args = ["u32*128"]
//> break second if $group_x == 1
//> run
//> watch arg0[3..4]
//> set arg0[3] = 9
//> watch v2[5]
//> disable 3
//> set v2[5] = 77
//> continue
//> enable 3
//> continue
//> delete 1-2
//> condition 3 v200 > 1
//> continue
//> delete
//> watch $count > 3
//> run
//> quit
// GCN all: (gcn) break second if $group_x == 1
// GCN all: Breakpoint 1 at second (rewatch.s:78)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 1,0,0, wave 0: second (rewatch.s:78)
// GCN all: 78	    buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: (gcn) watch arg0[3..4]
// GCN all: Watchpoint 2: arg0[3..4]
// GCN all: (gcn) set arg0[3] = 9
// GCN all: (gcn) watch v2[5]
// GCN all: Watchpoint 3: v2[5]
// GCN all: (gcn) disable 3
// GCN all: (gcn) set v2[5] = 77
// GCN all: (gcn) continue
// GCN all: Watchpoint 2: arg0[3..4]
// GCN all: arg0[3] was 9, is 7
// GCN all: by workgroup 1,0,0, wave 0, second (rewatch.s:78): buffer_store_dword v2, v1, s[4:7], 0 offen
// GCN all: workgroup 1,0,0, wave 0: second+0x8 (rewatch.s:79)
// GCN all: 79	    v_mov_b32 v2, 8
// GCN all: (gcn) enable 3
// GCN all: (gcn) continue
// GCN all: Watchpoint 3: v2[5]
// GCN all: v2[5] was 77, is 8
// GCN all: by workgroup 1,0,0, wave 0, second+0x8 (rewatch.s:79): v_mov_b32_e32 v2, 8
// GCN all: workgroup 1,0,0, wave 0: third (rewatch.s:81)
// GCN all: 81	    s_nop 0
// GCN all: (gcn) delete 1-2
// GCN all: (gcn) condition 3 v200 > 1
// GCN all: (gcn) continue
// GCN all: Watchpoint 3: its condition cannot be evaluated: v200 is out of range: the wave has 16 vector registers
// GCN all: workgroup 1,0,0, wave 0: third+0x10 (rewatch.s:84)
// GCN all: 84	    s_endpgm
// GCN all: (gcn) delete
// GCN all: (gcn) watch $count > 3
// GCN all: Watchpoint 4: $count > 3
// GCN all: (gcn) run
// GCN all: Watchpoint 4: $count > 3
// GCN all: $count > 3 was 0, is 1
// GCN 1.0, 1.1: by workgroup 1,0,0, wave 0, kernel+0x10 (rewatch.s:74): v_lshlrev_b32_e32 v1, 2, v0
// GCN 1.2, 1.4, 1.4.1: by workgroup 1,0,0, wave 0, kernel+0x14 (rewatch.s:74): v_lshlrev_b32_e32 v1, 2, v0
// GCN 1.0, 1.1: workgroup 1,0,0, wave 0: kernel+0x14 (rewatch.s:75)
// GCN 1.2, 1.4, 1.4.1: workgroup 1,0,0, wave 0: kernel+0x18 (rewatch.s:75)
// GCN all: 75	    v_mov_b32 v2, 7
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
    s_waitcnt lgkmcnt(0)
second:
    buffer_store_dword v2, v1, s[4:7], 0 offen
    v_mov_b32 v2, 8
third:
    s_nop 0
    buffer_store_dword v0, v1, s[4:7], 0 offen
    v_mov_b32 v2, 9
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
