// RUN: gfx803 gfx900 gfx906
// Two launches: the second reads what the first has written, in reverse order.
//! grid = 64
//! [buffers]
//! a = "u32*64:random(1,1,1000)"
//! b = "u32*64:random(2,1,1000)"
//! out = "u32*64"
//! [[launch]]
//! kernel = "first"
//! args = { a = "a", b = "b", out = "out" }
//! [[launch]]
//! kernel = "second"
//! args = { a = "a", b = "b", out = "out" }
//? out[60]
// GCN all: out[60] = 891
// GCN all: └─ buffer_store_dword v3, v1, s[12:15], 0 offen  [two.s:78, launch 2 (second), workgroup 0,0,0, wave 0, lane 60]
// GCN all: ├─ v3 = 891: v_xor_b32_e32 v3, 1, v3  [two.s:77]
// GCN all: │  └─ v3 = 890: buffer_load_dword v3, v2, s[8:11], 0 offen  [two.s:75]
// GCN all: │     ├─ buffer_store_dword v2, v1, s[8:11], 0 offen  [two.s:57, launch 1 (first), workgroup 0,0,0, wave 0, lane 3]
// GCN all: │     │  ├─ v2 = 890: v_lshlrev_b32_e32 v2, 1, v2  [two.s:56]
// GCN all: │     │  │  └─ v2 = 445: buffer_load_dword v2, v1, s[4:7], 0 offen  [two.s:54]
// GCN all: │     │  │     ├─ input a[3]
// GCN all: │     │  │     ├─ address: v1 = 12: #2
// GCN all: │     │  │     ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [two.s:43] ← argument bytes 0..8
// GCN all: │     │  │     └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │     │  ├─ address: #2 v1 = 12: v_lshlrev_b32_e32 v1, 2, v0  [two.s:52] ← v0 = 3: work-item ID x
// GCN all: │     │  ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [two.s:44] ← argument bytes 8..16
// GCN all: │     │  └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: │     ├─ address: v2 = 12: v_xor_b32_e32 v2, 0xfc, v1  [two.s:74]
// GCN all: │     │  └─ v1 = 240: #1
// GCN all: │     ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [two.s:64] ← argument bytes 8..16
// GCN all: │     └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: ├─ address: #1 v1 = 240: v_lshlrev_b32_e32 v1, 2, v0  [two.s:72] ← v0 = 60: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [two.s:65] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[3]
// GCN all: arguments: bytes 0..16, bytes 8..24
// GCN all: 21 instructions, 25 executions, 2 workgroups traced
.globl first
.p2align 8
.type first,@function
first:
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
    s_waitcnt vmcnt(0)
    v_lshlrev_b32 v2, 1, v2
    buffer_store_dword v2, v1, s[8:11], 0 offen
    s_endpgm
.globl second
.p2align 8
.type second,@function
second:
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
    v_xor_b32 v2, 0xfc, v1
    buffer_load_dword v3, v2, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
    v_xor_b32 v3, 1, v3
    buffer_store_dword v3, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel first
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
.rodata
.p2align 6
.amdhsa_kernel second
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
