// RUN: gfx803 gfx900 gfx906
// A store that faults in lane 8 has taken effect in the lanes before it.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[3] -DWRONG=1
//? out[9] -DWRONG=1
// GCN all: out[3] = 445
// GCN all: └─ buffer_store_dword v2, v3, s[12:15], 0 offen  [partial.s:62, workgroup 0,0,0, wave 0, lane 3]
// GCN all: ├─ v2 = 445: buffer_load_dword v2, v1, s[4:7], 0 offen  [partial.s:54]
// GCN all: │  ├─ input a[3]
// GCN all: │  ├─ address: #1 v1 = 12: v_lshlrev_b32_e32 v1, 2, v0  [partial.s:52] ← v0 = 3: work-item ID x
// GCN all: │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [partial.s:46] ← argument bytes 0..8
// GCN all: │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: ├─ address: v3 = 12: v_cndmask_b32_e32 v3, v3, v1, vcc  [partial.s:59]
// GCN all: │  ├─ v1 = 12: #1
// GCN all: │  └─ vcc_lo = 255: v_cmp_gt_u32_e32 vcc, 8, v0  [partial.s:58] ← v0 = 3: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [partial.s:47] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[3]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 11 instructions, 13 executions, 1 workgroup traced
// GCN all: note: the run ended with a fault: kernel kernel, workgroup 0,0,0, wave 0, lane 8, at kernel+0x4c: buffer_store_dword v2, v3, s[12:15], 0 offen
// GCN all: --> why/partial.s:62: buffer_store_dword v2, v3, s[12:15], 0 offen
// GCN all: stores 4 bytes at unmapped address 0x120060000
// GCN all: nearest is the dispatch packet: 64 bytes at 0x110140000; the address is 267517888 bytes beyond its end
// GCN all: out[9] = 0: no instruction has written it. The run ended with a fault: it stores 4 bytes at unmapped address 0x120060000
// GCN all: └─ buffer_store_dword v2, v3, s[12:15], 0 offen  [partial.s:62, workgroup 0,0,0, wave 0, lane 8]
// GCN all: ├─ address: v3 = 0x20000000: v_cndmask_b32_e32 v3, v3, v1, vcc  [partial.s:59]
// GCN all: │  ├─ v3 = 0x20000000: v_lshlrev_b32_e32 v3, 26, v0  [partial.s:57] ← v0 = 8: work-item ID x
// GCN all: │  └─ vcc_lo = 255: v_cmp_gt_u32_e32 vcc, 8, v0  [partial.s:58] ← v0 = 8: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [partial.s:47] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: arguments: bytes 16..24
// GCN all: 7 instructions, 8 executions, 1 workgroup traced
// GCN all: note: the run ended with a fault: kernel kernel, workgroup 0,0,0, wave 0, lane 8, at kernel+0x4c: buffer_store_dword v2, v3, s[12:15], 0 offen
// GCN all: --> why/partial.s:62: buffer_store_dword v2, v3, s[12:15], 0 offen
// GCN all: stores 4 bytes at unmapped address 0x120060000
// GCN all: nearest is the dispatch packet: 64 bytes at 0x110140000; the address is 267517888 bytes beyond its end
.ifndef WRONG
.set WRONG, 0
.endif
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
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    v_mov_b32 v3, v1
.if WRONG
    v_lshlrev_b32 v3, 26, v0
    v_cmp_gt_u32 vcc, 8, v0
    v_cndmask_b32 v3, v3, v1, vcc
.endif
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v3, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
