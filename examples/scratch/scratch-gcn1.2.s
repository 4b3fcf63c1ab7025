// An array for each lane in scratch memory, with FLAT instructions, for GCN 1.2.
//
//     out[8 * i] … out[8 * i + 7] = in[8 * i] … in[8 * i + 7], sorted      for each work-item i < count
//
// Registers cannot be indexed by a lane's own number; scratch can. Every lane sorts its 8 values by insertion, at
// its own pace: lanes whose value has found its place lose their bit in EXEC until the others are ready.
//
// FLAT reaches scratch through an aperture: addresses with a certain upper half are the lane's own scratch, and the
// lower half is the offset in it. So a pointer may lead anywhere, and the instruction is the same. GCN 1.2 has no
// register that tells the upper half; the runtime has put it into the queue's descriptor.

.amdgcn_target "amdgcn-amd-amdhsa--gfx803"

.set VALUES, 8                                    // values of a work-item
.set BYTES, 4 * VALUES
.set QUEUE_PRIVATE_BASE_HI, 0x44                  // where amd_queue_t has the aperture's upper half

.text
.globl sort
.p2align 8
.type sort,@function
sort:
    // In: s[0:1] = queue, s[2:3] = kernel arguments, s4 = offset of the scratch in the hidden private segment, s5 =
    // bytes of scratch per lane, s6 = number of the workgroup, s7 = offset of the wave's scratch behind s4, v0 =
    // work-item in the workgroup.
    s_add_u32           s4, s4, s7
    s_lshr_b32          flat_scratch_hi, s4, 8    // where the aperture's offset 0 is, in units of 256 bytes
    s_mov_b32           flat_scratch_lo, s5
    s_load_dword        s15, s[0:1], QUEUE_PRIVATE_BASE_HI
    s_load_dwordx4      s[8:11], s[2:3], 0x0      // s[8:9] = in, s[10:11] = out
    s_load_dwordx2      s[12:13], s[2:3], 0x10    // s12 = count, s13 = work-items of a workgroup
    s_waitcnt           lgkmcnt(0)
    s_mul_i32           s6, s6, s13
    v_add_u32           v0, vcc, s6, v0           // i
    v_cmp_gt_u32        vcc, s12, v0
    s_and_b64           exec, exec, vcc
    s_cbranch_execz     .Lend
    v_lshlrev_b32       v14, 5, v0                // BYTES * i
    v_mov_b32           v17, s9
    v_add_u32           v16, vcc, s8, v14
    v_addc_u32          v17, vcc, 0, v17, vcc     // v[16:17] = address of the work-item's values
    v_add_u32           v18, vcc, BYTES / 2, v16
    v_addc_u32          v19, vcc, 0, v17, vcc     // v[18:19] = address of its second half
    flat_load_dwordx4   v[4:7], v[16:17]
    flat_load_dwordx4   v[8:11], v[18:19]
    v_mov_b32           v2, s15                   // upper half of v[1:2], the address of a[j]
    v_mov_b32           v13, s15                  // upper half of v[12:13], the address of a[j - 1]
    v_mov_b32           v1, 0
    s_waitcnt           vmcnt(0) lgkmcnt(0)       // FLAT comes back in any order and counts on both
    flat_store_dwordx4  v[1:2], v[4:7]            // a[0] … a[3]
    v_mov_b32           v1, BYTES / 2
    flat_store_dwordx4  v[1:2], v[8:11]           // a[4] … a[7]

    s_mov_b64           s[12:13], exec
    s_mov_b32           s6, 4                     // 4 * k: a[0] … a[k - 1] are sorted
.Linsert:
    v_mov_b32           v1, s6                    // j = k: where a[k] may go
    flat_load_dword     v0, v[1:2]                // x = a[k]
.Lshift:
    v_subrev_u32        v12, vcc, 4, v1
    flat_load_dword     v3, v[12:13]              // a[j - 1]
    s_waitcnt           vmcnt(0) lgkmcnt(0)
    v_cmp_gt_u32        vcc, v3, v0
    s_and_b64           exec, exec, vcc           // lanes where it is greater than x
    s_cbranch_execz     .Lplaced
    flat_store_dword    v[1:2], v3                // a[j] = a[j - 1]
    v_mov_b32           v1, v12                   // j = j - 1
    v_cmp_ne_u32        vcc, 0, v1
    s_and_b64           exec, exec, vcc           // lanes where j is not 0 yet
    s_cbranch_execnz    .Lshift
.Lplaced:
    s_mov_b64           exec, s[12:13]
    flat_store_dword    v[1:2], v0                // a[j] = x
    s_add_u32           s6, s6, 4
    s_cmp_lg_u32        s6, BYTES
    s_cbranch_scc1      .Linsert

    v_mov_b32           v1, 0
    flat_load_dwordx4   v[4:7], v[1:2]
    v_mov_b32           v1, BYTES / 2
    flat_load_dwordx4   v[8:11], v[1:2]
    v_mov_b32           v17, s11
    v_add_u32           v16, vcc, s10, v14
    v_addc_u32          v17, vcc, 0, v17, vcc     // v[16:17] = address of its results
    v_add_u32           v18, vcc, BYTES / 2, v16
    v_addc_u32          v19, vcc, 0, v17, vcc     // v[18:19] = address of its second half
    s_waitcnt           vmcnt(0) lgkmcnt(0)
    flat_store_dwordx4  v[16:17], v[4:7]
    flat_store_dwordx4  v[18:19], v[8:11]
.Lend:
    s_endpgm
.Lsort_end:
.size sort, .Lsort_end - sort

.rodata
.p2align 6
.amdhsa_kernel sort
    .amdhsa_user_sgpr_queue_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_private_segment_fixed_size BYTES
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 20
    .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: sort
    .symbol: sort.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 32
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 20
    .max_flat_workgroup_size: 256
    .args:
      - { .name: in,         .type_name: 'uint*', .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out,        .type_name: 'uint*', .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: count,      .type_name: 'uint',  .offset: 16, .size: 4, .value_kind: by_value }
      - { .name: group_size, .type_name: 'uint',  .offset: 20, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
