# CLRX's language: `#` begins a comment, scopes and register symbols have names.
.gpu Hawaii
base = %s[2:3]
index = %v0
        s_load_dwordx4  s[4:7], base, 0
        v_lshlrev_b32   index, 2, index
        s_waitcnt       lgkmcnt(0)
        buffer_load_dword v1, index, s[4:7], 0 offen offset:16
        s_waitcnt       vmcnt(0)
        v_mul_f32       v1, 0.5, v1
        buffer_store_dword v1, index, s[4:7], 0 offen
        s_endpgm
