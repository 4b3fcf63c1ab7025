// RUN: gfx900
ds_read_b32 v256, v1           //~ ERROR register v256 does not exist
ds_read_b64 v[255:256], v1     //~ ERROR register v256 does not exist
ds_read_b64 v[2:1], v1         //~ ERROR the last register, 1, is before the first, 2
s_load_dword s102, s[2:3], 0   //~ ERROR register s102 does not exist
s_load_dwordx2 s[3:4], s[2:3], 0  //~ ERROR 2 registers must begin at a multiple of 2, not at s3
s_load_dwordx4 s[2:5], s[2:3], 0  //~ ERROR 4 registers must begin at a multiple of 4, not at s2
s_load_dword s1, s[3:4], 0     //~ ERROR 2 registers must begin at a multiple of 2, not at s3
s_buffer_load_dword s1, s[2:5], 0  //~ ERROR 4 registers must begin at a multiple of 4, not at s2
global_load_dword v1, v2, s[3:4]  //~ ERROR 2 registers must begin at a multiple of 2, not at s3
s_mov_b32 tba_lo, 0            //~ ERROR has no register `tba_lo`
s_mov_b32 ttmp16, 0            //~ ERROR register ttmp16 does not exist
