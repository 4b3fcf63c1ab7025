// RUN: gfx803 gfx900 gfx906
// A function that the input chooses, and a store in a function that a branch leads to.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[5]
//? out[40]
// GCN all: out[5] = 2811
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [calls.s:130, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v2 = 2811: v_xor_b32_e32 v2, 0x800, v2  [calls.s:124]
// GCN all: │  ├─ v2 = 763: buffer_load_dword v2, v1, s[4:7], 0 offen  [calls.s:102]
// GCN all: │  │  ├─ input a[5]
// GCN all: │  │  ├─ address: v1 = 20: #1
// GCN all: │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [calls.s:91] ← argument bytes 0..8
// GCN all: │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  └─ condition: s_swappc_b64 s[30:31], s[24:25]  [calls.s:117]
// GCN all: │     ├─ s24 = 5036: s_cselect_b32 s24, s24, s26  [calls.s:115]
// GCN all: │     │  ├─ s24 = 5036: s_add_u32 s24, s22, 0x4c  [calls.s:107]
// GCN all: │     │  │  └─ s[22:23] = 0x100001360: #2
// GCN all: │     │  └─ #3 scc = 1: s_cmp_gt_u32 s20, 0x1f4  [calls.s:114]
// GCN all: │     │     └─ s20 = 592: s_load_dword s20, s[8:9], 0x0  [calls.s:103]
// GCN all: │     │        ├─ input b[0]
// GCN all: │     │        └─ address: s[8:9] = 0x100040000: #4
// GCN all: │     └─ s25 = 1: s_cselect_b32 s25, s25, s27  [calls.s:116]
// GCN all: │        ├─ s25 = 1: s_addc_u32 s25, s23, 0  [calls.s:108]
// GCN all: │        │  ├─ s[22:23] = 0x100001360: #2
// GCN all: │        │  └─ scc = 0: s_add_u32 s24, s22, 0x4c  [calls.s:107]
// GCN all: │        │     └─ s[22:23] = 0x100001360: #2
// GCN all: │        └─ scc = 1: #3
// GCN all: ├─ condition: s_swappc_b64 s[30:31], s[28:29]  [calls.s:120]
// GCN all: │  ├─ s28 = 5060: s_add_u32 s28, s22, 0x64  [calls.s:111]
// GCN all: │  │  └─ #2 s[22:23] = 0x100001360: s_getpc_b64 s[22:23]  [calls.s:105]
// GCN all: │  ├─ s29 = 1: s_addc_u32 s29, s23, 0  [calls.s:112]
// GCN all: │  │  ├─ s[22:23] = 0x100001360: #2
// GCN all: │  │  └─ scc = 0: s_add_u32 s28, s22, 0x64  [calls.s:111]
// GCN all: │  │     └─ s[22:23] = 0x100001360: #2
// GCN all: │  └─ condition: s_cbranch_scc0 end  [calls.s:119]
// GCN all: │     └─ scc = 1: s_cmp_gt_u32 s21, 1  [calls.s:118]
// GCN all: │        └─ s21 = 750: s_load_dword s21, s[8:9], 0x4  [calls.s:104]
// GCN all: │           ├─ input b[1]
// GCN all: │           └─ address: #4 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [calls.s:92] ← argument bytes 8..16
// GCN all: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [calls.s:100] ← v0 = 5: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [calls.s:93] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[5], b[0..2]
// GCN all: arguments: bytes 0..24
// GCN all: 27 instructions, 31 executions, 1 workgroup traced
// GCN all: out[40] = 2910
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [calls.s:130, workgroup 0,0,0, wave 0, lane 40]
// GCN all: ├─ v2 = 2910: v_xor_b32_e32 v2, 0x800, v2  [calls.s:124]
// GCN all: │  ├─ v2 = 862: buffer_load_dword v2, v1, s[4:7], 0 offen  [calls.s:102]
// GCN all: │  │  ├─ input a[40]
// GCN all: │  │  ├─ address: v1 = 160: #1
// GCN all: │  │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [calls.s:91] ← argument bytes 0..8
// GCN all: │  │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: │  └─ condition: s_swappc_b64 s[30:31], s[24:25]  [calls.s:117]
// GCN all: │     ├─ s24 = 5036: s_cselect_b32 s24, s24, s26  [calls.s:115]
// GCN all: │     │  ├─ s24 = 5036: s_add_u32 s24, s22, 0x4c  [calls.s:107]
// GCN all: │     │  │  └─ s[22:23] = 0x100001360: #2
// GCN all: │     │  └─ #3 scc = 1: s_cmp_gt_u32 s20, 0x1f4  [calls.s:114]
// GCN all: │     │     └─ s20 = 592: s_load_dword s20, s[8:9], 0x0  [calls.s:103]
// GCN all: │     │        ├─ input b[0]
// GCN all: │     │        └─ address: s[8:9] = 0x100040000: #4
// GCN all: │     └─ s25 = 1: s_cselect_b32 s25, s25, s27  [calls.s:116]
// GCN all: │        ├─ s25 = 1: s_addc_u32 s25, s23, 0  [calls.s:108]
// GCN all: │        │  ├─ s[22:23] = 0x100001360: #2
// GCN all: │        │  └─ scc = 0: s_add_u32 s24, s22, 0x4c  [calls.s:107]
// GCN all: │        │     └─ s[22:23] = 0x100001360: #2
// GCN all: │        └─ scc = 1: #3
// GCN all: ├─ condition: s_swappc_b64 s[30:31], s[28:29]  [calls.s:120]
// GCN all: │  ├─ s28 = 5060: s_add_u32 s28, s22, 0x64  [calls.s:111]
// GCN all: │  │  └─ #2 s[22:23] = 0x100001360: s_getpc_b64 s[22:23]  [calls.s:105]
// GCN all: │  ├─ s29 = 1: s_addc_u32 s29, s23, 0  [calls.s:112]
// GCN all: │  │  ├─ s[22:23] = 0x100001360: #2
// GCN all: │  │  └─ scc = 0: s_add_u32 s28, s22, 0x64  [calls.s:111]
// GCN all: │  │     └─ s[22:23] = 0x100001360: #2
// GCN all: │  └─ condition: s_cbranch_scc0 end  [calls.s:119]
// GCN all: │     └─ scc = 1: s_cmp_gt_u32 s21, 1  [calls.s:118]
// GCN all: │        └─ s21 = 750: s_load_dword s21, s[8:9], 0x4  [calls.s:104]
// GCN all: │           ├─ input b[1]
// GCN all: │           └─ address: #4 s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [calls.s:92] ← argument bytes 8..16
// GCN all: ├─ address: #1 v1 = 160: v_lshlrev_b32_e32 v1, 2, v0  [calls.s:100] ← v0 = 40: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [calls.s:93] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[40], b[0..2]
// GCN all: arguments: bytes 0..24
// GCN all: 27 instructions, 31 executions, 1 workgroup traced
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
    s_load_dword s20, s[8:9], 0x0
    s_load_dword s21, s[8:9], 0x4
    s_getpc_b64 s[22:23]
here:
    s_add_u32 s24, s22, first-here
    s_addc_u32 s25, s23, 0
    s_add_u32 s26, s22, second-here
    s_addc_u32 s27, s23, 0
    s_add_u32 s28, s22, put-here
    s_addc_u32 s29, s23, 0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_cmp_gt_u32 s20, 500
    s_cselect_b32 s24, s24, s26
    s_cselect_b32 s25, s25, s27
    s_swappc_b64 s[30:31], s[24:25]
    s_cmp_gt_u32 s21, 1
    s_cbranch_scc0 end
    s_swappc_b64 s[30:31], s[28:29]
end:
    s_endpgm
first:
    v_xor_b32 v2, 0x800, v2
    s_setpc_b64 s[30:31]
second:
    v_xor_b32 v2, 0x400, v2
    s_setpc_b64 s[30:31]
put:
    buffer_store_dword v2, v1, s[12:15], 0 offen
    s_setpc_b64 s[30:31]
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
