//! Runs a program with this crate's library on one target.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compile::{CompiledProgram, cache};
use crate::end::{self, Expected};
use crate::link;
use crate::program::Program;

/// Environment variables that change the behaviour of HIP or this library, and that programs do not inherit.
const FOREIGN: [&str; 6] = [
    "AMD_LOG_LEVEL",
    "CUDA_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "HIP_LAUNCH_BLOCKING",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
];

/// Links the shared library if it is missing or older than the archive, and returns its directory.
///
/// # Errors
/// Fails if the archive does not exist, or the linker fails.
pub fn library() -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    let beside = test.parent().unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| format!("{}: {error}", beside.display());
    // Cargo keeps archives of earlier builds. The latest one is current, since Cargo rebuilds it before this test.
    let mut latest = None;
    for entry in beside.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("libgcn_hsa") && name.ends_with(".a") {
            let time = entry.metadata().and_then(|data| data.modified());
            latest = latest.max(Some((time.map_err(failed)?, entry.path())));
        }
    }
    let (time, archive) =
        latest.ok_or_else(|| format!("no archive of gcn-hsa in {}", beside.display()))?;
    let directory = cache()?.join("library");
    let library = directory.join(link::LIBRARY);
    let linked = library.metadata().and_then(|data| data.modified());
    if linked.map_or(true, |linked| linked < time) {
        link::link(&archive, &library)?;
    }
    Ok(directory)
}

/// Runs a program on a target, and checks the result.
///
/// # Errors
/// Fails if the program cannot be run, its exit status or output is not as expected, or it times out.
pub fn check(
    program: &Program,
    built: &CompiledProgram,
    target: &str,
    library: &Path,
) -> Result<(), String> {
    let header = &program.header;
    let mut command = Command::new(&built.executable);
    command
        .args(&built.module)
        .env("LD_LIBRARY_PATH", library)
        .env(
            "GCN_TARGET",
            vec![target; header.devices.unwrap_or(1)].join(","),
        );
    for name in FOREIGN {
        command.env_remove(name);
    }
    command.envs(&header.variables);
    let expected = Expected {
        status: header.status,
        stderr: &header.stderr,
        findings: header.findings.as_deref().unwrap_or_default(),
    };
    end::check(&program.name, &mut command, &expected)
}
