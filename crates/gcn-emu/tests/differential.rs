//! Random programs do the same observed and not, by one thread and two, at every level of the host's vectors: every byte
//! of memory and every register. `fuzz/fuzz_targets/run.rs` makes programs of its own.

mod programs;

use std::process::Command;

use arbitrary::Unstructured;
use gcn_emu::lanes::{LEVEL_VARIABLE, Level, LevelError};
use programs::Program;

const PROGRAMS: u64 = 300;
/// Bytes that a program is made of.
const BYTES: usize = 1 << 13;

/// Noise, so that a failure comes again.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..BYTES).map(|_| (next() >> 32) as u8).collect()
}

#[test]
fn random_programs_do_the_same_however_they_are_run() {
    let mut accesses = 0;
    for seed in 1..=PROGRAMS {
        let bytes = noise(seed);
        let program = Program::new(&mut Unstructured::new(&bytes)).expect("bytes enough");
        accesses += program.check();
    }
    // The prologues and epilogues alone have more than a hundred for each program.
    assert!(accesses > 200 * PROGRAMS, "{accesses} accesses");
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
