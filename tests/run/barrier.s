// RUN: tahiti bonaire fiji gfx900 gfx906
// Four waves meet at a barrier: each lane reads what the lane of another wave wrote before it.
//! grid = 256
//! group = 256
//! args = { out = "u32*256" }
//! expect = { out = "u32*256:iota" }
//! print = ["out[62..66]"]
// GCN all: out: u32[62..66] = 62, 63, 64, 65
// GCN all: out: 256 values as expected
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1                // no limit of LDS either, which only GCN 1.4 does not read
    v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v2, 0xff, v0
    v_xor_b32 v3, 0x3fc, v1
    ds_write_b32 v3, v2                 // lds[255 - i] = 255 - i
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
