//! Compiled code does what the interpreter does: random programs of vector instructions; and which instructions are compiled.

mod common;
#[expect(dead_code, reason = "other tests run programs in other ways")]
mod programs;

use std::sync::{Mutex, PoisonError};

use arbitrary::Unstructured;
use common::*;
use gcn_emu::Code;
use gcn_emu::device::{Config, Device};
use gcn_emu::run::{Engine, Initial, Level};
use gcn_isa::Target;
use programs::{Program, noise};

/// The engine is the process's: tests that choose it wait for each other.
static CHOICE: Mutex<()> = Mutex::new(());

const PROGRAMS: u64 = 1500;

/// MODE: denormals are kept, or flushed in single precision.
const KEPT: u32 = 0xf0;
const FLUSHED: u32 = 0xc0;

#[test]
fn random_arithmetic_is_the_same_compiled_and_interpreted() {
    let _chosen = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    for seed in 1..=PROGRAMS {
        let bytes = noise(seed);
        let program = Program::arithmetic(&mut Unstructured::new(&bytes)).expect("bytes enough");
        program.compare_engines();
    }
}

/// Runs a program by an engine. Returns the number of instructions that have host code.
fn compiled(target: &str, text: &str, mode: u32, engine: Engine) -> usize {
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
    assert_eq!(done.fault.map(|fault| fault.kind), None, "{text}");
    code.blocks().map(|it| it.compiled()).sum()
}

/// True if there is a compiler for this host.
fn compiles() -> bool {
    cfg!(all(unix, target_arch = "x86_64")) && Level::current() >= Level::Avx2
}

/// Instructions that are compiled, with their MODE.
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

#[test]
fn rare_forms_are_left_to_the_interpreter() {
    let texts = [
        "v_add_f32 v0, v1, v2 clamp",
        "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf",
        "v_cmpx_lt_u32 vcc, v1, v2",
        "v_readfirstlane_b32 s0, v1",
        "v_sin_f32 v0, v1",
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
    let expected = if compiles() { 4 } else { 0 };
    assert_eq!(
        compiled("gfx803", &text(5000), KEPT, Engine::Auto),
        expected
    );
    assert_eq!(compiled("gfx803", &text(100), KEPT, Engine::Auto), 0);
}
