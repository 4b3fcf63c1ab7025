// RUN: gfx803 gfx900 gfx906
// A source in LDS, for all lanes: its value, its address in M0.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*66:random(2,1,1000)", out = "u32*64" }
//? out[40]
// GCN all: out[40] = 2865152
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [direct.s:84, workgroup 0,0,0, wave 0, lane 40]
// GCN all: ├─ v4 = 0x2bb800: v_xor_b32_e32 v4, v4, v5  [direct.s:83]
// GCN all: │  ├─ v4 = 0x200000: v_cndmask_b32_e32 v4, v2, v4, vcc  [direct.s:82]
// GCN all: │  │  ├─ v4 = 0x200000: v_mov_b32_e32 v4, 0x200000  [direct.s:81]
// GCN all: │  │  └─ vcc_hi = 0x4c233140: v_cmp_lt_u32_e32 vcc, src_lds_direct, v2  [direct.s:78]
// GCN all: │  │     ├─ v2 = 862: buffer_load_dword v2, v1, s[4:7], 0 offen  [direct.s:69]
// GCN all: │  │     │  ├─ input a[40]
// GCN all: │  │     │  ├─ address: v1 = 160: #1
// GCN all: │  │     │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [direct.s:58] ← argument bytes 0..8
// GCN all: │  │     │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  │     ├─ #2 m0 = 0x20004: s_or_b32 m0, 0x20000, s16  [direct.s:76]
// GCN all: │  │     │  └─ s16 = 4: s_and_b32 s16, s16, 28  [direct.s:75]
// GCN all: │  │     │     └─ s16 = 6: s_buffer_load_dword s16, s[8:11], 0x100  [direct.s:71]
// GCN all: │  │     │        ├─ input b[64]
// GCN all: │  │     │        ├─ address: s[8:9] = 0x100040000: #4
// GCN all: │  │     │        ├─ address: s10 = 0xffffffff: #5
// GCN all: │  │     │        └─ address: s11 = 0x27fac: #6
// GCN all: │  │     └─ #3 ds_write_b32 v1, v3  [direct.s:74, lane 1]
// GCN all: │  │        ├─ v3 = 750: buffer_load_dword v3, v1, s[8:11], 0 offen  [direct.s:70]
// GCN all: │  │        │  ├─ input b[1]
// GCN all: │  │        │  ├─ address: v1 = 160: #1
// GCN all: │  │        │  ├─ address: #4 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [direct.s:59] ← argument bytes 8..16
// GCN all: │  │        │  ├─ address: #5 s10 = 0xffffffff: s_mov_b32 s10, -1  [direct.s:63]
// GCN all: │  │        │  └─ address: #6 s11 = 0x27fac: s_mov_b32 s11, 0x27fac  [direct.s:64]
// GCN 1.2: │  │        ├─ address: v1 = 160: #1
// GCN 1.4, 1.4.1: │  │        └─ address: v1 = 160: #1
// GCN 1.2: │  │        └─ address: constants m0 = 0xffffffff
// GCN 1.4, 1.4.1: │  └─ v5 = 0xbb800: v_lshlrev_b32_e32 v5, 10, v5  [direct.s:80]
// GCN 1.2: │  └─ v5 = 0xbb800: v_lshlrev_b32_e32 v5, 10, v5  [direct.s:80]
// GCN 1.4, 1.4.1: │     └─ v5 = 750: v_mov_b32_e32 v5, src_lds_direct  [direct.s:79]
// GCN 1.2: │     └─ v5 = 750: v_mov_b32_e32 v5, src_lds_direct  [direct.s:79]
// GCN 1.4, 1.4.1: │        ├─ m0 = 0x20004: #2
// GCN 1.2: │        ├─ m0 = 0x20004: #2
// GCN 1.4, 1.4.1: │        └─ #3
// GCN 1.2: │        └─ #3
// GCN 1.4, 1.4.1: ├─ address: #1 v1 = 160: v_lshlrev_b32_e32 v1, 2, v0  [direct.s:67] ← v0 = 40: work-item ID x
// GCN 1.2: ├─ address: #1 v1 = 160: v_lshlrev_b32_e32 v1, 2, v0  [direct.s:67] ← v0 = 40: work-item ID x
// GCN 1.4, 1.4.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [direct.s:60] ← argument bytes 16..24
// GCN 1.2: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [direct.s:60] ← argument bytes 16..24
// GCN 1.4, 1.4.1: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.2: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.4, 1.4.1: inputs: a[40], b[1, 64]
// GCN 1.2: inputs: a[40], b[1, 64]
// GCN 1.4, 1.4.1: arguments: bytes 0..24
// GCN 1.2: arguments: bytes 0..24
// GCN 1.4, 1.4.1: 23 instructions, 27 executions, 1 workgroup traced
// GCN 1.2: 24 instructions, 28 executions, 1 workgroup traced
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
    s_buffer_load_dword s16, s[8:11], 0x100
    s_mov_b32 m0, -1
    s_waitcnt vmcnt(0) lgkmcnt(0)
    ds_write_b32 v1, v3
    s_and_b32 s16, s16, 28
    s_or_b32 m0, 0x20000, s16
    s_waitcnt lgkmcnt(0)
    v_cmp_lt_u32 vcc, lds_direct, v2
    v_mov_b32 v5, lds_direct
    v_lshlrev_b32 v5, 10, v5
    v_mov_b32 v4, 0x200000
    v_cndmask_b32 v4, v2, v4, vcc
    v_xor_b32 v4, v4, v5
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
