//! Repeatable runs for `gcn why`, and resolution of the requested element.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::{Result, bail};
use gcn_console::why::RunNames;
use gcn_debug::{AccessChoice, AccessPlace, Launches};
use gcn_runtime::fault::FaultKind;
use gcn_runtime::observe::{LastingState, Observers};

use crate::problem::{INVALID_SELECTOR, Problem};
use crate::run::MemoryView;
use crate::run::debugged::DebuggedRun;

/// Resolves the selector of one element.
///
/// # Errors
/// Fails if the text does not select exactly one element.
pub fn element(debugged: &DebuggedRun, place: &str) -> Result<MemoryView> {
    let view = debugged.elements(place)?;
    if view.count() != 1 {
        let message = format!(
            "`{place}` is {} elements: name one, as {}[{}]",
            view.count(),
            view.name,
            view.begin
        );
        bail!(Problem::new(INVALID_SELECTOR, message));
    }
    Ok(view)
}

/// Reason why launches stop early.
pub enum RunEnd {
    /// A launch cannot be prepared or started.
    Error(anyhow::Error),
    /// A signal or the timeout stopped the run.
    Stopped,
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEnd::Error(error) => write!(f, "{error:#}"),
            RunEnd::Stopped => f.write_str("interrupted"),
        }
    }
}

/// Collects the names of prepared launches.
pub fn run_names(debugged: &DebuggedRun) -> RunNames {
    let mut names = RunNames::default();
    for launch in 0..debugged.count() {
        let (kernel, repetitions) = (debugged.kernel(launch), debugged.repetitions(launch));
        names.add(kernel, repetitions, debugged.arguments(launch));
    }
    names
}

/// Runs of the launches, including repetitions.
pub struct Runs<'a> {
    debugged: &'a DebuggedRun,
    /// Index of the launch of each run.
    launches: Vec<usize>,
    /// Device state before the first run.
    start: LastingState,
    /// Number of passes that have begun.
    passes: Cell<u32>,
    /// First fault that ended a launch. Later passes may lack workgroups, so their faults do not count.
    pub fault: RefCell<Option<RunFault>>,
}

/// Fault that ended a launch.
#[derive(Clone, PartialEq)]
pub struct RunFault {
    /// Description, as `gcn run` reports it.
    pub note: String,
    /// Access that faulted; `None` for other kinds of faults.
    pub access: Option<FaultedAccess>,
}

/// Access that faulted.
#[derive(Clone, PartialEq)]
pub struct FaultedAccess {
    /// Location of the access, for a question.
    pub place: AccessPlace,
    /// Description of the fault, usually a verb phrase with the run as its subject.
    pub message: String,
}

impl<'a> Runs<'a> {
    /// Creates the runs of all launches. The first one starts from the current state of the device.
    pub fn new(debugged: &'a DebuggedRun) -> Runs<'a> {
        Runs {
            start: debugged.module().device().lasting_state(),
            debugged,
            launches: debugged.runs(),
            passes: Cell::default(),
            fault: RefCell::default(),
        }
    }

    /// Keeps only the first `count` runs.
    pub fn truncate(&mut self, count: u32) {
        self.launches.truncate(count as usize);
    }
}

impl Launches for Runs<'_> {
    type Error = RunEnd;

    fn runs(&self) -> u32 {
        u32::try_from(self.launches.len()).unwrap_or(u32::MAX)
    }

    fn restart(&self) {
        self.passes.set(self.passes.get() + 1);
        self.debugged.module().device().restore(&self.start);
    }

    fn run(&self, run: u32, observers: &Observers) -> Result<bool, RunEnd> {
        let Some(number) = self.launches.get(run as usize) else {
            return Ok(false);
        };
        let ran = self.debugged.execute(*number, observers);
        let end = ran.map_err(RunEnd::Error)?;
        if self.debugged.stop().load(Relaxed) {
            return Err(RunEnd::Stopped);
        }
        let Some(fault) = &end.fault else {
            return Ok(true);
        };
        if self.passes.get() <= 1 && fault.kind != FaultKind::Interrupted {
            let report = self.debugged.fault_report(*number, &end);
            let report = report.map_or_else(|| fault.kind.to_string(), |it| it.to_string());
            let is_access = matches!(
                fault.kind,
                FaultKind::Unmapped { .. } | FaultKind::Misaligned { .. }
            );
            let access = is_access.then(|| FaultedAccess {
                place: AccessPlace {
                    run,
                    wave: fault.wave,
                    lane: fault.lane,
                    access: AccessChoice::At(fault.pc),
                },
                message: fault.kind.to_string(),
            });
            self.fault.borrow_mut().get_or_insert(RunFault {
                note: report,
                access,
            });
        }
        Ok(false)
    }
}
