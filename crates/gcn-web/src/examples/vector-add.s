// sums[i] = xs[i] + ys[i], in workgroups of 64. `gcn run` runs it.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx906"
    .text
    .globl vector_add
    .p2align 8
    .type vector_add,@function
vector_add:
    s_load_dwordx4   s[0:3], s[4:5], 0x0     // xs, ys
    s_load_dwordx2   s[8:9], s[4:5], 0x10    // sums
    s_lshl_b32       s6, s6, 8               // 64 elements of 4 bytes for each workgroup
    v_lshlrev_b32    v0, 2, v0
    v_add_u32        v0, s6, v0
    s_waitcnt        lgkmcnt(0)
    global_load_dword v1, v0, s[0:1]
    global_load_dword v2, v0, s[2:3]
    s_waitcnt        vmcnt(0)
    v_add_f32        v1, v1, v2
    global_store_dword v0, v1, s[8:9]
    s_endpgm
.Lend:
    .size vector_add, .Lend-vector_add

    .rodata
    .p2align 6
    .amdhsa_kernel vector_add
        .amdhsa_user_sgpr_private_segment_buffer 1
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_system_sgpr_workgroup_id_x 1
        .amdhsa_next_free_vgpr 3
        .amdhsa_next_free_sgpr 10
    .end_amdhsa_kernel

    .amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: vector_add
    .symbol: vector_add.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .max_flat_workgroup_size: 64
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 3
    .args:
      - {.name: xs,   .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: ys,   .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: sums, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global}
    .end_amdgpu_metadata
