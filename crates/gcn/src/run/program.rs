//! The program of a run: a source that is assembled in memory, or a code object, and the kernel in it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use gcn_asm::{Options, Source};
use gcn_isa::Target;
use gcn_object::{CodeObject, Kernel};

use super::failure::Diagnosed;
use super::launch::Launch;
use crate::file::FileBytes;
use crate::object::NoTarget;
use crate::render::Sources;
use crate::{Usage, asm, input, object, render};

/// Reads the program, or assembles it.
///
/// # Errors
/// The file cannot be read, the source has errors, or the target is none that it runs on.
pub fn program(launch: &Launch) -> Result<(CodeObject<'static>, &'static Target)> {
    let name = input::name(&launch.file);
    let asked = match &launch.target {
        Some(target) => Some(
            input::target(target)
                .map_err(|accepted| Usage(format!("target {target}: {accepted}")))?,
        ),
        None => None,
    };
    let bytes = FileBytes::open(&launch.file)?;
    if object::is_object(&bytes) {
        let asked = asked.map(|named| named.target);
        let object = object::read(
            &bytes,
            object::Choice {
                target: asked,
                entry: None,
                kernel: launch.kernel.as_deref(),
            },
        )
        .with_context(|| name.clone())?;
        for warning in &object.warnings {
            render::warn(&name, warning);
        }
        let target = match (asked, object::target(&object)) {
            (Some(asked), Ok(own)) if !object::runs_as(&object, own, asked) => {
                bail!(
                    "{name}: code for {}, which is not run as {}",
                    object.processor().unwrap_or(own.name),
                    asked.name
                )
            }
            (Some(asked), Ok(_) | Err(NoTarget::Unknown)) => asked,
            (None, Ok(own)) => own,
            (_, Err(error)) => return Err(error).context(name),
        };
        return Ok((object, target));
    }
    if let Some(&(_, language, options)) = compiled_language(&launch.file) {
        bail!(
            "{name} is {language}, not assembly: run what a compiler makes of it, as by `clang{options} -O2 {name} -o kernel.co`"
        );
    }
    let Ok(text) = str::from_utf8(&bytes) else {
        bail!("{name} is neither a code object nor text");
    };
    let options = match asked {
        Some(named) => named.options(),
        None => Options::new(gcn_asm::named_target(text).ok_or_else(|| {
            Usage(format!(
                "{name} names no target: add --target, or .amdgcn_target to the source"
            ))
        })?),
    };
    let assembly = gcn_asm::assemble_with(
        &Source { name: &name, text },
        &options,
        &input::SourceFiles {
            directories: &[],
            text: None,
        },
    );
    let (code, diagnostics) = asm::make(&assembly, asm::Format::Elf, None);
    let sources = Sources {
        name: &name,
        text,
        files: &assembly.files,
    };
    let diagnosed = || Diagnosed::new(&sources, &diagnostics, launch.json);
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
    Ok((object, target))
}

/// Languages that compilers make code objects of: extension, name, and how Clang is called.
const COMPILED: &[(&str, &str, &str)] = &[
    ("cl", "OpenCL C", OPENCL),
    ("clcpp", "C++ for OpenCL", OPENCL),
    ("hip", "HIP", HIP),
    ("cu", "CUDA or HIP", HIP),
    ("cpp", "C++", HIP),
    ("ll", "LLVM IR", IR),
    ("bc", "LLVM bitcode", IR),
];
const IR: &str = " -target amdgcn-amd-amdhsa -mcpu=gfx906";
const OPENCL: &str = " -x cl -target amdgcn-amd-amdhsa -mcpu=gfx906";
const HIP: &str = "++ -x hip --cuda-device-only --offload-arch=gfx906";

/// The language of a source that is not assembly, by its name.
fn compiled_language(file: &Path) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let extension = file.extension()?;
    COMPILED.iter().find(|(known, ..)| extension == *known)
}

/// Kernels that an error lists at most.
const MAX_LISTED: usize = 8;

/// The kernel that a name denotes, or the only one.
pub fn choose<'a>(object: &'a CodeObject, name: Option<&str>) -> Result<&'a Kernel> {
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
        (_, []) => bail!("there is no kernel: a source declares one with .amdhsa_kernel"),
        (None, [only]) => Ok(only),
        (None, _) => bail!("which kernel? add --kernel with one of {}", names()),
        (Some(name), _) => Ok(object.find_kernel(name)?),
    }
}
