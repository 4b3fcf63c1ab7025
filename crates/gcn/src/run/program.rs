//! The program of a run: a source that is assembled or compiled, or a code object, and the kernel in it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gcn_asm::{Options, Source};
use gcn_object::CodeObject;
use gcn_object::error_names::{AMBIGUOUS_KERNEL, NOT_A_CODE_OBJECT, UNKNOWN_KERNEL};
use gcn_runtime::compile::{self, CompileError, DEFAULT_TARGET, Language, Request};
use gcn_runtime::error_names::NO_MATCHING_CODE;
use gcn_runtime::settings::MAX_THREADS;
use gcn_runtime::{Device, Error, Kernel, Module};

use super::failure::Diagnosed;
use super::launch::RunRequest;
use crate::file::FileBytes;
use crate::input::Named;
use crate::object::NoTarget;
use crate::problem::Problem;
use crate::render::Sources;
use crate::{Usage, asm, input, object, render};

/// A program in a device.
pub struct Program {
    /// Its code.
    pub module: Module,
    /// The files that the source includes.
    pub included: Vec<PathBuf>,
}

/// Reads the program, or assembles or compiles it, and loads it into a device of its target.
///
/// # Errors
/// The file cannot be read, the source has errors, or the target is none that it runs on.
pub fn program(run: &RunRequest) -> Result<Program> {
    let name = input::name(&run.file);
    let asked = match &run.target {
        Some(target) => Some(
            input::target(target)
                .map_err(|accepted| Usage(format!("target {target}: {accepted}")))?,
        ),
        None => None,
    };
    let bytes = FileBytes::open(&run.file)?;
    if object::is_object(&bytes) {
        let asked = asked.map(|named| named.target);
        let object = object::read(
            &bytes,
            object::Choice {
                target: asked,
                entry: None,
                kernel: run.kernel(),
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
        return load(run, object, target.name, Vec::new());
    }
    if let Some(language) = Language::of_file(&run.file) {
        if run.dialect.is_some() {
            return Err(Usage("--dialect applies to assembly only".to_owned()).into());
        }
        return compiled(run, language, asked);
    }
    let defines = run.compiler.define.iter().map(|text| {
        let wrong = |error| Usage(format!("--define {text}: {error}"));
        asm::definition(text).map_err(wrong)
    });
    let defines = defines.collect::<Result<Vec<_>, _>>()?;
    if let Some(option) = run.compiler.only() {
        return Err(Usage(format!(
            "{option} applies to compiled sources only: .cl, .clcpp, .hip, .ll, .bc"
        ))
        .into());
    }
    if let Some((_, language)) = other_language(&run.file) {
        bail!(
            "{name} is {language}, which is not supported: OpenCL C has the extension .cl, C++ for OpenCL .clcpp, HIP .hip"
        );
    }
    let Ok(text) = str::from_utf8(&bytes) else {
        let message = format!("{name} is neither a code object nor text");
        bail!(Problem::new(NOT_A_CODE_OBJECT, message));
    };
    let options = match asked {
        Some(named) => named.options(),
        None => Options::new(gcn_asm::named_target(text).ok_or_else(|| {
            Usage(format!(
                "{name} names no target: add --target, or .amdgcn_target to the source"
            ))
        })?),
    };
    let files = input::SourceFiles::new(&run.compiler.include, None);
    let assembly = gcn_asm::assemble_with(
        &Source { name: &name, text },
        &Options {
            defines: &defines,
            dialect: run.dialect.map_or(options.dialect, Into::into),
            ..asm::with_lines(options)
        },
        &files,
    );
    let (code, diagnostics) = asm::make(&assembly, asm::Format::Elf, None);
    let sources = Sources {
        name: &name,
        text,
        files: &assembly.files,
    };
    let diagnosed = || Diagnosed::new(&sources, &diagnostics, run.json);
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
    load(run, object, target.name, files.included())
}

/// Loads a code object into a device of the target.
fn load(
    run: &RunRequest,
    object: CodeObject<'static>,
    target: &str,
    included: Vec<PathBuf>,
) -> Result<Program> {
    // A name that no kernel has is the better message of two.
    for launch in &run.launches {
        symbol(&object, launch.kernel.as_deref())?;
    }
    Ok(Program {
        module: Module::of_object(&device(run, target)?, object)?,
        included,
    })
}

/// A device for a run, of the named target.
///
/// # Errors
/// The number of threads is invalid.
fn device(run: &RunRequest, target: &str) -> Result<Device> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = match run.threads {
        // Lines of several threads would come in no order.
        _ if run.trace.is_on() => 1,
        Some(threads) if !(1..=MAX_THREADS).contains(&threads) => {
            bail!("threads: {threads} is not a number from 1 to {MAX_THREADS}")
        }
        Some(threads) => threads,
        None => all().min(MAX_THREADS),
    };
    // Nothing but its kernels changes memory while they run, one after the other.
    Ok(Device::builder(target)?
        .threads(threads)
        .exclusive()
        .vary(&run.variations)
        .build())
}

/// Compiles a source with the system's Clang.
fn compiled(run: &RunRequest, language: Language, asked: Option<Named>) -> Result<Program> {
    let name = input::name(&run.file);
    let target = asked.map_or_else(|| DEFAULT_TARGET.to_owned(), |named| named.to_string());
    let show = |commands: &[String]| {
        for command in commands.iter().filter(|_| run.verbose) {
            render::tell(format_args!("{}\n", render::printable(command)));
        }
    };
    let request = Request {
        options: &run.compiler.options(),
        colour: !run.json && render::has_colours(),
        ..Request::new(compile::CompilerInput::File(&run.file), language)
    };
    let (module, compiled) = match Module::compile(&device(run, &target)?, &request) {
        Ok(compiled) => compiled,
        Err(Error::Compile(error)) => match &*error {
            CompileError::Failed {
                program,
                diagnostics,
                commands,
            } => {
                show(commands);
                let failed = format!("error: {} failed to compile {name}", program.display());
                bail!(Diagnosed::from_compiler(diagnostics, &failed));
            }
            _ => return Err(Error::Compile(error)).context(format!("cannot compile {name}")),
        },
        Err(error) => return Err(error).context(name),
    };
    show(&compiled.commands);
    if run.verbose && compiled.cached {
        render::tell(format_args!("the code object is from the cache\n"));
    }
    render::tell(format_args!("{}", compiled.diagnostics));
    Ok(Program {
        module,
        included: compiled.dependencies,
    })
}

/// Languages of sources that are not read by their extensions alone.
const OTHER_LANGUAGES: &[(&str, &str)] = &[
    ("c", "C"),
    ("cc", "C++"),
    ("cpp", "C++"),
    ("cu", "CUDA"),
    ("cxx", "C++"),
];

/// The language of a source that is neither assembly nor compiled, by its name.
fn other_language(file: &Path) -> Option<&'static (&'static str, &'static str)> {
    let extension = file.extension()?;
    OTHER_LANGUAGES
        .iter()
        .find(|(known, _)| extension == *known)
}

/// Kernels that an error lists at most.
const MAX_LISTED: usize = 8;

/// The symbol of the kernel that a name denotes, or of the only one.
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

/// The kernel that a name denotes, or the only one.
pub fn choose(module: &Module, name: Option<&str>) -> Result<Kernel> {
    Ok(module.kernel(symbol(module.object(), name)?)?)
}
