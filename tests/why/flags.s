// RUN: gfx803 gfx900 gfx906
// Whole masks as sources: VCCZ depends on every lane.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*66:random(2,1,1000)", out = "u32*64" }
//? out[5]
// GCN all: out[5] = 19
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [flags.s:48, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v4 = 19: v_xor_b32_e32 v4, s16, v4  [flags.s:47]
// GCN all: │  ├─ s16 = 3: s_or_b32 s16, src_vccz, 2  [flags.s:45]
// GCN all: │  │  └─ #2 vcc = 0: v_cmp_eq_u32_e32 vcc, 0, v2  [flags.s:42, lane 0]
// GCN all: │  │     └─ v2 = 567: buffer_load_dword v2, v1, s[4:7], 0 offen  [flags.s:40]
// GCN all: │  │        ├─ input a[0..64]
// GCN all: │  │        ├─ address: v1 = 20: #1
// GCN all: │  │        ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [flags.s:29] ← argument bytes 0..8
// GCN all: │  │        └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  └─ v4 = 16: v_lshlrev_b32_e32 v4, 4, v4  [flags.s:46]
// GCN all: │     └─ v4 = 1: v_mov_b32_e32 v4, src_vccz  [flags.s:44]
// GCN all: │        └─ vcc = 0: #2
// GCN all: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [flags.s:38] ← v0 = 5: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [flags.s:31] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[0..64]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 14 instructions, 205 executions, 1 workgroup traced
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
    v_cmp_eq_u32 vcc, 0, v2
    s_nop 4
    v_mov_b32 v4, src_vccz
    s_or_b32 s16, src_vccz, 2
    v_lshlrev_b32 v4, 4, v4
    v_xor_b32 v4, s16, v4
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
