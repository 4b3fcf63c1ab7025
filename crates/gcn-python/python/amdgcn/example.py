"""Kernel of the examples in the documentation."""

__all__ = ["EXAMPLE"]

#: Assembly for gfx900 to gfx90c: ``scale(uint *xs, uint factor)`` multiplies each element, in workgroups of 64.
EXAMPLE = """\
.text
.globl scale
.p2align 8
.type scale,@function
scale:                                  // s[0:1]: arguments, s2: workgroup, v0: work-item
  s_load_dwordx2 s[4:5], s[0:1], 0x0    // xs
  s_load_dword s6, s[0:1], 0x8          // factor
  s_lshl_b32 s2, s2, 6
  v_add_u32_e32 v0, s2, v0
  v_lshlrev_b32_e32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[4:5]
  s_waitcnt vmcnt(0)
  v_mul_lo_u32 v1, v1, s6
  global_store_dword v0, v1, s[4:5]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel scale
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 2
  .amdhsa_next_free_sgpr 7
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scale
    .symbol: scale.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 7
    .vgpr_count: 2
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [64, 1, 1]
    .args:
      - { .name: xs, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: factor, .type_name: uint, .offset: 8, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
"""
