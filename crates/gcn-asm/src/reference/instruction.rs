//! Reference data on an instruction.

use std::fmt;

use gcn_isa::describe::{BitContents, BitRun};
use gcn_isa::{Encoding, Field, Form, Inst, Isa, IsaSet, Row};
use serde::Serialize;

use super::errata::errata_naming;
use super::sets::{exists, family, set_of, sets, versions};
use crate::explain::usage;

/// Description of an instruction on selected instruction sets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InstructionReport {
    /// Name on the last selected instruction set that has the instruction.
    pub name: &'static str,
    /// Instruction family in lower case.
    pub family: String,
    /// All instruction sets that have the instruction.
    pub exists_on: String,
    /// Names, each with the instruction sets that use it.
    pub called: Vec<(&'static str, String)>,
    /// Syntax as shown by [`usage`](crate::usage).
    pub written: String,
    /// Pseudo-code of the operation.
    pub does: Vec<IsaText>,
    /// Behavior in corner cases.
    pub corners: Vec<IsaText>,
    /// Counters that the instruction increments.
    pub counters: Vec<IsaText>,
    /// Memory that the instruction accesses.
    pub memory: Vec<IsaText>,
    /// Operands: field, type, and the registers read and written.
    pub operands: Vec<IsaText>,
    /// Implicit state that the instruction reads and writes.
    pub implicit: Vec<IsaText>,
    /// Titles of errata that mention the instruction.
    pub errata: Vec<&'static str>,
    /// Encodings of the instruction.
    pub encodings: Vec<EncodingReport>,
}

/// A text and the instruction sets to which it applies.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct IsaText {
    /// Text about the instruction.
    pub text: String,
    /// Instruction sets; `None` if the text applies to all selected ones that have the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
}

/// An encoding with the same layout and opcode on several instruction sets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EncodingReport {
    /// Encoding name in upper case, for example `VOP3`.
    pub encoding: String,
    /// Instruction sets that have the encoding.
    pub on: String,
    /// Opcode in this encoding.
    pub opcode: u64,
    /// Layout of each dword, highest bit first.
    pub dwords: Vec<Vec<LayoutCell>>,
}

/// Bit range of a dword, and its contents.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LayoutCell {
    /// Bit range in the instruction, for example `31:26`.
    pub bits: String,
    /// Field name in upper case, constant bits, or `-`.
    pub holds: String,
}

impl InstructionReport {
    /// Describes the instruction of a table row on selected instruction sets.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::reference::InstructionReport;
    /// use gcn_isa::{Isa, Op, ds::Ds};
    /// let report = InstructionReport::of(&[Isa::Gfx9], Op::Ds(Ds::DS_ADD_U32).row());
    /// assert_eq!((report.name, report.family.as_str()), ("ds_add_u32", "ds"));
    /// assert!(report.to_string().contains("counters  lgkmcnt"), "{report}");
    /// ```
    pub fn of(isas: &[Isa], row: &'static Row) -> InstructionReport {
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
        let called = group_by_set(here.iter().map(|&isa| (row.name_on(isa), isa)));
        // The first encoding is the family's native one, or the only one.
        let firsts: Vec<&'static Form> = here
            .iter()
            .filter_map(|isa| isa.tables().forms(row.op()).first())
            .collect();
        let examples: Vec<Inst> = firsts.iter().map(|form| form.example()).collect();
        let varying = |of: &dyn Fn(&Inst) -> Vec<String>| {
            let each = examples.iter();
            group_texts(
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
            does: group_texts(
                firsts.iter().map(|form| (form.pseudo_code(), form.isa)),
                &here,
            ),
            corners: group_texts(
                firsts.iter().flat_map(|form| {
                    let corners = form.corners().into_iter();
                    corners.map(|corner| (corner.to_owned(), form.isa))
                }),
                &here,
            ),
            counters: group_texts(
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
            errata: errata_naming(row),
            encodings: encodings(&forms, &here),
        }
    }
}

/// Groups equal values, each with the instruction sets that share it.
fn group_by_set<T: PartialEq>(values: impl Iterator<Item = (T, Isa)>) -> Vec<(T, IsaSet)> {
    let mut sets: Vec<(T, IsaSet)> = Vec::new();
    for (value, isa) in values {
        match sets.iter_mut().find(|(known, _)| *known == value) {
            Some((_, set)) => *set = set.or(isa.only()),
            None => sets.push((value, isa.only())),
        }
    }
    sets
}

/// Groups equal texts, each with its instruction sets unless it applies to all.
pub(super) fn group_texts(texts: impl Iterator<Item = (String, Isa)>, all: &[Isa]) -> Vec<IsaText> {
    let whole = set_of(all.iter().copied());
    let of = |(text, set): (String, IsaSet)| IsaText {
        text,
        on: (set != whole).then(|| versions(set, all)),
    };
    group_by_set(texts).into_iter().map(of).collect()
}

/// Names of the counters that an instruction increments; `None` if it increments none.
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

/// Description of each operand: field, type, and the registers read and written.
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

/// Encoding name in upper case.
///
/// # Examples
/// ```
/// assert_eq!(gcn_asm::reference::encoding_name(gcn_isa::Encoding::Vop3), "VOP3");
/// ```
pub fn encoding_name(encoding: Encoding) -> String {
    format!("{encoding:?}").to_ascii_uppercase()
}

/// Groups encodings that have the same layout and opcode on several instruction sets.
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

/// Layout of each dword of an encoding: bit ranges and their contents.
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

/// Bit range as text, for example `31:26`.
pub(super) fn places(run: BitRun) -> String {
    if run.high == run.low {
        run.low.to_string()
    } else {
        format!("{}:{}", run.high, run.low)
    }
}

/// Contents of a bit range: a field name, constant bits, or `-`.
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

/// Writes the report as text.
impl fmt::Display for InstructionReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |out: &mut fmt::Formatter<'_>, what: &str, text: &str| {
            writeln!(out, "  {what:9} {text}")
        };
        let lines = |out: &mut fmt::Formatter<'_>, what: &str, texts: &[IsaText]| {
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
