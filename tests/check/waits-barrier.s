// RUN: tahiti bonaire fiji gfx900 gfx906
// LDS that other waves access: without a wait before the barrier what they write or load may not be there, and what they read may be
// gone.
//! grid = 128
//! group = 128
//! args = { data = "u32*128:iota" }
// GCN all: error[missing-lds-wait]: LDS is read after a barrier that a wave reached before its write was complete
// GCN all: --> check/waits-barrier.s:75:5
// GCN all: |
// GCN all: 75 |     ds_read_b32 v3, v2                      // what the other wave writes
// GCN all: |     ^^^^^^^^^^^ reads LDS at 0x1fc
// GCN all: |
// GCN all: ::: check/waits-barrier.s:73:5
// GCN all: |
// GCN all: 73 |     ds_write_b32 v1, v0
// GCN all: |     ------------ the write of the other wave
// GCN all: |
// GCN 1.0, 1.1: = note: reads LDS at 0x1fc: `ds_read_b32 v3, v2`, at kernel+0x30, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: reads LDS at 0x1fc: `ds_read_b32 v3, v2`, at kernel+0x34, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the write of the other wave: `ds_write_b32 v1, v0`, at kernel+0x24, workgroup 0,0,0, wave 1
// GCN 1.2, 1.4, 1.4.1: = note: the write of the other wave: `ds_write_b32 v1, v0`, at kernel+0x28, workgroup 0,0,0, wave 1
// GCN all: = note: kernel kernel, twice
// GCN all: = help: `s_waitcnt lgkmcnt(0)` before the barrier, in the wave that writes
// GCN all: 
// GCN all: error[missing-lds-wait]: LDS is written after a barrier that a wave reached before its read was complete
// GCN all: --> check/waits-barrier.s:80:5
// GCN all: |
// GCN all: 80 |     ds_write_b32 v1, v0                     // what the other wave may still have to read
// GCN all: |     ^^^^^^^^^^^^ writes LDS at 0x0
// GCN all: |
// GCN all: ::: check/waits-barrier.s:78:5
// GCN all: |
// GCN all: 78 |     ds_read_b32 v3, v2                      // complete since before this barrier
// GCN all: |     ----------- the read of the other wave
// GCN all: |
// GCN 1.0, 1.1: = note: writes LDS at 0x0: `ds_write_b32 v1, v0`, at kernel+0x4c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: writes LDS at 0x0: `ds_write_b32 v1, v0`, at kernel+0x50, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the read of the other wave: `ds_read_b32 v3, v2`, at kernel+0x40, workgroup 0,0,0, wave 1
// GCN 1.2, 1.4, 1.4.1: = note: the read of the other wave: `ds_read_b32 v3, v2`, at kernel+0x44, workgroup 0,0,0, wave 1
// GCN all: = note: kernel kernel, twice
// GCN all: = help: `s_waitcnt lgkmcnt(0)` before the barrier, in the wave that reads
// GCN all: 
// GCN all: error[missing-lds-wait]: LDS is read after a barrier that a wave reached before its write was complete
// GCN all: --> check/waits-barrier.s:91:5
// GCN all: |
// GCN all: 91 |     ds_read_b32 v3, v2                      // what the other wave loads
// GCN all: |     ^^^^^^^^^^^ reads LDS at 0x1fc
// GCN all: |
// GCN all: ::: check/waits-barrier.s:88:5
// GCN all: |
// GCN all: 88 |     buffer_load_dword v1, s[4:7], 0 offen lds
// GCN all: |     ----------------- the write of the other wave
// GCN all: |
// GCN 1.0, 1.1: = note: reads LDS at 0x1fc: `ds_read_b32 v3, v2`, at kernel+0x88, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: reads LDS at 0x1fc: `ds_read_b32 v3, v2`, at kernel+0x8c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the write of the other wave: `buffer_load_dword v1, s[4:7], 0 offen lds`, at kernel+0x78, workgroup 0,0,0, wave 1
// GCN 1.2, 1.4, 1.4.1: = note: the write of the other wave: `buffer_load_dword v1, s[4:7], 0 offen lds`, at kernel+0x7c, workgroup 0,0,0, wave 1
// GCN all: = note: kernel kernel, twice
// GCN all: = help: `s_waitcnt vmcnt(0)` before the barrier, in the wave that writes
// GCN all: 
// GCN all: 3 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, 512
    s_mov_b32 s7, 0x27000
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v2, 0x1fc, v1
    ds_write_b32 v1, v0
    s_barrier
    ds_read_b32 v3, v2                      // what the other wave writes
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v3, v2                      // complete since before this barrier
    s_barrier
    ds_write_b32 v1, v0                     // what the other wave may still have to read
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_write_b32 v1, v0                     // complete since before this barrier
    v_readfirstlane_b32 s8, v1
    s_or_b32 m0, s8, 0x10000
    s_waitcnt lgkmcnt(0)
    s_barrier
    buffer_load_dword v1, s[4:7], 0 offen lds
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v3, v2                      // what the other wave loads
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_barrier
    ds_read_b32 v3, v2                      // complete since before this barrier
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
