// RUN: bonaire fiji gfx900 gfx906
// An atomic at an address that is not a multiple of 4.
//! grid = 1
//! args = { out = "u32*4" }
//! print = ["out"]
// GCN all: out: u32[0..4] = 0, 0, 0, 0
// GCN 1.1: error[misaligned-atomic]: kernel kernel, workgroup 0,0,0, wave 0, lane 0, at kernel+0x14: flat_atomic_add v[0:1], v0
// GCN 1.2, 1.4, 1.4.1: error[misaligned-atomic]: kernel kernel, workgroup 0,0,0, wave 0, lane 0, at kernel+0x18: flat_atomic_add v[0:1], v0
// GCN all: --> run/fault-misaligned.s:22: flat_atomic_add v[0:1], v0
// GCN all: atomically updates 4 bytes at address 0x100020002, which is not a multiple of 4
// GCN all: nearest is out: 16 bytes at 0x100020000; the address is 2 bytes into it
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_or_b32 s4, s4, 2
    v_mov_b32 v0, s4
    v_mov_b32 v1, s5
    flat_atomic_add v[0:1], v0
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
