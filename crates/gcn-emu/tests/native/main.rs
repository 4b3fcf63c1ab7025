//! Tests that host code and the interpreter agree on random programs, and that certain instructions are compiled.

#[path = "../common/mod.rs"]
mod common;
#[expect(dead_code, reason = "other tests run programs in other ways")]
#[path = "../programs/mod.rs"]
mod programs;
mod registers;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use arbitrary::Unstructured;
use common::*;
use gcn_emu::Code;
use gcn_emu::device::{Config, Device};
use gcn_emu::fault::FaultKind;
use gcn_emu::internals::mutation;
use gcn_emu::run::{Engine, Initial, Level};
use gcn_isa::Target;
use programs::{Program, noise};

/// Serializes tests that choose the engine, a setting of the process.
static CHOICE: Mutex<()> = Mutex::new(());

/// Number of random programs of each kind, unless an environment variable sets another number.
const PROGRAMS: u64 = 1000;
const PROGRAMS_VARIABLE: &str = "GCN_PROGRAMS";
/// One in this number of programs is also run with observers.
const OBSERVED: u64 = 8;

/// MODE with denormals of all widths kept, and with single-precision ones flushed.
const KEPT: u32 = 0xf0;
const FLUSHED: u32 = 0xc0;

/// Compares the engines on random programs.
fn compare_programs(made: impl Fn(&mut Unstructured<'_>) -> arbitrary::Result<Program>) {
    let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = std::env::var(PROGRAMS_VARIABLE);
    let programs = wanted.map_or(PROGRAMS, |number| number.parse().expect("a number"));
    for seed in 1..=programs {
        let bytes = noise(seed);
        let program = made(&mut Unstructured::new(&bytes)).expect("bytes enough");
        program.compare_engines();
        if seed.is_multiple_of(OBSERVED) {
            program.compare_events();
        }
    }
}

#[test]
fn random_arithmetic_is_the_same_compiled_and_interpreted() {
    compare_programs(Program::arithmetic);
}

#[test]
fn random_loops_are_the_same_compiled_and_interpreted() {
    compare_programs(Program::looping);
}

#[test]
fn random_accesses_are_the_same_compiled_and_interpreted() {
    compare_programs(Program::accessing);
}

/// Runs a program on an engine. Returns the number of instructions that have host code.
fn compiled(target: &str, text: &str, mode: u32, engine: Engine) -> usize {
    let (fault, count) = run(target, text, mode, engine);
    assert_eq!(fault, None, "{text}");
    count
}

/// Runs a program on an engine. Returns its fault, and the number of instructions that have host code.
fn run(target: &str, text: &str, mode: u32, engine: Engine) -> (Option<FaultKind>, usize) {
    let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Target::named(target).expect("it exists");
    let mut device = Device::new(Config::new(target.isa));
    let text = format!("{text}\n s_endpgm");
    let code = Code::new(target.isa, BASE, &code(target, &text), VGPRS, SGPRS);
    engine.set();
    let initial = Initial {
        mode,
        ..Initial::default()
    };
    let done = dispatch_code(&mut device, &code, 1, 64, initial);
    Engine::Auto.set();
    let count = code.blocks().map(|it| it.compiled()).sum();
    (done.fault.map(|fault| fault.kind), count)
}

/// True if host code can be generated for this host.
fn compiles() -> bool {
    cfg!(all(unix, target_arch = "x86_64")) && Level::current() >= Level::Avx2
}

/// Instructions that are compiled, by MODE.
const COMPILED: &[(u32, &[&str])] = &[
    (
        KEPT,
        &[
            "v_mov_b32 v0, s1",
            "v_not_b32 v0, v1",
            "v_and_b32 v0, 7, v1",
            "v_or_b32 v0, v1, v2",
            "v_xor_b32 v0, v1, v2",
            "v_lshlrev_b32 v0, 3, v1",
            "v_lshrrev_b32 v0, v2, v1",
            "v_ashrrev_i32 v0, 31, v1",
            "v_lshlrev_b64 v[0:1], 2, v[2:3]",
            "v_lshrrev_b64 v[0:1], v4, v[2:3]",
            "v_add_u32 v0, vcc, v1, v2",
            "v_addc_u32 v0, vcc, v1, v2, vcc",
            "v_sub_u32 v0, vcc, v1, v2",
            "v_subrev_u32 v0, vcc, v1, v2",
            "v_subb_u32 v0, vcc, v1, v2, vcc",
            "v_mul_lo_u32 v0, v1, v2",
            "v_mul_hi_u32 v0, v1, v2",
            "v_mul_hi_i32 v0, v1, v2",
            "v_mad_u64_u32 v[0:1], vcc, v2, v3, v[4:5]",
            "v_mul_u32_u24 v0, v1, v2",
            "v_mad_i32_i24 v0, v1, v2, v3",
            "v_min_i32 v0, v1, v2",
            "v_max_u32 v0, v1, v2",
            "v_med3_i32 v0, v1, v2, v3",
            "v_bfe_u32 v0, v1, 3, 5",
            "v_bfe_i32 v0, v1, v2, v3",
            "v_bfi_b32 v0, v1, v2, v3",
            "v_alignbit_b32 v0, v1, v2, 7",
            "v_sad_u32 v0, v1, v2, v3",
            "v_cmp_lt_u32 vcc, v1, v2",
            "v_cmp_ge_i32 s[2:3], v1, v2",
            "v_cmp_eq_u64 vcc, v[0:1], v[2:3]",
            "v_cndmask_b32 v0, v1, -v2, s[2:3]",
            "v_add_f32 v0, v1, -v2",
            "v_sub_f32 v0, |v1|, v2",
            "v_mul_f32 v0, 2.0, v2",
            "v_fma_f32 v0, v1, v2, v3",
            "v_min_f32 v0, v1, v2",
            "v_max_f32 v0, v1, v2",
            "v_cmp_nlt_f32 vcc, v1, v2",
            "v_cvt_f32_i32 v0, v1",
            "v_cvt_f32_ubyte2 v0, v1",
            "v_cvt_f32_u32 v0, v1",
            "v_cvt_u32_f32 v0, v1",
            "v_cvt_i32_f32 v0, -v1",
            "v_floor_f32 v0, v1",
            "v_rndne_f32 v0, v1",
            "v_ashrrev_i64 v[0:1], v4, v[2:3]",
            "v_add_f64 v[0:1], v[2:3], -v[4:5]",
            "v_mul_f64 v[0:1], |v[2:3]|, 2.0",
            "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]",
            "v_cmp_lt_f64 vcc, v[0:1], v[2:3]",
            "v_rcp_f64 v[0:1], v[2:3]",
            "v_div_scale_f64 v[0:1], vcc, v[2:3], v[2:3], v[4:5]",
            "v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]",
            "v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]",
            "v_cmp_class_f32 vcc, v1, v2",
            "v_cmp_class_f32 s[2:3], -v1, s4",
            "v_frexp_mant_f32 v0, v1",
            "v_frexp_exp_i32_f32 v0, v1",
            "v_ldexp_f32 v0, v1, v2",
            "v_div_scale_f32 v0, vcc, v1, v1, v2",
            "v_div_fmas_f32 v0, v1, v2, v3",
            "v_div_fixup_f32 v0, v1, v2, v3",
            "v_or_b32_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:WORD_1",
            "v_mov_b32_sdwa v0, sext(v1) dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3",
            "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_3 dst_unused:UNUSED_PAD src0_sel:WORD_0",
            "v_lshlrev_b16 v0, v1, v2",
            "v_ashrrev_i16 v0, 3, v1",
            "v_add_u16 v0, v1, v2",
            "v_subrev_u16 v0, v1, v2",
            "v_mul_lo_u16 v0, v1, v2",
            "v_min_i16 v0, v1, v2",
            "v_mad_u16 v0, v1, v2, v3",
            "v_cmp_lt_i16 vcc, v1, v2",
            "v_cmp_ge_u16 s[2:3], v1, v2",
            "v_readfirstlane_b32 s0, v1",
            "v_readlane_b32 s0, v1, 37",
            "v_readlane_b32 vcc_lo, v1, s2",
            "v_writelane_b32 v0, s1, 63",
            "v_writelane_b32 v0, 7, s2",
            "s_mov_b32 s0, s1",
            "s_cmp_lt_i32 s0, s1",
            "s_add_i32 s0, s1, s2",
            "s_addc_u32 s0, s1, s2",
            "s_sub_u32 s0, s1, s2",
            "s_addk_i32 s0, 7",
            "s_movk_i32 s0, -7",
            "s_mul_i32 s0, s1, s2",
            "s_and_b64 s[0:1], s[2:3], vcc",
            "s_and_saveexec_b64 s[0:1], vcc",
            "s_lshl_b64 s[0:1], s[2:3], s4",
            "s_ashr_i32 s0, s1, 31",
            "s_bfe_u32 s0, s1, 0x80008",
            "s_cselect_b32 s0, s1, s2",
            "s_min_u32 s0, s1, s2",
        ],
    ),
    (
        FLUSHED,
        &[
            "v_add_f32 v0, v1, v2",
            "v_mac_f32 v0, v1, v2",
            "v_mad_f32 v0, v1, v2, v3",
            "v_rcp_f32 v0, v1",
            "v_sqrt_f32 v0, v1",
            "v_rsq_f32 v0, v1",
            "v_exp_f32 v0, v1",
            "v_log_f32 v0, v1",
            "v_sin_f32 v0, v1",
            "v_cos_f32 v0, v1",
        ],
    ),
];

#[test]
fn frequent_vector_instructions_are_compiled() {
    for (mode, texts) in COMPILED {
        for text in *texts {
            let count = compiled("gfx803", text, *mode, Engine::Compiled);
            assert_eq!(count, usize::from(compiles()), "{text}");
            assert_eq!(compiled("gfx803", text, *mode, Engine::Interpreter), 0);
        }
    }
}

/// Loads and stores that are compiled. v[2:3] and s[0:1] are addresses in global memory.
const ACCESSES: &[&str] = &[
    "global_load_dword v0, v[2:3], off offset:16",
    "global_load_dword v0, v4, s[0:1]",
    "global_load_dwordx2 v[0:1], v[2:3], off",
    "global_load_dwordx3 v[0:2], v[2:3], off",
    "global_load_dwordx4 v[0:3], v[2:3], off",
    "flat_load_dword v0, v[2:3]",
    "global_store_dword v[2:3], v0, off",
    "global_store_dword v4, v0, s[0:1] offset:-16",
    "flat_store_dword v[2:3], v0",
    "ds_read_b32 v0, v4 offset:4",
    "ds_read_b64 v[0:1], v4",
    "ds_read_b128 v[0:3], v4",
    "ds_read2_b32 v[0:1], v4 offset1:8",
    "ds_read2st64_b64 v[0:3], v4 offset1:1",
    "ds_write_b32 v4, v0",
    "ds_write_b64 v4, v[0:1]",
    "ds_write2_b32 v4, v0, v1 offset1:64",
    "ds_write2_b32 v4, v0, v1 offset1:3",
    "global_store_dwordx2 v[2:3], v[0:1], off",
    "global_store_dwordx3 v[2:3], v[6:8], off",
    "global_store_dwordx4 v[2:3], v[6:9], off",
    "global_load_ubyte v0, v[2:3], off",
    "global_load_sbyte v0, v4, s[0:1]",
    "global_load_ushort v0, v[2:3], off offset:2",
    "global_load_sshort v0, v[2:3], off",
    "global_load_short_d16 v0, v[2:3], off",
    "global_load_ubyte_d16_hi v0, v[2:3], off",
    "global_load_sbyte_d16 v0, v4, s[0:1]",
    "flat_load_ubyte v0, v[2:3]",
    "global_store_byte v[2:3], v0, off",
    "global_store_short v4, v0, s[0:1]",
    "global_store_byte_d16_hi v[2:3], v0, off",
    "flat_store_short_d16_hi v[2:3], v0",
    "ds_read_u8 v0, v4 offset:1",
    "ds_read_i8 v0, v4",
    "ds_read_u16 v0, v4",
    "ds_read_i16 v0, v4 offset:2",
    "ds_read_u16_d16_hi v0, v4",
    "ds_write_b8 v4, v0",
    "ds_write_b16 v4, v0",
    "ds_write_b8_d16_hi v4, v0",
    "ds_write_b96 v4, v[0:2]",
    "ds_write_b128 v4, v[0:3]",
    "ds_write2_b64 v4, v[0:1], v[2:3] offset1:3",
    "buffer_load_dword v0, v4, s[4:7], 0 offen offset:16",
    "buffer_load_dword v0, off, s[4:7], s12 offset:8",
    "buffer_load_dwordx4 v[0:3], v4, s[4:7], s12 offen",
    "buffer_load_dwordx3 v[0:2], off, s[4:7], 0 offset:1",
    "buffer_load_sbyte v0, v4, s[4:7], 0 offen offset:3",
    "buffer_load_short_d16_hi v0, v4, s[4:7], s12 offen offset:2",
    "buffer_load_dword v0, v4, s[8:11], 0 offen",
    "buffer_store_dword v0, v4, s[4:7], s12 offen offset:4",
    "buffer_store_dwordx3 v[6:8], v4, s[4:7], 0 offen",
    "buffer_store_byte v0, v4, s[4:7], 0 offen offset:1",
    "buffer_store_dword v0, off, s[4:7], 0 offset:64",
    "buffer_load_dword v0, off, s[80:83], 0 offset:124",
    "buffer_load_dwordx4 v[0:3], off, s[80:83], 0 offset:8",
    "buffer_load_dwordx2 v[0:1], off, s[80:83], 0 offset:6",
    "buffer_load_dwordx4 v[0:3], off, s[80:83], 0 offset:120",
    "buffer_load_dword v0, v4, s[80:83], 0 offen offset:4",
    "buffer_store_dword v0, off, s[80:83], 0 offset:16",
    "buffer_store_dwordx4 v[6:9], off, s[80:83], 0 offset:32",
    "buffer_store_dwordx2 v[6:7], off, s[80:83], s12 offset:4",
    "buffer_store_dword v0, off, s[80:83], 0 offset:128",
];

/// Loads from LDS at constant offsets from the same register.
const LOADS_FROM_A_BASE: &[&str] = &[
    "ds_read_b32 v0, v4\n ds_read_b32 v1, v4 offset:4\n ds_read_b32 v6, v4 offset:18",
    "ds_read2_b32 v[0:1], v4 offset1:17\n ds_read2_b64 v[8:11], v4 offset0:2 offset1:3\n ds_read_b128 v[12:15], v4 offset:64",
    "ds_read_b128 v[0:3], v4\n ds_read_b128 v[8:11], v4 offset:16\n ds_read_b96 v[12:14], v4 offset:32",
    "ds_read_b64 v[0:1], v4 offset:8\n ds_read_b64 v[8:9], v4\n v_add_u32 v4, v0, v8",
    "ds_read_b32 v0, v4 offset:500\n ds_read_b32 v4, v4",
    "ds_read_b32 v0, v4 offset:65535\n ds_read_b32 v1, v4 offset:4",
    "v_sub_u32 v4, v4, 4\n ds_read_b32 v0, v4 offset:4\n ds_read_b32 v1, v4 offset:8",
];

/// Loads of scalar registers that are compiled. s[0:1] is an address in global memory.
const SCALAR_LOADS: &[&str] = &[
    "s_load_dword s20, s[0:1], 0x10",
    "s_load_dwordx2 s[0:1], s[0:1], 0x0",
    "s_load_dwordx4 s[20:23], s[0:1], 0x20",
    "s_load_dwordx8 s[16:23], s[0:1], 0x24",
    "s_load_dwordx16 s[16:31], s[0:1], 0x4",
];

/// Setup of v4, the lanes' offsets, with which [`ACCESSES`] are executed, too: a single place, and strides of 1, 2, 4,
/// 16 and 20 bytes.
const LANE_PLACES: &[&str] = &[
    "v_mov_b32 v4, 0",
    "v_lshrrev_b32 v4, 2, v5",
    "v_lshrrev_b32 v4, 1, v5",
    "v_mov_b32 v4, v5",
    "v_lshlrev_b32 v4, 2, v5",
    "v_mul_u32_u24 v4, 5, v5",
];

#[test]
fn loads_and_stores_are_compiled() {
    let accesses = ACCESSES.iter().map(|text| (text, 1));
    let bases = LOADS_FROM_A_BASE.iter();
    let bases = bases.map(|text| (text, text.lines().count()));
    for (text, instructions) in accesses.chain(bases) {
        let inactive = format!("s_mov_b64 exec, 0\n {text}");
        let count = compiled("gfx900", &inactive, KEPT, Engine::Compiled);
        let expected = if compiles() { 1 + instructions } else { 0 };
        assert_eq!(count, expected, "{text}");
        let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
        let target = Target::named("gfx900").expect("it exists");
        Program::of_text(target, text, KEPT, 7).compare_engines();
        for places in LANE_PLACES {
            let lanes = "v_mbcnt_lo_u32_b32 v5, -1, 0\n v_mbcnt_hi_u32_b32 v5, -1, v5\n v_lshlrev_b32 v5, 2, v5";
            let addresses = "v_or_b32 v2, s0, v4\n v_mov_b32 v3, s1";
            for exec in ["-1", "0xf0ff007e"] {
                let text =
                    format!("{lanes}\n {places}\n {addresses}\n s_mov_b64 exec, {exec}\n {text}");
                Program::of_text(target, &text, KEPT, 7).compare_engines();
            }
        }
    }
}

#[test]
fn a_dword_of_a_load_may_be_overwritten_before_it_is_read() {
    let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Target::named("gfx900").expect("it exists");
    let lanes =
        "v_mbcnt_lo_u32_b32 v5, -1, 0\n v_mbcnt_hi_u32_b32 v5, -1, v5\n v_lshlrev_b32 v5, 2, v5";
    for (load, dwords) in [
        ("global_load_dwordx2 v[8:9], v[2:3], off", 2),
        ("global_load_dwordx3 v[8:10], v[2:3], off", 3),
        ("global_load_dwordx4 v[8:11], v[2:3], off", 4),
        ("flat_load_dwordx4 v[8:11], v[2:3]", 4),
        ("buffer_load_dwordx4 v[8:11], v4, s[4:7], 0 offen", 4),
        ("ds_read_b64 v[8:9], v4", 2),
        ("ds_read2_b32 v[8:9], v4 offset1:1", 2),
        ("ds_read2_b64 v[8:11], v4 offset1:1", 4),
        ("ds_read_b128 v[8:11], v4", 4),
    ] {
        for scale in [0, dwords] {
            for dead in 0..1 << dwords {
                let overwritten = (0..dwords)
                    .filter(|dword| dead >> dword & 1 != 0)
                    .map(|dword| format!("v_mov_b32 v{}, 7\n", 8 + dword))
                    .collect::<String>();
                let text = format!(
                    "{lanes}\n v_mul_u32_u24 v4, {scale}, v5\n v_or_b32 v2, s0, v4\n v_mov_b32 v3, s1\n {load}\n {overwritten}"
                );
                Program::of_text(target, &text, KEPT, 7).compare_engines();
            }
        }
    }
}

#[test]
fn loads_of_scalar_registers_are_compiled() {
    for text in SCALAR_LOADS {
        // The address is unmapped: host code calls the interpreter, which reports the fault.
        let (fault, count) = run("gfx900", text, KEPT, Engine::Compiled);
        let (expected, _) = run("gfx900", text, KEPT, Engine::Interpreter);
        assert_eq!(fault, expected, "{text}");
        assert!(fault.is_some(), "{text}");
        assert_eq!(count, usize::from(compiles()), "{text}");
        let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
        let target = Target::named("gfx900").expect("it exists");
        Program::of_text(target, text, KEPT, 7).compare_engines();
        // A load directly before vector instructions, and loads after an instruction that writes what they read.
        for before in [
            "v_add_u32 v0, 1, v0",
            "v_mov_b32 v0, s20",
            "v_mov_b32 v0, s0",
        ] {
            let text = format!("{before}\n {text}\n s_add_u32 s25, s20, s0\n v_mov_b32 v1, s25");
            Program::of_text(target, &text, KEPT, 7).compare_engines();
        }
    }
}

/// Programs for one target each that, with [`COMPILED`], cover each operation of host code.
const OTHERS: &[(u32, &str, &str)] = &[
    (
        FLUSHED,
        "gfx803",
        "v_cvt_f32_u32 v1, v1\n v_rcp_f32 v0, v1\n v_sqrt_f32 v2, v1",
    ),
    (
        KEPT,
        "gfx803",
        "v_mov_b32 v3, v1\n v_cmp_lt_i64 vcc, v[0:1], v[2:3]",
    ),
    (KEPT, "gfx906", "v_dot4_i32_i8 v0, v1, v2, v3"),
    (
        KEPT,
        "gfx803",
        "v_mad_i32_i24 v0, v1, v2, v3\n v_mul_hi_i32 v1, v2, v3",
    ),
    (
        KEPT,
        "gfx803",
        "v_cmp_u_f64 vcc, v[0:1], v[2:3]\n v_subb_u32 v0, vcc, v1, v2, vcc",
    ),
    (KEPT, "gfx803", "v_ceil_f32 v0, v1\n v_trunc_f32 v2, v3"),
    (
        KEPT,
        "gfx803",
        "v_cmp_eq_f32 vcc, v1, v2\n v_cmp_le_f32 s[0:1], v1, v2\n v_cmp_gt_f32 s[2:3], v1, v2",
    ),
    (
        KEPT,
        "gfx803",
        "v_cmp_lg_f32 vcc, v1, v2\n v_cmp_ge_f32 s[0:1], v1, v2\n v_cmp_o_f32 s[2:3], v1, v2",
    ),
    (
        KEPT,
        "gfx803",
        "v_cmp_u_f32 vcc, v1, v2\n v_cmp_nge_f32 s[0:1], v1, v2\n v_cmp_nlg_f32 s[2:3], v1, v2",
    ),
    (
        KEPT,
        "gfx803",
        "v_cmp_ngt_f32 vcc, v1, v2\n v_cmp_nle_f32 s[0:1], v1, v2\n v_cmp_neq_f32 s[2:3], v1, v2",
    ),
    // The result keeps the high half of the register.
    (
        KEPT,
        "gfx900",
        "v_mad_i16 v19, v1, v2, 29\n v_mad_u16 v20, v1, v2, v3 op_sel:[1,0,0,1]\n v_add_u16 v21, v1, v2",
    ),
    (
        KEPT,
        "gfx803",
        "s_mov_b64 exec, 0\n v_readfirstlane_b32 s0, v1\n s_mov_b32 exec_hi, 0x300\n v_readfirstlane_b32 s2, v1\n v_writelane_b32 v0, s2, 9",
    ),
    (
        KEPT,
        "gfx803",
        "v_readlane_b32 exec_lo, v1, 6\n v_add_u32 v0, vcc, v1, v2\n s_barrier\n v_xor_b32 v1, v0, v1\n s_barrier",
    ),
    (KEPT, "gfx900", "global_load_dword v0, v[2:3], off"),
    (KEPT, "gfx900", "ds_read_b32 v0, v4"),
    // GCN 1.2 ignores the low bits of these addresses.
    (
        KEPT,
        "gfx803",
        "v_mbcnt_lo_u32_b32 v4, -1, 0\n ds_read2_b32 v[20:21], v4 offset0:79\n ds_read_b64 v[22:23], v4 offset:16",
    ),
    // Ordinary numbers: the interpreter handles special ones.
    (
        KEPT,
        "gfx900",
        "v_cvt_f32_ubyte0 v1, v1\n v_mul_f32 v1, 0x3e19999a, v1\n v_exp_f32 v0, v1",
    ),
    (
        FLUSHED,
        "gfx803",
        "v_cvt_f32_ubyte0 v1, v1\n v_add_f32 v1, 1.0, v1\n v_rsq_f32 v0, v1\n v_log_f32 v2, v1\n v_sin_f32 v3, v1\n \
         v_exp_f32 v5, v2",
    ),
];

/// Operations on one number, by MODE.
const UNARY: &[(u32, &str)] = &[
    (KEPT, "v_cvt_f32_u32"),
    (KEPT, "v_cvt_f32_i32"),
    (KEPT, "v_cvt_u32_f32"),
    (KEPT, "v_cvt_i32_f32"),
    (KEPT, "v_floor_f32"),
    (KEPT, "v_ceil_f32"),
    (FLUSHED, "v_trunc_f32"),
    (FLUSHED, "v_rndne_f32"),
    (FLUSHED, "v_rcp_f32"),
    (KEPT, "v_rcp_f32"),
    (KEPT, "v_sqrt_f32"),
    (KEPT, "v_rsq_f32"),
    (KEPT, "v_exp_f32"),
    (FLUSHED, "v_log_f32"),
    (FLUSHED, "v_sin_f32"),
    (KEPT, "v_cos_f32"),
    (KEPT, "v_frexp_mant_f32"),
    (KEPT, "v_frexp_exp_i32_f32"),
    (KEPT, "v_cvt_f32_ubyte3"),
];

/// Binary logarithm of the size of a range of numbers. Host code that encounters too many NaNs is disabled for the rest
/// of a run.
const RANGE: u32 = 24;

/// Compares operations on the first numbers of every `every`th range, 64 in each round. Each lane combines its results
/// into one number.
fn compare_unary(every: usize, rounds: u32) {
    let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Target::named("gfx803").expect("it exists");
    for (mode, name) in UNARY {
        for first in (0..=u32::MAX).step_by(every << RANGE) {
            let text = format!(
                "v_mbcnt_lo_u32_b32 v0, -1, 0\n v_mbcnt_hi_u32_b32 v0, -1, v0\n v_add_u32 v0, vcc, {first:#x}, v0\n \
                 v_mov_b32 v1, 0\n s_mov_b32 s0, {rounds}\nloop:\n {name} v2, v0\n v_xor_b32 v1, v1, v2\n \
                 v_alignbit_b32 v1, v1, v1, 27\n v_add_u32 v0, vcc, 64, v0\n s_sub_u32 s0, s0, 1\n \
                 s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 loop"
            );
            Program::of_text(target, &text, *mode, 1).compare_engines();
        }
    }
}

#[test]
fn operations_on_one_number_are_the_same_compiled_and_interpreted() {
    compare_unary(9, 16);
}

#[test]
#[ignore = "it takes minutes"]
fn operations_on_one_number_are_the_same_on_all_numbers() {
    compare_unary(1, 1 << (RANGE - 6));
}

#[test]
fn a_wrong_operation_is_noticed() {
    if !compiles() {
        return;
    }
    let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    let listed = COMPILED
        .iter()
        .flat_map(|(mode, texts)| texts.iter().map(|text| (*mode, "gfx803", *text)));
    let programs: Vec<Program> = listed
        .chain(OTHERS.iter().copied())
        .map(|(mode, target, text)| {
            let target = Target::named(target).expect("it exists");
            Program::of_text(target, text, mode, 7)
        })
        .collect();
    mutation::mutate(None);
    let mut with: BTreeMap<String, Vec<&Program>> = BTreeMap::new();
    for program in &programs {
        mutation::take_emitted();
        program.compare_engines();
        for name in mutation::take_emitted() {
            with.entry(name).or_default().push(program);
        }
    }
    let is_unnoticed = |(name, programs): &(&String, &Vec<&Program>)| {
        mutation::mutate(Some(name));
        !programs.iter().any(|program| program.engines_differ())
    };
    let unnoticed: Vec<&String> = with
        .iter()
        .filter(is_unnoticed)
        .map(|(name, _)| name)
        .collect();
    mutation::mutate(None);
    assert!(with.len() > 60, "{:?}", with.keys());
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

#[test]
fn rare_forms_are_left_to_the_interpreter() {
    let texts = [
        "v_add_f32 v0, v1, v2 clamp",
        "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf",
        "v_cmpx_lt_u32 vcc, v1, v2",
        "v_fract_f32 v0, v1",
        "v_and_b32 v0, exec_lo, v1",
        "v_cndmask_b32 v0, v1, v2, exec",
        // V_CMP_LT_U32 to s[3:4].
        ".long 0xd0c90003, 0x00020501",
    ];
    for text in texts {
        let count = compiled("gfx803", text, KEPT, Engine::Compiled);
        assert_eq!(count, 0, "{text}");
    }
}

#[test]
fn hot_blocks_alone_are_compiled_unless_all_are() {
    let text = |rounds: u32| {
        format!(
            "s_movk_i32 s0, {rounds}\nloop:\n v_add_u32 v0, vcc, 1, v0\n v_xor_b32 v1, v0, v1\n v_lshlrev_b32 v1, 1, v1\n \
             v_or_b32 v0, v0, v1\n s_sub_u32 s0, s0, 1\n s_cmp_lg_u32 s0, 0\n s_cbranch_scc1 loop"
        )
    };
    let expected = if compiles() { 6 } else { 0 };
    assert_eq!(
        compiled("gfx803", &text(5000), KEPT, Engine::Auto),
        expected
    );
    assert_eq!(compiled("gfx803", &text(100), KEPT, Engine::Auto), 0);
}
