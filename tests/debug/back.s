// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Steps back by instructions, lines and to the last stop; changes by the user are made again.
//! grid = 64
//! args = { out = "u32*64" }
//> break store
//> run
//> print v2[1]
//> print s8
//> reverse-stepi 3
//> print s8
//> print v2[1]
//> reverse-stepi 1000
//> set v2 = 100
//> stepi 6
//> set v2[1] = 100
//> continue
//> print v2[1]
//> reverse-step
//> print v2[1]
//> continue
//> print v2[1]
//> delete
//> break loop
//> reverse-continue
//> print s8
//> reverse-continue
//> print s8
//> watch s8
//> reverse-continue
//> continue
//> run
//> print out[1]
//> delete
//> continue
//> print out[1]
//> run
//> print out[1]
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    s_mov_b32 s8, 4
loop:
    v_or_b32 v2, s8, v2
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 loop
    s_waitcnt lgkmcnt(0)
store:
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
