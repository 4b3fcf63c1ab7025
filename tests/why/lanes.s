// RUN: gfx803 gfx900 gfx906
// Values of other lanes: DPP, also without a source lane, a permutation through memory, one lane read.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[20]
// GCN all: out[20] = 368
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [lanes.s:60, workgroup 0,0,0, wave 0, lane 20]
// GCN all: ├─ v4 = 368: v_xor_b32_e32 v4, s20, v4  [lanes.s:59]
// GCN all: │  ├─ s20 = 302: v_readlane_b32 s20, v2, 50  [lanes.s:56]
// GCN all: │  │  └─ #2 v2 = 302: buffer_load_dword v2, v1, s[4:7], 0 offen  [lanes.s:47, lane 50]
// GCN all: │  │     ├─ input a[21, 50]
// GCN all: │  │     ├─ address: v1 = 80: #1
// GCN all: │  │     ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [lanes.s:36] ← argument bytes 0..8
// GCN all: │  │     └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  └─ v4 = 94: v_xor_b32_e32 v4, v4, v6  [lanes.s:58]
// GCN all: │     ├─ v4 = 82: v_mov_b32_dpp v4, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf  [lanes.s:53]
// GCN all: │     │  └─ v2 = 302: #2
// GCN all: │     └─ v6 = 12: ds_bpermute_b32 v6, v5, v3  [lanes.s:55]
// GCN all: │        ├─ v5 = 112: v_xor_b32_e32 v5, 32, v1  [lanes.s:49]
// GCN all: │        │  └─ v1 = 80: #1
// GCN all: │        └─ v3 = 12: buffer_load_dword v3, v1, s[8:11], 0 offen  [lanes.s:48, lane 28]
// GCN all: │           ├─ input b[28]
// GCN all: │           ├─ address: v1 = 80: #1
// GCN all: │           ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [lanes.s:37] ← argument bytes 8..16
// GCN all: │           └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: ├─ address: #1 v1 = 80: v_lshlrev_b32_e32 v1, 2, v0  [lanes.s:45] ← v0 = 20: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [lanes.s:38] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[21, 50], b[28]
// GCN all: arguments: bytes 0..24
// GCN all: 19 instructions, 26 executions, 1 workgroup traced
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x8
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    buffer_load_dword v3, v1, s[8:11], 0 offen
    v_xor_b32 v5, 32, v1
    s_waitcnt vmcnt(0)
    v_mov_b32 v4, v2
    s_nop 1
    v_mov_b32_dpp v4, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
    v_mov_b32_dpp v4, v3 row_shr:5 row_mask:0xf bank_mask:0xf
    ds_bpermute_b32 v6, v5, v3
    v_readlane_b32 s20, v2, 50
    s_waitcnt lgkmcnt(0)
    v_xor_b32 v4, v4, v6
    v_xor_b32 v4, s20, v4
    buffer_store_dword v4, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
