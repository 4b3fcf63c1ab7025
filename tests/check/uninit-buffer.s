// RUN: tahiti bonaire fiji gfx900 gfx906
// A buffer that nobody has written, whose elements reach another one; its own undefined bytes are no finding.
//! grid = 64
//! args = { data = "u32*64:undefined", result = "u32*64:iota" }
// GCN all: error[uninitialized-result]: an undefined value is stored, and is in memory when the kernel ends
// GCN all: --> check/uninit-buffer.s:40:5
// GCN all: |
// GCN all: 40 |     buffer_store_dword v2, v1, s[12:15], 0 offen
// GCN all: |     ^^^^^^^^^^^^^^^^^^ stores undefined bits
// GCN all: |
// GCN all: ::: check/uninit-buffer.s:38:5
// GCN all: |
// GCN all: 38 |     buffer_load_dword v2, v1, s[4:7], 0 offen
// GCN all: |     ----------------- the load of global memory that holds an undefined value
// GCN all: |
// GCN 1.0, 1.1: = note: stores undefined bits: `buffer_store_dword v2, v1, s[12:15], 0 offen`, at kernel+0x34, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: stores undefined bits: `buffer_store_dword v2, v1, s[12:15], 0 offen`, at kernel+0x38, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: the load of global memory that holds an undefined value: `buffer_load_dword v2, v1, s[4:7], 0 offen`, at kernel+0x28, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: the load of global memory that holds an undefined value: `buffer_load_dword v2, v1, s[4:7], 0 offen`, at kernel+0x2c, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x100040000: byte 0 of result (256 bytes)
// GCN all: = note: dwords with undefined bits that the instruction left: 64
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[8:11], s[0:1], 0x0
    s_mov_b32 s6, 256
    s_mov_b32 s7, 0x27000
    s_mov_b64 s[14:15], s[6:7]
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[4:5], s[8:9]
    s_mov_b64 s[12:13], s[10:11]
    v_lshlrev_b32 v1, 2, v0
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
