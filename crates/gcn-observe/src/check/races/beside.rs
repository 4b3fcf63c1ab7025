//! Dispatches that run at the same time: nothing orders their waves but what they do by memory.
//!
//! Of two dispatches the one that ends first keeps its shadow until the other ends; then both are compared. So does one that has
//! ended before another one without an acquire fence begins, for as long as this may load old values from its caches.

use std::collections::{HashMap, HashSet};
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::entry::{AccessKind, PastAccess};
use super::global::GlobalShadow;
use super::report::{DispatchOrder, report_dispatches};
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
    unseen: UnseenDispatches,
}

/// Dispatches that have ended before another one began, with no acquire fence in between. They are not in its [`RaceDispatch`], which
/// may be among those of a later one: all would be kept.
pub(super) type UnseenDispatches = Arc<[Arc<RaceDispatch>]>;

/// True if dispatches that have ended are more than are kept.
fn are_too_many(ended: &[Arc<RaceDispatch>]) -> bool {
    let bytes = ended.iter().map(|it| it.global.bytes());
    ended.len() > MOST || bytes.sum::<u64>() > MOST_BYTES
}

/// The dispatches that are running, by number.
#[derive(Default)]
pub(super) struct Runs(Mutex<RunsState>);

#[derive(Default)]
struct RunsState {
    running: HashMap<u64, RunningDispatch>,
    /// The dispatches that have ended since one with an acquire fence began.
    unseen: Vec<Arc<RaceDispatch>>,
}

impl Runs {
    fn lock(&self) -> MutexGuard<'_, RunsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The dispatch with a number, and those of which its caches may have old values.
    pub(super) fn find(&self, id: u64) -> Option<(Arc<RaceDispatch>, UnseenDispatches)> {
        let runs = self.lock();
        let found = runs.running.get(&id);
        found.map(|it| (it.run.clone(), it.unseen.clone()))
    }

    /// All that are running.
    pub(super) fn all(&self) -> Vec<Arc<RaceDispatch>> {
        let runs = self.lock();
        runs.running.values().map(|it| it.run.clone()).collect()
    }

    /// A dispatch begins.
    pub(super) fn begin(&self, run: RaceDispatch) {
        let mut runs = self.lock();
        for other in runs.running.values() {
            other.run.meets_another();
            run.meets_another();
        }
        let (seen, unseen) = match run.acquires {
            true => (take(&mut runs.unseen), Vec::new()),
            false => (Vec::new(), runs.unseen.clone()),
        };
        let running = RunningDispatch {
            run: Arc::new(run),
            ended: Vec::new(),
            unseen: unseen.into(),
        };
        runs.running.insert(running.run.id, running);
        drop(runs);
        // Shadows are freed without the lock.
        drop(seen);
    }

    /// A dispatch has ended: it is compared with those that ended while it ran. Those that still run are compared with it when they
    /// end, or now with the first that ended, if they have too many.
    pub(super) fn end(&self, id: u64, findings: &Findings) {
        let mut runs = self.lock();
        let Some(ending) = runs.running.remove(&id) else {
            return;
        };
        let RunningDispatch { run, ended, .. } = ending;
        let mut pairs: Vec<[Arc<RaceDispatch>; 2]> = Vec::new();
        pairs.extend(ended.into_iter().map(|other| [other, run.clone()]));
        for other in runs.running.values_mut() {
            other.ended.push(run.clone());
            while are_too_many(&other.ended) {
                pairs.push([other.ended.remove(0), other.run.clone()]);
            }
        }
        runs.unseen.push(run.clone());
        while are_too_many(&runs.unseen) {
            runs.unseen.remove(0);
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
        let order = DispatchOrder::None;
        report_dispatches(findings, order, at, [(one, first), (other, second)]);
    }
}
