//! Alternative spellings, and diagnostics for invalid statements.

mod common;

use common::{target, words};
use gcn_asm::{Options, Severity, Source, assemble};

/// Target, alternative spelling, canonical spelling.
#[rustfmt::skip]
const ALIKE: &[(&str, &str, &str)] = &[
    // Case, comments, separators (errata E011).
    ("gfx900", "DS_ADD_U32 V1, V2 OFFSET:16 GDS", "ds_add_u32 v1, v2 offset:16 gds"),
    ("gfx900", "ds_add_u32 v1, v2 gds offset:16 // gds first", "ds_add_u32 v1, v2 offset:16 gds"),
    ("gfx900", "ds_add_u32 v1, v2, offset:16, gds", "ds_add_u32 v1, v2 offset:16 gds"),
    ("gfx900", "ds_add_u32 /* a */ v1, /* b\n c */ v2 gds:0 ; d", "ds_add_u32 v1, v2"),
    ("gfx900", "s_nop '/' # not here: /*", "s_nop 47"),
    ("gfx900", "# 1 \"k.s\"\nds_add_u32 v1, v2 gds:1", "ds_add_u32 v1, v2 gds"),
    ("gfx900", "flat_load_dword v1, v[2:3] inst_offset:4", "flat_load_dword v1, v[2:3] offset:4"),
    // Registers.
    ("gfx900", "v_mov_b32 v[5], v[2+4]", "v_mov_b32 v5, v6"),
    ("gfx900", "global_load_dword v1, [v2,v3], off", "global_load_dword v1, v[2:3], off"),
    ("gfx900", "s_load_dword s1, [s2, s3], 0", "s_load_dword s1, s[2:3], 0"),
    (".gfx9", "s_mov_b64 ttmp[4:5], exec", "s_mov_b64 ttmp[4:5], exec"),
    ("gfx900", ".set base, 8\nv_mov_b32 v[base], v[base+1]", "v_mov_b32 v8, v9"),
    ("gfx900", "s_mov_b64 s[0:1], src_shared_base", "s_mov_b64 s[0:1], shared_base"),
    // Source modifiers.
    ("gfx900", "v_add_f32 v0, neg(v1), abs(v2)", "v_add_f32_e64 v0, -v1, |v2|"),
    ("gfx900", "v_add_f32 v0, -|v1|, -abs(v2)", "v_add_f32_e64 v0, neg(abs(v1)), -|v2|"),
    // The shortest encoding (VOP2 takes a VGPR as the second source).
    ("gfx900", "v_add_f32 v0, s1, v2", "v_add_f32_e32 v0, s1, v2"),
    ("gfx900", "v_add_f32 v0, v2, s1", "v_add_f32_e64 v0, v2, s1"),
    ("gfx900", "v_add_f32 v0, v1, v2 clamp", "v_add_f32_e64 v0, v1, v2 clamp"),
    ("gfx900", "v_add_co_u32 v0, vcc, v1, v2", "v_add_co_u32_e32 v0, vcc, v1, v2"),
    ("gfx900", "v_add_co_u32 v0, s[2:3], v1, v2", "v_add_co_u32_e64 v0, s[2:3], v1, v2"),
    ("gfx900", "v_cmp_lt_f32 vcc, v1, v2", "v_cmp_lt_f32_e32 vcc, v1, v2"),
    ("gfx900", "v_cmp_lt_f32 s[2:3], v1, v2", "v_cmp_lt_f32_e64 s[2:3], v1, v2"),
    ("gfx900", "v_mov_b32 v0, v1 row_mirror", "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf"),
    ("gfx900", "v_mov_b32 v0, v1 dst_sel:BYTE_0", "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD"),
    // Constants: the inline one with the same bits.
    ("gfx900", "v_mov_b32 v0, 0x3f800000", "v_mov_b32 v0, 1.0"),
    ("gfx900", "s_mov_b32 s0, 0xffffffff", "s_mov_b32 s0, -1"),
    ("gfx900", "s_mov_b32 s0, 0b1000000", "s_mov_b32 s0, 64"),
    ("gfx900", "s_mov_b32 s0, 0100", "s_mov_b32 s0, 64"),
    ("gfx900", "s_mov_b32 s0, 'A'", "s_mov_b32 s0, 65"),
    ("gfx900", "s_mov_b32 s0, 1.5", "s_mov_b32 s0, 0x3fc00000"),
    ("gfx900", "v_add_f16 v0, 1.0, v1", "v_add_f16 v0, 0x3c00, v1"),
    ("gfx900", "v_add_f16 v0, 1.5, v1", "v_add_f16 v0, 0x3e00, v1"),
    ("gfx900", "s_mov_b64 s[0:1], 0x4000000000000000", "s_mov_b64 s[0:1], 2.0"),
    ("gfx803", "v_mul_f32 v0, 0.15915494, v1", "v_mul_f32 v0, 0x3e22f983, v1"),
    ("gfx900", "v_madak_f32 v0, 0x1234, v2, 0x1234", ".long 0x300004ff, 0x1234"),
    ("gfx900", "v_add_f32 v0, 0x1.8p1, v1", "v_add_f32 v0, 3.0, v1"),
    ("gfx900", "v_add_f32 v0, -0x1.8p+1, v1", "v_add_f32 v0, -3.0, v1"),
    ("gfx900", "v_add_f32 v0, 0X.8P1, v1", "v_add_f32 v0, 1.0, v1"),
    ("gfx900", "v_add_f64 v[0:1], 0x1p-1, v[2:3]", "v_add_f64 v[0:1], 0.5, v[2:3]"),
    ("gfx900", "v_add_f16 v0, 0x1.8p1, v1", "v_add_f16 v0, 0x4200, v1"),
    ("gfx900", "s_mov_b32 s0, 0x1.p1", "s_mov_b32 s0, 2.0"),
    // VCC where the encoding can name no other register, as in LLVM.
    ("gfx900", "v_cmp_eq_f32 v1, v2", "v_cmp_eq_f32_e32 vcc, v1, v2"),
    ("tahiti", "v_cmpx_lt_f64_e32 v[1:2], v[3:4]", "v_cmpx_lt_f64_e32 vcc, v[1:2], v[3:4]"),
    ("fiji", "v_cmp_class_f32 s1, v2", "v_cmp_class_f32_e32 vcc, s1, v2"),
    ("tahiti", "v_cndmask_b32 v1, v2, v3", "v_cndmask_b32_e32 v1, v2, v3, vcc"),
    ("gfx900", "v_cndmask_b32_e32 v1, v2, v3", "v_cndmask_b32_e32 v1, v2, v3, vcc"),
    ("gfx900", "v_subrev_co_u32 v1, v2, v3", "v_subrev_co_u32_e32 v1, vcc, v2, v3"),
    // Two operands that name the same register use the constant bus once.
    ("gfx900", "v_ldexp_f64 v[0:1], src_scc, src_scc", ".long 0xd2840000, 0x0001fafd"),
    ("fiji", "v_cmp_class_f64 vcc, src_vccz, src_vccz", ".long 0xd012006a, 0x0001f6fb"),
    // GCN 1.2 has a single instruction, with two names, for the low half of a product.
    ("fiji", "v_mul_lo_i32 v0, v1, v2", "v_mul_lo_u32 v0, v1, v2"),
    ("gfx906", "v_mul_lo_i32_e64 v0, v1, v2", "v_mul_lo_u32 v0, v1, v2"),
    // List elements for operands that do not exist.
    ("gfx906", "v_dot2_f32_f16 v0, v1, v2, v3 op_sel:[0,1,0,0]", "v_dot2_f32_f16 v0, v1, v2, v3 op_sel:[0,1,0]"),
    ("gfx906", "v_dot2_i32_i16 v0, v1, v2, v3 op_sel_hi:[1,1,1,1]", "v_dot2_i32_i16 v0, v1, v2, v3"),
    ("gfx900", "v_pk_add_u16 v0, v1, v2 op_sel:[0,0,0]", "v_pk_add_u16 v0, v1, v2"),
    // Absolute values of mixed precision are in the bits of NEG_HI.
    ("gfx900", "v_mad_mix_f32 v0, v1, abs(v2), -v3", ".long 0xd3a00200, 0x840e0501"),
    // A delayed value can be a literal, too.
    ("gfx700", "s_load_dwordx4 s[4:7], s[2:3], lit(zx)\nzx = 1", ".long 0xc08202ff, 1"),
    ("gfx700", "v_mov_b32 v0, lit(zx)\nzx = 1", ".long 0x7e0002ff, 1"),
    ("bonaire", "v_add_co_u32 v0, vcc, v1, v2", "v_add_i32_e64 v0, vcc, v1, v2"),
    // Operands of program control.
    ("gfx900", "s_waitcnt vmcnt(0), lgkmcnt(1)", "s_waitcnt vmcnt(0) & lgkmcnt(1)"),
    ("gfx900", "s_waitcnt vmcnt_sat(100)", "s_waitcnt 0xcf7f"),
    ("gfx803", "s_waitcnt lgkmcnt(0)", "s_waitcnt 0x007f"),
    ("gfx900", "s_setreg_b32 hwreg(1, 4, 2), s0", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s0"),
    ("gfx900", "s_sendmsg sendmsg(3, 0)", "s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)"),
    ("gfx900", "s_nop 0\na: s_branch a", "s_nop 0\ns_branch -1"),
    ("gfx900", "s_branch b\ns_nop 0\nb:", "s_branch 1\ns_nop 0"),
    ("gfx900", "s_nop 0\n.lcomm a, 64\n.lcomm b, 32\ns_nop 1\n.long b - a", "s_nop 0\ns_nop 1\n.long 64"),
    ("gfx900", "1: s_branch 1f\n1: s_branch 1b", "s_branch 0\ns_branch 0xffff"),
    ("gfx900", "s_cbranch_scc0 .+8", "s_cbranch_scc0 1"),
    // Register counts of a kernel so far; an alias of an external symbol, which a code object cannot represent.
    ("gfx900", "v_mov_b32 v2, s5\ns_nop .kernel.vgpr_count + .kernel.sgpr_count\n.amdgpu_hsa_kernel k\nk: s_nop .kernel.vgpr_count", "v_mov_b32 v2, s5\ns_nop 9\nk: s_nop 0"),
    ("gfx900", "other = elsewhere + 4\ns_nop 0", "s_nop 0"),
    // Typed buffer formats: names in any order, only one of them, a number, LLVM's older spelling before an operand.
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], s1 format:[BUF_NUM_FORMAT_FLOAT, buf_data_format_32]", "tbuffer_load_format_x v1, off, s[4:7], s1 format:116"),
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], s1 format:[BUF_NUM_FORMAT_SNORM]", "tbuffer_load_format_x v1, off, s[4:7], s1 format:0x11"),
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], dfmt:4, nfmt:7, s1 glc", "tbuffer_load_format_x v1, off, s[4:7], s1 glc format:116"),
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], nfmt:7 dfmt:4 s1 glc", "tbuffer_load_format_x v1, off, s[4:7], s1 glc format:116"),
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], s1 dfmt:4", "tbuffer_load_format_x v1, off, s[4:7], s1 format:4"),
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], s1", ".long 0xe8080000, 0x01010100"),
    ("gfx600", "tbuffer_load_format_x v1, off, s[4:7], s1 format:[BUF_NUM_FORMAT_SNORM_OGL]", "tbuffer_load_format_x v1, off, s[4:7], s1 nfmt:6"),
    // Images: the address has as many registers as the image needs, a short descriptor may be written short.
    ("gfx900", "image_load v[1:4], v[2:4], s[4:11] dmask:15", "image_load v[1:4], v2, s[4:11] dmask:0xf"),
    ("gfx900", "image_sample_c_b_cl v1, v[2:9], s[4:11], s[12:15] dmask:1", "image_sample_c_b_cl v1, v[2:7], s[4:11], s[12:15] dmask:1"),
    ("gfx803", "image_load v1, v2, s[4:7] dmask:1 r128", "image_load v1, v2, s[4:11] dmask:1 r128"),
    ("gfx803", "image_load v[1:2], v2, s[4:11] dmask:3 d16", ".long 0xf0000300, 0x80010102"),
    ("gfx900", "image_load v1, v2, s[4:11] dmask:3 d16", ".long 0xf0000300, 0x80010102"),
    // Exports: a target without a comma or with one; compressed values are pairs.
    ("gfx900", "exp mrt0, v1, v2, v3, v4 vm done", "exp mrt0 v1, v2, v3, v4 done vm"),
    ("gfx900", "exp PARAM31 v1, off, off, v4", ".long 0xc40003f9, 0x04000001"),
    ("gfx900", "exp mrtz v1, off, v3, off compr", "exp mrtz v1, v1, v3, v3 compr"),
    // Interpolation: the short form unless something requires VOP3.
    ("gfx600", "v_interp_p1_f32_e32 v1, v2, attr0.x", "v_interp_p1_f32 v1, v2, ATTR0.X"),
    ("gfx900", "v_interp_p1_f32 v1, -v2, attr3.y", "v_interp_p1_f32_e64 v1, -v2, attr3.y"),
    ("gfx900", "v_interp_mov_f32 v1, P20, attr3.y clamp", "v_interp_mov_f32_e64 v1, p20, attr3.y clamp"),
    ("gfx803", "v_interp_p2_f16 v5, v2, attr0.x, v3", ".long 0xd2760005, 0x040e0400"),
    ("gfx900", "v_interp_p2_f16 v5, v2, attr0.x, v3", ".long 0xd2770005, 0x040e0400"),
    // Atomics with and without a destination (errata E014), LDS loads (E015), DS without operands (E018, E019).
    ("gfx900", "global_load_dword v0, v[2:3], off lds", "global_load_dword v[2:3], off lds"),
    ("gfx900", "ds_nop v0", "ds_nop"),
    ("gfx900", "ds_gws_sema_v v0 gds", "ds_gws_sema_v gds"),
    ("gfx700", "s_load_dword s0, s[2:3], 255", "s_load_dword s0, s[2:3], 0xff"),
    // Expressions.
    ("gfx900", ".long 2+3*4, (2+3)*4, 1<<4|1, 7&3+1", ".long 14, 20, 17, 4"),
    ("gfx900", ".long -7/2, -7%3, ~0, !5, !0", ".long -3, -1, -1, 0, 1"),
    ("gfx900", ".long 1==1, 2<1, 3>=3, 1&&2, 0||0", ".long -1, 0, -1, 1, 0"),
    ("gfx900", ".quad -1>>60", ".quad 15"),
    ("gfx900", ".set x, y+1\n.long x\n.set y, 4", ".long 5"),
    ("gfx900", ".long x@abs32@lo, x@abs32@hi\n.set x, y\n.set y, 0x123456789", ".long 0x23456789, 1"),
    ("gfx900", "a: s_nop 0\ns_nop 0\nb: .long b-a, (b-a)/4", "s_nop 0\ns_nop 0\n.long 8, 2"),
    ("gfx900", "s_mov_b32 s0, end-start\nstart: s_nop 0\nend:", "s_mov_b32 s0, lit(4)\ns_nop 0"),
    // Data.
    ("gfx900", ".byte 1, 2\n.short 3\n.ascii \"ab\\n\\0\"", ".long 0x00030201, 0x000a6261"),
    ("gfx900", ".set a, 3\n.octa -a+1, -(2)\n.octa -5", ".octa -2, -2, -5"),
    ("gfx900", ".octa 017, 0b101, 1u, -010", ".octa 15, 5, 1, -8"),
    ("gfx900", ".quad 1u, 0x10ul, 0b11Ll, 017uLL, -1ull", ".quad 1, 16, 3, 15, -1"),
    ("gfx900", ".byte '\\0', '\\q', '\\n', '\\\''", ".byte 48, 113, 10, 39"),
    ("gfx900", ".dcb.s 2, 1.5\n.dcb.d 1, -0.5\n.ds.x 1\n.ds.p 2", ".float 1.5, 1.5\n.double -0.5\n.zero 36"),
    ("gfx900", ".float 1.0, -2\n.double 0.5", ".long 0x3f800000, 0xc0000000, 0, 0x3fe00000"),
    ("gfx900", ".fill 2, 4, 7\n.space 4\n.zero 4", ".long 7, 7, 0, 0"),
    ("gfx900", "s_nop 1\n.p2align 4", "s_nop 1\ns_nop 0\ns_nop 0\ns_nop 0"),
    ("gfx900", "s_nop 1\n.p2alignl 4, 0xbf9f0000", "s_nop 1\n.long 0xbf9f0000, 0xbf9f0000, 0xbf9f0000"),
    ("gfx900", ".data\n.long 1\n.text\n.long 2\n.previous\n.long 3\n.section .text\n.long 4", ".long 2, 4"),
    ("gfx900", ".pushsection .x\n.long 1\n.popsection\n.long 2", ".long 2"),
    ("gfx900", ".section .text,\"ax\",@progbits,unique,1\n.long 1\n.section .text,\"ax\",@progbits\n.long 2", ".long 2"),
];

#[test]
fn ways_of_writing() {
    for (name, one, other) in ALIKE {
        let target = target(if *name == ".gfx9" { "gfx906" } else { name });
        let expected = words(target, other).unwrap_or_else(|error| panic!("{other}: {error}"));
        assert_eq!(words(target, one), Ok(expected), "{one}");
    }
}

/// Target, source, and for each diagnostic the marked text, part of the message, and part of the help.
type Case = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str, &'static str)],
);

#[rustfmt::skip]
const MESSAGES: &[Case] = &[
    ("gfx900", "v_ad_f32 v0, v1, v2\ns_endpgm\nds_raed_b32 v0, v1", &[
        ("v_ad_f32", "unknown instruction `v_ad_f32`", "did you mean `v_add_f32`?"),
        ("ds_raed_b32", "unknown instruction", "did you mean `ds_read_b32`?"),
    ]),
    ("gfx803", "global_load_dword v1, v[2:3], off", &[("global_load_dword", "GCN 1.2 has no instruction", "it exists on GCN 1.4, 1.4.1")]),
    // Diagnostics name the encoding or the chip.
    ("bonaire", "v_mov_b32_dpp v0, v1 row_shl:1", &[("v_mov_b32_dpp", "GCN 1.1 has no DPP form of `v_mov_b32`", "it exists on GCN 1.2, 1.4, 1.4.1")]),
    ("fiji", "v_readlane_b32_e32 s0, v1, s2", &[("v_readlane_b32_e32", "GCN 1.2 has no 32-bit form of `v_readlane_b32`", "it exists on GCN 1.0, 1.1")]),
    ("gfx900", "v_add_f64_sdwa v[0:1], v[2:3], v[4:5]", &[("v_add_f64_sdwa", "GCN 1.4 has no SDWA form of `v_add_f64`", "without the suffix")]),
    ("gfx900", "v_fma_mix_f32 v0, v1, v2, v3", &[("v_fma_mix_f32", "gfx900 has no instruction `v_fma_mix_f32`", "it exists on gfx904, gfx906\nthe operation is `v_mad_mix_f32` here")]),
    // Names on other generations.
    ("gfx900", "v_addc_u32 v0, vcc, v1, v2, vcc", &[("v_addc_u32", "GCN 1.4 has no instruction", "`v_addc_co_u32`")]),
    ("fiji", "v_lshl_b32 v0, v1, v2", &[("v_lshl_b32", "GCN 1.2 has no instruction", "`v_lshlrev_b32` here, which takes the first two sources in reverse order")]),
    ("gfx900", "v_add_u32 v0, vcc, v1, v2", &[("v2", "too many operands", "`v_add_co_u32`")]),
    ("gfx900", "v_add_i32 v0, vcc, v1, v2", &[("v2", "too many operands", "`v_add_co_u32`")]),
    ("fiji", "v_add_i32 v0, v1, v2", &[("v_add_i32", "too few operands for `v_add_u32`", "sDST(2)")]),
    // errata E245
    ("gfx600", "s_setkill 1\na: s_cbranch_cdbguser a", &[("s_setkill", "GCN 1.0 has no instruction", "GCN 1.1"), ("s_cbranch_cdbguser", "GCN 1.0 has no instruction", "GCN 1.1")]),
    ("gfx900", "v_add_f32 v0, \\\n", &[("\\", "expected a number or a symbol", "--dialect clrx")]),
    ("gfx900", ".lcomm a, 8, 4", &[(",", "expected the end of the line", ".p2align")]),
    ("gfx900", "a:\n.lcomm a, 8", &[("a", "already defined", "")]),
    ("gfx900", "ds_add_u32 v1", &[("ds_add_u32", "too few operands", "written as `ds_add_u32 vADDR, vDATA [offset:N] [gds]`")]),
    ("gfx900", "ds_add_u32 v1, v2, v3", &[("v3", "too many operands", "ds_add_u32 vADDR, vDATA")]),
    ("gfx900", "ds_add_u32 v1, s2", &[("s2", "takes one VGPR here", "")]),
    ("gfx900", "ds_add_u64 v1, v2", &[("v2", "takes 2 registers here, found 1", "vDATA(2)")]),
    ("gfx900", "v_mov_b32 v256, v1", &[("v256", "register v256 does not exist", "v0 to v255")]),
    ("gfx900", "v_mov_b32 v1, s102", &[("s102", "register s102 does not exist", "s0 to s101")]),
    ("gfx900", "v_mov_b32 v1, v[3:2]", &[("3:2", "is before the first", "")]),
    ("gfx600", "s_mov_b64 flat_scratch, 0", &[("flat_scratch", "GCN 1.0 has no register", "it exists on GCN 1.1")]),
    ("gfx900", "ds_read2_b32 v[0:1], v2 offset:4", &[("offset", "`offset` is not allowed on `ds_read2_b32`", "[offset0:N] [offset1:N]")]),
    ("gfx900", "ds_read_b32 v0, v2 foo", &[("foo", "expected `,` or a modifier, found `foo`", "")]),
    ("gfx900", "ds_read_b32 v0, v2 offset", &[("offset", "`offset` needs a value", "`offset:N`")]),
    ("gfx900", "ds_read_b32 v0, v2 gds:2", &[("2", "gds is 2, out of range 0 to 1", "")]),
    ("gfx900", "ds_read_b32 v0, v2 gds gds", &[("gds", "`gds` is written twice", "")]),
    ("gfx900", "ds_read_b32 v0,", &[("", "expected an operand after `,`", "")]),
    ("gfx900", "ds_gws_init v1", &[("ds_gws_init", "needs `gds`", "")]),
    ("gfx900", "image_load v[1:2], v2, s[4:11] dmask:0x7", &[("v[1:2]", "takes 3 registers here, found 2", "vDATA(as dmask asks)")]),
    ("gfx900", "image_sample_c_d v1, v[2:3], s[4:11], s[12:15] dmask:1", &[("v[2:3]", "has 3 to 10 registers, found 2", "")]),
    ("gfx900", "image_load v1, v2, s[4:11] dmask:1 r128", &[("r128", "`r128` is not allowed on `image_load` of GCN 1.4", "")]),
    ("gfx900", "image_load v1, v2, s[4:7] dmask:1", &[("s[4:7]", "takes 8 registers here, found 4", "")]),
    ("gfx803", "image_gather4h v[1:4], v2, s[4:11], s[12:15] dmask:1", &[("image_gather4h", "GCN 1.2 has no instruction", "GCN 1.4")]),
    ("gfx900", "exp mrt8 v1, v2, v3, v4", &[("mrt8", "expected a target, found `mrt8`", "mrt0 to mrt7")]),
    ("gfx900", "exp mrt0 v1, v2, v3", &[("exp", "too few operands", "exp TARGET")]),
    ("gfx900", "exp mrt0 v1, s2, v3, v4", &[("s2", "takes one VGPR or `off` here", "")]),
    ("gfx900", "v_interp_p1_f32 v1, v2, attr33.x", &[("attr33.x", "expected an attribute", "attr0.x to attr32.w")]),
    ("gfx900", "v_interp_mov_f32 v1, p30, attr0.x", &[("p30", "expected a value at a vertex", "p10, p20 and p0")]),
    ("gfx600", "v_interp_p1_f32 v1, -v2, attr0.x", &[("-v2", "no source modifiers", "")]),
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], s1 format:128", &[("format:128", "out of range 0 to 127", "")]),
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], s1 format:[BUF_DATA_FORMAT_8,BUF_DATA_FORMAT_16]", &[("BUF_DATA_FORMAT_16", "one data format and one number format", "")]),
    ("gfx900", "tbuffer_load_format_x v1, off, s[4:7], s1 format:[BUF_NUM_FORMAT_SNORM_OGL]", &[("BUF_NUM_FORMAT_SNORM_OGL", "unknown format", "GCN 1.4 has BUF_DATA_FORMAT_INVALID")]),
    ("gfx900", "ds_permute_b32 v0, v1, v2 gds", &[("ds_permute_b32 v0, v1, v2 gds", "`gds` has no effect", "")]),
    ("gfx803", "s_store_dword s0, s[2:3], s4", &[("s4", "is `m0` or a number", "move the offset to M0")]),
    ("gfx900", "s_store_dword s0, s[2:3], s4", &[("s4", "AMD's manual allows only `m0`", "")]),
    ("gfx600", "s_load_dword s0, s[2:3], 256", &[("256", "256 is out of range 0 to 255", "")]),
    ("gfx700", "s_load_dword s1, s[2:3], -4", &[("-4", "-4 is out of range 0 to 4294967295", "")]),
    ("gfx900", "s_waitcnt vmcnt(14) & vmcnt(12)", &[("vmcnt", "`vmcnt` is written twice; the last one counts", "")]),
    ("gfx900", "s_waitcnt vmcnt(14) & vmcnt_sat(12)", &[("vmcnt_sat", "`vmcnt` is written twice; the last one counts", "")]),
    ("gfx900", "v_add_f32 v0, s1, s2", &[("s2", "at most one scalar register or literal", "")]),
    ("gfx900", "v_writelane_b32 v1, s2, m0\nv_writelane_b32 v1, m0, s2", &[("s2", "at most one scalar register or literal", "")]),
    ("gfx900", "v_add_f32_e32 v0, v1, s2", &[("s2", "must be a VGPR", "")]),
    ("gfx900", "v_add_f32_e64 v0, 1.5, v2", &[("1.5", "literal constant is not possible", "inline")]),
    ("gfx900", "s_add_u32 s0, 100, 200", &[("200", "one literal constant only", "")]),
    ("gfx900", "s_mov_b32 s0, 0x100000000", &[("0x100000000", "out of range", "")]),
    ("gfx900", "v_add_u32 v0, -v1, v2", &[("-v1", "only floating-point operands", "")]),
    ("gfx900", "v_add_f32 v0, 100, 200", &[("200", "one literal constant only", "")]),
    ("gfx900", "v_add_f32 v0, 100, 1.0", &[("100", "literal constant is not possible here", "")]),
    ("gfx900", "s_waitcnt vmcount(0)", &[("vmcount", "unknown function `vmcount`", "did you mean `vmcnt`?")]),
    ("gfx900", "v_mov_b32 v 1, v2", &[("v 1", "follows the letter without a blank", "write `v1`")]),
    ("gfx900", "buffer_load_dword v0, s[0:3], 0 offen", &[("buffer_load_dword", "needs 1 VGPR as its address", "written as")]),
    ("gfx900", "buffer_load_dword v0, s[0:3], 0 idxen offen", &[("buffer_load_dword", "needs 2 VGPRs as its address", "written as")]),
    ("gfx900", "buffer_load_dword v0, s[0:3], 0", &[("buffer_load_dword", "too few operands", "the address is `off`")]),
    ("gfx900", "s_waitcnt vmcnt(64)", &[("vmcnt(64", "vmcnt counts from 0 to 63", "")]),
    ("gfx803", "s_waitcnt vmcnt(16)", &[("vmcnt(16", "vmcnt counts from 0 to 15", "")]),
    ("gfx803", "s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES)", &[("HW_REG_SH_MEM_BASES", "has no hardware register", "GCN 1.4")]),
    ("gfx700", "ds_swizzle_b32 v0, v1 offset:swizzle(FFT,31)", &[("FFT", "has no swizzle mode", "GCN 1.2")]),
    ("gfx900", "s_branch nowhere+2\n.long 1/0", &[("1/0", "division by zero", "")]),
    ("gfx900", "a:\na:", &[("a", "symbol `a` is already defined", "")]),
    ("gfx900", "x = y\ny = x\n.long x", &[("x", "defined in terms of itself", ""), ("y", "defined in terms of itself", ""), ("x", "defined in terms of itself", "")]),
    ("gfx900", ".byte 256", &[("256", "out of range -128 to 255", "")]),
    ("gfx900", ".dcb.b 1, 256", &[(".dcb.b", "out of range -128 to 255", "")]),
    ("gfx900", "s_branch 1f\nx = 2f\n1: s_branch 3f // 3\n.skip 4f", &[
        ("2f", "there is no label `2:` after this", ""),
        ("3f", "there is no label `3:` after this", ""),
        ("4f", "symbol `4f` is not defined", ""),
        ("4f", "there is no label `4:` after this", ""),
    ]),
    ("gfx900", ".section .a,\"a\"\n.section .a,\"ax\"\n.section .a\n.section .a,\"a\",@nobits\n.section .text,\"ax\"\n.section .data,\"ax\"", &[
        (".a,\"ax\"", "section `.a` has the flags \"a\"", "cannot change"),
        (".a,\"a\",@nobits", "section `.a` has another type", ""),
        (".data,\"ax\"", "section `.data` has the flags \"aw\"", ""),
    ]),
    ("gfx900", ".fill 0x20000000, 8, 0", &[(".fill", "would become too large", "at most 268435456 bytes")]),
    ("gfx900", ".bss\n.skip 1 << 41", &[(".skip", "would become too large", "at most 1099511627776 bytes")]),
    ("gfx900", ".lnog 1", &[(".lnog", "unknown directive", "did you mean `.long`?")]),
    ("gfx900", ".byte 1\ns_nop 0", &[("s_nop 0", "begins at a multiple of 4, not at 1", ".p2align 2")]),
    ("gfx900", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"", &[("\"amdgcn-amd-amdhsa--gfx803\"", "is for gfx803 (GCN 1.2), but is assembled for gfx900", "--target gfx803")]),
    ("gfx900", ".amdhsa_kernel k\n.amdhsa_next_free_vgpr 300\n.amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\nk: s_endpgm", &[("300", "out of range 0 to 256", "")]),
    ("gfx900", ".amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n.end_amdhsa_kernel\nk: s_endpgm", &[(".amdhsa_kernel k", "it gets 1 SGPRs, no VCC, no FLAT_SCRATCH", "")]),
    ("gfx900", ".amdhsa_kernel k\n.amdhsa_next_free_sgpr 8\n.amdhsa_system_vgpr_workitem_id 2\n.end_amdhsa_kernel\n.p2align 8\nk: v_mov_b32 v1, vcc_lo\ns_endpgm\n.type f,@function\nf: v_mov_b32 v9, 0", &[(".amdhsa_kernel k", "it gets 3 VGPRs", "")]),
    ("gfx900", ".amdhsa_kernel k\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.end_amdhsa_kernel\nk: v_cmp_eq_u32 vcc, v6, s1\ns_swappc_b64 s[4:5], s[2:3]\n.type f,@function\nf: v_mov_b32 v9, s30", &[(".amdhsa_kernel k", "it gets 10 VGPRs, 31 SGPRs, VCC, FLAT_SCRATCH", "calls code elsewhere")]),
    ("gfx600", ".amdhsa_kernel k\n.amdhsa_fp16_overflow 1\n.end_amdhsa_kernel\nk:", &[(".amdhsa_kernel k", "it gets 1 VGPRs, 1 SGPRs, no VCC", ""), (".amdhsa_fp16_overflow", "GCN 1.0 has no", "GCN 1.4")]),
    ("gfx900", ".amd_kernel_code_t\n  wavefront_sgpr_coun = 1\n.end_amd_kernel_code_t", &[("wavefront_sgpr_coun", "has no key `wavefront_sgpr_coun`", "`wavefront_sgpr_count`")]),
    ("gfx900", ".amd_kernel_code_t\n  is_ptr64 = 2\n enable_wgp_mode = 1\n.end_amd_kernel_code_t", &[("2", "out of range 0 to 1 of `is_ptr64`", "")]),
    ("gfx900", ".amdhsa_kernel k\ns_nop 0\nl: .long 1\n1:\nx = 1\n.incbin \"a\"\n.end_amdhsa_kernel\nk: s_endpgm", &[
        (".amdhsa_kernel k", "it gets 1 VGPRs", ""),
        ("s_nop", "`s_nop` cannot be between `.amdhsa_kernel k` and `.end_amdhsa_kernel`", ""),
        ("l", "`l` cannot be between", ""),
        ("1:", "`1:` cannot be between", ""),
        ("x", "`x` cannot be between", ""),
        (".incbin", "`.incbin` cannot be between", ""),
    ]),
    ("gfx900", ".amd_kernel_code_t\ns_nop 0\n.long 1\n.end_amd_kernel_code_t", &[
        ("s_nop", "cannot be between `.amd_kernel_code_t` and `.end_amd_kernel_code_t`", ""),
        (".long", "cannot be between", ""),
    ]),
    ("gfx900", ".amd_kernel_code_t", &[(".amd_kernel_code_t", "is not closed", ".end_amd_kernel_code_t")]),
    ("gfx900", ".end_amd_kernel_code_t", &[(".end_amd_kernel_code_t", "without `.amd_kernel_code_t`", "")]),
    ("gfx900", ".amdgpu_lds a, 100\n.amdgpu_lds b, 8, 16\n.if b != 112 || b@abs32@hi != 0\n.error \"misplaced\"\n.endif\nk: s_mov_b32 s0, b@abs32@lo\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 1\n.end_amdhsa_kernel", &[(".amdhsa_kernel k", "it gets the 120 bytes of `.amdgpu_lds`", "")]),
    ("gfx900", ".amdgpu_lds a, 65537", &[("65537", "out of range 0 to 65536", "")]),
    ("gfx900", ".amdgpu_lds a, 65536\n.amdgpu_lds b, 1", &[("b", "need 65537 bytes", "")]),
    ("gfx900", ".amdgpu_lds a, 4, 3", &[("a, 4, 3", "must be a power of two", "")]),
    ("gfx803", ".hsa_code_object_version 3, 0", &[("3, 0", "states version 2, not 3", ".amdhsa_code_object_version")]),
    ("gfx803", ".amd_amdgpu_hsa_metadata\n- 1\n.end_amd_amdgpu_hsa_metadata", &[(".amd_amdgpu_hsa_metadata", "not a map", "")]),
    ("gfx900", ".reloc 0, R_AMDGPU_NOTHING, a", &[("R_AMDGPU_NOTHING", "unknown relocation", "R_AMDGPU_ABS64")]),
    ("gfx900", ".gcn_address 256\n.gcn_address 512", &[(".gcn_address", "is at 0x100 already", "")]),
];

#[test]
fn messages() {
    for (name, text, expected) in MESSAGES {
        let source = Source {
            name: "test.s",
            text,
        };
        let assembly = assemble(&source, &Options::new(target(name)));
        let found: Vec<_> = assembly
            .diagnostics
            .iter()
            .map(|d| (&text[d.span.clone()], d.message.clone(), d.help.join("\n")))
            .collect();
        assert_eq!(found.len(), expected.len(), "{text}: {found:#?}");
        for ((marked, message, help), (span, part, advice)) in found.iter().zip(*expected) {
            assert_eq!(marked, span, "{text}: {message}");
            assert!(message.contains(part), "{text}: {message}");
            assert!(help.contains(advice), "{text}: {message}: {help}");
        }
    }
}

#[test]
fn assembling_goes_on_after_errors() {
    let text = "s_nop 0\nrubbish\ns_nop 1\nds_read_b32 v0\ns_endpgm\n";
    let source = Source {
        name: "test.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(target("gfx900")));
    assert_eq!(assembly.diagnostics.len(), 2);
    assert!(
        assembly
            .diagnostics
            .iter()
            .all(|d| d.severity == Severity::Error)
    );
    assert_eq!(assembly.program.listing().count(), 3);
    assert_eq!(assembly.program.to_raw().len(), 12);
    // Of two fields, one has its value.
    let text = "ds_write2_b32 v0, v1, v2 offset0:a offset1:b\na = 1\n";
    let source = Source {
        name: "test.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(target("gfx900")));
    assert!(assembly.has_errors());
    let open: Vec<bool> = assembly.program.listing().map(|it| it.open).collect();
    assert_eq!(open, [true]);
}

#[test]
fn raw_words_are_linked_within_code() {
    let program = |text: &str| {
        let source = Source {
            name: "test.s",
            text,
        };
        let options = Options::new(target("gfx900"));
        let assembly = assemble(&source, &options);
        assert_eq!(assembly.diagnostics, [], "{text}");
        assembly.program
    };
    let code = "s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, table@rel32@lo+4\ns_addc_u32 s1, s1, table@rel32@hi+12\ns_endpgm\n";
    let linked = program(&format!("{code}table: .long 5")).to_linked_raw();
    let linked = linked.expect("everything is in one section");
    // After S_GETPC, the program counter is 4; the table is at 24.
    assert_eq!(linked[8..12], 20u32.to_le_bytes());
    assert_eq!(linked[16..20], 0u32.to_le_bytes());
    let aliased = code.replace("table", "alias");
    let aliases = [
        format!("{aliased}table: .long 5\nalias = table"),
        format!("alias = table\n{aliased}table: .long 5"),
    ];
    for text in aliases {
        assert_eq!(program(&text).to_linked_raw().ok(), Some(linked.clone()));
    }
    let errors = program(&format!("{code}.data\ntable: .long 5")).to_linked_raw();
    assert_eq!(errors.map_err(|errors| errors.len()), Err(2));
    // As in LLVM, the alias of a label has no relocation specifier.
    let text = "label: s_nop 0\nalias = label@rel32@hi\ns_add_u32 s0, s0, alias\n";
    let linked = program(text).to_linked_raw().expect("one section");
    assert_eq!(linked[8..12], (-8i32).to_le_bytes());
    // The distance to a number depends on the load address.
    let errors = program("five = 5\ns_add_u32 s0, s0, five@rel32@lo\n").to_linked_raw();
    assert_eq!(errors.map_err(|errors| errors.len()), Err(1));
}
