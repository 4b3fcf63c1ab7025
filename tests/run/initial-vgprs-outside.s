// RUN: gfx900 gfx906
// A pair outside the allocation reads v0 and v1 (checklist 1.6): the initial value of v1 matters, although the kernel writes
// it later.
//! grid = 524288
//! group = 64
//! args = { out = "u32*524288:fill(1)" }
//! expect = { out = "u32*524288:fill(0)" }
//! print = ["out[0..2]"]
// GCN all: out: u32[0..2] = 0, 0
// GCN all: out: 524288 values as expected
// GCN all: note: 1 instruction with source registers that the wave does not have, which read as v0 and s0, as on hardware: its kernel asks for 16 VGPRs and 48 SGPRs; the first, at kernel+0x18: v_lshrrev_b64 v[14:15], 32, v[20:21]
// GCN all: --> run/initial-vgprs-outside.s:22: v_lshrrev_b64 v[14:15], 32, v[20:21] // v0 and v1
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32 v10, 1
    v_mov_b32 v11, 2
    v_mov_b32 v12, 3
    v_mov_b32 v13, 4
    v_lshrrev_b64 v[14:15], 32, v[20:21] // v0 and v1
    v_mov_b32 v1, 5
    s_lshl_b32 s13, s2, 8
    s_waitcnt lgkmcnt(0)
    s_add_u32 s4, s4, s13
    s_addc_u32 s5, s5, 0
    v_lshlrev_b32 v7, 2, v0
    v_mov_b32 v8, s5
    v_add_co_u32 v7, vcc, s4, v7
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    flat_store_dword v[7:8], v14
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
