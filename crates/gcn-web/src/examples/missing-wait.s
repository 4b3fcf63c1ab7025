// Each work-item doubles an element: s[4:5] points to two addresses, v0 is the work-item's number.
double:
    s_load_dwordx4   s[0:3], s[4:5], 0x0
    v_lshlrev_b32    v0, 2, v0
    s_waitcnt        lgkmcnt(0)
    global_load_dword v1, v0, s[0:1]
    // The load may not have arrived: add `s_waitcnt vmcnt(0)` here.
    v_add_f32        v1, v1, v1
    global_store_dword v0, v1, s[2:3]
    s_endpgm
