// RUN: gfx803 gfx900 gfx906
// Values that nothing has defined: a register, LDS and a buffer.
//! grid = 64
//! args = { a = "u32*64:undefined", b = "u32*64:iota", out = "u32*64" }
//? out[4]
// GCN all: out[4] = 0
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [undefined.s:55, workgroup 0,0,0, wave 0, lane 4]
// GCN all: ├─ v2 = 0: v_xor_b32_e32 v2, v2, v9  [undefined.s:54]
// GCN all: │  ├─ v2 = 0: v_xor_b32_e32 v2, v2, v3  [undefined.s:53]
// GCN all: │  │  ├─ v2 = 0: buffer_load_dword v2, v1, s[4:7], 0 offen  [undefined.s:50]
// GCN all: │  │  │  ├─ undefined a[4]
// GCN all: │  │  │  ├─ address: v1 = 16: #1
// GCN all: │  │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [undefined.s:38] ← argument bytes 0..8
// GCN all: │  │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  │  └─ v3 = 0: ds_read_b32 v3, v1  [undefined.s:51]
// GCN all: │  │     ├─ undefined bytes 16..20 of LDS
// GCN 1.2: │  │     ├─ address: v1 = 16: #1
// GCN 1.4, 1.4.1: │  │     └─ address: v1 = 16: #1
// GCN 1.2: │  │     └─ address: constants m0 = 0xffffffff
// GCN 1.4, 1.4.1: │  └─ v9 = 0: undefined, no instruction has written it
// GCN 1.2: │  └─ v9 = 0: undefined, no instruction has written it
// GCN 1.4, 1.4.1: ├─ address: #1 v1 = 16: v_lshlrev_b32_e32 v1, 2, v0  [undefined.s:47] ← v0 = 4: work-item ID x
// GCN 1.2: ├─ address: #1 v1 = 16: v_lshlrev_b32_e32 v1, 2, v0  [undefined.s:47] ← v0 = 4: work-item ID x
// GCN 1.4, 1.4.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [undefined.s:40] ← argument bytes 16..24
// GCN 1.2: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [undefined.s:40] ← argument bytes 16..24
// GCN 1.4, 1.4.1: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.2: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.4, 1.4.1: arguments: bytes 0..8, 16..24
// GCN 1.2: arguments: bytes 0..8, 16..24
// GCN 1.4, 1.4.1: undefined: a[4], bytes 16..20 of LDS, v9
// GCN 1.2: undefined: a[4], bytes 16..20 of LDS, v9
// GCN 1.4, 1.4.1: 12 instructions, 14 executions, 1 workgroup traced
// GCN 1.2: 13 instructions, 15 executions, 1 workgroup traced
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
    s_mov_b32 m0, -1
    buffer_load_dword v2, v1, s[4:7], 0 offen
    ds_read_b32 v3, v1
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    v_xor_b32 v2, v2, v3
    v_xor_b32 v2, v2, v9
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
