// RUN: gfx803 gfx900 gfx906
// A selection by a mask of lanes, one by SCC, and a move that SCC suppresses.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[2]
// GCN all: out[2] = 12
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [select.s:62, workgroup 0,0,0, wave 0, lane 2]
// GCN all: ├─ v4 = 12: v_lshlrev_b32_e32 v4, s24, v4  [select.s:61]
// GCN all: │  ├─ s24 = 2: s_cmov_b32 s24, s20  [select.s:60]
// GCN all: │  │  ├─ #2 scc = 0: s_cmp_lt_u32 s20, 0x100  [select.s:58]
// GCN all: │  │  │  └─ s20 = 535: s_buffer_load_dword s20, s[4:7], 0xfc  [select.s:54]
// GCN all: │  │  │     ├─ input a[63]
// GCN all: │  │  │     ├─ address: #3 s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [select.s:41] ← argument bytes 0..8
// GCN all: │  │  │     ├─ address: #4 s6 = 0xffffffff: s_mov_b32 s6, -1  [select.s:44]
// GCN all: │  │  │     └─ address: #5 s7 = 0x27fac: s_mov_b32 s7, 0x27fac  [select.s:45]
// GCN all: │  │  └─ s24 = 2: s_cselect_b32 s24, 1, 2  [select.s:59]
// GCN all: │  │     └─ scc = 0: #2
// GCN all: │  └─ v4 = 3: v_cndmask_b32_e64 v4, 3, v3, s[22:23]  [select.s:57]
// GCN all: │     └─ s22 = 0xc7a0d08b: v_cmp_lt_u32_e64 s[22:23], v2, v3  [select.s:56]
// GCN all: │        ├─ v2 = 972: buffer_load_dword v2, v1, s[4:7], 0 offen  [select.s:52]
// GCN all: │        │  ├─ input a[2]
// GCN all: │        │  ├─ address: v1 = 8: #1
// GCN all: │        │  ├─ address: s[4:5] = 0x100020000: #3
// GCN all: │        │  ├─ address: s6 = 0xffffffff: #4
// GCN all: │        │  └─ address: s7 = 0x27fac: #5
// GCN all: │        └─ v3 = 596: buffer_load_dword v3, v1, s[8:11], 0 offen  [select.s:53]
// GCN all: │           ├─ input b[2]
// GCN all: │           ├─ address: v1 = 8: #1
// GCN all: │           ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [select.s:42] ← argument bytes 8..16
// GCN all: │           └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: ├─ address: #1 v1 = 8: v_lshlrev_b32_e32 v1, 2, v0  [select.s:50] ← v0 = 2: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [select.s:43] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[2, 63], b[2]
// GCN all: arguments: bytes 0..24
// GCN all: 20 instructions, 23 executions, 1 workgroup traced
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
    s_buffer_load_dword s20, s[4:7], 0xfc
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    v_cmp_lt_u32 s[22:23], v2, v3
    v_cndmask_b32 v4, 3, v3, s[22:23]
    s_cmp_lt_u32 s20, 0x100
    s_cselect_b32 s24, 1, 2
    s_cmov_b32 s24, s20
    v_lshlrev_b32 v4, s24, v4
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
