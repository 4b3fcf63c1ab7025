//! Checks that findings of the `races` cases in `tests/check` do not depend on the number of threads.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a case of `tests/check` with a number of threads. Returns the names and instructions of the findings.
fn findings_on(case: &Path, header: &[&str], threads: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .args([
            "check",
            "--target",
            "gfx900",
            "--json",
            "--threads",
            threads,
        ])
        .arg(case)
        .args(header)
        .output()
        .expect("gcn runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("a list");
    let mut told: Vec<String> = findings
        .iter()
        .map(|finding| {
            let sides = finding["sides"].as_array().into_iter().flatten();
            let places = sides.map(|side| side["instruction"].to_string());
            let places: Vec<String> = places.collect();
            format!("{} {} {places:?}", finding["name"], finding["instruction"])
        })
        .collect();
    told.sort_unstable();
    told
}

#[test]
fn findings_of_races_do_not_depend_on_threads() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/check");
    let mut count = 0;
    for entry in fs::read_dir(cases).expect("the cases") {
        let path = entry.expect("a case").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if !name.starts_with("races-") {
            continue;
        }
        count += 1;
        let text = fs::read_to_string(&path).expect("text");
        let launch: String = text
            .lines()
            .filter_map(|line| line.strip_prefix("//! "))
            .fold(String::new(), |all, line| format!("{all}{line}\n"));
        let launch: toml::Table = launch.parse().expect("a launch");
        let mut options: Vec<String> = Vec::new();
        for (key, value) in &launch {
            match value.as_table() {
                Some(arguments) => {
                    for (name, value) in arguments {
                        let value = value.as_str().expect("text");
                        options.extend(["--arg".to_owned(), format!("{name}={value}")]);
                    }
                }
                None => options.extend([format!("--{key}"), value.to_string().replace('"', "")]),
            }
        }
        if text.contains("// ALSO: lanes") {
            options.extend(["--also".to_owned(), "lanes".to_owned()]);
        }
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let expected = findings_on(&path, &options, "1");
        let is_clean = text.contains("// GCN all: no findings");
        assert_eq!(expected.is_empty(), is_clean, "{name}: {expected:?}");
        for threads in ["1", "2", "8"] {
            for _ in 0..20 {
                let found = findings_on(&path, &options, threads);
                assert_eq!(found, expected, "{name} on {threads} threads");
            }
        }
    }
    assert!(count >= 4, "{count} cases");
}
