// RUN: gfx803 gfx900 gfx906
// The sum of two inputs: each element depends on its own.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[37]
//? a[3]
// GCN all: out[37] = 8239
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [add.s:49, workgroup 0,0,0, wave 0, lane 37]
// GCN all: ├─ v4 = 8239: v_mul_u32_u24_e32 v4, v2, v3  [add.s:48]
// GCN all: │  ├─ v2 = 749: buffer_load_dword v2, v1, s[4:7], 0 offen  [add.s:45]
// GCN all: │  │  ├─ input a[37]
// GCN all: │  │  ├─ address: v1 = 148: #1
// GCN all: │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [add.s:34] ← argument bytes 0..8
// GCN all: │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  └─ v3 = 11: buffer_load_dword v3, v1, s[8:11], 0 offen  [add.s:46]
// GCN all: │     ├─ input b[37]
// GCN all: │     ├─ address: v1 = 148: #1
// GCN all: │     ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [add.s:35] ← argument bytes 8..16
// GCN all: │     └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: ├─ address: #1 v1 = 148: v_lshlrev_b32_e32 v1, 2, v0  [add.s:43] ← v0 = 37: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [add.s:36] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[37], b[37]
// GCN all: arguments: bytes 0..24
// GCN all: 14 instructions, 17 executions, 1 workgroup traced
// GCN all: a[3] = 445
// GCN all: └─ input a[3]
// GCN all: inputs: a[3]
// GCN all: 0 instructions, 0 executions, 0 workgroups traced
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
    s_waitcnt vmcnt(0)
    v_mul_u32_u24 v4, v2, v3
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
