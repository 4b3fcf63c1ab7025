// RUN: tahiti bonaire fiji gfx900 gfx906
// Counts above 0 do for operations that complete in order, and for no others.
//! grid = 64
//! args = { data = "u32*64:iota" }
// GCN all: error[missing-wait]: v2 is read while the operation that writes it may be incomplete
// GCN all: --> check/waits-order.s:57:5
// GCN all: |
// GCN all: 57 |     v_mov_b32 v4, v2                        // the scalar load may be what is complete
// GCN all: |     ^^^^^^^^^ reads v2
// GCN all: |
// GCN all: ::: check/waits-order.s:55:5
// GCN all: |
// GCN all: 55 |     ds_read_b32 v2, v1
// GCN all: |     ----------- the operation that writes v2
// GCN all: |
// GCN 1.0, 1.1: = note: reads v2: `v_mov_b32_e32 v4, v2`, at kernel+0x34, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: reads v2: `v_mov_b32_e32 v4, v2`, at kernel+0x38, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: the operation that writes v2: `ds_read_b32 v2, v1`, at kernel+0x28, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: the operation that writes v2: `ds_read_b32 v2, v1`, at kernel+0x2c, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt lgkmcnt(0)` before the instruction
// GCN all: 
// GCN all: error[missing-wait]: v6 is read while the operation that writes it may be incomplete
// GCN all: --> check/waits-order.s:65:5
// GCN all: |
// GCN all: 65 |     v_mov_b32 v4, v6                        // not yet
// GCN all: |     ^^^^^^^^^ reads v6
// GCN all: |
// GCN all: ::: check/waits-order.s:62:5
// GCN all: |
// GCN all: 62 |     buffer_load_dword v6, v1, s[4:7], 0 offen
// GCN all: |     ----------------- the operation that writes v6
// GCN all: |
// GCN 1.0, 1.1: = note: reads v6: `v_mov_b32_e32 v4, v6`, at kernel+0x60, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: reads v6: `v_mov_b32_e32 v4, v6`, at kernel+0x64, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: the operation that writes v6: `buffer_load_dword v6, v1, s[4:7], 0 offen`, at kernel+0x50, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: the operation that writes v6: `buffer_load_dword v6, v1, s[4:7], 0 offen`, at kernel+0x54, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt vmcnt(0)` before the instruction
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    ds_read_b32 v2, v1
    ds_read_b32 v3, v1 offset:256
    s_waitcnt lgkmcnt(1)
    v_mov_b32 v4, v2                        // complete: LDS is in order
    s_waitcnt lgkmcnt(0)
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(1)
    v_mov_b32 v4, v2                        // the scalar load may be what is complete
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    buffer_load_dword v5, v1, s[4:7], 0 offen
    buffer_load_dword v6, v1, s[4:7], 0 offen
    s_waitcnt vmcnt(1)
    v_mov_b32 v4, v5                        // complete
    v_mov_b32 v4, v6                        // not yet
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
