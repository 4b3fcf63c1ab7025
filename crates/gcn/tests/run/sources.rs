//! Tests of OpenCL C and HIP sources, compiled by the system's Clang: Debian's packages clang-19, lld-19 and
//! rocm-device-libs.

use super::*;

/// Kernel with an included file, a macro, and printed output.
const OPENCL: &str = "#include \"scale.h\"\nkernel void scale(global int *out, float a) {\n  int i = get_global_id(0);\n  \
                      out[i] = a * i * SCALE + BIAS;\n  if (i == 3) printf(\"%d %s\\n\", out[i], \"printed\");\n}\n";

/// Kernels without headers, whose metadata have no types. The symbol of the first one has types.
const HIP: &str = "__global__ void scale(int *out, float a) {\n  int i = __builtin_amdgcn_workitem_id_x();\n  out[i] = a * i;\n}\n\
                   extern \"C\" __global__ void plain(int *out, float a) { out[0] = a; }\n";

/// `gcn run` with a separate cache below the directory.
pub(super) fn compiled(
    directory: &Path,
    variables: &[(&str, &Path)],
    arguments: &[&str],
) -> RunResult {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcn"));
    command
        .current_dir(directory)
        .arg("run")
        .args(arguments)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .env_remove("GCN_CLANG")
        .env_remove("CLANG")
        .envs(variables.iter().copied())
        .stdin(Stdio::null());
    command.output().expect("gcn starts").into()
}

/// Clang wrapper that appends a line to the file `calls` for each compilation.
fn counting_clang(directory: &Path) -> PathBuf {
    let bin = directory.join("bin");
    fs::create_dir(&bin).expect("a directory");
    let clang = bin.join("clang-19");
    let calls = directory.join("calls");
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *\" -E \"*) ;; *) echo call >> {calls:?};; esac\nexec /usr/bin/clang-19 \"$@\"\n"
    );
    fs::write(&clang, script).expect("a file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        fs::set_permissions(&clang, fs::Permissions::from_mode(0o755)).expect("permissions");
        symlink("/usr/bin/ld.lld-19", bin.join("ld.lld")).expect("a link");
    }
    clang
}

fn calls(directory: &Path) -> usize {
    fs::read_to_string(directory.join("calls")).map_or(0, |text| text.lines().count())
}

/// Launch of `k.cl`, which contains [`OPENCL`].
const LAUNCH: [&str; 7] = ["k.cl", "--grid", "4", "--arg", "out=i32*4", "--arg", "a=2"];

#[test]
fn opencl_is_compiled_run_and_kept() {
    let directory = scratch("opencl");
    fs::create_dir(directory.join("include")).expect("a directory");
    let header = directory.join("include/scale.h");
    fs::write(&header, "#define SCALE 10\n").expect("a file");
    fs::write(directory.join("k.cl"), OPENCL).expect("a file");
    let clang = counting_clang(&directory);
    let common = [&LAUNCH[..], &["--print", "out"]].concat();
    let run = |more: &[&str]| {
        let arguments = [&common[..], &["-I", "include"], more].concat();
        compiled(&directory, &[("GCN_CLANG", &clang)], &arguments)
    };
    let ran = run(&["-D", "BIAS=1"]);
    let out = "61 printed\nout: i32[0..4] = 1, 21, 41, 61\n";
    assert_eq!(ran.out, out, "{}", ran.err);
    assert_eq!(
        (ran.status, calls(&directory)),
        (Some(GOOD), 3),
        "{}",
        ran.err
    );
    // An unchanged source is not compiled again, but the commands are shown.
    let ran = run(&["-D", "BIAS=1", "-v"]);
    assert_eq!(
        (ran.out.as_str(), calls(&directory)),
        (out, 3),
        "{}",
        ran.err
    );
    let commands: Vec<&str> = ran.err.lines().take(4).collect();
    assert!(
        commands[0].contains(" -x cl -target amdgcn-amd-amdhsa -mcpu=gfx906 "),
        "{}",
        ran.err
    );
    assert!(commands[0].contains(" -DBIAS=1 -Iinclude "), "{}", ran.err);
    assert!(commands[1].contains(" -emit-llvm "), "{}", ran.err);
    assert!(commands[2].contains("/ockl.bc "), "{}", ran.err);
    assert_eq!(commands[3], "the code object is from the cache");
    // Different options, a different target, and a different header.
    for (more, bias) in [
        (&["-D", "BIAS=2"][..], 2),
        (&["-D", "BIAS=1", "-O0"], 1),
        (&["-D", "BIAS=1", "--target", "gfx803"], 1),
    ] {
        let before = calls(&directory);
        let ran = run(more);
        let first = format!("{} printed\n", 60 + bias);
        assert!(
            ran.out.starts_with(&first),
            "{more:?}: {}{}",
            ran.out,
            ran.err
        );
        assert_eq!(calls(&directory), before + 3, "{more:?}");
    }
    let before = calls(&directory);
    fs::write(&header, "#define SCALE 100\n").expect("a file");
    let ran = run(&["-D", "BIAS=1"]);
    assert_eq!(
        ran.out, "601 printed\nout: i32[0..4] = 1, 201, 401, 601\n",
        "{}",
        ran.err
    );
    assert_eq!(calls(&directory), before + 3);
    // A damaged cache entry is rebuilt.
    for entry in fs::read_dir(directory.join("cache/gcn")).expect("a directory") {
        fs::write(entry.expect("an entry").path(), "nonsense").expect("a file");
    }
    let ran = run(&["-D", "BIAS=1"]);
    assert!(ran.out.starts_with("601 printed\n"), "{}", ran.err);
    assert_eq!(calls(&directory), before + 6);
}

#[test]
fn a_killed_compilation_leaves_no_directory_for_long() {
    let directory = scratch("killed");
    let (temporary, clang) = (directory.join("tmp"), directory.join("clang-19"));
    fs::create_dir(&temporary).expect("a directory");
    fs::write(directory.join("k.cl"), "kernel void k() {}\n").expect("a file");
    // Clang wrapper that preprocesses, but kills its parent when asked to compile.
    let script = "#!/bin/sh\ncase \" $* \" in *\" -E \"*) exec /usr/bin/clang-19 \"$@\";; *) kill -KILL $PPID;; esac\n";
    fs::write(&clang, script).expect("a file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        fs::set_permissions(&clang, fs::Permissions::from_mode(0o755)).expect("permissions");
        symlink("/usr/bin/ld.lld-19", directory.join("ld.lld")).expect("a link");
    }
    let arguments = ["k.cl", "--grid", "1"];
    let count = || fs::read_dir(&temporary).expect("a directory").count();
    let killed = [("TMPDIR", &*temporary), ("GCN_CLANG", &clang)];
    assert_eq!(compiled(&directory, &killed, &arguments).status, None);
    assert_eq!(count(), 1);
    let ran = compiled(&directory, &killed[..1], &arguments);
    assert_eq!((ran.status, count()), (Some(GOOD), 0), "{}", ran.err);
}

/// Function that distinguishes generic pointers.
const GENERIC: &str = "__attribute__((noinline)) int add(int *p, local int *l) {\n  int *q = *p > 3 ? p : (int *)l;\n  *q += 1;\n  \
                       return *q;\n}\nkernel void k(global int *out) {\n  local int shared[4];\n  \
                       shared[get_local_id(0)] = 2;\n  out[get_global_id(0)] = add((int *)out, shared);\n}\n";

#[test]
fn null_hidden_arguments_of_clang_are_explained_at_each_level() {
    let directory = scratch("generic");
    fs::write(directory.join("k.cl"), GENERIC).expect("a file");
    let common = [
        "k.cl",
        "--target",
        "gfx803",
        "--grid",
        "4",
        "--arg",
        "out=i32*4",
    ];
    for level in ["0", "3"] {
        let run = |more: &[&str]| {
            let arguments = [&common[..], &["--print", "out", "-O", level], more].concat();
            compiled(&directory, &[], &arguments)
        };
        let ran = run(&[]);
        assert_eq!(ran.status, Some(FAULT), "{}", ran.err);
        assert!(ran.err.contains("\n  a known cause: "), "{}", ran.err);
        let ran = run(&["-X=-mcode-object-version=4"]);
        assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    }
}

#[test]
fn a_launch_file_says_how_to_compile() {
    let directory = scratch("opencl-launch");
    fs::create_dir_all(directory.join("sub/include")).expect("a directory");
    fs::write(directory.join("sub/include/scale.h"), "#define SCALE 1\n").expect("a file");
    fs::write(directory.join("sub/k.cl"), OPENCL).expect("a file");
    let launch = "file = \"k.cl\"\ntarget = \"gfx900\"\ninclude = [\"include\"]\ndefine = \"BIAS=5\"\noptimize = 1\n\
                  clang_options = [\"-Wall\"]\ngrid = 2\nprint = \"out\"\n[args]\nout = \"i32*2\"\na = 3\n";
    fs::write(directory.join("sub/l.toml"), launch).expect("a file");
    let ran = compiled(&directory, &[], &["sub/l.toml", "-v"]);
    assert_eq!(ran.out, "out: i32[0..2] = 5, 8\n", "{}", ran.err);
    let options =
        " -O1 -mcode-object-version=5 -fno-discard-value-names -DBIAS=5 -Isub/include -Wall ";
    assert!(ran.err.contains(options), "{}", ran.err);
    assert!(ran.err.contains(" -mcpu=gfx900 "), "{}", ran.err);
}

#[test]
fn hip_is_compiled_without_headers_and_typed_by_its_signature() {
    let directory = scratch("hip");
    fs::write(directory.join("k.hip"), HIP).expect("a file");
    let run = |arguments: &[&str]| {
        compiled(
            &directory,
            &[],
            &[&["k.hip", "--grid", "4", "--target", "gfx900"], arguments].concat(),
        )
    };
    let arguments = ["--arg", "out=i32*4", "--arg", "a=2", "--print", "out"];
    let ran = run(&[&["--kernel", "scale"], &arguments[..]].concat());
    assert_eq!(ran.out, "out: i32[0..4] = 0, 2, 4, 6\n", "{}", ran.err);
    let ran = run(&[&["--kernel", "plain"], &arguments[..]].concat());
    let message = "error[untyped-argument]: argument a: the type of its 4 bytes is unknown: write it, as in u32:2 or f32:2\n";
    assert!(ran.err.starts_with(message), "{}", ran.err);
    assert_eq!(ran.status, Some(BAD_INPUT));
    let ran = run(&[
        "--kernel",
        "plain",
        "--arg",
        "out=i32*1",
        "--arg",
        "a=f32:2",
        "--print",
        "out",
    ]);
    assert_eq!(ran.out, "out: i32[0..1] = 2\n", "{}", ran.err);
}

#[test]
fn messages_of_the_compiler_have_their_places() {
    let directory = scratch("compile-errors");
    fs::write(
        directory.join("k.cl"),
        "kernel void k(global int *x) {\n  int unused;\n  x[0] = y;\n}\n",
    )
    .expect("a file");
    let arguments = ["k.cl", "--grid", "1", "--arg", "x=i32*1"];
    let ran = compiled(&directory, &[], &arguments);
    assert!(
        ran.err
            .starts_with("k.cl:3:10: error: use of undeclared identifier 'y'\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.ends_with(" failed to compile k.cl\n")
            && ran.err.contains("\nerror[compilation-failed]: "),
        "{}",
        ran.err
    );
    assert_eq!(ran.status, Some(BAD_INPUT));
    let ran = compiled(&directory, &[], &[&arguments[..], &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let error = report["errors"][0].as_str().expect("an error");
    assert!(error.starts_with("k.cl:3:10: error: "), "{error}");
    assert_eq!(report["names"], serde_json::json!(["compilation-failed"]));
    // Warnings are repeated if the code object comes from the cache.
    for _ in 0..2 {
        let more = ["-D", "y=1", "-X=-Wall"];
        let ran = compiled(&directory, &[], &[&arguments[..], &more].concat());
        assert!(
            ran.err
                .starts_with("k.cl:2:7: warning: unused variable 'unused'"),
            "{}",
            ran.err
        );
        assert_eq!(ran.status, Some(GOOD));
    }
}

#[test]
fn what_is_missing_is_named() {
    let directory = scratch("no-clang");
    fs::write(directory.join("k.cl"), "kernel void k() {}\n").expect("a file");
    let nowhere = directory.join("nowhere");
    let arguments = ["k.cl", "--grid", "1"];
    let ran = compiled(&directory, &[("GCN_CLANG", &nowhere)], &arguments);
    let message = format!(
        "error[missing-compiler]: cannot compile k.cl: GCN_CLANG is set to {}, which is not a program\n",
        nowhere.display()
    );
    assert_eq!((ran.err, ran.status), (message, Some(BAD_INPUT)));
    // A compiler without a linker next to it or in PATH.
    let alone = directory.join("clang-19");
    fs::write(&alone, "").expect("a file");
    let variables = [("GCN_CLANG", alone.as_path()), ("PATH", nowhere.as_path())];
    let ran = compiled(&directory, &variables, &arguments);
    let message = "clang-19 found no linker: install Debian's package lld-19\n";
    assert!(ran.err.ends_with(message), "{}", ran.err);
    let ran = plain(&["-O", "1"]);
    let message = "error[invalid-usage]: --optimize applies to compiled sources only: .cl, .clcpp, .hip, .ll, .bc\n";
    assert_eq!((ran.err.as_str(), ran.status), (message, Some(BAD_USAGE)));
    let ran = run_in(&directory, &["k.cl", "--dialect", "clrx", "--grid", "1"]);
    let message = "error[invalid-usage]: --dialect applies to assembly only\n";
    assert_eq!((ran.err.as_str(), ran.status), (message, Some(BAD_USAGE)));
    fs::write(directory.join("k.cpp"), "int n;\n").expect("a file");
    let ran = run_in(&directory, &["k.cpp", "--grid", "1"]);
    let message = "error[unsupported-format]: k.cpp is C++, which is not supported: OpenCL C has the extension .cl, C++ for OpenCL .clcpp, HIP .hip\n";
    assert_eq!((ran.err.as_str(), ran.status), (message, Some(BAD_INPUT)));
}

#[test]
fn a_compiler_is_chosen_by_option_or_launch_file() {
    let directory = scratch("choose-clang");
    let kernel = "kernel void k(global int *out) { out[0] = 7; }\n";
    fs::write(directory.join("k.cl"), kernel).expect("a file");
    let clang = counting_clang(&directory);
    let clang = clang.to_string_lossy();
    let launch = "file = \"k.cl\"\nclang = \"bin/clang-19\"\ngrid = 1\nargs = { out = \"i32*1\" }\nprint = \"out\"\n";
    fs::write(directory.join("l.toml"), launch).expect("a file");
    let named = launch.replace("bin/clang-19", "clang-19");
    fs::write(directory.join("named.toml"), named).expect("a file");
    let plain = ["k.cl", "--grid=1", "--arg=out=i32*1", "--print=out"];
    let option = ["--clang", &*clang];
    for (arguments, count) in [
        (&plain[..], 0),
        (&[&plain[..], &option].concat(), 2),
        (&["l.toml"], 2),
        (&["named.toml"], 0),
        (&[&["named.toml"], &option[..]].concat(), 2),
    ] {
        let _ = fs::remove_dir_all(directory.join("cache"));
        let _ = fs::remove_file(directory.join("calls"));
        let ran = compiled(&directory, &[], arguments);
        assert_eq!(ran.out, "out: i32[0..1] = 7\n", "{}", ran.err);
        assert_eq!(calls(&directory), count, "{arguments:?}");
    }
    let wrong = [&plain[..], &["--clang=no/clang"]].concat();
    let ran = compiled(&directory, &[], &wrong);
    let message = "error[missing-compiler]: cannot compile k.cl: no/clang is not a program\n";
    assert_eq!((ran.err.as_str(), ran.status), (message, Some(BAD_INPUT)));
    let ran = self::plain(&["--clang", "clang-19"]);
    let message = "error[invalid-usage]: --clang applies to compiled sources only: .cl, .clcpp, .hip, .ll, .bc\n";
    assert_eq!((ran.err.as_str(), ran.status), (message, Some(BAD_USAGE)));
}

#[test]
fn outputs_do_not_overwrite_a_header() {
    let directory = scratch("header");
    let header = directory.join("scale.h");
    fs::write(&header, "#define SCALE 10\n#define BIAS 1\n").expect("a file");
    fs::write(directory.join("k.cl"), OPENCL).expect("a file");
    let run = |save: &str| compiled(&directory, &[], &[&LAUNCH[..], &["--save", save]].concat());
    // The second time, the code object comes from the cache.
    for _ in 0..2 {
        let ran = run("out=scale.h");
        assert!(
            ran.err
                .contains("error[output-conflict]: save out: scale.h is the input ")
                && ran.err.ends_with("scale.h\n"),
            "{}",
            ran.err
        );
        assert_eq!(ran.status, Some(BAD_INPUT));
    }
    let text = fs::read_to_string(&header).expect("the header");
    assert!(text.contains("SCALE 10"), "{text}");
    let ran = run("out=out.bin");
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
}
