//! All that the tables have about an instruction.

use std::io::{self, Write};

use gcn_asm::usage;
use gcn_isa::describe::{BitContents, BitRun};
use gcn_isa::{Encoding, Field, Form, Inst, Isa, IsaSet, Row};
use serde::Serialize;

use super::answer::{Answer, exists, family, set_of, sets, versions};
use super::errata;

/// An instruction, on the instruction sets that were asked for.
#[derive(Serialize)]
pub(super) struct InstructionReport {
    name: &'static str,
    family: String,
    /// All instruction sets that have it.
    exists_on: String,
    /// The names, and where it has each.
    called: Vec<(&'static str, String)>,
    written: String,
    does: Vec<Varying>,
    corners: Vec<Varying>,
    counters: Vec<Varying>,
    memory: Vec<Varying>,
    operands: Vec<Varying>,
    implicit: Vec<Varying>,
    errata: Vec<&'static str>,
    encodings: Vec<EncodingReport>,
}

/// A text, and the instruction sets where it holds if it does not hold on all.
#[derive(Serialize)]
struct Varying {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<String>,
}

/// An encoding whose field map and number are the same on the instruction sets that it names.
#[derive(Serialize)]
struct EncodingReport {
    encoding: String,
    on: String,
    opcode: u64,
    dwords: Vec<Vec<LayoutCell>>,
}

/// Bits of a dword and their contents.
#[derive(Serialize)]
struct LayoutCell {
    bits: String,
    holds: String,
}

impl InstructionReport {
    pub(super) fn of(isas: &[Isa], row: &'static Row) -> InstructionReport {
        let here: Vec<Isa> = isas
            .iter()
            .copied()
            .filter(|&isa| exists(row, isa))
            .collect();
        let newest = here.last().copied().unwrap_or(Isa::Si);
        let forms: Vec<&Form> = here
            .iter()
            .flat_map(|isa| isa.tables().forms(row.op()))
            .collect();
        let called = by_set(here.iter().map(|&isa| (row.name_on(isa), isa)));
        // The first encoding is the family's own, or the only one.
        let firsts: Vec<&'static Form> = here
            .iter()
            .filter_map(|isa| isa.tables().forms(row.op()).first())
            .collect();
        let examples: Vec<Inst> = firsts.iter().map(|form| form.example()).collect();
        let varying = |of: &dyn Fn(&Inst) -> Vec<String>| {
            let each = examples.iter();
            vary(
                each.flat_map(|inst| of(inst).into_iter().map(|text| (text, inst.isa))),
                &here,
            )
        };
        InstructionReport {
            name: row.name_on(newest),
            family: family(row.op()),
            exists_on: versions(sets(row), &Isa::ALL),
            called: called
                .into_iter()
                .map(|(name, set)| (name, versions(set, &here)))
                .collect(),
            written: usage(newest, row.op()),
            does: vary(
                firsts.iter().map(|form| (form.pseudo_code(), form.isa)),
                &here,
            ),
            corners: vary(
                firsts.iter().flat_map(|form| {
                    let corners = form.corners().into_iter();
                    corners.map(|corner| (corner.to_owned(), form.isa))
                }),
                &here,
            ),
            counters: vary(
                firsts
                    .iter()
                    .filter_map(|form| Some((counters(form)?, form.isa))),
                &here,
            ),
            memory: varying(&|inst| {
                let memory = inst.uses().memory();
                memory.iter().map(ToString::to_string).collect()
            }),
            operands: varying(&operands),
            implicit: varying(&|inst| inst.uses().implicit_phrases()),
            errata: errata::naming(row),
            encodings: encodings(&forms, &here),
        }
    }
}

/// The values, each once, with the instruction sets that have it.
fn by_set<T: PartialEq>(values: impl Iterator<Item = (T, Isa)>) -> Vec<(T, IsaSet)> {
    let mut sets: Vec<(T, IsaSet)> = Vec::new();
    for (value, isa) in values {
        match sets.iter_mut().find(|(known, _)| *known == value) {
            Some((_, set)) => *set = set.or(isa.only()),
            None => sets.push((value, isa.only())),
        }
    }
    sets
}

/// The same as texts; without their instruction sets where these are all.
fn vary(texts: impl Iterator<Item = (String, Isa)>, all: &[Isa]) -> Vec<Varying> {
    let whole = set_of(all.iter().copied());
    let of = |(text, set): (String, IsaSet)| Varying {
        text,
        on: (set != whole).then(|| versions(set, all)),
    };
    by_set(texts).into_iter().map(of).collect()
}

/// The counters that an instruction adds to; nothing if there is none.
fn counters(form: &'static Form) -> Option<String> {
    let counters = form.counters();
    let names = counters.iter().map(|(counter, modifier)| match modifier {
        Some(modifier) => format!(
            "{counter} with {}",
            field_name(*modifier).to_ascii_lowercase()
        ),
        None => counter.to_string(),
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Each operand: its field, its type, the registers that it reads and writes.
fn operands(inst: &Inst) -> Vec<String> {
    let slots = inst.row().slots().enumerate();
    let text = slots.map(|(place, slot)| {
        let field = field_name(slot.field);
        let ty = format!("{:?}", slot.ty).to_ascii_lowercase();
        let uses = inst.uses().operand_phrases(place);
        match uses.is_empty() {
            true => format!("{field}: {ty}"),
            false => format!("{field}: {ty}, {}", uses.join(", ")),
        }
    });
    text.collect()
}

fn field_name(field: Field) -> String {
    format!("{field:?}").to_ascii_uppercase()
}

pub(super) fn encoding_name(encoding: Encoding) -> String {
    format!("{encoding:?}").to_ascii_uppercase()
}

/// Encodings with the same picture and number on several instruction sets come once.
fn encodings(forms: &[&Form], asked: &[Isa]) -> Vec<EncodingReport> {
    let mut shown: Vec<(&Form, IsaSet)> = Vec::new();
    for &form in forms {
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
    let encoded = shown.into_iter().map(|(form, set)| EncodingReport {
        encoding: encoding_name(form.encoding),
        on: versions(set, asked),
        opcode: form.opcode(),
        dwords: dwords(form),
    });
    encoded.collect()
}

/// The dwords of an encoding: which bits, and what they hold.
fn dwords(form: &Form) -> Vec<Vec<LayoutCell>> {
    let dword = |run: &BitRun| run.low / u32::BITS as u8;
    let runs = form.picture();
    let of_dword = |index: u8| {
        let runs = runs.iter().filter(|run| dword(run) == index);
        let cell = |run: &BitRun| LayoutCell {
            bits: places(*run),
            holds: contents(form, *run),
        };
        runs.map(cell).collect()
    };
    (0..form.layout.dwords).map(of_dword).collect()
}

pub(super) fn places(run: BitRun) -> String {
    if run.high == run.low {
        run.low.to_string()
    } else {
        format!("{}:{}", run.high, run.low)
    }
}

pub(super) fn contents(form: &Form, run: BitRun) -> String {
    match run.holds {
        BitContents::Constant => {
            let width = usize::from(run.high - run.low) + 1;
            let bits = form.layout.constant >> run.low & (u32::MAX >> (u32::BITS as usize - width));
            format!("{bits:0width$b}")
        }
        BitContents::Field(field) => field_name(field),
        BitContents::Nothing => "-".to_owned(),
    }
}

impl Answer for InstructionReport {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |out: &mut dyn Write, what: &str, text: &str| writeln!(out, "  {what:9} {text}");
        let lines = |out: &mut dyn Write, what: &str, texts: &[Varying]| {
            texts.iter().try_for_each(|it| match &it.on {
                Some(on) => line(out, what, &format!("{} ({on})", it.text)),
                None => line(out, what, &it.text),
            })
        };
        writeln!(out, "{}: {}, {}", self.name, self.family, self.exists_on)?;
        for (name, on) in self.called.iter().filter(|_| self.called.len() > 1) {
            line(out, "called", &format!("{name} on {on}"))?;
        }
        line(out, "written", &self.written)?;
        lines(out, "does", &self.does)?;
        lines(out, "", &self.corners)?;
        lines(out, "counters", &self.counters)?;
        lines(out, "memory", &self.memory)?;
        lines(out, "operand", &self.operands)?;
        lines(out, "implicit", &self.implicit)?;
        for title in &self.errata {
            line(out, "errata", title)?;
        }
        for encoded in &self.encodings {
            writeln!(out)?;
            writeln!(
                out,
                "{} on {}: opcode {:#x}",
                encoded.encoding, encoded.on, encoded.opcode
            )?;
            for cells in &encoded.dwords {
                let row = |separator: char, text: fn(&LayoutCell) -> &str| -> String {
                    let width = |cell: &LayoutCell| cell.bits.len().max(cell.holds.len());
                    let of_cell = |cell| format!("{separator}{:^1$}", text(cell), width(cell));
                    cells.iter().map(of_cell).collect()
                };
                writeln!(out, "  {}", row(' ', |cell| &cell.bits).trim_end())?;
                writeln!(out, "  {}|", row('|', |cell| &cell.holds))?;
            }
        }
        Ok(())
    }
}
