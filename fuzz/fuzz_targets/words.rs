//! Random words of any instruction set: decoding, printing and listing never panic, and the listing assembles to the
//! same bytes in the dialect of its syntax.
#![no_main]

use gcn_asm::list::{ListedCode, ListOptions, list};
use gcn_asm::{Dialect, Options, Source, assemble};
use gcn_isa::{Syntax, TARGETS};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let target = &TARGETS[usize::from(choice) % TARGETS.len()];
    let (syntax, dialect) =
        if choice & 0x80 == 0 { (Syntax::Llvm, Dialect::Llvm) } else { (Syntax::Clrx, Dialect::Clrx) };
    let text = list(&ListedCode::raw(target.isa, bytes), &ListOptions { syntax, hex: choice & 0x40 != 0 });
    let options = Options { dialect, ..Options::new(target) };
    let assembly = assemble(&Source { name: "fuzz", text: &text }, &options);
    assert!(!assembly.has_errors(), "{text}\n{:?}", assembly.diagnostics);
    assert_eq!(assembly.program.to_raw(), bytes, "{text}");
});
