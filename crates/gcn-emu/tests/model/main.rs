//! Tests of memory instructions and hardware registers against an independent model.
//!
//! The model is based on the documents, `docs/errata.md`, AMD's manuals and what other projects say about hardware, not
//! on the emulator. It decodes words by the manuals' bit positions and uses the manuals' names, which are all that it
//! shares with the instruction tables. `ds`, `buffer`, `flat`, `scalar` and `hardware` read like a specification. Model
//! and emulator execute random instructions from the same random state, and must agree on all registers, memories and
//! violations.
//!
//! `GCN_MODEL_ROUNDS=50 GCN_MODEL_SEED=7 cargo test -p gcn-emu --test model` runs more, and other, cases.

#[path = "../stage/mod.rs"]
mod stage;

mod buffer;
mod ds;
mod flat;
mod formats;
mod hardware;
mod noise;
mod operators;
mod rig;
mod sample;
mod scalar;
mod share;
mod state;

use std::collections::BTreeMap;

use gcn_isa::{Encoding, Form, Inst, Isa, rows};

use noise::Noise;
use rig::Rig;
use state::{Context, State};

/// Number of samples of each instruction on an instruction set.
const ROUNDS: u64 = 40;

/// Instructions that the model excludes: other tests cover synchronization between waves, and clocks.
fn is_left_out(name: &str) -> bool {
    ["gws", "memtime", "memrealtime"]
        .iter()
        .any(|part| name.contains(part))
}

/// Executes an instruction according to the manuals.
fn model(context: &Context, inst: &Inst, state: &mut State) {
    let (name, words) = (inst.name(), inst.words());
    match inst.encoding {
        Encoding::Ds => ds::execute(context, name, words, state),
        Encoding::Mubuf | Encoding::Mtbuf => buffer::execute(context, name, words, state),
        Encoding::Flat | Encoding::Global | Encoding::Scratch => {
            flat::execute(context, name, words, state);
        }
        _ => scalar::execute(context, name, words, state),
    }
}

/// Disagreements by instruction: the number of cases, and the first one.
#[derive(Default)]
struct Found(BTreeMap<String, (usize, String)>);

impl Found {
    fn add(&mut self, key: String, text: String) {
        self.0.entry(key).or_insert((0, text)).0 += 1;
    }
}

fn setting(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value.map_or(default, |value| value.parse().expect("a number"))
}

fn compare(encodings: &[Encoding]) {
    let rounds = setting("GCN_MODEL_ROUNDS", ROUNDS);
    let seed = setting("GCN_MODEL_SEED", 1);
    let mut found = Found::default();
    let mut cases = 0;
    for isa in Isa::ALL {
        let mut rig = Rig::new(isa);
        for row in rows().filter(|row| row.opcode_on(isa).is_some()) {
            let forms = isa.tables().forms(row.op()).iter();
            for form in forms.filter(|form| encodings.contains(&form.encoding)) {
                if is_left_out(form.name) {
                    continue;
                }
                cases += compare_form(&mut rig, form, rounds, seed, &mut found);
            }
        }
    }
    let list = found
        .0
        .iter()
        .map(|(key, (count, text))| format!("{key} ({count}): {text}"));
    let list: Vec<String> = list.collect();
    assert!(list.is_empty(), "of {cases} cases\n{}", list.join("\n"));
    assert!(cases > 1000, "{cases} cases");
}

fn compare_form(
    rig: &mut Rig,
    form: &'static Form,
    rounds: u64,
    seed: u64,
    found: &mut Found,
) -> u64 {
    let isa = rig.context.isa;
    let name = format!("{} {isa:?}", form.name);
    let mut noise = Noise::named(&name, seed);
    for _ in 0..rounds {
        let inst = sample::instruction(form, &mut noise);
        let before = sample::state(rig, &inst, &mut noise);
        let mut expected = before.clone();
        model(&rig.context, &inst, &mut expected);
        let difference = match rig.execute(&inst, &before) {
            Ok(_) if expected.undefined => None,
            Ok(after) => expected.difference(&after),
            Err(fault) => Some(fault),
        };
        if let Some(difference) = difference {
            found.add(name.clone(), format!("{}: {difference}", inst.text()));
        }
    }
    rounds
}

#[test]
fn data_shares_agree() {
    compare(&[Encoding::Ds]);
}

#[test]
fn buffers_agree() {
    compare(&[Encoding::Mubuf]);
}

#[test]
fn typed_buffers_agree() {
    compare(&[Encoding::Mtbuf]);
}

#[test]
fn flat_global_and_scratch_agree() {
    compare(&[Encoding::Flat, Encoding::Global, Encoding::Scratch]);
}

#[test]
fn scalar_memory_agrees() {
    compare(&[Encoding::Smrd, Encoding::Smem]);
}
