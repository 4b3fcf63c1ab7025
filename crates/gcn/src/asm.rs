//! `gcn asm`: from source to a code object, raw words, or a listing of encodings.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use gcn_asm::{
    Assembly, Diagnostic, ObjectError, Options, Severity, Source, assemble_with, named_target,
};
use gcn_isa::{Fidelity, Syntax, Target};

use crate::{Status, Usage, input, render};

/// The arguments of `gcn asm`.
#[derive(clap::Args)]
pub struct Args {
    /// The source; `-` reads standard input.
    input: PathBuf,
    /// Where the result goes; `-` is standard output. By default IN.s becomes IN.co or IN.bin, and `-` stays `-`.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// The GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1. `.amdgcn_target` in the source says it too.
    #[arg(long, value_parser = input::target)]
    target: Option<&'static Target>,
    /// What to make.
    #[arg(long, value_enum, default_value_t = Format::Elf)]
    format: Format,
    /// The version of the code object, in place of `.amdhsa_code_object_version`.
    #[arg(long, value_parser = clap::value_parser!(u8).range(4..=6))]
    code_object_version: Option<u8>,
    /// Print each instruction and its encoding in the manner of llvm-mc; without --output nothing else is made.
    #[arg(long)]
    show_encoding: bool,
    /// Where files of `.include` and `.incbin` are looked for, after the directory of the source.
    #[arg(short = 'I', long = "include", value_name = "DIRECTORY")]
    directories: Vec<PathBuf>,
}

/// What to make of a source.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A code object, linked and loadable.
    Elf,
    /// The words of `.text`.
    Raw,
}

impl Format {
    /// How the files that it makes end, if they are not named.
    fn extension(self) -> &'static str {
        match self {
            Format::Elf => "co",
            Format::Raw => "bin",
        }
    }
}

/// The column at which `--show-encoding` puts the encoding.
const ENCODING_COLUMN: usize = 40;

/// Carries the command out.
///
/// # Errors
/// The source cannot be read, its target is not known, or the result cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let name = input::name(&args.input);
    let text = input::read_text(&args.input)?;
    let Some(target) = args.target.or_else(|| named_target(&text)) else {
        return Err(Usage(format!(
            "{name} has no .amdgcn_target that is known: add --target"
        ))
        .into());
    };
    let assembly = assemble_with(
        &Source {
            name: &name,
            text: &text,
        },
        &Options {
            listing: args.show_encoding,
            ..Options::new(target)
        },
        &input::SourceFiles {
            directories: &args.directories,
        },
    );
    if args.show_encoding {
        out.write_all(encodings(&assembly).as_bytes())?;
    }
    let is_asked_for = !args.show_encoding || args.output.is_some();
    let (made, diagnostics) = if is_asked_for {
        make(&assembly, args.format, args.code_object_version)
    } else {
        (None, assembly.diagnostics)
    };
    let mut stderr = io::stderr().lock();
    stderr.write_all(
        render::diagnostics(&render::renderer(), &name, &text, &diagnostics).as_bytes(),
    )?;
    if let Some(bytes) = made {
        write_result(args, &bytes, out)?;
    }
    let is_bad = diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(if is_bad {
        Status::BadInput
    } else {
        Status::Success
    })
}

/// What an assembly gives, and all that is wrong with it. One with errors is linked too, for the errors that only
/// linking finds.
pub fn make(
    assembly: &Assembly,
    format: Format,
    version: Option<u8>,
) -> (Option<Vec<u8>>, Vec<Diagnostic>) {
    let program = &assembly.program;
    let made = match format {
        Format::Elf => program.to_object(version).map_err(|error| match error {
            ObjectError::Link(errors) => errors,
            error @ (ObjectError::Metadata(_) | ObjectError::Version(_)) => {
                let span = program.metadata.as_ref().map(|text| text.span.clone());
                vec![Diagnostic::error(
                    span.unwrap_or_default(),
                    error.to_string(),
                )]
            }
        }),
        Format::Raw => program.to_linked_raw(),
    };
    let mut diagnostics = assembly.diagnostics.clone();
    let is_whole = !assembly.has_errors();
    match made {
        Ok(bytes) => (is_whole.then_some(bytes), diagnostics),
        Err(mut errors) => {
            // What concerns no place of the source, or one of which something is said, may follow from that.
            let known: HashSet<_> = diagnostics.iter().map(|known| known.span.clone()).collect();
            errors
                .retain(|error| is_whole || !error.span.is_empty() && !known.contains(&error.span));
            diagnostics.extend(errors);
            diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
            (None, diagnostics)
        }
    }
}

/// Each instruction's canonical text and its bytes.
fn encodings(assembly: &Assembly) -> String {
    let mut shown = String::new();
    for listing in assembly.program.listing() {
        let line = shown.len();
        shown.push('\t');
        // What the text leaves out, the bytes beside it say.
        let (Fidelity::Exact | Fidelity::RefusedByLlvm | Fidelity::Lossy) =
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

/// Writes the result where it belongs.
fn write_result(args: &Args, bytes: &[u8], out: &mut dyn Write) -> Result<()> {
    let stdin_or_stdout = Path::new(input::STDIN);
    let path = match &args.output {
        Some(path) => path.clone(),
        None if args.input == stdin_or_stdout => args.input.clone(),
        None => args.input.with_extension(args.format.extension()),
    };
    if path == stdin_or_stdout {
        out.write_all(bytes)?;
        return Ok(());
    }
    fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
