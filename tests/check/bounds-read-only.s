// RUN: tahiti bonaire fiji gfx900 gfx906
// A kernel stores to a buffer that its only argument there promises to read; the other buffer may be written.
//! grid = 64
//! args = { xs = "u32*64:iota", ys = "u32*64" }
// GCN all: error[store-to-read-only]: stores 4 bytes of a buffer that all arguments declare read-only
// GCN all: --> check/bounds-read-only.s:35:5
// GCN all: |
// GCN all: 35 |     buffer_store_dword v2, v1, s[4:7], 0 offen      // to `xs`
// GCN all: |     ^^^^^^^^^^^^^^^^^^ accesses 0x100020000
// GCN all: |
// GCN 1.0, 1.1: = note: accesses 0x100020000: `buffer_store_dword v2, v1, s[4:7], 0 offen`, at kernel+0x48, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: accesses 0x100020000: `buffer_store_dword v2, v1, s[4:7], 0 offen`, at kernel+0x4c, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: address 0x100020000: byte 0 of xs (256 bytes)
// GCN all: = note: the address is 0x0 bytes past the start of the buffer
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[12:15], s[0:1], 0x0
    s_mov_b32 s6, 256
    s_mov_b32 s7, 0x27000
    s_mov_b32 s10, 256
    s_mov_b32 s11, 0x27000
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[4:5], s[12:13]
    s_mov_b64 s[8:9], s[14:15]
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[8:11], 0 offen     // to `ys`
    buffer_store_dword v2, v1, s[4:7], 0 offen      // to `xs`
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: kernel
    .symbol: kernel.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 16
    .args:
      - { .name: xs, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .is_const: true, .type_name: uint* }
      - { .name: ys, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: uint* }
...
.end_amdgpu_metadata
