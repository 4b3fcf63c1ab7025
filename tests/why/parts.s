// RUN: gfx803 gfx900 gfx906
// Two workgroups have each written half of a dword, one half of which is used: the other workgroup is not traced.
//! grid = 128
//! group = 64
//! [buffers]
//! a = "u32*128:random(1,1,1000)"
//! b = "u32*64:random(2,1,1000)"
//! out = "u32*128"
//! [[launch]]
//! kernel = "first"
//! args = { a = "a", b = "b", out = "out" }
//! [[launch]]
//! kernel = "second"
//! args = { a = "a", b = "b", out = "out" }
//? out[20]
// GCN all: out[20] = 66
// GCN all: └─ buffer_store_dword v3, v1, s[12:15], s20 offen  [parts.s:73, launch 2 (second), workgroup 0,0,0, wave 0, lane 20]
// GCN all: ├─ v3 = 66: v_and_b32_e32 v3, 0xfff, v3  [parts.s:72]
// GCN all: │  └─ v3 = 0x2ae0042: buffer_load_dword v3, v1, s[8:11], 0 offen  [parts.s:70]
// GCN all: │     ├─ buffer_store_short v2, v1, s[8:11], s21 offen  [parts.s:63, launch 1 (first), workgroup 0,0,0, wave 0, lane 20]
// GCN all: │     │  ├─ v2 = 66: buffer_load_dword v2, v1, s[4:7], s20 offen  [parts.s:60]
// GCN all: │     │  │  ├─ input a[20]
// GCN all: │     │  │  ├─ address: v1 = 80: #2
// GCN all: │     │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [parts.s:59] ← argument bytes 0..8
// GCN all: │     │  │  ├─ address: s20 = 0: s_lshl_b32 s20, s2, 8  [parts.s:59] ← s2 = 0: workgroup ID x
// GCN all: │     │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │     │  ├─ address: #2 v1 = 80: v_lshlrev_b32_e32 v1, 2, v0  [parts.s:59] ← v0 = 20: work-item ID x
// GCN all: │     │  ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [parts.s:59] ← argument bytes 8..16
// GCN all: │     │  ├─ address: s21 = 0: s_lshl_b32 s21, s2, 1  [parts.s:61] ← s2 = 0: workgroup ID x
// GCN all: │     │  └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: │     ├─ address: v1 = 80: #1
// GCN all: │     ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [parts.s:69] ← argument bytes 8..16
// GCN all: │     └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: ├─ address: #1 v1 = 80: v_lshlrev_b32_e32 v1, 2, v0  [parts.s:69] ← v0 = 20: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [parts.s:69] ← argument bytes 16..24
// GCN all: ├─ address: s20 = 0: s_lshl_b32 s20, s2, 8  [parts.s:69] ← s2 = 0: workgroup ID x
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[20]
// GCN all: arguments: bytes 0..16, bytes 8..24
// GCN all: 22 instructions, 26 executions, 2 workgroups traced
.macro begin
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
    s_lshl_b32 s20, s2, 8
    s_waitcnt lgkmcnt(0)
.endm
.globl first
.p2align 8
.type first,@function
first:
    begin
    buffer_load_dword v2, v1, s[4:7], s20 offen
    s_lshl_b32 s21, s2, 1
    s_waitcnt vmcnt(0)
    buffer_store_short v2, v1, s[8:11], s21 offen
    s_endpgm
.globl second
.p2align 8
.type second,@function
second:
    begin
    buffer_load_dword v3, v1, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
    v_and_b32 v3, 0xfff, v3
    buffer_store_dword v3, v1, s[12:15], s20 offen
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
