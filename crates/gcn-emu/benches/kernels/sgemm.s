// C = A B for square matrices, in 16 x 16 tiles in LDS.
// s[0:1]: C, s[2:3]: A, s[4:5]: B, s6: matrix size, s[7:8]: workgroup IDs, v0 and v1: column and row in the tile.
// The tile of A is at LDS offset 0, the tile of B at 1024.
    s_lshl_b32 s7, s7, 4
    s_lshl_b32 s8, s8, 4
    v_add_u32 v2, s7, v0
    v_add_u32 v3, s8, v1
    // Byte offsets: v5 in A (own row, first tile), v6 in B (own column, first tile), v4 in C.
    v_mul_lo_u32 v4, v3, s6
    v_add_lshl_u32 v5, v4, v0, 2
    v_add_lshl_u32 v4, v4, v2, 2
    v_mul_lo_u32 v6, v1, s6
    v_add_lshl_u32 v6, v6, v2, 2
    // LDS offsets: v8 of the own element, v7 of the own row of A, v9 of the own column of B.
    v_lshlrev_b32 v7, 6, v1
    v_lshl_add_u32 v8, v0, 2, v7
    v_lshlrev_b32 v9, 2, v0
    s_lshr_b32 s9, s6, 4
    s_lshl_b32 s10, s6, 6
    v_mov_b32 v10, 0
tile:
    global_load_dword v11, v5, s[2:3]
    global_load_dword v12, v6, s[4:5]
    v_add_u32 v5, 64, v5
    v_add_u32 v6, s10, v6
    s_waitcnt vmcnt(1)
    ds_write_b32 v8, v11
    s_waitcnt vmcnt(0)
    ds_write_b32 v8, v12 offset:1024
    s_waitcnt lgkmcnt(0)
    s_barrier
    .set k, 0
    .rept 4
    ds_read_b128 v[16:19], v7 offset:16*k
    ds_read_b32 v20, v9 offset:1024+64*(4*k)
    ds_read_b32 v21, v9 offset:1024+64*(4*k+1)
    ds_read_b32 v22, v9 offset:1024+64*(4*k+2)
    ds_read_b32 v23, v9 offset:1024+64*(4*k+3)
    s_waitcnt lgkmcnt(3)
    v_fma_f32 v10, v16, v20, v10
    s_waitcnt lgkmcnt(2)
    v_fma_f32 v10, v17, v21, v10
    s_waitcnt lgkmcnt(1)
    v_fma_f32 v10, v18, v22, v10
    s_waitcnt lgkmcnt(0)
    v_fma_f32 v10, v19, v23, v10
    .set k, k+1
    .endr
    s_barrier
    s_sub_u32 s9, s9, 1
    s_cmp_lg_u32 s9, 0
    s_cbranch_scc1 tile
    global_store_dword v4, v10, s[0:1]
    s_endpgm
