// RUN: tahiti bonaire fiji
// Images: a load, a store, an atomic and a size, through descriptors that the kernel makes (errata E320).
//! grid = 4
//! args = { img = "u32*256:iota", out = "u32*64" }
//! print = ["out[0..8]"]
// GCN all: out: u32[0..8] = 128, 130, 132, 134, 0, 400, 20, 0
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_lshr_b64 s[8:9], s[4:5], 8    // s[8:15]: two dimensions of 20 by 4 dwords, 64 to a row
    s_or_b32 s9, s9, 0x10400000     // format 32, unsigned integers
    s_mov_b32 s10, 0xc013
    s_mov_b32 s11, 0x90800fac
    s_mov_b32 s12, 0x7e000
    s_mov_b32 s13, 0
    s_mov_b32 s14, 0
    s_mov_b32 s15, 0
    s_lshr_b64 s[16:17], s[6:7], 8  // s[16:23]: one dimension of 8
    s_or_b32 s17, s17, 0x10400000
    s_mov_b32 s18, 7
    s_mov_b32 s19, 0x80800fac
    s_mov_b32 s20, 0x7e000
    s_mov_b32 s21, 0
    s_mov_b32 s22, 0
    s_mov_b32 s23, 0
    v_lshlrev_b32 v1, 1, v0
    v_mov_b32 v2, 2
    v_mov_b32 v4, 100
    v_mov_b32 v5, 5
    v_mov_b32 v6, 6
    v_mov_b32 v7, 0
    image_load v3, v[1:2], s[8:15] dmask:0x1 unorm
    image_get_resinfo v8, v7, s[8:15] dmask:0x1 unorm
    image_atomic_add v4, v5, s[16:23] dmask:0x1 unorm
    s_waitcnt vmcnt(0)
    image_store v3, v0, s[16:23] dmask:0x1 unorm
    image_store v8, v6, s[16:23] dmask:0x1 unorm
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
