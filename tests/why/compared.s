// RUN: gfx803 gfx900 gfx906
// Sums of four elements, by a loop, through LDS: one more turn, another neighbour in LDS, and an atomic sum in global memory.
//! grid = 64
//! args = { a = "u32*512:random(1,1,1000)", out = "u32*64", sum = "u32*1" }
//? out[5] --against -DTURNS=5
//? out[5] --against -DNEXT=8
//? sum[0] --against -DADDED=2
// GCN all: out[5] = 1608 in the first run, 1564 in the other
// GCN all: The runs diverge where instructions use other operands, whose values both runs have:
// GCN 1.2: ├─ first: v4 = 851: v_add_u32_e32 v4, vcc, v4, v3  [compared.s:107, workgroup 0,0,0, wave 0, lane 6]
// GCN 1.4, 1.4.1: ├─ first: v4 = 851: v_add_u32_e32 v4, v4, v3  [compared.s:107, workgroup 0,0,0, wave 0, lane 6]
// GCN 1.2: │  ├─ v4 = 335: v_add_u32_e32 v4, vcc, v4, v3  [compared.s:107]
// GCN 1.4, 1.4.1: │  ├─ v4 = 335: v_add_u32_e32 v4, v4, v3  [compared.s:107]
// GCN all: │  ├─ v3 = 516: buffer_load_dword v3, v2, s[4:7], 0 offen  [compared.s:105]
// GCN all: │  └─ condition: scc = 1: s_cmp_lt_u32 s20, 4  [compared.s:110]
// GCN 1.2: └─ other: v4 = 1565: v_add_u32_e32 v4, vcc, v4, v3  [compared.s:107, workgroup 0,0,0, wave 0, lane 6]
// GCN 1.4, 1.4.1: └─ other: v4 = 1565: v_add_u32_e32 v4, v4, v3  [compared.s:107, workgroup 0,0,0, wave 0, lane 6]
// GCN 1.2: ├─ v4 = 851: v_add_u32_e32 v4, vcc, v4, v3  [compared.s:107]
// GCN 1.4, 1.4.1: ├─ v4 = 851: v_add_u32_e32 v4, v4, v3  [compared.s:107]
// GCN all: ├─ v3 = 714: buffer_load_dword v3, v2, s[4:7], 0 offen  [compared.s:105]
// GCN all: └─ condition: scc = 1: s_cmp_lt_u32 s20, 5  [compared.s:110]
// GCN all: From there to out[5]:
// GCN 1.2: first: v4 = 1565: v_add_u32_e32 v4, vcc, v4, v3  [compared.s:107]
// GCN 1.4, 1.4.1: first: v4 = 1565: v_add_u32_e32 v4, v4, v3  [compared.s:107]
// GCN 1.2: other: v4 = 1609: v_add_u32_e32 v4, vcc, v4, v3  [compared.s:107]
// GCN 1.4, 1.4.1: other: v4 = 1609: v_add_u32_e32 v4, v4, v3  [compared.s:107]
// GCN all: first: ds_write_b32 v1, v4  [compared.s:112]
// GCN all: other: ds_write_b32 v1, v4  [compared.s:112]
// GCN all: first: v6 = 1565: ds_read_b32 v6, v5  [compared.s:116]
// GCN all: other: v6 = 1609: ds_read_b32 v6, v5  [compared.s:116]
// GCN all: first: v6 = 1608: v_xor_b32_e32 v6, 0x55, v6  [compared.s:118]
// GCN all: other: v6 = 1564: v_xor_b32_e32 v6, 0x55, v6  [compared.s:118]
// GCN all: first: buffer_store_dword v6, v1, s[8:11], 0 offen  [compared.s:119] of out[5]
// GCN all: other: buffer_store_dword v6, v1, s[8:11], 0 offen  [compared.s:119] of out[5]
// GCN all: Operands on the way also differ at 1 other place.
// GCN 1.2: executions compared: 40 and 46; workgroups traced: 1 and 1
// GCN 1.4, 1.4.1: executions compared: 39 and 45; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[5] = 1608 in the first run, 2278 in the other
// GCN all: The runs diverge where equal operands have different results:
// GCN 1.2: ├─ first: v5 = 24: v_add_u32_e32 v5, vcc, 4, v1  [compared.s:113, workgroup 0,0,0, wave 0, lane 5]
// GCN 1.4, 1.4.1: ├─ first: v5 = 24: v_add_u32_e32 v5, 4, v1  [compared.s:113, workgroup 0,0,0, wave 0, lane 5]
// GCN all: │  └─ v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [compared.s:99]
// GCN 1.2: └─ other: v5 = 28: v_add_u32_e32 v5, vcc, 8, v1  [compared.s:113, workgroup 0,0,0, wave 0, lane 5]
// GCN 1.4, 1.4.1: └─ other: v5 = 28: v_add_u32_e32 v5, 8, v1  [compared.s:113, workgroup 0,0,0, wave 0, lane 5]
// GCN all: └─ v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [compared.s:99]
// GCN all: From there to out[5]:
// GCN all: first: address: v5 = 24: v_and_b32_e32 v5, 0xfc, v5  [compared.s:114]
// GCN all: other: v5 = 28: v_and_b32_e32 v5, 0xfc, v5  [compared.s:114]
// GCN all: first: v6 = 1565: ds_read_b32 v6, v5  [compared.s:116]
// GCN all: other: v6 = 2227: ds_read_b32 v6, v5  [compared.s:116]
// GCN all: first: v6 = 1608: v_xor_b32_e32 v6, 0x55, v6  [compared.s:118]
// GCN all: other: v6 = 2278: v_xor_b32_e32 v6, 0x55, v6  [compared.s:118]
// GCN all: first: buffer_store_dword v6, v1, s[8:11], 0 offen  [compared.s:119] of out[5]
// GCN all: other: buffer_store_dword v6, v1, s[8:11], 0 offen  [compared.s:119] of out[5]
// GCN 1.2: executions compared: 40 and 40; workgroups traced: 1 and 1
// GCN 1.4, 1.4.1: executions compared: 39 and 39; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: sum[0] = 64 in the first run, 128 in the other
// GCN all: The runs diverge where instructions produce different constants:
// GCN all: ├─ first: v7 = 1: v_mov_b32_e32 v7, 1  [compared.s:120, workgroup 0,0,0, wave 0, lane 63]
// GCN all: └─ other: v7 = 2: v_mov_b32_e32 v7, 2  [compared.s:120, workgroup 0,0,0, wave 0, lane 63]
// GCN all: From there to sum[0]:
// GCN all: first: buffer_atomic_add v7, off, s[12:15], 0  [compared.s:121] of sum[0]
// GCN all: other: buffer_atomic_add v7, off, s[12:15], 0  [compared.s:121] of sum[0]
// GCN all: Operands on the way also differ at 63 other places.
// GCN all: executions compared: 132 and 132; workgroups traced: 1 and 1
// GCN all: exit status 3
.ifndef TURNS
.set TURNS, 4
.endif
.ifndef NEXT
.set NEXT, 4
.endif
.ifndef ADDED
.set ADDED, 1
.endif
.macro add d, a, b
.if .amdgcn.gfx_generation_number >= 9
    v_add_u32 \d, \a, \b
.else
    v_add_u32 \d, vcc, \a, \b
.endif
.endm
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
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_lshlrev_b32 v2, 4, v0
    v_mov_b32 v4, 0
    s_mov_b32 s20, 0
    s_waitcnt lgkmcnt(0)
next:
    buffer_load_dword v3, v2, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    add v4, v4, v3
    add v2, 4, v2
    s_add_u32 s20, s20, 1
    s_cmp_lt_u32 s20, TURNS
    s_cbranch_scc1 next
    ds_write_b32 v1, v4
    add v5, NEXT, v1
    v_and_b32 v5, 0xfc, v5
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v6, v5
    s_waitcnt lgkmcnt(0)
    v_xor_b32 v6, 0x55, v6
    buffer_store_dword v6, v1, s[8:11], 0 offen
    v_mov_b32 v7, ADDED
    buffer_atomic_add v7, off, s[12:15], 0
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
