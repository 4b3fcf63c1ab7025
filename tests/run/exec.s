// RUN: tahiti bonaire fiji gfx900 gfx906
// Lanes that EXEC leaves out neither store nor add nor change their registers.
//! grid = 8
//! args = { out = "u32*9" }
//! print = ["out"]
// GCN all: out: u32[0..9] = 8, 7, 8, 7, 8, 7, 0, 0, 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1                // no limit of LDS either, which only GCN 1.4 does not read
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    ds_write_b32 v1, v1
    v_lshlrev_b32 v3, 2, v0
    v_mov_b32 v4, 7
    s_mov_b64 exec, 0x95                // lanes 0, 2, 4 and 7
    v_mov_b32 v4, 8
    ds_add_u32 v1, v2
    s_mov_b64 exec, 0x3f                // lanes 0 to 5
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v4, v3, s[4:7], 0 offen
    s_mov_b64 exec, 0
    buffer_store_dword v4, v3, s[4:7], 0 offen offset:4
    s_mov_b64 exec, 1
    ds_read_b32 v5, v1
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v5, off, s[4:7], 0 offset:32
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 512
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
