// Histogram of bytes: a workgroup counts the bytes of 4096 dwords in LDS, then adds its counts to the result.
// s[0:1]: 256 counts, s[2:3]: dwords, s4: workgroup ID, v0: work-item ID.
    s_lshl_b32 s5, s4, 14
    v_lshl_add_u32 v1, v0, 2, s5
    v_lshlrev_b32 v2, 2, v0
    v_mov_b32 v3, 0
    v_mov_b32 v4, 1
    ds_write_b32 v2, v3
    s_waitcnt lgkmcnt(0)
    s_barrier
    s_movk_i32 s6, 16
next:
    global_load_dword v5, v1, s[2:3]
    v_add_u32 v1, 0x400, v1
    s_waitcnt vmcnt(0)
    // The buffer is all zeros, so mix in the work-item ID to spread the counts.
    v_xor_b32 v5, v5, v0
    .set byte, 0
    .rept 4
    v_bfe_u32 v6, v5, 8*byte, 8
    v_lshlrev_b32 v6, 2, v6
    ds_add_u32 v6, v4
    .set byte, byte+1
    .endr
    s_sub_u32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 next
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    global_atomic_add v2, v3, s[0:1]
    s_endpgm
