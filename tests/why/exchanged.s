// RUN: gfx803 gfx900 gfx906
// Exchanges between lanes: patterns, and a lane that chooses the one that receives its value.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*66:random(2,1,1000)", out = "u32*64" }
//? out[20]
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
    buffer_load_dword v3, v1, s[8:11], 0 offen
    s_buffer_load_dword s16, s[8:11], 0x100
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_and_b32 s16, s16, 4
    v_xor_b32 v5, s16, v1
    ds_permute_b32 v4, v5, v2
    ds_swizzle_b32 v6, v3 offset:swizzle(SWAP,4)
    ds_swizzle_b32 v7, v0 offset:swizzle(QUAD_PERM,1,0,3,2)
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32 v6, 10, v6
    v_lshlrev_b32 v7, 20, v7
    v_xor_b32 v4, v4, v6
    v_xor_b32 v4, v4, v7
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
