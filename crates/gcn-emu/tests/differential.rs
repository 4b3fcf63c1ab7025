//! Tests that random programs do the same with and without observers, on one thread and two, and at every level of the
//! host's vectors, for every byte of memory and every register. `fuzz/fuzz_targets/run.rs` generates other programs.

#[expect(dead_code, reason = "other tests run programs in other ways")]
mod programs;

use std::process::Command;

use arbitrary::Unstructured;
use gcn_emu::Code;
use gcn_emu::run::{LEVEL_VARIABLE, Level, LevelError};
use gcn_emu::wave::{Wave, WaveId};
use gcn_isa::Target;
use programs::{Program, noise};

const PROGRAMS: u64 = 300;

#[test]
fn random_programs_do_the_same_however_they_are_run() {
    let (mut accesses, mut of_scratch) = (0, 0);
    for seed in 1..=PROGRAMS {
        let bytes = noise(seed);
        let program = Program::new(&mut Unstructured::new(&bytes)).expect("bytes enough");
        let found = program.check();
        accesses += found.0;
        of_scratch += found.1;
    }
    // Almost all are those of prologue and epilogue: 52 in each of four workgroups, unless a program faults.
    assert!(accesses > 160 * PROGRAMS, "{accesses} accesses");
    assert!(of_scratch > PROGRAMS, "{of_scratch} accesses of scratch");
}

#[test]
fn the_environment_names_a_level_that_the_host_has() {
    let level = Level::of_environment().unwrap_or_else(|error| panic!("{error}"));
    assert!(level.is_available());
}

#[test]
fn an_unknown_level_is_an_error() {
    let tests = std::env::current_exe().expect("it runs");
    let run = |name: &str| {
        let output = Command::new(&tests)
            .args(["--exact", "the_environment_names_a_level_that_the_host_has"])
            .env(LEVEL_VARIABLE, name)
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), text)
    };
    let (succeeds, text) = run("sse");
    assert!(!succeeds);
    let expected = LevelError::Unknown("sse".to_owned()).to_string();
    assert!(text.contains(&expected), "{text}");
    for level in Level::ALL {
        let (succeeds, text) = run(level.name());
        assert_eq!(succeeds, level.is_available(), "{text}");
    }
}

/// Sources of an instruction with two or three, in the order in which it evaluates them, and the result.
const NAN: &[([u32; 3], u32)] = &[
    ([0x7fc0_1234, 0xffc0_5678, 0x7fc0_9abc], 0x7fc0_1234),
    ([0x3f80_0000, 0xffc0_5678, 0x7fc0_9abc], 0xffc0_5678),
    ([0x7fc0_1234, 0x7f80_0005, 0x7fc0_9abc], 0x7fc0_1234),
    ([0x7f80_0005, 0xffc0_5678, 0x7fc0_9abc], 0x7fc0_0005),
    ([0xff80_0001, 0x3f80_0000, 0x3f80_0000], 0xffc0_0001),
];

/// MODE bit that makes signalling NaNs quiet.
const IEEE: u32 = 1 << 9;

#[test]
fn the_first_nan_is_propagated_at_every_level() {
    let target = Target::named("gfx906").expect("it exists");
    // Registers of the sources, in the order in which the operation evaluates them.
    let texts = [
        ("v_add_f32 v4, v0, v1", [0, 1, 2]),
        ("v_sub_f32 v4, v0, v1", [0, 1, 2]),
        ("v_subrev_f32 v4, v0, v1", [1, 0, 2]),
        ("v_mul_f32 v4, v0, v1", [0, 1, 2]),
        ("v_mad_f32 v4, v0, v1, v2", [0, 1, 2]),
        ("v_fma_f32 v4, v0, v1, v2", [0, 1, 2]),
        ("v_fma_f32 v4, v2, v0, v1", [2, 0, 1]),
        ("v_mac_f32 v4, v0, v1", [0, 1, 4]),
        ("v_fmac_f32 v4, v0, v1", [0, 1, 4]),
    ];
    let host = Level::current();
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        level.set().expect("it is available");
        for (text, registers) in texts {
            for mode in [0, 0xf0, 0xf3, 0x10].map(|mode| mode | IEEE) {
                let bytes = programs::assembled(target, text);
                let code = Code::new(target.isa, 0, &bytes, 8, 8);
                let mut wave = Wave::new(target.isa, WaveId::default(), 0, 8, 8);
                wave.set_exec(u64::MAX);
                wave.mode = mode;
                for (lane, (sources, _)) in NAN.iter().enumerate() {
                    for (register, source) in registers.into_iter().zip(sources) {
                        wave.vgprs[register].0[lane] = *source;
                    }
                }
                let step = code.step(0).expect("it is there").expect("it decodes");
                (step.handler)(&mut wave, step);
                for (lane, (_, expected)) in NAN.iter().enumerate() {
                    let found = wave.vgprs[4].0[lane];
                    assert_eq!(
                        found, *expected,
                        "{text}, lane {lane}, mode {mode:#x}, {level}"
                    );
                }
            }
        }
    }
    host.set().expect("it is available");
}
