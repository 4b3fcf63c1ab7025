// RUN: fiji gfx900 gfx906
// An undefined index of VGPR indexing is a finding where an instruction uses it, not where it is set.
//! grid = 64
// GCN all: error[uninitialized-address]: m0 is undefined, and decides which register is accessed
// GCN all: --> check/uninit-index.s:34:5
// GCN all: |
// GCN all: 34 |     v_mov_b32 v2, v9
// GCN all: |     ^^^^^^^^^ uses m0 as an address
// GCN all: |
// GCN all: = note: uses m0 as an address: `v_mov_b32_e32 v2, v9`, at kernel+0x10, workgroup 0,0,0, wave 0
// GCN all: = note: the wave started with the value in s33, which the hardware does not set
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[uninitialized-address]: m0 is undefined, and decides which register is accessed
// GCN all: --> check/uninit-index.s:42:5
// GCN all: |
// GCN all: 42 |     v_mov_b32 v2, v9
// GCN all: |     ^^^^^^^^^ uses m0 as an address
// GCN all: |
// GCN all: = note: uses m0 as an address: `v_mov_b32_e32 v2, v9`, at kernel+0x34, workgroup 0,0,0, wave 0
// GCN all: = note: the wave started with the value in s34, which the hardware does not set
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_mov_b32 v9, 0
    s_set_gpr_idx_on s33, 1                 // source 0
    s_nop 0
    v_mov_b32 v2, 0                         // it names no register there
    v_mov_b32 v2, v9
    s_set_gpr_idx_off
    s_and_b32 s4, s33, 0xffffff00
    s_set_gpr_idx_on s4, 8                  // the destination, by a byte that is defined
    s_nop 0
    v_mov_b32 v2, v9
    s_set_gpr_idx_idx s34
    s_nop 0
    v_mov_b32 v2, v9
    s_set_gpr_idx_off
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
