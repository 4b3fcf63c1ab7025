// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Several waves: focus, a wave alone at a barrier, LDS, breakpoints by instruction.
//! grid = [128, 2]
//! group = [128, 1]
//! args = { out = "u32*256" }
//> wave
//> break s_barrier
//> run
//> info waves
//> info dispatch
//> continue
//> info waves
//> print lds[0x40]
//> x/4xw lds[0]
//> x/2xw lds[0x4000]
//> wave 0
//> wave 5
//> lane 7
//> lane 64
//> print v0
//> print $wave * 100 + $lane
//> scheduler one
//> delete
//> continue
//> scheduler all
//> tbreak after if $group_y == 1 && $wave == 1
//> continue
//> workgroup 0,1
//> info lanes
//> continue
//> continue
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_xor_b32 v2, 0x7f, v0
    v_lshlrev_b32 v3, 2, v2
    ds_write_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
after:
    ds_read_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
