// RUN: tahiti bonaire fiji gfx900 gfx906
// A load to LDS counts on vmcnt, also for the wave that then reads LDS, as LDS_DIRECT too.
//! grid = 64
//! args = { data = "u32*64:iota" }
// GCN all: error[missing-lds-wait]: LDS is read while a load to it may be incomplete
// GCN all: --> check/waits-load-to-lds.s:54:5
// GCN all: |
// GCN all: 54 |     ds_read_b32 v2, v1                      // too early
// GCN all: |     ^^^^^^^^^^^ reads LDS at 0x0
// GCN all: |
// GCN all: ::: check/waits-load-to-lds.s:53:5
// GCN all: |
// GCN all: 53 |     buffer_load_dword v1, s[4:7], 0 offen lds
// GCN all: |     ----------------- the load to LDS
// GCN all: |
// GCN 1.0, 1.1: = note: reads LDS at 0x0: `ds_read_b32 v2, v1`, at kernel+0x2c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: reads LDS at 0x0: `ds_read_b32 v2, v1`, at kernel+0x30, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the load to LDS: `buffer_load_dword v1, s[4:7], 0 offen lds`, at kernel+0x24, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: the load to LDS: `buffer_load_dword v1, s[4:7], 0 offen lds`, at kernel+0x28, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt vmcnt(0)` before the instruction
// GCN all: 
// GCN all: error[missing-lds-wait]: LDS is read while a load to it may be incomplete
// GCN all: --> check/waits-load-to-lds.s:57:5
// GCN all: |
// GCN all: 57 |     v_mov_b32 v3, lds_direct                // too early
// GCN all: |     ^^^^^^^^^ reads LDS at 0x0
// GCN all: |
// GCN all: ::: check/waits-load-to-lds.s:53:5
// GCN all: |
// GCN all: 53 |     buffer_load_dword v1, s[4:7], 0 offen lds
// GCN all: |     ----------------- the load to LDS
// GCN all: |
// GCN 1.0, 1.1: = note: reads LDS at 0x0: `v_mov_b32_e32 v3, src_lds_direct`, at kernel+0x40, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: reads LDS at 0x0: `v_mov_b32_e32 v3, src_lds_direct`, at kernel+0x44, workgroup 0,0,0, wave 0
// GCN 1.0, 1.1: = note: the load to LDS: `buffer_load_dword v1, s[4:7], 0 offen lds`, at kernel+0x24, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: the load to LDS: `buffer_load_dword v1, s[4:7], 0 offen lds`, at kernel+0x28, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt vmcnt(0)` before the instruction
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
    s_mov_b32 m0, 0x10000
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v1, s[4:7], 0 offen lds
    ds_read_b32 v2, v1                      // too early
    s_mov_b32 m0, 0x20000
    s_nop 0
    v_mov_b32 v3, lds_direct                // too early
    s_waitcnt vmcnt(0) lgkmcnt(0)
    ds_read_b32 v2, v1
    v_mov_b32 v3, lds_direct
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
