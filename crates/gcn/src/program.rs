//! Loading of a command's program: a source, which is assembled or compiled, or a code object.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::builder::TypedValueParser;
use gcn_asm::{Options, Source};
use gcn_object::CodeObject;
use gcn_object::error_names::{
    AMBIGUOUS_KERNEL, NOT_A_CODE_OBJECT, UNKNOWN_KERNEL, UNSUPPORTED_FORMAT,
};
use gcn_runtime::compile::{self, CompileError, DEFAULT_TARGET, Language, Request};
use gcn_runtime::data::DataError;
use gcn_runtime::error_names::{COMPILATION_FAILED, NO_MATCHING_CODE};
use gcn_runtime::{Device, Error, Kernel, Module};

use crate::file::{FileBytes, MAX_INPUT_BYTES};
use crate::input::{DialectOption, NamedTarget, TargetParser};
use crate::problem::{NoTarget, Problem};
use crate::render::{RenderedDiagnostics, RenderedSources};
use crate::{UsageError, asm, input, object, render};

/// Target and compiler options shared by all commands that take a program.
#[derive(clap::Args)]
pub struct ProgramOptions {
    /// Target GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1. Sources and code objects may state their own;
    /// sources that are compiled default to gfx906.
    #[arg(long, value_parser = TargetParser.map(|named| named.to_string()), hide_possible_values = true)]
    pub target: Option<String>,
    /// Dialect of assembly to use where LLVM and CLRX conflict; LLVM's by default.
    #[arg(long, value_enum)]
    pub dialect: Option<DialectOption>,
    /// Define a macro for the compiler, or a symbol for the assembler; the value defaults to 1.
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Directory to search for files that the source includes.
    #[arg(short = 'I', long, value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Optimisation level of the compiler; 2 by default.
    #[arg(short = 'O', long, value_name = "LEVEL")]
    pub optimize: Option<String>,
    /// Clang to compile sources with, instead of the newest one.
    #[arg(long, value_name = "PATH")]
    pub clang: Option<PathBuf>,
    /// Option to pass to Clang, such as -X=-ffast-math.
    #[arg(
        short = 'X',
        long = "clang-option",
        value_name = "OPTION",
        allow_hyphen_values = true
    )]
    pub clang_options: Vec<String>,
    /// Show the compiler's commands.
    #[arg(short, long)]
    pub verbose: bool,
}

/// Requested program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProgramRequest {
    /// Source or code object.
    pub file: PathBuf,
    /// Number of the code object in a file that holds several.
    pub entry: Option<usize>,
    pub target: Option<String>,
    pub dialect: Option<DialectOption>,
    /// Options of the compiler or the assembler.
    pub compiler: Compiler,
    /// True to show the compiler's commands.
    pub verbose: bool,
}

impl ProgramRequest {
    /// Applies command-line options, which override the request's settings or add to its lists.
    pub fn override_by(&mut self, options: &ProgramOptions) {
        if options.target.is_some() {
            self.target.clone_from(&options.target);
        }
        self.dialect = options.dialect.or(self.dialect);
        let Compiler {
            define,
            include,
            optimize,
            clang,
            clang_options,
        } = &mut self.compiler;
        if options.optimize.is_some() {
            optimize.clone_from(&options.optimize);
        }
        if options.clang.is_some() {
            clang.clone_from(&options.clang);
        }
        define.extend_from_slice(&options.define);
        include.extend_from_slice(&options.include);
        clang_options.extend_from_slice(&options.clang_options);
        self.verbose |= options.verbose;
    }
}

/// Compiler or assembler options.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Compiler {
    /// Macros of the compiler, or symbols of the assembler: `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// Include directories, also for assembly.
    pub include: Vec<PathBuf>,
    /// Optimisation level, without `-O`.
    pub optimize: Option<String>,
    /// Clang that compiles sources.
    pub clang: Option<PathBuf>,
    /// Options passed to Clang.
    pub clang_options: Vec<String>,
}

impl Compiler {
    /// Name of an option that is set but does not apply to assembly.
    pub fn inapplicable_option(&self) -> Option<&'static str> {
        let options = [
            ("--optimize", self.optimize.is_some()),
            ("--clang", self.clang.is_some()),
            ("--clang-option", !self.clang_options.is_empty()),
        ];
        let mut given = options.into_iter().filter(|(_, given)| *given);
        given.next().map(|(option, _)| option)
    }

    /// All options in Clang's syntax.
    pub fn options(&self) -> Vec<OsString> {
        let joined = |option: &str, value: &OsStr| {
            let mut joined = OsString::from(option);
            joined.push(value);
            joined
        };
        let defines = self
            .define
            .iter()
            .map(|define| joined("-D", define.as_ref()));
        let includes = self
            .include
            .iter()
            .map(|path| joined("-I", path.as_os_str()));
        let level = self
            .optimize
            .iter()
            .map(|level| joined("-O", level.as_ref()));
        let others = self.clang_options.iter().map(OsString::from);
        defines.chain(includes).chain(level).chain(others).collect()
    }
}

/// Requirements for loading a program.
pub struct ProgramTerms<'a> {
    /// Names of required kernels. `None` requires that there is only one kernel.
    pub kernels: &'a [Option<&'a str>],
    /// True if errors are machine-readable, without colours.
    pub json: bool,
    /// Creates the device for a target name.
    pub device: &'a dyn Fn(&str) -> Result<Device>,
}

/// Program loaded on a device.
pub struct LoadedProgram {
    /// Contents of the file.
    pub bytes: FileBytes,
    pub module: Module,
    /// Files that the source includes.
    pub included: Vec<PathBuf>,
}

/// Reads, assembles or compiles a program, and loads it on a device of its target.
///
/// # Errors
/// Fails if the file cannot be read, the source has errors, or the program does not run on the target.
pub fn program(request: &ProgramRequest, terms: &ProgramTerms<'_>) -> Result<LoadedProgram> {
    let name = input::name(&request.file);
    let asked = match &request.target {
        Some(target) => Some(
            input::target(target)
                .map_err(|accepted| UsageError(format!("target {target}: {accepted}")))?,
        ),
        None => None,
    };
    let bytes = FileBytes::open(&request.file)?;
    if object::is_object(&bytes) {
        let device = asked.map(|named| named.to_string());
        let asked = asked.map(|named| named.target);
        let object = object::read(
            &bytes,
            object::ObjectChoice {
                target: asked,
                entry: request.entry,
                kernel: terms.kernels.iter().flatten().next().copied(),
            },
        )
        .with_context(|| name.clone())?;
        for warning in &object.warnings {
            render::warn(&name, warning);
        }
        let target = match (asked, object::target(&object)) {
            (Some(asked), Ok(own)) if !object::runs_as(&object, own, asked) => {
                let message = format!(
                    "{name}: code for {} cannot run as {}",
                    object.processor().unwrap_or(own.name),
                    asked.name
                );
                bail!(Problem::new(NO_MATCHING_CODE, message))
            }
            (Some(asked), Ok(_) | Err(NoTarget::Unknown)) => asked,
            (None, Ok(own)) => own,
            (_, Err(error)) => return Err(error).context(name),
        };
        let module = load(terms, object, device.as_deref().unwrap_or(target.name))?;
        return Ok(LoadedProgram {
            bytes,
            module,
            included: Vec::new(),
        });
    }
    let len = bytes.len() as u64;
    if len > MAX_INPUT_BYTES {
        bail!(DataError::TooLong {
            name,
            len: Some(len),
            most: MAX_INPUT_BYTES,
        });
    }
    if request.entry.is_some() {
        return Err(UsageError(format!("{name} is a source, which has no entries")).into());
    }
    if let Some(language) = Language::of_file(&request.file) {
        if request.dialect.is_some() {
            return Err(UsageError("--dialect applies to assembly only".to_owned()).into());
        }
        let (module, included) = compiled(request, terms, language, asked)?;
        return Ok(LoadedProgram {
            bytes,
            module,
            included,
        });
    }
    let defines = request.compiler.define.iter().map(|text| {
        let wrong = |error| UsageError(format!("--define {text}: {error}"));
        gcn_asm::definition(text).map_err(wrong)
    });
    let defines = defines.collect::<Result<Vec<_>, _>>()?;
    if let Some(option) = request.compiler.inapplicable_option() {
        return Err(UsageError(format!(
            "{option} applies to compiled sources only: .cl, .clcpp, .hip, .ll, .bc"
        ))
        .into());
    }
    if let Some((_, language)) = other_language(&request.file) {
        let message = format!(
            "{name} is {language}, which is not supported: OpenCL C has the extension .cl, C++ for OpenCL .clcpp, HIP .hip"
        );
        bail!(Problem::new(UNSUPPORTED_FORMAT, message));
    }
    let Ok(text) = str::from_utf8(&bytes) else {
        let message = format!("{name} is neither a code object nor text");
        bail!(Problem::new(NOT_A_CODE_OBJECT, message));
    };
    let options = match asked {
        Some(named) => named.options(),
        None => Options::new(gcn_asm::named_target(text).ok_or_else(|| {
            UsageError(format!(
                "{name} names no target: add --target, or .amdgcn_target to the source"
            ))
        })?),
    };
    let files = input::SourceFiles::new(&request.compiler.include, None);
    let assembly = gcn_asm::assemble_with(
        &Source { name: &name, text },
        &Options {
            defines: &defines,
            dialect: request.dialect.map_or(options.dialect, Into::into),
            ..asm::with_lines(options)
        },
        &files,
    );
    let (code, diagnostics) = assembly.to_object(None);
    let sources = RenderedSources {
        name: &name,
        text,
        files: &assembly.files,
    };
    let diagnosed = || RenderedDiagnostics::new(&sources, &diagnostics, terms.json);
    let Some(code) = code else {
        bail!(diagnosed());
    };
    if !diagnostics.is_empty() {
        render::tell(format_args!("{}", diagnosed()));
    }
    let target = assembly.program.target;
    let object = gcn_object::read(code).with_context(|| name.clone())?;
    for warning in &object.warnings {
        render::warn(&name, warning);
    }
    let module = load(terms, object, target.name)?;
    let included = files.included();
    Ok(LoadedProgram {
        bytes,
        module,
        included,
    })
}

/// Loads a code object on a device of the target.
fn load(terms: &ProgramTerms<'_>, object: CodeObject<'static>, target: &str) -> Result<Module> {
    // Checked first: an unknown kernel name is a more helpful error than a failure to load.
    for kernel in terms.kernels {
        symbol(&object, *kernel)?;
    }
    Ok(Module::of_object(&(terms.device)(target)?, object)?)
}

/// Compiles a source with Clang, and returns the module and the included files.
fn compiled(
    request: &ProgramRequest,
    terms: &ProgramTerms<'_>,
    language: Language,
    asked: Option<NamedTarget>,
) -> Result<(Module, Vec<PathBuf>)> {
    let name = input::name(&request.file);
    let target = asked.map_or_else(|| DEFAULT_TARGET.to_owned(), |named| named.to_string());
    let show = |commands: &[String]| {
        for command in commands.iter().filter(|_| request.verbose) {
            render::tell(format_args!("{}\n", render::printable(command)));
        }
    };
    let mut options = request.compiler.options();
    if language != Language::Ir {
        compile::add_line_tables(&mut options);
    }
    let compilation = Request {
        options: &options,
        clang: request.compiler.clang.as_deref(),
        colour: !terms.json && render::has_colours(),
        ..Request::new(compile::CompilerInput::File(&request.file), language)
    };
    let (module, compiled) = match Module::compile(&(terms.device)(&target)?, &compilation) {
        Ok(compiled) => compiled,
        Err(Error::Compile(error)) => match &*error {
            CompileError::Failed {
                program,
                diagnostics,
                commands,
            } => {
                show(commands);
                let failed = format!("{} failed to compile {name}", program.display());
                let failed = Problem::new(COMPILATION_FAILED, failed);
                bail!(RenderedDiagnostics::from_compiler(diagnostics, &failed));
            }
            _ => return Err(Error::Compile(error)).context(format!("cannot compile {name}")),
        },
        Err(error) => return Err(error).context(name),
    };
    show(&compiled.commands);
    if request.verbose && compiled.cached {
        render::tell(format_args!("the code object is from the cache\n"));
    }
    render::tell(format_args!("{}", compiled.diagnostics));
    Ok((module, compiled.dependencies))
}

/// File name extensions of unsupported source languages, with the name of the language.
const OTHER_LANGUAGES: &[(&str, &str)] = &[
    ("c", "C"),
    ("cc", "C++"),
    ("cpp", "C++"),
    ("cu", "CUDA"),
    ("cxx", "C++"),
];

/// Unsupported source language of a file, recognized by the file name extension.
fn other_language(file: &Path) -> Option<&'static (&'static str, &'static str)> {
    let extension = file.extension()?;
    OTHER_LANGUAGES
        .iter()
        .find(|(known, _)| extension == *known)
}

/// Maximum number of kernels listed in an error.
const MAX_LISTED: usize = 8;

/// Symbol of the kernel named `name`, or of the only kernel.
fn symbol<'a>(object: &'a CodeObject, name: Option<&str>) -> Result<&'a str> {
    let names = || {
        let kernels = object.kernels.iter().take(MAX_LISTED);
        let mut names: Vec<String> = kernels
            .map(|kernel| render::kernel_name(&kernel.name))
            .collect();
        if let more @ 1.. = object.kernels.len().saturating_sub(MAX_LISTED) {
            names.push(format!("{more} others, which `gcn info` lists"));
        }
        names.join(", ")
    };
    match (name, &object.kernels[..]) {
        (_, []) => bail!(Problem::new(
            UNKNOWN_KERNEL,
            "the program has no kernel: a source declares one with .amdhsa_kernel"
        )),
        (None, [only]) => Ok(&only.name),
        (None, _) => bail!(Problem::new(
            AMBIGUOUS_KERNEL,
            format!(
                "the program has several kernels: choose one with --kernel: {}",
                names()
            )
        )),
        (Some(name), _) => Ok(&object.find_kernel(name)?.name),
    }
}

/// Returns the kernel named `name`, or the only kernel.
pub fn choose(module: &Module, name: Option<&str>) -> Result<Kernel> {
    Ok(module.kernel(symbol(module.object(), name)?)?)
}
