// RUN: gfx900 gfx906
// A FLAT load whose lanes go to global memory and to LDS is complete by two counters, which one finding names.
//! grid = 64
//! args = { data = "u32*64:iota" }
// GCN all: error[missing-wait]: v5 is read while the operation that writes it may be incomplete
// GCN all: --> check/waits-flat.s:57:5
// GCN all: |
// GCN all: 57 |     v_mov_b32 v7, v5                        // too early
// GCN all: |     ^^^^^^^^^ reads v5
// GCN all: |
// GCN all: ::: check/waits-flat.s:55:5
// GCN all: |
// GCN all: 55 |     flat_load_dword v5, v[2:3]
// GCN all: |     --------------- the operation that writes v5
// GCN all: |
// GCN all: = note: reads v5: `v_mov_b32_e32 v7, v5`, at kernel+0x48, workgroup 0,0,0, wave 0
// GCN all: = note: the operation that writes v5: `flat_load_dword v5, v[2:3]`, at kernel+0x38, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt vmcnt(0) lgkmcnt(0)` before the instruction
// GCN all: 
// GCN all: error[missing-wait]: v6 is read while the operation that writes it may be incomplete
// GCN all: --> check/waits-flat.s:59:5
// GCN all: |
// GCN all: 59 |     v_mov_b32 v7, v6                        // one counter is left
// GCN all: |     ^^^^^^^^^ reads v6
// GCN all: |
// GCN all: ::: check/waits-flat.s:56:5
// GCN all: |
// GCN all: 56 |     flat_load_dword v6, v[2:3]
// GCN all: |     --------------- the operation that writes v6
// GCN all: |
// GCN all: = note: reads v6: `v_mov_b32_e32 v7, v6`, at kernel+0x50, workgroup 0,0,0, wave 0
// GCN all: = note: the operation that writes v6: `flat_load_dword v6, v[2:3]`, at kernel+0x40, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_waitcnt lgkmcnt(0)` before the instruction
// GCN all: 
// GCN all: 2 errors
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b64 s[8:9], src_shared_base
    v_lshlrev_b32 v1, 2, v0
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    v_add_co_u32 v2, vcc, s4, v1
    v_mov_b32 v3, s5
    v_addc_co_u32 v3, vcc, 0, v3, vcc
    v_mov_b32 v4, s9
    v_cmp_gt_u32 vcc, 32, v0
    v_cndmask_b32 v2, v2, v1, vcc           // LDS in lanes 0 to 31
    v_cndmask_b32 v3, v3, v4, vcc
    flat_load_dword v5, v[2:3]
    flat_load_dword v6, v[2:3]
    v_mov_b32 v7, v5                        // too early
    s_waitcnt vmcnt(0)
    v_mov_b32 v7, v6                        // one counter is left
    s_waitcnt lgkmcnt(0)
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
