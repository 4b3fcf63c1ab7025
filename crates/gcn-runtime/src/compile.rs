//! Code objects from source text, by the system's Clang.
//!
//! [`compile`] finds the newest Clang and the device libraries, builds a source for a target, and keeps the result under
//! the user's cache directory: the same source with the same included files, options and compiler is not built again. An
//! included file that is new in an earlier directory than the one found before is not noticed, as with other caches of
//! compilers.
//!
//! Sources: Clang's command line reference; "AMDGPU" in LLVM's "User Guide for AMDGPU Backend"; the device libraries' own
//! guide for the libraries that a program needs.

mod cache;
mod commands;
mod toolchain;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cache::{Cache, Key};
pub use toolchain::Toolchain;

/// The target of a source for which none is named.
pub const DEFAULT_TARGET: &str = "gfx906";

/// The language of a source.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::Language;
/// let languages = ["a.cl", "a.clcpp", "a.hip", "a.ll", "a.bc"].map(|file| Language::of_file(file.as_ref()));
/// assert_eq!(languages[1..3], [Some(Language::OpenClCpp), Some(Language::Hip)]);
/// assert_eq!(languages[3], languages[4]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Language {
    /// OpenCL C; version 2.0 unless an option says another.
    OpenClC,
    /// C++ for OpenCL.
    OpenClCpp,
    /// HIP.
    Hip,
    /// LLVM's intermediate representation, as text or bitcode.
    Ir,
}

impl Language {
    /// The language of a file, by its extension.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::compile::Language;
    /// assert_eq!(Language::of_file("scale.cl".as_ref()), Some(Language::OpenClC));
    /// assert_eq!(Language::of_file("scale.cpp".as_ref()), None, "it may be HIP, or not");
    /// ```
    pub fn of_file(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "cl" => Some(Language::OpenClC),
            "clcpp" => Some(Language::OpenClCpp),
            "hip" => Some(Language::Hip),
            "ll" | "bc" => Some(Language::Ir),
            _ => None,
        }
    }
}

/// A source to compile.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::{CompilerInput, Language, Request};
/// let text = Request::new(CompilerInput::Text("kernel void nothing() {}"), Language::OpenClC);
/// let file = Request::new(CompilerInput::File("nothing.cl".as_ref()), text.language);
/// assert!(text.target.is_none() && file.options.is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub enum CompilerInput<'a> {
    /// A file.
    File(&'a Path),
    /// Text; its includes are searched for from the working directory. With `-g` the code object has the text too.
    Text(&'a str),
    /// Modules of bitcode ([`Product::Bitcode`]), one at least, which are linked; the language is [`Language::Ir`].
    Bitcode(&'a [&'a [u8]]),
}

/// The product of a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[non_exhaustive]
pub enum Product {
    /// A code object.
    #[default]
    Code,
    /// Bitcode, which has been linked with no device library: [`CompilerInput::Bitcode`] makes code of it, together with others.
    ///
    /// # Examples
    /// ```no_run
    /// // It needs a Clang and the device libraries.
    /// use gcn_runtime::compile::{CompilerInput, Language, Product, Request, compile};
    ///
    /// let bitcode = |text| {
    ///     let request = Request::new(CompilerInput::Text(text), Language::OpenClC);
    ///     compile(&Request { product: Product::Bitcode, ..request })
    /// };
    /// let kernel = bitcode("int f(int); kernel void k(global int *x) { *x = f(*x); }")?;
    /// let function = bitcode("int f(int x) { return x + 1; }")?;
    /// let both = [&*kernel.code, &function.code];
    /// let linked = compile(&Request::new(CompilerInput::Bitcode(&both), Language::Ir))?;
    /// assert_eq!(gcn_object::read(&linked.code)?.kernels.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Bitcode,
}

/// A request to compile a source.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::{CompilerInput, Language, Product, Request};
/// let options = ["-O3".into(), "-DN=4".into()];
/// let request = Request {
///     target: Some("gfx906:xnack-"),
///     options: &options,
///     product: Product::Bitcode,
///     ..Request::new(CompilerInput::Text("kernel void nothing() {}"), Language::OpenClC)
/// };
/// assert!(!request.colour && request.options.len() == 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The source.
    pub source: CompilerInput<'a>,
    /// Language.
    pub language: Language,
    /// The target's name in LLVM, with features if they matter: `gfx900`, `gfx906:xnack-`; without, [`DEFAULT_TARGET`].
    pub target: Option<&'a str>,
    /// Further options of Clang, such as `-O3`, `-DN=4`, `-Iinclude`. Without a level of optimisation, `-O2`.
    pub options: &'a [OsString],
    /// Diagnostics have colours.
    pub colour: bool,
    /// The product.
    pub product: Product,
}

impl<'a> Request<'a> {
    /// A request without options, for no target in particular.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::compile::{CompilerInput, Language, Product, Request};
    /// let request = Request::new(CompilerInput::File("scale.hip".as_ref()), Language::Hip);
    /// assert_eq!((request.target, request.product), (None, Product::Code));
    /// ```
    pub fn new(source: CompilerInput<'a>, language: Language) -> Request<'a> {
        Request {
            source,
            language,
            target: None,
            options: &[],
            colour: false,
            product: Product::Code,
        }
    }

    /// The target that it is for.
    fn target(&self) -> &'a str {
        self.target.unwrap_or(DEFAULT_TARGET)
    }
}

/// A compiled source.
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
    /// The code object, or bitcode.
    pub code: Vec<u8>,
    /// Warnings, as Clang prints them.
    pub diagnostics: String,
    /// The commands that made it, now or earlier, as a shell takes them.
    pub commands: Vec<String>,
    /// True if it was made earlier.
    pub cached: bool,
    /// The files that the source includes, at all depths, those of Clang for its language among them. Clang lists none for
    /// [`Language::Ir`].
    pub dependencies: Vec<PathBuf>,
}

/// The reason why a source was not compiled.
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
    /// No Clang.
    #[error(
        "Clang was not found: install Debian's packages clang-19, lld-19 and rocm-device-libs, or set GCN_CLANG to a Clang"
    )]
    NoCompiler,
    /// The Clang that a variable names does not exist.
    #[error("{variable} is set to {}, which is not a program", .path.display())]
    NoSuchCompiler {
        /// The variable.
        variable: &'static str,
        /// Value.
        path: PathBuf,
    },
    /// No device libraries.
    #[error(
        "the device libraries (ockl.bc and others) were not found: install Debian's package rocm-device-libs, or set HIP_DEVICE_LIB_PATH to their directory"
    )]
    NoLibraries,
    /// No library for the target.
    #[error("the device libraries in {} do not support {target}", .directory.display())]
    NoLibraryForTarget {
        /// The directory.
        directory: PathBuf,
        /// The target.
        target: String,
    },
    /// No linker.
    #[error("{} found no linker: install Debian's package {package}", .compiler.display())]
    NoLinker {
        /// The compiler.
        compiler: PathBuf,
        /// The package that has the linker.
        package: String,
    },
    /// The compiler refuses the source.
    #[error("{} failed", .program.display())]
    Failed {
        /// The program.
        program: PathBuf,
        /// Messages, with their places in the source.
        diagnostics: String,
        /// The commands up to the one that failed, as a shell takes them.
        commands: Vec<String>,
    },
    /// A program cannot be started.
    #[error("cannot run {}: {error}", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// Compiles a source with the system's newest Clang, or takes the result from the user's cache.
///
/// # Errors
/// No compiler or library is installed, or the compiler refuses the source.
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
    compile_with(&Toolchain::find()?, cache::directory().as_deref(), request)
}

/// Compiles a source with a Clang, with a directory for results that is shared with other processes; without one, nothing is
/// kept.
///
/// # Errors
/// A library is missing, or the compiler refuses the source.
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
            std::fs::read(path).map_err(|error| file_error(path, error))?
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
    let key = Key::new(&plan.identity(toolchain), &text);
    if let Some(cache) = &cache
        && let Some(entry) = cache.read(&key)
    {
        return Ok(Compiled {
            code: entry.code,
            diagnostics: entry.diagnostics,
            commands: plan.shown(OsStr::new("kernel.bc"), OsStr::new("kernel.co")),
            cached: true,
            dependencies: entry.dependencies,
        });
    }
    let place = tempfile::Builder::new().prefix("gcn-").tempdir();
    let place = place.map_err(|error| file_error(&std::env::temp_dir(), error))?;
    let (bitcode, code) = (
        place.path().join("kernel.bc"),
        place.path().join("kernel.co"),
    );
    let dependencies = place.path().join("dependencies");
    let shown = plan.shown(OsStr::new("kernel.bc"), OsStr::new("kernel.co"));
    // Modules have names in the directory that the compiler runs in.
    let mut directory = None;
    if let CompilerInput::Bitcode(modules) = request.source {
        for (number, module) in modules.iter().enumerate() {
            let file = place.path().join(commands::module_name(number));
            std::fs::write(&file, module).map_err(|error| file_error(&file, error))?;
        }
        directory = Some(place.path());
    }
    let mut diagnostics = String::new();
    let steps = plan.steps(&bitcode, &code, &dependencies);
    for (number, (program, arguments)) in steps.iter().enumerate() {
        let input = match request.source {
            CompilerInput::Text(_) if number == 0 => Some(&text[..]),
            _ => None,
        };
        let succeeded = run(program, arguments, input, directory, &mut diagnostics)?;
        if !succeeded {
            return Err(CompileError::Failed {
                program: program.clone(),
                diagnostics: hinted(diagnostics),
                commands: shown.into_iter().take(number + 1).collect(),
            });
        }
    }
    let bytes = std::fs::read(&code).map_err(|error| file_error(&code, error))?;
    let dependencies = std::fs::read_to_string(&dependencies).unwrap_or_default();
    let entry = cache::CachedResult {
        code: bytes,
        diagnostics,
        dependencies: cache::dependencies(&dependencies, request.source),
    };
    if let Some(cache) = &cache {
        // What cannot be kept is made again.
        let _ = cache.write(&key, &entry);
    }
    Ok(Compiled {
        code: entry.code,
        diagnostics: entry.diagnostics,
        commands: shown,
        cached: false,
        dependencies: entry.dependencies,
    })
}

/// A text of a program with a name in front that no other text has, for messages and for debug information.
fn named(text: Vec<u8>) -> Vec<u8> {
    let name = cache::short_hash(&text);
    let mut named = format!("#line 1 \"<program {name}>\"\n").into_bytes();
    named.extend(text);
    named
}

/// The bytes of modules, each behind its length.
fn joined(modules: &[&[u8]]) -> Vec<u8> {
    let parts = modules.iter().flat_map(|module| {
        let length = (module.len() as u64).to_le_bytes();
        length.into_iter().chain(module.iter().copied())
    });
    parts.collect()
}

fn file_error(path: &Path, error: io::Error) -> CompileError {
    CompileError::File {
        path: path.to_owned(),
        error,
    }
}

/// Runs a program to its end and collects its messages; whether it succeeded.
fn run(
    program: &Path,
    arguments: &[OsString],
    input: Option<&[u8]>,
    directory: Option<&Path>,
    messages: &mut String,
) -> Result<bool, CompileError> {
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
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    let output = std::thread::scope(|scope| {
        if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
            // A compiler that fails early does not read all of it, and says why.
            let write = move || drop(pipe.write_all(input));
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, write) {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
        }
        child.wait_with_output()
    })
    .map_err(start)?;
    messages.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(output.status.success())
}

/// Messages with the remedy for those that have one.
fn hinted(mut messages: String) -> String {
    if messages.contains("'hip/hip_runtime.h' file not found") {
        messages.push_str("help: HIP's headers are in Debian's package libamdhip64-dev\n");
    }
    messages
}
