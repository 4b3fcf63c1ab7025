//! Tests of `gcn exec` and `gcn env`: the program's environment, the library that it loads, and exit statuses.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{assert_status, gcn, scratch, stderr, stdout};

/// Library that HIP programs load.
pub const LIBRARY: &str = "libhsa-runtime64.so.1";
/// Environment variables that a test must not inherit.
pub const VARIABLES: [&str; 27] = [
    "GCN_LIB_DIR",
    "GCN_TARGET",
    "GCN_MEMORY",
    "GCN_THREADS",
    "GCN_LIMIT",
    "GCN_TIMEOUT",
    "GCN_LATE",
    "GCN_SCHEDULE",
    "GCN_LDS_FILL",
    "GCN_REGISTER_FILL",
    "GCN_TRACE",
    "GCN_TRACE_ONLY",
    "GCN_BUILD_OPTIONS",
    "GCN_CHECK",
    "GCN_CHECK_KERNEL",
    "GCN_CHECK_LAUNCH_SKIP",
    "GCN_CHECK_LAUNCH_COUNT",
    "GCN_CHECK_STOP_AT",
    "GCN_CHECK_FORMAT",
    "GCN_CHECK_OUTPUT",
    "GCN_CHECK_SUPPRESS",
    "GCN_CHECK_GEN_SUPPRESSIONS",
    "GCN_CHECK_ERROR_EXITCODE",
    "GCN_PROFILE",
    "GCN_PROFILE_FORMAT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
];

/// Compiles a C source.
pub fn compile(directory: &Path, source: &str, arguments: &[&str]) {
    let file = directory.join("source.c");
    fs::write(&file, source).expect("written");
    let cc = Command::new("cc")
        .current_dir(directory)
        .arg("source.c")
        .args(arguments)
        .output()
        .expect("cc runs");
    assert!(cc.status.success(), "{}", stderr(&cc));
}

/// Creates a library named like the one that HIP programs load. Its function `who` returns `name`.
pub fn library(directory: &Path, name: &str) {
    fs::create_dir_all(directory).expect("a directory");
    let source = format!("const char *who(void) {{ return \"{name}\"; }}\n");
    let soname = format!("-Wl,-soname,{LIBRARY}");
    compile(
        directory,
        &source,
        &["-shared", "-fPIC", &soname, "-o", LIBRARY],
    );
}

/// Creates a test directory with a library in `lib`.
pub fn prepared(test: &str) -> PathBuf {
    let directory = scratch(test);
    library(&directory.join("lib"), "emulated");
    directory
}

/// `gcn` command that uses the library in `lib`.
pub fn command(directory: &PathBuf, arguments: &[&str]) -> Command {
    let mut command = gcn(directory, arguments);
    for name in VARIABLES {
        command.env_remove(name);
    }
    command.env("GCN_LIB_DIR", directory.join("lib"));
    command
}

pub fn output(directory: &PathBuf, arguments: &[&str]) -> Output {
    command(directory, arguments).output().expect("gcn starts")
}

/// Lines of `env` that set one of [`VARIABLES`], except `GCN_LIB_DIR`, sorted.
pub fn variables(text: &str) -> Vec<String> {
    let is_ours = |line: &&str| {
        let name = line.split('=').next().unwrap_or_default();
        VARIABLES[1..].contains(&name)
    };
    let mut lines: Vec<String> = text.lines().filter(is_ours).map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn outputs_replace_neither_the_program_nor_an_input() {
    let directory = prepared("exec-outputs");
    let program = directory.join("program");
    let known = directory.join("known.toml");
    fs::write(&program, "#!/bin/sh\n").expect("written");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("executable");
    fs::write(&known, "[[suppress]]\nname = \"global-race\"\n").expect("written");
    let refused = |options: &[&str], kept: &Path, option: &str| {
        let before = fs::read(kept).expect("a file");
        let arguments = [&["exec"], options, &["--", "./program"]].concat();
        let ran = output(&directory, &arguments);
        assert_status(&ran, 125);
        let errors = stderr(&ran);
        assert!(errors.contains(" is the input "), "{errors}");
        let advice = format!("name another file with {option}\n");
        assert!(errors.ends_with(&advice), "{errors}");
        assert!(fs::read(kept).expect("a file") == before, "{options:?}");
    };
    refused(&["--check", "--output", "program"], &program, "--output");
    refused(&["--profile=program"], &program, "--profile");
    refused(&["--trace", "program"], &program, "--trace");
    let suppress = ["--check", "--suppress", "known.toml"];
    refused(
        &[&suppress[..], &["--output", "known.toml"]].concat(),
        &known,
        "--output",
    );
}

#[test]
fn a_program_without_kernels_has_whole_documents() {
    let directory = prepared("exec-documents");
    let file = directory.join("out");
    let begin = |options: &[&str], program: &str| {
        fs::write(&file, "of an earlier run").expect("written");
        output(&directory, &[&["exec"], options, &[program]].concat());
        fs::read_to_string(&file).expect("it is there")
    };
    let check = |format| ["--check", "--format", format, "--output", "out"];
    assert_eq!(begin(&check("json"), "true"), "[]\n");
    assert_eq!(begin(&check("text"), "true"), "");
    let sarif: serde_json::Value =
        serde_json::from_str(&begin(&check("sarif"), "true")).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    let profile = ["--profile=out", "--profile-format", "json"];
    let profile: serde_json::Value = serde_json::from_str(&begin(&profile, "true")).expect("JSON");
    assert_eq!(profile["kernels"], serde_json::json!([]));
    // Output files stay unchanged if the program does not run.
    assert_eq!(
        begin(&check("json"), "no-such-program"),
        "of an earlier run"
    );
}

#[test]
fn settings_reach_the_program() {
    let directory = prepared("exec-settings");
    let path = |below: &str| {
        fs::canonicalize(&directory)
            .expect("it exists")
            .join(below)
            .display()
            .to_string()
    };
    let library = format!("LD_LIBRARY_PATH={}", path("lib"));
    let default = output(&directory, &["exec", "--", "env"]);
    assert_status(&default, 0);
    assert_eq!(
        variables(&stdout(&default)),
        ["GCN_TARGET=gfx906", &library]
    );
    assert_eq!(stderr(&default), "");
    let options = [
        "--target",
        "vega10,gfx906:xnack-",
        "--memory",
        "2G",
        "--threads",
        "3",
        "--limit",
        "1000",
        "--timeout",
        "1.5",
        "--late",
        "--schedule",
        "random(7)",
        "--trace",
        "it's a trace",
        "--trace-only",
        "wave=0..2",
        "--trace-only",
        "instruction=v_*",
    ];
    let expected = [
        "GCN_LATE=1".to_owned(),
        "GCN_LIMIT=1000".to_owned(),
        "GCN_MEMORY=2147483648".to_owned(),
        "GCN_SCHEDULE=random(7)".to_owned(),
        "GCN_TARGET=gfx900,gfx906:xnack-".to_owned(),
        "GCN_THREADS=3".to_owned(),
        "GCN_TIMEOUT=1.5".to_owned(),
        format!("GCN_TRACE={}", path("it's a trace")),
        "GCN_TRACE_ONLY=wave=0..2;instruction=v_*".to_owned(),
        format!("{library}:/usr/lib/a b"),
    ];
    let with = |first: &str, last: &[&str]| {
        let arguments: Vec<&str> = [&[first], &options[..], last].concat();
        let mut command = command(&directory, &arguments);
        // Options override the environment.
        command
            .env("GCN_THREADS", "7")
            .env("LD_LIBRARY_PATH", "/usr/lib/a b");
        command.output().expect("gcn starts")
    };
    let given = with("exec", &["env"]);
    assert_status(&given, 0);
    assert_eq!(variables(&stdout(&given)), expected);
    // A shell that evaluates `gcn env` has the same variables.
    let printed = with("env", &[]);
    assert_status(&printed, 0);
    let shell = Command::new("sh")
        .args(["-c", &(stdout(&printed) + "env")])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("sh runs");
    assert_eq!(variables(&stdout(&shell)), expected, "{}", stdout(&printed));
    let kept = command(&directory, &["exec", "env"])
        .env("GCN_THREADS", "7")
        .output()
        .expect("gcn starts");
    assert!(
        stdout(&kept).contains("GCN_THREADS=7\n"),
        "the environment has settings too"
    );
}

#[test]
fn options_of_checks_reach_the_program() {
    let directory = prepared("exec-checks");
    let path = |below: &str| {
        let real = fs::canonicalize(&directory).expect("it exists");
        real.join(below).display().to_string()
    };
    fs::write(directory.join("known"), "").expect("written");
    fs::write(directory.join("findings"), "of an earlier run").expect("written");
    let shown = |options: &[&str]| {
        let arguments: Vec<&str> = [&["exec", "--check"], options, &["env"]].concat();
        let ran = output(&directory, &arguments);
        assert_status(&ran, 0);
        let mut lines = variables(&stdout(&ran));
        lines.retain(|line| line.starts_with("GCN_CHECK"));
        lines
    };
    assert_eq!(
        shown(&["--only", "waits,races"]),
        ["GCN_CHECK=waits,races"],
        "what is not asked for has no variable"
    );
    let all = [
        "--also",
        "lanes",
        "--except",
        "hazards,uninit,bounds,barriers",
        "--kernel",
        "scan*,add<float, 4>",
        "--kernel",
        "reduce",
        "--launch-skip",
        "2",
        "--launch-count",
        "3",
        "--stop-at",
        "4",
        "--format",
        "sarif",
        "--output",
        "findings",
        "--suppress",
        "known",
        "--error-exitcode",
        "9",
    ];
    let expected = [
        "GCN_CHECK=waits,races,lanes".to_owned(),
        "GCN_CHECK_ERROR_EXITCODE=9".to_owned(),
        "GCN_CHECK_FORMAT=sarif".to_owned(),
        "GCN_CHECK_KERNEL=scan*,add<float, 4>,reduce".to_owned(),
        "GCN_CHECK_LAUNCH_COUNT=3".to_owned(),
        "GCN_CHECK_LAUNCH_SKIP=2".to_owned(),
        format!("GCN_CHECK_OUTPUT={}", path("findings")),
        "GCN_CHECK_STOP_AT=4".to_owned(),
        format!("GCN_CHECK_SUPPRESS={}", path("known")),
    ];
    assert_eq!(shown(&all), expected);
    let left = fs::read_to_string(directory.join("findings")).expect("it is there");
    assert!(
        left.contains("\"results\": []"),
        "findings of an earlier run are gone"
    );
    assert_eq!(
        shown(&["--only", "waits", "--gen-suppressions"]),
        ["GCN_CHECK=waits", "GCN_CHECK_GEN_SUPPRESSIONS=1"]
    );
    // Suppressions are always TOML, and their errors show a position.
    fs::write(directory.join("wrong"), "[[suppress]]\nline = 0x\n").expect("written");
    for (options, expected) in [
        (
            &["--gen-suppressions", "--format", "json"][..],
            "error[invalid-usage]: --gen-suppressions writes TOML, ",
        ),
        (
            &["--suppress", "wrong"],
            "wrong:2:8: error[invalid-suppressions]: ",
        ),
    ] {
        let arguments = [&["exec", "--check"], options, &["env"]].concat();
        let refused = output(&directory, &arguments);
        assert_status(&refused, 125);
        let errors = stderr(&refused);
        assert!(errors.contains(expected), "{errors}");
        assert!(!errors.contains("\\n"), "{errors}");
    }
    // Options for checks require `--check`, unless the environment requests checks.
    let alone = ["exec", "--format", "json", "env"];
    let refused = output(&directory, &alone);
    assert_status(&refused, 125);
    assert!(
        stderr(&refused).contains("check options have no effect without --check"),
        "{}",
        stderr(&refused)
    );
    let mut asked = command(&directory, &alone);
    let asked = asked
        .env("GCN_CHECK", "waits")
        .output()
        .expect("gcn starts");
    assert!(
        stdout(&asked).contains("GCN_CHECK_FORMAT=json\n"),
        "{}",
        stdout(&asked)
    );
}

#[test]
fn the_program_takes_the_place_of_the_command() {
    let directory = prepared("exec-place");
    for (script, status) in [("exit 0", 0), ("exit 7", 7), ("exit 255", 255)] {
        assert_status(
            &output(&directory, &["exec", "--", "sh", "-c", script]),
            status,
        );
    }
    let killed = output(&directory, &["exec", "sh", "-c", "kill -TERM $$"]);
    assert_eq!(killed.status.signal(), Some(15));
    let mut child = command(&directory, &["exec", "sh", "-c", "echo $$"]);
    let child = child
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("gcn starts");
    let id = child.id();
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(
        stdout(&ended).trim(),
        id.to_string(),
        "it is the same process"
    );
    let options = output(
        &directory,
        &["exec", "printf", "%s.", "--target", "-x", "--"],
    );
    assert_eq!(
        stdout(&options),
        "--target.-x.--.",
        "what is behind the program is the program's"
    );
    let script = directory.join("script");
    fs::write(&script, "#!/bin/sh\ncat; echo $1 >&2\n").expect("written");
    fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("it is ours");
    let input = directory.join("input");
    fs::write(&input, "from standard input\n").expect("written");
    let ran = command(&directory, &["exec", "./script", "word"])
        .stdin(fs::File::open(&input).expect("it exists"))
        .output()
        .expect("gcn starts");
    assert_status(&ran, 0);
    assert_eq!(
        (&*stdout(&ran), &*stderr(&ran)),
        ("from standard input\n", "word\n")
    );
}

#[test]
fn failures_have_statuses_of_their_own() {
    let directory = prepared("exec-failures");
    fs::write(directory.join("data"), "no program\n").expect("written");
    let script = directory.join("script");
    fs::write(&script, "#!/no/such/interpreter\n").expect("written");
    fs::set_permissions(&script, Permissions::from_mode(0o755)).expect("it is ours");
    for (arguments, status, message) in [
        (&["exec"][..], 125, "required"),
        (&["exec", "--frobnicate", "true"], 125, "--frobnicate"),
        (
            &["--color", "never", "exec", "--frobnicate"],
            125,
            "--frobnicate",
        ),
        (&["--color=never", "exec"], 125, "required"),
        (&["--color", "exec", "env"], 2, "--color"),
        (
            &["exec", "--target", "gfx1030", "true"],
            125,
            "RDNA are not supported",
        ),
        (
            &["exec", "--target", "gfx906,", "true"],
            125,
            "not a target",
        ),
        (
            &["exec", "--memory", "4X", "true"],
            125,
            "`4X` is not an amount of memory",
        ),
        (
            &["exec", "--timeout", "0", "true"],
            125,
            "`0` is not a number of seconds above 0",
        ),
        (
            &["exec", "--trace-only", "lane=1", "true"],
            125,
            "error[invalid-filter]: trace only lane=1: unknown key `lane`: write",
        ),
        (
            &["exec", "--check=wait", "true"],
            125,
            "no check is called `wait`; the checks are waits, ",
        ),
        (
            &["exec", "--check", "--error-exitcode", "0", "true"],
            125,
            "`0` is not an exit status from 1 to 255",
        ),
        (
            &["exec", "--check", "--suppress", "missing", "true"],
            125,
            "error[unreadable-input]: ",
        ),
        (
            &["exec", "--check", "--output", "no/such/file", "true"],
            125,
            "error[unwritable-output]: there is no directory ",
        ),
        (
            &["exec", "--trace", "no/such/file", "true"],
            125,
            "error[unwritable-output]: there is no directory ",
        ),
        (
            &["exec", "--profile-format", "json", "true"],
            125,
            "--profile-format needs --profile",
        ),
        (
            &["exec", "./data"],
            126,
            "error[unusable-program]: cannot run ./data: Permission denied",
        ),
        (&["exec", "."], 126, "cannot run ."),
        (
            &["exec", "no-such-program"],
            127,
            "error[unusable-program]: there is no program no-such-program",
        ),
        (
            &["exec", "./no-such-program"],
            127,
            "there is no program ./no-such-program",
        ),
        (
            &["exec", "./script"],
            127,
            "cannot run ./script: the interpreter that it names does not exist",
        ),
        (&["env", "--frobnicate"], 2, "--frobnicate"),
    ] {
        let failed = output(&directory, arguments);
        assert_status(&failed, status);
        assert!(
            stderr(&failed).contains(message),
            "{arguments:?}: {}",
            stderr(&failed)
        );
        assert_eq!(stdout(&failed), "");
    }
    assert_status(&output(&directory, &["exec", "--help"]), 0);
    for (name, value, message) in [
        (
            "GCN_LIMIT",
            "few",
            "error[invalid-setting]: GCN_LIMIT: `few` is not a number of instructions above 0\n",
        ),
        (
            "GCN_LIB_DIR",
            "/usr/include",
            "error[missing-library]: GCN_LIB_DIR names /usr/include, which contains neither libhsa-runtime64.so.1 nor libgcn_opencl.so\n",
        ),
    ] {
        for (arguments, status) in [(&["exec", "true"][..], 125), (&["env"], 1)] {
            let failed = command(&directory, arguments)
                .env(name, value)
                .output()
                .expect("gcn starts");
            assert_status(&failed, status);
            assert_eq!(stderr(&failed), message);
        }
    }
}

/// Creates a program that prints `GCN_TARGET`, with device code for the target IDs `ids`.
fn program_with_code(directory: &Path, ids: &[&str]) {
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend((ids.len() as u64).to_le_bytes());
    for id in ids {
        let id = format!("hipv4-amdgcn-amd-amdhsa--{id}");
        for number in [0, 0, id.len() as u64] {
            bundle.extend(number.to_le_bytes());
        }
        bundle.extend(id.bytes());
    }
    fs::write(directory.join("bundle"), bundle).expect("written");
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        __asm__(".section .hip_fatbin,\"a\"\n.incbin \"bundle\"\n.text\n");
        int main(void) { puts(getenv("GCN_TARGET")); }
    "#;
    compile(directory, source, &["-o", "program"]);
}

#[test]
fn the_device_is_one_that_the_program_has_code_for() {
    let directory = prepared("exec-targets");
    let ran = |ids: &[&str], options: &[&str], variable: &str| {
        program_with_code(&directory, ids);
        let arguments = [&["exec"], options, &["./program"]].concat();
        let mut command = command(&directory, &arguments);
        let ran = command
            .env("GCN_TARGET", variable)
            .output()
            .expect("gcn starts");
        assert_status(&ran, 0);
        (stdout(&ran).trim().to_owned(), stderr(&ran))
    };
    let nothing = String::new;
    let target = |name: &str| name.to_owned();
    assert_eq!(
        ran(&["gfx803", "gfx906:xnack-"], &[], ""),
        (target("gfx906"), nothing())
    );
    let note = "note: ./program has code for gfx803, gfx900, gfx1030: the device is a gfx900, unless --target names another\n";
    let ids = ["gfx803", "gfx900", "gfx1030"];
    assert_eq!(ran(&ids, &[], ""), (target("gfx900"), target(note)));
    // A target set by an option or the environment is kept.
    assert_eq!(
        ran(&ids, &["--target", "gfx803"], ""),
        (target("gfx803"), nothing())
    );
    let note = "note: ./program has code for gfx803, gfx900, gfx1030, which a gfx906 does not run: compile it with \
                --offload-arch=gfx906, or choose --target gfx900\n";
    assert_eq!(
        ran(&ids, &["--target", "gfx906"], ""),
        (target("gfx906"), target(note))
    );
    assert_eq!(ran(&ids, &[], "gfx906"), (target("gfx906"), target(note)));
    let note = "note: ./program has code for gfx1030, which a gfx906 does not run: compile it with --offload-arch=gfx906\n";
    assert_eq!(ran(&["gfx1030"], &[], ""), (target("gfx906"), target(note)));
    // The HIP runtime decides which devices run code for a generic target.
    assert_eq!(
        ran(&["gfx9-generic"], &[], ""),
        (target("gfx906"), nothing())
    );
}
