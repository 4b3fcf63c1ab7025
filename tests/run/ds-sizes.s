// RUN: tahiti bonaire fiji gfx900 gfx906
// LDS in all sizes: what is written as a qword is read as signed and unsigned bytes and halves.
//! grid = 2
//! args = { out = "i32*16" }
//! print = ["out"]
// GCN all: out: i32[0..16] = 132, -124, 33154, -3196, -2122124412, 112, -209452971, -13, 132, -124, 33154, -3196, -2122124412, 113, -209452715, -13
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1                // no limit of LDS either, which only GCN 1.4 does not read
    v_mov_b32 v2, 0x8182f384
    v_or_b32 v3, 0x70, v0
    v_lshlrev_b32 v1, 4, v0
    ds_write_b64 v1, v[2:3]
    ds_write_b8 v1, v0 offset:9
    ds_write_b16 v1, v2 offset:10
    v_mov_b32 v4, 0x55
    ds_write_b8 v1, v4 offset:8
    ds_read_u8 v4, v1
    ds_read_i8 v5, v1
    ds_read_u16 v6, v1 offset:2
    ds_read_i16 v7, v1
    ds_read_b64 v[8:9], v1
    ds_read_b32 v10, v1 offset:8
    ds_read_i8 v11, v1 offset:11
    v_lshlrev_b32 v12, 5, v0
    s_waitcnt lgkmcnt(0)
    buffer_store_dwordx4 v[4:7], v12, s[4:7], 0 offen
    buffer_store_dwordx4 v[8:11], v12, s[4:7], 0 offen offset:16
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 512
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
