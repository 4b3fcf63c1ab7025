//! Dispatches that run at the same time: nothing orders their waves but what they do by memory.
//!
//! Of two dispatches the one that ends first keeps its shadow until the other ends; then both are compared.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::entry::{AccessKind, PastAccess};
use super::global::GlobalShadow;
use super::report::report_dispatches;
use super::run::RaceDispatch;
use crate::finding::Findings;

/// Dispatches that have ended and that one which still runs is to be compared with.
const MOST: usize = 64;
/// Bytes of their shadows.
const MOST_BYTES: u64 = 1 << 30;

/// A dispatch that runs.
struct RunningDispatch {
    run: Arc<RaceDispatch>,
    /// Dispatches that have run beside it and ended, in the order in which they did.
    ended: Vec<Arc<RaceDispatch>>,
}

impl RunningDispatch {
    /// True if it has more to be compared with than is kept.
    fn has_too_many(&self) -> bool {
        let bytes = self.ended.iter().map(|it| it.global.bytes());
        self.ended.len() > MOST || bytes.sum::<u64>() > MOST_BYTES
    }
}

/// The dispatches that are running, by number.
#[derive(Default)]
pub(super) struct Runs(Mutex<HashMap<u64, RunningDispatch>>);

impl Runs {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, RunningDispatch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The dispatch with a number.
    pub(super) fn find(&self, id: u64) -> Option<Arc<RaceDispatch>> {
        self.lock().get(&id).map(|it| it.run.clone())
    }

    /// All that are running.
    pub(super) fn all(&self) -> Vec<Arc<RaceDispatch>> {
        self.lock().values().map(|it| it.run.clone()).collect()
    }

    /// A dispatch begins.
    pub(super) fn begin(&self, run: RaceDispatch) {
        let mut runs = self.lock();
        for other in runs.values() {
            other.run.meets_another();
            run.meets_another();
        }
        let running = RunningDispatch {
            run: Arc::new(run),
            ended: Vec::new(),
        };
        runs.insert(running.run.id, running);
    }

    /// A dispatch has ended: it is compared with those that ended while it ran. Those that still run are compared with it when they
    /// end, or now with the first that ended, if they have too many.
    pub(super) fn end(&self, id: u64, findings: &Findings) {
        let mut runs = self.lock();
        let Some(RunningDispatch { run, ended }) = runs.remove(&id) else {
            return;
        };
        let mut pairs: Vec<[Arc<RaceDispatch>; 2]> = Vec::new();
        pairs.extend(ended.into_iter().map(|other| [other, run.clone()]));
        for other in runs.values_mut() {
            other.ended.push(run.clone());
            while other.has_too_many() {
                pairs.push([other.ended.remove(0), other.run.clone()]);
            }
        }
        drop(runs);
        for pair in pairs {
            compare(pair, findings);
        }
    }
}

/// Reports races between two dispatches that run, or ran, at the same time, of which the second ends last.
fn compare(mut runs: [Arc<RaceDispatch>; 2], findings: &Findings) {
    let [first, last] = runs.each_ref().map(|run| run.means);
    // The last one may learn from the host or from a third dispatch that the first has ended. The first one can learn no more than
    // what the last has published while both ran.
    if last.acquires || first.acquires && last.publishes {
        return;
    }
    runs.sort_by_key(|run| run.id);
    let [one, other] = [&*runs[0], &*runs[1]];
    type Sides = [(u16, AccessKind); 2];
    let mut known: HashSet<Sides> = HashSet::new();
    let mut found: Vec<(u64, [PastAccess; 2])> = Vec::new();
    let global: [&GlobalShadow; 2] = [&one.global, &other.global];
    let may_be_ordered = GlobalShadow::compare(global, one.layout, |at, pair| {
        if known.insert(pair.map(|it| (it.site(), it.kind()))) {
            found.push((at, pair));
        }
    });
    if may_be_ordered {
        return;
    }
    for (at, [first, second]) in found {
        report_dispatches(findings, at, [(one, first), (other, second)]);
    }
}
