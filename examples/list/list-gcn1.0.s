// Walk over linked lists with scalar loads, for GCN 1.0.
//
//     results[list] = number of nodes and sum of values of the list that begins at heads[list]
//
// A node is two dwords: where the next one is, in bytes from the first node, and a value. -1 ends a list. Each
// workgroup walks one list, by itself: what is the same for all lanes belongs into scalar registers. GCN 1.0 has
// scalar loads, but neither scalar stores nor FLAT: the result goes out with a buffer instruction.

.amdgcn_target "amdgcn-amd-amdhsa--gfx600"

.text
.globl list
.p2align 8
.type list,@function
list:
    // In: s[0:1] = kernel arguments, s2 = number of the workgroup, v0 = work-item in it, which is 0.
    // Constant offsets of scalar loads count dwords until GCN 1.2; offsets in a register count bytes.
    s_load_dwordx4      s[4:7], s[0:1], 0x0       // s[4:5] = nodes, s[6:7] = heads
    s_load_dwordx2      s[8:9], s[0:1], 0x4       // results
    s_lshl_b32          s3, s2, 2
    s_mov_b64           s[10:11], 0               // s10 = nodes so far, s11 = sum so far
    s_waitcnt           lgkmcnt(0)
    s_load_dword        s12, s[6:7], s3           // where the first node is
    s_waitcnt           lgkmcnt(0)
.Lnode:
    s_cmp_eq_u32        s12, -1
    s_cbranch_scc1      .Lend
    s_load_dwordx2      s[14:15], s[4:5], s12     // where the next one is, and this one's value
    s_add_u32           s10, s10, 1
    s_waitcnt           lgkmcnt(0)                // scalar loads come back in any order: only 0 tells anything
    s_mov_b32           s12, s14
    s_add_u32           s11, s11, s15
    s_branch            .Lnode
.Lend:
    // A buffer descriptor of all memory behind `results`; lanes could add a 64-bit offset (addr64).
    s_mov_b32           s12, s8
    s_mov_b32           s13, s9
    s_mov_b32           s14, 0                    // no limit
    s_mov_b32           s15, 0x100f000            // data format: dwords; addresses as the host has them
    s_lshl_b32          s3, s2, 3
    v_mov_b32           v0, 0
    v_mov_b32           v1, 0
    v_mov_b32           v2, s10
    v_mov_b32           v3, s11
    buffer_store_dwordx2 v[2:3], v[0:1], s[12:15], s3 addr64
    s_endpgm
.Llist_end:
.size list, .Llist_end - list

.rodata
.p2align 6
.amdhsa_kernel list
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 4
    .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: list
    .symbol: list.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - { .name: nodes,   .type_name: 'uint2*', .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: heads,   .type_name: 'uint*',  .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: results, .type_name: 'uint2*', .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
