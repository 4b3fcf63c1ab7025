// RUN: gfx803 gfx900 gfx906
// The same kernel with one wrong instruction each, as a compiler may make it: out = (a * b + 8 * a) if a > b, else a ^ b.
//! grid = 64
//! args = { a = "u32*128:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? --against -DOTHER=1
//? --against -DWRONG=1
//? --against -DWRONG=2
//? --against -DWRONG=3
//? out[37] --against -DWRONG=3 --against -DOTHER=1
//? --against -DWRONG=4
//? --against -DWRONG=5
//? --against -DWRONG=6
//? --against -DWRONG=7
//? out[1] --against -DWRONG=7
//? --against=--arg=b=u32*64:random(3,1,1000)
// GCN all: Both runs leave the same values: 64 elements compared.
// GCN all: out[1] = 4 in the first run, 736776 in the other; 63 of 64 elements of out differ
// GCN all: The runs diverge where equal operands have different results:
// GCN all: ├─ first: v9 = 4: v_lshlrev_b32_e32 v9, 2, v0  [against.s:189, workgroup 0,0,0, wave 0, lane 1]
// GCN all: │  └─ v0 = 1: work-item ID x
// GCN all: └─ other: v9 = 8: v_lshlrev_b32_e32 v9, 3, v0  [against.s:187, workgroup 0,0,0, wave 0, lane 1]
// GCN all: └─ v0 = 1: work-item ID x
// GCN all: From there to out[1]:
// GCN all: first: v2 = 746: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193] of a[1]
// GCN all: other: v2 = 972: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193] of a[2]
// GCN all: first: condition: vcc[1] = 0: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: other: vcc[1] = 1: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: first: v4 = 4: v_xor_b32_e32 v4, v2, v3  [against.s:226]
// GCN 1.2: other: v4 = 0xb3e08: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: other: v4 = 0xb3e08: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[1]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[1]
// GCN all: executions compared: 23 and 25; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[0] = 103 in the first run, 340200 in the other; 22 of 64 elements of out differ
// GCN all: The runs diverge where different instructions use values that both runs have:
// GCN all: ├─ first: vcc[0] = 0: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201, workgroup 0,0,0, wave 0, lane 0]
// GCN all: │  ├─ v2 = 567: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: │  └─ v3 = 592: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194]
// GCN all: └─ other: vcc[0] = 1: v_cmp_ge_u32_e32 vcc, v2, v1  [against.s:197, workgroup 0,0,0, wave 0, lane 0]
// GCN all: ├─ v2 = 567: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: └─ v1 = 0: v_lshlrev_b32_e32 v1, 2, v0  [against.s:191]
// GCN all: From there to out[0]:
// GCN all: first: v4 = 103: v_xor_b32_e32 v4, v2, v3  [against.s:226]
// GCN 1.2: other: v4 = 0x530e8: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: other: v4 = 0x530e8: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[0]
// GCN all: executions compared: 23 and 25; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[0] = 103 in the first run, 340200 in the other; 64 of 64 elements of out differ
// GCN all: The runs diverge where equal operands have different results:
// GCN all: ├─ first: vcc[0] = 0: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201, workgroup 0,0,0, wave 0, lane 0]
// GCN all: │  ├─ v2 = 567: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: │  └─ v3 = 592: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194]
// GCN all: └─ other: vcc[0] = 1: v_cmp_lt_u32_e32 vcc, v2, v3  [against.s:199, workgroup 0,0,0, wave 0, lane 0]
// GCN all: ├─ v2 = 567: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: └─ v3 = 592: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194]
// GCN all: From there to out[0]:
// GCN all: first: v4 = 103: v_xor_b32_e32 v4, v2, v3  [against.s:226]
// GCN 1.2: other: v4 = 0x530e8: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: other: v4 = 0x530e8: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[0]
// GCN all: executions compared: 23 and 25; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[37] = 14231 in the first run, 742 in the other
// GCN all: The runs diverge where equal operands have different results:
// GCN all: ├─ first: vcc[37] = 1: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201, workgroup 0,0,0, wave 0, lane 37]
// GCN all: │  ├─ v2 = 749: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: │  └─ v3 = 11: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194]
// GCN all: └─ other: vcc[37] = 0: v_cmp_lt_u32_e32 vcc, v2, v3  [against.s:199, workgroup 0,0,0, wave 0, lane 37]
// GCN all: ├─ v2 = 749: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: └─ v3 = 11: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194]
// GCN all: From there to out[37]:
// GCN 1.2: first: v4 = 14231: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: first: v4 = 14231: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN all: other: v4 = 742: v_xor_b32_e32 v4, v2, v3  [against.s:226]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[37]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[37]
// GCN all: executions compared: 25 and 23; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[2] = 587088 in the first run, 594864 in the other; 37 of 64 elements of out differ
// GCN all: The runs diverge where equal operands have different results:
// GCN all: ├─ first: v5 = 7776: v_lshlrev_b32_e32 v5, 3, v2  [against.s:222, workgroup 0,0,0, wave 0, lane 2]
// GCN all: │  └─ v2 = 972: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: └─ other: v5 = 15552: v_lshlrev_b32_e32 v5, 4, v2  [against.s:211, workgroup 0,0,0, wave 0, lane 2]
// GCN all: └─ v2 = 972: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: From there to out[2]:
// GCN 1.2: first: v4 = 0x8f550: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: first: v4 = 0x8f550: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN 1.2: other: v4 = 0x913b0: v_add_u32_e32 v4, vcc, v4, v5  [against.s:212]
// GCN 1.4, 1.4.1: other: v4 = 0x913b0: v_add_u32_e32 v4, v4, v5  [against.s:212]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[2]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[2]
// GCN all: executions compared: 25 and 25; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[2] = 587088 in the first run, 952560 in the other; 37 of 64 elements of out differ
// GCN all: The runs diverge where different instructions use values that both runs have:
// GCN all: ├─ first:
// GCN all: │  ├─ v4 = 0x8d6f0: v_mul_u32_u24_e32 v4, v2, v3  [against.s:221, workgroup 0,0,0, wave 0, lane 2]
// GCN all: │  │  ├─ v2 = 972: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: │  │  └─ v3 = 596: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194]
// GCN 1.2: │  ├─ v4 = 0x8f550: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: │  ├─ v4 = 0x8f550: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN all: │  │  └─ v5 = 7776: v_lshlrev_b32_e32 v5, 3, v2  [against.s:222]
// GCN all: │  └─ condition: vcc[2] = 1: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: └─ other: v4 = 0xe88f0: v_mad_u32_u24 v4, v2, v2, v5  [against.s:215, workgroup 0,0,0, wave 0, lane 2]
// GCN all: ├─ v2 = 972: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: ├─ v5 = 7776: v_lshlrev_b32_e32 v5, 3, v2  [against.s:214]
// GCN all: └─ condition: vcc[2] = 1: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: From there to out[2]:
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[2]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[2]
// GCN all: executions compared: 25 and 24; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[2] = 587088 in the first run, 584080 in the other; 37 of 64 elements of out differ
// GCN all: The runs diverge where instructions use other operands, whose values both runs have:
// GCN all: ├─ first: v5 = 7776: v_lshlrev_b32_e32 v5, 3, v2  [against.s:222, workgroup 0,0,0, wave 0, lane 2]
// GCN all: │  ├─ v2 = 972: buffer_load_dword v2, v9, s[4:7], 0 offen  [against.s:193]
// GCN all: │  └─ condition: vcc[2] = 1: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: └─ other: v5 = 4768: v_lshlrev_b32_e32 v5, 3, v3  [against.s:218, workgroup 0,0,0, wave 0, lane 2]
// GCN all: ├─ v3 = 596: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194]
// GCN all: └─ condition: vcc[2] = 1: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: From there to out[2]:
// GCN 1.2: first: v4 = 0x8f550: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: first: v4 = 0x8f550: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN 1.2: other: v4 = 0x8e990: v_add_u32_e32 v4, vcc, v4, v5  [against.s:219]
// GCN 1.4, 1.4.1: other: v4 = 0x8e990: v_add_u32_e32 v4, v4, v5  [against.s:219]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[2]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[2]
// GCN all: executions compared: 25 and 25; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[2] = 587088 in the first run, 0 in the other; 37 of 64 elements of out differ
// GCN all: The runs diverge where values have different origins:
// GCN all: ├─ first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230, workgroup 0,0,0, wave 0, lane 2] of out[2]
// GCN 1.2: │  ├─ v4 = 0x8f550: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: │  ├─ v4 = 0x8f550: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN all: │  └─ condition: vcc[2] = 1: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: └─ other: input out[2] = 0
// GCN all: executions compared: 25 and 0; workgroups traced: 1 and 0
// GCN all: exit status 3
// GCN all: Both runs leave the same values: 1 element compared.
// GCN all: out[0] = 103 in the first run, 69174 in the other; 64 of 64 elements of out differ
// GCN all: The runs diverge where values have different origins:
// GCN all: ├─ first: input b[0] = 592
// GCN all: └─ other: input b[0] = 114
// GCN all: From there to out[0]:
// GCN all: first: v3 = 592: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194] of b[0]
// GCN all: other: v3 = 114: buffer_load_dword v3, v1, s[8:11], 0 offen  [against.s:194] of b[0]
// GCN all: first: condition: vcc[0] = 0: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: other: vcc[0] = 1: v_cmp_gt_u32_e32 vcc, v2, v3  [against.s:201]
// GCN all: first: v4 = 103: v_xor_b32_e32 v4, v2, v3  [against.s:226]
// GCN 1.2: other: v4 = 0x10e36: v_add_u32_e32 v4, vcc, v4, v5  [against.s:223]
// GCN 1.4, 1.4.1: other: v4 = 0x10e36: v_add_u32_e32 v4, v4, v5  [against.s:223]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [against.s:230] of out[0]
// GCN all: executions compared: 23 and 25; workgroups traced: 1 and 1
// GCN all: exit status 3
.ifndef WRONG
.set WRONG, 0
.endif
.ifndef OTHER
.set OTHER, 0
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
.if WRONG == 1
    v_lshlrev_b32 v9, 3, v0                 // the offset of a
.else
    v_lshlrev_b32 v9, 2, v0
.endif
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v9, s[4:7], 0 offen
    buffer_load_dword v3, v1, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
.if WRONG == 2
    v_cmp_ge_u32 vcc, v2, v1                // another register
.elseif WRONG == 3
    v_cmp_lt_u32 vcc, v2, v3                // another comparison
.else
    v_cmp_gt_u32 vcc, v2, v3
.endif
    s_and_saveexec_b64 s[2:3], vcc
.if OTHER
    v_lshlrev_b32 v6, 3, v2                 // as the other code, in other registers and another order
    v_mul_u32_u24 v7, v3, v2
    v_mov_b32 v8, v7
    add v4, v6, v8
.elseif WRONG == 4
    v_mul_u32_u24 v4, v2, v3
    v_lshlrev_b32 v5, 4, v2                 // a wrong shift
    add v4, v4, v5
.elseif WRONG == 5
    v_lshlrev_b32 v5, 3, v2
    v_mad_u32_u24 v4, v2, v2, v5            // another operand, fused
.elseif WRONG == 6
    v_mul_u32_u24 v4, v2, v3
    v_lshlrev_b32 v5, 3, v3                 // another operand
    add v4, v4, v5
.else
    v_mul_u32_u24 v4, v2, v3
    v_lshlrev_b32 v5, 3, v2
    add v4, v4, v5
.endif
    s_xor_b64 exec, exec, s[2:3]
    v_xor_b32 v4, v2, v3
.if WRONG != 7
    s_mov_b64 exec, s[2:3]
.endif
    buffer_store_dword v4, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
