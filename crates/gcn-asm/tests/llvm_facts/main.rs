//! Compares counters and hazards from `gcn_isa::uses` with the instructions that LLVM's passes insert: S_WAITCNT by
//! `si-insert-waitcnts`, S_NOP by `post-RA-hazard-rec`. Covers every pair of classes on every target; differences are
//! explained below.

#[path = "../common/mod.rs"]
mod common;

mod classes;
mod explained;
mod passes;

use std::collections::HashSet;

use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Hazard, Order, RegisterUse, Registers, Space};
use gcn_isa::{Does, Encoding, Inst, Isa, TARGETS, Target};

use classes::{COUNTED, OTHERS};
use explained::check;
use passes::{Part, Pass, Sequence, features, inst, of_class, pairs, run, sequence, wait_states};

#[test]
fn hazards_are_those_that_llvm_avoids() {
    let mut failures = Vec::new();
    for (target, features) in features() {
        let pairs = pairs(target);
        let states = wait_states(target.name, features, &pairs);
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
    check(failures, &explained::hazards());
}

/// Outstanding operations.
#[derive(Default)]
struct Outstanding(Vec<(Inst, Counters, [u8; 3])>);

impl Outstanding {
    /// Waits as required by an instruction.
    fn wait(&mut self, isa: Isa, inst: &Inst) -> Waitcnt {
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
        wait
    }

    fn issue(&mut self, inst: &Inst) {
        if let Some(counters) = inst.uses().counters() {
            self.0
                .push((*inst, counters, [counters.vm, counters.lgkm, counters.exp]));
        }
    }
}

/// Counters that `later` must wait for.
fn needed(earlier: &Inst, later: &Inst) -> Vec<Counter> {
    let uses: Vec<RegisterUse> = later.uses().registers().collect();
    // LLVM relies on no order among results except for vector memory.
    let in_order = [earlier, later].map(|inst| inst.uses().counters());
    let in_order = matches!(in_order, [Some(earlier), Some(later)]
        if earlier.order == Order::VectorMemory && later.writes_behind(earlier.order, earlier.sampled));
    let mut counters = Vec::new();
    for it in earlier.uses().registers() {
        let conflicts = uses.iter().any(|other| {
            let is_read = it.written & other.read != 0;
            let is_overwritten = match it.written {
                0 => other.written & it.read != 0,
                written => other.written & written != 0 && !in_order,
            };
            it.overlaps(other) && (is_read || is_overwritten)
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
        && after.spaces().has(Space::Lds)
        // LLVM does not know the address space of these FLAT instructions.
        && later.encoding != Encoding::Flat
    {
        counters.push(Counter::Vm);
    }
    // Not a dependency, but LLVM's rule: loads must complete before the cache is invalidated.
    if is_vector_cache(later) && !is_vector_cache(earlier) {
        counters.push(Counter::Vm);
    }
    counters
}

/// BUFFER_WBINVL1 and similar instructions, which LLVM does not count.
fn is_vector_cache(inst: &Inst) -> bool {
    inst.encoding == Encoding::Mubuf && matches!(inst.does(), Does::Cache(_))
}

/// Instructions that each access one register: those of the sequence, and others.
fn touches(target: &'static Target, registers: &[Registers]) -> Vec<Part> {
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
    also(
        "ds_write_b32 v96, v97",
        "DS_WRITE_B32 $vgpr96, $vgpr97, 0, 0, implicit $m0, implicit $exec :: (store (s32), addrspace 3)",
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
    let (mut failures, mut matters) = (Vec::new(), HashSet::new());
    for target in TARGETS {
        let [here, moved, far] = [0, 1, 2].map(|place| {
            let all = COUNTED.iter();
            all.filter_map(|class| of_class(target, class, place))
                .collect::<Vec<_>>()
        });
        // First, each alone with instructions that access its registers: of those that wait alike, one serves for the
        // pairs.
        let mut alone = Vec::new();
        for (first, moved) in here.iter().zip(&moved) {
            let registers: Vec<Registers> =
                first.1.uses().registers().map(|it| it.registers).collect();
            let lasts = touches(target, &registers).into_iter();
            alone.extend(lasts.map(|last| (first, moved, last)));
        }
        let sequences: Vec<_> = alone
            .iter()
            .map(|(first, _, last)| sequence(&[first, last]))
            .collect();
        let found = compare(target, &sequences, &mut failures, &mut matters);
        let mut seen = HashSet::new();
        let mut pairs = Vec::new();
        for ((first, moved, last), waits) in alone.iter().zip(found) {
            if waits != [Waitcnt::max(target.isa); 2]
                && seen.insert((&first.0, last.0.starts_with("v_"), format!("{waits:?}")))
            {
                pairs.extend(
                    far.iter()
                        .map(|second| sequence(&[first, moved, second, last])),
                );
            }
        }
        // Those that use the same registers, and instructions that no counter counts.
        let others: Vec<_> = OTHERS
            .iter()
            .filter_map(|class| of_class(target, class, 0))
            .collect();
        for first in &here {
            let seconds = here.iter().chain(&others);
            pairs.extend(seconds.map(|second| sequence(&[first, second])));
        }
        compare(target, &pairs, &mut failures, &mut matters);
    }
    assert_seen(&matters);
    check(failures, &explained::waits());
}

/// Fails for classes whose counters never affect a wait: an error in them would go unnoticed.
fn assert_seen(matters: &HashSet<String>) {
    let unseen: Vec<&str> = COUNTED
        .iter()
        .map(|class| class.name)
        // LLVM waits for all vector memory before it, and does not count it.
        .filter(|name| !name.starts_with("vector cache"))
        .filter(|name| !matters.contains(*name))
        .collect();
    assert!(unseen.is_empty(), "nothing waits for {unseen:?}");
}

/// Our wait before each instruction; the counters of `without` are ignored.
fn waits(isa: Isa, insts: &[Inst], without: Option<usize>) -> Vec<Waitcnt> {
    let mut outstanding = Outstanding::default();
    let waits = insts.iter().enumerate().map(|(place, inst)| {
        let wait = outstanding.wait(isa, inst);
        if without != Some(place) {
            outstanding.issue(inst);
        }
        wait
    });
    waits.collect()
}

/// Compares the waits of sequences. Returns our wait and LLVM's before the last instruction of each, and records the
/// classes before it whose counters matter.
fn compare(
    target: &'static Target,
    sequences: &[Sequence],
    failures: &mut Vec<(Sequence, Isa, String)>,
    matters: &mut HashSet<String>,
) -> Vec<[Waitcnt; 2]> {
    let isa = target.isa;
    let inserted = run(target.name, "", Pass::Waits, sequences);
    let compared = sequences.iter().zip(inserted).map(|(it, inserted)| {
        let ours = waits(isa, &it.insts, None);
        let theirs: Vec<Waitcnt> = inserted[..it.insts.len()]
            .iter()
            .map(|waits| sum(isa, waits))
            .collect();
        let mut both = ours.iter().zip(&theirs);
        if let Some((ours, theirs)) = both.find(|(ours, theirs)| ours != theirs) {
            let message = format!("LLVM {theirs:?}, we {ours:?}");
            failures.push((it.clone(), isa, message));
        }
        let last = it.insts.len() - 1;
        let before = &it.names[last - 1];
        if !matters.contains(before) && waits(isa, &it.insts, Some(last - 1)) != ours {
            matters.insert(before.clone());
        }
        [ours[last], theirs[last]]
    });
    compared.collect()
}

/// Combines several waits.
fn sum(isa: Isa, waits: &[(String, u16)]) -> Waitcnt {
    let mut sum = Waitcnt::max(isa);
    for (_, number) in waits {
        let wait = Waitcnt::unpack(isa, *number);
        sum.vm = sum.vm.min(wait.vm);
        sum.exp = sum.exp.min(wait.exp);
        sum.lgkm = sum.lgkm.min(wait.lgkm);
    }
    sum
}

#[test]
fn every_class_exists_somewhere() {
    for class in COUNTED.iter().chain(OTHERS) {
        let exists = TARGETS
            .iter()
            .any(|target| inst(target, class.text).is_some());
        assert!(exists, "{} exists nowhere: {}", class.name, class.text);
    }
}
