//! `gcn isa`: queries about families, instructions, words, errata and initial registers.
//!
//! The data come from the tables of `gcn-isa` and the errata document that they cite. Only the descriptions of initial
//! registers are written here.

mod answer;

mod abi;
mod errata;
mod words;
mod pages;
mod amd_xml;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::TypedValueParser;
use gcn_asm::reference::{InstructionReport, exists, family, set_of, sets, versions};
use gcn_asm::{closest, usage};
use gcn_isa::field::SUFFIXES;
use gcn_isa::{Isa, Row, Target, rows};
use serde::Serialize;

use crate::{Status, UsageError, input, outputs, render};
use answer::{Answer, unknown};

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn isa ds_add_u32
  gcn isa 'ds_*_f32' --target gfx803
  gcn isa E058
  gcn isa abi
  gcn isa --target vega20 0xd8000000 0x00000100
  gcn isa --format markdown --output reference
  gcn isa --format amd-xml --target gfx900 --output gfx900.xml";

/// Format of the answer.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text for a terminal.
    Text,
    /// Same as `--json`.
    Json,
    /// All instructions as pages of Markdown, in the directory of `--output`.
    Markdown,
    /// The instruction set of `--target` in the schema of AMD's machine-readable ISA.
    AmdXml,
}

/// The arguments of `gcn isa`.
#[derive(clap::Args)]
pub struct Args {
    /// Family (`ds`), instruction (`ds_add_u32`), part of a name (`mad`, `ds_*_f32`), number (`ds:0x20`), words in
    /// hexadecimal (`0xd8000000 0x00000100`), entry of the errata (`E058`), or `abi` for the registers at a kernel's start.
    /// By default, the families are listed.
    query: Vec<String>,
    /// Show only instructions of this GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.target), hide_possible_values = true)]
    target: Option<&'static Target>,
    /// Format of the answer: `text`, `json`; or all instructions in `markdown` or `amd-xml`.
    #[arg(long, value_enum, default_value = "text", hide_default_value = true)]
    format: Format,
    /// Directory for `--format markdown`, which is created, or file for `--format amd-xml`.
    #[arg(long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// True if the answer and errors are printed as JSON.
    pub fn writes_json(&self) -> bool {
        self.json || self.format == Format::Json
    }
}

/// Runs the command.
///
/// # Errors
/// Fails if the query matches nothing, the words do not decode, an option does not apply, or the output cannot be
/// written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let isas: Vec<Isa> = match args.target {
        Some(target) => vec![target.isa],
        None => Isa::ALL.to_vec(),
    };
    let query: Vec<&str> = args.query.iter().map(String::as_str).collect();
    match args.format {
        Format::Text | Format::Json if args.output.is_some() => {
            let message =
                "--output is for the formats `markdown` and `amd-xml`: other answers are printed";
            return Err(UsageError(message.to_owned()).into());
        }
        Format::Text | Format::Json => {}
        Format::Markdown | Format::AmdXml if !query.is_empty() => {
            let message = "this format has all instructions: leave the query out";
            return Err(UsageError(message.to_owned()).into());
        }
        Format::Markdown => {
            let Some(directory) = &args.output else {
                let message = "name a directory for the pages with --output";
                return Err(UsageError(message.to_owned()).into());
            };
            pages::write(&isas, directory)?;
            return Ok(Status::Success);
        }
        Format::AmdXml => {
            let Some(target) = args.target else {
                let message =
                    "the format `amd-xml` describes one instruction set: name it with --target";
                return Err(UsageError(message.to_owned()).into());
            };
            match &args.output {
                Some(path) => outputs::write(path, |out| amd_xml::write(target, out))?,
                None => amd_xml::write(target, out)?,
            }
            return Ok(Status::Success);
        }
    }
    let print = AnswerFormat {
        json: args.writes_json(),
        out,
    };
    match query.as_slice() {
        [] => print.answer(&Families::of(&isas))?,
        words if words.iter().all(|word| hexadecimal(word).is_some()) => {
            let words: Vec<u32> = words.iter().filter_map(|word| hexadecimal(word)).collect();
            print.answer(&words::decoded(&isas, &words)?)?;
        }
        ["abi"] => print.answer(&abi::registers())?,
        [name] if errata::is_number(name) => print.answer(&errata::entry(name)?)?,
        [name] => of_name(print, &isas, name)?,
        _ => {
            let message = "expected one family, instruction or number, or words in hexadecimal";
            return Err(UsageError(message.to_owned()).into());
        }
    }
    Ok(Status::Success)
}

/// Format and destination of an answer.
struct AnswerFormat<'a> {
    json: bool,
    out: &'a mut dyn Write,
}

impl AnswerFormat<'_> {
    fn answer<A: Answer + Serialize>(self, answer: &A) -> Result<()> {
        if self.json {
            render::json(answer, self.out)?;
        } else {
            answer.write(self.out)?;
        }
        Ok(())
    }
}

/// Parses a hexadecimal word: with the prefix `0x`, or with exactly eight digits.
fn hexadecimal(word: &str) -> Option<u32> {
    const DIGITS: usize = 8;
    let digits = word
        .strip_prefix("0x")
        .or_else(|| (word.len() == DIGITS).then_some(word))?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Families in the order of the tables.
fn family_names() -> Vec<String> {
    let mut names: Vec<String> = rows().map(|row| family(row.op())).collect();
    names.dedup();
    names
}

/// Heading of an instruction set: its version and first target.
fn heading(isa: Isa) -> String {
    let target = gcn_isa::TARGETS.iter().find(|target| target.isa == isa);
    target.map_or_else(
        || isa.to_string(),
        |target| format!("{} {}", isa.version(), target.name),
    )
}

/// Instruction counts by family and instruction set.
#[derive(Serialize)]
struct Families {
    on: Vec<String>,
    families: Vec<FamilyCounts>,
}

#[derive(Serialize)]
struct FamilyCounts {
    family: String,
    instructions: Vec<usize>,
}

impl Families {
    fn of(isas: &[Isa]) -> Families {
        let count = |name: &str, isa: Isa| {
            let of_family = rows().filter(|row| family(row.op()) == name);
            of_family.filter(|row| exists(row, isa)).count()
        };
        let names = family_names().into_iter();
        Families {
            on: isas.iter().map(|&isa| heading(isa)).collect(),
            families: names
                .map(|family| FamilyCounts {
                    instructions: isas.iter().map(|&isa| count(&family, isa)).collect(),
                    family,
                })
                .collect(),
        }
    }
}

impl Answer for Families {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |out: &mut dyn Write, name: &str, counts: &[usize]| {
            write!(out, "{name:12}")?;
            counts
                .iter()
                .try_for_each(|count| write!(out, "{count:17}"))?;
            writeln!(out)
        };
        write!(out, "{:12}", "family")?;
        self.on
            .iter()
            .try_for_each(|name| write!(out, "{name:>17}"))?;
        writeln!(out)?;
        let mut totals = vec![0; self.on.len()];
        for counts in &self.families {
            line(out, &counts.family, &counts.instructions)?;
            let each = totals.iter_mut().zip(&counts.instructions);
            each.for_each(|(total, count)| *total += count);
        }
        line(out, "all", &totals)
    }
}

/// List of instructions with opcodes, names and operands.
#[derive(Serialize)]
struct InstructionListing {
    on: Vec<String>,
    instructions: Vec<ListedInstruction>,
}

#[derive(Serialize)]
struct ListedInstruction {
    family: String,
    /// Opcode in the first encoding on each instruction set; `None` if the instruction does not exist there.
    opcodes: Vec<Option<u64>>,
    written: String,
}

impl InstructionListing {
    fn of<'a>(isas: &[Isa], rows: impl IntoIterator<Item = &'a Row>) -> InstructionListing {
        let listed = |row: &Row| {
            let newest = isas.iter().rev().find(|&&isa| exists(row, isa))?;
            let number = |isa: &Isa| Some(isa.tables().forms(row.op()).first()?.opcode());
            Some(ListedInstruction {
                family: family(row.op()),
                opcodes: isas.iter().map(number).collect(),
                written: usage(*newest, row.op()),
            })
        };
        InstructionListing {
            on: isas.iter().map(|&isa| heading(isa)).collect(),
            instructions: rows.into_iter().filter_map(listed).collect(),
        }
    }
}

impl Answer for InstructionListing {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.on
            .iter()
            .try_for_each(|name| write!(out, "{name:>17}"))?;
        writeln!(out, "  written as")?;
        for listed in &self.instructions {
            for opcode in &listed.opcodes {
                let text = opcode.map_or("-".to_owned(), |number| format!("{number:#04x}"));
                write!(out, "{text:>17}")?;
            }
            writeln!(out, "  {}", listed.written)?;
        }
        Ok(())
    }
}

impl Answer for Vec<InstructionReport> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (index, instruction) in self.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            write!(out, "{instruction}")?;
        }
        Ok(())
    }
}

fn of_name(print: AnswerFormat<'_>, isas: &[Isa], name: &str) -> Result<()> {
    let name = name.to_ascii_lowercase();
    if family_names().contains(&name) {
        let of_family = rows().filter(|row| family(row.op()) == name);
        return print.answer(&InstructionListing::of(isas, of_family));
    }
    let found: Vec<&Row> = match name.split_once(':') {
        Some((family_name, number)) => rows_by_opcode(isas, family_name, number)?,
        None => named(isas, &name),
    };
    if !found.is_empty() {
        let described = found
            .into_iter()
            .map(|row| InstructionReport::of(isas, row));
        return print.answer(&described.collect::<Vec<_>>());
    }
    let matching = matching(isas, &name);
    if !matching.is_empty() {
        return print.answer(&InstructionListing::of(isas, matching));
    }
    if let Some(row) = named(&Isa::ALL, &name).first() {
        bail!(unknown(format!(
            "`{name}` exists on {}, not on {}",
            versions(sets(row), &Isa::ALL),
            versions(set_of(isas.iter().copied()), isas)
        )));
    }
    let names: Vec<&str> = isas.iter().flat_map(|isa| isa.tables().names()).collect();
    let families = family_names();
    let known = families.iter().map(String::as_str).chain(names);
    let message = match closest(&name, known) {
        Some(near) => {
            format!("no family or instruction is called `{name}`; did you mean `{near}`?")
        }
        None => format!("no family or instruction matches `{name}`"),
    };
    bail!(unknown(message))
}

/// Rows named `name`, with or without an encoding suffix.
fn named(isas: &[Isa], name: &str) -> Vec<&'static Row> {
    let stem = SUFFIXES
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    let is_it = |row: &&Row| {
        let mut here = isas.iter().filter(|&&isa| exists(row, isa));
        here.any(|&isa| row.name_on(isa) == name || row.name_on(isa) == stem)
    };
    rows().filter(is_it).collect()
}

/// Rows whose name matches a pattern, in which `*` matches any text. A pattern without `*` matches anywhere in a name.
fn matching(isas: &[Isa], pattern: &str) -> Vec<&'static Row> {
    let pattern = match pattern.contains('*') {
        true => pattern.to_owned(),
        false => format!("*{pattern}*"),
    };
    let is_it = |row: &&Row| {
        let mut here = isas.iter().filter(|&&isa| exists(row, isa));
        here.any(|&isa| is_like(row.name_on(isa), &pattern))
    };
    rows().filter(is_it).collect()
}

/// True if a name matches a pattern, in which `*` matches any text.
fn is_like(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Rows of a family whose first encoding on one of the instruction sets has opcode `number`.
fn rows_by_opcode(isas: &[Isa], family_name: &str, number: &str) -> Result<Vec<&'static Row>> {
    if !family_names().iter().any(|name| name == family_name) {
        let message = format!("no family is called `{family_name}`; `gcn isa` lists them");
        bail!(unknown(message));
    }
    let Ok(wanted) = input::number(number) else {
        bail!(unknown(format!("`{number}` is not a number")));
    };
    let has = |row: &&Row| {
        let forms = isas
            .iter()
            .filter_map(|isa| isa.tables().forms(row.op()).first());
        family(row.op()) == family_name && forms.into_iter().any(|form| form.opcode() == wanted)
    };
    let found: Vec<&Row> = rows().filter(has).collect();
    if found.is_empty() {
        let message = format!("no instruction of `{family_name}` has the number {wanted:#x}");
        bail!(unknown(message));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (name, pattern) in [
            ("ds_add_u32", "ds_*"),
            ("ds_add_u32", "*add*"),
            ("ds_add_rtn_u32", "ds_*_rtn_*32"),
            ("ds_add_u32", "ds_add_u32"),
            ("aba", "a*ba"),
        ] {
            assert!(is_like(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in [
            ("ds_add_u32", "s_*"),
            ("ds_add_u32", "*add"),
            ("aba", "ab*ba"),
        ] {
            assert!(!is_like(name, pattern), "{name} {pattern}");
        }
    }
}
