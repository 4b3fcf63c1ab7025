// Rounds of xorshift32 in each work-item. s[0:1]: results, s2: number of rounds, s3: workgroup ID, v0: work-item ID.
    s_lshl_b32 s3, s3, 8
    v_add_u32 v0, s3, v0
    s_mov_b32 s5, 0x9e3779b1
    v_mul_lo_u32 v1, v0, s5
    v_or_b32 v1, 1, v1
round:
    v_lshlrev_b32 v2, 13, v1
    v_xor_b32 v1, v1, v2
    v_lshrrev_b32 v2, 17, v1
    v_xor_b32 v1, v1, v2
    v_lshlrev_b32 v2, 5, v1
    v_xor_b32 v1, v1, v2
    s_sub_u32 s2, s2, 1
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 round
    v_lshlrev_b32 v0, 2, v0
    global_store_dword v0, v1, s[0:1]
    s_endpgm
