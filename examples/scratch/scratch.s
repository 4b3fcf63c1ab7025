// An array for each lane in scratch memory, with SCRATCH instructions, for GCN 1.4.
//
//     out[8 * i] … out[8 * i + 7] = in[8 * i] … in[8 * i + 7], sorted      for each work-item i < count
//
// Registers cannot be indexed by a lane's own number; scratch can. Every lane sorts its 8 values by insertion, at
// its own pace: lanes whose value has found its place lose their bit in EXEC until the others are ready. Offsets count
// from 0 for every lane; the hardware interleaves the lanes' dwords.

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.set VALUES, 8                                    // values of a work-item
.set BYTES, 4 * VALUES

.text
.globl sort
.p2align 8
.type sort,@function
sort:
    // In: s[0:1] = kernel arguments, s[2:3] = address of the scratch, s4 = number of the workgroup, s5 = offset of the
    // wave's scratch behind that address, v0 = work-item in the workgroup.
    s_add_u32           flat_scratch_lo, s2, s5   // SCRATCH adds this register to its addresses
    s_addc_u32          flat_scratch_hi, s3, 0
    s_load_dwordx4      s[8:11], s[0:1], 0x0      // s[8:9] = in, s[10:11] = out
    s_load_dwordx2      s[6:7], s[0:1], 0x10      // s6 = count, s7 = work-items of a workgroup
    s_waitcnt           lgkmcnt(0)
    s_mul_i32           s4, s4, s7
    v_add_u32           v0, s4, v0                // i
    v_cmp_gt_u32        vcc, s6, v0
    s_and_b64           exec, exec, vcc
    s_cbranch_execz     .Lend
    v_lshlrev_b32       v0, 5, v0                 // BYTES * i
    global_load_dwordx4 v[4:7], v0, s[8:9]
    global_load_dwordx4 v[8:11], v0, s[8:9] offset:BYTES / 2
    v_mov_b32           v1, 0
    s_waitcnt           vmcnt(1)
    scratch_store_dwordx4 v1, v[4:7], off         // a[0] … a[3]
    s_waitcnt           vmcnt(1)
    scratch_store_dwordx4 v1, v[8:11], off offset:BYTES / 2

    s_mov_b64           s[12:13], exec
    s_mov_b32           s6, 4                     // 4 * k: a[0] … a[k - 1] are sorted
.Linsert:
    v_mov_b32           v1, s6                    // 4 * j: where a[k] may go
    scratch_load_dword  v2, v1, off               // x = a[k]
.Lshift:
    scratch_load_dword  v3, v1, off offset:-4     // a[j - 1]
    s_waitcnt           vmcnt(0)
    v_cmp_gt_u32        vcc, v3, v2
    s_and_b64           exec, exec, vcc           // lanes where it is greater than x
    s_cbranch_execz     .Lplaced
    scratch_store_dword v1, v3, off               // a[j] = a[j - 1]
    v_subrev_u32        v1, 4, v1                 // j = j - 1
    v_cmp_ne_u32        vcc, 0, v1
    s_and_b64           exec, exec, vcc           // lanes where j is not 0 yet
    s_cbranch_execnz    .Lshift
.Lplaced:
    s_mov_b64           exec, s[12:13]
    scratch_store_dword v1, v2, off               // a[j] = x
    s_add_u32           s6, s6, 4
    s_cmp_lg_u32        s6, BYTES
    s_cbranch_scc1      .Linsert

    v_mov_b32           v1, 0
    scratch_load_dwordx4 v[4:7], v1, off
    scratch_load_dwordx4 v[8:11], v1, off offset:BYTES / 2
    s_waitcnt           vmcnt(1)
    global_store_dwordx4 v0, v[4:7], s[10:11]
    s_waitcnt           vmcnt(1)
    global_store_dwordx4 v0, v[8:11], s[10:11] offset:BYTES / 2
.Lend:
    s_endpgm
.Lsort_end:
.size sort, .Lsort_end - sort

.rodata
.p2align 6
.amdhsa_kernel sort
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_user_sgpr_flat_scratch_init 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_private_segment_fixed_size BYTES
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 12
    .amdhsa_next_free_sgpr 14
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
    .sgpr_count: 20
    .vgpr_count: 12
    .max_flat_workgroup_size: 256
    .args:
      - { .name: in,         .type_name: 'uint*', .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out,        .type_name: 'uint*', .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: count,      .type_name: 'uint',  .offset: 16, .size: 4, .value_kind: by_value }
      - { .name: group_size, .type_name: 'uint',  .offset: 20, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
