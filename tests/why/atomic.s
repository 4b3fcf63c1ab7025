// RUN: gfx803 gfx900 gfx906
// An element that the lanes of several workgroups update.
//! grid = 128
//! args = { a = "u32*128:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[1]
// GCN all: out[1] = 396
// GCN all: └─ #1 buffer_atomic_xor v2, v3, s[12:15], 0 offen  [atomic.s:42, workgroup 1,0,0, wave 0, lane 61, × 2 in 2 waves]
// GCN all: ├─ v2 = 197: buffer_load_dword v2, v1, s[4:7], s20 offen  [atomic.s:39, × 2 in 2 waves]
// GCN all: │  ├─ input a[1, 5, 9, 13, 17, 21, 26 more]
// GCN all: │  ├─ address: #2 v1 = 244: v_lshlrev_b32_e32 v1, 2, v0  [atomic.s:36, × 2 in 2 waves] ← v0 = 61: work-item ID x
// GCN all: │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [atomic.s:27, × 2 in 2 waves] ← argument bytes 0..8
// GCN all: │  ├─ address: s20 = 256: s_lshl_b32 s20, s2, 8  [atomic.s:38, × 2 in 2 waves] ← s2 = 1: workgroup ID x
// GCN all: │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: ├─ #1
// GCN all: ├─ input out[1]
// GCN all: ├─ address: v3 = 4: v_and_b32_e32 v3, 12, v1  [atomic.s:40, × 2 in 2 waves]
// GCN all: │  └─ v1 = 244: #2
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [atomic.s:29, × 2 in 2 waves] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[1, 5, 9, 13, 17, 21, 26 more], out[1]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 11 instructions, 146 executions, 2 workgroups traced
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
    s_lshl_b32 s20, s2, 8
    buffer_load_dword v2, v1, s[4:7], s20 offen
    v_and_b32 v3, 12, v1
    s_waitcnt vmcnt(0)
    buffer_atomic_xor v2, v3, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
