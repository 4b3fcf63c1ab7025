// RUN: gfx900 gfx906
// Scratch by its address in global memory: a store there defines what the lane loads, and a scalar load there finds what no lane has
// written.
//! grid = 64
// GCN all: error[uninitialized-branch]: a branch depends on an undefined value: scc
// GCN all: --> check/uninit-scratch.s:41:5
// GCN all: |
// GCN all: 41 |     s_cbranch_scc1 second
// GCN all: |     ^^^^^^^^^^^^^^ depends on scc
// GCN all: |
// GCN all: ::: check/uninit-scratch.s:32:5
// GCN all: |
// GCN all: 32 |     s_load_dword s11, s[8:9], 0x100         // the second dword of lane 0
// GCN all: |     ------------ the load of scratch that holds an undefined value
// GCN all: |
// GCN all: = note: depends on scc: `s_cbranch_scc1 0`, at first+0x4, workgroup 0,0,0, wave 0
// GCN all: = note: the load of scratch that holds an undefined value: `s_load_dword s11, s[8:9], 0x100`, at kernel+0x20, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_add_u32 s8, s0, s7
    s_addc_u32 s9, s1, 0
    s_and_b32 s9, s9, 0xffff
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    global_store_dword v1, v0, s[8:9]       // the first dword of each lane
    s_load_dword s11, s[8:9], 0x100         // the second dword of lane 0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    buffer_load_dword v3, v2, s[0:3], s7 offen
    s_waitcnt vmcnt(0)
    v_readlane_b32 s10, v3, 5
    s_cmp_eq_u32 s10, 5
    s_cbranch_scc1 first
first:
    s_cmp_eq_u32 s11, 5
    s_cbranch_scc1 second
second:
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
