//! Compiled code does what the interpreter does: random programs of vector instructions, and how often code is compiled at all.

#[expect(dead_code, reason = "other tests run programs in other ways")]
mod programs;

use arbitrary::Unstructured;
use programs::Program;

const PROGRAMS: u64 = 3000;
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
fn random_arithmetic_is_the_same_compiled_and_interpreted() {
    for seed in 1..=PROGRAMS {
        let bytes = noise(seed);
        let program = Program::arithmetic(&mut Unstructured::new(&bytes)).expect("bytes enough");
        program.compare_engines();
    }
}
