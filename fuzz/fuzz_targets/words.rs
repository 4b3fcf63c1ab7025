//! Any words of any instruction set: decoding, printing and listing are total, and the listing assembles to the
//! same bytes.
#![no_main]

use gcn_asm::list::{Code, ListOptions, list};
use gcn_asm::{Options, Source, assemble};
use gcn_isa::{Syntax, TARGETS};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let target = &TARGETS[usize::from(choice) % TARGETS.len()];
    let syntax = if choice & 0x80 == 0 { Syntax::Llvm } else { Syntax::Clrx };
    let text = list(&Code::raw(target.isa, bytes), &ListOptions { syntax, hex: choice & 0x40 != 0 });
    let assembly = assemble(&Source { name: "fuzz", text: &text }, &Options::new(target));
    assert!(!assembly.has_errors(), "{text}\n{:?}", assembly.diagnostics);
    assert_eq!(assembly.program.to_raw(), bytes, "{text}");
});
