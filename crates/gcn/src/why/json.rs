//! JSON output of an answer.

use std::collections::BTreeMap;
use std::io::{self, Write};

use gcn_args::value::Type;
use gcn_debug::{AnswerTarget, Edge, Origin};
use serde::Serialize;

use crate::render;
use gcn_console::why::{RunNames, Terms};

/// JSON report of an answer.
#[derive(Serialize)]
struct Report<'a> {
    place: &'a str,
    r#type: &'static str,
    value: serde_json::Value,
    /// True if the answer explains the access that ended the run, because no instruction wrote the element.
    is_fault: bool,
    /// Steps and origins that the value comes from.
    roots: Vec<TargetReport>,
    steps: Vec<StepReport<'a>>,
    origins: Vec<OriginReport>,
    executions: usize,
    workgroups: usize,
    /// Reason why the answer is incomplete.
    incomplete: Option<&'static str>,
    notes: &'a [String],
}

/// Step or origin, by its index in `steps` or `origins`.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum TargetReport {
    Step(usize),
    Origin(usize),
}

/// JSON report of an instruction, with details of one of its executions.
#[derive(Serialize)]
struct StepReport<'a> {
    instruction: &'a str,
    address: u64,
    symbol: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    /// Launch number, starting at 1.
    launch: usize,
    /// Run number, starting at 1, counting repetitions.
    run: u32,
    kernel: Option<&'a str>,
    workgroup: [u32; 3],
    wave: u32,
    lane: Option<u8>,
    /// Position of the execution in its wave, starting at 1.
    number: u64,
    /// Registers that the step wrote; `None` for memory and branches.
    register: Option<&'a str>,
    /// Values of the written registers.
    written: &'a [u32],
    is_branch: bool,
    read: BTreeMap<&'a str, u32>,
    executions: usize,
    /// Lowest and highest position of an execution in its wave.
    numbers: (u64, u64),
    waves: usize,
    lanes: usize,
    depends: Vec<DependenceReport>,
}

/// JSON report of a dependence.
#[derive(Serialize)]
struct DependenceReport {
    kind: &'static str,
    #[serde(flatten)]
    on: TargetReport,
}

/// JSON report of an origin.
#[derive(Serialize)]
pub struct OriginReport {
    kind: &'static str,
    is_defined: bool,
    /// Name of the buffer, register, symbol or memory.
    name: Option<String>,
    meaning: Option<&'static str>,
    /// Ranges of elements of a buffer, or of bytes; the end is exclusive.
    ranges: Vec<(u64, u64)>,
    arguments: Vec<String>,
    /// Run number, starting at 1.
    run: Option<u32>,
    workgroup: Option<[u32; 3]>,
}

impl OriginReport {
    fn new(kind: &'static str) -> OriginReport {
        OriginReport {
            kind,
            is_defined: true,
            name: None,
            meaning: None,
            ranges: Vec::new(),
            arguments: Vec::new(),
            run: None,
            workgroup: None,
        }
    }
}

fn target(target: AnswerTarget) -> TargetReport {
    match target {
        AnswerTarget::Step(step) => TargetReport::Step(step),
        AnswerTarget::Origin(origin) => TargetReport::Origin(origin),
    }
}

pub fn kind(kind: Edge) -> &'static str {
    match kind {
        Edge::Data => "data",
        Edge::Address => "address",
        Edge::Exec => "exec",
        Edge::Branch => "branch",
    }
}

pub fn origin(origin: &Origin, names: &RunNames) -> OriginReport {
    let pairs = |ranges: &[std::ops::Range<u64>]| {
        let pairs = ranges.iter().map(|it| (it.start, it.end));
        pairs.collect::<Vec<_>>()
    };
    match origin {
        Origin::Buffer {
            name,
            elements,
            is_defined,
        } => OriginReport {
            name: Some(name.clone()),
            is_defined: *is_defined,
            ranges: pairs(elements),
            ..OriginReport::new("buffer")
        },
        Origin::Argument { run, bytes } => OriginReport {
            run: Some(run + 1),
            ranges: pairs(bytes),
            arguments: names.arguments(*run, bytes),
            ..OriginReport::new("argument")
        },
        Origin::Register { name, meaning } => OriginReport {
            name: Some(name.clone()),
            meaning: Some(meaning),
            ..OriginReport::new("register")
        },
        Origin::UndefinedRegister { name } => OriginReport {
            name: Some(name.clone()),
            is_defined: false,
            ..OriginReport::new("register")
        },
        Origin::Memory {
            name,
            bytes,
            is_defined,
        } => OriginReport {
            name: Some(name.clone()),
            is_defined: *is_defined,
            ranges: pairs(bytes),
            ..OriginReport::new("memory")
        },
        Origin::Workgroup { run, group } => OriginReport {
            run: Some(run + 1),
            workgroup: Some(*group),
            ..OriginReport::new("workgroup")
        },
    }
}

/// Element with its value.
pub struct Element<'a> {
    /// Selector of the element.
    pub place: &'a str,
    pub ty: Type,
    pub value: serde_json::Value,
}

/// Writes the answer. `is_fault` is true if it explains the access that ended the run.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(
    element: Element<'_>,
    is_fault: bool,
    terms: &Terms<'_>,
    notes: &[String],
    out: &mut dyn Write,
) -> io::Result<()> {
    let answer = terms.answer;
    let steps = answer.steps.iter().map(|step| StepReport {
        instruction: &step.text,
        address: step.location.address,
        symbol: step.location.symbol.as_deref(),
        file: step.location.line.as_ref().map(|it| &*it.file),
        line: step.location.line.as_ref().map(|it| it.line),
        launch: terms.names.launch(step.run) + 1,
        run: step.run + 1,
        kernel: step.kernel.as_deref(),
        workgroup: step.wave.group,
        wave: step.wave.wave,
        lane: step.lane,
        number: step.executed,
        register: step.register.as_deref(),
        written: &step.written,
        is_branch: step.is_branch,
        read: step
            .read
            .iter()
            .map(|(name, value)| (&**name, *value))
            .collect(),
        executions: step.count,
        numbers: step.range,
        waves: step.waves,
        lanes: step.lanes,
        depends: step
            .edges
            .iter()
            .map(|edge| DependenceReport {
                kind: kind(edge.kind),
                on: target(edge.target),
            })
            .collect(),
    });
    let report = Report {
        place: element.place,
        r#type: element.ty.name(),
        value: element.value,
        is_fault,
        roots: answer.roots.iter().map(|it| target(*it)).collect(),
        steps: steps.collect(),
        origins: answer
            .origins
            .iter()
            .map(|it| origin(it, &terms.names))
            .collect(),
        executions: answer.executions,
        workgroups: answer.workgroups,
        incomplete: answer.cut,
        notes,
    };
    render::json(&report, out)
}
