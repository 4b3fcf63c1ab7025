// RUN: gfx900 gfx906
ds_read_b32 v1, v2 glc              //~ ERROR
ds_read_b32 v1, v2 offset0:1        //~ ERROR
ds_read2_b32 v[1:2], v3 offset:1    //~ ERROR
global_load_dword v1, v[2:3], off gds   //~ ERROR
flat_atomic_add v[1:2], v3 glc      //~ ERROR
ds_gws_init v1                      //~ ERROR
ds_read_b32 v1, v2 bogus:1          //~ ERROR
ds_read_b32 v1, v2 offset           //~ ERROR
ds_read_b32 v1, v2 offset:          //~ ERROR
global_load_dwordx2 v[1:2], v[2:3], off lds  //~ ERROR
ds_permute_b32 v1, v2, v3 gds       //~ WARNING
ds_read_b32 v1, v2 offset:1 offset:2  //~ WARNING
s_store_dword s1, s[2:3], s4        //~ WARNING
