// RUN: tahiti bonaire fiji gfx900 gfx906
// Values that nothing has set decide a branch, which lanes are active, and which memory is accessed; moving them is no finding, nor are
// equal sources that cancel each other.
//! grid = 64
// GCN all: error[uninitialized-branch]: a branch depends on an undefined value: scc
// GCN all: --> check/uninit-decisions.s:70:5
// GCN all: |
// GCN all: 70 |     s_cbranch_scc1 branch
// GCN all: |     ^^^^^^^^^^^^^^ depends on scc
// GCN all: |
// GCN all: = note: depends on scc: `s_cbranch_scc1 0`, at defined+0x4, workgroup 0,0,0, wave 0
// GCN all: = note: the wave started with the value in s20, which the hardware does not set
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[uninitialized-exec]: an undefined value decides which lanes are active
// GCN all: --> check/uninit-decisions.s:73:5
// GCN all: |
// GCN all: 73 |     s_and_saveexec_b64 s[8:9], vcc
// GCN all: |     ^^^^^^^^^^^^^^^^^^ writes exec
// GCN all: |
// GCN all: = note: writes exec: `s_and_saveexec_b64 s[8:9], vcc`, at branch+0x4, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: the wave started with the value in v9, which the hardware does not set
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[lane-race]: two lanes of one instruction store different values to one address of LDS
// GCN all: --> check/uninit-decisions.s:79:5
// GCN all: |
// GCN all: 79 |     ds_write_b32 v6, v0
// GCN all: |     ^^^^^^^^^^^^ lane 0 stores to 0x0
// GCN all: |
// GCN all: ::: check/uninit-decisions.s:79:5
// GCN all: |
// GCN all: 79 |     ds_write_b32 v6, v0
// GCN all: |     ------------ and so does lane 1
// GCN all: |
// GCN all: = note: lane 0 stores to 0x0: `ds_write_b32 v6, v0`, at branch+0x24, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: and so does lane 1: `ds_write_b32 v6, v0`, at branch+0x24, workgroup 0,0,0, wave 0, lane 1
// GCN all: = note: kernel kernel, once
// GCN all: = help: a condition that leaves one lane active, or an atomic if all values matter
// GCN all: 
// GCN all: error[uninitialized-address]: memory is accessed at an undefined address: v6
// GCN all: --> check/uninit-decisions.s:79:5
// GCN all: |
// GCN all: 79 |     ds_write_b32 v6, v0
// GCN all: |     ^^^^^^^^^^^^ uses v6 as an address
// GCN all: |
// GCN all: = note: uses v6 as an address: `ds_write_b32 v6, v0`, at branch+0x24, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: the wave started with the value in v9, which the hardware does not set
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 4 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 s5, s20                       // a copy
    v_mov_b32 v5, v9
    s_and_b32 s6, s20, 0                    // no bit of s20 is left
    s_cmp_eq_u32 s6, 0
    s_cbranch_scc1 defined
    s_xor_b64 s[22:23], s[22:23], s[22:23]
    s_cbranch_scc0 defined
    s_sub_u32 s22, s24, s24
    s_cbranch_scc1 defined
    s_cmp_eq_u32 s22, 0
    s_cbranch_scc1 defined
defined:
    s_cmp_eq_u32 s5, 0
    s_cbranch_scc1 branch
branch:
    v_cmp_lt_u32 vcc, v5, v0
    s_and_saveexec_b64 s[8:9], vcc
    s_mov_b64 exec, s[8:9]
    s_mov_b32 m0, -1
    v_xor_b32 v7, v7, v7
    ds_read_b32 v8, v7
    v_and_b32 v6, 0xfc, v9
    ds_write_b32 v6, v0
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
