//! An observer of accesses that are looked at one by one.

use std::sync::Arc;

use gcn_emu::observe::{
    Context, Events, MemoryEvent, Observer, ShareAccess, Verdict, WaveObserver,
};

use crate::finding::Findings;

/// Looks at an access that is about to happen, and reports what is wrong with it.
pub(super) type AccessCheck = fn(&Findings, &Context<'_>, &MemoryEvent<'_>);

/// True if there is nothing to look at in an access of LDS.
pub(super) type LdsFilter = fn(&Context<'_>, &ShareAccess<'_>) -> bool;

/// A checker that keeps nothing from one access to the next.
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

/// The checker of one thread's waves.
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
