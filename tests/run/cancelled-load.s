// RUN: gfx803 gfx900 gfx906
// A scalar load to registers that the kernel does not have changes none, on every engine.
//! grid = 64
//! args = { out = "u32*1" }
//! print = ["out"]
// GCN all: out: u32[0..1] = 0
// GCN all: error[register-out-of-range]: kernel kernel, workgroup 0,0,0, wave 0, at loop+0xc: s_load_dword s90, s[0:1], 0x0
// GCN all: --> run/cancelled-load.s:24: s_load_dword s90, s[0:1], 0x0
// GCN 1.2: writes registers that the wave does not have: its kernel asks for 4 VGPRs and 16 SGPRs
// GCN 1.4, 1.4.1: writes registers that the wave does not have: its kernel asks for 4 VGPRs and 32 SGPRs
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, s0
    s_waitcnt lgkmcnt(0)
    s_movk_i32 s8, 5000
loop:
    s_add_u32 s9, s8, 1
    s_sub_u32 s8, s8, 1
    s_xor_b32 s9, s9, s8
    s_load_dword s90, s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 loop
    s_sub_u32 s7, s0, s6
    v_mov_b32 v0, s4
    v_mov_b32 v1, s5
    v_mov_b32 v2, s7
    flat_store_dword v[0:1], v2
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 4
    .amdhsa_next_free_sgpr 16
    .amdhsa_reserve_vcc 0
    .amdhsa_reserve_flat_scratch 0
.end_amdhsa_kernel
