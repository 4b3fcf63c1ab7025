// RUN: fiji gfx900 gfx906
// Scalar stores, of one dword and of four.
//! grid = 1
//! args = { out = "u32*6" }
//! print = ["out"]
// GCN all: out: u32[0..6] = 0, 1, 2, 3, 4, 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s8, 1
    s_mov_b32 s9, 2
    s_mov_b32 s10, 3
    s_mov_b32 s11, 4
    s_waitcnt lgkmcnt(0)
    s_store_dwordx4 s[8:11], s[4:5], 0x4
    s_store_dword s11, s[4:5], 0x14
    s_dcache_wb
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
