//! Checks for a program's kernels, and output of the findings.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::observe::Observers;
use gcn_observe::finding::Check;
use gcn_runtime::{Device, Error, Kernel, Module};

use super::mapped_regions::{ChangeListener, MappedRegions};
use super::say::{say, say_once, standard_error};
use crate::checking::Checking;
use crate::output::Output;
use crate::report::{FindingReport, Notification};
use crate::settings::{FindingFormat, Settings};

/// Checks for all kernels of a program, and the destination for findings.
///
/// # Examples
/// ```
/// use gcn_runtime::Device;
/// use gcn_report::program::Watch;
/// use gcn_report::settings::{CheckSettings, Settings};
/// let device = Device::new("gfx900")?;
/// let check = CheckSettings { error_exitcode: Some(3), ..CheckSettings::default() };
/// let settings = Settings { check: Some(check), ..Settings::default() };
/// let watch = Watch::new(&settings, &device)?;
/// let checks = watch.checks().expect("checks are requested");
/// assert!(checks.undefines(), "uninit is among the default checks");
/// let xs = device.allocate("xs", 4)?;
/// checks.wrote((xs.address(), 4));
/// checks.reads(Vec::new, (xs.address(), 4));
/// assert_eq!(watch.end(), None, "there are no findings");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ProgramChecks {
    checks: Checking,
    device: Device,
    /// True if each finding is written as text when it is found, rather than all findings as one document.
    is_text: bool,
    out: Mutex<Output>,
    failures: Mutex<Failures>,
    /// Regions that the program has mapped, if a check needs them.
    mapped_regions: Option<Arc<MappedRegions>>,
}

/// Failed kernels: messages for the first [`MAX_FAILURES`], and the number of others.
#[derive(Debug, Default)]
struct Failures {
    first: Vec<Notification>,
    others: u64,
}

/// Maximum number of failures that a document describes individually.
const MAX_FAILURES: usize = 100;

impl ProgramChecks {
    /// Creates the checks configured by the settings, for devices that share the memory of `device`.
    ///
    /// # Errors
    /// Fails if the output file cannot be written, or a suppression file cannot be read or is invalid.
    pub(super) fn new(
        settings: &Settings,
        device: &Device,
    ) -> Result<Option<ProgramChecks>, String> {
        let Some(settings) = settings.check.clone() else {
            return Ok(None);
        };
        let file = settings.file_of(std::process::id());
        let is_text = settings.format == FindingFormat::Text && !settings.gen_suppressions;
        let out = Output::open(file.as_deref(), standard_error(), is_text);
        let named = |error: io::Error| {
            let file = file.clone().unwrap_or_default();
            format!("cannot write {}: {error}", file.display())
        };
        let checks = Checking::new(settings).map_err(|error| error.to_string())?;
        let has_bounds = checks.settings().checks.contains(&Check::Bounds);
        let mapped_regions = has_bounds.then(Arc::<MappedRegions>::default);
        match &mapped_regions {
            Some(regions) => device.memory().observe(ChangeListener {
                observers: checks.observers().clone(),
                regions: regions.clone(),
            }),
            None => device.observe(checks.observers()),
        }
        let checking = ProgramChecks {
            checks,
            device: device.clone(),
            is_text,
            out: Mutex::new(out.map_err(named)?),
            failures: Mutex::default(),
            mapped_regions,
        };
        // For a file, this writes a document without findings.
        checking.add(&[]);
        Ok(Some(checking))
    }

    /// Records a loaded module. Kernels of other modules may call its functions.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::program::Watch;
    /// use gcn_report::settings::{CheckSettings, Settings};
    /// let settings = Settings { check: Some(CheckSettings::default()), ..Settings::default() };
    /// let watch = Watch::new(&settings, &device)?;
    /// watch.checks().expect("there are checks").notes(kernel.module());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn notes(&self, module: &Module) {
        self.checks.notes(module);
    }

    /// Records the module of a launch, counts the launch and returns its observers.
    pub(super) fn watch(&self, kernel: &Kernel) -> Observers {
        self.checks.notes(kernel.module());
        self.checks.launch(kernel.name())
    }

    /// Returns the flag that is set when the limit on findings is reached, if there is a limit.
    pub(super) fn stop(&self) -> Option<Arc<AtomicBool>> {
        let stop_at = self.checks.settings().stop_at;
        stop_at.map(|_| self.checks.stop().clone())
    }

    pub(super) fn checks(&self) -> &Checking {
        &self.checks
    }

    /// True if the program's device memory counts as undefined until it is written. Requires that all kernels are
    /// watched, since other kernels write memory unobserved.
    pub fn undefines(&self) -> bool {
        let settings = self.checks.settings();
        settings.checks.contains(&Check::Uninit) && settings.watches_all()
    }

    /// Returns the regions that the program has mapped, if a check needs them.
    pub fn mapped_regions(&self) -> Option<&MappedRegions> {
        self.mapped_regions.as_deref()
    }

    /// Reports and returns new findings in a kernel's module, and in other modules whose functions it may have called.
    pub fn report(&self, kernel: &Kernel) -> Vec<FindingReport> {
        if !self.checks.has_new() {
            return Vec::new();
        }
        let new = self.checks.collect_all(kernel.module());
        self.add_new(&new);
        new
    }

    /// Returns the names of the checks.
    pub fn names(&self) -> Vec<&'static str> {
        let checks = self.checks.settings().checks.iter();
        checks.map(|check| check.name()).collect()
    }

    /// Returns the name of the finding about the access that ended a kernel, if standard error has shown the finding.
    pub(super) fn shown_finding_of(&self, error: &Error) -> Option<&'static str> {
        let Error::Fault(completion) = error else {
            return None;
        };
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let is_shown = self.is_text && !out.is_file();
        drop(out);
        let fault = completion.fault.as_ref().filter(|_| is_shown)?;
        self.checks.finding_of(fault)
    }

    /// True if the output is a document that includes messages about the run.
    fn has_messages(&self) -> bool {
        let settings = self.checks.settings();
        settings.format == FindingFormat::Sarif && !settings.gen_suppressions
    }

    /// Records a failed kernel and its report, if the output includes messages about the run.
    pub(super) fn fails(&self, name: &'static str, report: impl FnOnce() -> String) {
        if !self.has_messages() {
            return;
        }
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.first.len() == MAX_FAILURES {
            failures.others += 1;
            return;
        }
        let notification = Notification::error(Some(name), report());
        failures.first.push(notification);
        drop(failures);
        self.add(&[]);
    }

    /// Returns the messages about the run so far.
    fn notifications(&self) -> Vec<Notification> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = failures.first.clone();
        if failures.others > 0 {
            let others = format!("{} more launches have failed", failures.others);
            all.push(Notification::error(None, others));
        }
        all
    }

    /// Records that the program reads device memory, and reports any new findings. `modules` returns the modules of kernels
    /// that may have written the bytes.
    pub fn reads<M: IntoIterator<Item = Module>>(
        &self,
        modules: impl FnOnce() -> M,
        (address, bytes): (u64, u64),
    ) {
        self.device.memory().reads(address, bytes);
        if !self.checks.has_new() {
            return;
        }
        for module in modules() {
            self.add_new(&self.checks.collect(&module));
        }
    }

    /// Records that the program has written device memory.
    pub fn wrote(&self, (address, bytes): (u64, u64)) {
        self.device.memory().wrote(address, bytes);
    }

    /// Writes the remaining output at exit. Returns true if there are findings.
    pub(super) fn end(&self) -> bool {
        let reports = self.checks.reports();
        let unwatched = self.checks.unwatched();
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // A SARIF document on standard error already contains the message.
        let is_standard = self.checks.settings().file_of(std::process::id()).is_none();
        let has_place = self.has_messages() && is_standard;
        if let Some(unwatched) = unwatched.as_ref().filter(|_| !has_place) {
            say(unwatched);
        }
        if out.is_file() || !self.is_text {
            let mut notes = self.notifications();
            notes.extend(unwatched.map(Notification::note));
            tell(out.write(|out| self.checks.write(&reports, &notes, out)));
        }
        !reports.is_empty()
    }

    fn add_new(&self, new: &[FindingReport]) {
        if !new.is_empty() {
            self.add(new);
        }
    }

    /// Writes new findings. A file always contains a complete document, even if the process ends abnormally.
    fn add(&self, new: &[FindingReport]) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if out.is_file() {
            let (reports, notes) = (self.checks.reports(), self.notifications());
            tell(out.write(|out| self.checks.write(&reports, &notes, out)));
        } else if self.is_text {
            tell(out.write(|out| self.checks.write(new, &[], out)));
        }
    }
}

/// Reports a failure to write findings.
fn tell(written: io::Result<()>) {
    if let Err(error) = written {
        say_once(&format!("findings cannot be written: {error}"));
    }
}
