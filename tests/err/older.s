// RUN: fiji
// What GCN 1.2 does not have.
flat_load_dword v1, v[2:3] offset:8 //~ ERROR
s_store_dword s1, s[2:3], s4        //~ ERROR
s_load_dword s1, s[2:3], -1         //~ ERROR
s_load_dword s1, s[2:3], s4 offset:8  //~ ERROR
s_mov_b32 s102, 0                   //~ ERROR
