//! Program builds: compiles sources, and links bitcode into code that a device can load.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path};
use std::sync::Arc;

use gcn_report::program::say::say_once;
use gcn_runtime::compile::{
    CompileError, Compiled, CompilerInput, Language, Product, Request, compile,
};
use gcn_runtime::{Error, Module, ScratchDirectory};

use crate::abi::*;
use crate::device::Device;
use crate::options::{self, Linking};
use crate::status::{Outcome, Status};

/// Result of building a program for a device.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// Build status (`CL_BUILD_…`).
    pub(crate) status: i32,
    pub(crate) options: String,
    pub(crate) log: String,
    /// Binary type (`CL_PROGRAM_BINARY_TYPE_…`).
    pub(crate) kind: u32,
    /// Code object, or bitcode if the program has been compiled but not linked.
    pub(crate) binary: Arc<[u8]>,
    pub(crate) module: Option<Module>,
}

impl Default for Build {
    fn default() -> Build {
        Build {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            kind: CL_PROGRAM_BINARY_TYPE_NONE,
            binary: Arc::new([]),
            module: None,
        }
    }
}

impl Build {
    fn failed(options: &str, log: String) -> Build {
        Build {
            status: CL_BUILD_ERROR,
            options: options.to_owned(),
            log,
            ..Build::default()
        }
    }
}

/// Magic bytes of bitcode, the format of programs that have been compiled but not linked.
const BITCODE: &[u8] = b"BC\xc0\xde";
/// Magic bytes that precede the bitcode of a library.
const LIBRARY: &[u8] = b"gcn library 1\n\0\0";

/// Loads a code object on a device.
fn load(device: &Device, binary: &[u8]) -> Result<Module, Error> {
    Module::load(&device.emulated, binary)
}

/// Returns the total size of a module's global variables in bytes.
pub(crate) fn global_variables(module: &Module) -> usize {
    let sections = module.object().sections.iter();
    let of_variables = sections.filter(|it| it.name == ".data" || it.name == ".bss");
    of_variables.map(|it| it.size as usize).sum()
}

/// Directory that contains the headers a source includes.
pub(crate) struct HeaderDirectory(ScratchDirectory);

impl HeaderDirectory {
    /// Writes headers to files under the names by which sources include them. The first of several headers with the
    /// same name is used.
    ///
    /// # Errors
    /// Fails if a name escapes the directory, or a file cannot be written.
    pub(crate) fn new(headers: &[(&str, &str)]) -> Outcome<HeaderDirectory> {
        let failed = |error: std::io::Error| {
            say_once(&format!(
                "sources that others include cannot be written: {error}"
            ));
            Status::OUT_OF_RESOURCES
        };
        let directory = ScratchDirectory::new().map_err(failed)?;
        for (name, text) in headers.iter().rev() {
            let below = Path::new(name);
            let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
            if name.is_empty() || !below.components().all(is_below) {
                return Err(Status::INVALID_VALUE);
            }
            let file = directory.path().join(below);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent).map_err(failed)?;
            }
            fs::write(&file, text).map_err(failed)?;
        }
        Ok(HeaderDirectory(directory))
    }
}

/// Returns the type of a binary (`CL_PROGRAM_BINARY_TYPE_…`), determined from its magic bytes.
pub(crate) fn kind_of(binary: &[u8]) -> u32 {
    let library = binary.strip_prefix(LIBRARY);
    if !library.unwrap_or(binary).starts_with(BITCODE) {
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    } else if library.is_some() {
        CL_PROGRAM_BINARY_TYPE_LIBRARY
    } else {
        CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    }
}

/// Links bitcode for a device.
pub(crate) fn link_parts(
    device: &Device,
    parts: &[Arc<[u8]>],
    option_text: &str,
    linking: &Linking,
) -> (Build, Outcome) {
    let bare = |part: &Arc<[u8]>| {
        part.strip_prefix(LIBRARY)
            .map_or(part.to_vec(), <[u8]>::to_vec)
    };
    let modules: Vec<Vec<u8>> = parts.iter().map(bare).collect();
    let modules: Vec<&[u8]> = modules.iter().map(Vec::as_slice).collect();
    let target = device.target();
    let request = Request {
        target: Some(&target),
        options: &linking.options,
        product: if linking.is_library {
            Product::Bitcode
        } else {
            Product::Code
        },
        ..Request::new(CompilerInput::Bitcode(&modules), Language::Ir)
    };
    match compile(&request) {
        Ok(compiled) if linking.is_library => {
            let build = Build {
                status: CL_BUILD_SUCCESS,
                options: option_text.to_owned(),
                log: compiled.diagnostics,
                kind: CL_PROGRAM_BINARY_TYPE_LIBRARY,
                binary: [LIBRARY, &compiled.code].concat().into(),
                module: None,
            };
            (build, Ok(()))
        }
        Ok(compiled) => executable(device, compiled, option_text, Status::LINK_PROGRAM_FAILURE),
        Err(error) => {
            let status = match status_of(&error) {
                Status::COMPILER_NOT_AVAILABLE => Status::LINKER_NOT_AVAILABLE,
                Status::INVALID_BUILD_OPTIONS => Status::INVALID_LINKER_OPTIONS,
                _ => Status::LINK_PROGRAM_FAILURE,
            };
            (Build::failed(option_text, log_of(error)), Err(status))
        }
    }
}

/// Creates a build from compiled code. Returns the status `failure` if the code object cannot be loaded.
fn executable(
    device: &Device,
    compiled: Compiled,
    option_text: &str,
    failure: Status,
) -> (Build, Outcome) {
    match load(device, &compiled.code) {
        Ok(module) => {
            let build = Build {
                status: CL_BUILD_SUCCESS,
                options: option_text.to_owned(),
                log: compiled.diagnostics,
                kind: CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                binary: compiled.code.into(),
                module: Some(module),
            };
            (build, Ok(()))
        }
        Err(error) => {
            let log = format!("{}error: {error}\n", compiled.diagnostics);
            (Build::failed(option_text, log), Err(failure))
        }
    }
}

/// Compiles and links a source. With `headers`, only compiles it.
pub(crate) fn build_source(
    device: &Device,
    source: &str,
    option_text: &str,
    headers: Option<&HeaderDirectory>,
) -> (Build, Outcome) {
    let mut options = match options::compiling(option_text, device) {
        Ok(options) => options,
        Err(word) => {
            let log = format!("error: `{word}` is not a build option\n");
            return (
                Build::failed(option_text, log),
                Err(Status::INVALID_BUILD_OPTIONS),
            );
        }
    };
    if let Some(HeaderDirectory(directory)) = headers {
        let mut option = OsString::from("-I");
        option.push(directory.path());
        options.insert(0, option);
    }
    let target = device.target();
    let request = Request {
        target: Some(&target),
        options: &options,
        product: headers.map_or(Product::Code, |_| Product::Bitcode),
        ..Request::new(CompilerInput::Text(source), Language::OpenClC)
    };
    let compiled = match compile(&request) {
        Ok(compiled) => compiled,
        Err(error) => {
            let status = status_of(&error);
            return (Build::failed(option_text, log_of(error)), Err(status));
        }
    };
    if headers.is_some() {
        let build = Build {
            status: CL_BUILD_SUCCESS,
            options: option_text.to_owned(),
            log: compiled.diagnostics,
            kind: CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            binary: compiled.code.into(),
            module: None,
        };
        return (build, Ok(()));
    }
    executable(device, compiled, option_text, Status::BUILD_PROGRAM_FAILURE)
}

/// Returns the status for a compile error.
fn status_of(error: &CompileError) -> Status {
    match error {
        CompileError::NoCompiler
        | CompileError::NoSuchCompiler { .. }
        | CompileError::NotAProgram { .. }
        | CompileError::NoLibraries
        | CompileError::NoLibraryForTarget { .. }
        | CompileError::NoLinker { .. }
        | CompileError::Start { .. } => Status::COMPILER_NOT_AVAILABLE,
        error if error.refuses_an_option() => Status::INVALID_BUILD_OPTIONS,
        _ => Status::BUILD_PROGRAM_FAILURE,
    }
}

/// Returns the build log for a compile error.
fn log_of(error: CompileError) -> String {
    match error {
        CompileError::Failed { diagnostics, .. } => diagnostics,
        other => format!("error: {other}\n"),
    }
}

/// Program binary that a device accepts.
pub(crate) struct Binary {
    pub(crate) bytes: Arc<[u8]>,
    /// Loaded module; `None` if the binary must be linked first.
    pub(crate) module: Option<Module>,
}

impl Binary {
    /// Loads a binary for a device.
    ///
    /// # Errors
    /// Fails if the binary is not valid for the device.
    pub(crate) fn new(device: &Device, bytes: &[u8]) -> Outcome<Binary> {
        let module = if kind_of(bytes) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE {
            Some(load(device, bytes).map_err(|_| Status::INVALID_BINARY)?)
        } else {
            None
        };
        Ok(Binary {
            bytes: bytes.into(),
            module,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_told_apart_by_their_first_bytes() {
        let library = [LIBRARY, BITCODE].concat();
        for (binary, kind) in [
            (BITCODE, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT),
            (library.as_slice(), CL_PROGRAM_BINARY_TYPE_LIBRARY),
            // A library without bitcode is not a valid binary: loading it as code fails.
            (LIBRARY, CL_PROGRAM_BINARY_TYPE_EXECUTABLE),
            (b"\x7fELF".as_slice(), CL_PROGRAM_BINARY_TYPE_EXECUTABLE),
        ] {
            assert_eq!(kind_of(binary), kind, "{binary:x?}");
        }
    }
}
