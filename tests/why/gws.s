// RUN: gfx803 gfx900 gfx906
// Workgroups that wait for each other at a GWS barrier.
//! grid = 128
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*512" }
//? out[5]
// GCN all: out[5] = 763
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], s20 offen  [gws.s:44, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v2 = 763: buffer_load_dword v2, v1, s[4:7], 0 offen  [gws.s:42]
// GCN all: │  ├─ input a[5]
// GCN all: │  ├─ address: v1 = 20: #1
// GCN all: │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [gws.s:24] ← argument bytes 0..8
// GCN all: │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [gws.s:30] ← v0 = 5: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [gws.s:25] ← argument bytes 16..24
// GCN all: ├─ address: s20 = 0: s_lshl_b32 s20, s2, 10  [gws.s:33] ← s2 = 0: workgroup ID x
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[5]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 10 instructions, 12 executions, 1 workgroup traced
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v3, 1
    s_mov_b32 m0, 0
    s_lshl_b32 s20, s2, 10
    s_cmp_eq_u32 s2, 0
    s_waitcnt lgkmcnt(0)
    s_cbranch_scc0 meet
    ds_gws_init v3 gds
    s_waitcnt lgkmcnt(0)
meet:
    ds_gws_barrier v3 gds
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[12:15], s20 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
