// RUN: gfx803 gfx900 gfx906
// Sums of four elements, by a loop, through LDS: one more turn, another neighbour in LDS, and an atomic sum in global memory.
//! grid = 64
//! args = { a = "u32*256:random(1,1,1000)", out = "u32*64", sum = "u32*1" }
//? out[5] --against -DTURNS=5
//? out[5] --against -DNEXT=8
//? sum[0] --against -DADDED=2
.ifndef TURNS
.set TURNS, 4
.endif
.ifndef NEXT
.set NEXT, 4
.endif
.ifndef ADDED
.set ADDED, 1
.endif
.macro add d, a, b
.if .amdgcn.gfx_generation_number >= 9
    v_add_u32 \d, \a, \b
.else
    v_add_u32 \d, vcc, \a, \b
.endif
.endm
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x8
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_lshlrev_b32 v2, 4, v0
    v_mov_b32 v4, 0
    s_mov_b32 s20, 0
    s_waitcnt lgkmcnt(0)
next:
    buffer_load_dword v3, v2, s[4:7], 0 offen
    s_waitcnt vmcnt(0)
    add v4, v4, v3
    add v2, 4, v2
    s_add_u32 s20, s20, 1
    s_cmp_lt_u32 s20, TURNS
    s_cbranch_scc1 next
    ds_write_b32 v1, v4
    add v5, NEXT, v1
    v_and_b32 v5, 0xfc, v5
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v6, v5
    s_waitcnt lgkmcnt(0)
    v_xor_b32 v6, 0x55, v6
    buffer_store_dword v6, v1, s[8:11], 0 offen
    v_mov_b32 v7, ADDED
    buffer_atomic_add v7, off, s[12:15], 0
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
