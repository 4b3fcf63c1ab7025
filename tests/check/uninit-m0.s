// RUN: tahiti bonaire fiji
// Up to GCN 1.2 LDS instructions go by M0, which the hardware does not set.
//! grid = 64
// GCN all: note: 64 accesses beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on hardware; the first by workgroup 0,0,0, wave 0, at kernel+0x4: ds_write_b32 v1, v0
// GCN all: --> check/uninit-m0.s:32: ds_write_b32 v1, v0
// GCN all: error[uninitialized-address]: m0 is undefined, and decides which memory is accessed
// GCN all: --> check/uninit-m0.s:32:5
// GCN all: |
// GCN all: 32 |     ds_write_b32 v1, v0
// GCN all: |     ^^^^^^^^^^^^ uses m0 as an address
// GCN all: |
// GCN all: = note: uses m0 as an address: `ds_write_b32 v1, v0`, at kernel+0x4, workgroup 0,0,0, wave 0
// GCN all: = note: the wave started with the value in m0, which the hardware does not set
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[lds-out-of-bounds]: stores 4 bytes at offset 0x0 in 0 bytes of LDS that M0 allows
// GCN all: --> check/uninit-m0.s:32:5
// GCN all: |
// GCN all: 32 |     ds_write_b32 v1, v0
// GCN all: |     ^^^^^^^^^^^^ accesses LDS at 0x0
// GCN all: |
// GCN all: = note: accesses LDS at 0x0: `ds_write_b32 v1, v0`, at kernel+0x4, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0
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
