//! Runs programs on the platform, with one or more devices.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::end::{self, Expected};
use crate::program::Program;

/// File name of this crate's library, which Cargo builds in the same directory as the tests.
const LIBRARY: &str = "libgcn_opencl.so";
/// Environment variable that makes the ICD loader use this library instead of the installed drivers.
const LOADER: &str = "OCL_ICD_VENDORS";

/// Returns the path of this crate's library.
///
/// # Errors
/// Fails if the library does not exist.
pub fn library() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let library = test.with_file_name(LIBRARY);
    if library.exists() {
        Ok(library)
    } else {
        Err(format!("no {}", library.display()))
    }
}

/// Runs a program and checks the result. `devices` contains the devices' targets, separated by commas.
///
/// # Errors
/// Fails if the program cannot be run, its exit status or output is not as expected, or it times out.
pub fn check(
    program: &Program,
    executable: &Path,
    devices: &str,
    library: &Path,
) -> Result<(), String> {
    let mut command = Command::new(executable);
    let header = &program.header;
    command
        .env(LOADER, library)
        .env("GCN_TARGET", devices)
        .envs(&header.variables);
    let expected = Expected {
        status: header.status,
        stderr: &header.stderr,
        findings: &header.findings,
    };
    end::check(&program.name, &mut command, &expected)
}
