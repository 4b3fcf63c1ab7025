// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Breakpoints by label, line and condition; steps; registers that are shown and changed.
//! grid = 8
//! args = { out = "u32*8" }
//> info breakpoints
//> break loop if v2[3] == 2
//> tbreak store
//> info breakpoints
//> run
//> print v2
//> print v2[3] + 40, s8
//> print v2[3] + 40
//> info registers s8 scc exec
//> stepi
//> stepi 2
//> next
//> set s8 = 1
//> set v2[3] = 1000
//> set v2[70] = 1
//> continue
//> print/x v2
//> info breakpoints
//> list
//> backtrace
//> finish
//> print out
//> quit
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    s_mov_b32 s8, 5
loop:
    v_add_f32 v3, 1.0, v3
    v_or_b32 v2, 2, v2
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 loop
store:
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
