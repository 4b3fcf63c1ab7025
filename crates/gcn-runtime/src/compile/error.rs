//! Compilation errors.

use std::io;
use std::path::PathBuf;

use crate::data::DataError;

/// Reason why a source could not be compiled.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::{CompileError, CompilerInput, Language, Request, compile};
/// let request = Request::new(CompilerInput::Text("kernel void k() { return 1; }"), Language::OpenClC);
/// match compile(&request).unwrap_err() {
///     CompileError::Failed { diagnostics, commands, .. } => {
///         assert!(diagnostics.contains("<stdin>:1:") && commands.len() == 1);
///     }
///     other => assert_eq!(other.name(), "missing-compiler"),
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// Clang is not installed.
    #[error(
        "Clang was not found: install Debian's packages clang-19, lld-19 and rocm-device-libs, or set GCN_CLANG to a Clang"
    )]
    NoCompiler,
    /// The Clang named by an environment variable does not exist.
    #[error("{variable} is set to {}, which is not a program", .path.display())]
    NoSuchCompiler {
        /// Name of the variable.
        variable: &'static str,
        /// Value of the variable.
        path: PathBuf,
    },
    /// The Clang named by a request does not exist.
    #[error("{} is not a program", .path.display())]
    NotAProgram {
        /// Path of the compiler.
        path: PathBuf,
    },
    /// The device libraries are not installed.
    #[error(
        "the device libraries (ockl.bc and others) were not found: install Debian's package rocm-device-libs, or set HIP_DEVICE_LIB_PATH to their directory"
    )]
    NoLibraries,
    /// A device library for the target is missing.
    #[error("the device libraries in {} do not support {target}", .directory.display())]
    NoLibraryForTarget {
        /// Directory of the device libraries.
        directory: PathBuf,
        /// Target name.
        target: String,
    },
    /// The linker is not installed.
    #[error("{} found no linker: install Debian's package {package}", .compiler.display())]
    NoLinker {
        /// Path of the compiler.
        compiler: PathBuf,
        /// Package that contains the linker.
        package: String,
    },
    /// The compiler rejected the source.
    #[error("{} failed", .program.display())]
    Failed {
        /// Path of the program.
        program: PathBuf,
        /// Compiler messages.
        diagnostics: String,
        /// Commands up to the failed one, in shell syntax.
        commands: Vec<String>,
    },
    /// A program could not be started.
    #[error("cannot run {}: {error}", .program.display())]
    Start {
        /// Path of the program.
        program: PathBuf,
        /// Operating system error.
        error: io::Error,
    },
    /// The source cannot be read.
    #[error("{0}")]
    Source(DataError),
    /// A temporary file cannot be read or written; the error names the file.
    #[error("{0}")]
    Temporary(io::Error),
}

impl CompileError {
    /// True if the compiler rejected an option before reading the source.
    pub fn refuses_an_option(&self) -> bool {
        let CompileError::Failed {
            program,
            diagnostics,
            ..
        } = self
        else {
            return false;
        };
        // Clang's driver errors start with its name, source errors with a source location.
        let driver = program.file_name().unwrap_or_default().to_string_lossy();
        const REFUSALS: [&str; 4] = [
            "unknown argument",
            "unsupported option",
            "unsupported argument",
            "invalid value",
        ];
        diagnostics.lines().any(|line| {
            let message = line
                .strip_prefix(&*driver)
                .and_then(|it| it.strip_prefix(": error: "));
            message
                .is_some_and(|message| REFUSALS.iter().any(|refusal| message.starts_with(refusal)))
        })
    }
}
