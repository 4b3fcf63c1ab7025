// RUN: gfx803 gfx900 gfx906
// A region is shown in the order of execution: the first product is made first, and is nearest to the result.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? --against -DOTHER=1
// GCN all: out[0] = 3813 in the first run, 336231 in the other; 64 of 64 elements of out differ
// GCN all: The runs diverge where different instructions use values that both runs have:
// GCN all: ├─ first:
// GCN all: │  ├─ v4 = 1701: v_mul_u32_u24_e32 v4, 3, v2  [order.s:47, workgroup 0,0,0, wave 0, lane 0]
// GCN all: │  │  └─ v2 = 567: buffer_load_dword v2, v1, s[4:7], 0 offen  [order.s:41]
// GCN all: │  ├─ v5 = 2960: v_mul_u32_u24_e32 v5, 5, v3  [order.s:48]
// GCN all: │  │  └─ v3 = 592: buffer_load_dword v3, v1, s[8:11], 0 offen  [order.s:42]
// GCN all: │  ├─ v5 = 2757: v_xor_b32_e32 v5, 0x155, v5  [order.s:49]
// GCN all: │  └─ v4 = 3813: v_or_b32_e32 v4, v4, v5  [order.s:50]
// GCN all: └─ other: v4 = 0x52167: v_mad_u32_u24 v4, v2, v3, v2  [order.s:45, workgroup 0,0,0, wave 0, lane 0]
// GCN all: ├─ v2 = 567: buffer_load_dword v2, v1, s[4:7], 0 offen  [order.s:41]
// GCN all: └─ v3 = 592: buffer_load_dword v3, v1, s[8:11], 0 offen  [order.s:42]
// GCN all: From there to out[0]:
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [order.s:52] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [order.s:52] of out[0]
// GCN all: executions compared: 20 and 17; workgroups traced: 1 and 1
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
    buffer_load_dword v2, v1, s[4:7], 0 offen
    buffer_load_dword v3, v1, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
.if OTHER
    v_mad_u32_u24 v4, v2, v3, v2
.else
    v_mul_u32_u24 v4, 3, v2
    v_mul_u32_u24 v5, 5, v3
    v_xor_b32 v5, 0x155, v5
    v_or_b32 v4, v4, v5
.endif
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
