// RUN: tahiti bonaire fiji gfx900 gfx906
// LDS beyond what the kernel asks for: the run goes on.
//! grid = 64
// GCN 1.0: note: 1 access beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on hardware; the first by workgroup 0,0,0, wave 0, at kernel+0x10: ds_write_b32 v1, v0 offset:4
// GCN 1.1, 1.2, 1.4, 1.4.1: error[lds-out-of-bounds]: stores 4 bytes at 0x100 of 256 bytes of LDS
// GCN 1.0: --> check/bounds-lds.s:35: ds_write_b32 v1, v0 offset:4
// GCN 1.1, 1.2, 1.4, 1.4.1: --> check/bounds-lds.s:35:5
// GCN 1.0: error[lds-out-of-bounds]: stores 4 bytes at 0x100 of 256 bytes of LDS
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: --> check/bounds-lds.s:35:5
// GCN 1.1, 1.2, 1.4, 1.4.1: 35 |     ds_write_b32 v1, v0 offset:4
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: |     ^^^^^^^^^^^^ accesses LDS at 0x100
// GCN 1.0: 35 |     ds_write_b32 v1, v0 offset:4
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: |     ^^^^^^^^^^^^ accesses LDS at 0x100
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: accesses LDS at 0x100: `ds_write_b32 v1, v0 offset:4`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 63
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: kernel kernel, once
// GCN 1.0: = note: accesses LDS at 0x100: `ds_write_b32 v1, v0 offset:4`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 63
// GCN 1.1, 1.2, 1.4, 1.4.1: 
// GCN 1.0: = note: kernel kernel, once
// GCN 1.1, 1.2, 1.4, 1.4.1: 1 error
// GCN 1.0: 
// GCN 1.1, 1.2, 1.4, 1.4.1: exit status 3
// GCN 1.0: 1 error
// GCN 1.0: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0                     // the last dword is the kernel's
    ds_write_b32 v1, v0 offset:4
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
