// RUN: gfx900 gfx906
// A dword begins in a buffer and ends behind it: the finding names the first byte outside.
//! grid = 1
//! args = { data = "u8*6" }
// GCN all: error[global-out-of-bounds]: loads 4 bytes at 0x100020006, which no allocation holds
// GCN all: --> check/bounds-straddle.s:26:5
// GCN all: |
// GCN all: 26 |     global_load_dword v2, v1, s[4:5]
// GCN all: |     ^^^^^^^^^^^^^^^^^ accesses 0x100020006
// GCN all: |
// GCN all: = note: accesses 0x100020006: `global_load_dword v2, v1, s[4:5]`, at kernel+0x10, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: address 0x100020006
// GCN all: = note: nearest is data: 6 bytes at 0x100020000; the address is right past its end
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[unmapped-access]: kernel kernel ended at the access of the finding global-out-of-bounds
// GCN all: 1 error
// GCN all: exit status 4
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_mov_b32 v1, 4
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
