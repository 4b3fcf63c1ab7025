//! Any program: executed observed and not, by one thread and two, at every level of the host's vectors. All of them leave
//! the same memory and registers.
#![no_main]

#[path = "../../crates/gcn-emu/tests/programs/mod.rs"]
mod programs;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(program) = programs::Program::new(&mut Unstructured::new(data)) {
        program.check();
    }
});
