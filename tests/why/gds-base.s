// RUN: gfx803 gfx900 gfx906
// The base in M0 is a part of an address in GDS.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*66:random(2,1,1000)", out = "u32*64" }
//? out[5]
// GCN all: out[5] = 6
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [gds-base.s:67, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v4 = 6: v_mov_b32_e32 v4, s16  [gds-base.s:66]
// GCN all: │  ├─ s16 = 6: v_readfirstlane_b32 s16, v8  [gds-base.s:64]
// GCN all: │  │  ├─ v8 = 6: ds_read_b32 v8, v6 gds  [gds-base.s:62, lane 0]
// GCN all: │  │  │  ├─ ds_write_b32 v5, v7 gds  [gds-base.s:59]
// GCN all: │  │  │  │  ├─ v7 = 6: v_mov_b32_e32 v7, s16  [gds-base.s:57]
// GCN all: │  │  │  │  │  ├─ s16 = 6: s_buffer_load_dword s16, s[8:11], 0x100  [gds-base.s:51]
// GCN all: │  │  │  │  │  │  ├─ input b[64]
// GCN all: │  │  │  │  │  │  ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [gds-base.s:41] ← argument bytes 8..16
// GCN all: │  │  │  │  │  │  └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: │  │  │  │  │  └─ active lanes: exec = 1: #2
// GCN all: │  │  │  │  ├─ active lanes: exec = 1: #2
// GCN all: │  │  │  │  ├─ address: v5 = 0: v_mov_b32_e32 v5, 0  [gds-base.s:54]
// GCN all: │  │  │  │  │  └─ active lanes: exec = 1: #2
// GCN all: │  │  │  │  └─ address: constants m0 = 0x100100
// GCN all: │  │  │  ├─ active lanes: exec = 1: #2
// GCN all: │  │  │  ├─ address: v6 = 16: v_mov_b32_e32 v6, 16  [gds-base.s:55]
// GCN all: │  │  │  │  └─ active lanes: exec = 1: #2
// GCN all: │  │  │  └─ address: constants m0 = 256
// GCN all: │  │  └─ active lanes: #2 exec = 1: s_mov_b64 exec, 1  [gds-base.s:53]
// GCN all: │  └─ active lanes: exec_lo = 0xffffffff: #1
// GCN all: ├─ active lanes: #1 exec_lo = 0xffffffff: s_mov_b64 exec, s[2:3]  [gds-base.s:65]
// GCN all: │  └─ s2 = 0xffffffff: s_mov_b64 s[2:3], exec  [gds-base.s:52] ← exec_lo = 0xffffffff: lanes that have work-items
// GCN all: ├─ address: v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [gds-base.s:49] ← v0 = 5: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [gds-base.s:42] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: b[64]
// GCN all: arguments: bytes 8..24
// GCN all: 21 instructions, 24 executions, 1 workgroup traced
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
    s_buffer_load_dword s16, s[8:11], 0x100
    s_mov_b64 s[2:3], exec
    s_mov_b64 exec, 1
    v_mov_b32 v5, 0
    v_mov_b32 v6, 16
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v7, s16
    s_mov_b32 m0, 0x100100                  // 0x100 bytes from 0x10 on
    ds_write_b32 v5, v7 gds
    s_movk_i32 m0, 0x100
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v8, v6 gds
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s16, v8
    s_mov_b64 exec, s[2:3]
    v_mov_b32 v4, s16
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
