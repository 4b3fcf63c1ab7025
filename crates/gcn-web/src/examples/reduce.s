// Sum of 256 values in LDS, halving the number of active work-items. v0: work-item, v1: its value.
sum:
    s_mov_b32        m0, -1                  // GCN 1.2 limits LDS accesses by M0
    v_lshlrev_b32    v2, 2, v0
    ds_write_b32     v2, v1
    s_movk_i32       s0, 128
.Lnext:
    s_waitcnt        lgkmcnt(0)
    s_barrier
    v_cmp_gt_u32     vcc, s0, v0
    s_and_saveexec_b64 s[2:3], vcc
    s_cbranch_execz  .Lskip
    s_lshl_b32       s1, s0, 2
    v_add_u32        v3, vcc, s1, v2
    ds_read_b32      v4, v3
    ds_read_b32      v5, v2
    s_waitcnt        lgkmcnt(0)
    v_add_u32        v5, vcc, v4, v5
    ds_write_b32     v2, v5
.Lskip:
    s_mov_b64        exec, s[2:3]
    s_lshr_b32       s0, s0, 1
    s_cmp_lg_u32     s0, 0
    s_cbranch_scc1   .Lnext
    s_endpgm
