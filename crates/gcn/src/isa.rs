//! `gcn isa`: what the tables say of families, instructions and words.
//!
//! Nothing is written down here: counts, numbers, fields, syntax, effect and counters come from the tables of
//! `gcn-isa`, and the errata from the document that the tables cite.

use std::io::Write;

use anyhow::{Result, bail};
use clap::builder::TypedValueParser;
use gcn_asm::{closest, usage};
use gcn_isa::describe::{Holds, Run};
use gcn_isa::field::SUFFIXES;
use gcn_isa::{Access, Encoding, Form, Inst, Isa, IsaSet, Op, Row, Target, decode, rows};

use crate::{Status, Usage, input};

/// The errata that the tables cite.
const ERRATA: &str = include_str!("../../../docs/errata.md");

/// For `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn isa ds_add_u32
  gcn isa --target vega20 0xd8000000 0x00000100";

/// The arguments of `gcn isa`.
#[derive(clap::Args)]
pub struct Args {
    /// A family (`ds`), an instruction (`ds_add_u32`), a number (`ds:0x20`), or words in hexadecimal
    /// (`0xd8000000 0x00000100`). Without it the families are listed.
    query: Vec<String>,
    /// Only this GPU: gfx600 … gfx90c, a chip's name, or gcn1.0 … gcn1.4.1.
    #[arg(long, value_parser = input::TargetParser.map(|named| named.target), hide_possible_values = true)]
    target: Option<&'static Target>,
}

/// Carries the command out.
///
/// # Errors
/// The query names nothing, or its words are no instruction.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    let isas: Vec<Isa> = match args.target {
        Some(target) => vec![target.isa],
        None => Isa::ALL.to_vec(),
    };
    let query: Vec<&str> = args.query.iter().map(String::as_str).collect();
    match query.as_slice() {
        [] => families(out, &isas)?,
        words if words.iter().all(|word| hexadecimal(word).is_some()) => {
            let words: Vec<u32> = words.iter().filter_map(|word| hexadecimal(word)).collect();
            of_words(out, &isas, &words)?;
        }
        [name] => of_name(out, &isas, name)?,
        _ => {
            let message = "expected one family, instruction or number, or words in hexadecimal";
            return Err(Usage(message.to_owned()).into());
        }
    }
    Ok(Status::Success)
}

/// A word with `0x` before it, or of eight digits.
fn hexadecimal(word: &str) -> Option<u32> {
    const DIGITS: usize = 8;
    let digits = word
        .strip_prefix("0x")
        .or_else(|| (word.len() == DIGITS).then_some(word))?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// A family as the command line calls it.
fn family(op: Op) -> String {
    format!("{:?}", op.family_encoding()).to_ascii_lowercase()
}

/// Families in the order of the tables.
fn family_names() -> Vec<String> {
    let mut names: Vec<String> = rows().map(|row| family(row.op())).collect();
    names.dedup();
    names
}

/// An instruction set as headings call it: its version and the oldest target.
fn heading(isa: Isa) -> String {
    let target = gcn_isa::TARGETS.iter().find(|target| target.isa == isa);
    target.map_or_else(
        || isa.to_string(),
        |target| format!("{} {}", isa.version(), target.name),
    )
}

fn families(out: &mut dyn Write, isas: &[Isa]) -> Result<()> {
    write!(out, "{:12}", "family")?;
    for &isa in isas {
        write!(out, "{:>15}", heading(isa))?;
    }
    writeln!(out)?;
    let mut totals = vec![0; isas.len()];
    for name in family_names() {
        write!(out, "{name:12}")?;
        for (&isa, total) in isas.iter().zip(&mut totals) {
            let of_family = rows().filter(|row| family(row.op()) == name);
            let count = of_family.filter(|row| exists(row, isa)).count();
            *total += count;
            write!(out, "{count:15}")?;
        }
        writeln!(out)?;
    }
    write!(out, "{:12}", "all")?;
    for total in totals {
        write!(out, "{total:15}")?;
    }
    writeln!(out)?;
    Ok(())
}

fn exists(row: &Row, isa: Isa) -> bool {
    !isa.tables().forms(row.op()).is_empty()
}

/// A row's number in its first encoding, on the instruction sets where it is; `-` where it is not.
fn number(row: &Row, isa: Isa) -> String {
    let form = isa.tables().forms(row.op()).first();
    form.map_or("-".to_owned(), |form| format!("{:#04x}", form.opcode()))
}

fn of_name(out: &mut dyn Write, isas: &[Isa], name: &str) -> Result<()> {
    let name = name.to_ascii_lowercase();
    if family_names().contains(&name) {
        return of_family(out, isas, &name);
    }
    let found: Vec<&Row> = match name.split_once(':') {
        Some((family_name, number)) => numbered(isas, family_name, number)?,
        None => named(isas, &name),
    };
    if found.is_empty() {
        let names: Vec<&str> = isas.iter().flat_map(|isa| isa.tables().names()).collect();
        let families = family_names();
        let known = families.iter().map(String::as_str).chain(names);
        let elsewhere: Vec<&Row> = named(&Isa::ALL, &name);
        if let Some(row) = elsewhere.first() {
            bail!(
                "`{name}` exists on {} only",
                sets(row).to_string().trim_end_matches(" only")
            );
        }
        match closest(&name, known) {
            Some(near) => {
                bail!("no family or instruction is called `{name}`; did you mean `{near}`?")
            }
            None => bail!("no family or instruction is called `{name}`"),
        }
    }
    for (index, row) in found.into_iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        of_row(out, isas, row)?;
    }
    Ok(())
}

/// The instruction sets that have a row.
fn sets(row: &Row) -> IsaSet {
    let have = Isa::ALL.into_iter().filter(|&isa| exists(row, isa));
    have.fold(IsaSet::NONE, |set, isa| set.or(isa.only()))
}

/// The rows of a name, with or without an encoding's suffix.
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

/// The rows that have a number in a family.
fn numbered(isas: &[Isa], family_name: &str, number: &str) -> Result<Vec<&'static Row>> {
    if !family_names().iter().any(|name| name == family_name) {
        bail!("no family is called `{family_name}`; `gcn isa` lists them");
    }
    let parsed = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => number.parse(),
    };
    let Ok(wanted) = parsed else {
        bail!("`{number}` is not a number");
    };
    let has = |row: &&Row| {
        let forms = isas
            .iter()
            .filter_map(|isa| isa.tables().forms(row.op()).first());
        family(row.op()) == family_name && forms.into_iter().any(|form| form.opcode() == wanted)
    };
    let found: Vec<&Row> = rows().filter(has).collect();
    if found.is_empty() {
        bail!("no instruction of `{family_name}` has the number {wanted:#x}");
    }
    Ok(found)
}

fn of_family(out: &mut dyn Write, isas: &[Isa], name: &str) -> Result<()> {
    for &isa in isas {
        write!(out, "{:>15}", heading(isa))?;
    }
    writeln!(out, "  written as")?;
    for row in rows().filter(|row| family(row.op()) == name) {
        let Some(&newest) = isas.iter().rev().find(|&&isa| exists(row, isa)) else {
            continue;
        };
        for &isa in isas {
            write!(out, "{:>15}", number(row, isa))?;
        }
        writeln!(out, "  {}", usage(newest, row.op()))?;
    }
    Ok(())
}

/// Everything about an instruction: a block for each encoding, whose field map, number and name are the same on the
/// instruction sets that it names.
fn of_row(out: &mut dyn Write, isas: &[Isa], row: &'static Row) -> Result<()> {
    let here: Vec<Isa> = isas
        .iter()
        .copied()
        .filter(|&isa| exists(row, isa))
        .collect();
    let Some(&newest) = here.last() else {
        return Ok(());
    };
    let set = here
        .iter()
        .fold(IsaSet::NONE, |set, isa| set.or(isa.only()));
    writeln!(out, "{}: {}, {set}", row.name_on(newest), family(row.op()))?;
    let mut names: Vec<(&str, IsaSet)> = Vec::new();
    for &isa in &here {
        let name = row.name_on(isa);
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, set)) => *set = set.or(isa.only()),
            None => names.push((name, isa.only())),
        }
    }
    for (name, set) in names.iter().filter(|_| names.len() > 1) {
        writeln!(out, "  called    {name} on {set}")?;
    }
    writeln!(out, "  written   {}", usage(newest, row.op()))?;
    let forms: Vec<&Form> = here
        .iter()
        .flat_map(|isa| isa.tables().forms(row.op()))
        .collect();
    if let Some(form) = forms.last() {
        writeln!(out, "  does      {}", form.pseudo_code())?;
        let counters: Vec<String> = form.counters().iter().map(ToString::to_string).collect();
        if !counters.is_empty() {
            writeln!(out, "  counters  {}", counters.join(", "))?;
        }
    }
    for slot in row.slots() {
        let does = match slot.access {
            Access::Read => "read",
            Access::Write => "written",
            Access::ReadWrite => "read and written",
        };
        let field = format!("{:?}", slot.field).to_ascii_uppercase();
        let ty = format!("{:?}", slot.ty).to_ascii_lowercase();
        let dwords = slot.ty.dwords();
        let plural = if dwords == 1 { "" } else { "s" };
        writeln!(
            out,
            "  operand   {field}: {ty}, {dwords} dword{plural}, {does}"
        )?;
    }
    for entry in errata(row) {
        writeln!(out, "  errata    {entry}")?;
    }
    // Encodings with the same picture and number on several instruction sets are shown once.
    let mut shown: Vec<(&Form, IsaSet)> = Vec::new();
    for form in forms {
        let is_same = |other: &Form| {
            other.encoding == form.encoding
                && other.opcode() == form.opcode()
                && other.layout.constant == form.layout.constant
                && other.picture() == form.picture()
        };
        match shown.iter_mut().find(|(other, _)| is_same(other)) {
            Some((_, set)) => *set = set.or(form.isa.only()),
            None => shown.push((form, form.isa.only())),
        }
    }
    for (form, set) in shown {
        writeln!(out)?;
        writeln!(
            out,
            "{} on {set}: opcode {:#x}",
            encoding_name(form.encoding),
            form.opcode()
        )?;
        picture(out, form)?;
    }
    Ok(())
}

fn encoding_name(encoding: Encoding) -> String {
    format!("{encoding:?}").to_ascii_uppercase()
}

/// The errata entries that name an instruction: number and title.
fn errata(row: &Row) -> Vec<&'static str> {
    let names: Vec<&str> = Isa::ALL.iter().map(|&isa| row.name_on(isa)).collect();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    ERRATA
        .split("\n### ")
        .skip(1)
        // Behind the last entry of a chapter the next chapter begins.
        .map(|entry| entry.split("\n# ").next().unwrap_or(entry))
        .filter(|entry| {
            let text = entry.to_ascii_lowercase();
            text.split(|c| !is_letter(c))
                .any(|word| names.contains(&word))
        })
        .filter_map(|entry| entry.lines().next())
        .collect()
}

/// The dwords of an encoding, a table each: which bits, and what they hold.
fn picture(out: &mut dyn Write, form: &Form) -> Result<()> {
    let dword = |run: &Run| run.low / u32::BITS as u8;
    let runs = form.picture();
    for index in 0..form.layout.dwords {
        let cells: Vec<(String, String)> = runs
            .iter()
            .filter(|run| dword(run) == index)
            .map(|run| (places(*run), contents(form, *run)))
            .collect();
        let width = |cell: &(String, String)| cell.0.len().max(cell.1.len());
        let row = |separator: char, text: fn(&(String, String)) -> &str| -> String {
            let of_cell = |cell| format!("{separator}{:^1$}", text(cell), width(cell));
            cells.iter().map(of_cell).collect()
        };
        writeln!(out, "  {}", row(' ', |cell| &cell.0).trim_end())?;
        writeln!(out, "  {}|", row('|', |cell| &cell.1))?;
    }
    Ok(())
}

fn places(run: Run) -> String {
    if run.high == run.low {
        run.low.to_string()
    } else {
        format!("{}:{}", run.high, run.low)
    }
}

fn contents(form: &Form, run: Run) -> String {
    match run.holds {
        Holds::Constant => {
            let width = usize::from(run.high - run.low) + 1;
            let bits = form.layout.constant >> run.low & (u32::MAX >> (u32::BITS as usize - width));
            format!("{bits:0width$b}")
        }
        Holds::Field(field) => format!("{field:?}").to_ascii_uppercase(),
        Holds::Nothing => "-".to_owned(),
    }
}

/// Explains words: on each instruction set their text, the values of their fields, and the instruction.
fn of_words(out: &mut dyn Write, isas: &[Isa], words: &[u32]) -> Result<()> {
    let mut found: Vec<(Inst, IsaSet)> = Vec::new();
    let mut problem = None;
    for &isa in isas {
        match decode(isa, words) {
            Ok(inst) => {
                let is_same = |other: &Inst| {
                    other.op == inst.op
                        && other.encoding == inst.encoding
                        && other.text() == inst.text()
                        && other.form().picture() == inst.form().picture()
                };
                match found.iter_mut().find(|(other, _)| is_same(other)) {
                    Some((_, set)) => *set = set.or(isa.only()),
                    None => found.push((inst, isa.only())),
                }
            }
            Err(error) => problem = Some(error),
        }
    }
    if let (true, Some(error)) = (found.is_empty(), problem) {
        bail!("{error}");
    }
    for (index, (inst, set)) in found.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(
            out,
            "{} on {set}: {}",
            encoding_name(inst.encoding),
            inst.text()
        )?;
        if inst.dwords() < words.len() {
            writeln!(
                out,
                "  the instruction has {} of the {} words",
                inst.dwords(),
                words.len()
            )?;
        }
        for run in inst.form().picture() {
            let width = u32::from(run.high - run.low) + 1;
            let value = inst.bits() >> run.low & (u64::MAX >> (u64::BITS - width));
            let (place, what) = (places(run), contents(inst.form(), run));
            match run.holds {
                Holds::Constant => {}
                Holds::Field(_) => writeln!(out, "  {place:>6}  {what:10} {value:#x} ({value})")?,
                Holds::Nothing if value != 0 => {
                    writeln!(
                        out,
                        "  {place:>6}  reserved   {value:#x}, which no text tells"
                    )?;
                }
                Holds::Nothing => {}
            }
        }
        if let Some(literal) = inst.literal() {
            writeln!(out, "  {:>6}  literal    {literal:#x} ({literal})", "63:32")?;
        }
    }
    let mut described: Vec<Op> = Vec::new();
    for (inst, _) in &found {
        if !described.contains(&inst.op) {
            described.push(inst.op);
            writeln!(out)?;
            of_row(out, isas, inst.row())?;
        }
    }
    Ok(())
}
