// RUN: gfx900 gfx906
// VGPRs that a kernel does not write before it reads them are zero, although earlier waves left other values in them: a
// register that is only read, and registers of which some lanes or bits are written first.
//! grid = 524288
//! group = 64
//! args = { out = "u32*524288:fill(1)" }
//! expect = { out = "u32*524288:fill(0)" }
//! print = ["out[0..2]"]
// GCN all: out: u32[0..2] = 0, 0
// GCN all: out: 524288 values as expected
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32 v1, 0                 // v1 and v10 to v14 need no initial values
    v_mov_b32 v10, 1
    v_mov_b32 v11, 2
    v_mov_b32 v12, 3
    v_mov_b32 v13, 4
    v_mov_b32 v14, v2               // v2 is only read
    v_mov_b32 v2, 5
    v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0x5 bank_mask:0xf
    v_mov_b32_sdwa v4, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD
    v_or_b32 v14, v14, v3
    v_or_b32 v14, v14, v4
    v_cmp_gt_u32 vcc, 32, v0
    s_and_saveexec_b64 s[10:11], vcc
    v_mov_b32 v5, 0                 // the other 32 lanes keep their values
    s_mov_b64 exec, -1
    v_or_b32 v14, v14, v5
    v_readlane_b32 s12, v6, 3
    v_or_b32 v14, s12, v14
    s_lshl_b32 s13, s2, 8
    s_waitcnt lgkmcnt(0)
    s_add_u32 s4, s4, s13
    s_addc_u32 s5, s5, 0
    v_lshlrev_b32 v7, 2, v0
    v_mov_b32 v8, s5
    v_add_co_u32 v7, vcc, s4, v7
    v_addc_co_u32 v8, vcc, 0, v8, vcc
    flat_store_dword v[7:8], v14
    v_mov_b32 v2, 6
    v_mov_b32 v3, 7
    v_mov_b32 v4, 8
    v_mov_b32 v5, 9
    v_mov_b32 v6, 10
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
