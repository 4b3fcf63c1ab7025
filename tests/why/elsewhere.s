// RUN: gfx803 gfx900 gfx906
// A store that writes another buffer in the other run.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? --against -DOTHER=1
//? b[5] --against -DOTHER=1
//? out[10] --against -DOTHER=2
// GCN all: b[0] = 592 in the first run, 866 in the other; 64 of 64 elements of b differ
// GCN all: Also different: 64 of 64 elements of out
// GCN all: The first run has not written b[0]: its last store of the lane is compared with that of the other run.
// GCN all: The runs diverge where values have different origins:
// GCN all: ├─ first: s12 = 0x60000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [elsewhere.s:57, workgroup 0,0,0, wave 0] of argument bytes 16..20
// GCN all: │  └─ argument bytes 16..20 = 0x60000
// GCN all: └─ other: s8 = 0x40000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [elsewhere.s:56, workgroup 0,0,0, wave 0] of argument bytes 8..12
// GCN all: └─ argument bytes 8..12 = 0x40000
// GCN all: From there to b[0]:
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [elsewhere.s:77] of out[0]
// GCN all: other: buffer_store_dword v4, v1, s[8:11], 0 offen  [elsewhere.s:70] of b[0]
// GCN all: Operands on the way also differ at 1 other place.
// GCN all: executions compared: 6 and 12; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: b[5] = 347 in the first run, 942 in the other
// GCN all: The first run has not written b[5]: its last store of the lane is compared with that of the other run.
// GCN all: The runs diverge where values have different origins:
// GCN all: ├─ first: s12 = 0x60000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [elsewhere.s:57, workgroup 0,0,0, wave 0] of argument bytes 16..20
// GCN all: │  └─ argument bytes 16..20 = 0x60000
// GCN all: └─ other: s8 = 0x40000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [elsewhere.s:56, workgroup 0,0,0, wave 0] of argument bytes 8..12
// GCN all: └─ argument bytes 8..12 = 0x40000
// GCN all: From there to b[5]:
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [elsewhere.s:77] of out[5]
// GCN all: other: buffer_store_dword v4, v1, s[8:11], 0 offen  [elsewhere.s:70] of b[5]
// GCN all: Operands on the way also differ at 1 other place.
// GCN all: executions compared: 6 and 12; workgroups traced: 1 and 1
// GCN all: exit status 3
// GCN all: out[10] = 192 in the first run, 0 in the other
// GCN all: The other run has not written out[10]: its last store of the lane is compared with that of the first run.
// GCN all: The runs diverge where values have different origins:
// GCN all: ├─ first: v0: work-item ID x
// GCN all: └─ other: v3 = 44: v_xor_b32_e32 v3, 4, v3  [elsewhere.s:73, workgroup 0,0,0, wave 0, lane 10]
// GCN all: └─ v3 = 40: v_lshlrev_b32_e32 v3, 2, v0  [elsewhere.s:72]
// GCN all: From there to out[10]:
// GCN all: first: address: v1 = 40: v_lshlrev_b32_e32 v1, 2, v0  [elsewhere.s:64]
// GCN all: other: v3 = 36: v_and_b32_e32 v3, 0xf7, v3  [elsewhere.s:74]
// GCN all: first: buffer_store_dword v4, v1, s[12:15], 0 offen  [elsewhere.s:77] of out[10]
// GCN all: other: buffer_store_dword v4, v3, s[12:15], 0 offen  [elsewhere.s:75] of out[9]
// GCN all: executions compared: 12 and 8; workgroups traced: 1 and 1
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
    s_waitcnt vmcnt(0)
    v_xor_b32 v4, 0x155, v2
.if OTHER == 1
    buffer_store_dword v4, v1, s[8:11], 0 offen
.elseif OTHER == 2
    v_lshlrev_b32 v3, 2, v0
    v_xor_b32 v3, 4, v3
    v_and_b32 v3, 0xf7, v3
    buffer_store_dword v4, v3, s[12:15], 0 offen
.else
    buffer_store_dword v4, v1, s[12:15], 0 offen
.endif
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
