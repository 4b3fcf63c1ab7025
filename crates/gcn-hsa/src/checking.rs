//! Checkers of a program's kernels.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_observe::check::checker;
use gcn_observe::finding::{Check, Findings, Key};
use gcn_runtime::Kernel;
use gcn_runtime::observe::Observers;
use gcn_runtime::report::{CodeMap, FindingReport};
use gcn_runtime::settings::Settings;

use crate::sink::Sink;

/// Checks of all kernels, and where their findings are written.
#[derive(Debug)]
pub(crate) struct Checking {
    checks: Vec<Check>,
    out: Sink,
    /// Findings that have been written: a kernel that runs often says so once.
    written: Mutex<HashSet<Key>>,
}

impl Checking {
    /// The checks that the settings ask for.
    ///
    /// # Errors
    /// The file of findings cannot be made.
    pub(crate) fn new(settings: &Settings) -> Result<Option<Checking>, String> {
        let Some(checks) = settings.checks.clone() else {
            return Ok(None);
        };
        Ok(Some(Checking {
            checks,
            out: Sink::new(settings.check_output.as_deref())?,
            written: Mutex::default(),
        }))
    }

    /// Adds observers of a launch, and yields what will have their findings.
    pub(crate) fn watch(&self, observers: Observers) -> (Observers, Arc<Findings>) {
        let findings = Arc::<Findings>::default();
        let checkers = self.checks.iter().map(|&check| checker(check, &findings));
        (checkers.fold(observers, Observers::with), findings)
    }

    /// Writes the findings of a launch that ended, but for those that an earlier one had.
    pub(crate) fn report(&self, kernel: &Kernel, findings: &Findings) {
        let code = CodeMap::new(kernel.module());
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let all = findings.keyed();
        for (_, finding) in all.iter().filter(|(key, _)| written.insert(*key)) {
            let report = FindingReport::new(finding, &code);
            self.out.write(&format!("{report}\n"));
        }
        self.out.flush();
    }
}
