// RUN: gfx803 gfx900 gfx906
// Waves that exchange elements through LDS.
//! grid = 128
//! group = 128
//! args = { a = "u32*128:random(1,1,1000)", b = "u32*128:random(2,1,1000)", out = "u32*128" }
//? out[5]
// GCN all: out[5] = 121
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [exchange.s:60, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v4 = 121: ds_read_b32 v4, v3  [exchange.s:58]
// GCN all: │  ├─ ds_write_b32 v1, v2  [exchange.s:54, workgroup 0,0,0, wave 1, lane 5]
// GCN all: │  │  ├─ v2 = 121: buffer_load_dword v2, v1, s[4:7], 0 offen  [exchange.s:52]
// GCN all: │  │  │  ├─ input a[69]
// GCN all: │  │  │  ├─ address: v1 = 20: #1
// GCN all: │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [exchange.s:40] ← argument bytes 0..8
// GCN all: │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.2: │  │  ├─ address: v1 = 20: #1
// GCN 1.4, 1.4.1: │  │  └─ address: v1 = 20: #1
// GCN 1.2: │  │  └─ address: m0 = 0xffffffff: #2
// GCN 1.4, 1.4.1: │  └─ address: v3 = 276: v_xor_b32_e32 v3, 0x100, v1  [exchange.s:57]
// GCN 1.2: │  ├─ address: v3 = 276: v_xor_b32_e32 v3, 0x100, v1  [exchange.s:57]
// GCN 1.4, 1.4.1: │     └─ v1 = 20: #1
// GCN 1.2: │  │  └─ v1 = 20: #1
// GCN 1.4, 1.4.1: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [exchange.s:49, × 2 in 2 waves] ← v0 = 5: work-item ID x
// GCN 1.2: │  └─ address: #2 m0 = 0xffffffff: s_mov_b32 m0, -1  [exchange.s:51, × 2 in 2 waves]
// GCN 1.4, 1.4.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [exchange.s:42] ← argument bytes 16..24
// GCN 1.2: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [exchange.s:49, × 2 in 2 waves] ← v0 = 5: work-item ID x
// GCN 1.4, 1.4.1: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.2: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [exchange.s:42] ← argument bytes 16..24
// GCN 1.4, 1.4.1: inputs: a[69]
// GCN 1.2: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.4, 1.4.1: arguments: bytes 0..8, 16..24
// GCN 1.2: inputs: a[69]
// GCN 1.4, 1.4.1: 12 instructions, 15 executions, 1 workgroup traced
// GCN 1.2: arguments: bytes 0..8, 16..24
// GCN 1.2: 13 instructions, 17 executions, 1 workgroup traced
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
    s_mov_b32 m0, -1
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v3, 0x100, v1
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
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
