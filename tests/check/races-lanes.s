// RUN: tahiti bonaire fiji gfx900 gfx906
// Two lanes of one instruction store different values to one address.
//! grid = 2
//! group = 2
//! args = { out = "u32*64" }
// GCN all: error[lane-race]: two lanes of one instruction store different values to one address of global memory
// GCN all: --> check/races-lanes.s:36:5
// GCN all: |
// GCN all: 36 |     buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: |     ^^^^^^^^^^^^^^^^^^ lane 0 stores to 0x100020000
// GCN all: |
// GCN all: ::: check/races-lanes.s:36:5
// GCN all: |
// GCN all: 36 |     buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN all: |     ------------------ and so does lane 1
// GCN all: |
// GCN 1.0, 1.1: = note: lane 0 stores to 0x100020000: `buffer_store_dword v0, v1, s[4:7], 0 offen`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: lane 0 stores to 0x100020000: `buffer_store_dword v0, v1, s[4:7], 0 offen`, at kernel+0x1c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: and so does lane 1: `buffer_store_dword v0, v1, s[4:7], 0 offen`, at kernel+0x18, workgroup 0,0,0, wave 0, lane 1
// GCN 1.2, 1.4, 1.4.1: = note: and so does lane 1: `buffer_store_dword v0, v1, s[4:7], 0 offen`, at kernel+0x1c, workgroup 0,0,0, wave 0, lane 1
// GCN all: = note: address 0x100020000: byte 0 of out (256 bytes)
// GCN all: = note: kernel kernel, once
// GCN all: = help: a condition that leaves one lane active, or an atomic if all values matter
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_mov_b32 v1, 0
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v0, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
