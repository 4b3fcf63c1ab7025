// RUN: gfx900
ds_add_u32 v1                  //~ ERROR
ds_add_u32 v1, v2, v3          //~ ERROR
ds_add_u32 v1, s2              //~ ERROR
ds_read_b64 v1, v2             //~ ERROR
ds_read_b32 v[1:2], v3         //~ ERROR
global_load_dword v1, v[2:3]   //~ ERROR
global_load_dword v1, v[2:3], s[4:5]  //~ ERROR
scratch_load_dword v1, v2, s3  //~ ERROR
scratch_load_dword v1, off, off  //~ ERROR
s_load_dword v1, s[2:3], 0     //~ ERROR
s_load_dword s1, s[2:3]        //~ ERROR
s_load_dword s1, s[2:3] 0      //~ ERROR
ds_add_u32 v1, v2 v3           //~ ERROR
