//! Builds and tests the playground: a web page with `gcn-web` compiled to WebAssembly.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{hsa, npm, run};

/// Directory of the web page.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/gcn-web/page");
/// Target triple for WebAssembly.
const TRIPLE: &str = "wasm32-unknown-unknown";
/// Cargo profile for the WebAssembly module.
const PROFILE: &str = "playground";
/// Stack size in bytes: the default for Linux threads, which the assembler's recursion limits assume.
const STACK: usize = 8 << 20;

/// Builds the playground into `directory`.
///
/// # Errors
/// Fails if Rust's standard library for WebAssembly, Node.js or npm is not installed, or a file cannot be built.
pub(crate) fn build(directory: &Path) -> Result<()> {
    prepare()?;
    bundle(directory)
}

/// Builds the playground for the book in `directory`. If the tools for it are not installed, returns false and prints the
/// reason.
///
/// # Errors
/// Fails if a file cannot be built.
pub(crate) fn build_for_book(directory: &Path) -> Result<bool> {
    if let Err(error) = prepare() {
        eprintln!("the book has no playground: {error:#}");
        return Ok(false);
    }
    bundle(directory)?;
    Ok(true)
}

/// Installs the npm packages, and returns an error if a tool is missing.
fn prepare() -> Result<()> {
    require_library()?;
    npm::install(Path::new(PAGE))
}

/// Compiles the WebAssembly module and bundles the page into `directory`.
fn bundle(directory: &Path) -> Result<()> {
    let flags = format!("-Clink-arg=-zstack-size={STACK}");
    run(Command::new(env!("CARGO"))
        .args(["rustc", "--locked", "--package", "gcn-web", "--lib"])
        .args(["--crate-type", "cdylib", "--target", TRIPLE])
        .args(["--profile", PROFILE, "--", &flags]))?;
    let wasm = built();
    let directory = absolute(directory)?;
    run(npm_script("build").arg("--").arg(&directory).arg(&wasm))?;
    println!("{}", directory.join("index.html").display());
    Ok(())
}

/// Builds the playground into `directory`, type-checks its page, and tests it in Chromium. Writes screenshots to the
/// build directory.
///
/// # Errors
/// Fails if [`build`] or a test fails.
pub(crate) fn test(directory: &Path) -> Result<()> {
    build(directory)?;
    run(&mut npm_script("types"))?;
    let screenshots = hsa::target_directory().join("playground-screenshots");
    let directory = absolute(directory)?;
    run(npm_script("test")
        .arg("--")
        .arg(&directory)
        .arg(&screenshots))?;
    println!("{}", screenshots.display());
    Ok(())
}

/// Path of the WebAssembly module built by cargo.
fn built() -> PathBuf {
    let host = hsa::target_directory();
    let root = match std::env::var_os("CARGO_BUILD_TARGET") {
        Some(_) => host.parent().map(Path::to_owned).unwrap_or(host),
        None => host,
    };
    root.join(TRIPLE).join(PROFILE).join("gcn_web.wasm")
}

/// Returns an error unless the standard library for WebAssembly is installed.
fn require_library() -> Result<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let mut asked = Command::new(rustc);
    asked.args(["--print", "target-libdir", "--target", TRIPLE]);
    let output = asked
        .output()
        .with_context(|| format!("cannot run {asked:?}"))?;
    let directory = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() || !Path::new(&directory).is_dir() {
        bail!(
            "Rust's standard library for {TRIPLE} is not installed: `rustup target add {TRIPLE}`, or on Debian testing \
             `apt-get install libstd-rust-dev-wasm32 lld` for Debian's rustc"
        );
    }
    Ok(())
}

/// Creates the command for one of the page's npm scripts.
fn npm_script(script: &str) -> Command {
    let mut npm = Command::new("npm");
    npm.args(["run", "--silent", script]).current_dir(PAGE);
    npm
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("cannot find {}", path.display()))
}
