// Workgroup reduction through LDS, for GCN 1.0, where buffer instructions reach global memory.
//
//     sums[group] = in[256 * group] + … + in[256 * group + 255]      (as far as there are elements)
//
// Every work-item puts its element into LDS; then half of them add the other half's, then half of those, until
// one sum is left. Between two steps stand a wait for the LDS and a barrier: a wave may need what another wrote.
// The last workgroup may be partial, in two ways: `count` may end inside it, and the grid may.

.amdgcn_target "amdgcn-amd-amdhsa--gfx600"

.set GROUP, 256                                   // work-items of a workgroup; a power of two

.text
.globl reduce
.p2align 8
.type reduce,@function
reduce:
    // In: s[0:1] = kernel arguments, s2 = number of the workgroup, v0 = work-item in it.
    // Constant offsets of scalar loads count dwords until GCN 1.2.
    s_load_dwordx4      s[4:7], s[0:1], 0x0       // s[4:5] = in, s[6:7] = sums
    s_load_dword        s8, s[0:1], 0x4           // count
    s_lshl_b32          s9, s2, 8                 // the workgroup's first element
    s_mov_b32           m0, -1                    // LDS limit: until GCN 1.4, DS reads it in M0; this is none
    v_lshlrev_b32       v1, 2, v0                 // the work-item's slot in LDS
    v_add_i32           v2, vcc, s9, v0           // its element …
    v_lshlrev_b32       v2, 2, v2                 // … in bytes
    v_mov_b32           v3, 0                     // its sum
    s_waitcnt           lgkmcnt(0)                // the arguments are here
    s_min_u32           s3, s8, s9
    s_sub_u32           s8, s8, s3                // elements from the workgroup's first one on, 0 if none
    s_min_u32           s8, s8, GROUP             // how many this workgroup adds

    // A buffer descriptor of all memory behind `in`; each lane adds its 64-bit offset (addr64).
    s_mov_b64           s[16:17], s[4:5]
    s_mov_b32           s18, 0                    // no limit
    s_mov_b32           s19, 0x100f000            // data format: dwords; addresses as the host has them
    v_mov_b32           v4, v2
    v_mov_b32           v5, 0

    v_cmp_gt_u32        vcc, s8, v0
    s_and_saveexec_b64  s[10:11], vcc             // work-items that have an element
    buffer_load_dword   v3, v[4:5], s[16:19], 0 addr64
    s_waitcnt           vmcnt(0)
    ds_write_b32        v1, v3
    s_mov_b64           exec, s[10:11]

    s_movk_i32          s3, GROUP / 2             // distance of the two elements that are added
.Lstep:
    s_waitcnt           lgkmcnt(0)                // this wave's writes are done …
    s_barrier                                     // … and all the others'
    v_add_i32           v4, vcc, s3, v0
    v_cmp_gt_u32        vcc, s3, v0               // work-items of the lower half …
    v_cmp_gt_u32        s[12:13], s8, v4          // … whose partner has an element
    s_and_b64           vcc, vcc, s[12:13]
    s_and_saveexec_b64  s[10:11], vcc
    s_cbranch_execz     .Lskip
    v_lshlrev_b32       v4, 2, v4
    ds_read_b32         v4, v4
    s_waitcnt           lgkmcnt(0)
    v_add_i32           v3, vcc, v3, v4
    ds_write_b32        v1, v3
.Lskip:
    s_mov_b64           exec, s[10:11]
    s_lshr_b32          s3, s3, 1
    s_cmp_lg_u32        s3, 0
    s_cbranch_scc1      .Lstep                    // the same for all waves: every one meets every barrier

    v_cmp_eq_u32        vcc, 0, v0
    s_and_saveexec_b64  s[10:11], vcc             // work-item 0 has the whole sum
    s_cbranch_execz     .Lend
    s_lshl_b32          s2, s2, 2
    s_mov_b64           s[16:17], s[6:7]          // the same for `sums`; here the offset is one for all
    v_mov_b32           v4, 0
    v_mov_b32           v5, 0
    buffer_store_dword  v3, v[4:5], s[16:19], s2 addr64
.Lend:
    s_endpgm
.Lreduce_end:
.size reduce, .Lreduce_end - reduce

.rodata
.p2align 6
.amdhsa_kernel reduce
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_group_segment_fixed_size 4 * GROUP
    .amdhsa_kernarg_size 20
    .amdhsa_next_free_vgpr 6
    .amdhsa_next_free_sgpr 20
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: reduce
    .symbol: reduce.kd
    .kernarg_segment_size: 20
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 6
    .max_flat_workgroup_size: 256
    .args:
      - { .name: in,    .type_name: 'uint*', .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: sums,  .type_name: 'uint*', .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: count, .type_name: 'uint',  .offset: 16, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
