// RUN: gfx900 gfx906
ds_read_b32 v256, v1           //~ ERROR
ds_read_b64 v[255:256], v1     //~ ERROR
ds_read_b64 v[2:1], v1         //~ ERROR
s_load_dword s102, s[2:3], 0   //~ ERROR
s_load_dwordx2 s[3:4], s[2:3], 0  //~ ERROR
s_load_dwordx4 s[2:5], s[2:3], 0  //~ ERROR
s_load_dword s1, s[3:4], 0     //~ ERROR
s_buffer_load_dword s1, s[2:5], 0  //~ ERROR
global_load_dword v1, v2, s[3:4]  //~ ERROR
s_mov_b32 tba_lo, 0            //~ ERROR
s_mov_b32 ttmp16, 0            //~ ERROR
