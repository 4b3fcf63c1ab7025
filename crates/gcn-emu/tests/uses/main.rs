//! Proof by execution of the registers and memories that [`gcn_isa::uses`] declares: every row on every instruction
//! set, in all encodings, with random operands and modifiers, from random states.
//!
//! 1. Only state that is declared as written changes.
//! 2. State that is not declared as read does not affect the result.
//! 3. Every declared use matters in some sample: a write changes its destination, and a read changes the result with
//!    its source.
//!
//! `exceptions.rs` lists the instructions that are not executed and the uses that never matter, with reasons, and no
//! others.

#[path = "../stage/mod.rs"]
mod stage;

mod claims;
mod exceptions;
mod images;
mod keep;
mod sample;
mod state;

use std::collections::BTreeMap;

use gcn_isa::uses::{MemoryUse, RegisterUse, Space, Spaces};
use gcn_isa::{Inst, Isa, Row, rows};

use claims::{Claims, Run, is_any_missing, is_of_value};
use exceptions::Needed;
use keep::Keep;
use sample::sample;
use stage::Noise;
use state::Rig;

/// Minimum number of samples of an encoding.
const LEAST: usize = 6;
/// Maximum number of samples of an encoding until one is executed.
const TRIES: usize = 300;
/// Number of rounds of samples in which new claims are collected.
const LOOKED_AT: usize = 40;
/// Maximum number of rounds while a claim is not proven yet. A sample is executed only if it makes such a claim.
const MOST: usize = 1000;
/// Number of states in which such a sample is executed.
const STATES: usize = 12;

/// Outcome of a row on one instruction set.
#[derive(Default)]
struct Outcome {
    claims: Claims,
    executed: bool,
    failures: Vec<String>,
    /// Reason why an instruction was not executed.
    refusal: Option<String>,
}

#[test]
fn declared_uses_match_execution() {
    let results: Vec<(Isa, Vec<(&'static Row, Outcome)>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = Isa::ALL
            .into_iter()
            // Sequentially, since this order determines the devices' addresses.
            .map(Rig::new)
            .map(|mut rig| scope.spawn(move || (rig.isa(), on(&mut rig))))
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

/// Checks all rows on one instruction set.
fn on(rig: &mut Rig) -> Vec<(&'static Row, Outcome)> {
    let isa = rig.isa();
    let here = rows().filter(|row| row.opcode_on(isa).is_some());
    here.map(|row| (row, of_row(rig, row))).collect()
}

/// Random numbers for a row's samples, which depend only on the row, the instruction set and `part`.
fn noise_of(row: &Row, isa: Isa, part: usize) -> Noise {
    Noise::named(&format!("{} {isa:?} {part}", row.name), 0)
}

fn of_row(rig: &mut Rig, row: &'static Row) -> Outcome {
    let mut outcome = Outcome::default();
    let forms = rig.isa().tables().forms(row.op());
    for (part, form) in forms.iter().enumerate() {
        let mut noise = noise_of(row, rig.isa(), part);
        for round in 0..TRIES {
            if round >= LEAST && outcome.executed || outcome.failures.len() > 3 {
                break;
            }
            let inst = sample(form, &mut noise);
            try_one(rig, &inst, &mut noise, &mut outcome);
        }
    }
    if outcome.executed && outcome.failures.is_empty() {
        prove_claims(rig, row, &mut outcome.claims);
    }
    outcome
}

/// Executes an instruction, checks that its declarations hold, and proves its claims as far as possible.
fn try_one(rig: &mut Rig, inst: &Inst, noise: &mut Noise, outcome: &mut Outcome) {
    let state = rig.state_for(inst, noise);
    let uses: Vec<RegisterUse> = inst.uses().registers().collect();
    // An image's address has registers that are read only for some images.
    let beyond = inst.uses().address_beyond();
    let may_read: Vec<RegisterUse> = uses.iter().copied().chain(beyond).collect();
    let memory = inst.uses().memory();
    let after = match rig.execute(inst, &state) {
        Ok(after) => after,
        Err(refusal) => {
            outcome.refusal = Some(refusal);
            return;
        }
    };
    outcome.executed = true;
    let text = inst.text();
    // 1: state that is not written does not change.
    let mut written = Keep::of(&uses, |it| it.written, state.exec());
    written.spaces = spaces(memory, |memory| memory.written);
    if let Some(what) = written.changed_outside(&state, &after) {
        outcome.failures.push(format!("{text}: changes {what}"));
        return;
    }
    // 2: state that is not read is random.
    let mut read = Keep::of(&may_read, |it| it.read, state.exec());
    read.spaces = spaces(memory, |memory| memory.read);
    let mut other = state.clone();
    read.scramble_outside(&mut other, noise);
    match rig.execute(inst, &other) {
        Ok(result) => {
            if !exceptions::is_time(inst)
                && let Some(what) = written.differs((&state, &after), (&other, &result))
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
    // 3: declared uses matter.
    let run = Run {
        inst,
        before: &state,
        after: &after,
    };
    run.prove(rig, noise, &mut outcome.claims);
}

/// Collects claims that no sample has made yet, and looks for samples that prove the missing ones.
fn prove_claims(rig: &mut Rig, row: &'static Row, claims: &mut Claims) {
    let forms = rig.isa().tables().forms(row.op());
    let mut noise = noise_of(row, rig.isa(), forms.len());
    for round in 0..MOST {
        if round >= LOOKED_AT && !claims::is_any_left(claims) {
            break;
        }
        for form in forms {
            let inst = sample(form, &mut noise);
            for _ in 0..STATES {
                if !is_any_missing(&inst, claims) {
                    break;
                }
                let before = rig.state_for(&inst, &mut noise);
                let Ok(after) = rig.execute(&inst, &before) else {
                    continue;
                };
                let run = Run {
                    inst: &inst,
                    before: &before,
                    after: &after,
                };
                run.prove(rig, &mut noise, claims);
            }
        }
    }
}

/// Memories of an access. Scratch is in global memory, where an out-of-bounds address may point.
fn spaces(memory: Option<MemoryUse>, which: fn(&MemoryUse) -> Spaces) -> Spaces {
    let spaces = memory.as_ref().map_or(Spaces::NONE, which);
    if spaces.has(Space::Global) {
        spaces.and(Spaces::of(Space::Scratch))
    } else {
        spaces
    }
}

/// Memories that are part of a state.
pub const SPACES: [Space; 4] = [Space::Global, Space::Lds, Space::Gds, Space::Scratch];
