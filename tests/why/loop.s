// RUN: gfx803 gfx900 gfx906
// A loop over four elements, which the answer folds.
//! grid = 64
//! args = { a = "u32*256:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[3] --depth 20
// GCN all: out[3] = 8220528
// GCN all: └─ buffer_store_dword v3, v1, s[12:15], 0 offen  [loop.s:69, workgroup 0,0,0, wave 0, lane 3]
// GCN all: ├─ #1 v3 = 0x7d6f70: v_lshlrev_b32_e32 v3, 1, v3  [loop.s:64, × 4, instructions 21…51]
// GCN all: │  ├─ v3 = 0x3eb7b8: v_xor_b32_e32 v3, v3, v4  [loop.s:63, × 4, instructions 20…50]
// GCN all: │  │  ├─ v3 = 0x7d6f70: #1
// GCN all: │  │  ├─ v4 = 0x1f6b0: v_mul_u32_u24_e32 v4, s22, v4  [loop.s:62, × 4, instructions 19…49]
// GCN all: │  │  │  ├─ s22 = 766: s_buffer_load_dword s22, s[8:11], s21  [loop.s:60, × 4, instructions 17…47]
// GCN all: │  │  │  │  ├─ input b[0..4]
// GCN all: │  │  │  │  ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [loop.s:44] ← argument bytes 8..16
// GCN all: │  │  │  │  ├─ address: #4 s21 = 12: s_add_u32 s21, s21, 4  [loop.s:65, × 3, instructions 22…42]
// GCN all: │  │  │  │  │  ├─ s21 = 12: #4
// GCN all: │  │  │  │  │  └─ s21 = 0: #5
// GCN all: │  │  │  │  ├─ address: #5 s21 = 0: s_mov_b32 s21, 0  [loop.s:57]
// GCN all: │  │  │  │  └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: │  │  │  └─ v4 = 168: buffer_load_dword v4, v2, s[4:7], s21 offen  [loop.s:59, × 4, instructions 16…46]
// GCN all: │  │  │     ├─ input a[12..16]
// GCN all: │  │  │     ├─ address: v2 = 48: v_lshlrev_b32_e32 v2, 4, v0  [loop.s:54] ← v0 = 3: work-item ID x
// GCN all: │  │  │     ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [loop.s:43] ← argument bytes 0..8
// GCN all: │  │  │     ├─ address: s21 = 12: #4
// GCN all: │  │  │     ├─ address: s21 = 0: #5
// GCN all: │  │  │     └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  │  └─ v3 = 0: v_mov_b32_e32 v3, 0  [loop.s:55]
// GCN all: │  └─ condition: #2 s_cbranch_scc1 next  [loop.s:68, × 3, instructions 25…45]
// GCN all: │     └─ scc = 1: s_cmp_lt_u32 s20, 4  [loop.s:67, × 3, instructions 24…44]
// GCN all: │        └─ #3 s20 = 3: s_add_u32 s20, s20, 1  [loop.s:66, × 3, instructions 23…43]
// GCN all: │           ├─ s20 = 3: #3
// GCN all: │           └─ s20 = 0: s_mov_b32 s20, 0  [loop.s:56]
// GCN all: ├─ address: v1 = 12: v_lshlrev_b32_e32 v1, 2, v0  [loop.s:52] ← v0 = 3: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [loop.s:45] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[12..16], b[0..4]
// GCN all: arguments: bytes 0..24
// GCN all: 24 instructions, 50 executions, 1 workgroup traced
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
    v_lshlrev_b32 v2, 4, v0
    v_mov_b32 v3, 0
    s_mov_b32 s20, 0
    s_mov_b32 s21, 0
next:
    buffer_load_dword v4, v2, s[4:7], s21 offen
    s_buffer_load_dword s22, s[8:11], s21
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    v_mul_u32_u24 v4, s22, v4
    v_xor_b32 v3, v3, v4
    v_lshlrev_b32 v3, 1, v3
    s_add_u32 s21, s21, 4
    s_add_u32 s20, s20, 1
    s_cmp_lt_u32 s20, 4
    s_cbranch_scc1 next
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
