// RUN: fiji
ds_add_u23 v1, v2              //~ ERROR ds_add_u23
frobnicate v1                  //~ ERROR frobnicate
global_load_dword v1, v[2:3], off  //~ ERROR global_load_dword
s_atomic_add s1, s[2:3], 0x10  //~ ERROR s_atomic_add
.bogus 1                       //~ ERROR .bogus
