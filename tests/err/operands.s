// RUN: gfx900
ds_add_u32 v1                  //~ ERROR too few operands for `ds_add_u32`
ds_add_u32 v1, v2, v3          //~ ERROR too many operands for `ds_add_u32`
ds_add_u32 v1, s2              //~ ERROR `ds_add_u32` takes one VGPR here
ds_read_b64 v1, v2             //~ ERROR `ds_read_b64` takes 2 registers here, found 1
ds_read_b32 v[1:2], v3         //~ ERROR `ds_read_b32` takes 1 register here, found 2
global_load_dword v1, v[2:3]   //~ ERROR too few operands for `global_load_dword`
global_load_dword v1, v[2:3], s[4:5]  //~ ERROR the address has 2 registers, not 1
scratch_load_dword v1, v2, s3  //~ ERROR one of the two addresses must be `off`
scratch_load_dword v1, off, off  //~ ERROR the two addresses cannot both be `off`
s_load_dword v1, s[2:3], 0     //~ ERROR `s_load_dword` takes one scalar register here
ds_add_u32 v1, v2 v3           //~ ERROR too many operands for `ds_add_u32`
