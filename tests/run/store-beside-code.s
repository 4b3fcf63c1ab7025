// RUN: bonaire fiji gfx900 gfx906
// A variable behind the code that uses it, which is no code: a store to it is none to an instruction.
//! grid = 1
//! args = { out = "u32*1" }
//! print = ["out"]
// GCN all: out: u32[0..1] = 7
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[2:3], s[0:1], 0x0
    s_getpc_b64 s[4:5]
base:
    s_add_u32 s4, s4, variable-base
    s_addc_u32 s5, s5, 0
    v_mov_b32 v0, s4
    v_mov_b32 v1, s5
    v_mov_b32 v2, 6
    flat_atomic_add v3, v[0:1], v2 glc
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    v_mov_b32 v0, s2
    v_mov_b32 v1, s3
    flat_store_dword v[0:1], v3
    s_endpgm
variable:
    .long 7
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
