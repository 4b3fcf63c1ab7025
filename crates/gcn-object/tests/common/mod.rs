//! Runs the LLVM tools that the tests compare with.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod build;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs a tool and returns its output on both streams. A missing tool fails the test and names its package.
pub fn run(tool: &str, package: &str, arguments: &[&str]) -> String {
    let output = Command::new(tool)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| {
            panic!("{tool} cannot be run ({error}): install the Debian package {package}")
        });
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(
        output.status.success(),
        "{tool} {} failed: {text}",
        arguments.join(" ")
    );
    text
}

/// A unique path for a file of this test, in the directory that cargo provides for tests, which run in parallel.
pub fn scratch(name: &str) -> PathBuf {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{call}-{name}", std::process::id()))
}

/// Output of `llvm-readelf-19 -a`.
pub fn readelf(path: &Path) -> String {
    run(
        "llvm-readelf-19",
        "llvm-19",
        &["-a", path.to_str().expect("the path is text")],
    )
}

/// Compiles a source in `tests/fixtures` for a processor, like `clang-19` with its defaults plus `options`.
pub fn clang(source: &str, processor: &str, version: u8, options: &[&str]) -> Vec<u8> {
    // clang runs the linker itself, and its message is unclear if it is missing.
    run("ld.lld-19", "lld-19", &["--version"]);
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(source);
    let to = scratch("compiled.co");
    let processor = format!("-mcpu={processor}");
    let version = format!("-mcode-object-version={version}");
    let paths = [
        from.to_str().expect("the path is text"),
        "-o",
        to.to_str().expect("the path is text"),
    ];
    let language: &[&str] = if source.ends_with(".cl") {
        &["-x", "cl", "-cl-std=CL1.2", "-O2"]
    } else {
        &[]
    };
    let fixed = [
        "-target",
        "amdgcn-amd-amdhsa",
        &processor,
        &version,
        "-nogpulib",
    ];
    run(
        "clang-19",
        "clang-19",
        &[language, &fixed, options, &paths].concat(),
    );
    let bytes = std::fs::read(&to)
        .unwrap_or_else(|error| panic!("clang-19 left nothing at {}: {error}", to.display()));
    let _ = std::fs::remove_file(&to);
    bytes
}
