// RUN: gfx900 gfx906
// D16 loads, low and high, of LDS, global memory and a buffer: the other half of the register stays, or is cleared where SRAM has
// error correction. The registers of the last lane, which is disabled, stay as they are.
//! grid = 3
//! args = { out = "u32*24", in = "u16:0x1111,0x8222,0x3333,0x4444,0x5555,0x6666" }
//! print = ["out:u16:hex"]
// GCN all: out: u16[0..48] =
// GCN 1.4: 0: 0xd000, 0xaaaa, 0xbbbb, 0xc000, 0x1111, 0xaaaa, 0xbbbb, 0x8222
// GCN 1.4.1: 0: 0xd000, 0x0000, 0x0000, 0xc000, 0x1111, 0x0000, 0x0000, 0x8222
// GCN 1.4: 8: 0x1111, 0xaaaa, 0xbbbb, 0x8222, 0xff82, 0xaaaa, 0xbbbb, 0x0082
// GCN 1.4.1: 8: 0x1111, 0x0000, 0x0000, 0x8222, 0xff82, 0x0000, 0x0000, 0x0082
// GCN 1.4: 16: 0xd004, 0xaaaa, 0xbbbb, 0xc000, 0x3333, 0xaaaa, 0xbbbb, 0x4444
// GCN 1.4.1: 16: 0xd004, 0x0000, 0x0000, 0xc000, 0x3333, 0x0000, 0x0000, 0x4444
// GCN 1.4: 24: 0x3333, 0xaaaa, 0xbbbb, 0x4444, 0x0044, 0xaaaa, 0xbbbb, 0x0044
// GCN 1.4.1: 24: 0x3333, 0x0000, 0x0000, 0x4444, 0x0044, 0x0000, 0x0000, 0x0044
// GCN all: 32: 0xbbbb, 0xaaaa, 0xbbbb, 0xaaaa, 0xbbbb, 0xaaaa, 0xbbbb, 0xaaaa
// GCN all: 40: 0xbbbb, 0xaaaa, 0xbbbb, 0xaaaa, 0xbbbb, 0xaaaa, 0xbbbb, 0xaaaa
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_lshlrev_b32 v10, 5, v0
    v_mov_b32 v2, 0xaaaabbbb
    v_mov_b32 v3, v2
    v_mov_b32 v4, v2
    v_mov_b32 v5, v2
    v_mov_b32 v6, v2
    v_mov_b32 v7, v2
    v_mov_b32 v8, v2
    v_mov_b32 v9, v2
    v_add_u32 v11, 0xc000d000, v1
    ds_write_b32 v1, v11
    s_mov_b64 exec, 3
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[8:9], s[6:7]
    s_mov_b32 s10, 12
    s_mov_b32 s11, 0x27000
    ds_read_u16_d16 v2, v1
    ds_read_u16_d16_hi v3, v1 offset:2
    global_load_short_d16 v4, v1, s[6:7]
    global_load_short_d16_hi v5, v1, s[6:7] offset:2
    buffer_load_short_d16 v6, v1, s[8:11], 0 offen
    buffer_load_short_d16_hi v7, v1, s[8:11], 0 offen offset:2
    buffer_load_sbyte_d16 v8, v1, s[8:11], 0 offen offset:3
    buffer_load_ubyte_d16_hi v9, v1, s[8:11], 0 offen offset:3
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_mov_b64 exec, 7
    global_store_dwordx4 v10, v[2:5], s[4:5]
    global_store_dwordx4 v10, v[6:9], s[4:5] offset:16
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 512
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
