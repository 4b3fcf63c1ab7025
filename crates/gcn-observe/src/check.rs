//! Checkers: observers that report to [`Findings`].
//!
//! Rules and messages shared with [`lint`](crate::lint) are in `conflict.rs`, `vccz.rs` and `wait_states.rs`. Checkers
//! with an `Ahead` consult the static analysis of a kernel when a dispatch begins (`Observer::wants_in`), and skip events
//! that cannot produce a finding.

mod waits;
mod races;
mod uninit;
mod accesses;
mod bounds;
mod barriers;
mod hazards;
mod arith;
mod align;
mod provenance;

use std::sync::Arc;

use gcn_emu::observe::{Observer, Observers};

use crate::finding::{Check, Findings};
use crate::lint::Ahead;
use accesses::Accesses;

/// Creates the observer for a check. All observers of a run share the static analyses `ahead`.
fn checker(check: Check, findings: &Arc<Findings>, ahead: &Arc<Ahead>) -> Arc<dyn Observer> {
    match check {
        Check::Waits => Arc::new(waits::Waits::new(findings.clone(), ahead.clone())),
        Check::Races => Arc::new(races::Races::new(findings.clone(), ahead.clone(), false)),
        Check::Lanes => Arc::new(races::Races::new(findings.clone(), ahead.clone(), true)),
        Check::Uninit => Arc::new(uninit::Uninit::new(findings.clone())),
        Check::Bounds => Arc::new(Accesses::new(
            findings.clone(),
            bounds::look,
            bounds::overlook,
        )),
        Check::Barriers => Arc::new(barriers::Barriers::new(findings.clone(), ahead.clone())),
        Check::Hazards => Arc::new(hazards::Hazards::new(findings.clone(), ahead.clone())),
        Check::Arith => Arc::new(arith::Arith::new(findings.clone())),
        Check::Align => Arc::new(Accesses::new(findings.clone(), align::look, |_, _| false)),
        Check::Provenance => Arc::new(provenance::Provenance::new(findings.clone())),
    }
}

/// Creates the observers for a set of checks.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use std::sync::Arc;
/// use gcn_observe::check::checkers;
/// use gcn_observe::finding::{Check, Findings};
/// let findings = Arc::new(Findings::default());
/// let observers = checkers(&[Check::Bounds, Check::Waits], &findings);
/// let short = device.buffer("short", &[0u32; 4])?;
/// let outcome = kernel.launch([64, 1, 1]).arg(&short).observers(&observers).run(&device.queue());
/// assert!(outcome.is_err(), "the buffer is too short");
/// let (all, _) = findings.all();
/// assert_eq!(all[0].kind.name(), "global-out-of-bounds");
/// assert_eq!(all[0].place.text, "global_atomic_add v0, v1, s[0:1]");
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
pub fn checkers(checks: &[Check], findings: &Arc<Findings>) -> Observers {
    let ahead = Arc::default();
    let all = checks.iter().map(|&check| checker(check, findings, &ahead));
    all.fold(Observers::none(), Observers::with)
}
