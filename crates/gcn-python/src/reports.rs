//! Reports of checks, profiles and faults as JSON for the Python package.

use std::sync::Mutex;

use gcn_report::settings::{self, CheckSettings};
use gcn_report::{Checking, CodeMap, FaultReport, Profiling};
use gcn_runtime::observe::Observers;
use gcn_runtime::{Completion, Kernel};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::{BaseError, Fault};

/// Checks and profiling for a launch, if enabled.
#[derive(Default)]
pub(crate) struct Watch {
    checking: Option<Checking>,
    profiling: Option<Profiling>,
    /// Findings so far, as pairs of JSON and text.
    findings: Mutex<Vec<(String, String)>>,
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| BaseError::new_err(error.to_string()))
}

impl Watch {
    /// Enables the named checks (`default` selects those that are on by default), and profiling if requested.
    ///
    /// # Errors
    /// `ValueError`: a check name is unknown.
    pub(crate) fn new(checks: Option<&str>, profile: bool) -> PyResult<Watch> {
        let mut watch = Watch::default();
        if let Some(names) = checks {
            let settings = CheckSettings {
                checks: settings::checks(names).map_err(PyValueError::new_err)?,
                ..CheckSettings::default()
            };
            let checking = Checking::new(settings);
            let checking = checking.map_err(|error| PyValueError::new_err(error.to_string()))?;
            watch.checking = Some(checking);
        }
        if profile {
            watch.profiling = Some(Profiling::default());
        }
        Ok(watch)
    }

    /// Creates the observers for a launch of a kernel.
    pub(crate) fn observers(&self, kernel: &Kernel) -> Observers {
        let mut observers = Observers::none();
        if let Some(checking) = &self.checking {
            checking.notes(kernel.module());
            observers = checking.launch(kernel.name());
        }
        match &self.profiling {
            Some(profiling) => profiling.watch(kernel, observers),
            None => observers,
        }
    }

    /// Collects new findings. Returns all findings so far, as pairs of JSON and text.
    pub(crate) fn findings(&self, kernel: &Kernel) -> PyResult<Vec<(String, String)>> {
        let Some(checking) = &self.checking else {
            return Ok(Vec::new());
        };
        let new = checking.collect(kernel.module());
        let new: PyResult<Vec<_>> = new
            .iter()
            .map(|report| Ok((json(report)?, report.to_string())))
            .collect();
        let findings = self.findings.lock();
        let mut findings = findings.unwrap_or_else(|poisoned| poisoned.into_inner());
        findings.extend(new?);
        Ok(findings.clone())
    }

    /// Returns the profile as JSON and text, if enabled.
    pub(crate) fn profile(&self) -> PyResult<Option<(String, String)>> {
        let Some(profiling) = &self.profiling else {
            return Ok(None);
        };
        let report = profiling.report();
        Ok(Some((json(&report)?, report.to_string())))
    }
}

/// Creates the exception for a launch that faulted, including the fault report.
pub(crate) fn fault(kernel: &Kernel, end: &Completion, watch: &Watch) -> PyErr {
    let raised = || {
        let code = CodeMap::new(kernel.module());
        let report = FaultReport::new(end, &code, "the kernel was stopped", None);
        let Some(report) = report else {
            return Ok(Fault::new_err(end.describe()));
        };
        let arguments = (
            report.to_string(),
            report.name,
            json(&report)?,
            watch.findings(kernel)?,
        );
        Ok(Fault::new_err(arguments))
    };
    raised().unwrap_or_else(|error: PyErr| error)
}
