//! `gcn dis`: disassembles machine code to source that assembles again.

mod instructions;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use clap::builder::TypedValueParser;
use gcn_asm::list::{
    LABELS, ListOptions, ListedCode, ListedKernel, ListedNote, ListedSection, ListedSymbol,
    list_object, list_to, target_id,
};
use gcn_isa::{Syntax, Target};
use gcn_object::error_names::NOT_A_CODE_OBJECT;
use gcn_object::{Binding, CodeObject, Feature, SymbolKind, SymbolSection, Version};
use gcn_report::Sources;
use gcn_runtime::error_names::NO_MATCHING_CODE;

use crate::file::FileBytes;
use crate::labels::Labels;
use crate::problem::{MISSING_DEBUG_INFO, Problem};
use crate::{Status, UsageError, driver, input, object, render};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn dis kernel.co
  gcn dis --source --kernel saxpy program
  gcn dis --hex --labels found.txt kernel.co
  gcn dis --target hawaii --format raw --hex words.bin";

/// The arguments of `gcn dis`.
#[derive(clap::Args)]
pub struct Args {
    /// Code object, binary from Catalyst's OpenCL compiler or from Gallium, or raw words; `-` reads standard input.
    input: PathBuf,
    /// Target GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1. A code object states its own.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.target), hide_possible_values = true)]
    target: Option<&'static Target>,
    /// Number of the code object in a file that holds several, counted from 1 as `gcn info` lists them.
    #[arg(long, value_name = "NUMBER")]
    entry: Option<usize>,
    /// Format of the input.
    #[arg(long, value_enum, default_value_t = ListingForm::Auto)]
    format: ListingForm,
    /// Add each line's address and words as a comment.
    #[arg(long)]
    hex: bool,
    /// Disassemble the whole code object, with data, symbols, relocations and metadata. `gcn asm` makes the same code
    /// object from the result.
    #[arg(long)]
    full: bool,
    /// Add source lines as comments before their instructions; requires code compiled with -g.
    #[arg(long, conflicts_with = "full")]
    source: bool,
    /// List only this kernel, by a name that `gcn run --kernel` accepts.
    #[arg(long, value_name = "NAME", conflicts_with = "full")]
    kernel: Option<String>,
    /// Offset of the raw words in the file.
    #[arg(long, value_name = "BYTES", value_parser = input::number)]
    offset: Option<u64>,
    /// Size of the raw words; by default, they extend to the end of the file.
    #[arg(long, value_name = "BYTES", value_parser = input::number)]
    length: Option<u64>,
    /// Address of the first raw word, as --hex shows it.
    #[arg(long, value_name = "ADDRESS", value_parser = input::number)]
    base: Option<u64>,
    /// File of labels and notes to add: lines `ADDRESS LABEL`, `ADDRESS "note"` or `ADDRESS LABEL "note"`.
    ///
    /// ADDRESS is the address of an instruction, as --hex shows it, in decimal or with 0x. Branches to this address show
    /// the label, and an instruction begins there, whatever words precede it. Notes become comments before the instruction.
    /// A # starts a comment in the file.
    #[arg(long, value_name = "FILE", conflicts_with = "full")]
    labels: Option<PathBuf>,
    /// Spelling of instructions.
    #[arg(long, value_enum, default_value_t = input::DialectOption::Llvm)]
    syntax: input::DialectOption,
    /// Print JSON: sections with their instructions, each with address, words and text.
    #[arg(long, conflicts_with_all = ["full", "source", "labels", "hex"])]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListingForm {
    /// A code object or a file that contains code objects, if the file begins like one; raw words otherwise.
    Auto,
    /// An ELF code object, an offload bundle of them (plain or compressed), a host program that
    /// contains bundles, or a binary from AMD's OpenCL compilers or from Gallium.
    Elf,
    /// 32-bit words, little endian.
    Raw,
}

impl Args {
    /// Creates the arguments for a listing of raw words, a program or a code object in CLRX's syntax.
    pub fn clrx(input: PathBuf, is_raw: bool, target: Option<&'static Target>, hex: bool) -> Args {
        Args {
            input,
            target,
            entry: None,
            format: if is_raw {
                ListingForm::Raw
            } else {
                ListingForm::Elf
            },
            hex,
            full: false,
            source: false,
            kernel: None,
            offset: None,
            length: None,
            base: None,
            labels: None,
            syntax: input::DialectOption::Clrx,
            json: false,
        }
    }

    fn choice(&self) -> object::ObjectChoice<'_> {
        object::ObjectChoice {
            target: self.target,
            entry: self.entry,
            kernel: self.kernel.as_deref(),
        }
    }

    /// Returns an error if an option for raw words is given.
    fn check_object(&self) -> Result<(), UsageError> {
        let raw = [
            ("--offset", self.offset),
            ("--length", self.length),
            ("--base", self.base),
        ];
        match raw.iter().find(|(_, value)| value.is_some()) {
            Some((option, _)) => Err(UsageError(format!(
                "{option} applies to raw words only: add --format raw"
            ))),
            None => Ok(()),
        }
    }

    /// Returns an error if an option for code objects is given.
    fn check_raw(&self, name: &str) -> Result<(), UsageError> {
        let object = [
            ("--kernel", self.kernel.is_some()),
            ("--source", self.source),
            ("--full", self.full),
            ("--entry", self.entry.is_some()),
        ];
        check(&object, name)
    }

    /// Returns an error if an option is given that applies to raw words or code objects, but not to driver programs.
    fn check_driver_program(&self, name: &str) -> Result<(), UsageError> {
        self.check_object()?;
        let object = [
            ("--source", self.source),
            ("--full", self.full),
            ("--entry", self.entry.is_some()),
        ];
        check(&object, name)
    }

    /// Returns the target to disassemble for: the requested one, or else the object's own.
    fn target_of(&self, object: &CodeObject, name: &str) -> Result<&'static Target> {
        let Some(asked) = self.target else {
            return object::target(object).with_context(|| name.to_owned());
        };
        if let Some(own) = object::contradicts(object, asked) {
            let read_as = format!(
                "the code is for {own}, but is disassembled for {}",
                asked.name
            );
            render::warn(name, &read_as);
        }
        Ok(asked)
    }

    /// Selects the range of raw words to list.
    fn raw_code<'b>(&self, target: &Target, bytes: &'b [u8], name: &str) -> Result<ListedCode<'b>> {
        let offset = self.offset.unwrap_or(0);
        let part = || {
            let rest = bytes.get(usize::try_from(offset).ok()?..)?;
            match self.length {
                Some(length) => rest.get(..usize::try_from(length).ok()?),
                None => Some(rest),
            }
        };
        let Some(part) = part() else {
            let message = format!(
                "{name} has {} bytes, fewer than --offset and --length ask for",
                bytes.len()
            );
            bail!(Problem::new(NO_MATCHING_CODE, message));
        };
        let mut code = ListedCode::raw(target.isa, part);
        for section in &mut code.sections {
            section.address = self.base.unwrap_or(offset);
        }
        Ok(code)
    }
}

/// Returns an error if one of the options was given.
fn check(options: &[(&str, bool)], name: &str) -> Result<(), UsageError> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(UsageError(format!(
            "{option} applies to code objects only, and {name} is not one"
        ))),
        None => Ok(()),
    }
}

/// Describes a file that is unlikely to be code.
fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    const MAX_EXAMINED: usize = 1 << 12;
    let begin = bytes.get(..MAX_EXAMINED).unwrap_or(bytes);
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..);
    if str::from_utf8(bytes).is_err() || !begin.iter().all(is_text) {
        return None;
    }
    let is_hexadecimal =
        |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace() || b"x,:".contains(byte);
    Some(if begin.iter().all(is_hexadecimal) {
        "it looks like hexadecimal words, which `gcn isa` takes as arguments and `xxd -r -p` converts to bytes"
    } else {
        "it looks like text; `gcn asm` reads assembly"
    })
}

/// Removes everything except a kernel's code and descriptor.
fn keep_kernel(code: &mut ListedCode<'_>, kernel: &gcn_object::ObjectKernel) {
    let addresses = kernel.entry_address..kernel.entry_address.saturating_add(kernel.code_size);
    code.kernels.retain(|other| other.name == kernel.name);
    code.metadata = None;
    code.sections.retain_mut(|section| {
        let Some(first) = addresses.start.checked_sub(section.address) else {
            return false;
        };
        let size = section.bytes.len() as u64;
        if first >= size {
            return false;
        }
        // A kernel without a size extends to the end of the section.
        let length = if addresses.is_empty() {
            size - first
        } else {
            kernel.code_size
        };
        let end = size.min(first.saturating_add(length));
        section.bytes = &section.bytes[first as usize..end as usize];
        section.address = addresses.start;
        section.symbols.retain_mut(|symbol| {
            let inside = (first..end).contains(&symbol.offset);
            symbol.offset = symbol.offset.saturating_sub(first);
            inside
        });
        true
    });
}

/// Adds source lines as notes, one before each run of instructions with the same line.
fn add_source(code: &mut ListedCode<'_>, object: &CodeObject) -> Result<()> {
    let lines = object.source_lines()?;
    let Some(lines) = lines else {
        let message = "it has no debug information: compile with -g";
        bail!(Problem::new(MISSING_DEBUG_INFO, message));
    };
    let mut sources = Sources::default();
    for section in &mut code.sections {
        let end = section.address.saturating_add(section.bytes.len() as u64);
        let mut last = None;
        for range in lines.ranges(section.address..end)? {
            let place = (range.place.file.clone(), range.place.line);
            if last.as_ref() != Some(&place)
                && let Some(offset) = range.addresses.start.checked_sub(section.address)
                && let Some(text) = sources.describe(&lines, range.addresses.start)
            {
                let text = text.into();
                section.notes.push(ListedNote { offset, text });
            }
            last = Some(place);
        }
        section.notes.sort_by_key(|note| note.offset);
    }
    Ok(())
}

fn add_labels<'a>(code: &mut ListedCode<'a>, labels: Option<&'a Labels>) -> Result<()> {
    labels.map_or(Ok(()), |labels| labels.add(code))
}

/// Runs the command.
///
/// # Errors
/// Fails if the input cannot be read or is not code, its target is unknown, or an option does not apply to it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let options = ListOptions {
        syntax: match args.syntax {
            input::DialectOption::Llvm => Syntax::Llvm,
            input::DialectOption::Clrx => Syntax::Clrx,
        },
        hex: args.hex,
    };
    let labels = args.labels.as_deref().map(Labels::open).transpose()?;
    let bytes = FileBytes::open(&args.input)?;
    let name = input::name(&args.input);
    let is_elf = match args.format {
        ListingForm::Auto => object::is_object(&bytes),
        ListingForm::Elf => true,
        ListingForm::Raw => false,
    };
    let mut list = |code: &ListedCode<'_>| -> Result<()> {
        if args.json {
            return instructions::write(code, options.syntax, out);
        }
        write_parts(out, |sink| list_to(code, &options, sink))
    };
    if is_elf && let Some(program) = driver::open(&bytes).with_context(|| name.clone())? {
        args.check_driver_program(&name)?;
        let kernel = args.kernel.as_deref();
        let mut code =
            driver::code(&program, &name, args.target, kernel).with_context(|| name.clone())?;
        add_labels(&mut code, labels.as_ref())?;
        list(&code)?;
    } else if is_elf {
        args.check_object()?;
        let object = object::read(&bytes, args.choice()).with_context(|| name.clone())?;
        for warning in &object.warnings {
            render::warn(&name, warning);
        }
        let target = args.target_of(&object, &name)?;
        if args.full {
            write_parts(out, |sink| list_object(&object, target, &options, sink))?;
        } else {
            let mut code = code_of(&object, target);
            if let Some(kernel) = &args.kernel {
                let kernel = object.find_kernel(kernel).with_context(|| name.clone())?;
                keep_kernel(&mut code, kernel);
            }
            if args.source {
                add_source(&mut code, &object).with_context(|| name.clone())?;
            }
            add_labels(&mut code, labels.as_ref())?;
            list(&code)?;
        }
        // The process will soon exit, and freeing the object would delay that.
        std::mem::forget(object);
    } else {
        args.check_raw(&name)?;
        if args.format == ListingForm::Auto
            && let Some(kind) = looks_like(&bytes)
        {
            let message = format!(
                "{name} is not a code object: {kind}; `--format raw` lists any bytes as code"
            );
            bail!(Problem::new(NOT_A_CODE_OBJECT, message));
        }
        let Some(target) = args.target else {
            let message = format!(
                "{name} is not an ELF file, and raw words do not say their target: add --target"
            );
            return Err(UsageError(message).into());
        };
        let mut code = args.raw_code(target, &bytes, &name)?;
        add_labels(&mut code, labels.as_ref())?;
        list(&code)?;
    }
    bytes.check()?;
    Ok(Status::Success)
}

/// Writes a listing in chunks. After an error, discards the rest.
///
/// # Errors
/// Fails if `out` cannot be written.
fn write_parts(out: &mut dyn Write, list: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Result<()> {
    let mut result = Ok(());
    list(&mut |part| {
        if result.is_ok() {
            result = out.write_all(part);
        }
    });
    Ok(result?)
}

/// Executable sections, kernels and metadata of a code object, for a listing.
fn code_of<'a>(object: &'a CodeObject, target: &Target) -> ListedCode<'a> {
    let sections = object
        .sections
        .iter()
        .enumerate()
        .filter(|(_, section)| section.is_code() && !section.file.is_empty())
        .map(|(index, section)| ListedSection {
            name: Some(&section.name),
            head: "",
            address: section.address,
            align: section.align,
            bytes: object.section_bytes(section),
            symbols: symbols_in(object, index, section.address),
            open: Vec::new(),
            notes: Vec::new(),
        })
        .collect();
    // Sorted, since the listing keeps the order. Descriptors of version 2 precede the code and are listed as data.
    let mut kernels: Vec<&gcn_object::ObjectKernel> = object
        .kernels
        .iter()
        .filter(|_| object.version > Version::V2)
        .collect();
    kernels.sort_by_key(|kernel| kernel.descriptor_address);
    ListedCode {
        isa: target.isa,
        target_id: Some(target_id(object, target)),
        version: Some(object.version.number()),
        reserves_xnack: target.xnack && object.flags.xnack != Feature::Off,
        labels: LABELS,
        sections,
        kernels: kernels
            .into_iter()
            .map(|kernel| ListedKernel {
                name: &kernel.name,
                descriptor: &kernel.descriptor,
            })
            .collect(),
        metadata: object
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.to_yaml().ok()),
    }
}

fn symbols_in<'o>(object: &'o CodeObject, section: usize, address: u64) -> Vec<ListedSymbol<'o>> {
    object
        .symbols
        .iter()
        .filter(|symbol| {
            symbol.section == SymbolSection::Section(section) && !symbol.name.is_empty()
        })
        .filter(|symbol| !matches!(symbol.kind, SymbolKind::Section | SymbolKind::File))
        .filter_map(|symbol| {
            Some(ListedSymbol {
                name: &symbol.name,
                offset: symbol.value.checked_sub(address)?,
                size: symbol.size,
                data: match symbol.kind {
                    SymbolKind::Object => symbol.size,
                    SymbolKind::HsaKernel => kernel_header_bytes(object, symbol.value),
                    _ => 0,
                },
                global: symbol.binding != Binding::Local,
                function: symbol.kind == SymbolKind::Function,
                before: "",
                data_text: None,
            })
        })
        .collect()
}

/// Size of the `amd_kernel_code_t` that precedes the code of a version 2 kernel.
fn kernel_header_bytes(object: &CodeObject, address: u64) -> u64 {
    let kernel = object
        .kernels
        .iter()
        .find(|kernel| kernel.descriptor_address == address);
    kernel.map_or(0, |kernel| kernel.entry_address.saturating_sub(address))
}
