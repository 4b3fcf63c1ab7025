// ys[i] = a * xs[i] for i < count, on GCN 1.4 (gfx900).

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.text
.globl scale
.p2align 8
.type scale,@function
scale:
    s_load_dwordx2 s[4:5], s[0:1], 0x0          // s4 = count, s5 = a
    s_load_dwordx4 s[8:11], s[0:1], 0x8         // s[8:9] = xs, s[10:11] = ys
    s_lshl_b32 s2, s2, 6
    v_add_u32 v0, s2, v0                        // i = 64 * workgroup + work-item
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32 vcc, s4, v0                    // count > i?
    s_and_saveexec_b64 s[6:7], vcc              // lanes beyond the end are switched off
    s_cbranch_execz done                        // if all are, nothing is left to do
    v_lshlrev_b32 v1, 2, v0                     // offset in bytes
    global_load_dword v2, v1, s[8:9]            // xs[i]
    s_waitcnt vmcnt(0)
    v_mul_f32 v3, s5, v2
    global_store_dword v1, v3, s[10:11]         // ys[i]
done:
    s_endpgm
.Lend:
.size scale, .Lend-scale

.rodata
.p2align 6
.amdhsa_kernel scale
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 4
    .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: scale
    .symbol: scale.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 18
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - { .name: count, .offset: 0, .size: 4, .value_kind: by_value, .type_name: uint }
      - { .name: a, .offset: 4, .size: 4, .value_kind: by_value, .type_name: float }
      - { .name: xs, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: float* }
      - { .name: ys, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: float* }
...
.end_amdgpu_metadata
