// RUN: gfx803 gfx900 gfx906
// Exchanges between lanes: patterns, and a lane that chooses the one that receives its value.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*66:random(2,1,1000)", out = "u32*64" }
//? out[20]
// GCN all: out[20] = 22226002
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [exchanged.s:69, workgroup 0,0,0, wave 0, lane 20]
// GCN all: ├─ v4 = 0x1532452: v_xor_b32_e32 v4, v4, v7  [exchanged.s:68]
// GCN all: │  ├─ v4 = 0x32452: v_xor_b32_e32 v4, v4, v6  [exchanged.s:67]
// GCN all: │  │  ├─ v4 = 82: ds_permute_b32 v4, v5, v2  [exchanged.s:61]
// GCN all: │  │  │  ├─ v5 = 80: v_xor_b32_e32 v5, s16, v1  [exchanged.s:60, lane 21]
// GCN all: │  │  │  │  ├─ s16 = 4: s_and_b32 s16, s16, 4  [exchanged.s:59]
// GCN all: │  │  │  │  │  └─ s16 = 6: s_buffer_load_dword s16, s[8:11], 0x100  [exchanged.s:57]
// GCN all: │  │  │  │  │     ├─ input b[64]
// GCN all: │  │  │  │  │     ├─ address: s[8:9] = 0x100040000: #2
// GCN all: │  │  │  │  │     ├─ address: s10 = 0xffffffff: #3
// GCN all: │  │  │  │  │     └─ address: s11 = 0x27fac: #4
// GCN all: │  │  │  │  └─ v1 = 80: #1
// GCN all: │  │  │  └─ v2 = 82: buffer_load_dword v2, v1, s[4:7], 0 offen  [exchanged.s:55, lane 21]
// GCN all: │  │  │     ├─ input a[21]
// GCN all: │  │  │     ├─ address: v1 = 80: #1
// GCN all: │  │  │     ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [exchanged.s:44] ← argument bytes 0..8
// GCN all: │  │  │     └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  │  └─ v6 = 0x32400: v_lshlrev_b32_e32 v6, 10, v6  [exchanged.s:65]
// GCN all: │  │     └─ v6 = 201: ds_swizzle_b32 v6, v3 offset:swizzle(SWAP,4)  [exchanged.s:62]
// GCN all: │  │        └─ v3 = 201: buffer_load_dword v3, v1, s[8:11], 0 offen  [exchanged.s:56, lane 16]
// GCN all: │  │           ├─ input b[16]
// GCN all: │  │           ├─ address: v1 = 80: #1
// GCN all: │  │           ├─ address: #2 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [exchanged.s:45] ← argument bytes 8..16
// GCN all: │  │           ├─ address: #3 s10 = 0xffffffff: s_mov_b32 s10, -1  [exchanged.s:49]
// GCN all: │  │           └─ address: #4 s11 = 0x27fac: s_mov_b32 s11, 0x27fac  [exchanged.s:50]
// GCN all: │  └─ v7 = 0x1500000: v_lshlrev_b32_e32 v7, 20, v7  [exchanged.s:66]
// GCN all: │     └─ v7 = 21: ds_swizzle_b32 v7, v0 offset:swizzle(QUAD_PERM,1,0,3,2)  [exchanged.s:63] ← v0 = 21: work-item ID x
// GCN all: ├─ address: #1 v1 = 80: v_lshlrev_b32_e32 v1, 2, v0  [exchanged.s:53] ← v0 = 20: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [exchanged.s:46] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[21], b[16, 64]
// GCN all: arguments: bytes 0..24
// GCN all: 23 instructions, 28 executions, 1 workgroup traced
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
    s_buffer_load_dword s16, s[8:11], 0x100
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_and_b32 s16, s16, 4
    v_xor_b32 v5, s16, v1
    ds_permute_b32 v4, v5, v2
    ds_swizzle_b32 v6, v3 offset:swizzle(SWAP,4)
    ds_swizzle_b32 v7, v0 offset:swizzle(QUAD_PERM,1,0,3,2)
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32 v6, 10, v6
    v_lshlrev_b32 v7, 20, v7
    v_xor_b32 v4, v4, v6
    v_xor_b32 v4, v4, v7
    buffer_store_dword v4, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
