// RUN: tahiti bonaire fiji gfx900 gfx906
// Texels of one component: the other registers of a store may be undefined.
//! grid = 64
//! args = { texels = "u32*64:iota" }
// GCN all: error[uninitialized-result]: an undefined value is stored, and is in memory when the kernel ends
// GCN all: --> check/uninit-image-store.s:43:5
// GCN all: |
// GCN all: 43 |     image_store v[9:12], v[6:7], s[8:15] dmask:0xf unorm    // nor what is stored here
// GCN all: |     ^^^^^^^^^^^ stores undefined bits
// GCN all: |
// GCN 1.0, 1.1: = note: stores undefined bits: `image_store v[9:12], v6, s[8:15] dmask:0xf unorm`, at kernel+0x4c, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: stores undefined bits: `image_store v[9:12], v6, s[8:15] dmask:0xf unorm`, at kernel+0x50, workgroup 0,0,0, wave 0
// GCN all: = note: the wave started with the value in v9, which the hardware does not set
// GCN all: = note: address 0x100020000: byte 0 of texels (256 bytes)
// GCN all: = note: dwords with undefined bits that the instruction left: 32
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
    v_mov_b32 v6, v0
    v_mov_b32 v7, 0
    v_mov_b32 v8, 5
    v_cmp_gt_u32 vcc, 32, v0
    image_store v[8:11], v[6:7], s[8:15] dmask:0xf unorm    // nobody has written v9, v10 and v11
    s_and_b64 exec, exec, vcc
    image_store v[9:12], v[6:7], s[8:15] dmask:0xf unorm    // nor what is stored here
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
