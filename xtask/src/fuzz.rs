//! Builds the fuzz targets like cargo-fuzz, but without a nightly compiler, and runs each for a few seconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::run;

/// Default run time per target in seconds.
pub(crate) const SECONDS: u32 = 5;

/// Host triple. Building for it explicitly leaves build scripts and derives uninstrumented.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// Compiler flags for libFuzzer's coverage and AddressSanitizer.
const FLAGS: &str = "--cfg fuzzing -Zsanitizer=address -Cdebug-assertions -Coverflow-checks \
    -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Memory limit of a target in megabytes, enforced by libFuzzer.
const MEMORY_LIMIT: u32 = 4096;

/// Parses the run time in seconds.
///
/// # Errors
/// Fails if `text` is not a number.
pub(crate) fn seconds(text: &str) -> Result<u32> {
    text.parse()
        .with_context(|| format!("`{text}` is no number of seconds"))
}

/// Builds all targets and runs each for `seconds`.
///
/// # Errors
/// Fails if a target cannot be built, or finds a failing input.
pub(crate) fn run_all(seconds: u32) -> Result<()> {
    if !has_sanitizer()? {
        println!("fuzz targets are not built: this compiler has no AddressSanitizer for {HOST}");
        return Ok(());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let fuzz = root.join("fuzz");
    let target = fuzz.join("target");
    run(Command::new(env!("CARGO"))
        .args(["build", "--locked", "--target", HOST])
        .arg("--manifest-path")
        .arg(fuzz.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", FLAGS))?;
    for name in names(&fuzz)? {
        println!("fuzzing {name} for {seconds} s");
        let corpus = fuzz.join("corpus").join(&name);
        let artifacts = fuzz.join("artifacts").join(&name);
        for directory in [&corpus, &artifacts] {
            fs::create_dir_all(directory)
                .with_context(|| format!("cannot make {}", directory.display()))?;
        }
        run(Command::new(target.join(HOST).join("debug").join(&name))
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-rss_limit_mb={MEMORY_LIMIT}"))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .args(["-verbosity=0", "-print_funcs=0"])
            .arg(&corpus)
            .args(seeds(&name).iter().map(|seed| root.join(seed))))?;
    }
    Ok(())
}

/// Returns the seed corpus directories of a target, relative to the repository root.
fn seeds(name: &str) -> &'static [&'static str] {
    match name {
        "text" => &["tests/asm", "tests/err", "examples/saxpy"],
        "elf" => &["crates/gcn-object/tests/fixtures"],
        _ => &[],
    }
}

/// Lists the fuzz targets by file name, in alphabetical order.
fn names(fuzz: &Path) -> Result<Vec<String>> {
    let directory = fuzz.join("fuzz_targets");
    let read = || format!("cannot read {}", directory.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&directory).with_context(read)? {
        let path = entry.with_context(read)?.path();
        if let (Some(name), Some("rs")) = (
            path.file_stem().and_then(|stem| stem.to_str()),
            path.extension().and_then(|extension| extension.to_str()),
        ) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// True if the compiler has AddressSanitizer's runtime library.
fn has_sanitizer() -> Result<bool> {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", HOST])
        .output()
        .context("cannot run rustc")?;
    let directory = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let Ok(entries) = fs::read_dir(&directory) else {
        return Ok(false);
    };
    Ok(entries
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().ends_with("asan.a")))
}
