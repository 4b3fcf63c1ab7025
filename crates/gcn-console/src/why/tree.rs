//! Formatter that presents answers as text trees.
//!
//! An instruction is expanded once, at the occurrence nearest to the root; other occurrences refer to it by number.
//! Uninformative dependences are omitted: lanes that were active from the start, launch values in addresses, and
//! conditions already shown above.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Write};

use gcn_debug::{AnswerEdge, AnswerStep, AnswerTarget, Edge, Origin, WaveId};
use gcn_report::plural;

use super::terms::{Terms, branch, label, location, number};

/// Writes a title, the tree, a summary of its origins and its size.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write(title: &str, depth: u32, terms: &Terms<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tree = Tree::new(terms, depth);
    writeln!(out, "{title}")?;
    let roots = terms.answer.roots.iter().map(|target| AnswerEdge {
        kind: Edge::Data,
        target: *target,
    });
    tree.lines(roots.map(TreeLine::One).collect(), out)?;
    tree.summary(out)
}

/// Position of an expanded instruction in the tree: its parent instruction and its level.
type Expansion = (Option<usize>, u32);

struct Tree<'a> {
    terms: &'a Terms<'a>,
    depth: u32,
    expanded: HashMap<usize, Expansion>,
    /// Reference numbers of instructions that occur more than once.
    numbers: HashMap<usize, usize>,
}

/// Line of the tree.
enum TreeLine {
    One(AnswerEdge),
    /// Instructions without dependences that only contribute to an address.
    Constants(Vec<usize>),
}

/// Context inherited from the lines above.
#[derive(Default)]
struct LineContext {
    /// Run and wave of the parent instruction.
    wave: Option<(u32, WaveId)>,
    lane: Option<u8>,
    /// Branches already shown as conditions.
    conditions: HashSet<usize>,
}

/// Sibling lines that are being written: the lines below an instruction, or the roots.
struct OpenLines {
    /// Parent instruction; `None` for the roots.
    from: Option<usize>,
    lines: Vec<TreeLine>,
    /// Index of the next line to write.
    next: usize,
    above: LineContext,
    /// Instructions that have been expanded among these lines.
    seen: HashSet<usize>,
    /// Length of the indent in bytes.
    indent: usize,
}

impl OpenLines {
    fn new(
        from: Option<usize>,
        lines: Vec<TreeLine>,
        above: LineContext,
        indent: usize,
    ) -> OpenLines {
        OpenLines {
            from,
            lines,
            next: 0,
            above,
            seen: HashSet::new(),
            indent,
        }
    }

    /// Returns the context for the lines below instruction `step`, which `edge` connects to `from`.
    fn context(&self, edge: Edge, step: usize) -> LineContext {
        let mut conditions = self.above.conditions.clone();
        if edge == Edge::Branch {
            // The branch's own conditions are shown below it.
            conditions.insert(step);
        } else {
            conditions.extend(self.lines.iter().filter_map(|line| match line {
                TreeLine::One(AnswerEdge {
                    kind: Edge::Branch,
                    target: AnswerTarget::Step(step),
                }) => Some(*step),
                _ => None,
            }));
        }
        LineContext {
            conditions,
            ..self.above
        }
    }
}

impl<'a> Tree<'a> {
    fn new(terms: &'a Terms<'a>, depth: u32) -> Tree<'a> {
        let mut tree = Tree {
            terms,
            depth,
            expanded: HashMap::new(),
            numbers: HashMap::new(),
        };
        let mut order = Vec::new();
        let mut queue = VecDeque::new();
        for target in &terms.answer.roots {
            if let AnswerTarget::Step(step) = *target
                && tree.expanded.insert(step, (None, 1)).is_none()
            {
                queue.push_back(step);
            }
        }
        while let Some(from) = queue.pop_front() {
            order.push(from);
            let (_, level) = tree.expanded[&from];
            if level >= depth {
                continue;
            }
            for edge in tree.edges(from) {
                if let AnswerTarget::Step(step) = edge.target
                    && !tree.expanded.contains_key(&step)
                {
                    tree.expanded.insert(step, (Some(from), level + 1));
                    queue.push_back(step);
                }
            }
        }
        // Number the instructions that occur more than once.
        let mut met = HashSet::new();
        let mut referred = HashSet::new();
        for from in &order {
            if tree.expanded[from].1 < depth {
                for edge in tree.edges(*from) {
                    if let AnswerTarget::Step(step) = edge.target
                        && !met.insert(step)
                    {
                        referred.insert(step);
                    }
                }
            }
        }
        for target in &terms.answer.roots {
            if let AnswerTarget::Step(step) = target
                && met.contains(step)
            {
                referred.insert(*step);
            }
        }
        let numbered = order.into_iter().filter(|step| referred.contains(step));
        let numbers = numbered
            .enumerate()
            .map(|(number, step)| (step, number + 1));
        tree.numbers = numbers.collect();
        tree
    }

    fn step(&self, number: usize) -> &'a AnswerStep {
        &self.terms.answer.steps[number]
    }

    /// Returns the dependences to show below an instruction: values, then branches, active lanes and addresses.
    fn edges(&self, number: usize) -> Vec<AnswerEdge> {
        let edges = self.step(number).edges.iter();
        let mut edges: Vec<AnswerEdge> = edges.filter(|it| !self.is_plain(it)).copied().collect();
        edges.sort_by_key(|it| match it.kind {
            Edge::Data => 0,
            Edge::Branch => 1,
            Edge::Exec => 2,
            Edge::Address => 3,
        });
        edges
    }

    /// True for a dependence that is not shown: on the initial EXEC or MODE, or on a launch value used in an address.
    fn is_plain(&self, edge: &AnswerEdge) -> bool {
        let AnswerTarget::Origin(origin) = edge.target else {
            return false;
        };
        match &self.terms.answer.origins[origin] {
            Origin::Register { name, meaning } => {
                edge.kind == Edge::Exec
                    || *meaning == "the launch's value"
                        && (edge.kind == Edge::Address || name == "mode")
            }
            _ => false,
        }
    }

    /// True for an instruction without dependences that occurs only below `from`.
    fn is_constant(&self, step: usize, from: Option<usize>) -> bool {
        self.expanded.get(&step).is_some_and(|it| it.0 == from)
            && !self.numbers.contains_key(&step)
            && self.edges(step).is_empty()
    }

    /// Returns the lines below an instruction.
    fn below(&self, from: usize, above: &LineContext) -> Vec<TreeLine> {
        let mut lines = Vec::new();
        let mut constants = Vec::new();
        for edge in self.edges(from) {
            match edge.target {
                AnswerTarget::Step(step) if edge.kind == Edge::Branch => {
                    if step != from && !above.conditions.contains(&step) {
                        lines.push(TreeLine::One(edge));
                    }
                }
                AnswerTarget::Step(step)
                    if edge.kind == Edge::Address && self.is_constant(step, Some(from)) =>
                {
                    constants.push(step);
                }
                _ => lines.push(TreeLine::One(edge)),
            }
        }
        if !constants.is_empty() {
            lines.push(TreeLine::Constants(constants));
        }
        lines
    }

    /// Writes the roots and all lines below them. Uses no recursion, because trees may be deep.
    fn lines(&self, roots: Vec<TreeLine>, out: &mut dyn Write) -> io::Result<()> {
        let mut indent = String::new();
        let mut open = vec![OpenLines::new(None, roots, LineContext::default(), 0)];
        while let Some(level) = open.last_mut() {
            indent.truncate(level.indent);
            let Some(line) = level.lines.get(level.next) else {
                open.pop();
                continue;
            };
            let (branch, below) = branch(level.next, level.lines.len());
            level.next += 1;
            write!(out, "{indent}{branch}")?;
            indent.push_str(below);
            let edge = match line {
                TreeLine::One(edge) => *edge,
                TreeLine::Constants(steps) => {
                    let values = steps.iter().map(|it| value(self.step(*it)));
                    let values: Vec<String> = values.flatten().collect();
                    let label = label(Edge::Address);
                    writeln!(out, "{label}constants {}", values.join(", "))?;
                    continue;
                }
            };
            write!(out, "{}", label(edge.kind))?;
            match edge.target {
                AnswerTarget::Origin(origin) => {
                    writeln!(out, "{}", self.origin(level.from, origin))?;
                }
                AnswerTarget::Step(step) => {
                    let expanded = self.expanded.get(&step);
                    let is_here = expanded.is_some_and(|it| it.0 == level.from);
                    if is_here && level.seen.insert(step) {
                        let above = level.context(edge.kind, step);
                        open.extend(self.expand(step, above, &indent, out)?);
                    } else {
                        writeln!(out, "{}", self.reference(step))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Formats an origin below an instruction.
    fn origin(&self, from: Option<usize>, origin: usize) -> String {
        let origin = &self.terms.answer.origins[origin];
        let value = match (from, origin) {
            (Some(from), Origin::Register { name, .. } | Origin::UndefinedRegister { name }) => {
                let mut read = self.step(from).read.iter();
                read.find(|(register, _)| register == name).map(|it| it.1)
            }
            _ => None,
        };
        self.terms.names.origin(origin, value)
    }

    /// Writes an instruction and returns the lines to write below it.
    fn expand(
        &self,
        number: usize,
        above: LineContext,
        indent: &str,
        out: &mut dyn Write,
    ) -> io::Result<Option<OpenLines>> {
        let step = self.step(number);
        if let Some(number) = self.numbers.get(&number) {
            write!(out, "#{number} ")?;
        }
        let value = value(step).map_or_else(String::new, |it| format!("{it}: "));
        let instruction = self.terms.instruction(step);
        write!(
            out,
            "{value}{instruction}  [{}]",
            self.position(step, &above)
        )?;
        let lines = self.below(number, &above);
        let (_, level) = self.expanded[&number];
        if let [
            TreeLine::One(AnswerEdge {
                target: AnswerTarget::Origin(origin),
                ..
            }),
        ] = &lines[..]
        {
            writeln!(out, " ← {}", self.origin(Some(number), *origin))?;
            return Ok(None);
        }
        writeln!(out)?;
        if level >= self.depth && !lines.is_empty() {
            let count = plural(lines.len() as u64, "dependence", "s");
            writeln!(out, "{indent}└─ … {count}: raise --depth")?;
            return Ok(None);
        }
        let above = LineContext {
            wave: Some((step.run, step.wave)),
            lane: step.lane.or(above.lane),
            ..above
        };
        let lines = OpenLines::new(Some(number), lines, above, indent.len());
        Ok(Some(lines))
    }

    /// Formats the position of an instruction. Includes launch, wave and lane if they differ from the context.
    fn position(&self, step: &AnswerStep, above: &LineContext) -> String {
        let mut parts = vec![location(&step.location)];
        let is_same_run = above.wave.is_some_and(|(run, _)| run == step.run);
        if !is_same_run && self.terms.names.has_several_runs() {
            parts.push(self.terms.names.run(step.run));
        }
        let is_same_wave = above.wave == Some((step.run, step.wave));
        if !is_same_wave {
            let [x, y, z] = step.wave.group;
            parts.push(format!("workgroup {x},{y},{z}, wave {}", step.wave.wave));
        }
        if let Some(lane) = step
            .lane
            .filter(|it| !is_same_wave || above.lane != Some(*it))
        {
            parts.push(format!("lane {lane}"));
        }
        parts.extend(self.terms.executions(step));
        parts.join(", ")
    }

    /// Formats a reference to an instruction that is expanded elsewhere.
    fn reference(&self, number: usize) -> String {
        let value = value(self.step(number)).map_or_else(String::new, |it| format!("{it}: "));
        match self.numbers.get(&number) {
            Some(number) => format!("{value}#{number}"),
            None => format!("{value}…"),
        }
    }

    /// Writes the origins of the value and the size of the answer.
    fn summary(&self, out: &mut dyn Write) -> io::Result<()> {
        let answer = self.terms.answer;
        for text in self.terms.ends() {
            writeln!(out, "{text}")?;
        }
        if let Some(cut) = answer.cut {
            writeln!(out, "The answer is not complete: {cut}.")?;
        }
        writeln!(
            out,
            "{}, {}, {} traced",
            plural(answer.steps.len() as u64, "instruction", "s"),
            plural(answer.executions as u64, "execution", "s"),
            plural(answer.workgroups as u64, "workgroup", "s"),
        )
    }
}

/// Formats the registers that a step wrote, and their value if it has at most two dwords.
fn value(step: &AnswerStep) -> Option<String> {
    let name = step.register.as_ref()?;
    Some(match &step.written[..] {
        [] | [_, _, _, ..] => name.clone(),
        written => format!("{name} = {}", number(written, step.is_f32)),
    })
}
