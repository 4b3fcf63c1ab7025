//! Tests of the crates' packages: their files, the metadata that registries show, and dependencies on each other's packages.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::path::Path;
use std::process::Command;

/// Required files of a package outside `src` and `doc`.
const REQUIRED: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
const ALLOWED: [&str; 6] = [
    ".cargo_vcs_info.json",
    "Cargo.lock",
    "Cargo.toml.orig",
    "build.rs",
    "gcn.h",
    "src/lib.rs",
];
/// Packages of the workspace that are not published as crates. The Python package is a wheel, the playground a web page.
const UNPUBLISHED: [&str; 3] = ["gcn-python", "gcn-web", "xtask"];

fn cargo(arguments: &[&str]) -> String {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).args(["--offline", "--locked"]);
    let output = cargo.output().expect("cargo starts");
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{cargo:?}: {problem}");
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

fn metadata() -> Vec<serde_json::Value> {
    let text = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

#[test]
fn packages_hold_sources_licences_and_a_readme() {
    for package in metadata() {
        let name = package["name"].as_str().expect("a name");
        let is_published = package["publish"].is_null();
        assert_eq!(is_published, !UNPUBLISHED.contains(&name), "{name}");
        if !is_published {
            continue;
        }
        let list = [
            "package",
            "--list",
            "--quiet",
            "--allow-dirty",
            "--package",
            name,
        ];
        let files = cargo(&list);
        let files: Vec<&str> = files.lines().collect();
        for required in REQUIRED {
            assert!(files.contains(&required), "{name} has no {required}");
        }
        for file in files {
            let is_source = file.starts_with("src/")
                && [".rs", ".css", ".js"].iter().any(|end| file.ends_with(end));
            let is_known = REQUIRED.contains(&file) || ALLOWED.contains(&file);
            assert!(
                is_source || is_known || file.starts_with("doc/"),
                "{name} has {file}"
            );
        }
        for key in ["description", "license", "readme", "rust_version"] {
            assert!(package[key].is_string(), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            let count = package[key].as_array().map_or(0, Vec::len);
            assert!((1..=5).contains(&count), "{name} has {count} {key}");
        }
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        for dependency in dependencies.iter().filter(|it| it["path"].is_string()) {
            let is_for_tests = dependency["kind"] == "dev";
            assert!(
                is_for_tests || dependency["req"] != "*",
                "{name}: {dependency}"
            );
        }
    }
}

/// Minimum minor version of cargo 1 that can package interdependent crates before any of them is published.
const PACKAGES_WORKSPACES: u32 = 90;

#[test]
fn packages_depend_on_packages() {
    let version = cargo(&["--version"]);
    let minor = version.split('.').nth(1).and_then(|it| it.parse().ok());
    let minor: u32 = minor.expect("cargo has a version");
    if minor < PACKAGES_WORKSPACES {
        eprintln!("skipped: cargo 1.{minor} packages no workspaces");
        return;
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let mut package = vec!["package", "--workspace", "--no-verify", "--allow-dirty"];
    package.extend(["--quiet", "--target-dir", target.to_str().expect("UTF-8")]);
    package.extend(UNPUBLISHED.into_iter().flat_map(|name| ["--exclude", name]));
    cargo(&package);
    for package in metadata() {
        let name = package["name"].as_str().expect("a name");
        let version = package["version"].as_str().expect("a version");
        let file = target.join(format!("package/{name}-{version}.crate"));
        assert_eq!(file.exists(), !UNPUBLISHED.contains(&name), "{name}");
    }
}
