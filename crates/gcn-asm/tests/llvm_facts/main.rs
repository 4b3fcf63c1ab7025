//! Counters and hazards as `gcn_isa::uses` states them, against what LLVM's passes insert: S_WAITCNT by
//! `si-insert-waitcnts`, S_NOP by `post-RA-hazard-rec`. Every pair of classes on every target; what differs is explained below.

#[path = "../common/mod.rs"]
mod common;

mod classes;
mod passes;

use std::cell::Cell;

use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Hazard, RegisterUse, Registers, Space};
use gcn_isa::{Inst, Isa, Target};

use classes::{COUNTED, OTHERS, elsewhere};
use passes::{FEATURES, Sequence, inst, of_class, pairs, run, sequence, wait_states};

const TARGETS: [&str; 7] = [
    "gfx600", "gfx700", "gfx803", "gfx810", "gfx900", "gfx904", "gfx906",
];

/// A difference from LLVM, with its reason; one that nothing needs fails the test.
struct Explained {
    reason: &'static str,
    holds: fn(&Sequence, Isa) -> bool,
    used: Cell<bool>,
}

const fn explained(reason: &'static str, holds: fn(&Sequence, Isa) -> bool) -> Explained {
    Explained {
        reason,
        holds,
        used: Cell::new(false),
    }
}

/// Compares, with the differences that are explained.
fn check(failures: Vec<(Sequence, Isa, String)>, explained: &[Explained]) {
    let mut left = Vec::new();
    for (sequence, isa, message) in failures {
        match explained.iter().find(|it| (it.holds)(&sequence, isa)) {
            Some(it) => it.used.set(true),
            None => left.push(format!("{isa:?} {}: {message}", sequence.names.join(" / "))),
        }
    }
    let unused = explained.iter().filter(|it| !it.used.get());
    left.extend(unused.map(|it| format!("nothing needs this explanation: {}", it.reason)));
    let shown = left.len().min(60);
    assert!(
        left.is_empty(),
        "{} differences:\n{}",
        left.len(),
        left[..shown].join("\n")
    );
}

#[test]
fn hazards_are_those_that_llvm_avoids() {
    let explained = [
        explained(
            "LLVM has this hazard from GCN 1.2 on, AMD's manuals have it everywhere (errata E252)",
            |it, isa| isa < Isa::Vi && has_hazard(it, Hazard::VectorMemoryReadsSgpr),
        ),
        explained(
            "LLVM never reads VCCZ and EXECZ as values (errata E252)",
            |it, _| has_hazard(it, Hazard::ReadsZeroFlag),
        ),
        explained("to LLVM the destination of DPP is a source too", |it, _| {
            it.names == ["dpp", "dpp"]
        }),
    ];
    let mut failures = Vec::new();
    for (name, features) in FEATURES {
        let target = common::target(name);
        let pairs = pairs(target);
        let states = wait_states(name, features, &pairs);
        for (pair, theirs) in pairs.iter().zip(states) {
            let after = pair.insts[1].uses();
            let hazards: Vec<(Hazard, u8)> = pair.insts[0].uses().hazards_before(&after).collect();
            let states = hazards.iter().map(|(_, states)| u16::from(*states));
            let replays = features == "+xnack" && pair.insts[0].uses().replays_unsafely(&after);
            let ours = states.max().unwrap_or(0).max(replays.into());
            if ours != theirs {
                failures.push((
                    pair.clone(),
                    target.isa,
                    format!("LLVM {theirs}, we {ours}: {hazards:?}"),
                ));
            }
        }
    }
    check(failures, &explained);
}

fn has_hazard(it: &Sequence, hazard: Hazard) -> bool {
    let after = it.insts[1].uses();
    it.insts[0]
        .uses()
        .hazards_before(&after)
        .any(|(it, _)| it == hazard)
}

/// Operations that are outstanding.
#[derive(Default)]
struct Outstanding(Vec<(Inst, Counters, [u8; 3])>);

impl Outstanding {
    /// Makes the instruction wait for what it needs, then issues it.
    fn issue(&mut self, isa: Isa, inst: &Inst) -> Waitcnt {
        let mut wait = Waitcnt::max(isa);
        for (place, (earlier, ..)) in self.0.iter().enumerate() {
            for counter in needed(earlier, inst) {
                if self.0[place].2[counter as usize] == 0 {
                    continue;
                }
                let holds = |op: &&(Inst, Counters, [u8; 3])| op.2[counter as usize] != 0;
                let order = self.0[place].1.order;
                let in_order =
                    order.is_kept() && self.0.iter().filter(holds).all(|op| op.1.order == order);
                let later: u8 = self.0[place + 1..]
                    .iter()
                    .map(|op| op.2[counter as usize])
                    .sum();
                let until = if in_order { later } else { 0 };
                let field = match counter {
                    Counter::Vm => &mut wait.vm,
                    Counter::Lgkm => &mut wait.lgkm,
                    Counter::Exp => &mut wait.exp,
                };
                *field = (*field).min(until);
            }
        }
        for (counter, until) in [wait.vm, wait.lgkm, wait.exp].into_iter().enumerate() {
            let mut value: u8 = self.0.iter().map(|op| op.2[counter]).sum();
            for op in &mut self.0 {
                if value > until {
                    value -= op.2[counter];
                    op.2[counter] = 0;
                }
            }
        }
        if let Some(counters) = inst.uses().counters() {
            self.0
                .push((*inst, counters, [counters.vm, counters.lgkm, counters.exp]));
        }
        wait
    }
}

/// The counters that `later` must wait for.
fn needed(earlier: &Inst, later: &Inst) -> Vec<Counter> {
    let uses: Vec<RegisterUse> = later.uses().registers().collect();
    let mut counters = Vec::new();
    for it in earlier.uses().registers() {
        let conflicts = uses.iter().any(|other| {
            it.overlaps(other) && (other.written != 0 || it.written != 0 && other.read != 0)
        });
        if conflicts {
            counters.extend(earlier.uses().released_by(&it));
        }
    }
    let [before, after] = [earlier, later].map(|inst| inst.uses().memory());
    if let (Some(before), Some(after)) = (before, after)
        && earlier.loads_to_lds()
        && !later.loads_to_lds()
        && before.written.has(Space::Lds)
        && after.read.has(Space::Lds)
        // LLVM is not told where these FLAT instructions lead.
        && !after.read.has(Space::Global)
    {
        counters.push(Counter::Vm);
    }
    counters
}

/// Instructions that touch a register each: those of the sequence, and others.
fn touches(target: &'static Target, registers: &[Registers]) -> Vec<(String, Inst, String)> {
    let mut texts = Vec::new();
    for it in registers {
        match *it {
            Registers::Vector { first, count } => {
                for n in [first, first + count - 1] {
                    texts.push((
                        format!("v_mov_b32 v{n}, 0"),
                        format!("$vgpr{n} = V_MOV_B32_e32 0, implicit $exec"),
                    ));
                    texts.push((
                        format!("v_mov_b32 v99, v{n}"),
                        format!("$vgpr99 = V_MOV_B32_e32 $vgpr{n}, implicit $exec"),
                    ));
                }
            }
            Registers::Scalar { first, count } if first < 100 => {
                for n in first..first + count {
                    texts.push((
                        format!("s_mov_b32 s{n}, 0"),
                        format!("$sgpr{n} = S_MOV_B32 0"),
                    ));
                    texts.push((
                        format!("s_mov_b32 s90, s{n}"),
                        format!("$sgpr90 = S_MOV_B32 $sgpr{n}"),
                    ));
                }
            }
            Registers::Scalar { .. } | Registers::State(_) => {}
        }
    }
    let mut also = |text: &str, mir: &str| texts.push((text.to_owned(), mir.to_owned()));
    also("s_mov_b64 exec, 0", "$exec = S_MOV_B64 0");
    also("s_mov_b32 m0, 0", "$m0 = S_MOV_B32 0");
    also(
        "ds_read_b32 v98, v0",
        "$vgpr98 = DS_READ_B32 $vgpr0, 0, 0, implicit $m0, implicit $exec :: (load (s32), addrspace 3)",
    );
    texts.sort();
    texts.dedup();
    let made = texts.into_iter().map(|(text, mir)| {
        let inst = inst(target, &text).expect("it exists everywhere");
        (text, inst, mir)
    });
    made.collect()
}

#[test]
fn waits_are_those_that_llvm_inserts() {
    let explained = [
        explained(
            "LLVM 19 counts a GLOBAL load to LDS on LGKM_CNT, as FLAT; corrected since (errata E251)",
            |it, _| it.has("global to lds"),
        ),
        explained(
            "on GCN 1.0 LLVM 19 takes a load to LDS for a store, and its descriptor for the data (errata E250)",
            |it, isa| isa == Isa::Si && it.has("buffer to lds"),
        ),
    ];
    let mut failures = Vec::new();
    for name in TARGETS {
        let target = common::target(name);
        let here: Vec<_> = COUNTED
            .iter()
            .filter_map(|class| of_class(target, class))
            .collect();
        let moved: Vec<_> = COUNTED
            .iter()
            .filter_map(|class| {
                let inst = inst(target, &elsewhere(class.text))?;
                Some((class.name.to_owned(), inst, elsewhere(class.mir)))
            })
            .collect();
        let mut sequences = Vec::new();
        for first in &here {
            let registers: Vec<Registers> =
                first.1.uses().registers().map(|it| it.registers).collect();
            for last in touches(target, &registers) {
                sequences.push(sequence(&[first, &last]));
                sequences.extend(moved.iter().map(|second| sequence(&[first, second, &last])));
            }
        }
        for (it, inserted) in sequences
            .iter()
            .zip(run(name, "", "si-insert-waitcnts", &sequences))
        {
            let mut outstanding = Outstanding::default();
            for (inst, waits) in it.insts.iter().zip(inserted) {
                let ours = outstanding.issue(target.isa, inst);
                let mut theirs = Waitcnt::max(target.isa);
                for (_, number) in waits {
                    let wait = Waitcnt::unpack(target.isa, number);
                    theirs.vm = theirs.vm.min(wait.vm);
                    theirs.exp = theirs.exp.min(wait.exp);
                    theirs.lgkm = theirs.lgkm.min(wait.lgkm);
                }
                if ours != theirs {
                    let message = format!("LLVM {theirs:?}, we {ours:?}");
                    failures.push((it.clone(), target.isa, message));
                    break;
                }
            }
        }
    }
    check(failures, &explained);
}

#[test]
fn every_class_exists_somewhere() {
    for class in COUNTED.iter().chain(OTHERS) {
        let exists = TARGETS
            .iter()
            .any(|name| inst(common::target(name), class.text).is_some());
        assert!(exists, "{} exists nowhere: {}", class.name, class.text);
    }
}
