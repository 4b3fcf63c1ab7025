//! Build of a kernel that is modified and run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use gcn_isa::simm::Waitcnt;
use gcn_isa::{Does, Inst, Isa, Target};
use gcn_object::{CodeObject, SymbolKind, SymbolSection};
use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, Finding, Findings, Kind};
use gcn_observe::lint::{CodeRegion, LintCode, lint};
use gcn_runtime::observe::{Context, Events, Observer, Observers, WaveEnd, WaveObserver};
use gcn_runtime::{Argument, Device, Module, Variations};

use super::model::{Facts, Model, Pair, ReleaseFacts, wait};
use super::waits::{Mutant, Wait, groups};
use super::{Counts, Nop, NopCounts, Reason, Sample, nops};
use crate::case::{Arg, Case};
use crate::compile::{self, Build};

/// Maximum number of instructions per wave.
const LIMIT: u64 = 200_000_000;

/// Frequency in Hz of the counter that S_MEMREALTIME reads. It is so high that any delay a kernel waits for has passed
/// by its next read, so runs do not depend on the host's speed.
const REALTIME_HZ: u64 = 1_000_000_000_000;

/// Encoding of S_WAITCNT with an immediate of 0.
const S_WAITCNT: u32 = 0xbf8c_0000;

/// Instructions of a section by address, and branch targets.
#[derive(Default)]
struct Section {
    code: Vec<(u64, Inst)>,
    targets: BTreeSet<u64>,
}

fn read(isa: Isa, address: u64, bytes: &[u8]) -> Section {
    let words: Vec<u32> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|it| u32::from_le_bytes(*it))
        .collect();
    let (mut found, mut at) = (Section::default(), 0);
    while at < words.len() {
        match isa.decoder().decode(&words[at..]) {
            Ok((inst, skimmed)) => {
                found.code.push((address + 4 * at as u64, inst));
                at += inst.dwords();
                if let Some(distance) = skimmed.branch {
                    let next = address + 4 * at as u64;
                    found.targets.insert(next.wrapping_add_signed(4 * distance));
                }
            }
            Err(_) => at += 1,
        }
    }
    found
}

/// Overwrites words of code in a file.
pub fn set_words(file: &mut [u8], object: &CodeObject<'_>, pc: u64, words: &[u32]) {
    let section = object
        .sections
        .iter()
        .find(|it| it.is_code() && (it.address..it.address + it.size).contains(&pc));
    let section = section.expect("the instruction is in a section");
    let place = section.file.start + (pc - section.address) as usize;
    let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    file[place..place + bytes.len()].copy_from_slice(&bytes);
}

/// Stops a run after a number of waves have ended.
struct Stop {
    waves: AtomicU64,
    flag: Arc<AtomicBool>,
}

struct Countdown(Arc<Stop>);

struct Ends(Arc<Stop>);

impl Observer for Countdown {
    fn wants(&self) -> Events {
        Events::WAVE
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Ends(self.0.clone())))
    }
}

impl WaveObserver for Ends {
    fn wave_ends(&mut self, _: &Context<'_>, _: WaveEnd<'_>) {
        if self.0.waves.fetch_sub(1, Relaxed) == 1 {
            self.0.flag.store(true, Relaxed);
        }
    }
}

/// Contents of a kernel's buffers at the end.
type Results = Vec<Vec<u8>>;

/// Variations that delay memory operations as long as possible.
const LATE: Variations = Variations {
    late: Some(1),
    schedule: None,
    lds_fill: None,
    register_fill: None,
};
/// Maximum number of instructions per wave in a run with late operations, where a loop's trip count may be noise.
const LATE_LIMIT: u64 = 2_000_000;

/// Runs the launches of a kernel to completion, and returns the results.
fn results(
    case: &Case,
    target: &Target,
    file: &[u8],
    variations: &Variations,
) -> Result<Results, String> {
    let none = Observers::none();
    let (_, buffers) = run(case, target, file, &none, u64::MAX, variations)?;
    Ok(buffers)
}

/// Runs the launches of a kernel until a number of waves have ended. Observers see the module's addresses.
fn run(
    case: &Case,
    target: &Target,
    file: &[u8],
    observers: &Observers,
    waves: u64,
    variations: &Variations,
) -> Result<(Module, Results), String> {
    let stop = Arc::new(Stop {
        waves: AtomicU64::new(waves),
        flag: Arc::default(),
    });
    let observers = observers.clone().with(Arc::new(Countdown(stop.clone())));
    let text = |error: gcn_runtime::Error| error.to_string();
    let device = Device::builder(target.name).map_err(text)?;
    let device = device.threads(1).vary(variations);
    let device = device.configure(|it| it.realtime_hz = REALTIME_HZ).build();
    let limit = variations.late.map_or(LIMIT, |_| LATE_LIMIT);
    let module = device.load(file).map_err(text)?;
    let buffers = case.buffers.iter();
    let buffers = buffers.map(|it| device.buffer(&it.name, &it.bytes));
    let buffers = buffers.collect::<Result<Vec<_>, _>>().map_err(text)?;
    let queue = device.queue();
    for launch in &case.launches {
        for _ in 0..launch.repeat {
            let kernel = module.kernel(&launch.kernel).map_err(text)?;
            let mut ready = kernel.launch(launch.grid).group(launch.group);
            for arg in &launch.args {
                ready = ready.arg(match arg {
                    Arg::Buffer(n) => Argument::from(&buffers[*n]),
                    Arg::Value(bytes) => Argument::Bytes(bytes.clone()),
                    Arg::Local(bytes) => Argument::Local(*bytes),
                    Arg::Null => Argument::from(0u64),
                });
            }
            let ready = ready
                .observers(&observers)
                .stop_flag(&stop.flag)
                .instruction_limit(limit);
            let ended = ready.run(&queue);
            if stop.flag.load(Relaxed) {
                return Ok((module, Results::new()));
            }
            ended.map_err(|error| error.to_string())?;
        }
    }
    let results: Result<Results, _> = buffers.iter().map(|it| it.read::<u8>()).collect();
    Ok((module, results.map_err(|error| error.to_string())?))
}

/// Converts the facts of a run to link-time addresses.
fn linked(facts: Facts, module: &Module) -> Facts {
    let at = |pc: u64| module.loaded().linked_address(pc);
    let pairs = |all: BTreeSet<Pair>| all.into_iter().map(|(a, b)| (at(a), at(b))).collect();
    Facts {
        nops: facts.nops,
        executed: facts.executed.into_iter().map(at).collect(),
        unguarded: pairs(facts.unguarded),
        next: pairs(facts.next),
        settled: facts
            .settled
            .into_iter()
            .map(|(pc, waves)| (at(pc), waves))
            .collect(),
        released: facts
            .released
            .into_iter()
            .map(|((wait, counter, level), it)| {
                let it = ReleaseFacts {
                    uses: pairs(it.uses),
                    first: pairs(it.first),
                    fates: it.fates,
                };
                ((at(wait), counter, level), it)
            })
            .collect(),
    }
}

/// Results of runs with mutants of waits.
struct TrialResults {
    /// Reported uses of registers.
    registers: BTreeSet<Pair>,
    /// True if a use of LDS is reported.
    is_lds: bool,
    /// True if late memory operations change the results.
    is_late: bool,
    /// True if late memory operations change the results and a race is reported.
    is_race: bool,
    /// Uses that are missing in the reports, or reported wrongly.
    objection: Option<String>,
}

impl TrialResults {
    /// True if the results can be attributed: register uses belong to one mutant each, others may belong to any.
    fn is_plain(&self) -> bool {
        self.objection.is_none() && !self.is_lds && !self.is_late
    }
}

/// Counts a mutant that was tested, alone or with others.
fn count(counts: &mut Counts, target: &Target, mutant: &Mutant, tried: &TrialResults) {
    let key = (target.name, mutant.reason);
    let is_found = mutant.uses.iter().any(|it| tried.registers.contains(it));
    let [all, of_registers, of_lds, of_late, of_races] = counts.entry(key).or_default();
    *all += 1;
    *of_registers += usize::from(is_found);
    *of_lds += usize::from(tried.is_lds);
    *of_late += usize::from(tried.is_late);
    *of_races += usize::from(tried.is_race);
}

/// Build of a kernel that is modified.
pub struct Subject<'a> {
    case: &'a Case,
    target: &'static Target,
    file: Vec<u8>,
    object: CodeObject<'static>,
    sections: Vec<Section>,
    /// Entry points of kernels and functions.
    entries: BTreeSet<u64>,
    facts: Facts,
    /// Results of the unmodified code.
    usual: Results,
    /// Mutants with wrong reports.
    pub wrong: Vec<String>,
}

impl Subject<'_> {
    /// Builds the kernel, and runs it unmodified.
    ///
    /// # Errors
    /// Fails if the kernel cannot be built or run, or the unmodified code has an unguarded use.
    pub fn new(case: &Case, build: Build) -> Result<Subject<'_>, String> {
        let path = compile::build(case, build)?.object;
        let file = std::fs::read(&path).map_err(|error| error.to_string())?;
        let object = gcn_object::read(&file).map_err(|error| error.to_string())?;
        let object = object.into_owned();
        let target = Target::named(build.target).ok_or("no such target")?;
        let model = Arc::new(Model::new());
        let observers = Observers::none().with(model.clone());
        let usual = Variations::default();
        let (module, usual) = run(case, target, &file, &observers, u64::MAX, &usual)?;
        if results(case, target, &file, &LATE)? != usual {
            return Err("late memory operations change the results of the unchanged code".into());
        }
        let facts = linked(model.facts(), &module);
        if !facts.unguarded.is_empty() {
            return Err(format!("the model objects to {:x?}", facts.unguarded));
        }
        let code = object.sections.iter().filter(|it| it.is_code());
        let sections = code.map(|it| read(target.isa, it.address, object.section_bytes(it)));
        let functions = object.symbols.iter().filter(|it| {
            it.kind == SymbolKind::Function && matches!(it.section, SymbolSection::Section(_))
        });
        let kernels = object.kernels.iter().map(|it| it.entry_address);
        Ok(Subject {
            case,
            target,
            sections: sections.collect(),
            entries: functions.map(|it| it.value).chain(kernels).collect(),
            facts,
            usual,
            wrong: Vec::new(),
            file,
            object,
        })
    }

    /// All waits in the code.
    fn waits(&self) -> Vec<Wait> {
        let mut found = Vec::new();
        let kernels = self.object.kernels.iter().map(|it| it.entry_address);
        let kernels: BTreeSet<u64> = kernels.collect();
        for section in &self.sections {
            for (place, (pc, inst)) in section.code.iter().enumerate() {
                let Some(until) = wait(inst) else { continue };
                let next = section.code.get(place + 1);
                let returns = next.is_some_and(|(_, it)| it.does() == Does::Jump);
                let begins = self.entries.contains(pc) && !kernels.contains(pc);
                found.push(Wait {
                    pc: *pc,
                    until,
                    is_at_call: returns || begins,
                });
            }
        }
        found
    }

    fn set(&mut self, pc: u64, until: Waitcnt) {
        let simm = u32::from(until.pack(self.target.isa));
        set_words(&mut self.file, &self.object, pc, &[S_WAITCNT | simm]);
    }

    /// Number of waves after which the model learns nothing new about the instruction at an address; at least one.
    fn settled(&self, pc: u64) -> u64 {
        self.facts.settled.get(&pc).map_or(1, |waves| *waves)
    }

    /// Runs a check until a number of waves have ended. Returns the kinds of its findings, with link-time addresses of
    /// both instructions, the faulty one last.
    fn found(&self, check: Check, waves: u64) -> Result<BTreeSet<(Kind, Pair)>, String> {
        let findings = Arc::new(Findings::default());
        let observers = checkers(&[check], &findings);
        let usual = Variations::default();
        let (module, _) = run(
            self.case,
            self.target,
            &self.file,
            &observers,
            waves,
            &usual,
        )?;
        let at = |pc: u64| module.loaded().linked_address(pc);
        let pairs = findings.all().0.into_iter().map(|it| {
            let other = it.sides.iter().find_map(|side| side.place.as_ref());
            (
                it.kind,
                (other.map_or(0, |other| at(other.pc)), at(it.place.pc)),
            )
        });
        Ok(pairs.collect())
    }

    /// True if static analysis of the function reports missing wait states before an instruction.
    fn is_read(&self, pc: u64) -> bool {
        let around = self.entries.range(..=pc).next_back();
        let sections = self.object.sections.iter().filter(|it| it.is_code());
        let code = LintCode {
            isa: self.target.isa,
            regions: sections
                .map(|it| CodeRegion {
                    address: it.address,
                    bytes: &self.file[it.file.clone()],
                })
                .collect(),
            entries: around.copied().into_iter().collect(),
        };
        let findings = Findings::default();
        lint(&code, &findings);
        let (found, _) = findings.all();
        let is_it = |it: &Finding| it.kind == Kind::MissingWaitStates && it.place.pc == pc;
        found.iter().any(is_it)
    }

    /// Tests a sample of the mutants of executed waits. Returns the number of all mutants of executed waits.
    pub fn check_waits(&mut self, sample: Sample, counts: &mut Counts) -> Result<usize, String> {
        let waits = self.waits().into_iter();
        let all = waits.flat_map(|it| Mutant::all(self.target.isa, it, &self.facts));
        let (idle, executed): (Vec<_>, Vec<_>) =
            all.partition(|it| it.reason == Reason::NotExecuted);
        if !idle.is_empty() {
            let key = (self.target.name, Reason::NotExecuted);
            counts.entry(key).or_default()[0] += idle.len();
        }
        let number = executed.len();
        let step = sample.step(number);
        let chosen = executed.into_iter().skip(step - 1).step_by(step);
        for group in groups(chosen, &self.facts) {
            self.check_group(&group, sample.late, counts)?;
        }
        Ok(number)
    }

    /// Tests mutants in one run, or in several if the results cannot be attributed.
    fn check_group(
        &mut self,
        group: &[Mutant],
        late: bool,
        counts: &mut Counts,
    ) -> Result<(), String> {
        let tried = self.try_waits(group, late)?;
        if group.len() == 1 || tried.is_plain() {
            for it in group {
                count(counts, self.target, it, &tried);
            }
            self.wrong.extend(tried.objection);
            return Ok(());
        }
        let objections = self.wrong.len();
        let (first, second) = group.split_at(group.len() / 2);
        self.check_group(first, late, counts)?;
        self.check_group(second, late, counts)?;
        if self.wrong.len() == objections {
            self.wrong.extend(tried.objection);
        }
        Ok(())
    }

    /// Runs the code with these mutants of waits. If `late` is true or nothing is reported, also tests late memory
    /// operations.
    fn try_waits(&mut self, mutants: &[Mutant], late: bool) -> Result<TrialResults, String> {
        for it in mutants {
            self.set(it.wait.pc, it.until);
        }
        let settled = mutants.iter().map(|it| self.settled(it.wait.pc));
        let found = self.found(Check::Waits, settled.max().unwrap_or(1))?;
        // A fault or an endless loop also counts as a changed result.
        let is_late = (late || found.is_empty())
            && results(self.case, self.target, &self.file, &LATE).as_ref() != Ok(&self.usual);
        let is_missed =
            is_late && found.is_empty() && self.found(Check::Waits, u64::MAX)?.is_empty();
        // A store holds no register: if another wave loads its data, only the race checker can report it.
        let is_race = is_missed && !self.found(Check::Races, u64::MAX)?.is_empty();
        for it in mutants {
            self.set(it.wait.pc, it.wait.until);
        }
        let (lds, registers): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|(kind, _)| *kind == Kind::MissingLdsWait);
        let registers: BTreeSet<Pair> = registers.into_iter().map(|(_, it)| it).collect();
        let uses: BTreeSet<&Pair> = mutants.iter().flat_map(|it| &it.uses).collect();
        let first: BTreeSet<&Pair> = mutants.iter().flat_map(|it| &it.first).collect();
        let missed: Vec<_> = first.iter().filter(|it| !registers.contains(it)).collect();
        let wrong: Vec<_> = registers.iter().filter(|it| !uses.contains(it)).collect();
        let objection = if is_missed && !is_race {
            Some("late operations change the results, and nothing is reported".to_owned())
        } else if missed.is_empty() && wrong.is_empty() {
            None
        } else {
            Some(format!(
                "not reported {missed:x?}, wrongly reported {wrong:x?}"
            ))
        };
        Ok(TrialResults {
            registers,
            is_lds: !lds.is_empty(),
            is_late,
            is_race,
            objection: objection.map(|it| {
                let names: Vec<_> = mutants.iter().map(Mutant::to_string).collect();
                format!("{}: {it}", names.join("; "))
            }),
        })
    }

    /// Tests a sample of the mutants of wait states.
    pub fn check_nops(&mut self, sample: Sample, counts: &mut NopCounts) -> Result<(), String> {
        let changes: Vec<nops::Change> = self
            .sections
            .iter()
            .flat_map(|it| nops::changes(&it.code, &it.targets))
            .collect();
        let whole = self.file.clone();
        let step = sample.step(changes.len());
        for it in changes.iter().skip(step - 1).step_by(step) {
            it.apply(&mut self.file, &self.object);
            let is_read = self.is_read(it.before);
            let is_executed = self.facts.executed.contains(&it.pc);
            let mut is_found = false;
            if is_executed {
                let found = self.found(Check::Hazards, self.settled(it.pc))?;
                let mut places = found.iter().map(|(_, (_, pc))| *pc);
                is_found = places.any(|pc| pc == it.before);
            }
            self.file.clone_from(&whole);
            let needed = match (it.other, is_executed, is_found) {
                (Some(other), _, false) if !is_read => Nop::Other(other),
                _ if it.is_moved && !it.is_in_block && !is_read && !is_found => Nop::OtherBlock,
                (_, false, _) => Nop::NotExecuted,
                (_, true, false) if !it.is_in_block => Nop::OtherPath,
                (_, true, _) => Nop::Needed,
            };
            let is_needless = matches!(needed, Nop::Other(_) | Nop::OtherBlock);
            if !is_read && !is_needless || needed == Nop::Needed && !is_found {
                self.wrong.push(format!(
                    "s_nop at {:#x} before {:#x}, {needed:?}: reported {is_found}, by lint {is_read}",
                    it.pc, it.before
                ));
            }
            let [all, run, read] = counts.entry((self.target.name, needed)).or_default();
            *all += 1;
            *run += usize::from(is_found);
            *read += usize::from(is_read);
        }
        Ok(())
    }
}
