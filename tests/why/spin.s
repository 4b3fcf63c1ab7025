// RUN: gfx803 gfx900 gfx906
// A workgroup polls a flag that another one sets, for a value that it passes on.
//! grid = 128
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*512" }
//? out[5]
// GCN all: out[5] = 763
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [spin.s:60, workgroup 1,0,0, wave 0, lane 5]
// GCN all: ├─ v2 = 763: buffer_load_dword v2, v1, s[12:15], 0 offen offset:1024  [spin.s:58]
// GCN all: │  ├─ buffer_store_dword v2, v1, s[12:15], 0 offen offset:1024  [spin.s:49, workgroup 0,0,0, wave 0, lane 5]
// GCN all: │  │  ├─ v2 = 763: buffer_load_dword v2, v1, s[4:7], 0 offen  [spin.s:47]
// GCN all: │  │  │  ├─ input a[5]
// GCN all: │  │  │  ├─ address: v1 = 20: #2
// GCN all: │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [spin.s:36] ← argument bytes 0..8
// GCN all: │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  │  ├─ address: v1 = 20: #2
// GCN all: │  │  ├─ address: s[12:13] = 0x100060000: #3
// GCN all: │  │  ├─ address: s14 = 0xffffffff: #4
// GCN all: │  │  └─ address: s15 = 0x27fac: #5
// GCN all: │  ├─ address: v1 = 20: #2
// GCN all: │  ├─ address: s[12:13] = 0x100060000: #3
// GCN all: │  ├─ address: s14 = 0xffffffff: #4
// GCN all: │  └─ address: s15 = 0x27fac: #5
// GCN all: ├─ condition: #1 s_cbranch_scc0 poll  [spin.s:46, × 2 in 2 waves]
// GCN all: │  └─ scc = 0: s_cmp_eq_u32 s2, 0  [spin.s:44, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN all: ├─ address: #2 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [spin.s:42, × 2 in 2 waves] ← v0 = 5: work-item ID x
// GCN all: ├─ address: #3 s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [spin.s:37, × 2 in 2 waves] ← argument bytes 16..24
// GCN all: ├─ address: #4 s14 = 0xffffffff: s_mov_b32 s14, -1  [spin.s:40, × 2 in 2 waves]
// GCN all: └─ address: #5 s15 = 0x27fac: s_mov_b32 s15, 0x27fac  [spin.s:41, × 2 in 2 waves]
// GCN all: inputs: a[5]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 13 instructions, 22 executions, 2 workgroups traced
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v3, 1
    s_cmp_eq_u32 s2, 0
    s_waitcnt lgkmcnt(0)
    s_cbranch_scc0 poll
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen offset:1024
    s_waitcnt vmcnt(0)
    buffer_store_dword v3, v1, s[12:15], 0 offen offset:512
    s_endpgm
poll:
    buffer_load_dword v3, v1, s[12:15], 0 offen offset:512 glc
    s_waitcnt vmcnt(0)
    v_cmp_eq_u32 vcc, 0, v3
    s_cbranch_vccnz poll
    buffer_load_dword v2, v1, s[12:15], 0 offen offset:1024
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
