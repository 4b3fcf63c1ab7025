// c[i] = a[i] + b[i] for i < count, for GCN 1.4: CLRX's VectorAdd with nothing left of CLRX.
//
// vector-add.clrx keeps CLRX's language and the layout of its arguments; here the kernel asks only for what it reads.

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.text
.globl vectorAdd
.p2align 8
.type vectorAdd,@function
vectorAdd:
    // In: s[0:1] = dispatch packet, s[2:3] = kernel arguments, s4 = number of the workgroup, v0 = work-item in it.
    s_load_dword        s5, s[0:1], 0x4           // work-items of a workgroup in x; the upper half has those in y
    s_load_dword        s6, s[2:3], 0x0           // count
    s_load_dwordx4      s[8:11], s[2:3], 0x8      // s[8:9] = a, s[10:11] = b
    s_load_dwordx2      s[12:13], s[2:3], 0x18    // c
    s_waitcnt           lgkmcnt(0)
    s_and_b32           s5, s5, 0xffff
    s_mul_i32           s4, s4, s5
    v_add_u32           v0, s4, v0                // i; GCN 1.4 adds without a carry
    v_cmp_gt_u32        vcc, s6, v0
    s_and_b64           exec, exec, vcc
    s_cbranch_execz     .Lend
    v_lshlrev_b32       v0, 2, v0                 // i in bytes
    global_load_dword   v1, v0, s[8:9]            // GLOBAL adds the lane's offset to the address itself
    global_load_dword   v2, v0, s[10:11]
    s_waitcnt           vmcnt(0)
    v_add_f32           v1, v1, v2
    global_store_dword  v0, v1, s[12:13]
.Lend:
    s_endpgm
.LvectorAdd_end:
.size vectorAdd, .LvectorAdd_end - vectorAdd

.rodata
.p2align 6
.amdhsa_kernel vectorAdd
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_kernarg_size 32
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 14
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: vectorAdd
    .symbol: vectorAdd.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 20
    .vgpr_count: 3
    .max_flat_workgroup_size: 256
    .args:
      - { .name: count, .type_name: uint,     .offset: 0,  .size: 4, .value_kind: by_value }
      - { .name: a,     .type_name: 'float*', .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: b,     .type_name: 'float*', .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: c,     .type_name: 'float*', .offset: 24, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
