//! Programs that run on the platform, on one device or several.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::end::{self, Expected};
use crate::program::Program;

/// File that cargo makes of this crate, beside its tests.
const LIBRARY: &str = "libgcn_opencl.so";
/// Variable of OpenCL's loader: the library, instead of those that are installed.
const LOADER: &str = "OCL_ICD_VENDORS";

/// The platform's library.
///
/// # Errors
/// It is not there.
pub fn library() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let library = test.with_file_name(LIBRARY);
    if library.exists() {
        Ok(library)
    } else {
        Err(format!("no {}", library.display()))
    }
}

/// Runs a program on devices, whose targets are separated by commas, and looks at its end.
///
/// # Errors
/// It fails, lacks a feature, prints something else, or does not end in time.
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
