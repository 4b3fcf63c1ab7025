// RUN: gfx803 gfx900 gfx906
// A branch of the whole wave, which an input decides.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[9]
// GCN all: out[9] = 794
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [uniform.s:52, workgroup 0,0,0, wave 0, lane 9]
// GCN all: ├─ v2 = 794: buffer_load_dword v2, v1, s[4:7], 0 offen  [uniform.s:49]
// GCN all: │  ├─ input a[9]
// GCN all: │  ├─ condition: s_cbranch_scc1 other  [uniform.s:45]
// GCN all: │  │  └─ scc = 1: s_cmp_gt_u32 s20, 0x200  [uniform.s:44]
// GCN all: │  │     └─ s20 = 567: s_buffer_load_dword s20, s[4:7], 0x0  [uniform.s:42]
// GCN all: │  │        ├─ input a[0]
// GCN all: │  │        ├─ address: s[4:5] = 0x100020000: #2
// GCN all: │  │        ├─ address: s6 = 0xffffffff: #3
// GCN all: │  │        └─ address: s7 = 0x27fac: #4
// GCN all: │  ├─ address: v1 = 36: #1
// GCN all: │  ├─ address: #2 s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [uniform.s:31] ← argument bytes 0..8
// GCN all: │  ├─ address: #3 s6 = 0xffffffff: s_mov_b32 s6, -1  [uniform.s:34]
// GCN all: │  └─ address: #4 s7 = 0x27fac: s_mov_b32 s7, 0x27fac  [uniform.s:35]
// GCN all: ├─ address: #1 v1 = 36: v_lshlrev_b32_e32 v1, 2, v0  [uniform.s:40] ← v0 = 9: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [uniform.s:33] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[0, 9]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 12 instructions, 14 executions, 1 workgroup traced
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
    s_buffer_load_dword s20, s[4:7], 0x0
    s_waitcnt lgkmcnt(0)
    s_cmp_gt_u32 s20, 0x200
    s_cbranch_scc1 other
    buffer_load_dword v2, v1, s[8:11], 0 offen
    s_branch store
other:
    buffer_load_dword v2, v1, s[4:7], 0 offen
store:
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
