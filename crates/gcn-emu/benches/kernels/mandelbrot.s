// Mandelbrot set: number of steps until a point escapes, with 256 points per row.
// s[0:1]: results, s2: maximum number of steps, s[3:4]: workgroup IDs, v[0:1]: work-item IDs.
    s_lshl_b32 s3, s3, 6
    s_lshl_b32 s4, s4, 2
    v_add_u32 v0, s3, v0
    v_add_u32 v1, s4, v1
    v_lshlrev_b32 v2, 8, v1
    v_add_lshl_u32 v2, v2, v0, 2
    v_cvt_f32_u32 v3, v0
    v_cvt_f32_u32 v4, v1
    // Pixel sizes 3/256 and 3/64.
    v_mul_f32 v3, 0x3c400000, v3
    v_mul_f32 v4, 0x3d400000, v4
    v_add_f32 v3, -2.0, v3
    v_add_f32 v4, 0xbfc00000, v4
    v_mov_b32 v5, 0
    v_mov_b32 v6, 0
    v_mov_b32 v7, 0
    s_mov_b64 s[6:7], exec
step:
    v_mul_f32 v8, v5, v5
    v_mul_f32 v9, v6, v6
    v_add_f32 v10, v8, v9
    v_cmp_gt_f32 vcc, 4.0, v10
    s_and_b64 exec, exec, vcc
    s_cbranch_execz done
    v_sub_f32 v8, v8, v9
    v_add_f32 v9, v5, v5
    v_mul_f32 v6, v9, v6
    v_add_f32 v5, v8, v3
    v_add_f32 v6, v6, v4
    v_add_u32 v7, 1, v7
    s_sub_u32 s2, s2, 1
    s_cmp_lg_u32 s2, 0
    s_cbranch_scc1 step
done:
    s_mov_b64 exec, s[6:7]
    global_store_dword v2, v7, s[0:1]
    s_endpgm
