// RUN: tahiti bonaire fiji gfx900 gfx906
// LDS is undefined until it is written; what is carried from there to a buffer is a finding when the kernel ends.
// LDS_DIRECT reads it too.
//! grid = 64
//! args = { data = "u32*64:iota" }
// GCN all: error[uninitialized-result]: an undefined value is stored, and is in memory when the kernel ends
// GCN all: --> check/uninit-memory.s:61:5
// GCN all: |
// GCN all: 61 |     buffer_store_dword v3, v1, s[4:7], 0 offen
// GCN all: |     ^^^^^^^^^^^^^^^^^^ stores undefined bits
// GCN all: |
// GCN all: ::: check/uninit-memory.s:59:5
// GCN all: |
// GCN all: 59 |     ds_read_b32 v3, v2
// GCN all: |     ----------- the load of LDS that holds an undefined value
// GCN all: |
// GCN 1.0, 1.1: = note: stores undefined bits: `buffer_store_dword v3, v1, s[4:7], 0 offen`, at kernel+0x44, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: stores undefined bits: `buffer_store_dword v3, v1, s[4:7], 0 offen`, at kernel+0x48, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: the load of LDS that holds an undefined value: `ds_read_b32 v3, v2`, at kernel+0x38, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: the load of LDS that holds an undefined value: `ds_read_b32 v3, v2`, at kernel+0x3c, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x100020080: byte 128 of data (256 bytes)
// GCN all: = note: dwords with undefined bits that the instruction left: 32
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[uninitialized-address]: memory is accessed at an undefined address: v4
// GCN all: --> check/uninit-memory.s:69:5
// GCN all: |
// GCN all: 69 |     buffer_load_dword v5, v4, s[4:7], 0 offen
// GCN all: |     ^^^^^^^^^^^^^^^^^ uses v4 as an address
// GCN all: |
// GCN all: ::: check/uninit-memory.s:68:5
// GCN all: |
// GCN all: 68 |     v_and_b32 v4, lds_direct, v1
// GCN all: |     --------- the load of LDS that holds an undefined value
// GCN all: |
// GCN 1.0, 1.1: = note: uses v4 as an address: `buffer_load_dword v5, v4, s[4:7], 0 offen`, at kernel+0x74, workgroup 0,0,0, wave 0, lane 1
// GCN 1.2, 1.4, 1.4.1: = note: uses v4 as an address: `buffer_load_dword v5, v4, s[4:7], 0 offen`, at kernel+0x78, workgroup 0,0,0, wave 0, lane 1
// GCN 1.0, 1.1: = note: the load of LDS that holds an undefined value: `v_and_b32_e32 v4, src_lds_direct, v1`, at kernel+0x70, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: the load of LDS that holds an undefined value: `v_and_b32_e32 v4, src_lds_direct, v1`, at kernel+0x74, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, 256
    s_mov_b32 s7, 0x27000
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v2, 4, v1
    v_cmp_gt_u32 vcc, 32, v0
    s_and_saveexec_b64 s[8:9], vcc
    ds_write_b32 v1, v0                     // lanes 0 to 31
    s_waitcnt lgkmcnt(0)
    s_mov_b64 exec, s[8:9]
    ds_read_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v3, v1, s[4:7], 0 offen
    s_mov_b32 m0, 0x20000
    s_nop 0
    v_mov_b32 v4, lds_direct                // lane 0 has written it
    buffer_load_dword v5, v4, s[4:7], 0 offen
    s_mov_b32 m0, 0x20080
    s_nop 0
    v_and_b32 v4, lds_direct, v1
    buffer_load_dword v5, v4, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
