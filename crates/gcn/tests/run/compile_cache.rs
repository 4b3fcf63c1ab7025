//! Tests of the cache of compiled sources: a result is reused until an input of Clang changes.

use super::sources::compiled;
use super::*;

/// Change between two runs, after which the kernel must store 2 instead of 1.
struct Trap {
    name: &'static str,
    /// Text of `k.cl` before a kernel that stores `V`.
    source: &'static str,
    options: &'static [&'static str],
    /// Files of the first run.
    files: &'static [(&'static str, &'static str)],
    /// Files written before the second run.
    changes: &'static [(&'static str, &'static str)],
    /// Environment variables of each run.
    variables: [&'static [(&'static str, &'static str)]; 2],
}

const NOTHING: Trap = Trap {
    name: "nothing",
    source: "",
    options: &[],
    files: &[],
    changes: &[],
    variables: [&[], &[]],
};

const TRAPS: &[Trap] = &[
    Trap {
        name: "a header that appears earlier",
        source: "#include \"h.h\"\n",
        options: &["-I", "early", "-I", "late"],
        files: &[("late/h.h", "#define V 1")],
        changes: &[("early/h.h", "#define V 2")],
        ..NOTHING
    },
    Trap {
        name: "__has_include",
        source: "#if __has_include(\"h.h\")\n#define V 2\n#else\n#define V 1\n#endif\n",
        changes: &[("h.h", "")],
        ..NOTHING
    },
    Trap {
        name: "CPATH",
        source: "#include <h.h>\n",
        files: &[("one/h.h", "#define V 1"), ("two/h.h", "#define V 2")],
        variables: [&[("CPATH", "one")], &[("CPATH", "two")]],
        ..NOTHING
    },
    Trap {
        name: "C_INCLUDE_PATH",
        source: "#include <h.h>\n",
        files: &[("one/h.h", "#define V 1"), ("two/h.h", "#define V 2")],
        variables: [&[("C_INCLUDE_PATH", "one")], &[("C_INCLUDE_PATH", "two")]],
        ..NOTHING
    },
    Trap {
        name: "__DATE__",
        source: "constant char d[] = __DATE__;\n#define V d[10] - '0'\n",
        variables: [
            &[("SOURCE_DATE_EPOCH", "980000000")],
            &[("SOURCE_DATE_EPOCH", "1010000000")],
        ],
        ..NOTHING
    },
    Trap {
        name: "__TIME__",
        source: "constant char t[] = __TIME__;\n#define V t[7] - '0'\n",
        variables: [
            &[("SOURCE_DATE_EPOCH", "980000001")],
            &[("SOURCE_DATE_EPOCH", "980000002")],
        ],
        ..NOTHING
    },
    Trap {
        name: "-include",
        options: &["-X=-include", "-X=h.h"],
        files: &[("h.h", "#define V 1")],
        changes: &[("h.h", "#define V 2")],
        ..NOTHING
    },
    Trap {
        name: "a file of options",
        options: &["-X=@options"],
        files: &[("options", "-DV=1")],
        changes: &[("options", "-DV=2")],
        ..NOTHING
    },
    Trap {
        name: "#embed",
        source: "constant uchar d[] = {\n#embed \"d.bin\"\n};\n#define V d[0] - '0'\n",
        files: &[("d.bin", "1")],
        changes: &[("d.bin", "2")],
        ..NOTHING
    },
];

/// Runs `gcn run k.cl`. Returns the printed value, and true if the code object came from the cache.
fn run(directory: &Path, options: &[&str], variables: &[(&str, &str)]) -> (String, bool) {
    let arguments = [
        "k.cl",
        "--grid",
        "1",
        "--arg",
        "out=i32*1",
        "--print",
        "out",
        "-v",
    ];
    let variables: Vec<(&str, &Path)> = variables
        .iter()
        .map(|(name, value)| (*name, Path::new(value)))
        .collect();
    let ran = compiled(directory, &variables, &[&arguments, options].concat());
    assert_eq!(ran.status, Some(GOOD), "{}", ran.err);
    let is_cached = ran.err.contains("the code object is from the cache\n");
    (ran.out, is_cached)
}

fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
}

/// Source with a kernel that stores `V`.
fn kernel(text: &str) -> String {
    format!("{text}kernel void k(global int *out) {{ out[0] = V; }}\n")
}

#[test]
fn whatever_clang_reads_is_noticed() {
    for trap in TRAPS {
        let directory = scratch("cache-traps");
        write(&directory, trap.files);
        write(&directory, &[("k.cl", &kernel(trap.source))]);
        let run = |variables| run(&directory, trap.options, variables);
        let out = |value| format!("out: i32[0..1] = {value}\n");
        assert_eq!(run(trap.variables[0]), (out(1), false), "{}", trap.name);
        assert_eq!(run(trap.variables[0]), (out(1), true), "{}", trap.name);
        write(&directory, trap.changes);
        assert_eq!(run(trap.variables[1]), (out(2), false), "{}", trap.name);
        assert_eq!(run(trap.variables[1]), (out(2), true), "{}", trap.name);
    }
}

#[test]
fn what_only_diagnostics_and_debug_information_have_is_noticed() {
    let directory = scratch("cache-lines");
    write(&directory, &[("k.cl", &kernel("#include \"h.h\"\n"))]);
    write(&directory, &[("h.h", "#define V 1 // a comment\n")]);
    let run_in = |directory: &Path, options: &[&str]| run(directory, options, &[]).1;
    assert!(!run_in(&directory, &[]) && run_in(&directory, &[]));
    write(&directory, &[("h.h", "#define V 1 // another\n")]);
    assert!(!run_in(&directory, &[]) && run_in(&directory, &[]));
    // `__TIMESTAMP__` is the modification time, which changes although the text does not.
    write(
        &directory,
        &[(
            "k.cl",
            &kernel("constant char t[] = __TIMESTAMP__;\n#define V t[23]\n"),
        )],
    );
    assert!(!run_in(&directory, &[]) && run_in(&directory, &[]));
    let source = fs::File::options()
        .append(true)
        .open(directory.join("k.cl"));
    let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(980_000_000);
    source
        .expect("a file")
        .set_modified(past)
        .expect("it is ours");
    assert!(!run_in(&directory, &[]) && run_in(&directory, &[]));
    // Debug information contains the compilation directory.
    let absolute = directory.join("k.cl").display().to_string();
    let cache = directory.join("cache").display().to_string();
    write(&directory, &[("elsewhere/here", "")]);
    let elsewhere = directory.join("elsewhere");
    let run_from = |place: &Path| {
        let arguments = [&*absolute, "--grid", "1", "--arg", "out=i32*1", "-v"];
        let ran = compiled(place, &[], &arguments);
        ran.err.contains("the code object is from the cache\n")
    };
    std::os::unix::fs::symlink(cache, elsewhere.join("cache")).expect("a link");
    assert!(!run_from(&directory) && run_from(&directory));
    assert!(!run_from(&elsewhere) && run_from(&elsewhere));
}

#[test]
fn assembly_that_reads_a_file_is_compiled_each_time() {
    let directory = scratch("cache-incbin");
    // S_MOVK_I32 s4, 1.
    fs::write(directory.join("v.bin"), [1, 0, 4, 0xb0]).expect("a file");
    let text = "kernel void k(global int *out) {\n  int v;\n  \
                __asm__ volatile(\".incbin \\\"v.bin\\\"\\ns_mov_b32 %0, s4\" : \"=s\"(v) : : \"s4\");\n  out[0] = v;\n}\n";
    fs::write(directory.join("k.cl"), text).expect("a file");
    assert_eq!(run(&directory, &[], &[]).0, "out: i32[0..1] = 1\n");
    fs::write(directory.join("v.bin"), [2, 0, 4, 0xb0]).expect("a file");
    assert_eq!(run(&directory, &[], &[]).0, "out: i32[0..1] = 2\n");
}
