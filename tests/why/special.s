// RUN: bonaire gfx801 gfx900 gfx906
// Special registers have the names that the instructions have.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[9]
// GCN 1.1: out[9] = 2059
// GCN 1.2, 1.4, 1.4.1: out[9] = 2071
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [special.s:63, workgroup 0,0,0, wave 0, lane 9]
// GCN 1.1: ├─ v2 = 2059: v_mov_b32_e32 v2, s8  [special.s:62]
// GCN 1.2, 1.4, 1.4.1: ├─ v2 = 2071: v_mov_b32_e32 v2, s8  [special.s:62]
// GCN 1.1: │  └─ s8 = 2059: s_add_u32 s8, s8, flat_scratch_hi  [special.s:61]
// GCN 1.2, 1.4, 1.4.1: │  └─ s8 = 2071: s_add_u32 s8, s8, flat_scratch_hi  [special.s:61]
// GCN 1.1: │     ├─ s8 = 567: s_add_u32 s8, s8, flat_scratch_lo  [special.s:59]
// GCN 1.2, 1.4, 1.4.1: │     ├─ s8 = 579: s_add_u32 s8, s8, flat_scratch_lo  [special.s:59]
// GCN 1.1: │     │  ├─ s8 = 0: s_mov_b32 s8, 0  [special.s:47]
// GCN 1.2, 1.4, 1.4.1: │     │  ├─ s8 = 12: s_lshl_b32 s8, xnack_mask_hi, 2  [special.s:51]
// GCN 1.1: │     │  └─ #1 flat_scratch = 0x2ea00000237: s_load_dwordx2 flat_scratch, s[4:5], 0x0  [special.s:57]
// GCN 1.2, 1.4, 1.4.1: │     │  │  └─ xnack_mask_hi = 3: s_mov_b32 xnack_mask_hi, 3  [special.s:50]
// GCN 1.1: │     │     ├─ input a[0..2]
// GCN 1.2, 1.4, 1.4.1: │     │  └─ #1 flat_scratch = 0x2ea00000237: s_load_dwordx2 flat_scratch, s[4:5], 0x0  [special.s:57]
// GCN 1.1: │     │     └─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [special.s:44] ← argument bytes 0..8
// GCN 1.2, 1.4, 1.4.1: │     │     ├─ input a[0..2]
// GCN 1.1: │     └─ flat_scratch_hi = 1492: s_lshl_b32 flat_scratch_hi, flat_scratch_hi, 1  [special.s:60]
// GCN 1.2, 1.4, 1.4.1: │     │     └─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [special.s:44] ← argument bytes 0..8
// GCN 1.1: │        └─ flat_scratch = 0x2ea00000237: #1
// GCN 1.2, 1.4, 1.4.1: │     └─ flat_scratch_hi = 1492: s_lshl_b32 flat_scratch_hi, flat_scratch_hi, 1  [special.s:60]
// GCN 1.1: ├─ address: v1 = 36: v_lshlrev_b32_e32 v1, 2, v0  [special.s:55] ← v0 = 9: work-item ID x
// GCN 1.2, 1.4, 1.4.1: │        └─ flat_scratch = 0x2ea00000237: #1
// GCN 1.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x4  [special.s:46] ← argument bytes 16..24
// GCN 1.2, 1.4, 1.4.1: ├─ address: v1 = 36: v_lshlrev_b32_e32 v1, 2, v0  [special.s:55] ← v0 = 9: work-item ID x
// GCN 1.1: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.2, 1.4, 1.4.1: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [special.s:49] ← argument bytes 16..24
// GCN 1.1: inputs: a[0..2]
// GCN 1.2, 1.4, 1.4.1: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN 1.1: arguments: bytes 0..8, 16..24
// GCN 1.2, 1.4, 1.4.1: inputs: a[0..2]
// GCN 1.1: 12 instructions, 15 executions, 1 workgroup traced
// GCN 1.2, 1.4, 1.4.1: arguments: bytes 0..8, 16..24
// GCN 1.2, 1.4, 1.4.1: 13 instructions, 16 executions, 1 workgroup traced
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
.if .amdgcn.gfx_generation_number < 8
    s_load_dwordx2 s[12:13], s[0:1], 0x4
    s_mov_b32 s8, 0
.else
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 xnack_mask_hi, 3
    s_lshl_b32 s8, xnack_mask_hi, 2
.endif
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    s_load_dwordx2 flat_scratch, s[4:5], 0x0
    s_waitcnt lgkmcnt(0)
    s_add_u32 s8, s8, flat_scratch_lo
    s_lshl_b32 flat_scratch_hi, flat_scratch_hi, 1
    s_add_u32 s8, s8, flat_scratch_hi
    v_mov_b32 v2, s8
    buffer_store_dword v2, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
