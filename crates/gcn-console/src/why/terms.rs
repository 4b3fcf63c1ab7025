//! Formatters for locations, values and origins.

use std::collections::BTreeMap;
use std::ops::Range;

use gcn_debug::{Answer, AnswerStep, Edge, Location, Origin, Program};
use gcn_report::{plural, printable};

/// Maximum number of ranges shown.
const MAX_RANGES: usize = 6;

/// Names of launches and arguments.
#[derive(Clone, Default, Debug)]
pub struct RunNames {
    /// Launch number of each run.
    launches: Vec<usize>,
    /// Kernel of each launch, and its number of repetitions.
    kernels: Vec<(String, u32)>,
    /// Arguments of each launch, with their byte ranges in the kernarg segment.
    arguments: Vec<Vec<(String, Range<u64>)>>,
}

impl RunNames {
    /// Adds a launch with its kernel, number of repetitions, and arguments with their byte ranges in the kernarg segment.
    pub fn add(&mut self, kernel: &str, repetitions: u32, arguments: Vec<(String, Range<u64>)>) {
        let launch = self.kernels.len();
        self.launches
            .extend(std::iter::repeat_n(launch, repetitions as usize));
        self.kernels.push((kernel.to_owned(), repetitions));
        self.arguments.push(arguments);
    }

    /// Returns the launch number of a run, from 0.
    pub fn launch(&self, run: u32) -> usize {
        self.launches.get(run as usize).copied().unwrap_or(0)
    }

    /// True if there are several runs, so that messages must name them.
    pub fn has_several_runs(&self) -> bool {
        self.launches.len() > 1
    }

    /// Returns the name of a run: its launch, and its repetition if the launch has several.
    pub fn run(&self, run: u32) -> String {
        let launch = self.launch(run);
        let first = self.launches.iter().position(|it| *it == launch);
        let (kernel, repetitions) = self.kernels.get(launch).cloned().unwrap_or_default();
        let kernel = printable(&kernel);
        match repetitions {
            0 | 1 => format!("launch {} ({kernel})", launch + 1),
            _ => {
                let repetition = run as usize - first.unwrap_or(0) + 1;
                format!("launch {} ({kernel}), run {repetition}", launch + 1)
            }
        }
    }

    /// Returns the names of the arguments that overlap byte ranges of the kernarg segment, and the ranges of other bytes.
    pub fn arguments(&self, run: u32, bytes: &[Range<u64>]) -> Vec<String> {
        let named = self.arguments.get(self.launch(run));
        let named = named.map_or(&[][..], Vec::as_slice);
        let overlaps = |a: &Range<u64>, b: &Range<u64>| a.start < b.end && b.start < a.end;
        let names = named
            .iter()
            .filter(|(_, at)| bytes.iter().any(|it| overlaps(it, at)));
        let mut names: Vec<String> = names.map(|(name, _)| printable(name)).collect();
        let explicit = |it: &&Range<u64>| named.iter().any(|(_, at)| overlaps(it, at));
        let others: Vec<Range<u64>> = bytes.iter().filter(|it| !explicit(it)).cloned().collect();
        if !others.is_empty() {
            names.push(format!("bytes {}", ranges(&others)));
        }
        names
    }

    /// Describes the origin of a value. If the origin is a register, `value` is the register's value.
    pub fn origin(&self, origin: &Origin, value: Option<u32>) -> String {
        let is = |name: &str| match value {
            Some(value) => format!("{name} = {}", number(&[value], false)),
            None => name.to_owned(),
        };
        match origin {
            Origin::Buffer {
                name,
                elements,
                is_defined,
            } => {
                let kind = if *is_defined { "input" } else { "undefined" };
                format!("{kind} {}[{}]", printable(name), ranges(elements))
            }
            Origin::Argument { run, bytes } => {
                let names = self.arguments(*run, bytes);
                let kind = if names.len() == 1 {
                    "argument"
                } else {
                    "arguments"
                };
                format!("{kind} {}", names.join(", "))
            }
            Origin::Register { name, meaning } => format!("{}: {meaning}", is(name)),
            Origin::UndefinedRegister { name } => {
                format!("{}: undefined, no instruction has written it", is(name))
            }
            Origin::Memory {
                name,
                bytes,
                is_defined,
            } => {
                let undefined = if *is_defined { "" } else { "undefined " };
                format!("{undefined}bytes {} of {}", ranges(bytes), printable(name))
            }
            Origin::Workgroup { run, group } => {
                let [x, y, z] = group;
                format!(
                    "{}, workgroup {x},{y},{z}, which was not traced",
                    self.run(*run)
                )
            }
        }
    }
}

/// Returns the connector drawn before a tree line, and the indent of the lines below.
pub fn branch(place: usize, count: usize) -> (&'static str, &'static str) {
    match place + 1 == count {
        true => ("└─ ", "   "),
        false => ("├─ ", "│  "),
    }
}

/// Returns the label printed before a dependence.
pub fn label(edge: Edge) -> &'static str {
    match edge {
        Edge::Data => "",
        Edge::Address => "address: ",
        Edge::Exec => "active lanes: ",
        Edge::Branch => "condition: ",
    }
}

/// Formats a code location as its source line, or else as its symbol or address.
pub fn location(location: &Location) -> String {
    match (&location.line, &location.symbol) {
        (Some(line), _) => {
            let file = line.file.rsplit('/').next().unwrap_or_default();
            format!("{}:{}", printable(file), line.line)
        }
        (None, Some(symbol)) => printable(symbol),
        (None, None) => format!("{:#x}", location.address),
    }
}

/// Formats an instruction. For a branch, the target is shown as a symbol.
pub fn instruction(text: &str, target: Option<String>) -> String {
    match (text.split_once(' '), target) {
        (Some((name, _)), Some(target)) => printable(&format!("{name} {target}")),
        _ => printable(text),
    }
}

/// Answer, with the names used to describe it.
pub struct Terms<'a> {
    /// Answer to describe.
    pub answer: &'a Answer,
    /// Names of launches and arguments.
    pub names: RunNames,
    /// Code of the program.
    program: &'a Program,
}

impl<'a> Terms<'a> {
    /// Combines an answer with the names used to describe it.
    pub fn new(names: RunNames, program: &'a Program, answer: &'a Answer) -> Terms<'a> {
        Terms {
            answer,
            names,
            program,
        }
    }

    /// Formats an instruction. For a branch, the target is shown as a symbol.
    pub fn instruction(&self, step: &AnswerStep) -> String {
        let target = step.target.and_then(|it| self.program.symbolic(it));
        instruction(&step.text, target)
    }

    /// Summarizes the origins: at most one line each for inputs, arguments and undefined values.
    pub fn ends(&self) -> Vec<String> {
        let mut inputs: BTreeMap<&str, Vec<Range<u64>>> = BTreeMap::new();
        let mut arguments: BTreeMap<u32, Vec<Range<u64>>> = BTreeMap::new();
        let mut undefined: Vec<String> = Vec::new();
        let mut memory: Vec<String> = Vec::new();
        for origin in &self.answer.origins {
            match origin {
                Origin::Buffer {
                    name,
                    elements,
                    is_defined: true,
                } => inputs
                    .entry(name)
                    .or_default()
                    .extend(elements.iter().cloned()),
                Origin::Argument { run, bytes } => {
                    arguments
                        .entry(*run)
                        .or_default()
                        .extend(bytes.iter().cloned());
                }
                Origin::Memory {
                    name,
                    is_defined: true,
                    ..
                } => memory.push(printable(name)),
                Origin::Buffer { name, elements, .. } => {
                    undefined.push(format!("{}[{}]", printable(name), ranges(elements)));
                }
                Origin::Memory { name, bytes, .. } => {
                    undefined.push(format!("bytes {} of {}", ranges(bytes), printable(name)));
                }
                Origin::UndefinedRegister { name } => undefined.push(name.clone()),
                Origin::Register { .. } | Origin::Workgroup { .. } => {}
            }
        }
        let inputs = inputs.into_iter().map(|(name, mut elements)| {
            format!("{}[{}]", printable(name), ranges(&merge(&mut elements)))
        });
        let mut inputs: Vec<String> = inputs.collect();
        let arguments = arguments.into_iter();
        let arguments =
            arguments.flat_map(|(run, mut bytes)| self.names.arguments(run, &merge(&mut bytes)));
        let mut arguments: Vec<String> = arguments.collect();
        for names in [&mut arguments, &mut memory, &mut undefined] {
            names.sort();
            names.dedup();
        }
        inputs.extend(memory);
        let lines = [
            ("inputs", inputs),
            ("arguments", arguments),
            ("undefined", undefined),
        ];
        let lines = lines.into_iter().filter(|(_, names)| !names.is_empty());
        lines
            .map(|(kind, names)| format!("{kind}: {}", names.join(", ")))
            .collect()
    }

    /// Describes the executions of a step, if there are several.
    pub fn executions(&self, step: &AnswerStep) -> Option<String> {
        if step.count < 2 {
            return None;
        }
        let waves = match step.waves {
            0 | 1 => String::new(),
            waves => format!(" in {}", plural(waves as u64, "wave", "s")),
        };
        let (first, last) = step.range;
        let range = match first == last {
            true => String::new(),
            false => format!(", instructions {first}…{last}"),
        };
        Some(format!("× {}{waves}{range}", step.count))
    }
}

/// Sorts ranges and merges adjacent and overlapping ones.
fn merge(ranges: &mut [Range<u64>]) -> Vec<Range<u64>> {
    ranges.sort_by_key(|it| it.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range.clone()),
        }
    }
    merged
}

/// Formats the value of a register or register pair.
pub fn number(dwords: &[u32], is_f32: bool) -> String {
    /// Values below this limit are shown in decimal.
    const DECIMAL: u64 = 1 << 16;
    let value = match *dwords {
        [value] if is_f32 => return format!("{} ({value:#x})", f32::from_bits(value)),
        [low, high] => u64::from(low) | u64::from(high) << 32,
        [value, ..] => value.into(),
        [] => 0,
    };
    if value < DECIMAL {
        value.to_string()
    } else {
        format!("{value:#x}")
    }
}

/// Formats element ranges, such as `2..5, 7`.
pub fn ranges(ranges: &[Range<u64>]) -> String {
    let shown = ranges
        .iter()
        .take(MAX_RANGES)
        .map(|it| match it.end - it.start {
            1 => it.start.to_string(),
            _ => format!("{}..{}", it.start, it.end),
        });
    let mut shown: Vec<String> = shown.collect();
    let hidden: u64 = ranges
        .iter()
        .skip(MAX_RANGES)
        .map(|it| it.end - it.start)
        .sum();
    if hidden > 0 {
        shown.push(format!("{hidden} more"));
    }
    shown.join(", ")
}
