// RUN: gfx900 gfx906
// Scalar atomics: once for a wave, whatever its lanes.
//! grid = 128
//! args = { out = "u32:5,6", old = "u32*2" }
//! print = ["out", "old"]
// GCN all: out: u32[0..2] = 11, 50
// GCN all: old: u32[0..2] = 5, 8
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_mov_b32 s8, 3
    s_mov_b32 s10, 50
    s_mov_b32 s11, 6
    s_lshl_b32 m0, s2, 2
    s_waitcnt lgkmcnt(0)
    s_atomic_add s8, s[4:5], 0x0 glc        // 5 and 8 for the two waves
    s_atomic_cmpswap s[10:11], s[4:5], 0x4  // 6 becomes 50 once
    s_waitcnt lgkmcnt(0)
    s_store_dword s8, s[6:7], m0
    s_dcache_wb
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
