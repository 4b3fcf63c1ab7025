//! Random programs: runs with and without observers, on one thread and two, at every level of the host's vectors, on
//! every engine, and with all checkers must leave the same memory and registers. Programs with wild addresses are only
//! run with and without checkers, and programs of arithmetic and loops only on each engine.
#![no_main]

#[path = "../../crates/gcn-emu/tests/programs/mod.rs"]
mod programs;

use std::sync::Arc;

use arbitrary::Unstructured;
use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, Findings};
use libfuzzer_sys::fuzz_target;
use programs::Program;

fuzz_target!(|data: &[u8]| {
    let checkers = || checkers(Check::ALL, &Arc::new(Findings::default()));
    if let Ok(program) = Program::new(&mut Unstructured::new(data)) {
        program.check();
        program.observe(&checkers());
    }
    for made in [Program::arithmetic, Program::looping] {
        if let Ok(program) = made(&mut Unstructured::new(data)) {
            program.compare_engines();
        }
    }
    if let Ok(program) = Program::wild(&mut Unstructured::new(data)) {
        program.observe(&checkers());
    }
});
