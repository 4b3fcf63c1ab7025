// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A counter in GDS counts from 0 each time that the launches run again.
//! [buffers]
//! out = "u32*64"
//! [[launch]]
//! kernel = "kernel"
//! grid = 64
//! repeat = 2
//! args = { out = "out" }
//? out[9]
// GCN all: out[9] = 1
// GCN all: └─ buffer_store_dword v3, v1, s[4:7], 0 offen  [gds.s:39, launch 1 (kernel), run 2, workgroup 0,0,0, wave 0, lane 9]
// GCN all: ├─ v3 = 1: ds_add_rtn_u32 v3, v1, v2 gds  [gds.s:37]
// GCN all: │  ├─ ds_add_rtn_u32 v3, v1, v2 gds  [gds.s:37, launch 1 (kernel), run 1, workgroup 0,0,0, wave 0, lane 9]
// GCN all: │  │  ├─ v2 = 1: v_mov_b32_e32 v2, 1  [gds.s:36]
// GCN all: │  │  ├─ bytes 36..40 of GDS
// GCN all: │  │  ├─ address: v1 = 36: v_lshlrev_b32_e32 v1, 2, v0  [gds.s:35] ← v0 = 9: work-item ID x
// GCN all: │  │  └─ address: constants m0 = 4096
// GCN all: │  ├─ address: v1 = 36: #1
// GCN all: │  └─ address: constants m0 = 4096
// GCN all: ├─ address: #1 v1 = 36: v_lshlrev_b32_e32 v1, 2, v0  [gds.s:35] ← v0 = 9: work-item ID x
// GCN all: ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [gds.s:31] ← argument bytes 0..8
// GCN all: └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: inputs: GDS
// GCN all: arguments: bytes 0..8
// GCN all: 11 instructions, 12 executions, 2 workgroups traced
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, 0x1000
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 1
    ds_add_rtn_u32 v3, v1, v2 gds
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v3, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
