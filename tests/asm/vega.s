// RUN: gfx900 gfx906
// What the documents and CLRX write and LLVM does not (errata E013 to E020, E023 to E027), on GCN 1.4.

flat_load_dword v1, v[2:3] inst_offset:8
flat_load_dword v1, v[2:3] nv
global_load_dword v1, v[2:3], off inst_offset:-8 nv glc
global_load_dword v1, v[2:3], off lds
global_load_dword v[2:3], off lds
scratch_load_ubyte v1, off lds
flat_atomic_add v0, v[1:2], v3
global_atomic_add v5, v[1:2], v3, off
s_load_dword s1, s[2:3], 0x10 nv
ds_nop v1
ds_gws_sema_p v1 gds
