// RUN: tahiti bonaire fiji gfx900 gfx906
// A lane has 16 bytes of scratch; through the descriptor the dword behind them is another wave's.
//! grid = 128
//! group = 128
// GCN all: error[scratch-out-of-bounds]: stores 4 bytes at offset 0x10 in 16 bytes of scratch
// GCN all: --> check/bounds-scratch.s:49:5
// GCN all: |
// GCN all: 49 |     buffer_store_dword v0, v2, s[0:3], s7 offen
// GCN all: |     ^^^^^^^^^^^^^^^^^^ accesses memory beyond its end
// GCN all: |
// GCN all: = note: accesses memory beyond its end: `buffer_store_dword v0, v2, s[0:3], s7 offen`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, twice
// GCN all: 
// GCN all: error[scratch-out-of-bounds]: stores 8 bytes at offset 0xc in 16 bytes of scratch
// GCN all: --> check/bounds-scratch.s:50:5
// GCN all: |
// GCN all: 50 |     buffer_store_dwordx2 v[0:1], v1, s[0:3], s7 offen   // the second dword is another wave's
// GCN all: |     ^^^^^^^^^^^^^^^^^^^^ accesses memory beyond its end
// GCN all: |
// GCN all: = note: accesses memory beyond its end: `buffer_store_dwordx2 v[0:1], v1, s[0:3], s7 offen`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: kernel kernel, twice
// GCN all: 
// GCN 1.0, 1.1, 1.2: error[scratch-out-of-bounds]: stores 4 bytes at offset 0xc of record 0, which the descriptor does not have
// GCN 1.4, 1.4.1: 2 errors
// GCN 1.0, 1.1, 1.2: --> check/bounds-scratch.s:52:5
// GCN 1.4, 1.4.1: exit status 3
// GCN 1.0, 1.1, 1.2: |
// GCN 1.0, 1.1, 1.2: 52 |     buffer_store_dword v0, v1, s[0:3], s7 offen
// GCN 1.0, 1.1, 1.2: |     ^^^^^^^^^^^^^^^^^^ goes beyond the descriptor's end
// GCN 1.0, 1.1, 1.2: |
// GCN 1.0, 1.1, 1.2: = note: goes beyond the descriptor's end: `buffer_store_dword v0, v1, s[0:3], s7 offen`, at kernel+0x24, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1, 1.2: = note: the descriptor has stride 0 and 4 records or bytes
// GCN 1.0, 1.1: = note: GCN 1.0 and 1.1 may not notice, since the offset is in an SGPR (errata E256)
// GCN 1.2: = note: kernel kernel, twice
// GCN 1.0, 1.1: = note: kernel kernel, twice
// GCN 1.2: 
// GCN 1.0, 1.1: 
// GCN 1.2: 3 errors
// GCN 1.0, 1.1: 3 errors
// GCN 1.2: exit status 3
// GCN 1.0, 1.1: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_mov_b32 v1, 12
    v_mov_b32 v2, 16
    buffer_store_dword v0, v1, s[0:3], s7 offen     // the last of the lane
    buffer_store_dword v0, v2, s[0:3], s7 offen
    buffer_store_dwordx2 v[0:1], v1, s[0:3], s7 offen   // the second dword is another wave's
    s_mov_b32 s2, 4                                     // GCN 1.4 ignores the size
    buffer_store_dword v0, v1, s[0:3], s7 offen
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
