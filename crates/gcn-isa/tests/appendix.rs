//! Decodes and prints the reference encodings of the errata's Appendix A on each generation that they name.

mod common;

use gcn_isa::rules::Rule;
use gcn_isa::{Isa, Syntax, TextFidelity, decode};

const ERRATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errata.md");

/// Texts of the appendix that are alternative spellings of the printed text: other orders, numbers instead of names.
#[rustfmt::skip]
const OTHER_WAYS: &[(&str, &str)] = &[
    ("slc glc",                    "glc slc"),
    ("inst_offset:",               "offset:"),
    ("offset:0x8055",              "offset:swizzle(QUAD_PERM,1,1,1,1)"),
    ("QUAD_PERM, 1, 1, 1, 1",      "QUAD_PERM,1,1,1,1"),
    ("BITMASK_PERM, ",             "BITMASK_PERM,"),
    ("offset:swizzle(FFT,31)",     "offset:57375"),
    ("offset:swizzle(ROTATE,0,1)", "offset:49184"),
    ("probe 0x7",                  "probe 7"),
    ("probe_buffer 0x7",           "probe_buffer 7"),
    ("s[2:3], -1",                 "s[2:3], -0x1"),
];

#[test]
fn appendix_a_is_what_we_print() {
    let errata = std::fs::read_to_string(ERRATA).unwrap();
    let appendix = errata.split("# Appendix A").nth(1).unwrap();
    let mut lines = 0;
    for line in appendix.lines().filter(|line| line.starts_with("| 1.")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let text = cells[1].split('`').nth(1).unwrap();
        let expected = OTHER_WAYS
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        let words: Vec<u32> = cells[2]
            .split_whitespace()
            .map(|word| u32::from_str_radix(word, 16).unwrap())
            .collect();
        for generation in cells[0].split_whitespace() {
            let isas: &[Isa] = match generation {
                "1.0" => &[Isa::Si],
                "1.1" => &[Isa::Ci],
                "1.2" => &[Isa::Vi],
                _ => &[Isa::Gfx9, Isa::Vega12, Isa::Vega20],
            };
            for &isa in isas {
                let inst = decode(isa, &words).unwrap_or_else(|e| panic!("{isa}: {text}: {e}"));
                let mut ours = String::new();
                let fidelity = inst.print(&mut ours, Syntax::Llvm, None);
                assert_eq!(ours, expected, "{isa}");
                let is_refused = inst.broken_rule() == Some(Rule::StoreOffset);
                assert_eq!(fidelity == TextFidelity::Lossy, is_refused, "{isa}: {ours}");
                assert_eq!(common::words(&inst), words);
            }
        }
        lines += 1;
    }
    assert_eq!(lines, 131);
}
