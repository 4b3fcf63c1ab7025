// RUN: gfx900 gfx906
// A store behind a buffer: the lane is named, and what the lanes before it stored is there.
//! grid = 8
//! args = { out = "u32*4" }
//! print = ["out"]
// GCN all: out: u32[0..4] = 7, 7, 7, 7
// GCN all: error[unmapped-access]: kernel kernel, workgroup 0,0,0, wave 0, lane 4, at kernel+0x14: global_store_dword v1, v2, s[4:5]
// GCN all: --> run/fault-unmapped.s:20: global_store_dword v1, v2, s[4:5]
// GCN all: stores 4 bytes at unmapped address 0x100020010
// GCN all: nearest is out: 16 bytes at 0x100020000; the address is right past its end
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 7
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v2, s[4:5]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
