// RUN: tahiti bonaire
// GCN 1.0: error[source-overwritten]: v0 is overwritten while an operation may still have to read it
// GCN 1.1: no findings
// GCN 1.0: --> check/waits-sources.s:33:5
// GCN 1.0: |
// GCN 1.0: 33 |     v_mov_b32 v0, 7
// GCN 1.0: |     ^^^^^^^^^ writes v0
// GCN 1.0: |
// GCN 1.0: ::: check/waits-sources.s:32:5
// GCN 1.0: |
// GCN 1.0: 32 |     buffer_store_dword v0, v1, s[4:7], 0 offen
// GCN 1.0: |     ------------------ the operation that reads v0
// GCN 1.0: |
// GCN 1.0: = note: writes v0: `v_mov_b32_e32 v0, 7`, at kernel+0x20, workgroup 0,0,0, wave 0
// GCN 1.0: = note: the operation that reads v0: `buffer_store_dword v0, v1, s[4:7], 0 offen`, at kernel+0x18, workgroup 0,0,0, wave 0
// GCN 1.0: = note: kernel kernel, once
// GCN 1.0: = help: `s_waitcnt expcnt(0)` before the instruction
// GCN 1.0: 
// GCN 1.0: 1 error
// GCN 1.0: exit status 3
//! grid = 64
//! args = { data = "u32*64:iota" }
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v0, v1, s[4:7], 0 offen
    v_mov_b32 v0, 7
    buffer_store_dword v0, v1, s[4:7], 0 offen
    s_waitcnt expcnt(0)
    v_mov_b32 v0, 8
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
