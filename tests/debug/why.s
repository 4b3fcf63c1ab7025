// RUN: gfx803 gfx900 gfx906
// Why registers, LDS and elements have their values at a stop; two workgroups of two waves, two launches.
//! [buffers]
//! a = "u32*256:random(1,1,1000)"
//! out = "u32*256"
//! [[launch]]
//! kernel = "kernel"
//! grid = 256
//! group = 128
//! repeat = 2
//! args = { a = "a", out = "out" }
//> why v0
//> start
//> why v0
//> break stored
//> continue
//> continue
//> continue
//> lane 5
//> why v4
//> why/1 v4[7]
//> why s[4:5]
//> why scc
//> why lds[0x14]
//> why exec
//> why out[133]
//> why out
//> why pc
//> why/0 v4
//> print v4[5]
//> stepi
//> delete
//> break stored if $group_x == 1
//> continue
//> continue
//> continue
//> why v4[0]
//> set v4[0] = 1
//> why v4[0]
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x8
    s_lshl_b32 s20, s2, 9                   // the workgroup's bytes
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], s20 offen
    buffer_load_dword v5, v1, s[8:11], s20 offen
    s_waitcnt vmcnt(0)
    ds_write_b32 v1, v2
    v_xor_b32 v3, 0x100, v1                 // of the other wave
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u32 s2, 1
    v_xor_b32 v4, v4, v5
    buffer_store_dword v4, v1, s[8:11], s20 offen
stored:
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
