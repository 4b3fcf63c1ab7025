// Tree reduction in LDS: each workgroup sums 256 floats.
// s[0:1]: sums, s[2:3]: floats, s4: workgroup ID, v0: work-item ID.
    s_lshl_b32 s5, s4, 10
    v_lshl_add_u32 v1, v0, 2, s5
    v_lshlrev_b32 v2, 2, v0
    global_load_dword v3, v1, s[2:3]
    s_waitcnt vmcnt(0)
    ds_write_b32 v2, v3
    s_movk_i32 s6, 128
half:
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_cmp_gt_u32 vcc, s6, v0
    s_and_saveexec_b64 s[8:9], vcc
    s_cbranch_execz done
    s_lshl_b32 s7, s6, 2
    v_add_u32 v4, s7, v2
    ds_read_b32 v5, v4
    ds_read_b32 v6, v2
    s_waitcnt lgkmcnt(0)
    v_add_f32 v6, v6, v5
    ds_write_b32 v2, v6
done:
    s_or_b64 exec, exec, s[8:9]
    s_lshr_b32 s6, s6, 1
    s_cmp_lg_u32 s6, 0
    s_cbranch_scc1 half
    v_cmp_eq_u32 vcc, 0, v0
    s_and_saveexec_b64 s[8:9], vcc
    s_cbranch_execz end
    s_lshl_b32 s5, s4, 2
    v_mov_b32 v1, s5
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[0:1]
end:
    s_endpgm
