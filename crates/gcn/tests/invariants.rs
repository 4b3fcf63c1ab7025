//! Holds the invariants of ARCHITECTURE.md that a test can hold, by reading the sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Files that may use `unsafe`, each block with its reason.
const UNSAFE: &[&str] = &[
    "gcn-emu/src/memory.rs",
    "gcn-emu/src/memory/backing.rs",
    "gcn-emu/src/memory/vectors.rs",
    "gcn-emu/src/lanes.rs",
    "gcn-emu/src/lanes/elements.rs",
    "gcn-emu/src/lanes/elements/wide.rs",
    "gcn-emu/src/lanes/halves.rs",
    "gcn-emu/src/lanes/rows.rs",
    "gcn-emu/src/lanes/vectors.rs",
    "gcn-emu/src/lanes/vectors/avx2.rs",
    "gcn-emu/src/lanes/vectors/avx512.rs",
    "gcn/src/file.rs",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate is in crates/")
        .to_owned()
}

/// Every Rust source below `dir`, with its path below `crates/` and its code without comments and tests.
fn sources(dir: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
        let path = entry.expect("a directory entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("a source is text");
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            let code: Vec<&str> = code
                .lines()
                .map(|l| l.split("//").next().unwrap_or_default())
                .collect();
            let name = path
                .strip_prefix(crates())
                .expect("below crates/")
                .display()
                .to_string();
            found.push((name, code.join("\n")));
        }
    }
    assert!(!found.is_empty(), "no source below {}", dir.display());
    found
}

fn library_sources() -> Vec<(String, String)> {
    [
        "gcn-isa",
        "gcn-asm",
        "gcn-object",
        "gcn-emu",
        "gcn-observe",
        "gcn-runtime",
    ]
    .iter()
    .flat_map(|name| sources(&crates().join(name).join("src")))
    .collect()
}

#[track_caller]
fn assert_absent(sources: &[(String, String)], words: &[&str], why: &str) {
    for (name, code) in sources {
        for word in words {
            assert!(!code.contains(word), "{name} contains `{word}`: {why}");
        }
    }
}

#[test]
fn only_the_command_line_prints_or_exits() {
    let words = [
        "println!",
        "eprintln!",
        "print!(",
        "eprint!(",
        "process::exit",
        "stdout()",
        "stderr()",
    ];
    assert_absent(
        &library_sources(),
        &words,
        "nothing but `gcn` prints or exits",
    );
}

#[test]
fn unsafe_lives_in_named_modules() {
    let elsewhere: Vec<_> = library_sources()
        .into_iter()
        .chain(sources(&crates().join("gcn/src")))
        .filter(|(name, _)| !UNSAFE.contains(&name.as_str()))
        .collect();
    assert_absent(&elsewhere, &["unsafe "], "`unsafe` lives in named modules");
}

/// The lines of a crate's manifest that name what its code may use.
fn dependencies(name: &str) -> String {
    let path = crates().join(name).join("Cargo.toml");
    let manifest = fs::read_to_string(&path).expect("a manifest");
    let after = manifest
        .split("[dependencies]")
        .nth(1)
        .expect("a section of dependencies");
    after.split("\n[").next().unwrap_or_default().to_owned()
}

#[test]
fn the_isa_and_the_object_crate_see_no_other() {
    for name in ["gcn-isa", "gcn-object"] {
        assert!(
            !dependencies(name).contains("gcn-"),
            "{name} sees no other crate of the workspace"
        );
    }
}

#[test]
fn execution_never_sees_an_opcode_number() {
    let exec = sources(&crates().join("gcn-emu/src/exec"));
    assert_absent(
        &exec,
        &["opcode", "Field::Op)", ".words()"],
        "execution goes by identity and effect",
    );
}

#[test]
fn no_instruction_is_named_where_rows_are_walked() {
    let files = [
        "gcn-isa/src/decode.rs",
        "gcn-isa/src/print.rs",
        "gcn-isa/src/inst.rs",
    ];
    let walkers: Vec<_> = library_sources()
        .into_iter()
        .filter(|(name, _)| files.contains(&name.as_str()) || name.starts_with("gcn-asm/src"))
        .collect();
    assert!(
        walkers.len() > files.len(),
        "the files that walk the rows are there"
    );
    for row in gcn_isa::rows() {
        let quoted = format!("\"{}", row.name);
        let variant = format!("::{}", row.name.to_uppercase());
        assert_absent(
            &walkers,
            &[
                &format!("{quoted}\""),
                &format!("{variant} "),
                &format!("{variant})"),
            ],
            "rows are walked, not named",
        );
    }
}

#[test]
fn both_tables_of_processors_agree() {
    for target in gcn_isa::TARGETS {
        assert_eq!(
            gcn_object::processor_name(target.elf_mach),
            Some(target.name),
            "EF_AMDGPU_MACH {:#x}",
            target.elf_mach
        );
    }
}
