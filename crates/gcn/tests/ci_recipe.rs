//! Tests of the workflow in `docs/ci.md`, the GitHub action and the pre-commit hooks. Their commands run on a project
//! with a good and a bad kernel.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_sarif::sarif::Sarif;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Commands of the named step, as the workflow's shell runs them.
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

/// Command that runs in a directory, with the `gcn` under test in PATH.
fn command(program: impl AsRef<OsStr>, directory: &Path) -> Command {
    let own = Path::new(env!("CARGO_BIN_EXE_gcn"))
        .parent()
        .expect("a directory");
    let path = env::var("PATH").unwrap_or_default();
    let mut command = Command::new(program);
    command
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", own.display()));
    command
}

/// Runs a command, checks its exit status, and returns its standard output.
fn printed(command: &mut Command, status: i32) -> String {
    let ran = command.output().expect("it runs");
    let messages = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(status), "{command:?}: {messages}");
    String::from_utf8(ran.stdout).expect("text")
}

/// Runs the commands of a step as GitHub does, and checks the exit status.
fn run(step: &str, directory: &Path, status: i32) {
    let mut bash = command("bash", directory);
    printed(
        bash.args(["-e", "-o", "pipefail", "-c", &commands(step)]),
        status,
    );
}

/// Rule and file of each finding in a SARIF log.
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

/// Kernel with a race, and the same kernel without it.
fn kernels() -> (String, String) {
    let bad = fs::read_to_string(root().join("examples/opencl/sum.cl")).expect("a kernel");
    let good = bad.replace(
        "step /= 2) {",
        "step /= 2) {\n        barrier(CLK_LOCAL_MEM_FENCE);",
    );
    (bad, good)
}

/// Creates a project with a launch file for `kernels/sum.cl`.
fn project(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory); // May not exist.
    for part in [".git", "kernels", "launches"] {
        fs::create_dir_all(directory.join(part)).expect("a directory");
    }
    let launch = "file = \"../kernels/sum.cl\"\ntarget = \"gfx906\"\ngrid = 256\ngroup = 128\nargs = [\"in\", \"out\"]\n\
                  [buffers]\nin = \"i32*256:iota\"\nout = \"i32*2\"\n";
    fs::write(directory.join("launches/sum.toml"), launch).expect("written");
    directory
}

#[test]
fn the_workflow_finds_a_race_and_passes_without_it() {
    let directory = project("ci-recipe");
    let (bad, good) = kernels();
    fs::write(directory.join("kernels/sum.cl"), good).expect("written");
    run("Read the kernels", &directory, 0);
    run("Run the kernels", &directory, 0);
    assert_eq!(findings(&directory.join("check.sarif")), []);
    fs::write(directory.join("kernels/sum.cl"), bad).expect("written");
    run("Read the kernels", &directory, 0);
    run("Run the kernels", &directory, 1);
    let found = findings(&directory.join("check.sarif"));
    let race = ("lds-race".to_owned(), "kernels/sum.cl".to_owned());
    assert!(found.contains(&race), "{found:?}");
    assert_eq!(findings(&directory.join("lint.sarif")), []);
}

/// Runs the action's script.
fn action(directory: &Path, inputs: &[(&str, &str)], status: i32) -> String {
    let mut python = command("python3", directory);
    let script = root().join("integrations/github/run.py");
    let inputs = inputs.iter().copied().chain([("SARIF", "gcn.sarif")]);
    printed(python.arg(script).envs(inputs), status)
}

#[test]
fn the_action_annotates_lines() {
    let directory = project("ci-action");
    let (bad, good) = kernels();
    fs::write(directory.join("kernels/sum.cl"), good).expect("written");
    let printed = action(&directory, &[("LAUNCHES", "launches")], 0);
    assert!(!printed.contains("::"), "{printed}");
    fs::write(directory.join("kernels/sum.cl"), bad).expect("written");
    let printed = action(&directory, &[("LAUNCHES", "launches")], 1);
    let race = "::error title=lds-race,file=kernels/sum.cl,line=";
    assert!(printed.contains(race), "{printed}");
    let unchecked = [("LAUNCHES", "launches"), ("CHECK", "false")];
    let printed = action(&directory, &unchecked, 0);
    assert!(!printed.contains(race), "{printed}");
    let wrong = [("PROGRAM", "true"), ("OPTIONS", "--no-such-option")];
    action(&directory, &wrong, 125);
    action(&directory, &[], 1);
    let both = [("LAUNCHES", "launches"), ("PROGRAM", "true")];
    action(&directory, &both, 1);
    action(&directory, &[("PROGRAM", "true"), ("CHECK", "yes")], 1);
}

#[test]
fn the_action_runs_a_program() {
    let directory = project("ci-program");
    let (bad, _) = kernels();
    fs::write(directory.join("kernels/sum.cl"), bad).expect("written");
    action(&directory, &[("LAUNCHES", "launches")], 1);
    let found = directory.join("found.sarif");
    fs::rename(directory.join("gcn.sarif"), found).expect("a log");
    // Placeholder for the library, which would create devices and write the log.
    let library = directory.join("lib/libhsa-runtime64.so.1");
    fs::create_dir_all(directory.join("lib")).expect("a directory");
    let mut cc = command("cc", &directory);
    cc.arg("-shared").arg("-o").arg(library);
    printed(cc.args(["-x", "c", "/dev/null"]), 0);
    let libraries = directory.join("lib");
    let libraries = ("GCN_LIB_DIR", libraries.to_str().expect("UTF-8"));
    let copies = [libraries, ("PROGRAM", "cp found.sarif gcn.sarif")];
    let printed = action(&directory, &copies, 0);
    let race = "::error title=lds-race,file=kernels/sum.cl,line=";
    assert!(printed.contains(race), "{printed}");
    let fails = [libraries, ("PROGRAM", "sh -c 'exit 5'")];
    assert_eq!(action(&directory, &fails, 5), "");
    let unchecked = [libraries, ("PROGRAM", "true"), ("CHECK", "false")];
    assert_eq!(action(&directory, &unchecked, 0), "");
}

/// Command of a pre-commit hook.
fn hook(id: &str, directory: &Path) -> Command {
    let text = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("the hooks");
    let (_, rest) = text.split_once(&format!("- id: {id}\n")).expect(id);
    let (_, rest) = rest.split_once("entry: ").expect("an entry");
    let mut words = rest.lines().next().expect("a line").split_whitespace();
    let program = words.next().expect("a program");
    // Scripts are in this repository; other programs are installed.
    let program = match root().join(program) {
        script if script.exists() => script,
        _ => program.into(),
    };
    let mut command = command(program, directory);
    command.args(words).arg("--target=gfx906");
    command
}

#[test]
fn hooks_read_each_file() {
    let directory = project("ci-hooks");
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).expect("written");
    let function = ".globl f\n.type f,@function\nf:\n";
    write("good.s", &format!("{function} s_endpgm\n"));
    let late = " s_load_dword s0, s[2:3], 0x0\n s_add_u32 s0, s0, 1\n s_endpgm\n";
    write("late.s", &format!("{function}{late}"));
    write("bad.s", "v_add_f33 v0, v1, v2\n");
    printed(hook("gcn-asm", &directory).args(["good.s", "late.s"]), 0);
    printed(hook("gcn-asm", &directory).args(["bad.s", "good.s"]), 1);
    printed(&mut hook("gcn-asm", &directory), 0);
    assert!(!directory.join("good.co").exists(), "nothing is written");
    printed(hook("gcn-lint", &directory).arg("good.s"), 0);
    printed(hook("gcn-lint", &directory).args(["good.s", "late.s"]), 3);
}
