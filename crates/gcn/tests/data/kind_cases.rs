//! Checks that each kind of finding is expected by a file in `tests/check`, on each family of targets.

use std::fs;
use std::path::Path;

use gcn_observe::finding::Kind;

use crate::case::{cases, expectations, verdict};

/// Families of targets, by instruction set version.
const FAMILIES: [&[&str]; 3] = [&["1.0", "1.1"], &["1.2"], &["1.4", "1.4.1"]];

/// Kinds that `gcn check` alone cannot report, with the tests that cover them and the reason.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    (
        "use-after-free",
        "crates/gcn-observe/tests/values/bounds.rs",
        "only a program frees memory that a kernel has the address of",
    ),
    (
        "load-from-write-only",
        "crates/gcn-observe/tests/values/bounds.rs",
        "only a program makes buffers that kernels must not read",
    ),
    (
        "mapped-buffer-access",
        "crates/gcn-observe/tests/values/bounds.rs",
        "only a program maps buffers",
    ),
    (
        "written-after-unmap",
        "crates/gcn-observe/tests/values/bounds.rs",
        "only a program maps buffers",
    ),
    (
        "sub-buffer-overrun",
        "crates/gcn-observe/tests/values/bounds.rs",
        "only a program makes parts of buffers",
    ),
    (
        "workgroup-beyond-kernel",
        "crates/gcn-report/tests/packets.rs",
        "only a program makes packets",
    ),
];

/// Checks that every kind is expected.
pub fn check() -> Result<(), String> {
    let mut expected: Vec<(String, Vec<String>)> = Vec::new();
    for case in cases("check", "s")? {
        for it in expectations(&case.text).0 {
            let versions = case.versions();
            let versions = versions.into_iter().filter(|version| it.is_for(version));
            expected.push((
                it.text.to_owned(),
                versions.map(str::to_owned).collect::<Vec<_>>(),
            ));
        }
    }
    let mut problems = Vec::new();
    for kind in Kind::ALL {
        let about = kind.about();
        let name = about.name;
        if let Some((_, path, why)) = ELSEWHERE.iter().find(|(it, ..)| *it == name) {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            let text = fs::read_to_string(root.join(path)).unwrap_or_default();
            if !text.contains(&format!("\"{name} ")) {
                problems.push(format!("{name}: {path} does not expect it ({why})"));
            }
            continue;
        }
        let begin = format!("{}[{name}]: ", about.severity);
        for family in FAMILIES {
            let is_there = expected.iter().any(|(text, versions)| {
                text.starts_with(&begin) && versions.iter().any(|it| family.contains(&it.as_str()))
            });
            if !is_there {
                problems.push(format!(
                    "{name}: no file of tests/check expects it on GCN {}",
                    family.join(" or ")
                ));
            }
        }
    }
    verdict(problems)
}
