//! Appendix A of the errata: reference encodings, and forms that an assembler must reject.

mod common;

use common::{target, words};

const ERRATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errata.md");

/// Target that represents a generation of the table.
fn generation(name: &str) -> &'static str {
    match name {
        "1.0" => "gfx600",
        "1.1" => "gfx700",
        "1.2" => "gfx803",
        "1.4" => "gfx900",
        other => panic!("GCN {other} is not in the table"),
    }
}

/// Lines where the appendix shows LLVM's behavior but an entry disagrees: scalar stores of GCN 1.2 accept only M0 as
/// a register offset (E026).
const OVERRULED: [(&str, &str); 2] = [
    ("1.2", "s_store_dword s1, s[2:3], s4"),
    ("1.2", "s_buffer_store_dword s1, s[4:7], s4"),
];

#[test]
fn reference_encodings() {
    let errata = std::fs::read_to_string(ERRATA).expect("docs/errata.md is part of the project");
    let appendix = errata
        .split("# Appendix A")
        .nth(1)
        .expect("the errata have an Appendix A");
    let mut lines = 0;
    let mut failures = Vec::new();
    for row in appendix.lines().filter(|line| line.starts_with("| 1.")) {
        lines += 1;
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, generations, text, encoding, _] = columns[..] else {
            panic!("a row has three columns: {row}");
        };
        let text = text.split('`').nth(1).expect("the text is in backticks");
        let expected: Vec<u32> = encoding
            .split_whitespace()
            .map(|word| u32::from_str_radix(word, 16).expect("a word"))
            .collect();
        for name in generations.split_whitespace() {
            let result = words(target(generation(name)), text);
            if OVERRULED.contains(&(name, text)) {
                assert!(result.is_err(), "{text} on GCN {name}");
            } else if result.as_ref() != Ok(&expected) {
                failures.push(format!(
                    "GCN {name}: {text}: {result:08x?}, not {expected:08x?}"
                ));
            }
        }
    }
    assert_eq!(lines, 131, "rows of the appendix");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The paragraph "Forms that LLVM rejects, and that an assembler should reject too": target, text, and part of the
/// message.
#[rustfmt::skip]
const REJECTED: &[(&str, &str, &str)] = &[
    ("gfx600", "ds_add_u32 v1, v2 offset:65536", "out of range 0 to 65535"),
    ("gfx900", "ds_add_u32 v1, v2 offset:-1", "out of range 0 to 65535"),
    ("gfx900", "ds_write2_b32 v1, v2, v3 offset0:256", "out of range 0 to 255"),
    ("gfx700", "flat_load_dword v1, v[2:3] offset:4", "`offset` is not allowed"),
    ("gfx803", "flat_load_dword v1, v[2:3] offset:4", "`offset` is not allowed"),
    ("gfx803", "flat_load_dword v1, v[2:3] inst_offset:4", "`offset` is not allowed"),
    ("gfx900", "flat_load_dword v1, v[2:3] offset:4096", "out of range 0 to 4095"),
    ("gfx900", "flat_load_dword v1, v[2:3] offset:-1", "out of range 0 to 4095"),
    ("gfx900", "global_load_dword v1, v[2:3], off offset:4096", "out of range -4096 to 4095"),
    ("gfx900", "global_load_dword v1, v[2:3], off offset:-4097", "out of range -4096 to 4095"),
    ("gfx900", "global_load_dword v1, v[2:3]", "too few operands"),
    ("gfx900", "global_load_dword v1, v[2:3], s[4:5]", "the address has 2 registers, not 1"),
    ("gfx900", "global_load_dword v1, v2, off", "the address has 1 register, not 2"),
    ("gfx900", "global_load_dword v1, v2, s[5:6]", "must begin at a multiple of 2"),
    ("gfx900", "global_load_dwordx2 v[2:3], off lds", "`lds` is not allowed"),
    ("gfx900", "scratch_load_dword v1, v2, s2", "one of the two addresses must be `off`"),
    ("gfx900", "scratch_load_dword v1, off, off", "cannot both be `off`"),
    ("gfx900", "scratch_load_dword v1, v[2:3], off", "takes 1 register here, found 2"),
    ("gfx900", "flat_atomic_add v[2:3], v4 glc", "needs a destination"),
    ("gfx803", "s_load_dword s1, s[2:3], 0x100000", "out of range 0 to 1048575"),
    ("gfx900", "s_load_dword s1, s[2:3], 0x100000", "out of range -1048576 to 1048575"),
    ("gfx803", "s_load_dword s1, s[2:3], -1", "out of range 0 to 1048575"),
    ("gfx803", "s_buffer_load_dword s1, s[4:7], -1", "out of range 0 to 1048575"),
    ("gfx900", "s_buffer_load_dword s1, s[4:7], -1", "out of range 0 to 1048575"),
    ("gfx900", "s_load_dwordx2 s[1:2], s[2:3], 0x10", "must begin at a multiple of 2"),
    ("gfx900", "s_load_dwordx4 s[2:5], s[2:3], 0x10", "must begin at a multiple of 4"),
    ("gfx900", "s_buffer_load_dword s1, s[6:9], 0x10", "must begin at a multiple of 4"),
    ("gfx900", "s_load_dword m0, s[2:3], 0x10", "cannot load or store M0 and EXEC"),
    ("gfx900", "s_load_dword exec_lo, s[2:3], 0x10", "cannot load or store M0 and EXEC"),
    ("gfx600", "ds_permute_b32 v0, v1, v2", "has no instruction"),
    ("gfx700", "ds_permute_b32 v0, v1, v2", "has no instruction"),
    ("gfx803", "ds_read_addtid_b32 v1", "has no instruction"),
];

#[test]
fn forms_to_reject() {
    for (name, text, expected) in REJECTED {
        let error = words(target(name), text).expect_err(text);
        assert!(error.contains(expected), "{text} on {name}: {error}");
    }
}

#[test]
fn mnemonics_of_gcn_1_1_are_rejected_on_1_0() {
    use gcn_isa::{Isa, rows};
    let newer = rows().filter(|row| {
        row.opcode_on(Isa::Si).is_none()
            && row.opcode_on(Isa::Ci).is_some()
            && Isa::Si.tables().named(row.name).is_none()
    });
    let mut count = 0;
    for row in newer {
        let error = words(target("gfx600"), row.name).expect_err(row.name);
        assert!(error.contains("GCN 1.0 has no instruction"), "{error}");
        count += 1;
    }
    assert!(count >= 9 + 46, "{count} rows are new in GCN 1.1");
}
