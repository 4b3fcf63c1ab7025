//! `gcn dis`: from machine code to source that assembles again.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::TypedValueParser;
use gcn_asm::list::{
    Code, Kernel, LABELS, ListOptions, Section, Symbol, list_object, list_to, target_id,
};
use gcn_isa::{Syntax, Target};
use gcn_object::{Binding, CodeObject, Feature, SymbolKind, SymbolSection, Version};

use crate::file::FileBytes;
use crate::{Status, Usage, input, object, render};

/// For `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn dis kernel.co
  gcn dis --target hawaii --format raw --hex words.bin";

/// The arguments of `gcn dis`.
#[derive(clap::Args)]
pub struct Args {
    /// The code object or the words; `-` reads standard input.
    input: PathBuf,
    /// The GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1. A code object says it itself.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.target), hide_possible_values = true)]
    target: Option<&'static Target>,
    /// Number of the code object in a file that holds several, counted from 1 as `gcn info` lists them.
    #[arg(long, value_name = "NUMBER")]
    entry: Option<usize>,
    /// Format of the input.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    format: Format,
    /// Add each line's address and words as a comment.
    #[arg(long)]
    hex: bool,
    /// All of a code object: data, symbols, relocations and metadata too. `gcn asm` makes the same of it again.
    #[arg(long)]
    full: bool,
    /// Spelling of instructions.
    #[arg(long, value_enum, default_value_t = input::Dialect::Llvm)]
    syntax: input::Dialect,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A code object, or a file that holds some, if it begins like one, else raw words.
    Auto,
    /// An ELF code object, an offload bundle of them (plain or compressed), a host program with
    /// bundles, or a program of AMD's OpenCL 2 compiler.
    Elf,
    /// 32-bit words, little endian.
    Raw,
}

impl Args {
    fn choice(&self) -> object::Choice<'_> {
        object::Choice {
            target: self.target,
            entry: self.entry,
            kernel: None,
        }
    }
}

/// Carries the command out.
///
/// # Errors
/// The input cannot be read, is no code object, or its target is not known.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let options = ListOptions {
        syntax: match args.syntax {
            input::Dialect::Llvm => Syntax::Llvm,
            input::Dialect::Clrx => Syntax::Clrx,
        },
        hex: args.hex,
    };
    let bytes = FileBytes::open(&args.input)?;
    let name = input::name(&args.input);
    let is_elf = match args.format {
        Format::Auto => object::is_object(&bytes),
        Format::Elf => true,
        Format::Raw => false,
    };
    let mut result = Ok(());
    let mut sink = |part: &[u8]| {
        if result.is_ok() {
            result = out.write_all(part);
        }
    };
    if is_elf {
        let object = object::read(&bytes, args.choice()).with_context(|| name.clone())?;
        for warning in &object.warnings {
            render::warn(&name, warning);
        }
        let target = match args.target {
            Some(asked) => {
                if let Some(own) = object::contradicts(&object, asked) {
                    let read_as =
                        format!("the code is for {own}, and is listed as {}'s", asked.name);
                    render::warn(&name, &read_as);
                }
                asked
            }
            None => object::target(&object).with_context(|| name.clone())?,
        };
        if args.full {
            list_object(&object, target, &options, &mut sink);
        } else {
            list_to(&code_of(&object, target), &options, &mut sink);
        }
        // The program ends; to give its memory back piece by piece takes longer.
        std::mem::forget(object);
    } else {
        let Some(target) = args.target else {
            let message = format!(
                "{name} is not an ELF file, and raw words do not say their target: add --target"
            );
            return Err(Usage(message).into());
        };
        list_to(&Code::raw(target.isa, &bytes), &options, &mut sink);
    }
    result?;
    bytes.check()?;
    Ok(Status::Success)
}

/// The executable sections of a code object.
fn code_of<'a>(object: &'a CodeObject, target: &Target) -> Code<'a> {
    let sections = object
        .sections
        .iter()
        .enumerate()
        .filter(|(_, section)| section.is_code() && !section.file.is_empty())
        .map(|(index, section)| Section {
            name: Some(&section.name),
            head: "",
            address: section.address,
            align: section.align,
            bytes: object.section_bytes(section),
            symbols: symbols_in(object, index, section.address),
            open: Vec::new(),
        })
        .collect();
    // In the order of their descriptors, so that these keep it. Those of version 2 stand before the code, as data.
    let mut kernels: Vec<&gcn_object::Kernel> = object
        .kernels
        .iter()
        .filter(|_| object.version > Version::V2)
        .collect();
    kernels.sort_by_key(|kernel| kernel.descriptor_address);
    Code {
        isa: target.isa,
        target_id: Some(target_id(object, target)),
        version: Some(object.version.number()),
        reserves_xnack: target.xnack && object.flags.xnack != Feature::Off,
        labels: LABELS,
        sections,
        kernels: kernels
            .into_iter()
            .map(|kernel| Kernel {
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

fn symbols_in<'o>(object: &'o CodeObject, section: usize, address: u64) -> Vec<Symbol<'o>> {
    object
        .symbols
        .iter()
        .filter(|symbol| {
            symbol.section == SymbolSection::Section(section) && !symbol.name.is_empty()
        })
        .filter(|symbol| !matches!(symbol.kind, SymbolKind::Section | SymbolKind::File))
        .filter_map(|symbol| {
            Some(Symbol {
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

/// The size of the `amd_kernel_code_t` that a version 2 kernel has before its code.
fn kernel_header_bytes(object: &CodeObject, address: u64) -> u64 {
    let kernel = object
        .kernels
        .iter()
        .find(|kernel| kernel.descriptor_address == address);
    kernel.map_or(0, |kernel| kernel.entry_address.saturating_sub(address))
}
