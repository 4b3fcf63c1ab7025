// RUN: tahiti bonaire fiji gfx900 gfx906
// Lanes store values to one dword of a variable that differ in its second byte: the address is the dword's, with the variable's name.
//! grid = 64
// GCN all: error[lane-race]: two lanes of one instruction store different values to one address of LDS
// GCN all: --> check/races-variable.s:32:5
// GCN all: |
// GCN all: 32 |     ds_write_b32 v1, v2
// GCN all: |     ^^^^^^^^^^^^ lane 0 stores to 0x108
// GCN all: |
// GCN all: ::: check/races-variable.s:32:5
// GCN all: |
// GCN all: 32 |     ds_write_b32 v1, v2
// GCN all: |     ------------ and so does lane 1
// GCN all: |
// GCN all: = note: lane 0 stores to 0x108: `ds_write_b32 v1, v2`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: and so does lane 1: `ds_write_b32 v1, v2`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 1
// GCN all: = note: address 0x108 of LDS: tile+0x8
// GCN all: = note: kernel kernel, once
// GCN all: = help: a condition that leaves one lane active, or an atomic if all values matter
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.amdgpu_lds part, 256, 4
.amdgpu_lds tile, 64, 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, -1
    v_lshlrev_b32 v2, 8, v0
    v_mov_b32 v1, tile+8
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 320
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
