//! Tests of the command `gcn check`: formats of findings, suppressions and exit statuses. The findings themselves are
//! tested in `tests/check`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Kernel with a missing wait, for which `gcn check` reports two findings: v1 and v2 are read too early.
const KERNEL: &str = "
.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_lshlrev_b32 v3, 2, v0
    ds_read_b32 v1, v3
    v_mov_b32 v4, v1
    ds_read_b32 v2, v3
    v_mov_b32 v4, v2
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
";

/// Writes a file to the tests' directory.
fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("the directory can be written");
    path
}

/// Parses a SARIF log, and checks that `serde_sarif` knows every field.
fn sarif(log: &[u8]) -> serde_json::Value {
    let log: serde_json::Value = serde_json::from_slice(log).expect("JSON");
    let typed: serde_sarif::sarif::Sarif =
        serde_json::from_value(log.clone()).expect("fields of SARIF have its types");
    let known = serde_json::to_value(&typed).expect("JSON");
    assert_eq!(known, log, "a field that SARIF does not have");
    log
}

fn check(kernel: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gcn"))
        .arg("check")
        .arg(kernel)
        .args(["--grid", "64"])
        .args(options)
        .output()
        .expect("gcn runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[test]
fn findings_go_to_standard_error_and_are_status_3() {
    let kernel = file("check-text.s", KERNEL);
    let output = check(&kernel, &["--only", "waits"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert_eq!(
        errors.matches("error[missing-wait]: ").count(),
        2,
        "{errors}"
    );
    assert!(errors.ends_with("2 errors\n"), "{errors}");
}

#[test]
fn a_clean_kernel_has_no_findings_and_status_0() {
    let clean = KERNEL.replace("v_mov_b32", "s_waitcnt lgkmcnt(0)\n    v_mov_b32");
    let output = check(&file("check-clean.s", &clean), &["--only", "waits"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(errors.ends_with("no findings\n"), "{errors}");
}

#[test]
fn the_report_in_json_has_the_findings() {
    let kernel = file("check-json.s", KERNEL);
    let output = check(&kernel, &["--only", "waits", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(report["outcome"], "finding");
    let findings = report["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 2, "{report}");
    assert_eq!(findings[0]["name"], "missing-wait");
    assert_eq!(findings[0]["instruction"], "v_mov_b32_e32 v4, v1");
    assert_eq!(findings[0]["sides"][0]["instruction"], "ds_read_b32 v1, v3");
}

#[test]
fn findings_in_json_have_the_memory_and_the_address() {
    let changed = |name: &str, code: &str| file(name, &KERNEL.replace("ds_read_b32 v1, v3", code));
    let same_place = "v_mov_b32 v3, 16\n    ds_write_b32 v3, v0";
    for (kernel, check_name, name, memory, address) in [
        (
            changed("check-lds.s", "ds_read_b32 v1, v3 offset:256"),
            "bounds",
            "lds-out-of-bounds",
            "lds",
            256,
        ),
        (
            changed("check-race.s", same_place),
            "races",
            "lane-race",
            "lds",
            16,
        ),
        (
            changed(
                "check-global.s",
                "s_mov_b64 s[2:3], 0\n    s_load_dword s2, s[2:3], 0x8",
            ),
            "bounds",
            "global-out-of-bounds",
            "global",
            8,
        ),
        (
            changed("check-align.s", "ds_read_b64 v[1:2], v3 offset:2"),
            "align",
            "misaligned-access",
            "lds",
            2,
        ),
    ] {
        let output = check(&kernel, &["--only", check_name, "--json"]);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let finding = &report["findings"][0];
        assert_eq!(finding["name"], name, "{report}");
        assert_eq!(
            (&finding["memory"], &finding["address"]),
            (&memory.into(), &address.into()),
            "{report}"
        );
        assert!(finding["buffer"].is_null(), "{report}");
    }
    let waits = check(
        &file("check-register.s", KERNEL),
        &["--only", "waits", "--json"],
    );
    let report: serde_json::Value = serde_json::from_slice(&waits.stdout).expect("JSON");
    let finding = &report["findings"][0];
    assert!(
        finding["memory"].is_null() && finding["address"].is_null(),
        "{report}"
    );
}

#[test]
fn sarif_has_rules_and_results() {
    let kernel = file("check-sarif.s", KERNEL);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check.sarif");
    let name = path.to_str().expect("a path in UTF-8");
    let output = check(
        &kernel,
        &["--only", "waits", "--format", "sarif", "--output", name],
    );
    assert_eq!(output.status.code(), Some(3));
    let log = sarif(&fs::read(&path).expect("it was written"));
    let place = &log["runs"][0]["results"][0]["locations"][0]["logicalLocations"][0];
    assert_eq!(place["kind"], "instruction", "{log}");
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].is_string());
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "gcn");
    assert_eq!(run["columnKind"], "utf16CodeUnits");
    let results = run["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2);
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
    for result in results {
        assert!(
            rules.iter().any(|rule| rule["id"] == result["ruleId"]),
            "{result}"
        );
        assert_eq!(result["level"], "error");
        let message = result["message"]["text"].as_str().expect("text");
        assert!(message.contains("\nhelp: `s_waitcnt lgkmcnt("), "{message}");
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["startColumn"], 5, "of the instruction: {result}");
    }
}

#[test]
fn suppressions_that_it_writes_leave_out_what_they_describe() {
    let kernel = file("check-suppressed.s", KERNEL);
    let output = check(&kernel, &["--only", "waits", "--gen-suppressions"]);
    let all = text(&output.stdout);
    assert_eq!(all.matches("[[suppress]]").count(), 2, "{all}");
    let known = file("check-known.toml", all);
    let known = known.to_str().expect("a path in UTF-8");
    let output = check(&kernel, &["--only", "waits", "--suppress", known]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let one = file(
        "check-one.toml",
        "[[suppress]]\nname = \"missing-*\"\ninstruction = \"*v1\"\n",
    );
    let output = check(
        &kernel,
        &[
            "--only",
            "waits",
            "--suppress",
            one.to_str().expect("UTF-8"),
        ],
    );
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).ends_with("1 error\n"));
}

#[test]
fn a_run_stops_at_the_findings_that_it_may_have() {
    let kernel = file(
        "check-stop.s",
        &KERNEL
            .replace("kernel:", "kernel:\nagain:")
            .replace("s_endpgm", "s_branch again"),
    );
    let output = check(
        &kernel,
        &["--only", "waits", "--stop-at", "1", "--limit", "1000000"],
    );
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(!errors.contains("interrupted"), "{errors}");
    assert!(errors.ends_with("1 error\n"), "{errors}");
    // Findings reported after the limit is reached, while the run stops, do not count.
    let kernel = file("check-stop-first.s", KERNEL);
    for count in 1..=3 {
        let limit = count.to_string();
        let options = ["--only", "waits", "--threads", "1", "--stop-at", &limit];
        let output = check(&kernel, &options);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{errors}");
        let found = errors.matches("error[missing-wait]: ").count();
        assert_eq!(found, count.min(2), "{errors}");
        assert!(
            errors.contains("\nerror[missing-wait]: v1 is read"),
            "{errors}"
        );
    }
    // Suppressed findings do not count.
    let known = "[[suppress]]\nname = \"missing-wait\"\ninstruction = \"*, v1\"\n";
    let known = file("check-stop-known.toml", known);
    let known = known.to_str().expect("UTF-8");
    let options = ["--only", "waits", "--stop-at", "1", "--suppress", known];
    let output = check(&kernel, &options);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(
        errors.contains("\nerror[missing-wait]: v2 is read"),
        "{errors}"
    );
    assert!(errors.ends_with("1 error\n"), "{errors}");
}

#[test]
fn launches_that_are_skipped_are_not_checked() {
    let kernel = file("check-skip.s", KERNEL);
    let output = check(&kernel, &["--only", "waits", "--launch-skip", "1"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    // The absence of findings means nothing if no launch was checked.
    let nothing = "nothing was checked: --launch-skip and --launch-count leave no launch";
    assert!(errors.ends_with(&format!("{nothing}\n")), "{errors}");
    let options = ["--only", "waits", "--launch-skip", "1"];
    let output = check(&kernel, &[&options[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["notes"], serde_json::json!([nothing]), "{report}");
    let output = check(&kernel, &[&options[..], &["--format", "sarif"]].concat());
    let log = sarif(&output.stdout);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    let notification = &invocation["toolExecutionNotifications"][0];
    assert_eq!(notification["message"]["text"], nothing, "{log}");
}

#[test]
fn sarif_has_the_error_that_ended_a_run() {
    let ends = |code: &str| KERNEL.replace("    s_endpgm", code);
    let endless = ends("again:\n    s_branch again");
    let null = ends("s_mov_b64 s[2:3], 0\n    s_load_dword s2, s[2:3], 0x0");
    let empty = KERNEL.lines().nth(1).expect("the target").to_owned() + "\n";
    for (code, status, name, message, results) in [
        (endless, 4, "instruction-limit", "kernel kernel, ", 2),
        (null, 4, "unmapped-access", "load", 3),
        (empty, 1, "unknown-kernel", "has no kernel", 0),
    ] {
        let kernel = file("check-ended.s", &code);
        let options = ["--only", "waits,bounds", "--limit", "1000"];
        let output = check(&kernel, &[&options[..], &["--format", "sarif"]].concat());
        assert_eq!(output.status.code(), Some(status), "{name}");
        let log = sarif(&output.stdout);
        let run = &log["runs"][0];
        let found = run["results"].as_array().map(Vec::len);
        assert_eq!(found, Some(results), "{log}");
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false, "{log}");
        let notification = &invocation["toolExecutionNotifications"][0];
        assert_eq!(notification["level"], "error");
        assert_eq!(notification["descriptor"]["id"], name);
        assert_eq!(run["tool"]["driver"]["notifications"][0]["id"], name);
        let told = notification["message"]["text"].as_str().expect("text");
        assert!(told.contains(message), "{told}");
    }
}

/// Two kernels, each with a missing wait. The second reads the first one's result.
const TWO: &str = "
.amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"
.macro begin name
.globl \\name
.p2align 8
.type \\name,@function
\\name:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
.endm
.macro finish name
    ds_read_b32 v4, v1
    v_mov_b32 v5, v4
    s_waitcnt lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel \\name
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 256
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.text
.endm
begin fill
    global_store_dword v1, v0, s[4:5]
finish fill
begin sum
    global_atomic_umax v1, v0, s[4:5]
finish sum
";

#[test]
fn the_launches_of_one_kernel_are_checked() {
    file("check-two.s", TWO);
    let launches = "file = \"check-two.s\"\ngrid = 64\nexpect = [\"xs=u32*64:iota\"]\n[buffers]\nxs = \"u32*64:undefined\"\n\
                    [[launch]]\nkernel = \"fill\"\nargs = [\"xs\"]\n\
                    [[launch]]\nkernel = \"sum\"\nargs = [\"xs\"]\n";
    let launches = file("check-two.toml", launches);
    let found = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
        command.arg("check").arg(&launches).args(options);
        let output = command.output().expect("gcn runs");
        let errors = text(&output.stderr).to_owned();
        (output.status.code(), errors)
    };
    let (status, errors) = found(&["--except", "uninit"]);
    assert_eq!(status, Some(3), "{errors}");
    assert!(errors.contains("= note: kernel fill, once"), "{errors}");
    assert!(errors.contains("= note: kernel sum, once"), "{errors}");
    for (name, other) in [("fill", "sum"), ("sum", "fill"), ("s*", "fill")] {
        let (status, errors) = found(&["--kernel", name, "--only", "waits"]);
        assert_eq!(status, Some(3), "{errors}");
        assert!(errors.ends_with("1 error\n"), "{name}: {errors}");
        assert!(!errors.contains(&format!("kernel {other}, ")), "{errors}");
        // The other launch still runs.
        assert!(
            errors.contains(&format!("{other}: 1 workgroup")),
            "{errors}"
        );
    }
    // An unchecked launch may have written any element.
    let (_, errors) = found(&["--kernel", "sum", "--only", "uninit"]);
    assert!(!errors.contains("uninitialized-result"), "{errors}");
    let (status, errors) = found(&["--kernel", "sun"]);
    assert_eq!(status, Some(1), "{errors}");
    assert_eq!(
        errors,
        "error[unknown-kernel]: no kernel is named sun; the kernels are sum, fill\n"
    );
}

#[test]
fn wrong_options_are_named() {
    let kernel = file("check-wrong.s", KERNEL);
    for (options, expected) in [
        (
            &["--json", "--format", "sarif"][..],
            "--json means --format json, but --format selects another",
        ),
        (&["--launch-count", "0"], "0 is not in 1.."),
        (
            &["--only", "wait"],
            "no check is called `wait`; the checks are waits, ",
        ),
        (
            &["--only", "waits", "--except", "waits"],
            "--except excludes all checks",
        ),
        (
            &["--gen-suppressions", "--format", "sarif"],
            "--gen-suppressions writes TOML",
        ),
        (
            &["--gen-suppressions", "--json"],
            "--gen-suppressions writes TOML",
        ),
        (
            &["--stop-at", "0"],
            "`0` is not a number of findings above 0",
        ),
    ] {
        let output = check(&kernel, options);
        let errors = [&output.stdout, &output.stderr].map(|it| text(it)).concat();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    }
    let broken = file("check-broken.toml", "[[suppress]]\nnaem = \"x\"\n");
    let output = check(&kernel, &["--suppress", broken.to_str().expect("UTF-8")]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    // The error shows the line, as for other TOML files.
    assert!(
        errors.contains("check-broken.toml:2:1: error[invalid-suppressions]: unknown field `naem`"),
        "{errors}"
    );
    assert!(
        errors.contains("\n2 | naem = \"x\"\n  | ^^^^\n"),
        "{errors}"
    );
    let misspelt = file(
        "check-misspelt.toml",
        "[[suppress]]\nname = \"missing-wiat\"\n",
    );
    let output = check(&kernel, &["--suppress", misspelt.to_str().expect("UTF-8")]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("check-misspelt.toml:2:8: error[invalid-suppressions]: no finding is called `missing-wiat`"),
        "{errors}"
    );
}

#[test]
fn lint_finds_the_same_without_running() {
    let lint = |path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
        command.arg("lint").arg(path).output().expect("gcn runs")
    };
    let output = lint(&file("lint.s", KERNEL));
    let found = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{found}");
    assert_eq!(found.matches("error[missing-wait]").count(), 2, "{found}");
    let clean = KERNEL.replace("v_mov_b32", "s_waitcnt lgkmcnt(0)\n    v_mov_b32");
    let output = lint(&file("lint-clean.s", &clean));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let wrong = KERNEL.replace("v_mov_b32", "no_such_instruction");
    let output = lint(&file("lint-wrong.s", &wrong));
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("lint-wrong.s:9:5: error[unknown-opcode]: "),
        "{errors}"
    );
}

#[test]
fn findings_for_programs_have_standard_output_alone() {
    let kernel = file("check-alone.s", KERNEL);
    for options in [&["--format", "sarif"][..], &["--gen-suppressions"]] {
        let output = check(&kernel, &[options, &["--profile", "-"]].concat());
        let message = "error[output-conflict]: --profile cannot use standard output, which is for the findings";
        let errors = text(&output.stderr);
        assert!(errors.contains(message), "{options:?}: {errors}");
        assert_eq!(output.status.code(), Some(1), "{options:?}");
    }
}

#[test]
fn lint_writes_what_check_writes() {
    let kernel = file("lint-forms.s", KERNEL);
    let lint = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
        command.arg("lint").arg(&kernel).args(options);
        command.output().expect("gcn runs")
    };
    let output = lint(&["--format", "sarif"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let log = sarif(&output.stdout);
    let results = log["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2, "{log}");
    assert_eq!(results[0]["ruleId"], "missing-wait");
    let known = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint-known.toml");
    let known = known.to_str().expect("UTF-8");
    let output = lint(&["--gen-suppressions", "--output", known]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(3), &b""[..]));
    let output = lint(&["--suppress", known]);
    assert_eq!((output.status.code(), &*output.stdout), (Some(0), &b""[..]));
    let written = fs::read(known).expect("it was written");
    for (options, status, message) in [
        (
            &["--suppress", known, "--output", known][..],
            1,
            "error[output-conflict]: ",
        ),
        (
            &["--output", "missing/findings"],
            1,
            "error[unwritable-output]: ",
        ),
        (&["--output", "/dev/full"], 1, "error[missing-wait]"),
        (
            &["--gen-suppressions", "--format", "sarif"],
            2,
            "error[invalid-usage]: --gen-suppressions writes TOML",
        ),
    ] {
        let output = lint(options);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{errors}");
        assert!(errors.starts_with(message), "{errors}");
    }
    assert!(fs::read(known).expect("it is still there") == written);
}

#[test]
fn lint_compiles_sources_as_a_run_does() {
    let source = "
kernel void k(global int* p) {
    int x = get_local_id(0) * 4;
    __asm__ volatile(\"ds_read_b32 %0, %0\\n\\t\" MOVE \" %0, %0\" : \"+v\"(x));
    p[get_global_id(0)] = x;
}
";
    let path = file("lint-compiled.cl", source);
    let lint = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
        command.arg("lint").arg(&path).args(options);
        command.output().expect("gcn runs")
    };
    let define = "-DMOVE=\"v_mov_b32\"";
    for target in ["gfx803", "gfx906"] {
        let output = lint(&["--target", target, "-O1", define, "--format", "json"]);
        let found = text(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        let found: serde_json::Value = serde_json::from_str(found).expect("JSON");
        assert_eq!(found[0]["name"], "missing-wait", "{found}");
        assert_eq!(found[0]["line"], 4, "{found}");
    }
    let waited = "-DMOVE=\"s_waitcnt lgkmcnt(0)\\n\\tv_mov_b32\"";
    let output = lint(&[waited]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for (options, status, message) in [
        (&[][..], 1, "failed to compile"),
        (&[define, "--kernel", "no"], 1, "no kernel is named no"),
        (
            &[define, "--entry", "1"],
            2,
            "is a source, which has no entries",
        ),
    ] {
        let output = lint(options);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{errors}");
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn findings_do_not_overwrite_an_input() {
    let kernel = file(
        "check-input.s",
        &format!(".include \"check-included.s\"\n{KERNEL}"),
    );
    let included = file("check-included.s", "; included\n");
    let known = file("check-input.toml", "[[suppress]]\nname = \"missing-*\"\n");
    let known = known.to_str().expect("UTF-8");
    for input in [&kernel, &included, Path::new(known)] {
        let before = fs::read(input).expect("a file");
        let name = input.to_str().expect("UTF-8");
        let output = check(
            &kernel,
            &["--only", "waits", "--suppress", known, "--output", name],
        );
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let message = format!("error[output-conflict]: findings: {name} is the input ");
        assert!(errors.starts_with(&message), "{errors}");
        assert!(fs::read(input).expect("a file") == before, "{name}");
    }
    // Findings that cannot be written to the file are shown.
    let output = check(&kernel, &["--only", "waits", "--output", "/dev/full"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error[missing-wait]"), "{errors}");
    assert!(errors.contains("cannot write /dev/full"), "{errors}");
    // Findings are counted although a buffer cannot be saved.
    let saved = ["--arg", "out=u32*1", "--save", "out=/dev/full"];
    let output = check(&kernel, &[&["--only", "waits"], &saved[..]].concat());
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("error[unwritable-output]"), "{errors}");
    assert!(errors.ends_with("\n2 errors\n"), "{errors}");
    let output = check(&kernel, &["--output", "missing/findings"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "error[unwritable-output]: there is no directory missing\n"
    );
}

#[test]
fn a_deadlock_is_found_at_a_timeout() {
    let kernel =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/check/barriers-deadlock.s");
    let output = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .arg("check")
        .arg(&kernel)
        .args(["--target", "gfx900", "--grid", "128", "--group", "128"])
        .args(["--only", "barriers", "--timeout", "0.2"])
        .output()
        .expect("gcn runs");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(124), "{errors}");
    let message = "error[barrier-deadlock]: wave 0 waits at a barrier for wave 1";
    assert!(errors.contains(message), "{errors}");
}
