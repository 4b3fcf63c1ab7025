// Matrix transpose by tiles, with ds_write2 and ds_read2, for GCN 1.2.
//
//     out[column][row] = in[row][column]      in has `rows` rows of `columns` dwords
//
// A workgroup of one wave moves a tile of 16 x 16 through LDS, so that both its loads and its stores go along rows
// of their matrix. Lane 16 * r + c has the elements (r, c), (r + 4, c), (r + 8, c) and (r + 12, c) of the tile. A row
// in LDS is 17 dwords long: the 16 elements of a column are then in different banks. One ds_write2_b32 stores two
// of a lane's elements, 4 rows = 4 * 17 dwords apart; one ds_read2_b32 gets two elements 4 dwords apart. Tiles at the
// edge are partial: EXEC keeps the lanes that are inside.

.amdgcn_target "amdgcn-amd-amdhsa--gfx803"

.set TILE, 16                                     // rows and columns of a tile
.set PITCH, TILE + 1                              // dwords from a row to the next in LDS
.set STEP, 4                                      // rows between the elements of a lane: 64 lanes / TILE

.text
.globl transpose
.p2align 8
.type transpose,@function
transpose:
    // In: s[0:1] = kernel arguments, s2 and s3 = column and row of the tile, v0 = lane.
    s_load_dwordx4      s[4:7], s[0:1], 0x0       // s[4:5] = in, s[6:7] = out
    s_load_dwordx2      s[8:9], s[0:1], 0x10      // s8 = rows, s9 = columns
    v_and_b32           v1, TILE - 1, v0          // c
    v_lshrrev_b32       v2, 4, v0                 // r
    s_lshl_b32          s2, s2, 4                 // first column of the tile
    s_lshl_b32          s3, s3, 4                 // first row of the tile
    s_mov_b64           s[20:21], exec
    s_mov_b32           m0, -1                    // LDS limit: until GCN 1.4, DS reads it in M0; this is none

    // Addresses of the lane's first element: in the matrix, and in LDS for writing and for reading.
    v_add_u32           v3, vcc, s2, v1           // column in the matrix
    v_add_u32           v4, vcc, s3, v2           // row in the matrix
    v_mul_u32_u24       v5, PITCH, v2
    v_add_u32           v5, vcc, v5, v1
    v_lshlrev_b32       v5, 2, v5                 // 4 * (PITCH * r + c)
    v_mul_u32_u24       v6, PITCH, v1
    v_add_u32           v6, vcc, v6, v2
    v_lshlrev_b32       v6, 2, v6                 // 4 * (PITCH * c + r)
    s_waitcnt           lgkmcnt(0)
    v_mad_u32_u24       v7, v4, s9, v3
    v_lshlrev_b32       v7, 2, v7                 // 4 * (columns * row + column)
    v_mov_b32           v13, s5
    v_add_u32           v12, vcc, s4, v7
    v_addc_u32          v13, vcc, 0, v13, vcc     // v[12:13] = address in the matrix
    s_lshl_b32          s10, s9, 4                // STEP rows in bytes: 4 * STEP * columns

    v_cmp_gt_u32        s[12:13], s9, v3          // lanes whose column is in the matrix
    v_cmp_gt_u32        vcc, s8, v4               // … and whose row is
    s_and_b64           exec, s[12:13], vcc
    flat_load_dword     v8, v[12:13]
    v_add_u32           v12, vcc, s10, v12
    v_addc_u32          v13, vcc, 0, v13, vcc
    v_add_u32           v4, vcc, STEP, v4
    v_cmp_gt_u32        vcc, s8, v4
    s_and_b64           exec, exec, vcc           // the lanes with a row STEP further: ever fewer
    flat_load_dword     v9, v[12:13]
    v_add_u32           v12, vcc, s10, v12
    v_addc_u32          v13, vcc, 0, v13, vcc
    v_add_u32           v4, vcc, STEP, v4
    v_cmp_gt_u32        vcc, s8, v4
    s_and_b64           exec, exec, vcc
    flat_load_dword     v10, v[12:13]
    v_add_u32           v12, vcc, s10, v12
    v_addc_u32          v13, vcc, 0, v13, vcc
    v_add_u32           v4, vcc, STEP, v4
    v_cmp_gt_u32        vcc, s8, v4
    s_and_b64           exec, exec, vcc
    flat_load_dword     v11, v[12:13]
    s_mov_b64           exec, s[20:21]

    s_waitcnt           vmcnt(0) lgkmcnt(0)       // FLAT comes back in any order and counts on both
    ds_write2_b32       v5, v8, v9 offset1:STEP * PITCH
    ds_write2_b32       v5, v10, v11 offset0:2 * STEP * PITCH offset1:3 * STEP * PITCH
    // No wait and no barrier: the tile belongs to one wave, and LDS operations of a wave take place in order.
    ds_read2_b32        v[8:9], v6 offset1:STEP
    ds_read2_b32        v[10:11], v6 offset0:2 * STEP offset1:3 * STEP

    // Element (r, c) of the transposed tile is in row s2 + r and column s3 + c of the other matrix.
    v_add_u32           v3, vcc, s3, v1
    v_add_u32           v4, vcc, s2, v2
    v_mad_u32_u24       v7, v4, s8, v3
    v_lshlrev_b32       v7, 2, v7
    v_mov_b32           v13, s7
    v_add_u32           v12, vcc, s6, v7
    v_addc_u32          v13, vcc, 0, v13, vcc     // v[12:13] = address in the other matrix
    s_lshl_b32          s10, s8, 4

    v_cmp_gt_u32        s[12:13], s8, v3
    v_cmp_gt_u32        vcc, s9, v4
    s_and_b64           exec, s[12:13], vcc
    s_waitcnt           lgkmcnt(0)                // both ds_read2 are done
    flat_store_dword    v[12:13], v8
    v_add_u32           v12, vcc, s10, v12
    v_addc_u32          v13, vcc, 0, v13, vcc
    v_add_u32           v4, vcc, STEP, v4
    v_cmp_gt_u32        vcc, s9, v4
    s_and_b64           exec, exec, vcc
    flat_store_dword    v[12:13], v9
    v_add_u32           v12, vcc, s10, v12
    v_addc_u32          v13, vcc, 0, v13, vcc
    v_add_u32           v4, vcc, STEP, v4
    v_cmp_gt_u32        vcc, s9, v4
    s_and_b64           exec, exec, vcc
    flat_store_dword    v[12:13], v10
    v_add_u32           v12, vcc, s10, v12
    v_addc_u32          v13, vcc, 0, v13, vcc
    v_add_u32           v4, vcc, STEP, v4
    v_cmp_gt_u32        vcc, s9, v4
    s_and_b64           exec, exec, vcc
    flat_store_dword    v[12:13], v11
    s_endpgm
.Ltranspose_end:
.size transpose, .Ltranspose_end - transpose

.rodata
.p2align 6
.amdhsa_kernel transpose
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_group_segment_fixed_size 4 * PITCH * TILE
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 14
    .amdhsa_next_free_sgpr 22
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: transpose
    .symbol: transpose.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1088
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 28
    .vgpr_count: 14
    .max_flat_workgroup_size: 64
    .args:
      - { .name: in,      .type_name: 'uint*', .offset: 0,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out,     .type_name: 'uint*', .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: rows,    .type_name: 'uint',  .offset: 16, .size: 4, .value_kind: by_value }
      - { .name: columns, .type_name: 'uint',  .offset: 20, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
