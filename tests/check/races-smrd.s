// RUN: tahiti bonaire
// Two workgroups store to one place after waits. Neither can acquire: a scalar load has no GLC, although SDST of s[6:7] sets its
// bit in the encoding of later generations.
//! grid = 128
//! group = 64
//! args = { out = "u32*64" }
// GCN all: error[global-race]: waves of two workgroups access the same bytes of global memory without synchronization
// GCN all: --> check/races-smrd.s:41:5
// GCN all: |
// GCN all: 41 |     buffer_store_dword v2, v1, s[8:11], 0 offen         // a race
// GCN all: |     ^^^^^^^^^^^^^^^^^^ store at 0x100020000
// GCN all: |
// GCN all: ::: check/races-smrd.s:41:5
// GCN all: |
// GCN all: 41 |     buffer_store_dword v2, v1, s[8:11], 0 offen         // a race
// GCN all: |     ------------------ the other store
// GCN all: |
// GCN all: = note: store at 0x100020000: `buffer_store_dword v2, v1, s[8:11], 0 offen`, at kernel+0x34, workgroup 1,0,0, wave 0, lane 0
// GCN all: = note: the other store: `buffer_store_dword v2, v1, s[8:11], 0 offen`, at kernel+0x34, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: address 0x100020000: byte 0 of out (256 bytes)
// GCN all: = note: kernel kernel, once
// GCN all: = help: a release (waits, then an atomic or a store) after the first access, and an acquire (an atomic or GLC load, a wait for it, `buffer_wbinvl1`) before the second; or two dispatches
// GCN all: 
// GCN all: 1 error
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    s_lshl_b32 s3, s2, 2
    s_mov_b64 exec, 1
    v_mov_b32 v1, 0
    v_mov_b32 v2, s2
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[8:9], s[6:7]
    buffer_store_dword v2, v1, s[8:11], s3 offen offset:4
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[8:11], 0 offen         // a race
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
