//! Compiles source text to code objects with the system's Clang.
//!
//! [`compile`] finds the newest Clang and the device libraries, builds a source for a target, and caches the result in
//! the user's cache directory, keyed by source, included files, options and compiler. Each call runs the preprocessor,
//! except on LLVM IR, to detect changes of any input.
//!
//! Sources: Clang's command line reference; "AMDGPU" in LLVM's "User Guide for AMDGPU Backend"; the device libraries'
//! guide for the libraries to link.

mod error;
mod request;
mod toolchain;
mod commands;
mod cache;
mod process;
mod inputs;

use std::io;
use std::path::{Path, PathBuf};

use cache::Cache;
pub use error::CompileError;
pub use request::{CompilerInput, DEFAULT_TARGET, Language, Product, Request, add_line_tables};
pub use toolchain::Toolchain;

use crate::data::Data;
use crate::temporary::ScratchDirectory;

/// Maximum source size in bytes; Clang represents source locations in 31 bits.
const MAX_SOURCE_BYTES: u64 = 1 << 30;

/// Result of a compilation.
///
/// # Examples
/// ```no_run
/// // It needs a Clang and the device libraries.
/// use gcn_runtime::compile::{CompilerInput, Language, Request, compile};
/// let text = "#warning unused\nkernel void nothing() {}";
/// let request = Request::new(CompilerInput::Text(text), Language::OpenClC);
/// let (first, second) = (compile(&request)?, compile(&request)?);
/// assert!(first.diagnostics.contains("warning: unused"));
/// assert!(second.cached && second.code == first.code && second.diagnostics == first.diagnostics);
/// # Ok::<(), gcn_runtime::compile::CompileError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// Code object or bitcode.
    pub code: Vec<u8>,
    /// Clang's warnings.
    pub diagnostics: String,
    /// Commands that built the result, in shell syntax. A cached result has the commands of its original build.
    pub commands: Vec<String>,
    /// True if the result came from the cache.
    pub cached: bool,
    /// Files included directly or indirectly, among them Clang's own headers. Empty for [`Language::Ir`].
    pub dependencies: Vec<PathBuf>,
}

/// Compiles a source with the request's Clang or the system's newest one, or returns the cached result.
///
/// # Errors
/// Fails if a compiler or library is missing, a file cannot be read or written, or the compiler rejects the source.
///
/// # Examples
/// ```no_run
/// // It needs a Clang and the device libraries.
/// use gcn_runtime::compile::{CompilerInput, Language, Request, compile};
///
/// let text = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }";
/// let compiled = compile(&Request {
///     target: Some("gfx900"),
///     options: &["-O3".into()],
///     ..Request::new(CompilerInput::Text(text), Language::OpenClC)
/// })?;
/// let object = gcn_object::read(&compiled.code)?;
/// assert_eq!(object.kernels[0].name, "twice");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compile(request: &Request<'_>) -> Result<Compiled, CompileError> {
    let toolchain = match request.clang {
        Some(clang) => Toolchain::of(clang)?,
        None => Toolchain::find()?,
    };
    compile_with(&toolchain, cache::directory().as_deref(), request)
}

/// Compiles a source with the given Clang. Caches results in `directory`, if given, which several processes may share.
///
/// # Errors
/// Fails if a library is missing, a file cannot be read or written, or the compiler rejects the source.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::{CompileError, CompilerInput, Language, Request, Toolchain, compile_with};
/// let nowhere = Toolchain { clang: "/no/clang-19".into(), version: Some(19), libraries: "/no".into() };
/// let request = Request::new(CompilerInput::Text("kernel void nothing() {}"), Language::OpenClC);
/// let compiled = compile_with(&nowhere, None, &request);
/// assert!(matches!(compiled, Err(CompileError::NoLibraryForTarget { target, .. }) if target == "gfx906"));
/// ```
pub fn compile_with(
    toolchain: &Toolchain,
    directory: Option<&Path>,
    request: &Request<'_>,
) -> Result<Compiled, CompileError> {
    let text = match request.source {
        CompilerInput::File(path) => {
            let source = Data::open(path, MAX_SOURCE_BYTES);
            let source = source.and_then(|source| source.into_bytes(MAX_SOURCE_BYTES));
            source.map_err(CompileError::Source)?
        }
        CompilerInput::Text(text) => text.as_bytes().to_vec(),
        CompilerInput::Bitcode(modules) => joined(modules),
    };
    let text = if commands::embeds_source(request) {
        named(text)
    } else {
        text
    };
    let plan = commands::CompilerCommands::new(toolchain, request, &text)?;
    let cache = directory.map(|directory| Cache::new(directory.to_owned()));
    let key = || inputs::key(&plan, toolchain, request, &text);
    let cache = cache.and_then(|cache| Some((cache, key()?)));
    if let Some(entry) = cache.as_ref().and_then(|(cache, key)| cache.read(key)) {
        return Ok(Compiled {
            code: entry.code,
            diagnostics: entry.diagnostics,
            commands: entry.commands,
            cached: true,
            dependencies: entry.dependencies,
        });
    }
    let place = ScratchDirectory::new().map_err(CompileError::Temporary)?;
    let (bitcode, code) = (
        place.path().join("kernel.bc"),
        place.path().join("kernel.co"),
    );
    let dependencies = place.path().join("dependencies");
    // Clang reads modules from files in its working directory.
    let mut directory = None;
    if let CompilerInput::Bitcode(modules) = request.source {
        for (number, module) in modules.iter().enumerate() {
            let file = place.path().join(commands::module_name(number));
            std::fs::write(&file, module).map_err(|error| temporary_error(&file, &error))?;
        }
        directory = Some(place.path());
    }
    let mut diagnostics = String::new();
    let mut commands: Vec<String> = Vec::new();
    let product = match request.product {
        Product::Code => &bitcode,
        Product::Bitcode => &code,
    };
    for step in plan.steps(&bitcode, &code, &dependencies) {
        if step.lowers_printf {
            let bitcode =
                std::fs::read(product).map_err(|error| temporary_error(product, &error))?;
            if !commands::calls_printf(&bitcode) {
                continue;
            }
        }
        let input = match request.source {
            CompilerInput::Text(_) if commands.is_empty() => Some(&text[..]),
            _ => None,
        };
        commands.push(step.shown);
        let output = process::run(&toolchain.clang, &step.arguments, input, directory)?;
        diagnostics.push_str(&String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return Err(CompileError::Failed {
                program: toolchain.clang.clone(),
                diagnostics: hinted(diagnostics, request.language),
                commands,
            });
        }
    }
    let bytes = std::fs::read(&code).map_err(|error| temporary_error(&code, &error))?;
    let dependencies = std::fs::read_to_string(&dependencies).unwrap_or_default();
    let entry = cache::CachedResult {
        code: bytes,
        commands,
        diagnostics,
        dependencies: cache::dependencies(&dependencies, request.source),
    };
    // Cache the result only if the inputs did not change while Clang was reading them.
    if let Some((cache, before)) = cache
        && key() == Some(before)
    {
        // If the result cannot be cached, the next call compiles it again.
        let _ = cache.write(&before, &entry);
    }
    Ok(Compiled {
        code: entry.code,
        diagnostics: entry.diagnostics,
        commands: entry.commands,
        cached: false,
        dependencies: entry.dependencies,
    })
}

/// U+FEFF (byte order mark) in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Prepends a `#line` directive with a unique file name to source text, for messages and debug information.
fn named(text: Vec<u8>) -> Vec<u8> {
    let name = cache::short_hash(&text);
    let mut named = format!("#line 1 \"<program {name}>\"\n").into_bytes();
    // Clang skips a byte order mark only at the start.
    named.extend(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text));
    named
}

/// Concatenates modules, each prefixed by its length.
fn joined(modules: &[&[u8]]) -> Vec<u8> {
    let parts = modules.iter().flat_map(|module| {
        let length = (module.len() as u64).to_le_bytes();
        length.into_iter().chain(module.iter().copied())
    });
    parts.collect()
}

fn temporary_error(path: &Path, error: &io::Error) -> CompileError {
    let message = format!("{}: {error}", path.display());
    CompileError::Temporary(io::Error::new(error.kind(), message))
}

/// Adds suggested fixes to known compiler messages.
fn hinted(mut messages: String, language: Language) -> String {
    if messages.contains("'hip/hip_runtime.h' file not found") {
        messages.push_str("help: HIP's headers are in Debian's package libamdhip64-dev\n");
    }
    if language == Language::OpenClC && messages.contains("undefined hidden symbol") {
        messages.push_str(
            "help: a function without a body: by the rules of C99, the body of an `inline` function does not count for a call \
             that is not inlined; write `static inline`, or compile with -fgnu89-inline\n",
        );
    }
    messages
}
