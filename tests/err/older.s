// RUN: fiji
// What GCN 1.2 does not have.
flat_load_dword v1, v[2:3] offset:8 //~ ERROR `offset` is not allowed on `flat_load_dword`
s_store_dword s1, s[2:3], s4        //~ ERROR the offset of a scalar store of GCN 1.2 is `m0` or a number
s_load_dword s1, s[2:3], -1         //~ ERROR -1 is out of range 0 to 1048575
s_load_dword s1, s[2:3], s4 offset:8  //~ ERROR `offset` is not allowed on `s_load_dword`
s_mov_b32 s102, 0                   //~ ERROR register s102 does not exist
