// RUN: tahiti bonaire fiji gfx900 gfx906
// LDS beyond what the kernel asks for: the run goes on.
//! grid = 64
// GCN 1.0: note: 2 accesses beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on hardware; the first by workgroup 0,0,0, wave 0, at kernel+0x10: ds_write_b32 v1, v0 offset:4
// GCN 1.1, 1.2, 1.4, 1.4.1: error[lds-out-of-bounds]: stores 4 bytes at offset 0x100 in 256 bytes of LDS
// GCN 1.0: --> check/bounds-lds.s:84: ds_write_b32 v1, v0 offset:4
// GCN 1.1, 1.2, 1.4, 1.4.1: --> check/bounds-lds.s:84:5
// GCN 1.0: error[lds-out-of-bounds]: stores 4 bytes at offset 0x100 in 256 bytes of LDS
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: --> check/bounds-lds.s:84:5
// GCN 1.1, 1.2, 1.4, 1.4.1: 84 |     ds_write_b32 v1, v0 offset:4
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: |     ^^^^^^^^^^^^ accesses LDS at 0x100
// GCN 1.0: 84 |     ds_write_b32 v1, v0 offset:4
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: |     ^^^^^^^^^^^^ accesses LDS at 0x100
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: accesses LDS at 0x100: `ds_write_b32 v1, v0 offset:4`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 63
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: kernel kernel, once
// GCN 1.0: = note: accesses LDS at 0x100: `ds_write_b32 v1, v0 offset:4`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 63
// GCN 1.1, 1.2, 1.4, 1.4.1: 
// GCN 1.0: = note: kernel kernel, once
// GCN 1.1, 1.2, 1.4, 1.4.1: error[lane-race]: two lanes of one instruction store different values to one address of LDS
// GCN 1.0: 
// GCN 1.1, 1.2, 1.4, 1.4.1: --> check/bounds-lds.s:85:5
// GCN 1.0: error[lane-race]: two lanes of one instruction store different values to one address of LDS
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: --> check/bounds-lds.s:85:5
// GCN 1.1, 1.2, 1.4, 1.4.1: 85 |     ds_write2_b32 v1, v0, v0 offset1:1      // the second place
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: |     ^^^^^^^^^^^^^ lane 0 stores to 0x4
// GCN 1.0: 85 |     ds_write2_b32 v1, v0, v0 offset1:1      // the second place
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: |     ^^^^^^^^^^^^^ lane 0 stores to 0x4
// GCN 1.1, 1.2, 1.4, 1.4.1: ::: check/bounds-lds.s:85:5
// GCN all: |
// GCN 1.0: ::: check/bounds-lds.s:85:5
// GCN 1.1, 1.2, 1.4, 1.4.1: 85 |     ds_write2_b32 v1, v0, v0 offset1:1      // the second place
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: |     ------------- and so does lane 1
// GCN 1.0: 85 |     ds_write2_b32 v1, v0, v0 offset1:1      // the second place
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: |     ------------- and so does lane 1
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: lane 0 stores to 0x4: `ds_write2_b32 v1, v0, v0 offset1:1`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: and so does lane 1: `ds_write2_b32 v1, v0, v0 offset1:1`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 1
// GCN 1.0: = note: lane 0 stores to 0x4: `ds_write2_b32 v1, v0, v0 offset1:1`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 0
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: kernel kernel, once
// GCN 1.0: = note: and so does lane 1: `ds_write2_b32 v1, v0, v0 offset1:1`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 1
// GCN 1.1, 1.2, 1.4, 1.4.1: = help: a condition that leaves one lane active, or an atomic if all values matter
// GCN 1.0: = note: kernel kernel, once
// GCN 1.1, 1.2, 1.4, 1.4.1: 
// GCN 1.0: = help: a condition that leaves one lane active, or an atomic if all values matter
// GCN 1.1, 1.2, 1.4, 1.4.1: error[lds-out-of-bounds]: stores 4 bytes at offset 0x100 in 256 bytes of LDS
// GCN 1.0: 
// GCN 1.1, 1.2, 1.4, 1.4.1: --> check/bounds-lds.s:85:5
// GCN 1.0: error[lds-out-of-bounds]: stores 4 bytes at offset 0x100 in 256 bytes of LDS
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: --> check/bounds-lds.s:85:5
// GCN 1.1, 1.2, 1.4, 1.4.1: 85 |     ds_write2_b32 v1, v0, v0 offset1:1      // the second place
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: |     ^^^^^^^^^^^^^ accesses LDS at 0x100
// GCN 1.0: 85 |     ds_write2_b32 v1, v0, v0 offset1:1      // the second place
// GCN 1.1, 1.2, 1.4, 1.4.1: |
// GCN 1.0: |     ^^^^^^^^^^^^^ accesses LDS at 0x100
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: accesses LDS at 0x100: `ds_write2_b32 v1, v0, v0 offset1:1`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 63
// GCN 1.0: |
// GCN 1.1, 1.2, 1.4, 1.4.1: = note: kernel kernel, once
// GCN 1.0: = note: accesses LDS at 0x100: `ds_write2_b32 v1, v0, v0 offset1:1`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 63
// GCN 1.1, 1.2, 1.4, 1.4.1: 
// GCN 1.0: = note: kernel kernel, once
// GCN 1.1, 1.2, 1.4, 1.4.1: 3 errors
// GCN 1.0: 
// GCN 1.1, 1.2, 1.4, 1.4.1: exit status 3
// GCN 1.0: 3 errors
// GCN 1.0: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0                     // the last dword is the kernel's
    ds_write_b32 v1, v0 offset:4
    ds_write2_b32 v1, v0, v0 offset1:1      // the second place
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
