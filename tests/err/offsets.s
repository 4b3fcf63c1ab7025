// RUN: gfx900 gfx906
ds_read_b32 v1, v2 offset:65536     //~ ERROR `offset:65536` is out of range 0 to 65535
ds_read_b32 v1, v2 offset:-1        //~ ERROR `offset:-1` is out of range 0 to 65535
ds_read2_b32 v[1:2], v3 offset0:256 //~ ERROR `offset0:256` is out of range 0 to 255
flat_load_dword v1, v[2:3] offset:4096  //~ ERROR `offset:4096` is out of range 0 to 4095
flat_load_dword v1, v[2:3] offset:-1    //~ ERROR `offset:-1` is out of range 0 to 4095
global_load_dword v1, v[2:3], off offset:4096   //~ ERROR `offset:4096` is out of range -4096 to 4095
global_load_dword v1, v[2:3], off offset:-4097  //~ ERROR `offset:-4097` is out of range -4096 to 4095
s_load_dword s1, s[2:3], 0x100000   //~ ERROR 1048576 is out of range -1048576 to 1048575
s_load_dword s1, s[2:3], -0x100001  //~ ERROR -1048577 is out of range -1048576 to 1048575
s_load_dword s1, s[2:3] offset:4    //~ ERROR takes an SGPR or an offset
s_buffer_load_dword s1, s[4:7], -1  //~ ERROR -1 is out of range 0 to 1048575
s_branch far                        //~ ERROR the branch distance of 32769 dwords is out of range −32768 to 32767
ds_swizzle_b32 v1, v2 offset:swizzle(SWAP, 3)  //~ ERROR the group size is 3, but must be a power of two
ds_swizzle_b32 v1, v2 offset:swizzle(NOPE, 3)  //~ ERROR unknown swizzle mode `NOPE`
.space 0x20004
far:
