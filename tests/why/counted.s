// RUN: gfx803 gfx900 gfx906
// The number of active lanes: all of them have a part in it. Every lane receives the old count.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*66:random(2,1,1000)", out = "u32*64" }
//? out[5]
// GCN all: out[5] = 43
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [counted.s:87, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v4 = 43: ds_append v4  [counted.s:85]
// GCN all: │  ├─ ds_append v7  [counted.s:83]
// GCN all: │  │  ├─ ds_write_b32 v5, v6  [counted.s:80, lane 63]
// GCN all: │  │  │  ├─ v6 = 6: v_mov_b32_e32 v6, s16  [counted.s:79]
// GCN all: │  │  │  │  └─ s16 = 6: s_buffer_load_dword s16, s[8:11], 0x100  [counted.s:75]
// GCN all: │  │  │  │     ├─ input b[64]
// GCN all: │  │  │  │     ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [counted.s:64] ← argument bytes 8..16
// GCN all: │  │  │  │     └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN 1.2: │  │  │  ├─ address: m0 = 0xffff0000: #3
// GCN 1.4, 1.4.1: │  │  │  └─ address: constants v5 = 0
// GCN 1.2: │  │  │  └─ address: constants v5 = 0
// GCN 1.4, 1.4.1: │  │  ├─ active lanes: exec = 0xdd233bf8ec0f2ae7: s_and_saveexec_b64 s[2:3], vcc  [counted.s:82]
// GCN 1.2: │  │  ├─ active lanes: exec = 0xdd233bf8ec0f2ae7: s_and_saveexec_b64 s[2:3], vcc  [counted.s:82]
// GCN 1.4, 1.4.1: │  │  │  ├─ vcc = 0xdd233bf8ec0f2ae7: v_cmp_lt_u32_e32 vcc, 0x1f4, v2  [counted.s:81, lane 0]
// GCN 1.2: │  │  │  ├─ vcc = 0xdd233bf8ec0f2ae7: v_cmp_lt_u32_e32 vcc, 0x1f4, v2  [counted.s:81, lane 0]
// GCN 1.4, 1.4.1: │  │  │  │  └─ v2 = 567: buffer_load_dword v2, v1, s[4:7], 0 offen  [counted.s:74]
// GCN 1.2: │  │  │  │  └─ v2 = 567: buffer_load_dword v2, v1, s[4:7], 0 offen  [counted.s:74]
// GCN 1.4, 1.4.1: │  │  │  │     ├─ input a[0..64]
// GCN 1.2: │  │  │  │     ├─ input a[0..64]
// GCN 1.4, 1.4.1: │  │  │  │     ├─ address: v1 = 20: #2
// GCN 1.2: │  │  │  │     ├─ address: v1 = 20: #2
// GCN 1.4, 1.4.1: │  │  │  │     ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [counted.s:63] ← argument bytes 0..8
// GCN 1.2: │  │  │  │     ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [counted.s:63] ← argument bytes 0..8
// GCN 1.4, 1.4.1: │  │  │  │     └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.2: │  │  │  │     └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN 1.4, 1.4.1: │  │  │  ├─ exec_lo = 0xffffffff: lanes that have work-items
// GCN 1.2: │  │  │  ├─ exec_lo = 0xffffffff: lanes that have work-items
// GCN 1.4, 1.4.1: │  │  │  └─ exec_hi = 0xffffffff: lanes that have work-items
// GCN 1.2: │  │  │  └─ exec_hi = 0xffffffff: lanes that have work-items
// GCN 1.4, 1.4.1: │  │  └─ address: m0 = 0xffff0000: #3
// GCN 1.2: │  │  └─ address: m0 = 0xffff0000: #3
// GCN 1.4, 1.4.1: │  ├─ active lanes: exec_lo = 0xffffffff: #1
// GCN 1.2: │  ├─ active lanes: exec_lo = 0xffffffff: #1
// GCN 1.4, 1.4.1: │  └─ address: #3 m0 = 0xffff0000: s_mov_b32 m0, 0xffff0000  [counted.s:76]
// GCN 1.2: │  └─ address: #3 m0 = 0xffff0000: s_mov_b32 m0, 0xffff0000  [counted.s:76]
// GCN 1.4, 1.4.1: ├─ active lanes: #1 exec_lo = 0xffffffff: s_mov_b64 exec, s[2:3]  [counted.s:84]
// GCN 1.2: ├─ active lanes: #1 exec_lo = 0xffffffff: s_mov_b64 exec, s[2:3]  [counted.s:84]
// GCN 1.4, 1.4.1: │  └─ s2 = 0xffffffff: s_and_saveexec_b64 s[2:3], vcc  [counted.s:82] ← exec_lo = 0xffffffff: lanes that have work-items
// GCN 1.2: │  └─ s2 = 0xffffffff: s_and_saveexec_b64 s[2:3], vcc  [counted.s:82] ← exec_lo = 0xffffffff: lanes that have work-items
// GCN 1.4, 1.4.1: ├─ address: #2 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [counted.s:72] ← v0 = 5: work-item ID x
// GCN 1.2: ├─ address: #2 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [counted.s:72] ← v0 = 5: work-item ID x
// GCN 1.4, 1.4.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [counted.s:65] ← argument bytes 16..24
// GCN 1.2: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [counted.s:65] ← argument bytes 16..24
// GCN 1.4, 1.4.1: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.2: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.4, 1.4.1: inputs: a[0..64], b[64]
// GCN 1.2: inputs: a[0..64], b[64]
// GCN 1.4, 1.4.1: arguments: bytes 0..24
// GCN 1.2: arguments: bytes 0..24
// GCN 1.4, 1.4.1: 23 instructions, 216 executions, 1 workgroup traced
// GCN 1.2: 23 instructions, 216 executions, 1 workgroup traced
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
    s_buffer_load_dword s16, s[8:11], 0x100
    s_mov_b32 m0, 0xffff0000
    v_mov_b32 v5, 0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mov_b32 v6, s16
    ds_write_b32 v5, v6
    v_cmp_lt_u32 vcc, 0x1f4, v2
    s_and_saveexec_b64 s[2:3], vcc
    ds_append v7
    s_mov_b64 exec, s[2:3]
    ds_append v4
    s_waitcnt lgkmcnt(0)
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
