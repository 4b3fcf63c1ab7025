// RUN: tahiti bonaire fiji gfx900 gfx906
// Dynamic LDS begins behind the kernel's own; arguments tell its offsets, multiples of 16. A dword behind all of it reads 0.
//! grid = 1
//! args = { out = "u32*4", a = "local:12", b = "local:16" }
//! print = ["out"]
// GCN all: out: u32[0..4] = 480, 496, 77, 0
// GCN 1.0, 1.1: note: 2 accesses beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on hardware; the first by workgroup 0,0,0, wave 0, at kernel+0x34: ds_write_b32 v1, v2 offset:16
// GCN 1.2, 1.4, 1.4.1: note: 2 accesses beyond the end of LDS, GDS or a lane's scratch: loads gave 0, stores were dropped, as on hardware; the first by workgroup 0,0,0, wave 0, at kernel+0x3c: ds_write_b32 v1, v2 offset:16
// GCN all: --> run/dynamic-lds.s:29: ds_write_b32 v1, v2 offset:16
.globl kernel
.p2align 8
.type kernel,@function
kernel:
.if .amdgcn.gfx_generation_number < 8
.set UNIT, 1
.else
.set UNIT, 4
.endif
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1                // no limit of LDS either, which only GCN 1.4 does not read
    s_load_dwordx2 s[8:9], s[0:1], 2 * UNIT
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v0, s8
    v_mov_b32 v1, s9
    v_mov_b32 v2, 77
    ds_write_b32 v1, v2 offset:12
    ds_write_b32 v1, v2 offset:16
    ds_read_b32 v2, v0 offset:28
    ds_read_b32 v3, v1 offset:16
    s_waitcnt lgkmcnt(0)
    buffer_store_dwordx4 v[0:3], off, s[4:7], 0
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 480
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
