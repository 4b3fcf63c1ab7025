//! Checks of launches: observers and deduplicated findings.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::fault::{Fault, FaultKind};
use gcn_emu::observe::Observers;
use gcn_isa::{Inst, decode};
use gcn_object::{NameError, NamePattern};
use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, Finding, FindingKey, FindingPlace, Findings, Kind};
use gcn_runtime::hsa::LaunchError;
use gcn_runtime::{Kernel, Module, WeakModule};

use crate::report::{
    CodeMap, FindingIdentity, FindingReport, Notification, Suppressions, SuppressionsError,
    printable, write_findings,
};
use crate::settings::{CheckSettings, names_kernel};

/// Symbol prefix of the HIP runtime's own kernels.
const OF_HIP: &str = "__amd_rocclr_";

/// Checks for the launches of a run or a program.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # use example::add_one;
/// use gcn_report::Checking;
/// use gcn_report::settings::CheckSettings;
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let checking = Checking::new(CheckSettings::default())?;
/// device.observe(checking.observers());
/// let kernel = device.load(&add_one())?.kernel("add_one")?;
/// let short = device.buffer("short", &[0u32; 4])?;
/// let observers = checking.launch(kernel.name());
/// let outcome = kernel.launch([64, 1, 1]).arg(&short).observers(&observers).run(&device.queue());
/// assert!(outcome.is_err(), "the buffer is too short");
/// assert!(checking.has_new());
/// let new = checking.collect(kernel.module());
/// assert_eq!(new[0].name, "global-out-of-bounds");
/// assert!(checking.collect(kernel.module()).is_empty(), "each finding is collected once");
/// assert_eq!(checking.reports().len(), 1);
/// assert_eq!((checking.watched(), checking.settings().stop_at, checking.is_full()), (1, None, false));
/// assert_eq!(checking.unwatched(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checking {
    settings: CheckSettings,
    suppressions: Arc<Suppressions>,
    findings: Arc<Findings>,
    stop: Arc<AtomicBool>,
    observers: Observers,
    /// Number of launches of selected kernels.
    launches: AtomicU64,
    /// Number of watched launches.
    watched: AtomicU64,
    /// Symbols of all launched kernels.
    kernels: Mutex<BTreeSet<String>>,
    collected: Mutex<Collected>,
    /// Modules whose kernels were launched.
    modules: Arc<Modules>,
}

/// List of modules, some of which may have been unloaded.
#[derive(Debug, Default)]
struct Modules(Mutex<Vec<WeakModule>>);

impl Modules {
    fn list(&self) -> MutexGuard<'_, Vec<WeakModule>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the report for a finding, if its module is known and still loaded.
    fn report(&self, finding: &Finding) -> Option<FindingReport> {
        let mut modules: Vec<Module> = self.list().iter().filter_map(WeakModule::upgrade).collect();
        let pc = finding.place.pc;
        let own = modules.iter().position(|it| it.addresses().contains(&pc))?;
        let own = modules.swap_remove(own);
        let map = CodeMap::new(&own).beside(&modules);
        Some(FindingReport::new(finding, &map))
    }
}

/// Collected findings, and their indices by identity.
#[derive(Debug, Default)]
struct Collected {
    reports: Vec<Collection>,
    known: HashMap<FindingIdentity, usize>,
}

/// Finding and its checker keys. A finding has several keys if its code is loaded twice, or if several instructions of
/// its source line have the finding.
#[derive(Debug)]
struct Collection {
    report: FindingReport,
    keys: Vec<FindingKey>,
    instructions: HashSet<FindingIdentity>,
}

impl Collection {
    fn add(&mut self, key: FindingKey, instructions: FindingIdentity) {
        self.keys.push(key);
        self.instructions.insert(instructions);
    }

    /// Returns the report with current counts.
    fn report(&self, findings: &Findings) -> FindingReport {
        let mut report = self.report.clone();
        report.count = self.keys.iter().map(|key| findings.count(key)).sum();
        report.instructions = self.instructions.len() as u64;
        report
    }
}

impl Checking {
    /// Creates the checks that the settings select.
    ///
    /// # Errors
    /// Fails if a suppression file cannot be read or is invalid.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::Checking;
    /// use gcn_report::settings::CheckSettings;
    /// let checking = Checking::new(CheckSettings { stop_at: Some(1), ..CheckSettings::default() })?;
    /// assert!(!checking.is_full() && checking.reports().is_empty());
    /// let missing = CheckSettings { suppress: vec!["/no/such.toml".into()], ..CheckSettings::default() };
    /// assert!(Checking::new(missing).unwrap_err().to_string().starts_with("cannot read /no/such.toml: "));
    /// # Ok::<(), gcn_report::SuppressionsError>(())
    /// ```
    pub fn new(settings: CheckSettings) -> Result<Checking, SuppressionsError> {
        let stop = Arc::<AtomicBool>::default();
        let most = settings.stop_at.map(usize::try_from);
        let most = most.and_then(Result::ok).unwrap_or(usize::MAX);
        let suppressions = Arc::new(Suppressions::read(&settings.suppress)?);
        let modules = Arc::<Modules>::default();
        let mut findings = Findings::new(most, stop.clone());
        if !settings.suppress.is_empty() {
            // Suppressed findings do not stop the run.
            let (modules, suppressions) = (modules.clone(), suppressions.clone());
            findings = findings.without(move |finding| {
                let report = modules.report(finding);
                report.is_some_and(|report| suppressions.cover(&report))
            });
        }
        if settings.stop_at.is_some() {
            // Findings merged into one report count once.
            let modules = modules.clone();
            let hashes = RandomState::new();
            findings = findings.grouped(move |key, finding| {
                let report = modules.report(finding);
                match report {
                    Some(report) => hashes.hash_one(report.identity(key.detail)),
                    None => hashes.hash_one(key),
                }
            });
        }
        let findings = Arc::new(findings);
        Ok(Checking {
            suppressions,
            observers: checkers(&settings.checks, &findings),
            findings,
            stop,
            launches: AtomicU64::new(0),
            watched: AtomicU64::new(0),
            kernels: Mutex::default(),
            collected: Mutex::default(),
            modules,
            settings,
        })
    }

    /// Returns the settings of the checks.
    pub fn settings(&self) -> &CheckSettings {
        &self.settings
    }

    /// Returns the observers, which also watch memory accesses by the host; see
    /// [`Device::observe`](gcn_runtime::Device::observe).
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::Checking;
    /// use gcn_report::settings::CheckSettings;
    /// let checking = Checking::new(CheckSettings::default())?;
    /// device.observe(checking.observers());
    /// // Values written by the host are defined.
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let observers = checking.launch(kernel.name());
    /// kernel.launch([64, 1, 1]).arg(&xs).observers(&observers).run(&device.queue())?;
    /// assert!(checking.collect(kernel.module()).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observers(&self) -> &Observers {
        &self.observers
    }

    /// Counts a launch of a kernel and returns its observers, or no observers if the launch is not watched.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::Checking;
    /// use gcn_report::settings::CheckSettings;
    /// let checking = Checking::new(CheckSettings { kernels: vec!["add_*".into()], ..CheckSettings::default() })?;
    /// assert!(!checking.launch("add_one").wants().is_empty());
    /// assert!(checking.launch("scale").wants().is_empty());
    /// assert_eq!((checking.watched(), checking.settings().stop_at, checking.is_full()), (1, None, false));
    /// # Ok::<(), gcn_report::SuppressionsError>(())
    /// ```
    pub fn launch(&self, kernel: &str) -> Observers {
        let mut kernels = self.kernels();
        if !kernels.contains(kernel) {
            kernels.insert(kernel.to_owned());
        }
        drop(kernels);
        let is_watched = self.settings.covers(kernel)
            && self.settings.watches(self.launches.fetch_add(1, Relaxed));
        if is_watched {
            self.watched.fetch_add(1, Relaxed);
            self.observers.clone()
        } else {
            Observers::none()
        }
    }

    /// Reports a watched launch with a workgroup size that the kernel was not compiled for. HIP's own kernels are exempt:
    /// HIP 6.4 copies with a kernel compiled for smaller workgroups, and users of HIP cannot change this.
    pub(crate) fn reports_size(&self, kernel: &Kernel, problem: &LaunchError) {
        let is_checked =
            self.settings.checks.contains(&Check::Bounds) && !kernel.name().starts_with(OF_HIP);
        let Some((pc, inst)) = first_instruction(kernel).filter(|_| is_checked) else {
            return;
        };
        let kind = Kind::WorkgroupBeyondKernel;
        let place = FindingPlace::new(pc, &inst, None);
        self.findings
            .report(FindingKey::at(kind, pc), None, || Finding {
                kernel: Some(kernel.name().to_owned()),
                label: "the kernel begins".to_owned(),
                ..Finding::at(kind, place, problem.to_string())
            });
    }

    /// Records the module of a launch. Findings in other modules may refer to it, and suppressions by source line need
    /// its debug information.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::{Checking, settings::CheckSettings};
    /// let known = std::env::temp_dir().join(format!("gcn-known-bounds-{}.toml", std::process::id()));
    /// std::fs::write(&known, "[[suppress]]\nname = 'global-out-of-bounds'\n")?;
    /// let settings = CheckSettings { suppress: vec![known.clone()], stop_at: Some(1), ..CheckSettings::default() };
    /// let checking = Checking::new(settings)?;
    /// checking.notes(kernel.module());
    /// let short = device.buffer("short", &[0u32; 4])?;
    /// let launch = kernel.launch([64, 1, 1]).arg(&short).observers(&checking.launch(kernel.name()));
    /// assert!(launch.run(&device.queue()).is_err(), "the kernel still faults");
    /// assert!(!checking.is_full() && !checking.has_new(), "a suppressed finding does not stop launches");
    /// # std::fs::remove_file(&known)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn notes(&self, module: &Module) {
        let mut modules = self.modules.list();
        if !modules.iter().any(|known| known.is(module)) {
            modules.retain(|known| known.upgrade().is_some());
            modules.push(module.downgrade());
        }
    }

    /// Returns the recorded modules that are still loaded, except `than`.
    fn others(&self, than: &Module) -> Vec<Module> {
        let modules = self.modules.list();
        let others = modules.iter().filter(|known| !known.is(than));
        others.filter_map(WeakModule::upgrade).collect()
    }

    /// Returns the number of launches watched so far. With 0, an absence of findings is meaningless.
    pub fn watched(&self) -> u64 {
        self.watched.load(Relaxed)
    }

    fn kernels(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a message, without a final period, if no launch has been watched, or if the settings name a kernel that has
    /// not been launched.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::Checking;
    /// use gcn_report::settings::CheckSettings;
    /// let kernels = vec!["ad".to_owned()];
    /// let checking = Checking::new(CheckSettings { kernels, ..CheckSettings::default() })?;
    /// checking.launch("add");
    /// assert_eq!(
    ///     checking.unwatched().as_deref(),
    ///     Some("nothing was checked: no launched kernel is named ad; the launched kernels are add")
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unwatched(&self) -> Option<String> {
        let kernels = self.kernels();
        let watches_none = self.watched.load(Relaxed) == 0;
        let launched = || kernels.iter().map(String::as_str);
        let patterns = self.settings.kernels.iter();
        let missing: Vec<&str> = patterns
            .filter(|pattern| !launched().any(|kernel| names_kernel(pattern, kernel)))
            .map(String::as_str)
            .collect();
        let reason = match &missing[..] {
            _ if kernels.is_empty() => "no kernel was launched".to_owned(),
            [first, ..] => not_launched(&missing, NamePattern::new(first).find(launched()).err()),
            [] if watches_none => "--launch-skip and --launch-count leave no launch".to_owned(),
            [] => return None,
        };
        Some(if watches_none {
            format!("nothing was checked: {reason}")
        } else {
            reason
        })
    }

    /// Returns the flag that is set when the limit on findings is reached.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::Checking;
    /// use gcn_runtime::Error;
    /// use gcn_report::settings::CheckSettings;
    /// let checking = Checking::new(CheckSettings { stop_at: Some(1), ..CheckSettings::default() })?;
    /// let observers = checking.launch(kernel.name());
    /// let short = device.buffer("short", &[0u32; 4])?;
    /// let launch = kernel.launch([64, 1, 1]).arg(&short).observers(&observers).stop_flag(checking.stop());
    /// assert!(matches!(launch.run(&device.queue()), Err(Error::Fault(_))), "the buffer is too short");
    /// assert!(checking.is_full() && checking.stop().load(std::sync::atomic::Ordering::Relaxed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// True if the limit on findings has been reached, which stops launches.
    pub fn is_full(&self) -> bool {
        self.findings.is_full()
    }

    /// True if [`Checking::collect`] may return new findings.
    pub fn has_new(&self) -> bool {
        self.findings.has_fresh()
    }

    fn collected(&self) -> MutexGuard<'_, Collected> {
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Collects findings at instructions of the module, except suppressed ones. Returns the new findings.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::Checking;
    /// use gcn_report::settings::CheckSettings;
    /// let checking = Checking::new(CheckSettings::default())?;
    /// let short = device.buffer("short", &[0u32; 4])?;
    /// for _ in 0..2 {
    ///     let observers = checking.launch(kernel.name());
    ///     let outcome = kernel.launch([64, 1, 1]).arg(&short).observers(&observers).run(&device.queue());
    ///     assert!(outcome.is_err(), "the buffer is too short");
    /// }
    /// assert!(checking.has_new());
    /// let new = checking.collect(kernel.module());
    /// assert_eq!((new.len(), new[0].kernel()), (1, Some("add_one")), "both are one finding");
    /// assert!(!checking.has_new());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collect(&self, module: &Module) -> Vec<FindingReport> {
        let code = module.addresses();
        // Declared before the lock, since dropping `others` may unload a module, which must not happen under the lock.
        let others = self.others(module);
        // Hold the lock from here, so that a finding collected by two threads is new for only one of them.
        let mut collected = self.collected();
        let Collected { reports, known } = &mut *collected;
        let map = CodeMap::new(module).beside(&others);
        let first_new = reports.len();
        for (key, finding) in self.findings.fresh(|pc| code.contains(&pc)) {
            let report = FindingReport::new(&finding, &map);
            if self.suppressions.cover(&report) {
                continue;
            }
            let instructions = report.instruction_identity(key.detail);
            let place = *known.entry(report.identity(key.detail)).or_insert_with(|| {
                reports.push(Collection {
                    report,
                    keys: Vec::new(),
                    instructions: HashSet::new(),
                });
                reports.len() - 1
            });
            reports[place].add(key, instructions);
        }
        let new = reports[first_new..].iter();
        new.map(|it| it.report(&self.findings)).collect()
    }

    /// Collects findings of all recorded modules, since a kernel may have called their functions. See [`Checking::collect`].
    pub(crate) fn collect_all(&self, module: &Module) -> Vec<FindingReport> {
        let mut new = self.collect(module);
        for other in self.others(module) {
            new.extend(self.collect(&other));
        }
        new
    }

    /// Returns all collected findings, in order of collection.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::Checking;
    /// use gcn_report::settings::CheckSettings;
    /// let checking = Checking::new(CheckSettings::default())?;
    /// let short = device.buffer("short", &[0u32; 4])?;
    /// let run = || {
    ///     let observers = checking.launch(kernel.name());
    ///     kernel.launch([64, 1, 1]).arg(&short).observers(&observers).run(&device.queue()).is_ok()
    /// };
    /// assert!(!run());
    /// checking.collect(kernel.module());
    /// let before = checking.reports()[0].count;
    /// assert!(!run() && checking.reports()[0].count > before, "counting continues");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reports(&self) -> Vec<FindingReport> {
        let collected = self.collected();
        let reports = collected.reports.iter();
        reports.map(|it| it.report(&self.findings)).collect()
    }

    /// Returns the name of a collected finding about the access that caused a fault, if any.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::settings::CheckSettings;
    /// use gcn_report::Checking;
    /// use gcn_runtime::Error;
    /// let checking = Checking::new(CheckSettings::default())?;
    /// let short = device.buffer("short", &[0u32; 4])?;
    /// let launch = kernel.launch([64, 1, 1]).arg(&short).observers(&checking.launch(kernel.name()));
    /// let Err(Error::Fault(end)) = launch.run(&device.queue()) else { panic!("the buffer is too short") };
    /// let fault = end.fault.as_ref().expect("the launch has a fault");
    /// assert_eq!(checking.finding_of(fault), None, "nothing has been collected");
    /// checking.collect(kernel.module());
    /// assert_eq!(checking.finding_of(fault), Some("global-out-of-bounds"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn finding_of(&self, fault: &Fault) -> Option<&'static str> {
        let is_access = matches!(fault.kind, FaultKind::Unmapped { .. });
        let is_of_fault =
            |key: &&FindingKey| key.pc == fault.pc && key.kind.about().check == Check::Bounds;
        let collected = self.collected();
        let keys = collected.reports.iter().flat_map(|it| &it.keys);
        let key = keys.filter(|_| is_access).find(is_of_fault)?;
        Some(key.kind.name())
    }

    /// Writes findings in the configured format, with messages about the run if the format supports them.
    ///
    /// # Errors
    /// Fails if a write to `out` fails.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::Checking;
    /// use gcn_report::settings::{CheckSettings, FindingFormat};
    /// let json = CheckSettings { format: FindingFormat::Json, ..CheckSettings::default() };
    /// let checking = Checking::new(json)?;
    /// let observers = checking.launch(kernel.name());
    /// let short = device.buffer("short", &[0u32; 4])?;
    /// assert!(kernel.launch([64, 1, 1]).arg(&short).observers(&observers).run(&device.queue()).is_err());
    /// checking.collect(kernel.module());
    /// let mut out = Vec::new();
    /// checking.write(&checking.reports(), &[], &mut out)?;
    /// assert!(String::from_utf8(out)?.contains("\"kernel\": \"add_one\""));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(
        &self,
        reports: &[FindingReport],
        notifications: &[Notification],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write_findings(reports, notifications, &self.settings, out)
    }
}

/// Formats a clause about names that match no launched kernel. `error` lists the kernel names closest to the first.
fn not_launched(names: &[&str], error: Option<NameError>) -> String {
    let names = printable(&names.join(" or "));
    let clause = format!("no launched kernel is named {names}");
    let Some(NameError::Missing { nearest, rest, .. }) = error else {
        return clause;
    };
    let nearest = printable(&nearest.join(", "));
    match rest {
        0 => format!("{clause}; the launched kernels are {nearest}"),
        _ => format!("{clause}; the closest launched kernels are {nearest}, and {rest} others"),
    }
}

/// Returns the first instruction of a kernel and its address, if it can be decoded.
fn first_instruction(kernel: &Kernel) -> Option<(u64, Inst)> {
    let device = kernel.module().device();
    let loaded = kernel.module().loaded();
    let pc = loaded.moved(kernel.description().entry_address);
    let mut words = [0; 2];
    let (memory, isa) = (device.memory(), device.target().isa);
    let two = memory.load_dwords(pc, &mut words);
    two.or_else(|| memory.load_dwords(pc, &mut words[..1]))?;
    let inst = decode(isa, &words).ok()?;
    Some((pc, inst))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use gcn_asm::{Options, Source, assemble};
    use gcn_emu::device::HostCalls;
    use gcn_emu::memory::Memory;
    use gcn_runtime::Device;

    use super::*;
    use crate::report::PlaceReport;

    /// Host calls that block a kernel at the end of its first turn.
    #[derive(Debug)]
    struct Hold(Mutex<(Sender<()>, Receiver<()>)>);

    impl HostCalls for Hold {
        fn serve(&self, _: &Memory) -> Result<(), String> {
            let ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // If the test has ended, there is no peer to wait for.
            let _ = ends.0.send(()).map(|()| ends.1.recv());
            Ok(())
        }
    }

    /// Assembles a module with a kernel and debug information.
    fn module(device: &Device, kernel: &str, body: &str) -> Module {
        let text = format!(
            ".text\n.globl {kernel}\n.p2align 8\n.type {kernel},@function\n{kernel}:\n\
             s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n\
             {body}\ns_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel {kernel}\n\
             .amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_next_free_vgpr 8\n\
             .amdhsa_next_free_sgpr 16\n.end_amdhsa_kernel\n"
        );
        let source = Source {
            name: &format!("{kernel}.s"),
            text: &text,
        };
        let options = Options {
            debug: Some(""),
            ..Options::new(device.target())
        };
        let assembly = assemble(&source, &options);
        assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
        let object = assembly.program.to_object(None).expect("an object");
        device.load(&object).expect("it loads")
    }

    #[test]
    fn a_side_in_another_module_has_its_symbol_and_its_line() {
        let device = Device::builder("gfx900").expect("a target");
        let device = device.threads(1).build();
        let checking = Checking::new(CheckSettings {
            checks: vec![Check::Races],
            ..CheckSettings::default()
        });
        let checking = checking.expect("it suppresses nothing");
        let first = module(
            &device,
            "first",
            "s_nop 0\nglobal_store_dword v1, v0, s[4:5]",
        );
        let second = module(&device, "second", "global_load_dword v2, v1, s[4:5]");
        let data = device.buffer("data", &[0u32; 128]).expect("memory");
        let launch = |module: &Module, name, items| {
            checking.notes(module);
            let kernel = module.kernel(name).expect("it is there");
            let launch = kernel.launch([items, 1, 1]).group([items, 1, 1]);
            launch.arg(&data).observers(&checking.launch(name))
        };
        let (held, is_held) = channel();
        let (release, is_released) = channel();
        let hold = Arc::new(Hold(Mutex::new((held, is_released))));
        let signal = launch(&first, "first", 128).host_calls(hold);
        let signal = signal.submit(&device.queue()).expect("it is launched");
        is_held.recv().expect("it is held");
        let other = launch(&second, "second", 64);
        other.run(&device.queue()).expect("no fault");
        assert!(checking.collect(&second).is_empty(), "the first still runs");
        drop(release);
        signal.wait().expect("no fault");
        let found = checking.collect(&first);
        let [report] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(report.kernel(), Some("second"));
        let place = |place: &PlaceReport| {
            let code = place.code.as_ref().expect("an instruction");
            let symbol = code.symbol();
            let kernel = symbol.split('+').next().unwrap_or_default().to_owned();
            (kernel, place.file.clone(), place.line)
        };
        let at = |name: &str, line| (name.to_owned(), Some(format!("{name}.s")), Some(line));
        assert_eq!(place(&report.place), at("second", 9));
        assert_eq!(place(&report.sides[0]), at("first", 10));
        assert!(checking.collect(&second).is_empty(), "it is told once");
    }
}
