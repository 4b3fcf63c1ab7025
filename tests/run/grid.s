// RUN: tahiti bonaire fiji gfx900 gfx906
// A grid of 3 by 3 by 2 in groups of 2 by 2 by 1: the last groups in x and y have fewer work-items. Each one
// counts itself at [group z][group y][group x][item y][item x].
//! grid = [3, 3, 2]
//! group = [2, 2, 1]
//! args = { out = "u32*32" }
//! print = ["out"]
// GCN all: out: u32[0..32] =
// GCN all: 0: 1, 1, 1, 1, 1, 0, 1, 0
// GCN all: 8: 1, 1, 0, 0, 1, 0, 0, 0
// GCN all: 16: 1, 1, 1, 1, 1, 0, 1, 0
// GCN all: 24: 1, 1, 0, 0, 1, 0, 0, 0
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_mov_b32 s8, s2
    s_lshl_b32 s3, s3, 1
    s_lshl_b32 s4, s4, 2
    s_or_b32 s8, s8, s3
    s_or_b32 s8, s8, s4
    s_lshl_b32 s8, s8, 4
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 1, v1
    v_or_b32 v0, v0, v1
    v_or_b32 v0, v0, v2                 // the work-item's z is 0
    v_lshlrev_b32 v0, 2, v0
    v_mov_b32 v3, 1
    s_waitcnt lgkmcnt(0)
    buffer_atomic_add v3, v0, s[4:7], s8 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_system_sgpr_workgroup_id_z 1
    .amdhsa_system_vgpr_workitem_id 2
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
