//! Uses of single instructions, from `gcn_isa::uses`, on instruction sets that differ.

mod common;

/// Target, instruction, expected uses.
#[rustfmt::skip]
const CASES: &[(&str, &str, &str)] = &[
    // M0 bounds LDS up to GCN 1.2: plain loads, stores, atomics (E035).
    ("gfx803", "ds_read_b32 v5, v1",         "reads v1, exec as lanes, m0; writes v5, trapsts[8]; lds read, m0 bounds; lgkmcnt"),
    ("gfx900", "ds_read_b32 v5, v1",         "reads v1, exec as lanes; writes v5, trapsts[8]; lds read; lgkmcnt"),
    ("gfx600", "ds_write_b8 v1, v2",         "reads v1, v2[7:0], exec as lanes, m0; writes trapsts[8]; lds written, m0 bounds; lgkmcnt"),
    ("gfx700", "ds_add_u32 v1, v2 gds",      "reads v1, v2, exec as lanes, m0; writes trapsts[8]; gds atomic, m0 addresses; lgkmcnt, expcnt"),
    ("gfx900", "ds_read_u16_d16_hi v5, v1",  "reads v1, exec as lanes; writes v5[31:16], trapsts[8]; lds read; lgkmcnt"),
    ("gfx906", "ds_read_u16_d16_hi v5, v1",  "reads v1, exec as lanes; writes v5, trapsts[8]; lds read; lgkmcnt"),
    ("gfx906", "buffer_load_short_d16 v[5:6], off, s[8:11], 0 tfe", "reads s[8:11], exec as lanes; writes v[5:6], trapsts[8]; global read; vmcnt"),
    ("gfx900", "ds_bpermute_b32 v5, v1, v2", "reads v1, v2 of any lane, exec as lanes; writes v5; lgkmcnt"),
    ("gfx900", "ds_gws_sema_v gds",          "reads exec as lanes, m0; gws atomic, m0 addresses; lgkmcnt, expcnt"),
    // Addresses of private memory, old values, loads to LDS.
    ("gfx900", "flat_load_dword v5, v[2:3]", "reads v[2:3], exec as lanes, flat_scratch, apertures; writes v5, trapsts[8]; global read, lds read, scratch read; vmcnt, lgkmcnt"),
    ("gfx900", "global_atomic_cmpswap v5, v[2:3], v[6:7], off glc", "reads v[2:3], v[6:7], exec as lanes; writes v5, trapsts[8]; global atomic; vmcnt"),
    ("gfx900", "global_atomic_cmpswap v[2:3], v[6:7], off",         "reads v[2:3], v[6:7], exec as lanes; writes trapsts[8]; global atomic; vmcnt"),
    ("gfx600", "buffer_atomic_cmpswap v[6:7], off, s[8:11], s2 glc", "reads v[6:7], s[8:11], s2, exec as lanes; writes v6, trapsts[8]; global atomic; vmcnt, expcnt"),
    ("gfx900", "buffer_load_dword off, s[8:11], 0 lds",             "reads s[8:11], exec as lanes, m0; writes trapsts[8]; global read, lds written, m0 addresses; vmcnt"),
    ("gfx803", "buffer_load_dwordx2 v[4:6], off, s[8:11], 0 tfe",   "reads s[8:11], exec as lanes; writes v[4:6], trapsts[8]; global read; vmcnt"),
    ("gfx803", "s_load_dwordx4 s[4:7], s[2:3], m0",                 "reads s[2:3], m0; writes s[4:7], trapsts[8]; global read; lgkmcnt 2 times"),
    // Parts of registers, lanes, indices.
    ("gfx900", "v_add_f16_sdwa v5, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_0", "reads v1[31:16], v2[7:0], exec as lanes, mode; writes v5[15:8]"),
    ("gfx906", "v_fma_mixhi_f16 v5, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]", "reads v1[31:16], v2, v3, exec as lanes, mode; writes v5[31:16]"),
    ("gfx900", "v_pk_add_u16 v5, v1, v2 op_sel_hi:[0,1]",           "reads v1[15:0], v2, exec as lanes; writes v5"),
    ("gfx803", "v_mov_b32_dpp v5, v1 row_shl:1 row_mask:0xf bank_mask:0xf", "reads v1 of any lane, exec as lanes; writes v5"),
    ("gfx900", "v_readlane_b32 s5, v1, s2",                         "reads v1 of one lane, s2; writes s5"),
    ("gfx900", "v_writelane_b32 v5, s1, 3",                         "reads s1; writes v5 of one lane"),
    ("gfx900", "v_readfirstlane_b32 s5, v1",                        "reads v1 of the first lane, exec as lanes; writes s5"),
    ("gfx803", "v_movrels_b32 v5, v1",                              "reads v1 by index, exec as lanes, m0; writes v5"),
    ("gfx900", "v_mov_b32 v5, src_lds_direct",                      "reads exec as lanes, m0; writes v5, trapsts[8]; lds read, m0 addresses"),
    ("gfx900", "v_cmpx_lt_f32 vcc, v1, v2",                         "reads v1, v2, exec as lanes, mode; writes vcc, exec"),
    ("gfx900", "v_div_fmas_f32 v5, v1, v2, v3",                     "reads v1, v2, v3, exec as lanes, vcc, mode; writes v5"),
    // Scalar state.
    ("gfx900", "s_addc_u32 s5, s1, src_vccz",                       "reads s1, scc, vcc; writes s5, scc"),
    ("gfx900", "s_and_saveexec_b64 s[4:5], vcc",                    "reads vcc, exec; writes s[4:5], scc, exec"),
    ("gfx900", "s_call_b64 s[4:5], 4",                              "reads pc; writes s[4:5], pc"),
    ("gfx900", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s1",         "reads s1; writes mode[7:4]"),
    ("gfx900", "s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS, 8, 1)",      "reads trapsts[8]; writes s1"),
    ("gfx600", "exp mrt0 v1, v2, off, off",                         "reads v1, v2, exec as lanes; expcnt"),
];

#[test]
fn single_instructions_use_what_the_manuals_say() {
    let mut wrong = Vec::new();
    for (name, text, expected) in CASES {
        let target = common::target(name);
        let words = common::words(target, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let inst = gcn_isa::decode(target.isa, &words).expect("it is an instruction");
        let uses = inst.uses().to_string();
        if uses != *expected {
            wrong.push(format!("{name} {text}\n   is {uses}\n  not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
