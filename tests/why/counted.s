// RUN: gfx803 gfx900 gfx906
// The number of active lanes: all of them have a part in it. Every lane receives the old count.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*66:random(2,1,1000)", out = "u32*64" }
//? out[5]
// GCN all: x
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x8
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_buffer_load_dword s16, s[8:11], 0x100
    s_mov_b32 m0, 0xffff0000
    v_mov_b32 v5, 0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mov_b32 v6, s16
    ds_write_b32 v5, v6
    v_cmp_lt_u32 vcc, 0x1f4, v2
    s_and_saveexec_b64 s[2:3], vcc
    ds_append v7
    s_mov_b64 exec, s[2:3]
    ds_append v4
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v4, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
