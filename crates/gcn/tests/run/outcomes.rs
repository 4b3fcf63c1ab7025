//! Tests of exit statuses, outcomes in JSON, and output files.

use super::*;

/// Argument of the kernels in `faults.s`.
const OUT: [&str; 2] = ["--arg", "out=u32*16:fill(5)"];

fn faults(kernel: &str, arguments: &[&str]) -> RunResult {
    let begin = ["faults.s", "--grid", "64", "--kernel", kernel];
    run_in(&kernels(), &[&begin[..], &OUT, arguments].concat())
}

/// All statuses, as text and in JSON. `stopped.rs` tests statuses of signals.
#[test]
fn each_outcome_has_its_status_and_is_json_on_request() {
    type Case = (
        fn(&[&str]) -> RunResult,
        &'static [&'static str],
        i32,
        &'static str,
    );
    let cases: [Case; 13] = [
        (plain, &[], GOOD, "success"),
        (plain, &["--expect", "out[0]=u32:10"], GOOD, "success"),
        (plain, &["--arg", "a=u32:x"], BAD_INPUT, "bad_input"),
        (plain, &["--target", "fiji"], BAD_INPUT, "bad_input"),
        (plain, &["--print", "zz"], BAD_INPUT, "bad_input"),
        (plain, &["--grid", "0"], BAD_USAGE, "bad_usage"),
        (plain, &["--nonsense"], BAD_USAGE, "bad_usage"),
        (plain, &["--arg", "pad"], BAD_USAGE, "bad_usage"),
        (
            plain,
            &["--expect", "out[0]=u32:9"],
            DIFFERENCE,
            "difference",
        ),
        (|more| faults("beyond", more), &[], FAULT, "fault"),
        (
            |more| faults("forever", more),
            &["--limit", "1000"],
            FAULT,
            "limit",
        ),
        (|more| faults("stuck", more), &[], FAULT, "deadlock"),
        (
            |more| faults("forever", more),
            &["--timeout", "0.2"],
            TIMEOUT,
            "timeout",
        ),
    ];
    for (run, arguments, status, outcome) in cases {
        let ran = run(arguments);
        assert_eq!(ran.status, Some(status), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.is_empty(), "{arguments:?}");
        let ran = run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.status, Some(status), "{arguments:?}: {}", ran.err);
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(report["outcome"], outcome, "{arguments:?}");
        assert_eq!(report["exit_status"], status, "{arguments:?}");
        let errors = report["errors"].as_array().expect("a list of errors");
        let started = matches!(status, GOOD | DIFFERENCE | FAULT | TIMEOUT);
        assert_eq!(errors.is_empty(), started, "{arguments:?}: {errors:?}");
        assert_eq!(
            report["fault"].is_object(),
            matches!(status, FAULT | TIMEOUT),
            "{arguments:?}"
        );
        assert_eq!(ran.err, "", "everything is in the report");
    }
}

#[test]
fn bad_input_in_json_has_its_messages() {
    let ran = saxpy(&["--grid", "4", "--arg", "a=one", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(
        report["errors"],
        serde_json::json!(["argument a: `one` is not a number"])
    );
    assert_eq!(report["names"], serde_json::json!(["invalid-value"]));
    let help = report["help"].as_str().expect("help");
    assert!(help.starts_with("kernel saxpy takes:\n"), "{help}");
    let directory = scratch("bad-json");
    fs::write(directory.join("k.s"), "s_endpgm\nv_bogus v0\n").expect("a file");
    let arguments = ["k.s", "--grid", "1", "--target", "fiji", "--json"];
    let ran = run_in(&directory, &arguments);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let error = report["errors"][0].as_str().expect("an error");
    assert!(error.starts_with("k.s:2:1: error["), "{error}");
    assert_eq!(report["names"], serde_json::json!(["unknown-opcode"]));
    fs::write(directory.join("l.toml"), "file = \"k.s\"\ngird = 4").expect("a file");
    let ran = run_in(&directory, &["l.toml", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let error = report["errors"][0].as_str().expect("an error");
    assert!(
        error.starts_with("l.toml:2:1: error[invalid-launch-file]: unknown field"),
        "{error}"
    );
    assert_eq!(report["names"], serde_json::json!(["invalid-launch-file"]));
    assert_eq!(ran.status, Some(BAD_INPUT));
}

#[test]
fn a_timeout_shows_where_the_waves_are_and_loses_nothing() {
    let ran = faults("forever", &["--timeout", "0.2", "--print", "out[0..2]"]);
    assert_eq!(ran.out, "out: u32[0..2] = 5, 5\n");
    let message = "(forever+0x0): s_branch 65535\n  --> faults.s:19: s_branch forever\n  stopped after 0.2 s, the timeout\n  \
                   1 unfinished wave:\n";
    assert!(ran.err.contains(message), "{}", ran.err);
    // A run that ends in time is unaffected.
    assert_eq!(plain(&["--timeout", "1000"]).status, Some(GOOD));
    for wrong in ["0", "-1", "nan", "x"] {
        let ran = plain(&[&format!("--timeout={wrong}")]);
        let message = format!("`{wrong}` is not a number of seconds above 0");
        assert!(ran.err.contains(&message), "{}", ran.err);
        assert_eq!(ran.status, Some(BAD_USAGE));
    }
    let ran = plain(&["--timeout=1e30"]);
    let message = "`1e30` is more than the longest timeout, 1000000000 seconds";
    assert!(ran.err.contains(message), "{}", ran.err);
    let directory = scratch("timeout");
    for (timeout, status) in [("0.2", TIMEOUT), ("\"0.2\"", TIMEOUT), ("0", BAD_INPUT)] {
        let file = kernels().join("faults.s");
        let text = format!(
            "file = {file:?}\nkernel = \"forever\"\ngrid = 64\nargs = [\"u32*16\"]\ntimeout = {timeout}"
        );
        fs::write(directory.join("l.toml"), text).expect("a file");
        let ran = run_in(&directory, &["l.toml"]);
        assert_eq!(ran.status, Some(status), "{}", ran.err);
    }
}

#[test]
fn a_saved_file_replaces_the_old_one_whole() {
    let directory = scratch("replace");
    let file = directory.join("out.bin");
    fs::write(&file, "longer than what comes").expect("a file");
    let link = directory.join("link.bin");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    let before = fs::File::open(&file).expect("a file");
    let save = format!("out[0..2]={}", link.display());
    let ran = plain(&["--save", &save]);
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    // Open handles keep the old file; the link refers to the new one.
    let old = std::io::read_to_string(before).expect("text");
    assert_eq!(old, "longer than what comes");
    assert_eq!(fs::read(&file).expect("a file"), [10, 0, 0, 0, 11, 0, 0, 0]);
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    let names = fs::read_dir(&directory).expect("a directory").count();
    assert_eq!(names, 2, "no temporary file is left");
    let ran = plain(&["--save", "out=/dev/null", "--save", "out[0]=/dev/null"]);
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
}

#[test]
fn every_save_is_attempted() {
    let directory = scratch("attempted");
    let good = directory.join("good.bin");
    let good = format!("out[1]={}", good.display());
    // Writing to /dev/full fails as on a full disk.
    let arguments = ["--save", "out=/dev/full", "--save", &good];
    let ran = plain(&arguments);
    assert_eq!(ran.status, Some(BAD_INPUT), "{}", ran.err);
    let message =
        "error[unwritable-output]: cannot write /dev/full: No space left on device (os error 28)\n";
    assert!(ran.err.ends_with(message), "{}", ran.err);
    let saved = fs::read(directory.join("good.bin")).expect("the other one");
    assert_eq!(saved, [11, 0, 0, 0]);
    let ran = plain(&[&arguments[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(report["outcome"], "bad_input");
    assert_eq!(report["errors"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["waves"], 1, "the run is reported all the same");
}

#[test]
fn outputs_do_not_overwrite_each_other_or_an_input() {
    let directory = scratch("conflicts");
    let copy = |name: &str| {
        fs::copy(kernels().join("plain.s"), directory.join(name)).expect("a copy");
    };
    copy("k.s");
    fs::write(directory.join("in.bin"), [0; 16]).expect("a file");
    fs::hard_link(directory.join("in.bin"), directory.join("hard.bin")).expect("a link");
    fs::create_dir(directory.join("sub")).expect("a directory");
    let launch = "file = \"k.s\"\ngrid = 4\nargs = [\"u8:9\", \"u32:10\", \"u32@in.bin\"]\n";
    fs::write(directory.join("l.toml"), launch).expect("a file");
    for (saves, message) in [
        (
            &["2=a.bin", "2[0]=./sub/../a.bin"][..],
            "error[output-conflict]: save 2[0]: ./sub/../a.bin is already the output of 2\n",
        ),
        (
            &["2=in.bin"],
            "error[output-conflict]: save 2: in.bin is the input in.bin\n",
        ),
        (
            &["2=hard.bin"],
            "error[output-conflict]: save 2: hard.bin is the input in.bin\n",
        ),
        (
            &["2=k.s"],
            "error[output-conflict]: save 2: k.s is the input k.s\n",
        ),
        (
            &["2=l.toml"],
            "error[output-conflict]: save 2: l.toml is the input l.toml\n",
        ),
        (
            &["2=sub"],
            "error[unwritable-output]: save 2: sub is a directory\n",
        ),
        (
            &["2=no/a.bin"],
            "error[unwritable-output]: save 2: there is no directory no\n",
        ),
    ] {
        let options: Vec<&str> = saves.iter().flat_map(|save| ["--save", *save]).collect();
        let ran = run_in(&directory, &[&["l.toml"], &options[..]].concat());
        assert_eq!(ran.err, message);
        assert_eq!(ran.status, Some(BAD_INPUT));
        assert!(!directory.join("a.bin").exists());
    }
    let text = fs::read_to_string(directory.join("k.s")).expect("the source");
    assert!(text.contains("plain"), "it is as it was");
}

#[test]
fn outputs_do_not_overwrite_a_file_that_the_source_includes() {
    let directory = scratch("included");
    fs::create_dir(directory.join("more")).expect("a directory");
    let source = format!(".include \"inc.s\"\n{}", kernel_of("s_nop 0", "gfx900"));
    let files = [
        ("k.s", source.as_str()),
        ("inc.s", ".include \"nested.s\"\n"),
        ("more/nested.s", ".data\n.incbin \"data.bin\"\n"),
        ("more/data.bin", "data"),
    ];
    for (name, text) in files {
        fs::write(directory.join(name), text).expect("a file");
    }
    let run = |options: &[&str]| {
        let good = ["k.s", "--grid", "64", "-I", "more", "--arg", "x=u32*4"];
        run_in(&directory, &[&good[..], options].concat())
    };
    for (options, message) in [
        (
            &["--save", "x=inc.s"][..],
            "save x: inc.s is the input inc.s",
        ),
        (
            &["--save", "x=more/../more/nested.s"],
            "save x: more/../more/nested.s is the input more/nested.s",
        ),
        (
            &["--save", "x=more/data.bin"],
            "save x: more/data.bin is the input more/data.bin",
        ),
        (
            &["--trace", "--trace-file", "inc.s"],
            "trace: inc.s is the input inc.s",
        ),
        (&["--profile", "inc.s"], "profile: inc.s is the input inc.s"),
    ] {
        let ran = run(options);
        assert_eq!(ran.err, format!("error[output-conflict]: {message}\n"));
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
    for (name, text) in files {
        let now = fs::read_to_string(directory.join(name)).expect("a file");
        assert_eq!(now, text, "{name}");
    }
    let ran = run(&["--save", "x=more/x.bin"]);
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
}

/// A preloaded library maps a page at the usual address of device memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_elsewhere_has_a_note() {
    const LIBRARY: &str = "void *mmap(void *, unsigned long, int, int, int, long);\n\
                           __attribute__((constructor)) static void take(void) {\n  \
                           mmap((void *)0x100000000, 4096, 0, 0x32, -1, 0);\n}\n";
    const NOTE: &str = "device memory is not at its usual address 0x100000000";
    let directory = scratch("elsewhere");
    fs::write(directory.join("take.c"), LIBRARY).expect("a file");
    fs::copy(kernels().join("plain.s"), directory.join("plain.s")).expect("a copy");
    let built = Command::new("clang-19")
        .current_dir(&directory)
        .args(["-shared", "-fPIC", "take.c", "-o", "take.so"])
        .status();
    assert!(built.expect("clang-19 starts").success());
    let run = |command: &str, json: &[&str]| -> RunResult {
        let launch = ["plain.s", "--grid", "4", "--arg", "pad=u8:9"];
        let arguments = ["--arg", "a=u32:10", "--arg", "out=u32*4"];
        let mut gcn = Command::new(env!("CARGO_BIN_EXE_gcn"));
        gcn.current_dir(&directory)
            .arg(command)
            .args(launch)
            .args(arguments)
            .args(json)
            .env("LD_PRELOAD", directory.join("take.so"));
        gcn.output().expect("gcn starts").into()
    };
    for command in ["run", "check"] {
        let ran = run(command, &[]);
        assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
        assert_eq!(ran.err.matches(NOTE).count(), 1, "{}", ran.err);
        let ran = run(command, &["--json"]);
        let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        let note = report["notes"][0].as_str().expect("a note");
        assert!(note.starts_with(NOTE), "{note}");
    }
}
