// y = a x + y. s[0:1]: y, s[2:3]: x, s4: a, s5: number of elements, s6: workgroup ID, v0: work-item ID.
    s_lshl_b32 s6, s6, 8
    v_add_u32 v0, s6, v0
    v_mov_b32 v1, 0
    v_cmp_gt_u32 vcc, s5, v0
    s_and_saveexec_b64 s[8:9], vcc
    s_cbranch_execz end
    v_lshlrev_b64 v[0:1], 2, v[0:1]
    v_mov_b32 v3, s3
    v_add_co_u32 v2, vcc, s2, v0
    v_addc_co_u32 v3, vcc, v3, v1, vcc
    global_load_dword v4, v[2:3], off
    v_mov_b32 v5, s1
    v_add_co_u32 v0, vcc, s0, v0
    v_addc_co_u32 v1, vcc, v5, v1, vcc
    global_load_dword v5, v[0:1], off
    s_waitcnt vmcnt(0)
    v_fma_f32 v4, s4, v4, v5
    global_store_dword v[0:1], v4, off
end:
    s_endpgm
