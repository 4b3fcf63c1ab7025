//! `gcn exec` and `gcn env`: the program's environment, the library that it loads, and the exit statuses.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{assert_status, gcn, scratch, stderr, stdout};

const LIBRARY: &str = "libhsa-runtime64.so.1";
/// Variables of the environment that a test must not inherit.
const VARIABLES: [&str; 26] = [
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

/// Compiles C.
fn compile(directory: &Path, source: &str, arguments: &[&str]) {
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

/// Makes a library of the name that programs of HIP load, whose function `who` returns `name`.
fn library(directory: &Path, name: &str) {
    fs::create_dir_all(directory).expect("a directory");
    let source = format!("const char *who(void) {{ return \"{name}\"; }}\n");
    let soname = format!("-Wl,-soname,{LIBRARY}");
    compile(
        directory,
        &source,
        &["-shared", "-fPIC", &soname, "-o", LIBRARY],
    );
}

/// A test's directory with a library in `lib`.
pub fn prepared(test: &str) -> PathBuf {
    let directory = scratch(test);
    library(&directory.join("lib"), "emulated");
    directory
}

/// `gcn` with the library in `lib`.
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

/// The lines of `env` that name a variable of [`VARIABLES`], sorted.
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
        // The options are stronger.
        command
            .env("GCN_THREADS", "7")
            .env("LD_LIBRARY_PATH", "/usr/lib/a b");
        command.output().expect("gcn starts")
    };
    let given = with("exec", &["env"]);
    assert_status(&given, 0);
    assert_eq!(variables(&stdout(&given)), expected);
    // A shell that evaluates `gcn env` has the same.
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
        "scan*,reduce",
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
        "--gen-suppressions",
        "--error-exitcode",
        "9",
    ];
    let expected = [
        "GCN_CHECK=waits,races,lanes".to_owned(),
        "GCN_CHECK_ERROR_EXITCODE=9".to_owned(),
        "GCN_CHECK_FORMAT=sarif".to_owned(),
        "GCN_CHECK_GEN_SUPPRESSIONS=1".to_owned(),
        "GCN_CHECK_KERNEL=scan*,reduce".to_owned(),
        "GCN_CHECK_LAUNCH_COUNT=3".to_owned(),
        "GCN_CHECK_LAUNCH_SKIP=2".to_owned(),
        format!("GCN_CHECK_OUTPUT={}", path("findings")),
        "GCN_CHECK_STOP_AT=4".to_owned(),
        format!("GCN_CHECK_SUPPRESS={}", path("known")),
    ];
    assert_eq!(shown(&all), expected);
    let left = fs::read_to_string(directory.join("findings")).expect("it is there");
    assert_eq!(left, "", "findings of an earlier run are gone");
    // An option without checks is no way to ask for them, unless the environment does.
    let alone = ["exec", "--format", "json", "env"];
    let refused = output(&directory, &alone);
    assert_status(&refused, 125);
    assert!(
        stderr(&refused).contains("options of checks mean nothing without --check"),
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
            &["exec", "--target", "gfx1030", "true"],
            125,
            "not a target",
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
            "error: trace only lane=1: there is no `lane`; write",
        ),
        (
            &["exec", "--check=wait", "true"],
            125,
            "no check is called wait; there are waits, ",
        ),
        (
            &["exec", "--check", "--error-exitcode", "0", "true"],
            125,
            "`0` is not an exit status from 1 to 255",
        ),
        (
            &["exec", "--check", "--suppress", "missing", "true"],
            125,
            "/missing: No such file",
        ),
        (
            &["exec", "--check", "--output", "no/such/file", "true"],
            125,
            "cannot write ",
        ),
        (
            &["exec", "--profile-format", "json", "true"],
            125,
            "--profile-format means nothing without --profile",
        ),
        (
            &["exec", "./data"],
            126,
            "cannot run ./data: Permission denied",
        ),
        (&["exec", "."], 126, "cannot run ."),
        (
            &["exec", "no-such-program"],
            127,
            "there is no program no-such-program",
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
            "error: GCN_LIMIT: `few` is not a number of instructions above 0\n",
        ),
        (
            "GCN_LIB_DIR",
            "/usr/include",
            "error: GCN_LIB_DIR names /usr/include, where neither libhsa-runtime64.so.1 is nor libgcn_opencl.so\n",
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

#[test]
fn the_library_is_found_beside_the_command() {
    let directory = scratch("exec-places");
    let bin = directory.join("prefix/bin");
    fs::create_dir_all(&bin).expect("a directory");
    let own = bin.join("gcn");
    fs::copy(env!("CARGO_BIN_EXE_gcn"), &own).expect("a copy");
    let link = directory.join("gcn");
    std::os::unix::fs::symlink(&own, &link).expect("a link");
    let found = || {
        let mut command = Command::new(&link);
        for name in VARIABLES {
            command.env_remove(name);
        }
        command
            .args(["exec", "--", "sh", "-c", "echo $LD_LIBRARY_PATH"])
            .output()
            .expect("gcn starts")
    };
    let failed = found();
    assert_status(&failed, 125);
    for part in [
        "error: neither libhsa-runtime64.so.1 nor libgcn_opencl.so is in ",
        "/prefix/lib/gcn or in",
        "/bin/gcn-hsa",
        "cargo xtask hsa",
        "GCN_LIB_DIR",
    ] {
        assert!(stderr(&failed).contains(part), "{}", stderr(&failed));
    }
    // The build directory, then an installation, which is looked at first.
    for place in ["prefix/bin/gcn-hsa", "prefix/lib/gcn"] {
        library(&directory.join(place), "emulated");
        let real = fs::canonicalize(directory.join(place)).expect("it exists");
        assert_eq!(stdout(&found()).trim(), real.display().to_string());
    }
    let colon = directory.join("a:b");
    library(&colon, "emulated");
    let failed = Command::new(&link)
        .args(["exec", "true"])
        .env("GCN_LIB_DIR", &colon)
        .output()
        .expect("gcn starts");
    assert_status(&failed, 125);
    assert!(
        stderr(&failed).contains("has a `:` in its name"),
        "{}",
        stderr(&failed)
    );
}

#[test]
fn programs_of_opencl_need_no_library_of_hip() {
    let directory = scratch("exec-opencl");
    let lib = directory.join("lib");
    fs::create_dir_all(&lib).expect("a directory");
    let platform = lib.join("libgcn_opencl.so");
    fs::write(&platform, "a library").expect("written");
    let shown = output(
        &directory,
        &["exec", "--", "sh", "-c", "echo $OCL_ICD_VENDORS"],
    );
    assert_status(&shown, 0);
    let real = fs::canonicalize(&platform).expect("it exists");
    assert_eq!(stdout(&shown).trim(), real.display().to_string());
    assert_eq!(stderr(&shown), "");
    // A program that is linked with a library of the other name would reach no emulated device.
    let other = directory.join("other");
    library(&other, "a device");
    let rpath = format!("-Wl,-rpath,{}", other.display());
    let source = "const char *who(void);\nint main(void) { return who() == 0; }\n";
    let linked = other.join(LIBRARY);
    let program = ["-o", "program", linked.to_str().expect("a name"), &rpath];
    compile(&directory, source, &program);
    let refused = output(&directory, &["exec", "./program"]);
    assert_status(&refused, 125);
    let message = stderr(&refused);
    assert!(
        message.contains("./program needs libhsa-runtime64.so.1, which is not in "),
        "{message}"
    );
}

#[test]
fn the_program_loads_the_library_whatever_its_own_paths_are() {
    let directory = prepared("exec-rpath");
    library(&directory.join("other"), "other");
    let source =
        "#include <stdio.h>\nconst char *who(void);\nint main(void) { return puts(who()) < 0; }\n";
    for (name, flags, has_note) in [
        ("plain", &[][..], false),
        (
            "runpath",
            &["-Wl,--enable-new-dtags,-rpath,$ORIGIN/other"],
            false,
        ),
        (
            "rpath",
            &["-Wl,--disable-new-dtags,-rpath,/usr/include:$ORIGIN/other"],
            true,
        ),
        (
            "to-us",
            &["-Wl,--disable-new-dtags,-rpath,${ORIGIN}/lib"],
            false,
        ),
    ] {
        let library = format!("-l:{LIBRARY}");
        let arguments: Vec<&str> = [&["-o", name, "-Lother", &library], flags].concat();
        compile(&directory, source, &arguments);
        let ran = output(&directory, &["exec", &format!("./{name}")]);
        assert_status(&ran, 0);
        assert_eq!(stdout(&ran), "emulated\n", "{name}");
        let note = stderr(&ran);
        if has_note {
            assert!(note.starts_with("note: ./rpath finds "), "{note}");
            assert!(
                note.contains("by its DT_RPATH") && note.contains("patchelf"),
                "{note}"
            );
        } else {
            assert_eq!(note, "", "{name}");
        }
    }
    // A library with DT_RPATH, as HIP is one: the program has none itself.
    let between = "const char *who(void);\nconst char *which(void) { return who(); }\n";
    compile(
        &directory,
        between,
        &[
            "-shared",
            "-fPIC",
            "-o",
            "libbetween.so",
            "-Lother",
            &format!("-l:{LIBRARY}"),
            "-Wl,--disable-new-dtags,-rpath,$ORIGIN/other",
        ],
    );
    compile(
        &directory,
        "#include <stdio.h>\nconst char *which(void);\nint main(void) { return puts(which()) < 0; }\n",
        &[
            "-o",
            "through",
            "-L.",
            "-lbetween",
            "-Wl,--enable-new-dtags,-rpath,$ORIGIN",
        ],
    );
    let ran = output(&directory, &["exec", "./through"]);
    assert_status(&ran, 0);
    assert_eq!(stdout(&ran), "emulated\n");
    assert!(
        stderr(&ran).starts_with("note: ./through finds "),
        "{}",
        stderr(&ran)
    );
    compile(
        &directory,
        "int main(void) { return 5; }\n",
        &["-static", "-o", "static"],
    );
    let ran = output(&directory, &["exec", "./static"]);
    assert_status(&ran, 5);
    assert!(
        stderr(&ran).starts_with("note: ./static is linked statically and loads no library"),
        "{}",
        stderr(&ran)
    );
}

#[test]
fn a_setuid_program_is_refused() {
    let directory = prepared("exec-setuid");
    let program = directory.join("setuid");
    fs::copy("/bin/true", &program).expect("a copy");
    let own = fs::metadata(&program).expect("it exists").uid();
    let path = if own == 0 {
        chown(&program, Some(65534), None).expect("root may");
        fs::set_permissions(&program, Permissions::from_mode(0o4755)).expect("root may");
        "./setuid"
    } else {
        // A program of every system that belongs to root.
        "su"
    };
    let failed = output(&directory, &["exec", path]);
    assert_status(&failed, 125);
    assert!(
        stderr(&failed).contains("(setuid), so that the loader ignores LD_LIBRARY_PATH"),
        "{}",
        stderr(&failed)
    );
}
