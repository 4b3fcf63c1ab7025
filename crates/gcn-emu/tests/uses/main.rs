//! The registers and memories that [`gcn_isa::uses`] declares, proven by execution: every row on every instruction set, in
//! all its encodings, with sampled operands and modifiers, from states full of noise.
//!
//! 1. Nothing changes but what is declared as written.
//! 2. Whatever is not declared as read may hold anything: the result is the same.
//! 3. Every operand that is declared as written changes in some sample.
//!
//! `exceptions.rs` lists what is not executed and what never changes, with the reason, and nothing else.

mod exceptions;
mod sample;
mod state;

use std::collections::{BTreeMap, BTreeSet};

use gcn_isa::uses::{Memory, RegisterUse, Space, Spaces};
use gcn_isa::{Inst, Isa, Row, rows};

use sample::{Noise, sample};
use state::{Keep, Rig, State};

/// Samples of an encoding, at least.
const LEAST: usize = 6;
/// Samples of an encoding until one is executed, at most.
const TRIES: usize = 20;
/// Samples of an encoding, while a destination has not changed yet.
const MOST: usize = 40;

/// The outcome for a row on one instruction set.
#[derive(Default)]
struct Outcome {
    /// Each declared destination, and true once it has changed.
    declared: BTreeMap<String, bool>,
    executed: bool,
    failures: Vec<String>,
    /// The reason for which it was not executed.
    refusal: Option<String>,
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
    let mut needed = BTreeSet::new();
    for (isa, outcomes) in &results {
        for (row, outcome) in outcomes {
            let name = row.name_on(*isa);
            failures.extend(
                outcome
                    .failures
                    .iter()
                    .map(|it| format!("{isa:?} {name}: {it}")),
            );
            if !outcome.executed {
                match exceptions::not_executed(name) {
                    Some(entry) => _ = needed.insert(entry),
                    None => failures.push(format!(
                        "{isa:?} {name}: not executed: {:?}",
                        outcome.refusal
                    )),
                }
            }
            for (label, changed) in &outcome.declared {
                if *changed {
                    continue;
                }
                match exceptions::never_changes(name, label) {
                    Some(entry) => _ = needed.insert(entry),
                    None => failures.push(format!("{isa:?} {name}: {label} never changes")),
                }
            }
        }
    }
    for entry in exceptions::all() {
        if !needed.contains(&entry) {
            failures.push(format!("this exception is not needed: {entry:?}"));
        }
    }
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
            if round >= LEAST
                && outcome.executed
                && outcome.declared.values().all(|changed| *changed)
                || outcome.failures.len() > 3
                || round >= TRIES && !outcome.executed
            {
                break;
            }
            let inst = sample(form, noise);
            let mut state = rig.noise(noise);
            rig.give_addresses(&inst, &mut state, noise);
            try_one(rig, &inst, &state, noise, &mut outcome);
        }
    }
    outcome
}

fn try_one(rig: &mut Rig, inst: &Inst, state: &State, noise: &mut Noise, outcome: &mut Outcome) {
    let uses: Vec<RegisterUse> = inst.uses().registers().collect();
    let memory = inst.uses().memory();
    let after = match rig.execute(inst, state) {
        Ok(after) => after,
        Err(refusal) => {
            outcome.refusal = Some(refusal);
            return;
        }
    };
    outcome.executed = true;
    let text = inst.text();
    // 1: what is not written stays.
    let mut written = Keep::of(
        uses.iter().filter(|it| it.written != 0),
        |it| it.written,
        state,
    );
    written.spaces = spaces(memory, |memory| memory.written);
    if let Some(what) = written.changed_outside(state, &after) {
        outcome.failures.push(format!("{text}: changes {what}"));
        return;
    }
    // 2: what is not read may be anything.
    let mut read = Keep::of(uses.iter().filter(|it| it.read != 0), |it| it.read, state);
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
    // 3: what is declared as written changes.
    for it in uses
        .iter()
        .filter(|it| it.written != 0 && it.operand().is_some())
    {
        let alone = Keep::of([it].into_iter(), |it| it.written, state);
        let changed = outcome.declared.entry(label(inst, it)).or_default();
        *changed = *changed || alone.any_changed(state, &after);
    }
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

/// The operand of a use, by its field.
fn label(inst: &Inst, it: &RegisterUse) -> String {
    let slot = it.operand().and_then(|place| inst.row().slots().nth(place));
    slot.map_or_else(String::new, |slot| {
        format!("{:?}", slot.field).to_ascii_lowercase()
    })
}

/// Memories whose contents a state has.
pub const SPACES: [Space; 4] = [Space::Global, Space::Lds, Space::Gds, Space::Scratch];
