//! Checkers watch random programs whose addresses wrap, and end. What a checker does for an access must not depend on how many
//! addresses there are from it to the end of memory.

#[expect(dead_code, reason = "other tests run programs in other ways")]
#[path = "../../gcn-emu/tests/programs/mod.rs"]
mod programs;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use arbitrary::Unstructured;
use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, Findings};
use programs::{Program, noise};

const PROGRAMS: u64 = 50;
/// Time after which a run that makes no progress is taken for one that never ends: it takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(300);

/// Beginnings of the names of memory instructions, which GFX9 has all of.
const FAMILIES: [&str; 8] = [
    "flat_", "global_", "scratch_", "buffer_", "tbuffer_", "image_", "ds_", "s_",
];

/// The families of memory instructions that a program has, as far as a name tells: `s_` is scalar memory.
fn families(program: &Program) -> impl Iterator<Item = &'static str> {
    let is_of = |line: &str, family: &str| {
        line.starts_with(family)
            && (family != "s_" || line.contains("load") || line.contains("store"))
    };
    FAMILIES
        .into_iter()
        .filter(move |family| program.text.lines().any(|line| is_of(line, family)))
}

/// Aborts the test if the number does not change for too long: a checker that hangs cannot be stopped.
#[expect(
    clippy::print_stderr,
    reason = "the harness does not see the end of a test that aborts"
)]
fn watch(progress: Arc<AtomicU64>) {
    std::thread::spawn(move || {
        let mut last = u64::MAX;
        loop {
            let now = progress.load(Relaxed);
            if now == last {
                eprintln!("run {now} does not end");
                std::process::abort();
            }
            last = now;
            std::thread::sleep(PATIENCE);
        }
    });
}

#[test]
fn checkers_end_wherever_programs_access_memory() {
    let runs = Arc::new(AtomicU64::new(0));
    watch(runs.clone());
    let alone = Check::ALL.iter().map(std::slice::from_ref);
    let sets: Vec<&[Check]> = alone.chain([Check::ALL]).collect();
    let mut found = 0;
    let mut executed: BTreeSet<(&str, &str)> = BTreeSet::new();
    for seed in 1..=PROGRAMS {
        let bytes = noise(seed);
        let program = Program::wild(&mut Unstructured::new(&bytes)).expect("bytes enough");
        executed.extend(families(&program).map(|family| (program.target(), family)));
        for checks in &sets {
            let findings = Arc::new(Findings::default());
            program.observe(&checkers(checks, &findings));
            runs.fetch_add(1, Relaxed);
            found += findings.all().0.len();
        }
    }
    assert!(found as u64 > 10 * PROGRAMS, "{found} findings");
    for target in programs::TARGETS {
        for family in FAMILIES {
            let is_there = match family {
                "flat_" => *target != "gfx600",
                "global_" | "scratch_" => target.starts_with("gfx9"),
                _ => true,
            };
            let is_executed = executed.contains(&(*target, family));
            assert_eq!(is_executed, is_there, "{target} {family}");
        }
    }
}
