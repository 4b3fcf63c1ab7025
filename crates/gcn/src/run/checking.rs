//! Checkers of a run: the launches that they watch, and the findings that are not wanted.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, Findings};
use gcn_observe::matches;
use gcn_runtime::observe::Observers;
use gcn_runtime::report::{CodeMap, FindingReport};
use serde::{Deserialize, Serialize};

/// Checkers of a run.
pub struct Checking {
    /// Their findings.
    pub findings: Arc<Findings>,
    /// Set when there are enough findings.
    pub stop: Arc<AtomicBool>,
    observers: Observers,
    nobody: Observers,
    /// Launches before the first that is watched, repetitions counted.
    skip: u64,
    /// Launches that are watched.
    count: u64,
    suppressions: Suppressions,
}

impl Checking {
    /// Checkers that stop the run at `stop_at` different findings, and watch `count` launches behind the first `skip`.
    pub fn new(
        checks: &[Check],
        (skip, count): (u64, u64),
        stop_at: usize,
        suppressions: Suppressions,
    ) -> Checking {
        let stop = Arc::<AtomicBool>::default();
        let findings = Arc::new(Findings::new(stop_at, stop.clone()));
        Checking {
            observers: checkers(checks, &findings),
            nobody: Observers::none(),
            findings,
            stop,
            skip,
            count,
            suppressions,
        }
    }

    /// The observers of what the host does to memory.
    pub fn all(&self) -> &Observers {
        &self.observers
    }

    /// The observers of launch `number`, counted from 0 on.
    pub fn observers(&self, number: u64) -> Observers {
        let is_watched = number >= self.skip && number - self.skip < self.count;
        let observers = if is_watched {
            &self.observers
        } else {
            &self.nobody
        };
        observers.clone()
    }

    /// The findings that are not suppressed.
    pub fn reports(&self, code: &CodeMap<'_>) -> Vec<FindingReport> {
        let (all, _) = self.findings.all();
        let reports = all.iter().map(|finding| FindingReport::new(finding, code));
        reports
            .filter(|report| !self.suppressions.cover(report))
            .collect()
    }
}

/// Findings that are not wanted, in TOML: `[[suppress]]` tables.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppressions {
    #[serde(default)]
    suppress: Vec<Suppression>,
}

/// Findings that are not wanted: those that have all that it names; `*` stands for any text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppression {
    /// Name of the finding.
    pub name: String,
    /// Symbol of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// File of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Text of the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

impl Suppression {
    /// The suppression of one finding, wherever its code is.
    pub fn of(report: &FindingReport) -> Suppression {
        Suppression {
            name: report.name.to_owned(),
            kernel: report.kernel().map(str::to_owned),
            file: report.place.file.clone(),
            line: report.place.line,
            instruction: report.instruction().map(str::to_owned),
        }
    }

    fn covers(&self, report: &FindingReport) -> bool {
        let fits = |pattern: &Option<String>, text: Option<&str>| {
            pattern
                .as_ref()
                .is_none_or(|pattern| text.is_some_and(|text| matches(pattern, text)))
        };
        matches(&self.name, report.name)
            && fits(&self.kernel, report.kernel())
            && fits(&self.file, report.place.file.as_deref())
            && fits(&self.instruction, report.instruction())
            && self.line.is_none_or(|line| report.place.line == Some(line))
    }
}

impl Suppressions {
    /// Reads a file's text.
    ///
    /// # Errors
    /// It is no TOML, or has unknown keys.
    pub fn read(text: &str) -> Result<Suppressions> {
        toml::from_str(text).context("invalid suppressions")
    }

    /// Those of some findings.
    pub fn of(reports: &[FindingReport]) -> Suppressions {
        let mut suppress: Vec<Suppression> = reports.iter().map(Suppression::of).collect();
        suppress.dedup();
        Suppressions { suppress }
    }

    /// Adds others.
    pub fn extend(&mut self, others: Suppressions) {
        self.suppress.extend(others.suppress);
    }

    fn cover(&self, report: &FindingReport) -> bool {
        self.suppress.iter().any(|it| it.covers(report))
    }
}

impl std::fmt::Display for Suppressions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Strings and numbers are always TOML.
        f.write_str(&toml::to_string(self).map_err(|_| std::fmt::Error)?)
    }
}
