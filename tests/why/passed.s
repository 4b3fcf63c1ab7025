// RUN: gfx803 gfx900 gfx906
// A workgroup reads a byte that another one has written in the same launch, and that a later launch overwrites.
//! grid = 128
//! group = 64
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
//? out[20]
// GCN all: out[20] = 16945
// GCN all: └─ buffer_store_dword v3, v1, s[12:15], 0 offen  [passed.s:69, launch 1 (first), workgroup 1,0,0, wave 0, lane 20]
// GCN all: ├─ v3 = 16945: buffer_load_dword v3, v1, s[8:11], 0 offen  [passed.s:67]
// GCN all: │  ├─ input b[20]
// GCN all: │  ├─ buffer_store_byte v2, v1, s[8:11], 0 offen offset:1  [passed.s:64, workgroup 0,0,0, wave 0, lane 20]
// GCN all: │  │  ├─ v2 = 66: buffer_load_dword v2, v1, s[4:7], 0 offen  [passed.s:62]
// GCN all: │  │  │  ├─ input a[20]
// GCN all: │  │  │  ├─ address: v1 = 80: #2
// GCN all: │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [passed.s:60] ← argument bytes 0..8
// GCN all: │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  │  ├─ address: v1 = 80: #2
// GCN all: │  │  ├─ address: s[8:9] = 0x100040000: #3
// GCN all: │  │  ├─ address: s10 = 0xffffffff: #4
// GCN all: │  │  └─ address: s11 = 0x27fac: #5
// GCN all: │  ├─ address: v1 = 80: #2
// GCN all: │  ├─ address: #3 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [passed.s:60, × 2 in 2 waves] ← argument bytes 8..16
// GCN all: │  ├─ address: #4 s10 = 0xffffffff: s_mov_b32 s10, -1  [passed.s:60, × 2 in 2 waves]
// GCN all: │  └─ address: #5 s11 = 0x27fac: s_mov_b32 s11, 0x27fac  [passed.s:60, × 2 in 2 waves]
// GCN all: ├─ condition: #1 s_cbranch_scc0 other  [passed.s:61, × 2 in 2 waves]
// GCN all: │  └─ scc = 0: s_cmp_eq_u32 s2, 0  [passed.s:60, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN all: ├─ address: #2 v1 = 80: v_lshlrev_b32_e32 v1, 2, v0  [passed.s:60, × 2 in 2 waves] ← v0 = 20: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [passed.s:60] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[20], b[20]
// GCN all: arguments: bytes 0..24
// GCN all: 16 instructions, 26 executions, 2 workgroups traced
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
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s2, 0
.endm
.globl first
.p2align 8
.type first,@function
first:
    begin
    s_cbranch_scc0 other
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_byte v2, v1, s[8:11], 0 offen offset:1
    s_endpgm
other:
    buffer_load_dword v3, v1, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_dword v3, v1, s[12:15], 0 offen
    s_endpgm
.globl second
.p2align 8
.type second,@function
second:
    begin
    s_cbranch_scc0 end
    v_mov_b32 v2, 5
    buffer_store_dword v2, v1, s[8:11], 0 offen
end:
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
