// RUN: bonaire fiji gfx900 gfx906
// FLAT loads, stores and atomics in global memory.
//! grid = 4
//! args = { out = "u32*8", sum = "u64:7," }
//! print = ["out", "sum"]
// GCN all: out: u32[0..8] = 0, 4660, 257, 4660, 25700, 4660, 771, 4660
// GCN all: sum: u64[0..1] = 13
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v1, s4
    v_mov_b32 v2, s5
    v_mad_u64_u32 v[1:2], vcc, v0, 8, v[1:2]
    v_mov_b32 v3, s6
    v_mov_b32 v4, s7
    v_mov_b32 v5, v0
    v_mov_b32 v6, 0
    flat_atomic_add_x2 v[7:8], v[3:4], v[5:6] glc    // 7, 7 + 0, 7 + 0 + 1 …
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mov_b32 v8, 0x1234
    flat_store_dwordx2 v[1:2], v[7:8]
    flat_store_byte v[1:2], v0
    v_mov_b32 v9, 100
    v_mov_b32 v10, 2
    flat_atomic_cmpswap v[1:2], v[9:10]              // where 2 is, in the third lane, 100 comes
    flat_load_ushort v11, v[1:2]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_lshlrev_b32 v11, 8, v11
    flat_atomic_or v[1:2], v11
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
