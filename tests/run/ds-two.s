// RUN: tahiti bonaire fiji gfx900 gfx906
// READ2 and WRITE2: offsets count elements, or 64 of them with ST64.
//! grid = 2
//! args = { out = "u32*16" }
//! print = ["out"]
// GCN all: out: u32[0..16] = 64, 16, 16, 32, 64, 32, 16, 0, 65, 17, 17, 33, 65, 33, 17, 0
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1                // no limit of LDS either, which only GCN 1.4 does not read
    v_lshlrev_b32 v1, 3, v0
    v_or_b32 v2, 0x10, v0
    v_or_b32 v3, 0x20, v0
    v_or_b32 v4, 0x30, v0
    v_or_b32 v5, 0x40, v0
    ds_write2_b64 v1, v[2:3], v[4:5] offset0:0 offset1:2   // bytes 0 and 16
    ds_write2st64_b32 v1, v2, v5 offset0:1 offset1:2       // bytes 256 and 512
    ds_write_b32 v1, v3 offset:516
    ds_read2_b32 v[6:7], v1 offset0:5 offset1:0            // bytes 20 and 0
    ds_read2st64_b64 v[8:11], v1 offset0:0 offset1:1       // bytes 0 and 512
    ds_read_b32 v12, v1 offset:256
    v_lshlrev_b32 v14, 5, v0
    s_waitcnt lgkmcnt(0)
    buffer_store_dwordx2 v[6:7], v14, s[4:7], 0 offen
    buffer_store_dwordx4 v[8:11], v14, s[4:7], 0 offen offset:8
    buffer_store_dword v12, v14, s[4:7], 0 offen offset:24
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 2048
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
