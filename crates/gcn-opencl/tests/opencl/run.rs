//! Runs programs on the platform, with one or more devices.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::end::{self, Expected};
use crate::program::Program;

/// File name of this crate's library, which cargo builds beside the tests.
const LIBRARY: &str = "libgcn_opencl.so";
/// Environment variable by which OpenCL's loader uses this library instead of installed ones.
const LOADER: &str = "OCL_ICD_VENDORS";

/// Path of the platform's library.
///
/// # Errors
/// The library does not exist.
pub fn library() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let library = test.with_file_name(LIBRARY);
    if library.exists() {
        Ok(library)
    } else {
        Err(format!("no {}", library.display()))
    }
}

/// Runs a program on devices, whose targets are separated by commas, and checks the result.
///
/// # Errors
/// The program fails, lacks a feature, prints something else, or times out.
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
