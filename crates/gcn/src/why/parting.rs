//! Text and JSON for the point where two runs diverge.

use std::collections::BTreeMap;
use std::io::{self, Write};

use gcn_args::value::Type;
use gcn_debug::{
    Edge, Origin, Parting, PartingKind, PartingSide, StepInput, ValueOrigin, ValueStep,
};
use serde::Serialize;

use super::json::{OriginReport, kind, origin};
use crate::render;
use crate::render::printable;
use gcn_console::why::{RunNames, branch, instruction, label, location, number};
use gcn_report::plural;

/// Names of the runs.
const SIDES: [&str; 2] = ["first", "other"];
/// Maximum number of pairs shown between the divergence and the element.
const MAX_PAIRS: usize = 8;

/// Registers omitted if they have their initial values in both runs.
const STATE: [&str; 3] = ["mode", "exec_lo", "exec_hi"];

/// Result of a comparison.
pub struct Report {
    /// Difference between the runs; `None` if there is none.
    pub difference: Option<Difference>,
    /// Number of elements compared.
    pub compared: u64,
    /// Faults, and limits of the comparison.
    pub notes: Vec<String>,
}

/// Element or access that differs, and the point where the runs diverge.
pub struct Difference {
    pub subject: Subject,
    pub parting: Parting,
    /// Names of the launches of both runs.
    pub names: [RunNames; 2],
}

/// Element or access that differs.
pub enum Subject {
    /// Element after the runs.
    Element(ComparedElement),
    /// Access whose fault ended one run.
    Fault {
        /// Index of the run.
        side: usize,
        /// Description of the fault, usually a verb phrase with the run as its subject.
        message: String,
    },
}

/// Element that differs after the runs.
pub struct ComparedElement {
    /// Selector of the element.
    pub label: String,
    pub ty: Type,
    /// Values in the first and the other run, as text and in JSON.
    pub values: [(String, serde_json::Value); 2],
    /// All buffers that differ, with the element's buffer first; empty for a requested element.
    pub buffers: Vec<BufferCounts>,
    /// Index of the run that did not write the element. The last store by the same lane is compared instead.
    pub stray: Option<usize>,
}

/// Buffer that differs, with element counts.
#[derive(Serialize)]
pub struct BufferCounts {
    pub name: String,
    /// Number of elements that were compared.
    pub elements: u64,
    /// Number of elements that differ.
    pub different: u64,
}

impl BufferCounts {
    fn text(&self) -> String {
        let BufferCounts {
            name,
            elements,
            different,
        } = self;
        format!("{different} of {elements} elements of {}", printable(name))
    }
}

/// Headline for a kind of divergence.
fn headline(kind: PartingKind) -> &'static str {
    match kind {
        PartingKind::Result => "equal operands have different results",
        PartingKind::Constants => "instructions produce different constants",
        PartingKind::Operands => "instructions use other operands, whose values both runs have",
        PartingKind::Region => "different instructions use values that both runs have",
        PartingKind::Origin => "values have different origins",
    }
}

/// Writes the comparison as text.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Some(difference) = &report.difference else {
        let compared = plural(report.compared, "element", "s");
        return writeln!(out, "Both runs leave the same values: {compared} compared.");
    };
    let Difference {
        subject,
        parting,
        names,
    } = difference;
    let end = match subject {
        Subject::Element(element) => {
            write_element(element, out)?;
            printable(&element.label)
        }
        Subject::Fault { side, message } => {
            let side = SIDES[*side];
            writeln!(out, "The {side} run ended with a fault: it {message}.")?;
            "the access".to_owned()
        }
    };
    writeln!(out, "The runs diverge where {}:", headline(parting.kind))?;
    for (number, (side, names)) in parting.sides.iter().zip(names).enumerate() {
        write_side(SIDES[number], side, names, branch(number, 2), out)?;
    }
    if let Some(side) = parting.unwaited {
        writeln!(
            out,
            "The {} run reads the register before the load has taken effect: a wait is missing.",
            SIDES[side]
        )?;
    }
    let shown = parting.path.iter().rev();
    if !parting.path.is_empty() {
        writeln!(out, "From there to {end}:")?;
    }
    for (edge, steps) in shown.take(MAX_PAIRS) {
        for (side, step) in steps.iter().enumerate() {
            let label = match side {
                0 => label(*edge),
                _ => "",
            };
            let line = step_line(step, &names[side], false);
            writeln!(out, "  {}: {label}{line}", SIDES[side])?;
        }
    }
    if parting.path.len() > MAX_PAIRS {
        let left = (parting.path.len() - MAX_PAIRS) as u64;
        writeln!(out, "  … {} more", plural(left, "pair", "s"))?;
    }
    if parting.others > 0 {
        let others = plural(parting.others as u64, "other place", "s");
        writeln!(out, "Operands on the way also differ at {others}.")?;
    }
    for (name, side) in SIDES.iter().zip(&parting.sides) {
        if let Some(cut) = side.cut {
            writeln!(out, "The slice of the {name} run is not complete: {cut}.")?;
        }
    }
    let [a, b] = &parting.sides;
    writeln!(
        out,
        "executions compared: {} and {}; workgroups traced: {} and {}",
        a.executions, b.executions, a.workgroups, b.workgroups
    )
}

fn write_element(element: &ComparedElement, out: &mut dyn Write) -> io::Result<()> {
    let [first, other] = &element.values;
    let label = printable(&element.label);
    write!(
        out,
        "{label} = {} in the first run, {} in the other",
        first.0, other.0
    )?;
    match &element.buffers[..] {
        [] => writeln!(out)?,
        [own, others @ ..] => {
            writeln!(out, "; {} differ", own.text())?;
            let others: Vec<String> = others.iter().map(BufferCounts::text).collect();
            if !others.is_empty() {
                writeln!(out, "Also different: {}", others.join(", "))?;
            }
        }
    }
    if let Some(side) = element.stray {
        let (own, other) = (SIDES[side], SIDES[1 - side]);
        writeln!(
            out,
            "The {own} run has not written {label}: its last store of the lane is compared with that of the {other} run."
        )?;
    }
    Ok(())
}

fn write_side(
    name: &str,
    side: &PartingSide,
    names: &RunNames,
    (branch, below): (&str, &str),
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some((origin, value)) = &side.origin {
        let value = value.map_or_else(String::new, |it| format!(" = {}", number(&[it], false)));
        return writeln!(out, "{branch}{name}: {}{value}", names.origin(origin, None));
    }
    if side.steps.is_empty() {
        return writeln!(out, "{branch}{name}: has no corresponding access");
    }
    // A single instruction is shown on the run's line; several are listed below it.
    let is_one = side.steps.len() == 1 && side.hidden == 0;
    let mut tree = Tree { lines: Vec::new() };
    let mut head = String::new();
    if side.hidden > 0 {
        head = format!(
            " … {}",
            plural(side.hidden as u64, "earlier instruction", "s")
        );
    }
    for (place, step) in side.steps.iter().enumerate() {
        let has_wave = place == 0;
        let line = step_line(step, names, has_wave);
        // If several instructions are listed, omit data operands that differ.
        let inputs = shown(step, !is_one).into_iter();
        let inputs = inputs.map(|it| input_line(it, names));
        if is_one {
            head = format!(" {line}");
            tree.lines.extend(inputs.map(|it| (it, Vec::new())));
        } else {
            tree.lines.push((line, inputs.collect()));
        }
    }
    for step in &side.conditions {
        let label = label(Edge::Branch);
        let line = format!("{label}{}", step_line(step, names, false));
        tree.lines.push((line, Vec::new()));
    }
    writeln!(out, "{branch}{name}:{head}")?;
    tree.write(below, out)
}

/// Two-level tree of lines.
struct Tree {
    lines: Vec<(String, Vec<String>)>,
}

impl Tree {
    fn write(&self, indent: &str, out: &mut dyn Write) -> io::Result<()> {
        for (place, (line, children)) in self.lines.iter().enumerate() {
            let (branch, below) = branch(place, self.lines.len());
            writeln!(out, "{indent}{branch}{line}")?;
            for (place, line) in children.iter().enumerate() {
                let (branch, _) = self::branch(place, children.len());
                writeln!(out, "{indent}{below}{branch}{line}")?;
            }
        }
        Ok(())
    }
}

/// Operands of an instruction to show: data operands (in a region, only those that agree), and address operands that
/// differ.
fn shown(step: &ValueStep, is_region: bool) -> Vec<&StepInput> {
    let mut shown: Vec<&StepInput> = Vec::new();
    for input in &step.inputs {
        let is_state = matches!(&input.from, ValueOrigin::Origin(Origin::Register { name, .. }) if STATE.contains(&&**name));
        if is_state && input.agrees {
            continue;
        }
        let is_wanted = match input.edge {
            Edge::Data => !is_region || input.agrees,
            Edge::Address => step.register.is_some() && !input.agrees && input.value.is_some(),
            Edge::Exec | Edge::Branch => false,
        };
        let is_new = !shown.iter().any(|it| {
            it.register.is_some() && (&it.register, it.value) == (&input.register, input.value)
        });
        if is_wanted && is_new {
            shown.push(input);
        }
    }
    shown
}

/// Formats an instruction, with its wave and lane if `has_wave` is true.
fn step_line(step: &ValueStep, names: &RunNames, has_wave: bool) -> String {
    let value = step.value.map(|it| text_of(it, step.is_f32));
    let value = match (&step.register, value) {
        (Some(register), Some(value)) => format!("{register} = {value}: "),
        (Some(register), None) => format!("{register}: "),
        (None, _) => String::new(),
    };
    let mut parts = vec![location(&step.location)];
    if names.has_several_runs() {
        parts.push(names.run(step.run));
    }
    if has_wave {
        let [x, y, z] = step.wave.group;
        parts.push(format!("workgroup {x},{y},{z}, wave {}", step.wave.wave));
        parts.extend(step.lane.map(|it| format!("lane {it}")));
    }
    let place = step.place.as_ref().map_or_else(String::new, |it| {
        let text = names.origin(it, None);
        format!(" of {}", text.strip_prefix("input ").unwrap_or(&text))
    });
    let text = instruction(&step.text, step.target.clone());
    format!("{value}{text}  [{}]{place}", parts.join(", "))
}

/// Formats a dword or a lane mask.
fn text_of(value: u64, is_f32: bool) -> String {
    match u32::try_from(value) {
        Ok(value) => number(&[value], is_f32),
        Err(_) => number(&[value as u32, (value >> 32) as u32], false),
    }
}

fn input_line(input: &StepInput, names: &RunNames) -> String {
    let label = label(input.edge);
    let value = input.value.map(|it| text_of(it, input.is_f32));
    let is = value.map_or_else(String::new, |it| format!(" = {it}"));
    match (&input.from, &input.register) {
        (ValueOrigin::Instruction { text, location: at }, register) => {
            let register = register.as_deref().unwrap_or("memory");
            let (text, at) = (printable(text), location(at));
            format!("{label}{register}{is}: {text}  [{at}]")
        }
        (ValueOrigin::Origin(it), Some(_)) => {
            let value = input.value.map(|it| it as u32);
            format!("{label}{}", names.origin(it, value))
        }
        (ValueOrigin::Origin(it), None) => format!("{label}{}{is}", names.origin(it, None)),
    }
}

/// JSON report of a comparison.
#[derive(Serialize)]
struct ComparisonReport<'a> {
    differs: bool,
    compared: u64,
    place: Option<&'a str>,
    r#type: Option<&'static str>,
    /// Run whose fault is explained instead of an element: `first` or `other`.
    fault: Option<&'static str>,
    /// Run that did not write the element, `first` or `other`. The last store by the same lane is compared instead.
    stray: Option<&'static str>,
    /// Values of the element in the first and the other run.
    values: Option<[&'a serde_json::Value; 2]>,
    /// Number of differing elements of the element's buffer.
    different: Option<u64>,
    /// All buffers that differ.
    buffers: &'a [BufferCounts],
    kind: Option<&'static str>,
    /// The first and the other run; empty if there is no difference.
    runs: Vec<RunReport<'a>>,
    /// Pairs of instructions from the element down to the point where the runs diverge.
    path: Vec<HopReport<'a>>,
    /// Number of other points where operands diverge.
    others: usize,
    /// Run, `first` or `other`, that reads a register before a load has taken effect.
    unwaited: Option<&'static str>,
    notes: &'a [String],
}

/// JSON report of one run.
#[derive(Serialize)]
struct RunReport<'a> {
    instructions: Vec<InstructionReport<'a>>,
    /// Number of omitted instructions.
    hidden: usize,
    /// Comparisons that the last instruction depends on.
    conditions: Vec<InstructionReport<'a>>,
    origin: Option<OriginReport>,
    executions: usize,
    workgroups: usize,
    incomplete: Option<&'static str>,
}

/// JSON report of a pair of corresponding instructions.
#[derive(Serialize)]
struct HopReport<'a> {
    kind: &'static str,
    instructions: [InstructionReport<'a>; 2],
}

/// JSON report of an instruction.
#[derive(Serialize)]
struct InstructionReport<'a> {
    instruction: &'a str,
    address: u64,
    symbol: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    launch: usize,
    run: u32,
    kernel: Option<&'a str>,
    workgroup: [u32; 3],
    wave: u32,
    lane: Option<u8>,
    number: u64,
    register: Option<&'a str>,
    value: Option<u64>,
    /// Element or argument accessed by the instruction.
    accesses: Option<OriginReport>,
    read: Vec<InputReport<'a>>,
}

/// JSON report of an operand.
#[derive(Serialize)]
struct InputReport<'a> {
    kind: &'static str,
    register: Option<&'a str>,
    value: Option<u64>,
    /// True if the other run has the same value from the same origins.
    agrees: bool,
    /// Instruction that produced the value.
    instruction: Option<BTreeMap<&'static str, serde_json::Value>>,
    origin: Option<OriginReport>,
}

/// Writes the comparison as JSON.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write_json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let difference = report.difference.as_ref();
    let parting = difference.map(|it| &it.parting);
    let runs = difference.map(|it| {
        let sides = it.parting.sides.iter().zip(&it.names);
        sides.map(|(side, names)| run_report(side, names)).collect()
    });
    let path = difference.map(|it| {
        let path = it.parting.path.iter().map(|(edge, steps)| HopReport {
            kind: kind(*edge),
            instructions: [0, 1].map(|side| instruction_report(&steps[side], &it.names[side])),
        });
        path.collect()
    });
    let element = difference.and_then(|it| match &it.subject {
        Subject::Element(element) => Some(element),
        Subject::Fault { .. } => None,
    });
    let fault = difference.and_then(|it| match &it.subject {
        Subject::Element(_) => None,
        Subject::Fault { side, .. } => Some(SIDES[*side]),
    });
    let report = ComparisonReport {
        differs: difference.is_some(),
        compared: report.compared,
        place: element.map(|it| &*it.label),
        r#type: element.map(|it| it.ty.name()),
        fault,
        stray: element.and_then(|it| it.stray).map(|it| SIDES[it]),
        values: element.map(|it| [&it.values[0].1, &it.values[1].1]),
        different: element.and_then(|it| it.buffers.first().map(|it| it.different)),
        buffers: element.map_or(&[], |it| &it.buffers[..]),
        kind: parting.map(|it| match it.kind {
            PartingKind::Result => "result",
            PartingKind::Constants => "constants",
            PartingKind::Operands => "operands",
            PartingKind::Region => "region",
            PartingKind::Origin => "origin",
        }),
        runs: runs.unwrap_or_default(),
        path: path.unwrap_or_default(),
        others: parting.map_or(0, |it| it.others),
        unwaited: parting.and_then(|it| it.unwaited).map(|it| SIDES[it]),
        notes: &report.notes,
    };
    render::json(&report, out)
}

fn run_report<'a>(side: &'a PartingSide, names: &RunNames) -> RunReport<'a> {
    let instructions = side.steps.iter();
    RunReport {
        instructions: instructions
            .map(|it| instruction_report(it, names))
            .collect(),
        hidden: side.hidden,
        conditions: side
            .conditions
            .iter()
            .map(|it| instruction_report(it, names))
            .collect(),
        origin: side.origin.as_ref().map(|(it, _)| origin(it, names)),
        executions: side.executions,
        workgroups: side.workgroups,
        incomplete: side.cut,
    }
}

fn instruction_report<'a>(step: &'a ValueStep, names: &RunNames) -> InstructionReport<'a> {
    let line = step.location.line.as_ref();
    InstructionReport {
        instruction: &step.text,
        address: step.location.address,
        symbol: step.location.symbol.as_deref(),
        file: line.map(|it| &*it.file),
        line: line.map(|it| it.line),
        launch: names.launch(step.run) + 1,
        run: step.run + 1,
        kernel: step.kernel.as_deref(),
        workgroup: step.wave.group,
        wave: step.wave.wave,
        lane: step.lane,
        number: step.executed,
        register: step.register.as_deref(),
        value: step.value,
        accesses: step.place.as_ref().map(|it: &Origin| origin(it, names)),
        read: step
            .inputs
            .iter()
            .map(|it| input_report(it, names))
            .collect(),
    }
}

fn input_report<'a>(input: &'a StepInput, names: &RunNames) -> InputReport<'a> {
    let (instruction, from) = match &input.from {
        ValueOrigin::Instruction { text, location } => {
            let line = location.line.as_ref();
            let keys = [
                ("instruction", text.as_str().into()),
                ("address", location.address.into()),
                ("file", line.map(|it| &*it.file).into()),
                ("line", line.map(|it| it.line).into()),
            ];
            (Some(BTreeMap::from(keys)), None)
        }
        ValueOrigin::Origin(it) => (None, Some(origin(it, names))),
    };
    InputReport {
        kind: kind(input.edge),
        register: input.register.as_deref(),
        value: input.value,
        agrees: input.agrees,
        instruction,
        origin: from,
    }
}
