// RUN: gfx803 gfx900 gfx906
// A comparison of all lanes that becomes SCC, as compilers make one of a uniform condition.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[5]
//? --against -DOTHER=1
//? --against -DOTHER=2
// GCN all: out[5] = 11
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [mask.s:102, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v4 = 11: v_and_b32_e32 v4, 15, v4  [mask.s:100]
// GCN all: │  └─ v4 = 347: v_xor_b32_e32 v4, s22, v3  [mask.s:96]
// GCN all: │     ├─ s22 = 0: s_cselect_b32 s22, 1, 0  [mask.s:95]
// GCN all: │     │  └─ scc = 0: s_and_b64 s[24:25], s[24:25], exec  [mask.s:93]
// GCN all: │     │     ├─ s[24:25] = 0: v_cmp_gt_u32_e64 s[24:25], v6, s26  [mask.s:92, lane 0]
// GCN all: │     │     │  ├─ v6 = 567: v_mov_b32_e32 v6, s20  [mask.s:84]
// GCN all: │     │     │  │  └─ s20 = 567: s_buffer_load_dword s20, s[4:7], 0x0  [mask.s:81]
// GCN all: │     │     │  │     └─ … 4 dependences: raise --depth
// GCN all: │     │     │  └─ s26 = 700: s_mov_b32 s26, 0x2bc  [mask.s:91]
// GCN all: │     │     ├─ exec_lo = 0xffffffff: lanes that have work-items
// GCN all: │     │     └─ exec_hi = 0xffffffff: lanes that have work-items
// GCN all: │     └─ v3 = 347: buffer_load_dword v3, v1, s[8:11], 0 offen  [mask.s:82]
// GCN all: │        ├─ input b[5]
// GCN all: │        ├─ address: v1 = 20: #1
// GCN all: │        ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [mask.s:71] ← argument bytes 8..16
// GCN all: │        └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [mask.s:79] ← v0 = 5: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [mask.s:72] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[0], b[5]
// GCN all: arguments: bytes 0..24
// GCN all: 20 instructions, 149 executions, 1 workgroup traced
// GCN all: out[0] = 0 in the first run, 593 in the other; 64 of 64 elements of out differ
// GCN all: The runs diverge where equal operands have different results:
// GCN all: ├─ first: v4 = 0: v_and_b32_e32 v4, 15, v4  [mask.s:100, workgroup 0,0,0, wave 0, lane 0]
// GCN all: │  └─ v4 = 592: v_xor_b32_e32 v4, s22, v3  [mask.s:96]
// GCN all: └─ other: v4 = 593: v_xor_b32_e32 v4, 1, v4  [mask.s:98, workgroup 0,0,0, wave 0, lane 0]
// GCN all: └─ v4 = 592: v_xor_b32_e32 v4, s22, v3  [mask.s:96]
// GCN all: From there to out[0]:
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [mask.s:102] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [mask.s:102] of out[0]
// GCN all: executions compared: 149 and 20; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[0] = 0 in the first run, 1 in the other; 64 of 64 elements of out differ
// GCN all: The runs diverge where different instructions use values that both runs have:
// GCN all: ├─ first:
// GCN all: │  ├─ s[24:25] = 0: v_cmp_gt_u32_e64 s[24:25], v6, s26  [mask.s:92, workgroup 0,0,0, wave 0]
// GCN all: │  │  ├─ v6 = 567: v_mov_b32_e32 v6, s20  [mask.s:84]
// GCN all: │  │  └─ s26 = 700: s_mov_b32 s26, 0x2bc  [mask.s:91]
// GCN all: │  └─ scc = 0: s_and_b64 s[24:25], s[24:25], exec  [mask.s:93]
// GCN all: └─ other: scc = 1: s_cmp_lt_u32 s20, 0x2bc  [mask.s:88, workgroup 0,0,0, wave 0]
// GCN all: └─ s20 = 567: s_buffer_load_dword s20, s[4:7], 0x0  [mask.s:81]
// GCN all: From there to out[0]:
// GCN all: first: s22 = 0: s_cselect_b32 s22, 1, 0  [mask.s:95]
// GCN all: other: s22 = 1: s_cselect_b32 s22, 1, 0  [mask.s:95]
// GCN all: first: v4 = 592: v_xor_b32_e32 v4, s22, v3  [mask.s:96]
// GCN all: other: v4 = 593: v_xor_b32_e32 v4, s22, v3  [mask.s:96]
// GCN all: first: v4 = 0: v_and_b32_e32 v4, 15, v4  [mask.s:100]
// GCN all: other: v4 = 1: v_and_b32_e32 v4, 15, v4  [mask.s:100]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [mask.s:102] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[12:15], 0 offen  [mask.s:102] of out[0]
// GCN all: executions compared: 149 and 20; workgroups traced: 1 and 1
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
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    v_mov_b32 v6, s20
.if OTHER == 1
    s_cmp_gt_u32 s20, 0x2bc
.elseif OTHER == 2
    s_cmp_lt_u32 s20, 0x2bc
.else
    v_cmp_lt_u32_e64 s[24:25], 64, v6
    s_mov_b32 s26, 0x2bc
    v_cmp_gt_u32_e64 s[24:25], v6, s26
    s_and_b64 s[24:25], s[24:25], exec
.endif
    s_cselect_b32 s22, 1, 0
    v_xor_b32 v4, s22, v3
.if OTHER == 1
    v_xor_b32 v4, 1, v4
.else
    v_and_b32 v4, 15, v4
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
