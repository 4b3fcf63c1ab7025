//! Vector clocks of waves.
//!
//! Releases by other workgroups matter only if an access may conflict with one of theirs, or if the wave invalidates its
//! cache. A wave therefore stores the releases that it receives, and computes their clocks on demand
//! ([`ReceivedClocks`]). Kernels whose waves only add to common locations never need these clocks.

use std::collections::HashSet;
use std::mem::take;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gcn_emu::scoreboard::{OperationId, Scoreboard};
use hashbrown::HashMap;

use super::access::{EntryLayout, PastAccess};
use super::releases::Releases;

/// Number of consecutive waves in a block. Vector clocks share equal blocks.
const BLOCK: u32 = 16;

/// Clocks of consecutive waves; 0 if unknown.
type Block = [u32; BLOCK as usize];

/// Vector clock: the set of operations that happen before a point in time, as the last clock of each wave in the set.
/// Stored as blocks, sorted by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct OrderedClocks(Vec<(u32, Arc<Block>)>);

impl OrderedClocks {
    fn find(&self, wave: u32) -> Result<usize, usize> {
        self.0
            .binary_search_by_key(&(wave / BLOCK), |(number, _)| *number)
    }

    /// True if the set contains a wave's operations up to `clock`.
    #[inline]
    pub(super) fn has(&self, wave: u32, clock: u32) -> bool {
        let at = |index: usize| self.0[index].1[(wave % BLOCK) as usize];
        !self.0.is_empty() && self.find(wave).is_ok_and(|index| at(index) >= clock.max(1))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a wave's operations up to `clock`. Returns true if they are new.
    pub(super) fn add(&mut self, wave: u32, clock: u32) -> bool {
        if self.has(wave, clock) {
            return false;
        }
        let index = self.find(wave).unwrap_or_else(|index| {
            self.0.insert(index, (wave / BLOCK, Arc::default()));
            index
        });
        Arc::make_mut(&mut self.0[index].1)[(wave % BLOCK) as usize] = clock;
        true
    }

    /// Adds the clocks of another set. Returns true if some are new.
    pub(super) fn join(&mut self, other: &OrderedClocks) -> bool {
        let (mut index, mut is_new) = (0, false);
        for (number, theirs) in &other.0 {
            while self.0.get(index).is_some_and(|(own, _)| own < number) {
                index += 1;
            }
            match self.0.get_mut(index) {
                Some((own, known)) if own == number => is_new |= join_block(known, theirs),
                _ => {
                    self.0.insert(index, (*number, theirs.clone()));
                    is_new = true;
                }
            }
        }
        is_new
    }
}

/// Merges a block into `known`, the block of the same waves. Returns true if `known` changes.
fn join_block(known: &mut Arc<Block>, theirs: &Arc<Block>) -> bool {
    if Arc::ptr_eq(known, theirs) {
        return false;
    }
    let all: Block = std::array::from_fn(|wave| known[wave].max(theirs[wave]));
    if all == **known {
        return false;
    }
    if all == **theirs {
        known.clone_from(theirs);
    } else {
        *Arc::make_mut(known) = all;
    }
    true
}

/// Vector clocks of a wave: the clocks of the waves that it has synchronized with.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    /// Clocks that happen before all accesses of the wave.
    pub(super) known: Arc<OrderedClocks>,
    /// Clocks that happen before the wave's stores, atomics and GLC loads, but not before its cached loads, which may
    /// return stale values.
    pub(super) past_cache: ReceivedClocks,
}

/// Releases that a wave has read.
#[derive(Clone, Debug)]
pub(super) enum ReadReleases {
    One(PastAccess),
    /// Releases of a sequence.
    Sequence(Releases),
}

/// Vector clock that is computed on demand.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedClocks(Option<Arc<ClockNode>>);

#[derive(Debug)]
struct ClockNode {
    /// Other sets included in this set.
    bases: Vec<ReceivedClocks>,
    /// Releases, which include the releasing waves' knowledge.
    releases: Vec<ReadReleases>,
    /// Waves whose releases are excluded.
    excluded: Range<u32>,
    value: OnceLock<Arc<OrderedClocks>>,
}

impl ReceivedClocks {
    pub(super) fn new(clocks: Arc<OrderedClocks>) -> ReceivedClocks {
        if clocks.is_empty() {
            return ReceivedClocks::default();
        }
        ReceivedClocks(Some(Arc::new(ClockNode {
            bases: Vec::new(),
            releases: Vec::new(),
            excluded: 0..0,
            value: OnceLock::from(clocks),
        })))
    }

    /// True if nothing has been received. False does not imply that there are clocks new to the wave.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Adds releases with their waves' knowledge, except releases by the `excluded` waves.
    pub(super) fn receive(&mut self, releases: Vec<ReadReleases>, excluded: Range<u32>) {
        let bases = if self.is_empty() {
            Vec::new()
        } else {
            vec![take(self)]
        };
        *self = ReceivedClocks::sum(bases, releases, excluded);
    }

    /// Creates the union of sets and releases, except releases by the `excluded` waves.
    fn sum(
        bases: Vec<ReceivedClocks>,
        releases: Vec<ReadReleases>,
        excluded: Range<u32>,
    ) -> ReceivedClocks {
        ReceivedClocks(Some(Arc::new(ClockNode {
            bases,
            releases,
            excluded,
            value: OnceLock::new(),
        })))
    }

    /// Adds the clocks of other sets.
    pub(super) fn join<'a>(&mut self, others: impl IntoIterator<Item = &'a ReceivedClocks>) {
        let mut bases: Vec<ReceivedClocks> = Vec::new();
        bases.extend((!self.is_empty()).then(|| self.clone()));
        for it in others.into_iter().filter(|it| !it.is_empty()) {
            if !bases.iter().any(|known| known.is_same(it)) {
                bases.push(it.clone());
            }
        }
        *self = match bases.len() {
            0 | 1 => bases.pop().unwrap_or_default(),
            _ => ReceivedClocks::sum(bases, Vec::new(), 0..0),
        };
    }

    fn is_same(&self, other: &ReceivedClocks) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Computes the clocks, unless they have been computed already.
    pub(super) fn value(&self, histories: &Histories) -> Arc<OrderedClocks> {
        let Some(node) = &self.0 else {
            return Arc::default();
        };
        if let Some(value) = node.value.get() {
            return value.clone();
        }
        // Depth-first search with an explicit stack, since sets include other sets. Two waves that release and acquire at the
        // same time may include each other: the search skips sets that are on the stack, and stores no sum that lacks one.
        let mut active = HashSet::from([Arc::as_ptr(node)]);
        let mut stack = vec![ClockSum::new(node.clone())];
        while let Some(sum) = stack.last_mut() {
            if let Some(needed) = sum.advance(histories) {
                if active.insert(Arc::as_ptr(&needed)) {
                    stack.push(ClockSum::new(needed));
                } else {
                    sum.lacks_active = true;
                }
                continue;
            }
            let Some(sum) = stack.pop() else {
                break;
            };
            active.remove(&Arc::as_ptr(&sum.node));
            if let Some(outer) = stack.last_mut() {
                outer.clocks.join(&sum.clocks);
                outer.lacks_active |= sum.lacks_active;
            }
            // The first set, however, includes all sets that the search has reached.
            if stack.is_empty() || !sum.lacks_active {
                let _ = sum.node.value.set(Arc::new(sum.clocks));
            }
        }
        node.value.get().cloned().unwrap_or_default()
    }
}

/// Sum of the clocks of a set during its computation.
struct ClockSum {
    node: Arc<ClockNode>,
    clocks: OrderedClocks,
    /// Sets to be added, which may not have been computed yet.
    missing: Vec<Arc<ClockNode>>,
    /// Numbers of bases and of releases that have been added.
    bases: usize,
    releases: usize,
    /// Rest of the sequence that is being added.
    sequence: Releases,
    /// True if a set on the stack was skipped.
    lacks_active: bool,
}

impl ClockSum {
    fn new(node: Arc<ClockNode>) -> ClockSum {
        ClockSum {
            node,
            clocks: OrderedClocks::default(),
            missing: Vec::new(),
            bases: 0,
            releases: 0,
            sequence: Releases::default(),
            lacks_active: false,
        }
    }

    /// Adds clocks until another set is needed. Returns that set, or `None` if the sum is complete.
    fn advance(&mut self, histories: &Histories) -> Option<Arc<ClockNode>> {
        let layout = histories.layout;
        let node = self.node.clone();
        loop {
            if let Some(missing) = self.missing.pop() {
                match missing.value.get() {
                    Some(value) => {
                        self.clocks.join(value);
                    }
                    None => return Some(missing),
                }
            } else if let Some(base) = node.bases.get(self.bases) {
                self.bases += 1;
                self.missing.extend(base.0.clone());
            } else if let Some(release) = self.sequence.pop() {
                let (wave, clock) = (layout.wave(release), layout.clock(release));
                let is_other = !node.excluded.contains(&wave) && release.releases_to_agent();
                if is_other
                    && self.clocks.add(wave, clock)
                    && let Some(known) = histories.at(wave, clock)
                {
                    self.clocks.join(&known.known);
                    self.missing.extend(known.past_cache.0);
                }
            } else {
                let release = node.releases.get(self.releases)?;
                self.releases += 1;
                self.sequence = match release {
                    ReadReleases::One(release) => Releases::one(*release),
                    ReadReleases::Sequence(releases) => releases.clone(),
                };
            }
        }
    }
}

/// Drops long chains of sets without recursion.
impl Drop for ClockNode {
    fn drop(&mut self) {
        let mut bases = take(&mut self.bases);
        while let Some(base) = bases.pop() {
            if let Some(mut node) = base.0.and_then(Arc::into_inner) {
                bases.append(&mut node.bases);
            }
        }
    }
}

/// Clocks that applied to a wave's operations before it invalidated a cache or released. An operation that was issued
/// earlier may take effect later (`--late`).
#[derive(Debug, Default)]
pub(super) struct Former<T>(Vec<(OperationId, T)>);

/// Clocks that happened before loads, and the clock of the last barrier.
pub(super) type FormerClocks = Former<(Arc<OrderedClocks>, u32)>;

/// Maximum number of invalidations or releases tracked.
const MOST_FORMER: usize = 64;

impl<T: Clone> Former<T> {
    /// Adds the clocks that applied to operations before `end`, unless all operations are complete.
    pub(super) fn add(&mut self, end: OperationId, clocks: T, scoreboard: &Scoreboard) {
        if scoreboard.outstanding().next().is_none() {
            self.0.clear();
            return;
        }
        if self.0.len() >= MOST_FORMER {
            self.0.remove(0);
        }
        self.0.push((end, clocks));
    }

    /// Returns the clocks at an operation's issue; `None` if no invalidation or release has followed it.
    pub(super) fn of(&self, operation: Option<OperationId>) -> Option<T> {
        let operation = operation?;
        let (_, clocks) = self.0.iter().find(|(end, _)| operation < *end)?;
        Some(clocks.clone())
    }

    /// Removes all clocks.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Former<u32> {
    /// Adds a wave's own clock, as [`Former::add`] does. If there are too many, operations count as issued before earlier
    /// releases: that may hide a race, but reports none that is not there.
    pub(super) fn add_own(&mut self, end: OperationId, clock: u32, scoreboard: &Scoreboard) {
        if self.0.len() >= MOST_FORMER {
            let (_, oldest) = self.0.remove(0);
            self.0[0].1 = oldest;
        }
        self.add(end, clock, scoreboard);
    }
}

/// A wave's knowledge by clock. A release publishes the knowledge at its clock.
#[derive(Clone, Debug, Default)]
struct History(Vec<(u32, Knowledge)>);

impl History {
    /// Sets the knowledge that applies from `clock` onwards.
    fn push(&mut self, clock: u32, known: Knowledge) {
        match self.0.last_mut() {
            Some(last) if last.0 == clock => last.1 = known,
            _ => self.0.push((clock, known)),
        }
    }

    /// Returns the knowledge at a clock.
    fn at(&self, clock: u32) -> Option<&Knowledge> {
        let after = self.0.partition_point(|(since, _)| *since <= clock);
        Some(&self.0[after.checked_sub(1)?].1)
    }
}

/// Knowledge of the waves of a dispatch.
#[derive(Debug)]
pub(super) struct Histories {
    layout: EntryLayout,
    waves: Mutex<HashMap<u32, History>>,
}

impl Histories {
    pub(super) fn new(layout: EntryLayout) -> Histories {
        Histories {
            layout,
            waves: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, History>> {
        self.waves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the knowledge of a wave from `clock` onwards.
    pub(super) fn learn(&self, wave: u32, clock: u32, knowledge: Knowledge) {
        self.lock().entry(wave).or_default().push(clock, knowledge);
    }

    /// Returns a wave's knowledge at a clock, if it had synchronized with another wave by then.
    pub(super) fn at(&self, wave: u32, clock: u32) -> Option<Knowledge> {
        self.lock().get(&wave)?.at(clock).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::access::{AccessKind, Release};
    use super::*;

    #[test]
    fn clocks_are_the_latest_of_all_that_are_joined() {
        let clocks = |of: &[(u32, u32)]| {
            let mut clocks = OrderedClocks::default();
            for &(wave, clock) in of {
                clocks.add(wave, clock);
            }
            clocks
        };
        let mut known = clocks(&[(40, 3), (7, 2), (u32::MAX, 1)]);
        assert!(!known.add(40, 3) && !known.add(40, 1) && known.add(40, 4));
        assert!(known.has(40, 4) && !known.has(40, 5) && !known.has(41, 0));
        let before = known.clone();
        known.join(&clocks(&[(6, 1), (7, 1), (40, 9), (90, 1)]));
        let all = [(6, 1), (7, 2), (40, 9), (90, 1), (u32::MAX, 1)];
        assert_eq!(known, clocks(&all));
        assert!(before.has(40, 4) && !before.has(40, 9));
        known.join(&before);
        assert_eq!(known, clocks(&all));
    }

    #[test]
    fn history_says_what_was_known_at_a_clock() {
        let known = |wave| {
            let mut known = OrderedClocks::default();
            known.add(wave, 1);
            Knowledge {
                known: Arc::new(known),
                ..Knowledge::default()
            }
        };
        let mut history = History::default();
        assert!(history.at(9).is_none());
        history.push(3, known(1));
        history.push(5, known(2));
        history.push(5, known(3));
        assert!(history.at(2).is_none());
        let has = |clock, wave| history.at(clock).is_some_and(|it| it.known.has(wave, 1));
        assert!(has(4, 1) && !has(4, 2) && has(5, 3) && !has(5, 2));
    }

    #[test]
    fn received_clocks_include_those_of_other_waves() {
        let layout = EntryLayout::new(false);
        let release = |wave, clock| {
            let all = Release {
                to_agent: true,
                to_group: true,
                publishes: true,
            };
            layout
                .entry(wave, 0, clock, 0, AccessKind::Atomic)
                .releasing(all)
        };
        let one = |wave, clock| vec![ReadReleases::One(release(wave, clock))];
        // Wave 8 has received clock 3 of wave 4, and waves 12 and 16 each other's releases.
        let received = |releases| {
            let mut received = ReceivedClocks::default();
            received.receive(releases, 0..0);
            Knowledge {
                past_cache: received,
                ..Knowledge::default()
            }
        };
        let (eight, twelve, sixteen) = (
            received(one(4, 3)),
            received(one(16, 1)),
            received(one(12, 1)),
        );
        let histories = Histories::new(layout);
        for (wave, knowledge) in [(8, &eight), (12, &twelve), (16, &sixteen)] {
            histories.learn(wave, 0, knowledge.clone());
        }
        let mut clocks = ReceivedClocks::default();
        assert!(clocks.is_empty());
        clocks.receive(one(8, 2), 0..4);
        clocks.receive(one(1, 2), 0..4);
        let value = clocks.value(&histories);
        assert!(value.has(8, 2) && value.has(4, 3) && !value.has(4, 4));
        assert!(!value.has(1, 1), "waves 0 to 3 are excluded");
        let mut both = ReceivedClocks::default();
        both.join([&clocks, &twelve.past_cache, &clocks]);
        let value = both.value(&histories);
        assert!(value.has(8, 2) && value.has(16, 1) && value.has(12, 1));
        // Deep chains do not overflow the stack.
        for clock in 0..300_000 {
            clocks.receive(one(20, clock), 0..4);
        }
        assert!(clocks.clone().value(&histories).has(20, 299_999));
    }
}
