//! Builds by clang of the kernels in the repository. Each source is built at one level per target, which rotates from
//! target to target so that every level is covered. `--ignored` tests all levels for all targets.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::common::tool;
use crate::{check_linked, check_relocatable, files, scratch};

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];
const CPUS: [&str; 5] = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx906"];
/// Debian's directory of the device libraries, package rocm-device-libs.
const BITCODE: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

/// Builds one source; the error if clang fails.
fn build(source: &Path, cpu: &str, level: &str) -> Result<Vec<u8>, String> {
    let name = source.file_stem().expect("it has a name").to_string_lossy();
    let place = |extension| scratch(&format!("{name}.{cpu}{level}.{extension}"));
    let (bitcode, object) = (place("bc"), place("o"));
    let mcpu = format!("-mcpu={cpu}");
    let code = ["-target", "amdgcn-amd-amdhsa", &mcpu];
    let path = source.to_string_lossy();
    let clang = |options: &[&str], from: &str, to: &str| {
        // Output of an earlier run must not count as a result.
        let _ = std::fs::remove_file(to);
        let files = [level, "-w", "-c", from, "-o", to];
        let (_, err) = tool("clang-19", "clang-19", &[options, &files].concat(), "");
        std::fs::read(to).map_err(|_| {
            let reason = err.lines().find(|line| line.contains("error"));
            let reason = reason.unwrap_or("no reason given");
            format!("{name} on {cpu} at {level}: {reason}")
        })
    };
    if source.extension().is_some_and(|e| e == "hip") {
        // For relocatable device code, the driver produces bitcode by default; this option makes it continue.
        let arch = format!("--offload-arch={cpu}");
        let device = ["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output"];
        let alone = ["-nogpuinc", "-nogpulib", "-fgpu-rdc", "-emit-llvm", &arch];
        clang(&[device.as_slice(), &alone].concat(), &path, &bitcode)?;
        let ir = ["-x", "ir", "-nogpulib"];
        let made = clang(&[ir.as_slice(), &code].concat(), &bitcode, &object);
        let _ = std::fs::remove_file(&bitcode);
        made
    } else {
        let libraries = format!("--rocm-device-lib-path={BITCODE}");
        let language = ["-x", "cl", "-cl-std=CL2.0", "--rocm-path=/usr", &libraries];
        clang(&[language.as_slice(), &code].concat(), &path, &object)
    }
}

/// Sources that clang cannot build, or lld cannot link.
struct LeftOut {
    cpus: &'static [&'static str],
    /// Levels; empty for all of them.
    levels: &'static [&'static str],
    names: &'static [&'static str],
}

/// Exclusions, each with its reason. An entry that builds after all must be removed.
const LEFT_OUT: &[LeftOut] = &[
    // GCN 1.0 has no FLAT: generic pointers, everything reached through them (function tables, managed variables, the
    // device heap, `printf` buffers), and lane permutations through LDS.
    LeftOut {
        cpus: &["gfx600"],
        levels: &[],
        names: &[
            "atomics_generic",
            "device_malloc",
            "function_table",
            "generic_pointer",
            "managed",
            "printf_buffered",
            "printf_hostcall",
            "shuffle",
            "variables",
        ],
    },
    // Without optimization, library code that is otherwise inlined uses generic pointers.
    LeftOut {
        cpus: &["gfx600"],
        levels: &["-O0"],
        names: &[
            "fft",
            "half_math",
            "math_double_c",
            "math_two",
            "printf",
            "sgemm_blocked",
            "templates",
            "unaligned_vectors",
            "work_group",
        ],
    },
    // GCN 1.1 has no `ds_bpermute_b32`.
    LeftOut {
        cpus: &["gfx700"],
        levels: &[],
        names: &["shuffle"],
    },
    // These remain relocatable objects: they call libraries that are not linked here.
    LeftOut {
        cpus: &["gfx700", "gfx803", "gfx900", "gfx906"],
        levels: &[],
        names: &["device_malloc", "printf_buffered", "printf_hostcall"],
    },
];

/// True if a source is on the list.
fn is_left_out(name: &str, cpu: &str, level: &str) -> bool {
    LEFT_OUT.iter().any(|left| {
        left.cpus.contains(&cpu)
            && (left.levels.is_empty() || left.levels.contains(&level))
            && left.names.contains(&name)
    })
}

/// Kernel sources.
fn kernels() -> Vec<PathBuf> {
    let mut sources = files(&["cl", "hip"]);
    // Host programs: tests of gcn-hsa and gcn build them with HIP's headers.
    let is_program = |at: &Path| at.ends_with("tests/hip") || at.ends_with("tests/exec");
    sources.retain(|source| !source.ancestors().any(is_program));
    assert!(sources.len() >= 10, "the repository has kernels");
    sources
}

/// Builds the sources for a target, each at the levels given for its index, and checks the results.
fn check_compiled(cpu: &str, levels: impl Fn(usize) -> Range<usize>) {
    let mut wrong = Vec::new();
    for (number, source) in kernels().iter().enumerate() {
        for level in levels(number).map(|level| LEVELS[level % LEVELS.len()]) {
            let name = source.file_stem().expect("it has a name").to_string_lossy();
            let checked = check_build(source, &name, cpu, level);
            match (checked, is_left_out(&name, cpu, level)) {
                (Err(reason), false) => wrong.push(reason),
                (Ok(()), true) => wrong.push(format!(
                    "{name} on {cpu} at {level} can be built: take it off the list"
                )),
                (Ok(()), false) | (Err(_), true) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Builds each source at one level, which rotates from source to source and from target to target.
fn check_one_level(cpu: &str) {
    let first = CPUS.iter().position(|it| *it == cpu);
    let first = first.expect("a target of the list");
    check_compiled(cpu, |number| first + number..first + number + 1);
}

/// Builds and links a source, and checks the result; the reason if it cannot be built or linked.
fn check_build(source: &Path, name: &str, cpu: &str, level: &str) -> Result<(), String> {
    let object = build(source, cpu, level)?;
    let what = format!("{name} on {cpu} at {level}");
    check_relocatable(&what, &object);
    let (from, to) = (
        scratch(&format!("{name}.{cpu}{level}.o")),
        scratch(&format!("{name}.{cpu}{level}.co")),
    );
    let _ = std::fs::remove_file(&to);
    let arguments = ["-shared", "--no-undefined", &from, "-o", &to];
    let (_, err) = tool("ld.lld-19", "lld-19", &arguments, "");
    let linked = std::fs::read(&to).map_err(|_| format!("linking {what}: {err}"));
    let _ = std::fs::remove_file(&from);
    let _ = std::fs::remove_file(&to);
    check_linked(&what, &linked?);
    Ok(())
}

#[test]
fn what_clang_builds_for_gfx600_comes_back() {
    check_one_level("gfx600");
}

#[test]
fn what_clang_builds_for_gfx700_comes_back() {
    check_one_level("gfx700");
}

#[test]
fn what_clang_builds_for_gfx803_comes_back() {
    check_one_level("gfx803");
}

#[test]
fn what_clang_builds_for_gfx900_comes_back() {
    check_one_level("gfx900");
}

#[test]
fn what_clang_builds_for_gfx906_comes_back() {
    check_one_level("gfx906");
}

#[test]
#[ignore = "four times as many builds as the tests of targets, minutes"]
fn what_clang_builds_at_all_levels_comes_back() {
    std::thread::scope(|scope| {
        for cpu in CPUS {
            scope.spawn(move || check_compiled(cpu, |_| 0..LEVELS.len()));
        }
    });
}
