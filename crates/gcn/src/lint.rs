//! `gcn lint`: finds missing waits and wait states by static analysis.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use gcn_isa::Target;
use gcn_object::error_names::UNKNOWN_KERNEL;
use gcn_object::{SymbolKind, SymbolSection};
use gcn_observe::finding::Findings;
use gcn_observe::lint::{self, CodeRegion, LintCode};
use gcn_report::settings::CheckSettings;
use gcn_report::{CodeMap, FindingReport, Suppressions, write_findings};
use gcn_runtime::{Device, Module};

use crate::findings::{self, FindingOptions, shown};
use crate::problem::Problem;
use crate::program::{LoadedProgram, ProgramOptions, ProgramRequest, ProgramTerms, program};
use crate::{Status, UsageError, input, outputs, render};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn lint kernel.s
  gcn lint saxpy.cl --target vega10 -O3
  gcn lint --target gfx906 kernels/*.cl
  gcn lint --kernel saxpy kernel.co
  gcn lint --format json --target gfx906 librocsparse.so --entry 3
  gcn lint kernel.co --suppress known.toml --format sarif --output findings.sarif";

/// The arguments of `gcn lint`.
#[derive(clap::Args)]
pub struct Args {
    /// Sources, code objects, or files that contain code objects; `-` reads standard input. OpenCL C (`.cl`), C++ for OpenCL
    /// (`.clcpp`), HIP (`.hip`) and LLVM IR (`.ll`, `.bc`) are compiled by the system's Clang.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Target and compiler options.
    #[command(flatten)]
    program: ProgramOptions,
    /// Number of the code object in a file that holds several, counted from 1 as `gcn info` lists them.
    #[arg(long, value_name = "NUMBER")]
    entry: Option<usize>,
    /// Check only this kernel and the functions that it calls, by a name that `gcn run --kernel` accepts.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Format and destination of the findings.
    #[command(flatten)]
    findings: FindingOptions,
    /// Write the findings in JSON; same as --format json.
    #[arg(long, conflicts_with_all = ["format", "gen_suppressions"])]
    json: bool,
}

impl Args {
    /// True if findings, and therefore errors, are written to standard output in JSON.
    pub fn writes_json(&self) -> bool {
        self.findings.write_json(self.json)
    }
}

/// Runs the command. An input that cannot be read is reported, and the others are still checked.
///
/// # Errors
/// Fails if the only input cannot be checked, options conflict, the findings cannot be written, or a suppression file
/// cannot be read.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let settings = args
        .findings
        .over(CheckSettings::default().in_json(args.json))?;
    let json = args.writes_json();
    let suppressions =
        Suppressions::read(&settings.suppress).map_err(|error| shown(error, json))?;
    let file = findings::file(&settings)?;
    let mut reports = Vec::new();
    let mut read = settings.suppress.clone();
    let mut has_failed = false;
    for input in &args.inputs {
        read.push(input.clone());
        match lint_file(args, input, &mut read) {
            Ok(found) => reports.extend(found.into_iter().filter(|it| !suppressions.cover(it))),
            Err(error) if args.inputs.len() == 1 || error.is::<UsageError>() => return Err(error),
            Err(error) => {
                has_failed = true;
                render::complain(&error);
            }
        }
    }
    if let Some(path) = file {
        outputs::refuse_inputs("--output", path, read.iter().map(PathBuf::as_path))?;
    }
    let mut document = Vec::new();
    write_findings(&reports, &[], &settings, &mut document)?;
    match file {
        Some(path) => {
            if let Err(error) = outputs::write(path, |file| file.write_all(&document)) {
                // The findings must not be lost.
                findings::tell(&reports);
                return Err(error);
            }
        }
        None => out.write_all(&document)?,
    }
    Ok(match has_failed {
        true => Status::BadInput,
        false if reports.is_empty() => Status::Success,
        false => Status::Difference,
    })
}

/// Checks an input, and adds the files that its source includes to `read`.
///
/// # Errors
/// Fails if the input cannot be read, has errors, or its target is unknown.
fn lint_file(args: &Args, input: &Path, read: &mut Vec<PathBuf>) -> Result<Vec<FindingReport>> {
    let mut request = ProgramRequest {
        file: input.to_owned(),
        entry: args.entry,
        ..ProgramRequest::default()
    };
    request.override_by(&args.program);
    let kernels = args.kernel.iter().map(|name| Some(name.as_str()));
    // The code is loaded, although it does not run, so that reports can map addresses to symbols and source lines.
    let terms = ProgramTerms {
        kernels: &kernels.collect::<Vec<_>>(),
        json: args.writes_json(),
        device: &|target| Ok(Device::builder(target)?.threads(1).build()),
    };
    let LoadedProgram {
        bytes,
        module,
        included,
    } = program(&request, &terms)?;
    read.extend(included);
    let target = module.device().target();
    let code = code_of(&module, target, args.kernel.as_deref())?;
    if code.entries.is_empty() {
        let message = format!("{} has no kernel and no function", input::name(input));
        bail!(Problem::new(UNKNOWN_KERNEL, message));
    }
    let found = Findings::default();
    lint::lint(&code, &found);
    let (found, _) = found.all();
    let map = CodeMap::new(&module);
    let reports = found.iter().map(|it| FindingReport::new(it, &map));
    let reports = reports.collect();
    bytes.check()?;
    Ok(reports)
}

/// Code of a module with the entry points of its kernels and functions, or the entry point of one kernel.
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
