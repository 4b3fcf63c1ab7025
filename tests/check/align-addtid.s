// RUN: gfx900 gfx906
// ALSO: align
// Addresses of lanes in LDS, which are a dword apart: M0 and the offset have the low bits.
//! grid = 64
// GCN all: warning[misaligned-access]: stores 4 bytes of LDS at an address that is not a multiple of 4
// GCN all: --> check/align-addtid.s:33:5
// GCN all: |
// GCN all: 33 |     ds_write_addtid_b32 v0 offset:4
// GCN all: |     ^^^^^^^^^^^^^^^^^^^ accesses LDS at 0x6
// GCN all: |
// GCN all: = note: accesses LDS at 0x6: `ds_write_addtid_b32 v0 offset:4`, at kernel+0x8, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: hardware allows it in the alignment mode "unaligned", which Linux sets, and otherwise ignores the low bits of the address
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: warning[misaligned-access]: loads 4 bytes of LDS at an address that is not a multiple of 4
// GCN all: --> check/align-addtid.s:37:5
// GCN all: |
// GCN all: 37 |     ds_read_addtid_b32 v1 offset:1
// GCN all: |     ^^^^^^^^^^^^^^^^^^ accesses LDS at 0x1
// GCN all: |
// GCN all: = note: accesses LDS at 0x1: `ds_read_addtid_b32 v1 offset:1`, at kernel+0x20, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: hardware allows it in the alignment mode "unaligned", which Linux sets, and otherwise ignores the low bits of the address
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 2 warnings
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, 2
    s_nop 0
    ds_write_addtid_b32 v0 offset:4
    ds_write_addtid_b32 v0 offset:6                             // the sum is a multiple
    s_mov_b32 m0, 0
    s_nop 0
    ds_read_addtid_b32 v1 offset:1
    ds_read_addtid_b32 v2 offset:8
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
