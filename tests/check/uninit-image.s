// RUN: tahiti bonaire fiji gfx900 gfx906
// The image's descriptor says that the address has a second coordinate.
//! grid = 64
//! args = { texels = "u32*64:iota" }
// GCN all: error[uninitialized-address]: memory is accessed at an undefined address: v3
// GCN all: --> check/uninit-image.s:39:5
// GCN all: |
// GCN all: 39 |     image_load v5, v[2:3], s[8:15] dmask:0x1 unorm  // nobody has written v3
// GCN all: |     ^^^^^^^^^^ uses v3 as an address
// GCN all: |
// GCN 1.0, 1.1: = note: uses v3 as an address: `image_load v5, v2, s[8:15] dmask:0x1 unorm`, at kernel+0x44, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: uses v3 as an address: `image_load v5, v2, s[8:15] dmask:0x1 unorm`, at kernel+0x48, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: the wave started with the value in v3, which the hardware does not set
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_lshr_b64 s[8:9], s[4:5], 8            // an image of 64 by 1 texels of 32 bits, without tiles (errata E320, E322)
    s_or_b32 s9, s9, 0x10400000
    s_mov_b32 s10, 63
.if .amdgcn.gfx_generation_number < 9
    s_mov_b32 s11, 0x90800004
.else
    s_mov_b32 s11, 0x90000004
.endif
    s_mov_b32 s12, 63 << 13
    s_mov_b64 s[14:15], 0
    s_mov_b32 s13, 0
    v_mov_b32 v2, v0
    v_mov_b32 v6, v0
    v_mov_b32 v7, 0
    image_load v4, v[6:7], s[8:15] dmask:0x1 unorm
    image_load v5, v[2:3], s[8:15] dmask:0x1 unorm  // nobody has written v3
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
