//! Monitoring of kernels in a program that uses emulated devices through a library of this project.
//!
//! The libraries are front ends for HIP and OpenCL. They report to the user on standard error ([`say`]) and write
//! results when the program ends ([`exit`]).

pub mod say;
mod sink;
mod tracing;
mod mapped_regions;
mod checks;
mod watchdog;
pub mod forks;
pub mod exit;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gcn_emu::observe::Observers;
use gcn_runtime::{CommandResult, Completion, Device, Error, Kernel, Launch, Module, Queue};

use crate::profiling::ProgramProfile;
use crate::report::{CodeMap, FaultReport, kernel_name};
use crate::settings::Settings;
pub use checks::ProgramChecks;
pub use mapped_regions::{MappedRegions, RegionContents, RunningLaunch};
use say::{say_once, standard_error};
use tracing::Tracing;
use watchdog::{StopCause, Watchdog};

/// Monitoring of a program's kernels, as configured by the settings: time limit, trace, checks and profile.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_report::program::Watch;
/// use gcn_report::settings::Settings;
/// let watch = Watch::new(&Settings::default(), &device)?;
/// assert!(watch.checks().is_none() && !watch.names_lines());
/// let xs = device.buffer("xs", &[1u32])?;
/// let ran = watch.run(kernel.launch([1, 1, 1]).arg(&xs), &device.queue(), &Default::default());
/// assert!(ran.is_ok_and(|completion| completion.stats.waves == 1));
/// assert_eq!(watch.end(), None, "the exit status is unchanged");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Watch {
    timeout: Option<Duration>,
    tracing: Option<Tracing>,
    checks: Option<Arc<ProgramChecks>>,
    control: Option<Arc<dyn LaunchControl>>,
    profile: Option<ProgramProfile>,
}

/// Debugger that runs a program's launches.
pub trait LaunchControl: std::fmt::Debug + Send + Sync {
    /// Connects to the user at the first launch. `checks` are the checks of the launch, if any. Returns false if the user
    /// cannot be reached; the launch then runs without the debugger.
    fn connect(&self, launch: &Launch, checks: Option<&Arc<ProgramChecks>>) -> bool;

    /// Runs a launch to completion, watched by `observers`, after [`LaunchControl::connect`].
    ///
    /// # Errors
    /// Fails if the kernel fails, or if the user ends it.
    fn run(&self, launch: Launch, observers: Observers, queue: &Queue) -> CommandResult;
}

/// Failure of a kernel in a program.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_runtime::Error;
/// use gcn_report::program::Watch;
/// use gcn_report::settings::Settings;
/// let watch = Watch::new(&Settings::default(), &device)?;
/// let failure = watch.run(kernel.launch([0, 1, 1]), &device.queue(), &Default::default()).unwrap_err();
/// assert!(matches!(failure.error, Error::Launch(_)));
/// assert!(failure.to_string().starts_with("kernel add_one: a grid and a workgroup need at least one"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Failure {
    /// Error that ended the launch.
    pub error: Error,
    kernel: Kernel,
    /// Other modules with functions that the kernel may have called.
    others: Vec<Module>,
    cause: Option<StopCause>,
    /// Name of the finding about the access that ended the kernel, if the finding has been shown.
    finding: Option<&'static str>,
}

impl Watch {
    /// Creates the monitoring configured by the settings, for devices that share the memory of `device`.
    ///
    /// # Errors
    /// Fails if a file cannot be read or written, or a trace selection is invalid.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # use example::add_one;
    /// use std::sync::Arc;
    /// use std::sync::atomic::AtomicBool;
    /// use gcn_report::program::Watch;
    /// use gcn_report::settings::Settings;
    /// # let device = gcn_runtime::Device::new("gfx900")?;
    /// # let kernel = device.load(&add_one())?.kernel("add_one")?;
    /// let settings = Settings { timeout: Some(std::time::Duration::from_secs(60)), ..Settings::default() };
    /// let watch = Watch::new(&settings, &device)?;
    /// let stop = Arc::new(AtomicBool::new(false));
    /// let none = kernel.launch([1, 1, 1]).raw_arguments(vec![0; 8]);
    /// let failure = watch.run(none, &device.queue(), &stop).expect_err("the buffer is missing");
    /// assert!(failure.to_string().starts_with("kernel add_one, workgroup 0,0,0"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(settings: &Settings, device: &Device) -> Result<Watch, String> {
        let profile = settings.profile.as_ref();
        let profile = profile.map(|profile| ProgramProfile::new(profile, standard_error()));
        Ok(Watch {
            timeout: settings.timeout,
            tracing: Tracing::new(settings)?,
            checks: ProgramChecks::new(settings, device)?.map(Arc::new),
            control: None,
            profile: profile.transpose().map_err(|error| error.to_string())?,
        })
    }

    /// Returns the checks, if enabled.
    pub fn checks(&self) -> Option<&ProgramChecks> {
        self.checks.as_deref()
    }

    /// Lets the debugger `control`, if any, run the launches. A connected debugger disables the time limit of this watch.
    #[must_use]
    pub fn controlled_by(self, control: Option<Arc<dyn LaunchControl>>) -> Watch {
        Watch { control, ..self }
    }

    /// True if the output contains source lines, so that compilers should emit debug information.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::Device;
    /// use gcn_report::program::Watch;
    /// use gcn_report::settings::{CheckSettings, Settings};
    /// let settings = Settings { check: Some(CheckSettings::default()), ..Settings::default() };
    /// let watch = Watch::new(&settings, &Device::new("gfx900")?)?;
    /// assert!(watch.names_lines() && watch.checks().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn names_lines(&self) -> bool {
        self.checks.is_some() || self.profile.is_some() || self.control.is_some()
    }

    /// Runs a launch to completion on the caller's thread, and reports findings. The launch stops when `stop` is set. A
    /// failure does not affect the queue.
    ///
    /// # Errors
    /// Fails if the kernel fails or cannot be launched.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use std::sync::Arc;
    /// use std::sync::atomic::AtomicBool;
    /// use gcn_report::program::Watch;
    /// use gcn_report::settings::Settings;
    /// let watch = Watch::new(&Settings::default(), &device)?;
    /// let queue = device.queue();
    /// let xs = device.buffer("xs", &[1u32])?;
    /// let stop = Arc::new(AtomicBool::new(true));
    /// let failure = watch.run(kernel.launch([1, 1, 1]).arg(&xs), &queue, &stop).unwrap_err();
    /// assert!(failure.to_string().contains("\n  stopped"), "{failure}");
    /// assert!(queue.failure().is_none(), "the queue continues");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(
        &self,
        launch: Launch,
        queue: &Queue,
        stop: &Arc<AtomicBool>,
    ) -> Result<Arc<Completion>, Box<Failure>> {
        let kernel = launch.kernel().clone();
        let checks = self.checks.as_ref();
        let control = self.control.as_ref();
        let control = control.filter(|it| it.connect(&launch, checks));
        let watchdog = Watchdog::new(
            self.timeout.filter(|_| control.is_none()),
            checks.and_then(|it| it.stop()),
            stop,
        );
        let mut observers = checks.map_or_else(Observers::none, |it| it.watch(&kernel));
        // Observers are empty for a launch that the checks do not watch.
        if let Some(checks) = checks
            && !observers.wants().is_empty()
            && let Some(problem) = launch.workgroup_problem()
        {
            checks.checks().reports_size(&kernel, &problem);
        }
        if let Some(tracing) = &self.tracing {
            observers = tracing.watch(&kernel, observers);
        }
        if let Some(profile) = &self.profile {
            observers = profile.watch(&kernel, observers);
        }
        let launch = launch.stop_flag(stop);
        let outcome = match control {
            Some(control) => control.run(launch, observers, queue),
            None => launch.observers(&observers).run(queue),
        };
        if let Some(tracing) = &self.tracing {
            tracing.flush();
        }
        if let Some(checks) = checks {
            checks.report(&kernel);
        }
        let cause = watchdog.and_then(Watchdog::end);
        outcome.map_err(|error| {
            queue.clear();
            // The failure may end the program, so write the profile now.
            self.write_profile();
            let mut failure = Box::new(Failure {
                error,
                kernel,
                others: Vec::new(),
                cause,
                finding: None,
            });
            // A kernel stopped by the limit on findings has not itself failed.
            let is_asked_for = matches!(failure.cause, Some(StopCause::Full));
            if let Some(checks) = checks.filter(|_| !is_asked_for) {
                checks.fails(failure.error.name(), || failure.to_string());
            }
            failure.finding = checks.and_then(|it| it.shown_finding_of(&failure.error));
            failure
        })
    }

    fn write_profile(&self) {
        let written = self.profile.as_ref().map(ProgramProfile::write);
        if let Some(Err(error)) = written {
            say_once(&format!("the profile cannot be written: {error}"));
        }
    }

    /// Writes the remaining output at exit. Returns the exit status that replaces 0, if any.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::program::Watch;
    /// use gcn_report::settings::{CheckSettings, Settings};
    /// let file = std::env::temp_dir().join(format!("gcn-findings-{}", std::process::id()));
    /// let check = CheckSettings { output: Some(file.clone()), error_exitcode: Some(3), ..CheckSettings::default() };
    /// let watch = Watch::new(&Settings { check: Some(check), ..Settings::default() }, &device)?;
    /// let short = device.buffer("short", &[0u32; 4])?;
    /// let launch = kernel.launch([64, 1, 1]).arg(&short);
    /// assert!(watch.run(launch, &device.queue(), &Default::default()).is_err());
    /// assert_eq!(watch.end(), Some(3));
    /// assert!(std::fs::read_to_string(&file)?.contains("global-out-of-bounds"));
    /// # std::fs::remove_file(&file)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn end(&self) -> Option<u8> {
        self.write_profile();
        let checks = self.checks.as_ref()?;
        let has_findings = checks.end();
        let status = checks.checks().settings().error_exitcode;
        status.filter(|_| has_findings)
    }
}

impl Failure {
    /// Adds modules with functions that the kernel may have called, so that addresses in them can be resolved.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_report::program::Watch;
    /// use gcn_report::settings::Settings;
    /// let watch = Watch::new(&Settings::default(), &device)?;
    /// let failed = watch.run(kernel.launch([0, 1, 1]), &device.queue(), &Default::default()).unwrap_err();
    /// let other = device.load(&example::add_one())?;
    /// assert_eq!(failed.to_string(), failed.beside(vec![other]).to_string(), "the failure has no address");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn beside(&self, modules: Vec<Module>) -> Failure {
        Failure {
            others: modules,
            ..self.clone()
        }
    }
}

/// Writes the failure report without a line terminator.
impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stopped = match self.cause {
            None => "stopped".to_owned(),
            Some(StopCause::Late(time)) => {
                format!("stopped after {} s, the timeout", time.as_secs_f64())
            }
            Some(StopCause::Full) => "stopped at the maximum number of findings".to_owned(),
        };
        let report = match &self.error {
            Error::Fault(completion) => {
                let code = CodeMap::new(self.kernel.module()).beside(&self.others);
                FaultReport::new(completion, &code, &stopped, None)
            }
            _ => None,
        };
        match (report, self.finding) {
            (Some(report), Some(finding)) => f.write_str(&report.in_brief(finding)),
            (Some(report), None) => write!(f, "{report}"),
            (None, _) => {
                let name = kernel_name(self.kernel.name());
                write!(f, "kernel {name}: {}", self.error)
            }
        }
    }
}
