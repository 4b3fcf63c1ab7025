//! An observer of accesses that are looked at one by one.

use std::sync::Arc;

use gcn_emu::observe::{Context, Events, MemoryEvent, Observer, Verdict, WaveObserver};

use crate::finding::Findings;

/// Looks at an access that is about to happen, and reports what is wrong with it.
pub(super) type Look = fn(&Findings, &Context<'_>, &MemoryEvent<'_>);

/// A checker that keeps nothing from one access to the next.
pub(super) struct Accesses {
    findings: Arc<Findings>,
    look: Look,
}

impl Accesses {
    pub(super) fn new(findings: Arc<Findings>, look: Look) -> Accesses {
        Accesses { findings, look }
    }
}

impl Observer for Accesses {
    fn wants(&self) -> Events {
        Events::ACCESS
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Watch {
            findings: self.findings.clone(),
            look: self.look,
        }))
    }
}

/// The checker of one thread's waves.
struct Watch {
    findings: Arc<Findings>,
    look: Look,
}

impl WaveObserver for Watch {
    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        (self.look)(&self.findings, context, event);
        Verdict::Allow
    }
}
