// RUN: tahiti bonaire fiji gfx900 gfx906
// Common symbols: zeros that the linker places. As in LLVM their alignment is written as an exponent.
//! grid = 1
//! args = { out = "u32:7,7" }
//! print = ["out", "room:u32"]
// GCN all: out: u32[0..2] = 0, 0
// GCN all: room: u32[0..3] = 0, 0, 0
.comm odd, 3
.comm room, 12, 6
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_getpc_b64 s[2:3]
    s_add_u32 s2, s2, room@rel32@lo+4
    s_addc_u32 s3, s3, room@rel32@hi+12
    s_load_dword s8, s[2:3], 0x0
    s_and_b32 s2, s2, 63
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v0, s2
    v_mov_b32 v1, s8
    buffer_store_dwordx2 v[0:1], off, s[4:7], 0
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
