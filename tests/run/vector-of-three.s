// RUN: gfx900 gfx906
// A vector of three is passed as one of four, of which three numbers are written; all four may be.
//! grid = 1
//! args = { out = "u32*9", v = "1,2,3", w = "1,2,3,4", c = "u8:5,6,7" }
//! print = ["out"]
// GCN all: out: u32[0..9] = 1065353216, 1073741824, 1077936128, 0, 1065353216, 1073741824, 1077936128, 1082130432, 460293
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx8 s[8:15], s[0:1], 0x10
    s_load_dword s16, s[0:1], 0x30
    v_mov_b32 v0, 0
    s_waitcnt lgkmcnt(0)
.set n, 0
.rept 9
    v_mov_b32 v1, s[8 + n]
    global_store_dword v0, v1, s[4:5] offset:4 * n
.set n, n + 1
.endr
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 4
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: kernel
    .symbol: kernel.kd
    .kernarg_segment_size: 52
    .kernarg_segment_align: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 4
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: uint* }
      - { .name: v, .offset: 16, .size: 16, .value_kind: by_value, .type_name: float3 }
      - { .name: w, .offset: 32, .size: 16, .value_kind: by_value, .type_name: float3 }
      - { .name: c, .offset: 48, .size: 4, .value_kind: by_value, .type_name: uchar3 }
...
.end_amdgpu_metadata
