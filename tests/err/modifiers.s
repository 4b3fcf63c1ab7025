// RUN: gfx900
ds_read_b32 v1, v2 glc              //~ ERROR `glc` is not allowed on `ds_read_b32`
ds_read_b32 v1, v2 offset0:1        //~ ERROR `offset0` is not allowed on `ds_read_b32`
ds_read2_b32 v[1:2], v3 offset:1    //~ ERROR `offset` is not allowed on `ds_read2_b32`
global_load_dword v1, v[2:3], off gds   //~ ERROR `gds` is not allowed on `global_load_dword`
flat_atomic_add v[1:2], v3 glc      //~ ERROR `flat_atomic_add` with `glc` returns the old value and needs a destination
flat_atomic_add v0, v[1:2], v3      //~ ERROR `flat_atomic_add` without `glc` returns nothing and has no destination
global_atomic_cmpswap v0, v1, v[2:3], s[4:5] slc  //~ ERROR `global_atomic_cmpswap` without `glc` returns nothing
ds_gws_init v1                      //~ ERROR `ds_gws_init` needs `gds`
ds_read_b32 v1, v2 bogus:1          //~ ERROR expected `,` or a modifier, found `bogus`
ds_read_b32 v1, v2 offset           //~ ERROR `offset` needs a value
ds_read_b32 v1, v2 offset:          //~ ERROR expected a number or a symbol, found the end of the statement
global_load_dwordx2 v[1:2], v[2:3], off lds  //~ ERROR `lds` is not allowed on `global_load_dwordx2`
ds_permute_b32 v1, v2, v3 gds       //~ WARNING `gds` has no effect on `ds_permute_b32`, which exchanges lanes and accesses no memory
ds_read_b32 v1, v2 offset:1 offset:2  //~ ERROR `offset` is written twice
s_store_dword s1, s[2:3], s4        //~ WARNING AMD's manual allows only `m0` or a number as the offset of a scalar store or atomic
