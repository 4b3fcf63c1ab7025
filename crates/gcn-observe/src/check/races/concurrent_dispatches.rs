//! Concurrent dispatches, whose waves are ordered only by memory operations.
//!
//! The shadow of the dispatch that ends first is kept until the other dispatch ends; then the two are compared. A
//! dispatch that begins without an acquire fence may read stale values from its caches, so the shadows of dispatches
//! that ended before are also kept for it.

use std::collections::{HashMap, HashSet};
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::access::{AccessKind, PastAccess};
use super::global::GlobalShadow;
use super::report::{DispatchOrder, report_dispatches};
use super::run::RaceDispatch;
use crate::finding::Findings;

/// Maximum number of ended dispatches kept for a running one.
const MOST: usize = 64;
/// Maximum total size of the shadows of these dispatches, in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// A running dispatch.
struct RunningDispatch {
    run: Arc<RaceDispatch>,
    /// Concurrent dispatches that have ended, oldest first.
    ended: Vec<Arc<RaceDispatch>>,
    unseen: UnseenDispatches,
}

/// Dispatches that ended before another one began, without an acquire fence in between. Not a field of the later one's
/// [`RaceDispatch`], which may itself be kept for a later dispatch: the chain would grow without bound.
pub(super) type UnseenDispatches = Arc<[Arc<RaceDispatch>]>;

/// True if the ended dispatches exceed a limit.
fn are_too_many(ended: &[Arc<RaceDispatch>]) -> bool {
    let bytes = ended.iter().map(|it| it.global.bytes());
    ended.len() > MOST || bytes.sum::<u64>() > MOST_BYTES
}

/// Running dispatches, by number.
#[derive(Default)]
pub(super) struct Runs(Mutex<RunsState>);

#[derive(Default)]
struct RunsState {
    running: HashMap<u64, RunningDispatch>,
    /// Dispatches that ended since the last dispatch with an acquire fence began.
    unseen: Vec<Arc<RaceDispatch>>,
}

impl Runs {
    fn lock(&self) -> MutexGuard<'_, RunsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns running dispatch `id`, and earlier dispatches whose writes its caches may miss.
    pub(super) fn find(&self, id: u64) -> Option<(Arc<RaceDispatch>, UnseenDispatches)> {
        let runs = self.lock();
        let found = runs.running.get(&id);
        found.map(|it| (it.run.clone(), it.unseen.clone()))
    }

    pub(super) fn all(&self) -> Vec<Arc<RaceDispatch>> {
        let runs = self.lock();
        runs.running.values().map(|it| it.run.clone()).collect()
    }

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
        // Shadows are freed after the lock is released.
        drop(seen);
    }

    /// Records the end of a dispatch, and compares it with the dispatches that ended while it ran. Running dispatches
    /// keep it until they end; those that now exceed a limit are compared with their oldest ended dispatches.
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

/// Reports races between two concurrent dispatches, given in the order in which they ended.
fn compare(mut runs: [Arc<RaceDispatch>; 2], findings: &Findings) {
    let [first, last] = runs.each_ref().map(|run| run.means);
    // The last dispatch may have learned from the host or a third dispatch that the first has ended. The first can only
    // have learned of writes that the last published while both ran.
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
