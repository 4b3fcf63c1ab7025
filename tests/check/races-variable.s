// RUN: tahiti bonaire fiji gfx900 gfx906
// Lanes store values to one dword of a variable that differ in its second byte: the address is the dword's, with the variable's name.
//! grid = 64
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
