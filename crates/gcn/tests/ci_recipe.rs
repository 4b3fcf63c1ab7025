//! The workflow of `docs/ci.md`: its commands run on a project with a good and a bad kernel.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_sarif::sarif::Sarif;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of the named step, as the workflow's shell runs them.
fn commands(step: &str) -> String {
    let text = fs::read_to_string(root().join("docs/ci.md")).expect("the document");
    let (_, rest) = text.split_once(&format!("- name: {step}\n")).expect(step);
    let (_, rest) = rest.split_once("run: ").expect("commands");
    if let Some(block) = rest.strip_prefix("|\n") {
        let lines = block
            .lines()
            .take_while(|line| line.starts_with("          "));
        lines
            .map(|line| format!("{}\n", line.trim_start()))
            .collect()
    } else {
        rest.lines().next().expect("a command").to_owned()
    }
}

/// Runs the commands of a step as GitHub does, and looks at the exit status.
fn run(step: &str, directory: &Path, status: i32) {
    let own = Path::new(env!("CARGO_BIN_EXE_gcn"))
        .parent()
        .expect("a directory");
    let path = env::var("PATH").unwrap_or_default();
    let ran = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &commands(step)])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", own.display()))
        .output()
        .expect("bash runs");
    let messages = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(status), "{step}: {messages}");
}

/// Rules and files of the findings in a log.
fn findings(file: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(file).expect("a log");
    let log: Sarif = serde_json::from_str(&text).expect("SARIF");
    let results = log.runs[0].results.clone().expect("results");
    let found = results.iter().map(|result| {
        let place = result.locations.as_ref().expect("locations")[0].clone();
        let file = place.physical_location.expect("a file").artifact_location;
        let file = file.expect("a file");
        assert_eq!(file.uri_base_id.as_deref(), Some("%SRCROOT%"));
        (
            result.rule_id.clone().expect("a rule"),
            file.uri.expect("a path"),
        )
    });
    found.collect()
}

#[test]
fn the_workflow_finds_a_race_and_passes_without_it() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ci-recipe");
    let _ = fs::remove_dir_all(&directory); // It need not exist.
    for part in [".git", "kernels", "launches"] {
        fs::create_dir_all(directory.join(part)).expect("a directory");
    }
    let bad = fs::read_to_string(root().join("examples/opencl/sum.cl")).expect("a kernel");
    let good = bad.replace(
        "step /= 2) {",
        "step /= 2) {\n        barrier(CLK_LOCAL_MEM_FENCE);",
    );
    let launch = "file = \"../kernels/sum.cl\"\ntarget = \"gfx906\"\ngrid = 256\ngroup = 128\nargs = [\"in\", \"out\"]\n\
                  [buffers]\nin = \"i32*256:iota\"\nout = \"i32*2\"\n";
    fs::write(directory.join("launches/sum.toml"), launch).expect("written");
    fs::write(directory.join("kernels/sum.cl"), good).expect("written");
    run("Read the kernels", &directory, 0);
    run("Run the kernels", &directory, 0);
    assert_eq!(findings(&directory.join("check-sum.sarif")), []);
    fs::write(directory.join("kernels/sum.cl"), bad).expect("written");
    run("Read the kernels", &directory, 0);
    run("Run the kernels", &directory, 3);
    let found = findings(&directory.join("check-sum.sarif"));
    let race = ("lds-race".to_owned(), "kernels/sum.cl".to_owned());
    assert!(found.contains(&race), "{found:?}");
    assert_eq!(findings(&directory.join("lint.sarif")), []);
}
