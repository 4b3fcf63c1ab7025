// RUN: gfx900
// Workgroups of one wave pass barriers within their turns on every engine, so that atomics have the same order.
//! grid = 256
//! group = 64
//! limit = 2000000
//! args = { out = "u32*4", counter = "u32*1" }
//! print = ["out", "counter"]
// GCN all: out: u32[0..4] = 12, 13, 14, 15
// GCN all: counter: u32[0..1] = 16
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 s9, s2
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s8, 0x4000
    v_mov_b32 v2, s6
    v_mov_b32 v3, s7
    v_mov_b32 v4, 1
    v_cmp_eq_u32 vcc, 0, v0
    s_and_saveexec_b64 s[10:11], vcc
L:
    s_barrier
    v_add_u32 v8, 1, v8
    v_add_u32 v9, v8, v9
    v_add_u32 v8, v9, v8
    v_xor_b32 v9, v8, v9
    s_and_b32 s12, s8, 0xfff
    s_cmp_lg_u32 s12, 0
    s_cbranch_scc1 M
    global_atomic_add v5, v[2:3], v4, off glc
    s_waitcnt vmcnt(0)
M:
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 L
    s_lshl_b32 s9, s9, 2
    v_mov_b32 v2, s9
    global_store_dword v2, v5, s[4:5]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
