// RUN: tahiti bonaire
// MUBUF with a 64-bit address of each lane, which replaces FLAT on GCN 1.0: base, lane, offset and SGPR are added.
//! grid = 4
//! args = { out = "u32*12" }
//! print = ["out"]
// GCN all: out: u32[0..12] = 512, 514, 516, 518, 256, 257, 258, 259, 0, 1, 2, 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, 0
    s_mov_b32 s7, 0xf000
    s_mov_b32 s8, 16
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    v_or_b32 v3, 0x100, v0
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v3, v[1:2], s[4:7], 0 addr64
    buffer_atomic_add v3, v[1:2], s[4:7], 0 addr64 glc
    s_waitcnt vmcnt(0)
    buffer_store_dword v3, v[1:2], s[4:7], s8 addr64
    buffer_load_ubyte v4, v[1:2], s[4:7], s8 addr64
    s_waitcnt vmcnt(0)
    buffer_store_dword v4, v[1:2], s[4:7], s8 addr64 offset:16
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
