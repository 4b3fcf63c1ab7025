// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A counter in GDS counts from 0 each time that the launches run again.
//! [buffers]
//! out = "u32*64"
//! [[launch]]
//! kernel = "kernel"
//! grid = 64
//! repeat = 2
//! args = { out = "out" }
//? out[9]
// GCN all: x
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, 0x1000
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 1
    ds_add_rtn_u32 v3, v1, v2 gds
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v3, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
