//! `gcn asm`: assembles a source to a code object, raw words, or a listing of encodings.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::ValueEnum;
use gcn_asm::{Assembly, Options, Source, assemble_with, named_target};
use gcn_isa::{Syntax, TextFidelity};
use serde::Serialize;

use crate::file::SourceText;
use crate::{Status, UsageError, input, outputs, render, warnings};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn asm kernel.s --target vega20              make the code object kernel.co
  gcn asm kernel.s --target gfx803 --show-encoding
  gcn asm -DUNROLL=4 -I include kernel.s -o - | gcn dis -";

/// The arguments of `gcn asm`.
#[derive(clap::Args)]
pub struct Args {
    /// Source file; `-` reads standard input.
    input: PathBuf,
    /// Output file; `-` is standard output. Defaults to IN.co or IN.bin for IN.s, and to `-` for `-`.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Target GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1; features may follow, as in NAME:xnack-.
    /// `.amdgcn_target` in the source also sets it.
    #[arg(long, value_parser = input::TargetParser, hide_possible_values = true)]
    target: Option<input::NamedTarget>,
    /// Kind of output.
    #[arg(long, value_enum, default_value_t = OutputKind::Elf)]
    format: OutputKind,
    /// Code object version; overrides `.amdhsa_code_object_version`.
    #[arg(long, value_parser = clap::value_parser!(u8).range(4..=6))]
    code_object_version: Option<u8>,
    /// Dialect to use where LLVM and CLRX conflict; syntax unique to one of them is always accepted.
    #[arg(long, value_enum, default_value_t = input::DialectOption::Llvm)]
    dialect: input::DialectOption,
    /// Write debug information into the code object: the source line of each instruction, for reports of faults and
    /// findings, listings and debuggers.
    #[arg(short = 'g', long = "debug")]
    debug: bool,
    /// Print each instruction with its encoding, as llvm-mc does; writes no file unless --output is given.
    #[arg(long)]
    show_encoding: bool,
    /// Directory to search for `.include` and `.incbin` files, after the source's own directory.
    #[arg(short = 'I', long = "include", value_name = "DIRECTORY")]
    directories: Vec<PathBuf>,
    /// Define a symbol, as `.set NAME, VALUE` does; the value defaults to 1.
    #[arg(
        short = 'D',
        long = "define",
        visible_alias = "defsym",
        value_name = "NAME[=VALUE]",
        value_parser = gcn_asm::definition
    )]
    defines: Vec<(String, i64)>,
    #[command(flatten)]
    warnings: warnings::Options,
    /// Show at most COUNT errors; 0 shows all.
    #[arg(long, value_name = "COUNT", default_value_t = render::ERROR_LIMIT)]
    error_limit: usize,
    /// Print JSON: the name of the output file, and the diagnostics with their positions.
    #[arg(long, conflicts_with = "show_encoding")]
    pub json: bool,
}

/// Kinds of output.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputKind {
    /// A code object, linked and loadable.
    Elf,
    /// The words of `.text`.
    Raw,
}

impl OutputKind {
    /// Default extension of output files.
    fn extension(self) -> &'static str {
        match self {
            OutputKind::Elf => "co",
            OutputKind::Raw => "bin",
        }
    }
}

/// Column at which `--show-encoding` prints the encoding.
const ENCODING_COLUMN: usize = 40;

/// Runs the command.
///
/// # Errors
/// Fails if the source cannot be read, its target is unknown, or the result cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let name = input::name(&args.input);
    let text = SourceText::open(&args.input)?;
    let options = match args.target {
        Some(named) => named.options(),
        None => Options::new(named_target(text.as_str()).ok_or_else(|| {
            UsageError(format!("{name} has no known .amdgcn_target: add --target"))
        })?),
    };
    let directory = args.debug.then(working_directory);
    let files = input::SourceFiles::new(&args.directories, Some(&text));
    let assembly = assemble_with(
        &Source {
            name: &name,
            text: text.as_str(),
        },
        &Options {
            listing: args.show_encoding,
            debug: directory.as_deref(),
            defines: &args.defines,
            dialect: args.dialect.into(),
            ..options
        },
        &files,
    );
    text.check()?;
    if args.show_encoding {
        out.write_all(encodings(&assembly).as_bytes())?;
    }
    let is_asked_for = !args.show_encoding || args.output.is_some();
    let (made, mut diagnostics) = if is_asked_for {
        match args.format {
            OutputKind::Elf => assembly.to_object(args.code_object_version),
            OutputKind::Raw => assembly.to_linked_raw(),
        }
    } else {
        (None, assembly.diagnostics.clone())
    };
    args.warnings.apply(&mut diagnostics);
    let sources = render::RenderedSources {
        name: &name,
        text: text.as_str(),
        files: &assembly.files,
    };
    let limits = render::DiagnosticLimits {
        errors: args.error_limit,
        warnings: args.warnings.limit(),
    };
    let fatal = args.warnings.fatal();
    let is_good = diagnostics.iter().all(|found| found.severity < fatal);
    let made = made.filter(|_| is_good);
    let path = output_path(args);
    if args.json {
        if path == Path::new(input::STDIN) {
            let message =
                "--json and the result would both go to standard output: add --output FILE";
            return Err(UsageError(message.to_owned()).into());
        }
        let report = AssemblyReport {
            output: made.as_ref().map(|_| path.display().to_string()),
            diagnostics: render::diagnostic_reports(&sources, &diagnostics),
        };
        render::json(&report, out)?;
    } else {
        let shown = render::diagnostics(&render::renderer(), &sources, &diagnostics, limits);
        render::tell(format_args!("{shown}"));
    }
    if let Some(bytes) = made {
        write_result(&path, &args.input, &bytes, &files.included(), out)?;
    }
    Ok(match is_good {
        true => Status::Success,
        false => Status::BadInput,
    })
}

/// JSON report of an assembly.
#[derive(Serialize)]
struct AssemblyReport<'a> {
    /// Output file; `None` after an error.
    output: Option<String>,
    diagnostics: Vec<render::DiagnosticReport<'a>>,
}

/// Working directory, for the debug information; empty if unknown.
fn working_directory() -> String {
    let directory = std::env::current_dir();
    directory.map_or_else(|_| String::new(), |it| it.to_string_lossy().into_owned())
}

/// Enables source lines, with an empty working directory, so that reports show file names as the user wrote them.
pub fn with_lines<'a>(options: Options<'a>) -> Options<'a> {
    Options {
        debug: Some(""),
        ..options
    }
}

/// Formats each instruction's canonical text with its bytes.
fn encodings(assembly: &Assembly) -> String {
    let mut shown = String::new();
    for listing in assembly.program.listing() {
        let line = shown.len();
        shown.push('\t');
        // The fidelity does not matter, since the bytes show the bits that the text omits.
        let (TextFidelity::Exact | TextFidelity::RefusedByLlvm | TextFidelity::Lossy) =
            listing.inst.print(&mut shown, Syntax::Llvm, None);
        let written = shown.len() - line - 1;
        shown.extend(std::iter::repeat_n(
            ' ',
            ENCODING_COLUMN.saturating_sub(written),
        ));
        shown.push_str("; encoding: [");
        let words = listing.inst.words();
        for (i, byte) in words
            .iter()
            .take(listing.inst.dwords())
            .flat_map(|word| word.to_le_bytes())
            .enumerate()
        {
            shown.push_str(&format!("{}{byte:#04x}", if i == 0 { "" } else { "," }));
        }
        shown.push_str("]\n");
    }
    shown
}

fn output_path(args: &Args) -> PathBuf {
    match &args.output {
        Some(path) => path.clone(),
        None if args.input == Path::new(input::STDIN) => args.input.clone(),
        None => args.input.with_extension(args.format.extension()),
    }
}

/// Writes the result to the output file.
///
/// # Errors
/// Fails if the output cannot be written, or is the source or an included file.
fn write_result(
    path: &Path,
    source: &Path,
    bytes: &[u8],
    included: &[PathBuf],
    out: &mut dyn Write,
) -> Result<()> {
    if path == Path::new(input::STDIN) {
        out.write_all(bytes)?;
        return Ok(());
    }
    let inputs = included.iter().map(PathBuf::as_path);
    outputs::refuse_inputs("--output", path, std::iter::once(source).chain(inputs))?;
    outputs::write(path, |file| file.write_all(bytes))
}
