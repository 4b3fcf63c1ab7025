//! Builds the wheel of the Python package `amdgcn`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::wheel::Parts;
use crate::{capi, dist, hsa, run, wheel};

/// File name of the extension as built by cargo.
const EXTENSION: &str = "libgcn_python.so";
/// Directory of the gcn-python crate.
pub(crate) const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/gcn-python");

/// Requirements file of the optional packages that the Python tests use.
const TEST_PACKAGES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/gcn-python/tests/requirements.txt"
);
/// Virtual environment for these packages.
const TEST_ENVIRONMENT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/gcn-python/tests/environment"
);

/// Installs packages that the Python tests use, such as Ray. If pip fails, those tests are skipped.
pub(crate) fn install_test_packages() {
    let environment = Path::new(TEST_ENVIRONMENT);
    let installed = environment.join("requirements.txt");
    let is_same = |(wanted, has): (Vec<u8>, Vec<u8>)| wanted == has;
    let files = fs::read(TEST_PACKAGES).ok().zip(fs::read(&installed).ok());
    if files.is_some_and(is_same) {
        return;
    }
    let install = || -> Result<()> {
        run(Command::new("/usr/bin/python3")
            .args(["-m", "venv", "--clear"])
            .arg(environment))?;
        run(Command::new(environment.join("bin/pip"))
            .args([
                "install",
                "--quiet",
                "--no-compile",
                "--disable-pip-version-check",
                "--requirement",
            ])
            .arg(TEST_PACKAGES))?;
        fs::copy(TEST_PACKAGES, installed)?;
        Ok(())
    };
    if let Err(error) = install() {
        let _ = fs::remove_dir_all(environment); // May not exist.
        eprintln!(
            "pip cannot install the packages of {TEST_PACKAGES}: amdgcn is not tested with them: {error:#}"
        );
    }
}

/// Builds the extension, `gcn`, its libraries and the C library together, and packs them into a wheel in `directory`.
///
/// # Errors
/// Fails if a file cannot be built, read or written.
pub(crate) fn wheel(directory: &Path) -> Result<()> {
    let library = hsa::build_with(dist::PROFILE, &["gcn", "gcn-python", "gcn-c"])?;
    println!("{}", pack(&library, directory)?.display());
    Ok(())
}

/// Packs already built files into a wheel in `directory`, and returns its path. `library` is the library for HIP
/// programs.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub(crate) fn pack(library: &Path, directory: &Path) -> Result<PathBuf> {
    let beside = library.parent().context("the library is in a directory")?;
    let built = beside.parent().context("which is in the build directory")?;
    let prefix = built.join("wheel-prefix");
    if prefix.exists() {
        let failed = || format!("cannot remove {}", prefix.display());
        std::fs::remove_dir_all(&prefix).with_context(failed)?;
    }
    dist::place(library, &prefix)?;
    let c_library = capi::link_shared()?;
    let parts = Parts {
        package: Path::new(CRATE),
        extension: &built.join(EXTENSION),
        prefix: &prefix,
        c_library: &c_library,
        c_header: &Path::new(capi::CRATE).join("gcn.h"),
        pkg_config: &capi::relocatable_pkg_config(),
        version: env!("CARGO_PKG_VERSION"),
        strip: true,
    };
    wheel::pack(&parts, directory)
}
