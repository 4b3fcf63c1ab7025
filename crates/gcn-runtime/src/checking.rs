//! Checks of launches: their observers, and what these have found, each finding once.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::observe::Observers;
use gcn_observe::check::checkers;
use gcn_observe::finding::{FindingKey, Findings};

use crate::module::Module;
use crate::report::{
    CodeMap, FindingReport, Identity, Suppressions, SuppressionsError, write_findings,
};
use crate::settings::CheckSettings;

/// Checks of the launches of a run or of a program.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # use example::add_one;
/// use gcn_runtime::Checking;
/// use gcn_runtime::settings::CheckSettings;
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let checking = Checking::new(CheckSettings::default())?;
/// device.observe(checking.observers());
/// let kernel = device.load(&add_one())?.kernel("add_one")?;
/// let short = device.buffer("short", &[0u32; 4])?;
/// let observers = checking.launch(kernel.name());
/// let outcome = kernel.launch([64, 1, 1]).arg(&short).observers(&observers).run(&device.queue());
/// assert!(outcome.is_err(), "the buffer is too short");
/// let new = checking.collect(kernel.module());
/// assert_eq!(new[0].name, "global-out-of-bounds");
/// assert!(checking.collect(kernel.module()).is_empty(), "it is told once");
/// assert_eq!(checking.reports().len(), 1);
/// assert_eq!(checking.watched(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Checking {
    settings: CheckSettings,
    suppressions: Suppressions,
    findings: Arc<Findings>,
    stop: Arc<AtomicBool>,
    observers: Observers,
    /// Launches so far of kernels that are checked.
    launches: AtomicU64,
    /// Those of them that are watched.
    watched: AtomicU64,
    collected: Mutex<Collected>,
}

/// Findings as they are reported.
#[derive(Debug, Default)]
struct Collected {
    reports: Vec<Collection>,
    known: HashMap<Identity, usize>,
}

/// A finding, and all keys that checkers have it under: code that is loaded twice has two.
#[derive(Debug)]
struct Collection {
    report: FindingReport,
    keys: Vec<FindingKey>,
}

impl Checking {
    /// Checks as the settings have them.
    ///
    /// # Errors
    /// A file of suppressions cannot be read.
    pub fn new(settings: CheckSettings) -> Result<Checking, SuppressionsError> {
        let stop = Arc::<AtomicBool>::default();
        let most = settings.stop_at.map(usize::try_from);
        let most = most.and_then(Result::ok).unwrap_or(usize::MAX);
        let findings = Arc::new(Findings::new(most, stop.clone()));
        Ok(Checking {
            suppressions: Suppressions::read(&settings.suppress)?,
            observers: checkers(&settings.checks, &findings),
            findings,
            stop,
            launches: AtomicU64::new(0),
            watched: AtomicU64::new(0),
            collected: Mutex::default(),
            settings,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &CheckSettings {
        &self.settings
    }

    /// The observers, of what the host does to memory too: see [`crate::Device::observe`].
    pub fn observers(&self) -> &Observers {
        &self.observers
    }

    /// Counts a launch of a kernel; yields its observers, of which there are none if it is not watched.
    pub fn launch(&self, kernel: &str) -> Observers {
        let is_watched = self.settings.covers(kernel)
            && self.settings.watches(self.launches.fetch_add(1, Relaxed));
        if is_watched {
            self.watched.fetch_add(1, Relaxed);
            self.observers.clone()
        } else {
            Observers::none()
        }
    }

    /// Number of launches so far that are watched: without one, "no findings" says nothing.
    pub fn watched(&self) -> u64 {
        self.watched.load(Relaxed)
    }

    /// The flag that is set when there are as many findings as the settings allow.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// True if there are as many findings as the settings allow, so that launches were stopped.
    pub fn is_full(&self) -> bool {
        self.findings.is_full()
    }

    /// True if [`Checking::collect`] may have something to yield.
    pub fn has_new(&self) -> bool {
        self.findings.has_fresh()
    }

    fn collected(&self) -> MutexGuard<'_, Collected> {
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to the reports what has been found in a module's code and is not suppressed; yields what is new.
    pub fn collect(&self, module: &Module) -> Vec<FindingReport> {
        let loaded = module.loaded();
        let code = loaded.address..loaded.address + loaded.size;
        // Held from here on, so that a finding of two threads is new for one of them.
        let mut collected = self.collected();
        let Collected { reports, known } = &mut *collected;
        let map = CodeMap::new(module);
        let mut new = Vec::new();
        for (key, finding) in self.findings.fresh(|pc| code.contains(&pc)) {
            let report = FindingReport::new(&finding, &map);
            if self.suppressions.cover(&report) {
                continue;
            }
            match known.entry(report.identity(key.detail)) {
                std::collections::hash_map::Entry::Occupied(place) => {
                    reports[*place.get()].keys.push(key);
                }
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(reports.len());
                    new.push(report.clone());
                    reports.push(Collection {
                        report,
                        keys: vec![key],
                    });
                }
            }
        }
        new
    }

    /// The findings that have been collected, in the order of their collection.
    pub fn reports(&self) -> Vec<FindingReport> {
        let collected = self.collected();
        let reports = collected.reports.iter().map(|it| {
            let mut report = it.report.clone();
            report.count = it.keys.iter().map(|key| self.findings.count(key)).sum();
            report
        });
        reports.collect()
    }

    /// Writes findings in the form that the settings name.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, reports: &[FindingReport], out: &mut dyn Write) -> io::Result<()> {
        if self.settings.gen_suppressions {
            return write!(out, "{}", Suppressions::of(reports));
        }
        write_findings(reports, self.settings.format, out)
    }
}
