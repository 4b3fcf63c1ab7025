// RUN: gfx900 gfx906
// GLOBAL with a base in SGPRs or not, offsets of either sign, and atomics.
//! grid = 4
//! args = { out = "u32*12", sum = "u32:1,2" }
//! print = ["out", "sum"]
// GCN all: out: u32[0..12] = 256, 257, 258, 259, 256, 257, 258, 259, 1, 1, 2, 4
// GCN all: sum: u32[0..2] = 7, 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v5, 0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, s4
    v_mov_b32 v3, s5
    v_mad_u64_u32 v[2:3], vcc, v0, 4, v[2:3]
    v_or_b32 v4, 0x100, v0
    global_store_dword v[2:3], v4, off offset:16
    v_add_u32 v6, 32, v1
    global_load_dword v7, v6, s[4:5] offset:-16
    global_atomic_add v8, v5, v0, s[6:7] glc
    global_atomic_umax v5, v0, s[6:7] offset:4
    s_waitcnt vmcnt(0)
    global_store_dword v1, v7, s[4:5]
    global_store_dword v6, v8, s[4:5]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
