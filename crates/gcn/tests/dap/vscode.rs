//! Test with an independent client: VS Code's package for testing debug adapters, under Node.js.

use std::path::Path;
use std::process::Command;

/// Package installed by `cargo xtask tools`.
const CLIENT: &str = "node_modules/@vscode/debugadapter-testsupport/package.json";

#[test]
#[allow(clippy::print_stderr)]
fn the_client_of_vs_code_is_served() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dap/vscode");
    if !directory.join(CLIENT).exists() {
        // The harness has no result for skipped tests.
        eprintln!("skipped: `npm ci` has not run in {}", directory.display());
        return;
    }
    let output = Command::new("node")
        .args(["--test", "--test-reporter=tap", "adapter.test.js"])
        .env("GCN", env!("CARGO_BIN_EXE_gcn"))
        .current_dir(&directory)
        .output()
        .expect("Node.js starts");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
    // Node.js also succeeds if it runs no test.
    let has_passed = |line: &str| line.starts_with("ok ");
    assert_eq!(
        report.lines().filter(|it| has_passed(it)).count(),
        7,
        "{report}"
    );
}
