// RUN: tahiti bonaire fiji gfx900 gfx906
// Loads that are ordered behind stores but for the cache that they read: a scalar load behind a barrier, and a load behind an
// acquire without an invalidation.
//! grid = 256
//! group = 128
//! args = { data = "u32*256", flag = "u32*1" }
// GCN all: error[global-race]: two waves of a workgroup access the same bytes of global memory without synchronization
// GCN all: --> check/races-caches.s:67:5
// GCN all: |
// GCN all: 67 |     s_load_dword s18, s[16:17], 0x0                     // the first wave has stored it
// GCN all: |     ^^^^^^^^^^^^ load at 0x100020000
// GCN all: |
// GCN all: ::: check/races-caches.s:62:5
// GCN all: |
// GCN all: 62 |     buffer_store_dword v0, v1, s[4:7], s3 offen
// GCN all: |     ------------------ the other store
// GCN all: |
// GCN 1.0, 1.1: = note: load at 0x100020000: `s_load_dword s18, s[16:17], 0x0`, at kernel+0x50, workgroup 0,0,0, wave 1
// GCN 1.2, 1.4, 1.4.1: = note: load at 0x100020000: `s_load_dword s18, s[16:17], 0x0`, at kernel+0x54, workgroup 0,0,0, wave 1
// GCN 1.0, 1.1: = note: the other store: `buffer_store_dword v0, v1, s[4:7], s3 offen`, at kernel+0x38, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: the other store: `buffer_store_dword v0, v1, s[4:7], s3 offen`, at kernel+0x3c, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: address 0x100020000: byte 0 of data (1024 bytes)
// GCN all: = note: kernel kernel, twice
// GCN all: = help: `s_dcache_inv` before the load, whose cache may hold old data
// GCN all: 
// GCN all: error[global-race]: waves of two workgroups access the same bytes of global memory without synchronization
// GCN all: --> check/races-caches.s:82:5
// GCN all: |
// GCN all: 82 |     buffer_load_dword v5, v2, s[4:7], 0 offen           // without an invalidation
// GCN all: |     ^^^^^^^^^^^^^^^^^ load at 0x100020000
// GCN all: |
// GCN all: ::: check/races-caches.s:62:5
// GCN all: |
// GCN all: 62 |     buffer_store_dword v0, v1, s[4:7], s3 offen
// GCN all: |     ------------------ the other store
// GCN all: |
// GCN all: = note: load at 0x100020000: `buffer_load_dword v5, v2, s[4:7], 0 offen`, at consumer+0x1c, workgroup 1,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the other store: `buffer_store_dword v0, v1, s[4:7], s3 offen`, at kernel+0x38, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: the other store: `buffer_store_dword v0, v1, s[4:7], s3 offen`, at kernel+0x3c, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: address 0x100020000: byte 0 of data (1024 bytes)
// GCN all: = note: kernel kernel, twice
// GCN all: = help: `buffer_wbinvl1` before the load, whose cache may hold old data
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[8:11], s[0:1], 0x0
    s_lshl_b32 s3, s2, 9
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    v_mov_b32 v3, 1
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    s_waitcnt lgkmcnt(0)
    s_mov_b64 s[4:5], s[8:9]
    s_mov_b64 s[12:13], s[10:11]
    buffer_store_dword v0, v1, s[4:7], s3 offen
    s_waitcnt vmcnt(0)
    s_barrier
    s_add_u32 s16, s8, s3
    s_addc_u32 s17, s9, 0
    s_load_dword s18, s[16:17], 0x0                     // the first wave has stored it
    s_dcache_inv
    s_load_dword s19, s[16:17], 0x0
    s_mov_b64 exec, 1
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc0 consumer
    buffer_atomic_add v3, v2, s[12:15], 0 offen
    s_endpgm
consumer:
    v_mov_b32 v4, 0
    buffer_atomic_add v4, v2, s[12:15], 0 offen glc
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s20, v4
    s_cmp_eq_u32 s20, 2
    s_cbranch_scc0 consumer
    buffer_load_dword v5, v2, s[4:7], 0 offen           // without an invalidation
    buffer_wbinvl1
    buffer_load_dword v5, v2, s[4:7], 0 offen offset:4
    s_waitcnt vmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
