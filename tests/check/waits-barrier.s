// RUN: tahiti bonaire fiji gfx900 gfx906
// LDS that other waves access: without a wait before the barrier what they write may not be there, and what they read may be
// gone.
//! grid = 128
//! group = 128
// GCN all: error[missing-lds-wait]: LDS is read behind a barrier that a wave reached before its write was complete
// GCN all: --> check/waits-barrier.s:49:5
// GCN all: |
// GCN all: 49 |     ds_read_b32 v3, v2                      // what the other wave writes
// GCN all: |     ^^^^^^^^^^^ reads LDS at 0x1fc
// GCN all: |
// GCN all: ::: check/waits-barrier.s:47:5
// GCN all: |
// GCN all: 47 |     ds_write_b32 v1, v0
// GCN all: |     ------------ the write of the other wave
// GCN all: |
// GCN all: = note: reads LDS at 0x1fc: `ds_read_b32 v3, v2`, at kernel+0x1c, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: the write of the other wave: `ds_write_b32 v1, v0`, at kernel+0x10, workgroup 0,0,0, wave 1
// GCN all: = note: kernel kernel, twice
// GCN all: = help: `s_waitcnt lgkmcnt(0)` before the barrier, in the wave that writes
// GCN all: 
// GCN all: error[missing-lds-wait]: LDS is written behind a barrier that a wave reached before its read was complete
// GCN all: --> check/waits-barrier.s:54:5
// GCN all: |
// GCN all: 54 |     ds_write_b32 v1, v0                     // what the other wave may still have to read
// GCN all: |     ^^^^^^^^^^^^ writes LDS at 0x0
// GCN all: |
// GCN all: ::: check/waits-barrier.s:52:5
// GCN all: |
// GCN all: 52 |     ds_read_b32 v3, v2                      // complete since before this barrier
// GCN all: |     ----------- the read of the other wave
// GCN all: |
// GCN all: = note: writes LDS at 0x0: `ds_write_b32 v1, v0`, at kernel+0x38, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: the read of the other wave: `ds_read_b32 v3, v2`, at kernel+0x2c, workgroup 0,0,0, wave 1
// GCN all: = note: kernel kernel, twice
// GCN all: = help: `s_waitcnt lgkmcnt(0)` before the barrier, in the wave that reads
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
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
