// RUN: tahiti bonaire fiji gfx900 gfx906
// A wave reads LDS that the other one writes, before any barrier.
//! grid = 128
//! group = 128
// GCN all: error[lds-race]: two waves of a workgroup access the same bytes of LDS without synchronization
// GCN all: --> check/races-lds.s:32:5
// GCN all: |
// GCN all: 32 |     ds_read_b32 v3, v2                  // a race
// GCN all: |     ^^^^^^^^^^^ load at 0x100
// GCN all: |
// GCN all: ::: check/races-lds.s:30:5
// GCN all: |
// GCN all: 30 |     ds_write_b32 v1, v0
// GCN all: |     ------------ the other store
// GCN all: |
// GCN all: = note: load at 0x100: `ds_read_b32 v3, v2`, at kernel+0x1c, workgroup 0,0,0, wave 0, lane 63
// GCN all: = note: the other store: `ds_write_b32 v1, v0`, at kernel+0x10, workgroup 0,0,0, wave 1, lane 0
// GCN all: = note: kernel kernel, twice
// GCN all: = help: `s_barrier` between the accesses, after waits for the waves' writes
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v2, 0x1fc, v1
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v3, v2                  // a race
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v3, v2                  // ordered by the barrier
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
