//! Base for checkers that inspect each memory access on its own.

use std::sync::Arc;

use gcn_emu::observe::{
    Context, Events, MemoryEvent, Observer, ShareAccess, Verdict, WaveObserver,
};

use crate::finding::Findings;

/// Function that inspects an access before it executes, and reports its problems.
pub(super) type AccessCheck = fn(&Findings, &Context<'_>, &MemoryEvent<'_>);

/// Fast-path filter that returns true if an LDS access needs no inspection.
pub(super) type LdsFilter = fn(&Context<'_>, &ShareAccess<'_>) -> bool;

/// A checker that keeps no state between accesses.
pub(super) struct Accesses {
    findings: Arc<Findings>,
    look: AccessCheck,
    overlook: LdsFilter,
}

impl Accesses {
    pub(super) fn new(findings: Arc<Findings>, look: AccessCheck, overlook: LdsFilter) -> Accesses {
        Accesses {
            findings,
            look,
            overlook,
        }
    }
}

impl Observer for Accesses {
    fn wants(&self) -> Events {
        Events::ACCESS
    }

    fn may_overlook(&self) -> bool {
        true
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(AccessWatch {
            findings: self.findings.clone(),
            look: self.look,
            overlook: self.overlook,
        }))
    }
}

/// Checker for the waves of one thread.
struct AccessWatch {
    findings: Arc<Findings>,
    look: AccessCheck,
    overlook: LdsFilter,
}

impl WaveObserver for AccessWatch {
    fn overlooks(&mut self, context: &Context<'_>, access: &ShareAccess<'_>) -> bool {
        (self.overlook)(context, access)
    }

    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        (self.look)(&self.findings, context, event);
        Verdict::Allow
    }
}
