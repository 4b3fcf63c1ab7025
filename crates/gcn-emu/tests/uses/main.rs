//! The registers and memories that [`gcn_isa::uses`] declares, proven by execution: every row on every instruction set, in
//! all its encodings, with sampled operands and modifiers, from states full of noise.
//!
//! 1. Nothing changes but what is declared as written.
//! 2. Whatever is not declared as read may hold anything: the result is the same.
//! 3. Whatever is declared matters in some sample: what is written changes, and the result is another where what is read is another.
//!
//! `exceptions.rs` lists what is not executed and what never matters, with the reason, and nothing else.

mod claims;
mod exceptions;
mod keep;
mod sample;
mod state;

use std::collections::BTreeMap;

use gcn_isa::uses::{Memory, RegisterUse, Space, Spaces};
use gcn_isa::{Inst, Isa, Row, rows};

use claims::{Claims, Run, is_of_value};
use exceptions::Needed;
use keep::Keep;
use sample::{Noise, sample};
use state::{Rig, State};

/// Samples of an encoding, at least.
const LEAST: usize = 6;
/// Samples of an encoding until one is executed, at most.
const TRIES: usize = 80;
/// Samples of an encoding, while a claim is not proven yet.
const MOST: usize = 500;
/// States from which a sample of an instruction is executed while a claim is not proven yet.
const STATES: usize = 12;

/// The outcome for a row on one instruction set.
#[derive(Default)]
struct Outcome {
    claims: Claims,
    executed: bool,
    failures: Vec<String>,
    /// The reason for which it was not executed.
    refusal: Option<String>,
}

impl Outcome {
    fn is_proven(&self) -> bool {
        let mut own = self.claims.iter().filter(|(claim, _)| !is_of_value(claim));
        self.executed && !own.any(|(_, proof)| proof.is_missing())
    }
}

#[test]
fn what_is_declared_is_what_happens() {
    let results: Vec<(Isa, Vec<(&'static Row, Outcome)>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = Isa::ALL
            .into_iter()
            .map(|isa| scope.spawn(move || (isa, on(isa))))
            .collect();
        let done = threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"));
        done.collect()
    });
    let mut failures = Vec::new();
    let mut of_values: BTreeMap<(Isa, &str), bool> = BTreeMap::new();
    let mut needed = Needed::default();
    for (isa, outcomes) in &results {
        for (row, outcome) in outcomes {
            let name = row.name_on(*isa);
            let of_row = outcome.failures.iter();
            failures.extend(of_row.map(|it| format!("{isa:?} {name}: {it}")));
            let refusal = outcome.refusal.as_deref().unwrap_or_default();
            match (outcome.executed, exceptions::not_executed(name)) {
                (true, None) => {}
                (false, Some(entry)) => needed.not_executed.push(entry),
                (false, None) => failures.push(format!("{isa:?} {name}: not executed: {refusal}")),
                (true, Some(entry)) => {
                    failures.push(format!("{isa:?} {name}: executed, in spite of {entry:?}"));
                }
            }
            for (claim, proof) in &outcome.claims {
                if is_of_value(claim) {
                    *of_values.entry((*isa, claim)).or_default() |= proof.is_shown;
                    continue;
                }
                match (proof.is_shown, proof.exception) {
                    (true, None) => {}
                    (false, Some(entry)) => needed.never_matters.push(entry),
                    (false, None) => failures.push(format!("{isa:?} {name}: never {claim}")),
                    (true, Some(entry)) => {
                        failures.push(format!("{isa:?} {name}: {claim}, in spite of {entry:?}"));
                    }
                }
            }
        }
    }
    let unproven = of_values.iter().filter(|(_, is_shown)| !**is_shown);
    failures.extend(unproven.map(|((isa, claim), _)| format!("{isa:?} *: never {claim}")));
    failures.extend(needed.others());
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// All rows on one instruction set.
fn on(isa: Isa) -> Vec<(&'static Row, Outcome)> {
    let mut rig = Rig::new(isa);
    let mut noise = Noise::new(isa as u64 + 1);
    let here = rows().filter(|row| row.opcode_on(isa).is_some());
    here.map(|row| (row, of_row(&mut rig, row, &mut noise)))
        .collect()
}

fn of_row(rig: &mut Rig, row: &'static Row, noise: &mut Noise) -> Outcome {
    let mut outcome = Outcome::default();
    for form in rig.isa().tables().forms(row.op()) {
        for round in 0..MOST {
            if round >= LEAST && outcome.is_proven()
                || outcome.failures.len() > 3
                || round >= TRIES && !outcome.executed
            {
                break;
            }
            let inst = sample(form, noise);
            for _ in 0..STATES {
                let mut state = rig.noise(noise);
                rig.give_addresses(&inst, &mut state, noise);
                if !try_one(rig, &inst, &state, noise, &mut outcome) {
                    break;
                }
            }
        }
    }
    outcome
}

/// Executes an instruction; true if another state may prove more of its claims.
fn try_one(
    rig: &mut Rig,
    inst: &Inst,
    state: &State,
    noise: &mut Noise,
    outcome: &mut Outcome,
) -> bool {
    let uses: Vec<RegisterUse> = inst.uses().registers().collect();
    let memory = inst.uses().memory();
    let after = match rig.execute(inst, state) {
        Ok(after) => after,
        Err(refusal) => {
            outcome.refusal = Some(refusal);
            return false;
        }
    };
    outcome.executed = true;
    let text = inst.text();
    // 1: what is not written stays.
    let mut written = Keep::of(&uses, |it| it.written, state.exec());
    written.spaces = spaces(memory, |memory| memory.written);
    if let Some(what) = written.changed_outside(state, &after) {
        outcome.failures.push(format!("{text}: changes {what}"));
        return false;
    }
    // 2: what is not read may be anything.
    let mut read = Keep::of(&uses, |it| it.read, state.exec());
    read.spaces = spaces(memory, |memory| memory.read);
    let mut other = state.clone();
    read.scramble_outside(&mut other, noise);
    match rig.execute(inst, &other) {
        Ok(result) => {
            if !exceptions::is_time(inst)
                && let Some(what) = written.differs((state, &after), (&other, &result))
            {
                outcome
                    .failures
                    .push(format!("{text}: {what} goes by what is not read"));
            }
        }
        Err(refusal) => outcome
            .failures
            .push(format!("{text}: {refusal} by what is not read")),
    }
    // 3: what is declared matters.
    let run = Run {
        inst,
        before: state,
        after: &after,
    };
    run.prove(rig, noise, &mut outcome.claims)
}

/// The memories of an access. Scratch lies in global memory, where an address out of bounds may lead.
fn spaces(memory: Option<Memory>, which: fn(&Memory) -> Spaces) -> Spaces {
    let spaces = memory.as_ref().map_or(Spaces::NONE, which);
    if spaces.has(Space::Global) {
        spaces.and(Spaces::of(Space::Scratch))
    } else {
        spaces
    }
}

/// Memories whose contents a state has.
pub const SPACES: [Space; 4] = [Space::Global, Space::Lds, Space::Gds, Space::Scratch];
