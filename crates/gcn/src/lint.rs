//! `gcn lint`: missing waits and wait states of code, found by reading it.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use clap::builder::TypedValueParser;
use gcn_asm::{Options, Source};
use gcn_isa::Target;
use gcn_object::{CodeObject, SymbolKind, SymbolSection};
use gcn_observe::finding::Findings;
use gcn_observe::lint::{self, CodeRegion, LintCode};
use gcn_runtime::report::{CodeMap, FindingReport};
use gcn_runtime::{Device, Module};

use crate::file::FileBytes;
use crate::render::Sources;
use crate::{Status, Usage, asm, input, object, render};

/// For `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn lint kernel.s
  gcn lint --kernel saxpy kernel.co
  gcn lint --format json --target gfx906 librocsparse.so --entry 3";

/// The arguments of `gcn lint`.
#[derive(clap::Args)]
pub struct Args {
    /// Source (assembly), code object, or file that contains code objects; `-` reads standard input.
    input: PathBuf,
    /// Target GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1. A code object states its own.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.target), hide_possible_values = true)]
    target: Option<&'static Target>,
    /// Number of the code object in a file that holds several, counted from 1 as `gcn info` lists them.
    #[arg(long, value_name = "NUMBER")]
    entry: Option<usize>,
    /// Read only this kernel and the functions that it calls, by a name that `gcn run --kernel` accepts.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Format of the findings.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// Carries the command out.
///
/// # Errors
/// The input cannot be read, is no code object, or its target is not known.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let name = input::name(&args.input);
    let bytes = FileBytes::open(&args.input)?;
    let (object, target) = if object::is_object(&bytes) {
        let choice = object::Choice {
            target: args.target,
            entry: args.entry,
            kernel: args.kernel.as_deref(),
        };
        let object = object::read(&bytes, choice).with_context(|| name.clone())?;
        let own = object::target(&object);
        let target = match args.target {
            Some(asked) => asked,
            None => own.with_context(|| name.clone())?,
        };
        (object, target)
    } else {
        let Some(assembled) = assembled(args, &name, &bytes)? else {
            return Ok(Status::BadInput);
        };
        assembled
    };
    for warning in &object.warnings {
        render::warn(&name, warning);
    }
    if let Some(kernel) = &args.kernel {
        object.find_kernel(kernel).with_context(|| name.clone())?;
    }
    // Loaded, its addresses have symbols and lines of source for the reports.
    let device = Device::builder(target.name)?.threads(1).build();
    let module = Module::of_object(&device, object).with_context(|| name.clone())?;
    let code = code_of(&module, target, args.kernel.as_deref())?;
    if code.entries.is_empty() {
        bail!("{name} has no kernel and no function");
    }
    let findings = Findings::default();
    lint::lint(&code, &findings);
    let (found, lost) = findings.all();
    let map = CodeMap::new(&module);
    let reports: Vec<FindingReport> = found
        .iter()
        .map(|it| FindingReport::new(it, &map))
        .collect();
    match args.format {
        Format::Json => render::json(&reports, out)?,
        Format::Text => {
            for report in &reports {
                writeln!(out, "{report}\n")?;
            }
            if lost > 0 {
                writeln!(out, "{lost} findings more")?;
            }
        }
    }
    bytes.check()?;
    Ok(if reports.is_empty() {
        Status::Success
    } else {
        Status::Difference
    })
}

/// Assembles a source; `None` if it has errors, which have been reported.
fn assembled(
    args: &Args,
    name: &str,
    bytes: &[u8],
) -> Result<Option<(CodeObject<'static>, &'static Target)>> {
    if args.entry.is_some() {
        return Err(Usage(format!("{name} is a source, which has no entries")).into());
    }
    let Ok(text) = str::from_utf8(bytes) else {
        bail!("{name} is neither a code object nor text");
    };
    let Some(target) = args.target.or_else(|| gcn_asm::named_target(text)) else {
        let message =
            format!("{name} names no target: add --target, or .amdgcn_target to the source");
        return Err(Usage(message).into());
    };
    let files = input::SourceFiles::new(&[], None);
    let source = Source { name, text };
    let assembly = gcn_asm::assemble_with(&source, &asm::with_lines(Options::new(target)), &files);
    let (code, diagnostics) = asm::make(&assembly, asm::Format::Elf, None);
    let sources = Sources {
        name,
        text,
        files: &assembly.files,
    };
    if !diagnostics.is_empty() {
        let text = render::diagnostics(
            &render::renderer(),
            &sources,
            &diagnostics,
            render::Limits::default(),
        );
        render::tell(format_args!("{text}"));
    }
    let target = assembly.program.target;
    code.map(|code| {
        Ok((
            gcn_object::read(code).with_context(|| name.to_owned())?,
            target,
        ))
    })
    .transpose()
}

/// The code of a module, and where kernels and functions begin in it; of one kernel, if that is asked for.
fn code_of<'a>(module: &'a Module, target: &Target, kernel: Option<&str>) -> Result<LintCode<'a>> {
    let object = module.object();
    let moved = |address| module.loaded().moved(address);
    let sections = object.sections.iter();
    let sections = sections.filter(|section| section.is_code() && !section.file.is_empty());
    let functions = object.symbols.iter().filter(|symbol| {
        symbol.kind == SymbolKind::Function && matches!(symbol.section, SymbolSection::Section(_))
    });
    let kernels = object.kernels.iter().map(|kernel| kernel.entry_address);
    let entries = match kernel {
        Some(kernel) => vec![moved(object.find_kernel(kernel)?.entry_address)],
        None => kernels
            .chain(functions.map(|function| function.value))
            .map(moved)
            .collect(),
    };
    Ok(LintCode {
        isa: target.isa,
        regions: sections
            .map(|section| CodeRegion {
                address: moved(section.address),
                bytes: object.section_bytes(section),
            })
            .collect(),
        entries,
    })
}
