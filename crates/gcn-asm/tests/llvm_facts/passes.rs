//! LLVM's passes over sequences of instructions, and pairs of classes of instructions for them. Tests of other crates use them too.

use std::collections::HashMap;
use std::fmt::Write;

use gcn_isa::{Inst, Target, decode};

use crate::classes::{COUNTED, Class, OTHERS};
use crate::common;

/// Targets without replays of accesses that have faulted, and one with them.
pub const FEATURES: [(&str, &str); 8] = [
    ("gfx600", ""),
    ("gfx700", ""),
    ("gfx803", ""),
    ("gfx810", "-xnack"),
    ("gfx900", "-xnack"),
    ("gfx900", "+xnack"),
    ("gfx904", "-xnack"),
    ("gfx906", "-xnack"),
];

/// Instructions one after the other, for both.
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

/// Our instruction of a class on a target; nothing where it does not exist.
pub fn inst(target: &'static Target, text: &str) -> Option<Inst> {
    let words = common::words(target, text).ok()?;
    Some(decode(target.isa, &words).expect("what is assembled is an instruction"))
}

pub fn of_class(target: &'static Target, class: &Class) -> Option<(String, Inst, String)> {
    Some((
        class.name.to_owned(),
        inst(target, class.text)?,
        class.mir.to_owned(),
    ))
}

pub fn sequence(parts: &[&(String, Inst, String)]) -> Sequence {
    Sequence {
        names: parts.iter().map(|part| part.0.clone()).collect(),
        insts: parts.iter().map(|part| part.1).collect(),
        mir: parts.iter().map(|part| part.2.clone()).collect(),
    }
}

/// Runs a pass over one function for each sequence. What it inserts before each instruction: its name and its number.
pub fn run(
    target: &str,
    features: &str,
    pass: &str,
    sequences: &[Sequence],
) -> Vec<Vec<Vec<(String, u16)>>> {
    let mut input = "--- |\n".to_owned();
    for number in 0..sequences.len() {
        let _ = writeln!(
            input,
            "  define amdgpu_kernel void @f{number}() {{ ret void }}"
        );
    }
    input += "...\n";
    for (number, sequence) in sequences.iter().enumerate() {
        let body = sequence.mir.join("\n    ");
        let _ = write!(
            input,
            "---\nname: f{number}\nmachineFunctionInfo:\n  isEntryFunction: true\nbody: |\n  bb.0:\n    {body}\n    S_ENDPGM 0\n...\n"
        );
    }
    let cpu = format!("-mcpu={target}");
    let pass = format!("-run-pass={pass}");
    let features = format!("-mattr={features}");
    let arguments = [
        "-march=amdgcn",
        &cpu,
        &features,
        &pass,
        "-x=mir",
        "-",
        "-o",
        "-",
    ];
    let (out, err) = common::tool("llc-19", "llvm-19", &arguments, &input);
    let errors: Vec<&str> = err.lines().take(12).collect();
    let mut found = HashMap::new();
    let mut name = "";
    let mut lines = None::<Vec<Vec<(String, u16)>>>;
    for line in out.lines() {
        if let Some(it) = line.strip_prefix("name:") {
            name = it.trim();
        } else if line.starts_with("body:") {
            lines = Some(vec![Vec::new()]);
        } else if line == "..." {
            if let Some(lines) = lines.take() {
                found.insert(name.to_owned(), lines);
            }
        } else if let Some(lines) = &mut lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [op @ ("S_WAITCNT" | "S_NOP"), number] => {
                    let number = number.parse().expect("its operand is a number");
                    let last = lines.last_mut().expect("there is one");
                    last.push((op.to_owned(), number));
                }
                [] | ["bb.0:"] => {}
                _ => lines.push(Vec::new()),
            }
        }
    }
    (0..sequences.len())
        .map(|number| {
            let it = found.remove(&format!("f{number}"));
            it.unwrap_or_else(|| panic!("llc-19 gives no f{number}:\n{}", errors.join("\n")))
        })
        .collect()
}

/// Every pair of classes that exist on a target.
pub fn pairs(target: &'static Target) -> Vec<Sequence> {
    let all = COUNTED.iter().chain(OTHERS);
    let here: Vec<_> = all.filter_map(|class| of_class(target, class)).collect();
    let pairs = here
        .iter()
        // llc-19 looks for the data of a GLOBAL load to LDS, of which it has none, and crashes.
        .filter(|a| a.0 != "global to lds")
        .flat_map(|a| here.iter().map(move |b| sequence(&[a, b])));
    pairs.collect()
}

/// The wait states that LLVM puts between the two instructions of each pair.
pub fn wait_states(target: &str, features: &str, pairs: &[Sequence]) -> Vec<u16> {
    let inserted = run(target, features, "post-RA-hazard-rec", pairs);
    let states = |it: Vec<Vec<(String, u16)>>| it[1].iter().map(|(_, number)| number + 1).sum();
    inserted.into_iter().map(states).collect()
}
