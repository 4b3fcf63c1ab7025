//! Missing wait states that `lint` reports, against the S_NOPs that LLVM's hazard recogniser inserts: every pair of classes of
//! instructions on every target, with fewer wait states between them, as many, and more.

#[path = "../../../gcn-asm/tests/common/mod.rs"]
mod common;

#[allow(dead_code, reason = "another test uses the rest")]
#[path = "../../../gcn-asm/tests/llvm_facts/classes.rs"]
mod classes;

#[allow(dead_code, reason = "another test uses the rest")]
#[path = "../../../gcn-asm/tests/llvm_facts/explained.rs"]
mod explained;

#[allow(dead_code, reason = "another test uses the rest")]
#[path = "../../../gcn-asm/tests/llvm_facts/passes.rs"]
mod passes;

use gcn_isa::Target;
use gcn_observe::finding::{Findings, Kind};
use gcn_observe::lint::{CodeRegion, LintCode, lint};

use passes::{Sequence, features, inst, pairs, wait_states};

/// True if the second instruction follows too soon, with these words between the two.
fn is_reported(target: &'static Target, pair: &Sequence, between: &[u32]) -> bool {
    let end = inst(target, "s_endpgm").expect("it exists");
    let [first, second] = [&pair.insts[0], &pair.insts[1]].map(common::inst_words);
    let words = [&first[..], between, &second, &common::inst_words(&end)].concat();
    let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    let code = LintCode {
        isa: target.isa,
        regions: vec![CodeRegion {
            address: 0,
            bytes: &bytes,
        }],
        entries: vec![0],
    };
    let findings = Findings::default();
    lint(&code, &findings);
    let second = 4 * (first.len() + between.len()) as u64;
    let (found, _) = findings.all();
    found.iter().any(|it| {
        let other = it.sides.first().and_then(|side| side.place.as_ref());
        let is_pair = it.place.pc == second && other.is_some_and(|other| other.pc == 0);
        it.kind == Kind::MissingWaitStates && is_pair
    })
}

#[test]
fn missing_wait_states_are_those_that_llvm_inserts() {
    let (mut differences, mut needed, mut tried) = (Vec::new(), 0, 0);
    let explained = explained::hazards();
    for (target, features) in features() {
        if features.contains('+') {
            // Replays concern the compiler's clauses, not wait states.
            continue;
        }
        let nop = |number: u16| {
            let text = format!("s_nop {number}");
            common::inst_words(&inst(target, &text).expect("it exists"))
        };
        let pairs = pairs(target);
        let states = wait_states(target.name, features, &pairs);
        for (pair, theirs) in pairs.iter().zip(states) {
            needed += usize::from(theirs > 0);
            // Where nothing is needed between them, nothing need be tried.
            let most = if theirs == 0 { 0 } else { theirs + 1 };
            for between in 0..=most {
                let many = nop(0).repeat(between.into());
                let one = between.checked_sub(1).map_or_else(Vec::new, nop);
                for words in [many, one].iter().take(if between < 2 { 1 } else { 2 }) {
                    tried += 1;
                    let is_reported = is_reported(target, pair, words);
                    let is_explained = || explained.iter().any(|it| (it.holds)(pair, target.isa));
                    if is_reported != (between < theirs) && !is_explained() {
                        let names = pair.names.join(" / ");
                        differences.push(format!(
                            "{} {names}: {between} wait states of {theirs}, reported: {is_reported}",
                            target.name
                        ));
                    }
                }
            }
        }
    }
    assert!(needed > 250 && tried > 50_000, "{needed} of {tried}");
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
}
