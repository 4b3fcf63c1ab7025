//! Sinks for findings of the static analysis.

use std::cell::Cell;

use crate::finding::{Check, Finding, FindingKey, Findings};

/// Checks that cannot find anything in a run, regardless of its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RuledOut {
    pub(crate) waits: bool,
    pub(crate) hazards: bool,
}

/// Receiver of findings.
pub(super) enum FindingSink<'a> {
    /// Reports the findings.
    Findings(&'a Findings),
    /// Clears the flags of the checks that have findings.
    RuledOut(&'a Cell<RuledOut>),
}

impl FindingSink<'_> {
    pub(super) fn add(&self, key: FindingKey, make: impl FnOnce() -> Finding) {
        match self {
            FindingSink::Findings(findings) => findings.report(key, None, make),
            FindingSink::RuledOut(ruled_out) => {
                let mut left = ruled_out.get();
                left.waits &= key.kind.about().check != Check::Waits;
                left.hazards &= key.kind.about().check != Check::Hazards;
                ruled_out.set(left);
            }
        }
    }
}
