//! Random text: the assembler never panics, and writes a program without errors as an object or reports why it cannot.
#![no_main]

use gcn_asm::{Options, Source, assemble};
use gcn_isa::TARGETS;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let target = &TARGETS[usize::from(choice) % TARGETS.len()];
    let assembly = assemble(&Source { name: "fuzz", text }, &Options::new(target));
    for diagnostic in &assembly.diagnostics {
        assert!(diagnostic.span.end <= text.len() && diagnostic.span.start <= diagnostic.span.end, "{diagnostic:?}");
    }
    if !assembly.has_errors() {
        let _ = assembly.program.to_object(None);
    }
});
