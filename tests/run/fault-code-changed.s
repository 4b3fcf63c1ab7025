// RUN: bonaire fiji gfx900 gfx906
// A kernel that changes its own code. What is stored is not executed, so that the result would be another one on hardware.
//! grid = 1
// GCN all: error[code-changed]: kernel kernel, workgroup 0,0,0, wave 0, at kernel+0x4: v_mov_b32_e32 v0, s2
// GCN all: --> run/fault-code-changed.s:13: v_mov_b32 v0, s2
// GCN all: a store has changed this instruction; it was executed as originally loaded
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_getpc_b64 s[2:3]
    v_mov_b32 v0, s2
    v_mov_b32 v1, s3
    v_mov_b32 v2, 0
    flat_store_dword v[0:1], v2
    s_waitcnt vmcnt(0)
    s_icache_inv
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
