//! Waits of compiled kernels, removed and weakened by one: `lint` reports every one of which a register's value depends, and
//! nothing about the kernels as they are.
//!
//! A few kernels are tried under `cargo test`; with `-- --ignored` all of them, at -O0 with some of their waits, and the counts are
//! printed.

#![allow(
    clippy::print_stderr,
    reason = "the counts are what the long test is for"
)]

mod oracle;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use gcn_isa::simm::Waitcnt;
use gcn_isa::{Isa, Target};
use gcn_object::{SymbolKind, SymbolSection};
use gcn_observe::finding::{Finding, Findings};
use gcn_observe::lint::{CodeRegion, LintCode, lint};

use oracle::{Reason, Text, Wait};

const TARGETS: [&str; 5] = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx906"];
/// Waits of an object that the long test tries at -O0 at most, evenly spaced: some have thousands.
const MOST_AT_O0: usize = 12;
/// Kernels that are tried always: loops with LDS, calls, scratch.
const SAMPLE: [&str; 3] = ["reduce_int", "calls", "spills"];

/// Code of an object.
struct Object {
    isa: Isa,
    regions: Vec<(u64, Vec<u8>)>,
    /// Beginnings of kernels and functions, in order.
    entries: Vec<u64>,
}

impl Object {
    fn read(bytes: &[u8]) -> Object {
        let object = gcn_object::read(bytes).expect("clang writes code objects");
        let target = object.processor().and_then(Target::named);
        let sections = object.sections.iter().filter(|it| it.is_code());
        let functions = object.symbols.iter().filter(|it| {
            it.kind == SymbolKind::Function && matches!(it.section, SymbolSection::Section(_))
        });
        let kernels = object.kernels.iter().map(|it| it.entry_address);
        let mut entries: Vec<u64> = kernels.chain(functions.map(|it| it.value)).collect();
        entries.sort_unstable();
        entries.dedup();
        Object {
            isa: target.expect("it names its target").isa,
            regions: sections
                .map(|it| (it.address, object.section_bytes(it).to_vec()))
                .collect(),
            entries,
        }
    }

    fn lint(&self, entries: &[u64]) -> Vec<Finding> {
        let regions = self.regions.iter();
        let code = LintCode {
            isa: self.isa,
            regions: regions
                .map(|(address, bytes)| CodeRegion {
                    address: *address,
                    bytes,
                })
                .collect(),
            entries: entries.to_vec(),
        };
        let findings = Findings::default();
        lint(&code, &findings);
        findings.all().0
    }

    /// Changes what a wait waits for.
    fn set(&mut self, wait: Wait) {
        let word = wait.until.pack(self.isa).to_le_bytes();
        for (address, bytes) in &mut self.regions {
            let offset = wait.pc.checked_sub(*address).map(|it| it as usize);
            if let Some(place) = offset.and_then(|it| bytes.get_mut(it..it + word.len())) {
                place.copy_from_slice(&word);
            }
        }
    }

    /// The kernel or function that an address is in.
    fn around(&self, pc: u64) -> &[u64] {
        let after = self.entries.partition_point(|it| *it <= pc);
        &self.entries[after.saturating_sub(1)..after]
    }
}

/// A wait without its effect, and with each field weakened by one.
fn mutants(isa: Isa, until: Waitcnt) -> Vec<Waitcnt> {
    let max = Waitcnt::max(isa);
    let mut all = vec![max];
    for (value, most, set) in [
        (
            until.vm,
            max.vm,
            Waitcnt {
                vm: until.vm.saturating_add(1),
                ..until
            },
        ),
        (
            until.lgkm,
            max.lgkm,
            Waitcnt {
                lgkm: until.lgkm.saturating_add(1),
                ..until
            },
        ),
        (
            until.exp,
            max.exp,
            Waitcnt {
                exp: until.exp.saturating_add(1),
                ..until
            },
        ),
    ] {
        if value < most {
            all.push(set);
        }
    }
    all.dedup();
    all
}

/// Numbers of mutants by reason and target: of all, and of those that are reported.
type Counts = BTreeMap<(Reason, Isa), [usize; 2]>;

/// Tries every mutant of at most `most` waits of an object.
fn check(name: &str, bytes: &[u8], most: usize, counts: &mut Counts) {
    let mut object = Object::read(bytes);
    let isa = object.isa;
    let unchanged = object.lint(&object.entries);
    assert!(unchanged.is_empty(), "{name}: {unchanged:?}");
    let text = Text::new(isa, &object.regions);
    let released = text.released();
    let waits = text.waits();
    for wait in waits
        .iter()
        .copied()
        .step_by(waits.len().div_ceil(most).max(1))
    {
        for until in mutants(isa, wait.until) {
            let changed = Wait { until, ..wait };
            let of_it = released.get(&wait.pc).map_or(&[][..], Vec::as_slice);
            let (reason, uses) = text.judge(of_it, changed);
            object.set(changed);
            // What a function has outstanding at its ends is a matter of its callers and callees; the model does not see them.
            let found = match reason {
                Reason::Call | Reason::Nothing => object.lint(&object.entries),
                Reason::Needed
                | Reason::Flat
                | Reason::Unused
                | Reason::OtherWait
                | Reason::Memory => object.lint(object.around(wait.pc)),
            };
            object.set(wait);
            let is_meant = |it: &Finding| {
                let other = it.sides.iter().find_map(|side| side.place.as_ref());
                other.is_some_and(|other| uses.contains(&(other.pc, it.place.pc)))
            };
            let is_found = found.iter().any(is_meant);
            assert!(
                is_found || reason != Reason::Needed,
                "{name}: {:#x} {:?} as {until:?}: {uses:x?}",
                wait.pc,
                wait.until
            );
            // Before, one of the counters of FLAT is enough, and the mutant may have left it.
            assert!(
                !found.is_empty() || reason != Reason::Flat || isa < Isa::Gfx9,
                "{name}: {:#x} {:?} as {until:?}",
                wait.pc,
                wait.until
            );
            let [all, reported] = counts.entry((reason, isa)).or_default();
            *all += 1;
            *reported += usize::from(!found.is_empty());
        }
    }
}

/// The code object of an OpenCL kernel; `None` if Clang does not make one of it.
fn compiled(source: &Path, target: &str, level: &str) -> Option<Vec<u8>> {
    let name = source.file_stem()?.to_string_lossy();
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    let object = directory.join(format!("{name}.{target}{level}.co"));
    let text = std::fs::read_to_string(source).expect("a source");
    let standard = text
        .split("std = \"")
        .nth(1)
        .and_then(|it| it.split('"').next());
    let status = Command::new("clang-19")
        .args(["-x", "cl", "-target", "amdgcn-amd-amdhsa", "-w", level])
        .arg(format!("-mcpu={target}"))
        .arg(format!("-cl-std={}", standard.unwrap_or("CL2.0")))
        .args(["--rocm-path=/usr", "-mcode-object-version=5"])
        .arg("--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
        .arg(source)
        .arg("-o")
        .arg(&object)
        .output()
        .expect("clang-19 is installed: `cargo xtask tools`");
    status
        .status
        .success()
        .then(|| std::fs::read(&object).expect("it has written it"))
}

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels")
}

#[test]
fn missing_waits_of_some_kernels_are_found() {
    let mut counts = Counts::new();
    for name in SAMPLE {
        for target in ["gfx600", "gfx803", "gfx900"] {
            let source = kernels().join(format!("{name}.cl"));
            let bytes = compiled(&source, target, "-O2").expect("clang compiles it");
            check(&format!("{name} {target}"), &bytes, usize::MAX, &mut counts);
        }
    }
    let needed = counts
        .iter()
        .filter(|((reason, _), _)| *reason == Reason::Needed);
    assert!(
        needed.map(|(_, [all, _])| all).sum::<usize>() > 100,
        "{counts:?}"
    );
}

/// Tries mutants of at most `most` waits of each kernel, and prints the counts.
fn check_all(level: &str, most: usize) {
    let entries = std::fs::read_dir(kernels()).expect("the kernels");
    let mut sources: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
    sources.retain(|it| it.extension().is_some_and(|it| it == "cl"));
    sources.sort();
    let mut counts = Counts::new();
    let mut objects = 0;
    for source in &sources {
        for target in TARGETS {
            let name = format!("{} {target} {level}", source.display());
            if let Some(bytes) = compiled(source, target, level) {
                check(&name, &bytes, most, &mut counts);
                objects += 1;
            }
        }
    }
    assert!(objects > 0);
    eprintln!("{level}: {objects} code objects");
    for ((reason, isa), [all, reported]) in counts {
        eprintln!("{reason:?} on {isa}: {all}, reported: {reported}");
    }
}

#[test]
#[ignore = "takes many minutes"]
fn missing_waits_of_all_kernels_are_found() {
    check_all("-O2", usize::MAX);
}

#[test]
#[ignore = "takes many minutes"]
fn missing_waits_of_all_kernels_without_optimisation_are_found() {
    check_all("-O0", MOST_AT_O0);
}
