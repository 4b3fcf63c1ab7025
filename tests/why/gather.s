// RUN: gfx803 gfx900 gfx906
// An address that an input decides.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[11]
// GCN all: out[11] = 868
// GCN all: └─ buffer_store_dword v3, v1, s[12:15], 0 offen  [gather.s:46, workgroup 0,0,0, wave 0, lane 11]
// GCN all: ├─ v3 = 868: buffer_load_dword v3, v2, s[8:11], 0 offen  [gather.s:44]
// GCN all: │  ├─ input b[30]
// GCN all: │  ├─ address: v2 = 120: v_lshlrev_b32_e32 v2, 2, v2  [gather.s:43]
// GCN all: │  │  └─ v2 = 30: v_and_b32_e32 v2, 63, v2  [gather.s:42]
// GCN all: │  │     └─ v2 = 606: buffer_load_dword v2, v1, s[4:7], 0 offen  [gather.s:40]
// GCN all: │  │        ├─ input a[11]
// GCN all: │  │        ├─ address: v1 = 44: #1
// GCN all: │  │        ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [gather.s:29] ← argument bytes 0..8
// GCN all: │  │        └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [gather.s:30] ← argument bytes 8..16
// GCN all: │  └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: ├─ address: #1 v1 = 44: v_lshlrev_b32_e32 v1, 2, v0  [gather.s:38] ← v0 = 11: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [gather.s:31] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[11], b[30]
// GCN all: arguments: bytes 0..24
// GCN all: 15 instructions, 18 executions, 1 workgroup traced
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
    s_waitcnt vmcnt(0)
    v_and_b32 v2, 63, v2
    v_lshlrev_b32 v2, 2, v2
    buffer_load_dword v3, v2, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_dword v3, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
