// RUN: gfx803 gfx900 gfx906
// A constant that is another one, and conditions that are written in another way.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? --against -DOTHER=1
//? --against -DOTHER=2
// GCN all: out[0] = 593 in the first run, 594 in the other; 64 of 64 elements of out differ
// GCN all: The runs diverge where instructions produce different constants:
// GCN all: ├─ first: s22 = 1: s_mov_b32 s22, 1  [constants.s:67, workgroup 0,0,0, wave 0]
// GCN all: │  └─ condition: scc = 1: s_cmp_gt_u32 s20, 0x64  [constants.s:65]
// GCN all: └─ other: s22 = 2: s_mov_b32 s22, 2  [constants.s:63, workgroup 0,0,0, wave 0]
// GCN all: └─ condition: scc = 0: s_cmp_le_u32 s20, 0x64  [constants.s:57]
// GCN all: From there to out[0]:
// GCN all: first: v4 = 593: v_xor_b32_e32 v4, s22, v3  [constants.s:70]
// GCN all: other: v4 = 594: v_xor_b32_e32 v4, s22, v3  [constants.s:70]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [constants.s:71] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [constants.s:71] of out[0]
// GCN all: executions compared: 20 and 20; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[0] = 593 in the first run, 594 in the other; 64 of 64 elements of out differ
// GCN all: The runs diverge where instructions produce different constants:
// GCN all: ├─ first: s22 = 1: s_mov_b32 s22, 1  [constants.s:67, workgroup 0,0,0, wave 0]
// GCN all: │  └─ condition: scc = 1: s_cmp_gt_u32 s20, 0x64  [constants.s:65]
// GCN all: └─ other: s22 = 2: s_mov_b32 s22, 2  [constants.s:63, workgroup 0,0,0, wave 0]
// GCN all: └─ condition: scc = 0: s_cmp_le_u32 s21, 0x65  [constants.s:60]
// GCN all: From there to out[0]:
// GCN all: first: v4 = 593: v_xor_b32_e32 v4, s22, v3  [constants.s:70]
// GCN all: other: v4 = 594: v_xor_b32_e32 v4, s22, v3  [constants.s:70]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [constants.s:71] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [constants.s:71] of out[0]
// GCN all: executions compared: 20 and 21; workgroups traced: 1 and 1
// GCN all: exit status 3
.ifndef OTHER
.set OTHER, 0
.endif
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
    s_buffer_load_dword s20, s[4:7], 0x0
    buffer_load_dword v3, v1, s[8:11], 0 offen
    s_mov_b32 s22, 0
    s_waitcnt vmcnt(0) & lgkmcnt(0)
.if OTHER
.if OTHER == 1
    s_cmp_le_u32 s20, 100
.else
    s_add_u32 s21, s20, 1
    s_cmp_le_u32 s21, 101
.endif
    s_cbranch_scc1 store
    s_mov_b32 s22, 2
.else
    s_cmp_gt_u32 s20, 100
    s_cbranch_scc0 store
    s_mov_b32 s22, 1
.endif
store:
    v_xor_b32 v4, s22, v3
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
