// RUN: gfx900 gfx906
// Each launch of an ordered count begins with the first wave's turn.
//! print = ["out"]
//! [buffers]
//! out = "u32*1"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out"]
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out"]
// GCN all: out: u32[0..1] = 7
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_mov_b32 v1, 1
    v_mov_b32 v2, 0
    s_mov_b32 m0, s2
    s_nop 4
    ds_ordered_count v3, v1 offset:768 gds
    s_waitcnt lgkmcnt(0)
    global_store_dword v2, v3, s[6:7]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
