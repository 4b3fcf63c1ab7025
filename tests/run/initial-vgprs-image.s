// RUN: bonaire
// The number of registers in an image address depends on the descriptor: the initial value of v1 matters, although the kernel
// writes it later.
//! grid = 524288
//! group = 64
//! args = { img = "u32*256:iota", out = "u32*524288" }
//! print = ["out[0..8]", "out[524224..524232]"]
// GCN all: out: u32[0..8] = 0, 1, 2, 3, 4, 5, 6, 7
// GCN all: out: u32[524224..524232] = 0, 1, 2, 3, 4, 5, 6, 7
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
    s_mov_b32 s16, s6
    s_mov_b32 s17, s7
    s_mov_b32 s18, -1
    s_mov_b32 s19, 0x27fac
    s_lshl_b32 s24, s2, 6
    v_mov_b32 v4, 100
    v_mov_b32 v5, 5
    v_mov_b32 v6, 6
    image_load v3, v[0:1], s[8:15] dmask:0x1 unorm    // y = v1 = 0
    v_mov_b32 v1, 2
    s_waitcnt vmcnt(0)
    v_add_i32 v7, vcc, s24, v0
    v_lshlrev_b32 v7, 2, v7
    buffer_store_dword v3, v7, s[16:19], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
