// RUN: tahiti bonaire fiji gfx900 gfx906
// Two workgroups store their numbers to one place, which is a race, and 1 to another, which is a warning.
//! grid = 128
//! group = 64
//! args = { out = "u32*64" }
// GCN all: error[global-race]: waves of two workgroups access the same bytes of global memory without synchronization
// GCN all: --> check/races-global.s:58:5
// GCN all: |
// GCN all: 58 |     buffer_store_dword v2, v1, s[4:7], 0 offen          // a race
// GCN all: |     ^^^^^^^^^^^^^^^^^^ store at 0x100020000
// GCN all: |
// GCN all: ::: check/races-global.s:58:5
// GCN all: |
// GCN all: 58 |     buffer_store_dword v2, v1, s[4:7], 0 offen          // a race
// GCN all: |     ------------------ the other store
// GCN all: |
// GCN 1.0, 1.1: = note: store at 0x100020000: `buffer_store_dword v2, v1, s[4:7], 0 offen`, at kernel+0x24, workgroup 1,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: store at 0x100020000: `buffer_store_dword v2, v1, s[4:7], 0 offen`, at kernel+0x28, workgroup 1,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the other store: `buffer_store_dword v2, v1, s[4:7], 0 offen`, at kernel+0x24, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: the other store: `buffer_store_dword v2, v1, s[4:7], 0 offen`, at kernel+0x28, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: address 0x100020000: byte 0 of out (256 bytes)
// GCN all: = note: kernel kernel, once
// GCN all: = help: a release (waits, then an atomic or a store) after the first access, and an acquire (an atomic or GLC load, a wait for it, `buffer_wbinvl1`) before the second; or two dispatches
// GCN all: 
// GCN all: warning[same-value-race]: waves of two workgroups store the same value to global memory without synchronization
// GCN all: --> check/races-global.s:59:5
// GCN all: |
// GCN all: 59 |     buffer_store_dword v3, v1, s[4:7], 0 offen offset:4 // the same value
// GCN all: |     ^^^^^^^^^^^^^^^^^^ store at 0x100020004
// GCN all: |
// GCN all: ::: check/races-global.s:59:5
// GCN all: |
// GCN all: 59 |     buffer_store_dword v3, v1, s[4:7], 0 offen offset:4 // the same value
// GCN all: |     ------------------ the other store
// GCN all: |
// GCN 1.0, 1.1: = note: store at 0x100020004: `buffer_store_dword v3, v1, s[4:7], 0 offen offset:4`, at kernel+0x2c, workgroup 1,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: store at 0x100020004: `buffer_store_dword v3, v1, s[4:7], 0 offen offset:4`, at kernel+0x30, workgroup 1,0,0, wave 0, lane 0
// GCN 1.0, 1.1: = note: the other store: `buffer_store_dword v3, v1, s[4:7], 0 offen offset:4`, at kernel+0x2c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: the other store: `buffer_store_dword v3, v1, s[4:7], 0 offen offset:4`, at kernel+0x30, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: address 0x100020004: byte 4 of out (256 bytes)
// GCN all: = note: kernel kernel, once
// GCN all: = help: a release (waits, then an atomic or a store) after the first access, and an acquire (an atomic or GLC load, a wait for it, `buffer_wbinvl1`) before the second; or two dispatches; or leave it, since the result is the same in any order
// GCN all: 
// GCN all: 1 error, 1 warning
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b64 exec, 1
    v_mov_b32 v1, 0
    v_mov_b32 v2, s2
    v_mov_b32 v3, 1
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen          // a race
    buffer_store_dword v3, v1, s[4:7], 0 offen offset:4 // the same value
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
