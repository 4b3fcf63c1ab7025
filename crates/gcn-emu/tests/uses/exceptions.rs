//! Instructions that are not executed, and declared uses that never matter here, with reasons. The test fails if an
//! entry is not needed.

use gcn_isa::{Does, Inst, Isa, IsaSet};

/// Names of instructions, in which a trailing `*` matches any text, and the reason.
pub type NotExecuted = (&'static str, &'static str);
/// Names of instructions, claim (both may end with `*`), instruction sets, and reason.
pub type NeverMatters = (&'static [&'static str], &'static str, IsaSet, &'static str);

/// Instructions that the emulator does not execute, or that the test cannot check.
const NOT_EXECUTED: &[NotExecuted] = &[
    ("image_gather4h*", "no source says what it does"),
    ("image_gather8h*", "no source says what it does"),
    ("exp", "exports are not emulated"),
    ("v_interp_*", "interpolation is not emulated"),
    ("s_rfe_*", "there are no trap handlers"),
    ("s_sendmsghalt", "it ends the run"),
    (
        "ds_gws_*",
        "resources of synchronisation are no part of the state compared here",
    ),
];

const ALL: IsaSet = IsaSet::from(Isa::Si);
const BEFORE_VI: IsaSet = ALL.without(IsaSet::from(Isa::Vi));
const BEFORE_GFX9: IsaSet = ALL.without(IsaSet::from(Isa::Gfx9));

// Reasons of several entries.
const ALWAYS: &str = "the outcome is always the same";
const NO_COMPRESSION: &str = "of compressed images alone it says something";
const NO_CACHE: &str = "no cache is modelled";
const FIXED: &str = "a kernel writes MODE and TRAPSTS alone";
const SIZES: &str = "sizes of allocations are no part of the state compared here";
const NO_TRAPS: &str = "there are no trap handlers";
const TO_INTEGER: &str =
    "the result is an integer that rounds in one way, and a denormal counts as zero in every mode";
const TINY: &str = "SDWA's selection is a denormal, which counts as zero";
const NO_NAN: &str = "SDWA's selection is a denormal, and no NaN";
const SHIFT: &str = "a shift goes by four bits";
const SHARE: &str = "LDS and GDS keep denormals of 64 bits in every mode";
const SIZE: &str = "the place begins at M0's size of GDS, where nothing is";

/// Comparisons that are always false.
const FALSE: &[&str] = &["v_cmp_f_*", "v_cmpx_f_*", "v_cmps_f_*", "v_cmpsx_f_*"];
/// Comparisons that are always true.
#[rustfmt::skip]
const TRUE: &[&str] = &[
    "v_cmp_t_*", "v_cmpx_t_*", "v_cmp_tru_*", "v_cmpx_tru_*", "v_cmps_tru_*", "v_cmpsx_tru_*",
];
/// Comparisons for which only NaNs matter.
#[rustfmt::skip]
const ORDERED: &[&str] = &[
    "v_cmp_o_*", "v_cmp_u_*", "v_cmps_o_*", "v_cmps_u_*", "v_cmpx_o_*", "v_cmpx_u_*", "v_cmpsx_o_*", "v_cmpsx_u_*",
];
/// Single-precision ones of these, for which SDWA can select less than a float.
const ORDERED_F32: &[&str] = &["v_cmp_o_f32", "v_cmp_u_f32", "v_cmpx_o_f32", "v_cmpx_u_f32"];
/// Operations that flush denormal sources.
#[rustfmt::skip]
const FLUSHING: &[&str] = &[
    "v_cos_f32", "v_exp_f32", "v_exp_legacy_f32", "v_log_f32", "v_log_legacy_f32", "v_rcp_f32",
    "v_rcp_iflag_f32", "v_rsq_f32", "v_sqrt_f32", "v_mac_f32", "v_cvt_i32_f32", "v_cvt_u32_f32", "v_cvt_rpi_i32_f32",
    "v_rndne_f32", "v_trunc_f32",
];
#[rustfmt::skip]
const CONVERSIONS: &[&str] = &[
    "v_cvt_i32_*", "v_cvt_u32_*", "v_cvt_i16_*", "v_cvt_u16_*", "v_cvt_rpi_*", "v_cvt_flr_*", "v_cvt_pknorm_i16_f32",
    "v_cvt_pknorm_u16_f32",
];
const SHIFTS: &[&str] = &["v_pk_ashrrev_i16", "v_pk_lshlrev_b16", "v_pk_lshrrev_b16"];
#[rustfmt::skip]
const SHARED_F64: &[&str] = &[
    "ds_cmpst_f64", "ds_cmpst_rtn_f64", "ds_min_f64", "ds_min_rtn_f64", "ds_min_src2_f64", "ds_max_f64", "ds_max_rtn_f64",
    "ds_max_src2_f64", "flat_atomic_fcmpswap_x2", "flat_atomic_fmin_x2", "flat_atomic_fmax_x2",
];

/// Declared uses that do not matter in any sample.
#[rustfmt::skip]
const NEVER_MATTERS: &[NeverMatters] = &[
    (FALSE, "reads src*", ALL, ALWAYS),
    (FALSE, "reads mode", ALL, ALWAYS),
    (FALSE, "reads lds", ALL, ALWAYS),
    (FALSE, "reads m0", ALL, ALWAYS),
    (FALSE, "reads exec*", ALL, ALWAYS),
    (TRUE, "reads src*", ALL, ALWAYS),
    (TRUE, "reads mode", ALL, ALWAYS),
    (TRUE, "reads lds", ALL, ALWAYS),
    (TRUE, "reads m0", ALL, ALWAYS),
    (&["v_cmpx_t_*", "v_cmpx_tru_*", "v_cmpsx_tru_*"], "writes exec*", ALL, "EXEC stays where all is true"),
    (ORDERED, "reads mode", ALL, "a NaN is one in every mode"),
    (ORDERED_F32, "reads src0 byte*", ALL, NO_NAN),
    (ORDERED_F32, "reads src1 byte*", ALL, NO_NAN),
    (&["v_cmp_class_*", "v_cmpx_class_*"], "reads mode", ALL, "a class is the same in every mode"),
    (CONVERSIONS, "reads mode", ALL, TO_INTEGER),
    (FLUSHING, "reads src0 byte*", ALL, TINY),
    // From GCN 1.4 on, denormals follow MODE (errata E199).
    (&["v_sin_f32"], "reads src0 byte*", BEFORE_GFX9, TINY),
    (&["v_mac_f32"], "reads src1 byte*", ALL, TINY),
    (SHIFTS, "reads src0 byte 1", ALL, SHIFT),
    (SHIFTS, "reads src0 byte 3", ALL, SHIFT),
    (&["v_trig_preop_f64"], "reads src0[0]", ALL, "the exponent alone counts"),
    (SHARED_F64, "reads mode", ALL, SHARE),
    (&["v_*"], "writes trapsts byte 1", ALL, "LDS_DIRECT outside of LDS is zero, and no violation"),
    (&["ds_ordered_count"], "writes trapsts byte 1", ALL, "its place in GDS is always there"),
    (&["s_dcache_discard*", "s_atc_probe*"], "reads sbase*", ALL, NO_CACHE),
    (&["s_dcache_discard*", "s_atc_probe*"], "reads offset*", ALL, NO_CACHE),
    (&["s_buffer_*"], "reads sbase[3]", ALL, "a descriptor's last dword says nothing to scalar memory"),
    (&["ds_read_addtid_b32"], "reads gds", ALL, SIZE),
    (&["ds_write_addtid_b32"], "writes gds", ALL, SIZE),
    (&["s_set_gpr_idx_off"], "reads mode", ALL, "its bit of MODE is clear here, as it makes other registers of all"),
    (&["s_set_gpr_idx_off"], "writes mode", ALL, "its bit of MODE is clear here, as it makes other registers of all"),
    (&["image_*"], "reads srsrc[7]", ALL, NO_COMPRESSION),
    (&["image_*"], "reads srsrc[6]", BEFORE_VI, NO_COMPRESSION),
    (&["image_get_resinfo"], "reads srsrc[6]", ALL, NO_COMPRESSION),
    (&["image_get_resinfo"], "reads srsrc[0]", ALL, "sizes are the same wherever the image is"),
    (&["image_get_resinfo"], "reads srsrc[1]", ALL, "sizes are the same wherever the image is"),
    (&["image_get_lod"], "reads srsrc[5]", BEFORE_GFX9, "the level of detail is the same in all layers"),
    (&["image_get_lod"], "reads srsrc[0]", ALL, "the level of detail is the same wherever the image is"),
    (&["s_cbranch_cdbg*"], "reads pc", ALL, "nothing sets the debugger's bits"),
    (&["s_sendmsg", "s_ttracedata"], "reads m0", ALL, "nobody receives it"),
    (&["s_setreg_*"], "writes status*", ALL, FIXED),
    (&["s_setreg_*"], "writes hw_id*", ALL, FIXED),
    (&["s_setreg_*"], "writes gpr_alloc*", ALL, FIXED),
    (&["s_setreg_*"], "writes lds_alloc*", ALL, FIXED),
    (&["s_setreg_*"], "writes ib_sts*", ALL, FIXED),
    (&["s_setreg_*"], "writes sh_mem_bases*", ALL, FIXED),
    (&["s_setreg_*"], "writes tba_*", ALL, NO_TRAPS),
    (&["s_setreg_*"], "writes tma_*", ALL, NO_TRAPS),
    (&["s_getreg_*"], "reads tba_*", ALL, NO_TRAPS),
    (&["s_getreg_*"], "reads tma_*", ALL, NO_TRAPS),
    (&["s_getreg_*"], "reads status byte 1", ALL, "it is declared as VCC and EXEC, too"),
    (&["s_getreg_*"], "reads status byte 2", ALL, "nothing changes it"),
    (&["s_getreg_*"], "reads status byte 3", ALL, "nothing changes it"),
    (&["s_getreg_*"], "reads hw_id*", ALL, "the wave's number is no part of the state compared here"),
    (&["s_getreg_*"], "reads gpr_alloc*", ALL, SIZES),
    (&["s_getreg_*"], "reads lds_alloc*", ALL, SIZES),
    (&["s_getreg_*"], "reads ib_sts*", ALL, "counters are no part of the state compared here"),
    (&["s_getreg_*"], "reads sh_mem_bases*", ALL, "it is declared as the apertures, too"),
];

fn is_it(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => pattern == name,
    }
}

pub fn not_executed(name: &str) -> Option<NotExecuted> {
    let mut entries = NOT_EXECUTED.iter();
    entries.find(|(pattern, _)| is_it(pattern, name)).copied()
}

pub fn never_matters(name: &str, isa: Isa, claim: &str) -> Option<NeverMatters> {
    let mut entries = NEVER_MATTERS.iter();
    let is_one = |(patterns, of, on, _): &&NeverMatters| {
        on.has(isa) && is_it(of, claim) && patterns.iter().any(|pattern| is_it(pattern, name))
    };
    entries.find(is_one).copied()
}

/// Entries that were needed.
#[derive(Default)]
pub struct Needed {
    pub not_executed: Vec<NotExecuted>,
    pub never_matters: Vec<NeverMatters>,
}

impl Needed {
    /// Messages about entries that were not needed.
    pub fn others(&self) -> Vec<String> {
        let not_executed = NOT_EXECUTED.iter();
        let not_executed = not_executed.filter(|entry| !self.not_executed.contains(entry));
        let never_matters = NEVER_MATTERS.iter();
        let never_matters = never_matters.filter(|entry| !self.never_matters.contains(entry));
        let messages = not_executed.map(|entry| format!("{entry:?}"));
        let messages = messages.chain(never_matters.map(|entry| format!("{entry:?}")));
        messages
            .map(|entry| format!("this exception is not needed: {entry}"))
            .collect()
    }
}

/// True for instructions that read the time, which differs between executions.
pub fn is_time(inst: &Inst) -> bool {
    matches!(inst.does(), Does::Time(_))
}
