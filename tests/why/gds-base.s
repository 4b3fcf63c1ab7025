// RUN: gfx803 gfx900 gfx906
// The base in M0 is a part of an address in GDS.
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
    s_buffer_load_dword s16, s[8:11], 0x100
    s_mov_b64 s[2:3], exec
    s_mov_b64 exec, 1
    v_mov_b32 v5, 0
    v_mov_b32 v6, 16
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v7, s16
    s_mov_b32 m0, 0x100100                  // 0x100 bytes from 0x10 on
    ds_write_b32 v5, v7 gds
    s_movk_i32 m0, 0x100
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v8, v6 gds
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s16, v8
    s_mov_b64 exec, s[2:3]
    v_mov_b32 v4, s16
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
