//! Runs LLVM's passes over sequences of instructions, and generates pairs of instruction classes. Shared with tests
//! of other crates.

use std::fmt::Write;

use gcn_isa::{Inst, TARGETS, Target, decode};

use crate::classes::{COUNTED, Class, OTHERS, elsewhere};
use crate::common;

/// All targets; those with XNACK both with and without it.
pub fn features() -> impl Iterator<Item = (&'static Target, &'static str)> {
    TARGETS.iter().flat_map(|target| {
        let features: &[&str] = if target.xnack {
            &["-xnack", "+xnack"]
        } else {
            &[""]
        };
        features.iter().map(move |features| (target, *features))
    })
}

/// A sequence of instructions, in both representations.
#[derive(Clone)]
pub struct Sequence {
    pub names: Vec<String>,
    pub insts: Vec<Inst>,
    pub mir: Vec<String>,
}

impl Sequence {
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|it| it == name)
    }
}

/// Our instruction of a class on a target; `None` if it does not exist there.
pub fn inst(target: &'static Target, text: &str) -> Option<Inst> {
    let words = common::words(target, text).ok()?;
    Some(decode(target.isa, &words).expect("what is assembled is an instruction"))
}

/// An instruction: its name, and both representations.
pub type Part = (String, Inst, String);

/// The instruction of a class with its data in other registers; `None` if it does not exist.
pub fn of_class(target: &'static Target, class: &Class, place: u16) -> Option<Part> {
    Some((
        class.name.to_owned(),
        inst(target, &elsewhere(class.text, place))?,
        elsewhere(class.mir, place),
    ))
}

pub fn sequence(parts: &[&Part]) -> Sequence {
    Sequence {
        names: parts.iter().map(|part| part.0.clone()).collect(),
        insts: parts.iter().map(|part| part.1).collect(),
        mir: parts.iter().map(|part| part.2.clone()).collect(),
    }
}

/// An LLVM pass.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Inserts S_WAITCNT.
    Waits,
    /// Inserts S_NOP.
    Hazards,
}

impl Pass {
    fn name(self) -> &'static str {
        match self {
            Pass::Waits => "si-insert-waitcnts",
            Pass::Hazards => "post-RA-hazard-rec",
        }
    }

    /// Number of sequences per function; no hazard lasts longer than [`SEPARATOR`].
    fn sequences(self) -> usize {
        match self {
            Pass::Waits => 1,
            Pass::Hazards => 1000,
        }
    }
}

/// Wait states between two sequences, more than the pass ever inserts.
const SEPARATOR: &str = "S_NOP 7";

/// Runs a pass over the sequences. Returns the name and immediate of the instructions it inserts before each
/// instruction and at the end.
pub fn run(
    target: &str,
    features: &str,
    pass: Pass,
    sequences: &[Sequence],
) -> Vec<Vec<Vec<(String, u16)>>> {
    let mut input = "--- |\n".to_owned();
    let functions = sequences.chunks(pass.sequences());
    for number in 0..functions.len() {
        let _ = writeln!(
            input,
            "  define amdgpu_kernel void @f{number}() {{ ret void }}"
        );
    }
    input += "...\n";
    for (number, sequences) in functions.enumerate() {
        let _ = write!(
            input,
            "---\nname: f{number}\nmachineFunctionInfo:\n  isEntryFunction: true\nbody: |\n  bb.0:\n"
        );
        for sequence in sequences {
            for line in &sequence.mir {
                let _ = writeln!(input, "    {line}");
            }
            let _ = writeln!(input, "    {SEPARATOR}");
        }
        input += "    S_ENDPGM 0\n...\n";
    }
    let cpu = format!("-mcpu={target}");
    let name = format!("-run-pass={}", pass.name());
    let features = format!("-mattr={features}");
    let arguments = [
        "-march=amdgcn",
        &cpu,
        &features,
        &name,
        "-x=mir",
        "-",
        "-o",
        "-",
    ];
    let (out, err) = common::tool("llc-19", "llvm-19", &arguments, &input);
    let mut found = Vec::new();
    let mut lines = vec![Vec::new()];
    let mut in_body = false;
    for line in out.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["body:", ..] => {
                in_body = true;
                lines = vec![Vec::new()];
            }
            // A write-back of the scalar cache at the end of a function belongs to no sequence.
            ["..."] => in_body = false,
            _ if !in_body => {}
            [] | ["bb.0:"] | ["S_ENDPGM", ..] => {}
            _ if line.trim() == SEPARATOR => {
                found.push(std::mem::replace(&mut lines, vec![Vec::new()]));
            }
            [op @ ("S_WAITCNT" | "S_NOP"), number] => {
                let number = number.parse().expect("its operand is a number");
                let last = lines.last_mut().expect("there is one");
                last.push((op.to_owned(), number));
            }
            _ => lines.push(Vec::new()),
        }
    }
    let errors: Vec<&str> = err.lines().take(12).collect();
    let mut both = found.iter().zip(sequences);
    let torn = both.find(|(lines, it)| lines.len() != it.mir.len() + 1);
    assert!(
        found.len() == sequences.len() && torn.is_none(),
        "llc-19 gives {} of {} sequences for {target}, {:?} in other lines:\n{}",
        found.len(),
        sequences.len(),
        torn.map(|(_, it)| &it.names),
        errors.join("\n")
    );
    found
}

/// Every pair of classes that exist on a target.
pub fn pairs(target: &'static Target) -> Vec<Sequence> {
    let all = COUNTED.iter().chain(OTHERS);
    let here: Vec<_> = all.filter_map(|class| of_class(target, class, 0)).collect();
    let pairs = here
        .iter()
        // llc-19 crashes on a GLOBAL load to LDS, because it looks for its data.
        .filter(|a| a.0 != "global to lds")
        .flat_map(|a| here.iter().map(move |b| sequence(&[a, b])));
    pairs.collect()
}

/// Wait states that LLVM inserts between the two instructions of each pair.
pub fn wait_states(target: &str, features: &str, pairs: &[Sequence]) -> Vec<u16> {
    let inserted = run(target, features, Pass::Hazards, pairs);
    let states = |it: Vec<Vec<(String, u16)>>| it[1].iter().map(|(_, number)| number + 1).sum();
    inserted.into_iter().map(states).collect()
}
