// RUN: gfx803 gfx900 gfx906
// The same kernel with one wrong instruction each, as a compiler may make it: out = (a * b + 8 * a) if a > b, else a ^ b.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? --against -DOTHER=1
//? --against -DWRONG=1
//? --against -DWRONG=2
//? --against -DWRONG=3
//? out[37] --against -DWRONG=3 --against -DOTHER=1
//? --against -DWRONG=4
//? --against -DWRONG=5
//? --against -DWRONG=6
//? --against -DWRONG=7
//? out[1] --against -DWRONG=7
//? --against=--arg=b=u32*64:random(3,1,1000)
.ifndef WRONG
.set WRONG, 0
.endif
.ifndef OTHER
.set OTHER, 0
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
.if WRONG == 1
    v_lshlrev_b32 v9, 3, v0                 // the offset of a
.else
    v_lshlrev_b32 v9, 2, v0
.endif
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v9, s[4:7], 0 offen
    buffer_load_dword v3, v1, s[8:11], 0 offen
    s_waitcnt vmcnt(0)
.if WRONG == 2
    v_cmp_ge_u32 vcc, v2, v1                // another register
.elseif WRONG == 3
    v_cmp_lt_u32 vcc, v2, v3                // another comparison
.else
    v_cmp_gt_u32 vcc, v2, v3
.endif
    s_and_saveexec_b64 s[2:3], vcc
.if OTHER
    v_lshlrev_b32 v6, 3, v2                 // as the other code, in other registers and another order
    v_mul_u32_u24 v7, v3, v2
    v_mov_b32 v8, v7
    add v4, v6, v8
.elseif WRONG == 4
    v_mul_u32_u24 v4, v2, v3
    v_lshlrev_b32 v5, 4, v2                 // a wrong shift
    add v4, v4, v5
.elseif WRONG == 5
    v_lshlrev_b32 v5, 3, v2
    v_mad_u32_u24 v4, v2, v2, v5            // another operand, fused
.elseif WRONG == 6
    v_mul_u32_u24 v4, v2, v3
    v_lshlrev_b32 v5, 3, v3                 // another operand
    add v4, v4, v5
.else
    v_mul_u32_u24 v4, v2, v3
    v_lshlrev_b32 v5, 3, v2
    add v4, v4, v5
.endif
    s_xor_b64 exec, exec, s[2:3]
    v_xor_b32 v4, v2, v3
.if WRONG != 7
    s_mov_b64 exec, s[2:3]
.endif
    buffer_store_dword v4, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
