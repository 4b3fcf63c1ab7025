// RUN: gfx900 gfx906
// D16 accesses of LDS and global memory: a half of a register, the other stays or is cleared.
//! grid = 2
//! args = { out = "u32*8", in = "u16:0x1111,0x8222,0x3333,0x4444" }
//! print = ["out:u16"]
// GCN 1.4: out: u16[0..16] = 187, 43690, 48059, 4369, 65410, 43690, 4369, 130, 187, 43690, 48059, 13107, 68, 43690, 13107, 68
// GCN 1.4.1: out: u16[0..16] = 187, 0, 0, 4369, 65410, 0, 4369, 130, 187, 0, 0, 13107, 68, 0, 13107, 68
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0xaaaabbbb
    v_mov_b32 v3, v2
    v_mov_b32 v4, v2
    v_mov_b32 v5, v2
    ds_write_b32 v1, v2
    ds_write_b8_d16_hi v1, v1 offset:1
    s_waitcnt lgkmcnt(0)
    ds_read_u16_d16 v2, v1
    global_load_short_d16_hi v3, v1, s[6:7]
    global_load_sbyte_d16 v4, v1, s[6:7] offset:3
    global_load_ubyte_d16_hi v5, v1, s[6:7] offset:3
    v_lshlrev_b32 v1, 4, v0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    global_store_dwordx4 v1, v[2:5], s[4:5]
    global_store_short_d16_hi v1, v3, s[4:5] offset:12
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 512
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
