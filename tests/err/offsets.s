// RUN: gfx900 gfx906
ds_read_b32 v1, v2 offset:65536     //~ ERROR
ds_read_b32 v1, v2 offset:-1        //~ ERROR
ds_read2_b32 v[1:2], v3 offset0:256 //~ ERROR
flat_load_dword v1, v[2:3] offset:4096  //~ ERROR
flat_load_dword v1, v[2:3] offset:-1    //~ ERROR
global_load_dword v1, v[2:3], off offset:4096   //~ ERROR
global_load_dword v1, v[2:3], off offset:-4097  //~ ERROR
s_load_dword s1, s[2:3], 0x100000   //~ ERROR
s_load_dword s1, s[2:3], -0x100001  //~ ERROR
s_buffer_load_dword s1, s[4:7], -1  //~ ERROR
s_branch far                        //~ ERROR
ds_swizzle_b32 v1, v2 offset:swizzle(SWAP, 3)  //~ ERROR
ds_swizzle_b32 v1, v2 offset:swizzle(NOPE, 3)  //~ ERROR
.space 0x20004
far:
