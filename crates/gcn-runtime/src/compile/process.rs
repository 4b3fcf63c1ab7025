//! Runs external programs.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::error::CompileError;

/// Runs a program with `input` as its standard input in `directory`, if given, and collects its output.
///
/// # Errors
/// Fails if the program cannot be started or its output cannot be read.
pub(super) fn run(
    program: &Path,
    arguments: &[OsString],
    input: Option<&[u8]>,
    directory: Option<&Path>,
) -> Result<Output, CompileError> {
    let start = |error| CompileError::Start {
        program: program.to_owned(),
        error,
    };
    let mut command = Command::new(program);
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let mut child = command
        .args(arguments)
        .stdin(input.map_or_else(Stdio::null, |_| Stdio::piped()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    std::thread::scope(|scope| {
        if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
            // A compiler that fails early may not read all of its input. Its exit status reports the failure.
            let write = move || drop(pipe.write_all(input));
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, write) {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
        }
        child.wait_with_output()
    })
    .map_err(start)
}
