// RUN: gfx803 gfx900 gfx906
// Bytes that lanes of one store have written, read as a dword; one byte of a dword.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[5]
// GCN all: out[5] = 15728665
// GCN all: └─ buffer_store_dword v6, v1, s[12:15], 0 offen  [bytes.s:73, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v6 = 0xf00019: v_xor_b32_e32 v6, v6, v5  [bytes.s:72]
// GCN all: │  ├─ v6 = 0xf00042: v_and_b32_e32 v6, 0xff00ff, v4  [bytes.s:71]
// GCN all: │  │  └─ v4 = 0x7cf05242: ds_read_b32 v4, v3  [bytes.s:68]
// GCN all: │  │     ├─ ds_write_b8 v0, v2  [bytes.s:65, lane 20]
// GCN all: │  │     │  ├─ v2 = 66: buffer_load_dword v2, v1, s[4:7], 0 offen  [bytes.s:63]
// GCN all: │  │     │  │  ├─ input a[20, 22]
// GCN all: │  │     │  │  ├─ address: v1 = 20: #1
// GCN all: │  │     │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [bytes.s:51] ← argument bytes 0..8
// GCN all: │  │     │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.2: │  │     │  ├─ address: v0 = 20: work-item ID x
// GCN 1.4, 1.4.1: │  │     │  └─ address: v0 = 20: work-item ID x
// GCN 1.2: │  │     │  └─ address: m0 = 0xffffffff: #2
// GCN 1.4, 1.4.1: │  │     └─ address: v3 = 20: v_and_b32_e32 v3, 60, v1  [bytes.s:66]
// GCN 1.2: │  │     ├─ address: v3 = 20: v_and_b32_e32 v3, 60, v1  [bytes.s:66]
// GCN 1.4, 1.4.1: │  │        └─ v1 = 20: #1
// GCN 1.2: │  │     │  └─ v1 = 20: #1
// GCN 1.4, 1.4.1: │  └─ v5 = 91: buffer_load_ubyte v5, v1, s[8:11], 0 offen  [bytes.s:69]
// GCN 1.2: │  │     └─ address: #2 m0 = 0xffffffff: s_mov_b32 m0, -1  [bytes.s:62]
// GCN 1.4, 1.4.1: │     ├─ input b[5]
// GCN 1.2: │  └─ v5 = 91: buffer_load_ubyte v5, v1, s[8:11], 0 offen  [bytes.s:69]
// GCN 1.4, 1.4.1: │     ├─ address: v1 = 20: #1
// GCN 1.2: │     ├─ input b[5]
// GCN 1.4, 1.4.1: │     ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [bytes.s:52] ← argument bytes 8..16
// GCN 1.2: │     ├─ address: v1 = 20: #1
// GCN 1.4, 1.4.1: │     └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN 1.2: │     ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [bytes.s:52] ← argument bytes 8..16
// GCN 1.4, 1.4.1: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [bytes.s:60] ← v0 = 5: work-item ID x
// GCN 1.2: │     └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN 1.4, 1.4.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [bytes.s:53] ← argument bytes 16..24
// GCN 1.2: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [bytes.s:60] ← v0 = 5: work-item ID x
// GCN 1.4, 1.4.1: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.2: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [bytes.s:53] ← argument bytes 16..24
// GCN 1.4, 1.4.1: inputs: a[20, 22], b[5]
// GCN 1.2: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.4, 1.4.1: arguments: bytes 0..24
// GCN 1.2: inputs: a[20, 22], b[5]
// GCN 1.4, 1.4.1: 18 instructions, 25 executions, 1 workgroup traced
// GCN 1.2: arguments: bytes 0..24
// GCN 1.2: 19 instructions, 26 executions, 1 workgroup traced
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
    ds_write_b8 v0, v2
    v_and_b32 v3, 60, v1
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v4, v3
    buffer_load_ubyte v5, v1, s[8:11], 0 offen
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_and_b32 v6, 0xff00ff, v4
    v_xor_b32 v6, v6, v5
    buffer_store_dword v6, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
