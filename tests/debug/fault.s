// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// A fault stops the wave where it is; going back shows how it came there.
//! grid = 64
//! args = { out = "u32*16" }
//> print out
//> print nothing
//> print v0
//> stepi
//> continue
//> run
//> print $lane
//> print/x v1
//> print &out
//> reverse-stepi 2
//> print v1[63]
//> set v1[64] = 4
//> set v1[63] = 4
//> print v200
//> print s200
//> print s90
//> print v1[
//> print 1 / 0
//> print *(u32*)16
//> x/2xw 16
//> x/2xw &out[15]
//> break *12
//> break nowhere
//> break 9999
//> condition 9 1
//> frobnicate
//> info frobnicate
//> disassemble
//> continue
//> continue
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 20, v0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v0, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
