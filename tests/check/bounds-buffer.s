// RUN: tahiti bonaire fiji gfx900 gfx906
// Descriptors end where they say: the run goes on.
//! grid = 64
//! args = { data = "u32*64:iota" }
// GCN all: warning[buffer-out-of-bounds]: loads 4 bytes at offset 0x100 of record 0, which the descriptor does not have
// GCN all: --> check/bounds-buffer.s:29:5
// GCN all: |
// GCN all: 29 |     buffer_load_dword v3, v1, s[4:7], 0 offen offset:8
// GCN all: |     ^^^^^^^^^^^^^^^^^ goes beyond the descriptor's end
// GCN all: |
// GCN 1.0, 1.1: = note: goes beyond the descriptor's end: `buffer_load_dword v3, v1, s[4:7], 0 offen offset:8`, at kernel+0x24, workgroup 0,0,0, wave 0, lane 62
// GCN 1.2, 1.4, 1.4.1: = note: goes beyond the descriptor's end: `buffer_load_dword v3, v1, s[4:7], 0 offen offset:8`, at kernel+0x28, workgroup 0,0,0, wave 0, lane 62
// GCN all: = note: address 0x100020000: byte 0 of data (256 bytes)
// GCN all: = note: the descriptor has stride 0 and 256 records or bytes
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: 1 warning
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, 256
    s_mov_b32 s7, 0x27000
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    buffer_load_dword v3, v1, s[4:7], 0 offen offset:8
    s_waitcnt vmcnt(0)
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
