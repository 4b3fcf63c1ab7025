// RUN: tahiti bonaire fiji gfx900 gfx906
// A lane has 16 bytes of scratch; through the descriptor the dword behind them is another wave's.
//! grid = 128
//! group = 128
// GCN all: error[scratch-out-of-bounds]: stores 4 bytes at 0x10 of 16 bytes of scratch
// GCN all: --> check/bounds-scratch.s:32:5
// GCN all: |
// GCN all: 32 |     buffer_store_dword v0, v2, s[0:3], s7 offen
// GCN all: |     ^^^^^^^^^^^^^^^^^^ accesses memory beyond its end
// GCN all: |
// GCN all: = note: accesses memory beyond its end: `buffer_store_dword v0, v2, s[0:3], s7 offen`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, twice
// GCN all: 
// GCN all: error[scratch-out-of-bounds]: stores 8 bytes at 0xc of 16 bytes of scratch
// GCN all: --> check/bounds-scratch.s:33:5
// GCN all: |
// GCN all: 33 |     buffer_store_dwordx2 v[0:1], v1, s[0:3], s7 offen   // the second dword is another wave's
// GCN all: |     ^^^^^^^^^^^^^^^^^^^^ accesses memory beyond its end
// GCN all: |
// GCN all: = note: accesses memory beyond its end: `buffer_store_dwordx2 v[0:1], v1, s[0:3], s7 offen`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, twice
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_mov_b32 v1, 12
    v_mov_b32 v2, 16
    buffer_store_dword v0, v1, s[0:3], s7 offen     // the last of the lane
    buffer_store_dword v0, v2, s[0:3], s7 offen
    buffer_store_dwordx2 v[0:1], v1, s[0:3], s7 offen   // the second dword is another wave's
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
