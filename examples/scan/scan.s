// Scan of a wave with ds_swizzle and ds_bpermute, and a split by it with ds_permute, for GCN 1.4.
//
//     ranks[i] = number of odd keys in the wave up to and with key i
//     out      = the keys of each wave, first the even ones, then the odd ones, both in their old order
//
// That is one step of a radix sort. The three instructions move data between lanes through the LDS hardware without
// touching LDS: ds_swizzle by a fixed pattern within 32 lanes, ds_bpermute from the lane that an address names (pull),
// ds_permute to the lane that an address names (push). What a lane pulls from a lane that is not active is 0; here
// the active lanes of a partial wave are the first ones, and lanes only look back.

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.text
.globl scan
.p2align 8
.type scan,@function
scan:
    // In: s[0:1] = kernel arguments, s2 = number of the workgroup, v0 = lane.
    s_load_dwordx4      s[4:7], s[0:1], 0x0       // s[4:5] = keys, s[6:7] = ranks
    s_load_dwordx2      s[8:9], s[0:1], 0x10      // out
    s_load_dword        s3, s[0:1], 0x18          // count
    s_lshl_b32          s2, s2, 6
    v_add_u32           v1, s2, v0
    s_waitcnt           lgkmcnt(0)
    v_cmp_gt_u32        vcc, s3, v1
    s_and_b64           exec, exec, vcc
    s_cbranch_execz     .Lend
    v_lshlrev_b32       v1, 2, v1
    global_load_dword   v2, v1, s[4:5]            // the key
    s_waitcnt           vmcnt(0)
    v_and_b32           v3, 1, v2                 // sum of the flags of the lane's block: 1 lane at first

    // Blocks of 1 lane become blocks of 2, then 4, 8, 16, 32: each lane of the upper half adds the sum that the last
    // lane of the lower half has. In a pattern, p keeps a bit of the lane's number, 0 and 1 replace it.
    ds_swizzle_b32      v4, v3 offset:swizzle(BITMASK_PERM, "pppp0")
    s_mov_b32           vcc_lo, 0xaaaaaaaa        // lanes in upper halves
    s_mov_b32           vcc_hi, 0xaaaaaaaa
    s_waitcnt           lgkmcnt(0)
    v_cndmask_b32       v4, 0, v4, vcc
    v_add_u32           v3, v3, v4
    ds_swizzle_b32      v4, v3 offset:swizzle(BITMASK_PERM, "ppp01")
    s_mov_b32           vcc_lo, 0xcccccccc
    s_mov_b32           vcc_hi, 0xcccccccc
    s_waitcnt           lgkmcnt(0)
    v_cndmask_b32       v4, 0, v4, vcc
    v_add_u32           v3, v3, v4
    ds_swizzle_b32      v4, v3 offset:swizzle(BITMASK_PERM, "pp011")
    s_mov_b32           vcc_lo, 0xf0f0f0f0
    s_mov_b32           vcc_hi, 0xf0f0f0f0
    s_waitcnt           lgkmcnt(0)
    v_cndmask_b32       v4, 0, v4, vcc
    v_add_u32           v3, v3, v4
    ds_swizzle_b32      v4, v3 offset:swizzle(BITMASK_PERM, "p0111")
    s_mov_b32           vcc_lo, 0xff00ff00
    s_mov_b32           vcc_hi, 0xff00ff00
    s_waitcnt           lgkmcnt(0)
    v_cndmask_b32       v4, 0, v4, vcc
    v_add_u32           v3, v3, v4
    ds_swizzle_b32      v4, v3 offset:swizzle(BITMASK_PERM, "01111")
    s_mov_b32           vcc_lo, 0xffff0000
    s_mov_b32           vcc_hi, 0xffff0000
    s_waitcnt           lgkmcnt(0)
    v_cndmask_b32       v4, 0, v4, vcc
    v_add_u32           v3, v3, v4
    // A swizzle does not cross from lanes 0 to 31 to lanes 32 to 63; ds_bpermute does. Addresses are 4 * lane.
    v_mov_b32           v5, 4 * 31
    ds_bpermute_b32     v4, v5, v3
    s_mov_b32           vcc_lo, 0
    s_mov_b32           vcc_hi, -1
    s_waitcnt           lgkmcnt(0)
    v_cndmask_b32       v4, 0, v4, vcc
    v_add_u32           v3, v3, v4
    global_store_dword  v1, v3, s[6:7]

    // An even key goes behind the even keys before it, an odd one behind all even keys and the odd ones before it.
    v_and_b32           v5, 1, v2
    v_cmp_eq_u32        vcc, 1, v5                // odd keys
    s_bcnt1_i32_b64     s10, exec
    s_bcnt1_i32_b64     s11, vcc
    s_sub_u32           s10, s10, s11             // how many are even
    s_sub_u32           s10, s10, 1               // the rank of an odd key counts itself
    v_sub_u32           v4, v0, v3
    v_add_u32           v5, s10, v3
    v_cndmask_b32       v4, v4, v5, vcc           // the key's new lane
    v_lshlrev_b32       v4, 2, v4
    ds_permute_b32      v4, v4, v2
    s_waitcnt           lgkmcnt(0)
    global_store_dword  v1, v4, s[8:9]
.Lend:
    s_endpgm
.Lscan_end:
.size scan, .Lscan_end - scan

.rodata
.p2align 6
.amdhsa_kernel scan
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_kernarg_size 28
    .amdhsa_next_free_vgpr 6
    .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: scan
    .symbol: scan.kd
    .kernarg_segment_size: 28
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 18
    .vgpr_count: 6
    .max_flat_workgroup_size: 64
    .args:
      - { .name: keys,  .type_name: 'uint*', .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: ranks, .type_name: 'uint*', .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out,   .type_name: 'uint*', .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: count, .type_name: 'uint',  .offset: 24, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
