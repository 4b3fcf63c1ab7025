// RUN: gfx803 gfx900 gfx906
// Lanes that take both ways of a branch.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[0]
//? out[1]
// GCN all: out[0] = 7
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [divergent.s:70, workgroup 0,0,0, wave 0, lane 0]
// GCN all: ├─ v4 = 7: v_mov_b32_e32 v4, 7  [divergent.s:61]
// GCN all: ├─ active lanes: exec_lo = 0x13f0d518: s_and_saveexec_b64 s[20:21], vcc  [divergent.s:64]
// GCN all: │  ├─ vcc_lo = 0x13f0d518: v_cmp_gt_u32_e32 vcc, 0x200, v2  [divergent.s:63]
// GCN all: │  │  └─ v2 = 567: buffer_load_dword v2, v1, s[4:7], 0 offen  [divergent.s:60]
// GCN all: │  │     ├─ input a[0]
// GCN all: │  │     ├─ address: v1 = 0: #1
// GCN all: │  │     ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [divergent.s:49] ← argument bytes 0..8
// GCN all: │  │     └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  └─ exec_lo = 0xffffffff: lanes that have work-items
// GCN all: ├─ active lanes: exec_lo = 0xffffffff: s_mov_b64 exec, s[20:21]  [divergent.s:69]
// GCN all: │  └─ s20 = 0xffffffff: s_and_saveexec_b64 s[20:21], vcc  [divergent.s:64] ← exec_lo = 0xffffffff: lanes that have work-items
// GCN all: ├─ address: #1 v1 = 0: v_lshlrev_b32_e32 v1, 2, v0  [divergent.s:58] ← v0 = 0: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [divergent.s:51] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[0]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 14 instructions, 16 executions, 1 workgroup traced
// GCN all: out[1] = 7
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [divergent.s:70, workgroup 0,0,0, wave 0, lane 1]
// GCN all: ├─ v4 = 7: v_mov_b32_e32 v4, 7  [divergent.s:61]
// GCN all: ├─ active lanes: exec_lo = 0x13f0d518: s_and_saveexec_b64 s[20:21], vcc  [divergent.s:64]
// GCN all: │  ├─ vcc_lo = 0x13f0d518: v_cmp_gt_u32_e32 vcc, 0x200, v2  [divergent.s:63]
// GCN all: │  │  └─ v2 = 746: buffer_load_dword v2, v1, s[4:7], 0 offen  [divergent.s:60]
// GCN all: │  │     ├─ input a[1]
// GCN all: │  │     ├─ address: v1 = 4: #1
// GCN all: │  │     ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [divergent.s:49] ← argument bytes 0..8
// GCN all: │  │     └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  └─ exec_lo = 0xffffffff: lanes that have work-items
// GCN all: ├─ active lanes: exec_lo = 0xffffffff: s_mov_b64 exec, s[20:21]  [divergent.s:69]
// GCN all: │  └─ s20 = 0xffffffff: s_and_saveexec_b64 s[20:21], vcc  [divergent.s:64] ← exec_lo = 0xffffffff: lanes that have work-items
// GCN all: ├─ address: #1 v1 = 4: v_lshlrev_b32_e32 v1, 2, v0  [divergent.s:58] ← v0 = 1: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [divergent.s:51] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[1]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 14 instructions, 16 executions, 1 workgroup traced
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
    v_mov_b32 v4, 7
    s_waitcnt vmcnt(0)
    v_cmp_gt_u32 vcc, 0x200, v2
    s_and_saveexec_b64 s[20:21], vcc
    s_cbranch_execz past
    buffer_load_dword v4, v1, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
past:
    s_mov_b64 exec, s[20:21]
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
