// RUN: gfx803 gfx900 gfx906
// A value of another lane, which must be active.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[5]
// GCN all: out[5] = 312
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [inactive.s:57, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v4 = 312: ds_bpermute_b32 v4, v5, v3  [inactive.s:54]
// GCN all: │  ├─ v5 = 16: v_xor_b32_e32 v5, 4, v1  [inactive.s:53]
// GCN all: │  │  ├─ v1 = 20: #1
// GCN all: │  │  └─ active lanes: exec_lo = 0xffffffff: #2
// GCN all: │  ├─ v3 = 312: buffer_load_dword v3, v1, s[8:11], 0 offen  [inactive.s:48, lane 4]
// GCN all: │  │  ├─ input b[4]
// GCN all: │  │  ├─ address: v1 = 20: #1
// GCN all: │  │  ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [inactive.s:37] ← argument bytes 8..16
// GCN all: │  │  └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: │  └─ active lanes: #2 exec_lo = 0xffffffff: s_and_b64 exec, exec, vcc  [inactive.s:52]
// GCN all: │     ├─ exec_lo = 0xffffffff: lanes that have work-items
// GCN all: │     └─ vcc_lo = 0xffffffff: v_cmp_lt_u32_e32 vcc, 1, v2  [inactive.s:51, lane 4]
// GCN all: │        └─ v2 = 445: buffer_load_dword v2, v1, s[4:7], 0 offen  [inactive.s:47]
// GCN all: │           ├─ input a[4..6]
// GCN all: │           ├─ address: v1 = 20: #1
// GCN all: │           ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [inactive.s:36] ← argument bytes 0..8
// GCN all: │           └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: ├─ active lanes: exec_lo = 0xffffffff: s_mov_b64 exec, -1  [inactive.s:56]
// GCN all: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [inactive.s:45] ← v0 = 5: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [inactive.s:38] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[4..6], b[4]
// GCN all: arguments: bytes 0..24
// GCN all: 18 instructions, 24 executions, 1 workgroup traced
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
    v_mov_b32 v4, 0
    s_waitcnt vmcnt(0)
    v_cmp_lt_u32 vcc, 1, v2
    s_and_b64 exec, exec, vcc
    v_xor_b32 v5, 4, v1
    ds_bpermute_b32 v4, v5, v3
    s_waitcnt lgkmcnt(0)
    s_mov_b64 exec, -1
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
