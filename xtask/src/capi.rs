//! Builds and installs the C library, and compares its speed with LLVM's.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use crate::{bench, hsa, install, kernels, run};

#[path = "../../crates/gcn-c/link.rs"]
mod link;

/// Directory of the gcn-c crate.
pub(crate) const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/gcn-c");
/// pkg-config prefix relative to the `.pc` file.
pub(crate) const RELOCATABLE: &str = "${pcfiledir}/../..";
/// Static library built by cargo.
const ARCHIVE: &str = "libgcn_c.a";
/// Minimum speed relative to LLVM.
const LEAST_RATIO: f64 = 10.0;

/// Builds the library with the release profile, and returns its directory and the static library.
fn build() -> Result<(PathBuf, PathBuf)> {
    run(Command::new(env!("CARGO")).args([
        "build",
        "--locked",
        "--release",
        "--package",
        "gcn-c",
    ]))?;
    link()
}

/// Links the shared library from the already built static library, and returns the directory and the static library.
fn link() -> Result<(PathBuf, PathBuf)> {
    let release = hsa::target_directory().join("release");
    let (archive, directory) = (release.join(ARCHIVE), release.join("gcn-c"));
    link::link(&archive, &directory).map_err(|problem| anyhow!(problem))?;
    println!("{}", directory.join(link::LIBRARY).display());
    Ok((directory, archive))
}

/// Links the shared library from the already built static library, and returns its path.
///
/// # Errors
/// Fails if the library cannot be linked.
pub(crate) fn link_shared() -> Result<PathBuf> {
    Ok(link()?.0.join(link::LIBRARY))
}

/// Returns a relocatable pkg-config file, whose prefix is two directories above it.
pub(crate) fn relocatable_pkg_config() -> String {
    link::pkg_config(Path::new(RELOCATABLE))
}

/// Builds the shared and static libraries, and installs them into `prefix` with the header and a pkg-config file.
///
/// # Errors
/// Fails if a file cannot be built or written.
pub(crate) fn install(prefix: &Path) -> Result<()> {
    let prefix =
        std::path::absolute(prefix).with_context(|| format!("cannot find {}", prefix.display()))?;
    place(&build()?, &prefix, &prefix)
}

/// Installs the already built library into `prefix`. The pkg-config file gives `known` as the prefix.
///
/// # Errors
/// Fails if a file cannot be linked or written.
pub(crate) fn place_built(prefix: &Path, known: &Path) -> Result<()> {
    place(&link()?, prefix, known)
}

fn place((directory, archive): &(PathBuf, PathBuf), prefix: &Path, known: &Path) -> Result<()> {
    let libraries = prefix.join("lib");
    install::replace(
        &directory.join(link::LIBRARY),
        &libraries.join(link::LIBRARY),
    )?;
    install::replace(archive, &libraries.join("libgcn.a"))?;
    link::alias(&libraries).map_err(|problem| anyhow!(problem))?;
    install::replace(
        &Path::new(CRATE).join("gcn.h"),
        &prefix.join("include/gcn.h"),
    )?;
    write_pkg_config(prefix, known)
}

/// Writes the library's pkg-config file below `prefix`. The file gives `known` as the prefix.
///
/// # Errors
/// Fails if the file cannot be written.
pub(crate) fn write_pkg_config(prefix: &Path, known: &Path) -> Result<()> {
    let packages = prefix.join("lib/pkgconfig");
    std::fs::create_dir_all(&packages)
        .with_context(|| format!("cannot make {}", packages.display()))?;
    let file = packages.join("gcn.pc");
    std::fs::write(&file, link::pkg_config(known))
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Benchmarks decoding and printing varied code with the library and with LLVM 19's C API, in one process.
///
/// # Errors
/// Fails if a file cannot be built, or the library is less than ten times as fast as LLVM.
pub(crate) fn bench() -> Result<()> {
    let (directory, _) = build()?;
    let (chip, source) = bench::varied_source(&directory)?;
    let program = directory.join("disassembly");
    let llvm = |option: &str| -> Result<String> {
        let output = Command::new("llvm-config-19").arg(option).output();
        let output = output.context("cannot run llvm-config-19, which llvm-19-dev has")?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let headers = PathBuf::from(llvm("--includedir")?);
    if !headers.join("llvm-c/Disassembler.h").exists() {
        bail!("LLVM's C API is not installed; on Debian: sudo apt-get install llvm-19-dev");
    }
    run(Command::new("cc")
        .args(["-std=c11", "-O2", "-Wall", "-I", CRATE, "-I"])
        .arg(&headers)
        .arg("-o")
        .arg(&program)
        .arg(Path::new(CRATE).join("benches/disassembly.c"))
        .arg("-L")
        .arg(&directory)
        .args(["-lgcn", "-L"])
        .arg(llvm("--libdir")?)
        .arg("-lLLVM-19"))?;
    let mut timed = Command::new(&program);
    timed
        .arg(chip)
        .arg(&source)
        .env("LD_LIBRARY_PATH", &directory);
    let output = timed
        .output()
        .with_context(|| format!("cannot run {timed:?}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let ratio = kernels::value(&text, "ratio: ")?;
    if ratio < LEAST_RATIO {
        bail!("the library is {ratio} times as fast as LLVM, and is to be {LEAST_RATIO} times");
    }
    Ok(())
}
