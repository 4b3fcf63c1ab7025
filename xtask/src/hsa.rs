//! Builds the libraries for HIP and OpenCL programs, `libhsa-runtime64.so.1` and `libgcn_opencl.so`, and benchmarks
//! HIP.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, anyhow};

use crate::{install, kernels, run};

#[path = "../../crates/gcn-hsa/link.rs"]
mod link;

/// File name of the library for OpenCL programs.
pub(crate) const OPENCL: &str = "libgcn_opencl.so";

/// Builds the libraries with a cargo profile into the build directory, where a `gcn exec` built with that profile finds
/// them. Returns the path of the HIP library.
///
/// # Errors
/// Fails if a library cannot be built or linked.
pub(crate) fn build(profile: &str) -> Result<PathBuf> {
    build_with(profile, &[])
}

/// Builds the libraries like [`build`], together with other packages. Cargo then compiles shared dependencies once,
/// with the union of features.
///
/// # Errors
/// Fails if a library cannot be built or linked.
pub(crate) fn build_with(profile: &str, others: &[&str]) -> Result<PathBuf> {
    run(Command::new(env!("CARGO"))
        .args(["build", "--locked", "--profile", profile])
        .args(["--package", "gcn-hsa", "--package", "gcn-opencl"])
        .args(others.iter().flat_map(|other| ["--package", other])))?;
    let directory = target_directory().join(match profile {
        "dev" => "debug",
        other => other,
    });
    let library = directory.join("gcn-hsa").join(link::LIBRARY);
    link::link(&directory.join("libgcn_hsa.a"), &library).map_err(|problem| anyhow!(problem))?;
    install::alias(&library)?;
    let opencl = library.with_file_name(OPENCL);
    install::replace(&directory.join(OPENCL), &opencl)?;
    for library in [&library, &opencl] {
        println!("{}", library.display());
    }
    Ok(library)
}

/// Benchmarks kernels and API calls with a release build of the library, and the same kernels with `gcn run`.
///
/// # Errors
/// Fails if a file cannot be built, or a program fails.
pub(crate) fn bench() -> Result<()> {
    let library = build_with("release", &["gcn"])?;
    let directory = library.parent().unwrap_or(Path::new("."));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hip/bench/runtime.hip");
    let program = directory.join("runtime");
    run(Command::new("hipcc")
        .args(["-O2", "--offload-arch=gfx906", "-o"])
        .arg(&program)
        .arg(source))?;
    let gcn = directory.parent().unwrap_or(directory).join("gcn");
    let mut timed = Command::new(&program);
    timed.env("LD_LIBRARY_PATH", directory);
    print!("{}", kernels::compare(&mut timed, "HIP", &gcn, &program)?);
    run(Command::new(env!("CARGO"))
        .args(["bench", "--quiet", "--locked", "--profile", "release"])
        .args(["--package", "gcn-hsa", "--bench", "packets"]))
}

/// Returns cargo's build directory, including the target triple from `CARGO_BUILD_TARGET` if it is set.
pub(crate) fn target_directory() -> PathBuf {
    let own = std::env::current_exe().ok();
    let host = own.as_deref().and_then(|own| own.parent()?.parent());
    let host = host.map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"),
        Path::to_owned,
    );
    match std::env::var_os("CARGO_BUILD_TARGET") {
        Some(target) => host.join(target),
        None => host,
    }
}
