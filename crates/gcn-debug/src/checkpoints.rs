//! Checkpoints of a launch: states to which it can return.
//!
//! A checkpoint is taken between two turns of workgroups once an interval of time has passed. If there are too many, some are dropped:
//! the further a checkpoint is from where the launch is, the larger may the gap be that it leaves. Gaps therefore grow in proportion to
//! the distance, and the number of checkpoints with its logarithm.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gcn_emu::memory::Memory;
use gcn_emu::observe::{self, Resting};
use gcn_emu::step::Step;
use gcn_isa::Does;
use gcn_isa::effect::Clock;

use crate::pages::Pages;
use crate::past::Moment;

/// Maximum number of checkpoints.
const MAX_CHECKPOINTS: usize = 256;
/// Share of the time between two checkpoints that it may take to make one: a fourth.
const COST: u32 = 4;

/// Limits of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recording {
    /// Minimum time between checkpoints. It is longer for launches whose memory takes long to compare. Zero takes one before
    /// each turn of a workgroup.
    pub interval: Duration,
    /// Maximum size of all checkpoints in bytes, besides the first one, which has all of memory.
    pub bytes: usize,
}

impl Default for Recording {
    fn default() -> Recording {
        Recording {
            interval: Duration::from_millis(10),
            bytes: 256 << 20,
        }
    }
}

/// State of a launch before a turn of a workgroup.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) run: Arc<observe::Checkpoint>,
    pages: Pages,
    /// Number of the turn.
    pub(crate) turn: u64,
    /// Number of changes by the user before it.
    pub(crate) changes: usize,
}

impl Checkpoint {
    /// True if a wave that has begun before the present, and has not ended, comes to a moment after the checkpoint.
    fn is_before(&self, moment: Moment) -> bool {
        let wave = self.run.wave(moment.wave);
        wave.is_none_or(|wave| wave.executed < moment.executed)
    }

    fn own_bytes(&self) -> usize {
        self.run.bytes() + self.pages.own_bytes()
    }
}

/// Reason why a launch cannot be recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unrecordable {
    /// Memory exceeds the limit of what is kept.
    Memory,
    /// The host's side of the kernel's calls cannot be saved.
    HostCalls,
    /// The kernel reads a clock of the host.
    Clock,
}

/// True if an instruction reads a clock that does not depend on the run alone.
pub(crate) fn reads_clock(step: &Step) -> bool {
    matches!(step.inst.does(), Does::Time(Clock::Reference))
}

/// Checkpoints in the order of time.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    all: Vec<Checkpoint>,
    recording: Recording,
    /// Size of all but the first, at least.
    bytes: usize,
    /// Time at which a checkpoint was last taken or returned to.
    last: Instant,
    /// Time that it took to take the last one.
    cost: Duration,
}

impl Checkpoints {
    pub(crate) fn new(recording: Recording) -> Checkpoints {
        Checkpoints {
            all: Vec::new(),
            recording,
            bytes: 0,
            last: Instant::now(),
            cost: Duration::ZERO,
        }
    }

    /// Drops all checkpoints.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.bytes = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Number of checkpoints, and their size in bytes besides memory in the first one.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.all.len(), self.bytes)
    }

    /// Number of checkpoints up to a turn.
    fn count_until(&self, turn: u64) -> usize {
        self.all.partition_point(|it| it.turn <= turn)
    }

    /// Takes a checkpoint ahead of a turn if it is time for one.
    ///
    /// # Errors
    /// The launch cannot be recorded.
    pub(crate) fn record(
        &mut self,
        (memory, run): (&Memory, &Resting<'_>),
        turn: u64,
        changes: usize,
    ) -> Result<(), Unrecordable> {
        let interval = match self.recording.interval {
            Duration::ZERO => Duration::ZERO,
            interval => interval.max(self.cost * COST),
        };
        let place = self.count_until(turn);
        let earlier = place.checked_sub(1).map(|it| &self.all[it]);
        let is_known = earlier.is_some_and(|it| it.turn == turn);
        if is_known {
            self.last = Instant::now();
        }
        let is_due = earlier.is_none() || self.last.elapsed() >= interval;
        if is_known || !is_due {
            return Ok(());
        }
        if run.dispatched().code.executed().any(reads_clock) {
            return Err(Unrecordable::Clock);
        }
        let begin = Instant::now();
        let earlier = earlier.map(|it| &it.pages);
        let (pages, bytes) = Pages::take(memory, earlier).ok_or(Unrecordable::Memory)?;
        let run = Arc::new(run.save().ok_or(Unrecordable::HostCalls)?);
        if place > 0 {
            self.bytes += bytes + run.bytes();
        }
        let here = run.instructions();
        let checkpoint = Checkpoint {
            run,
            pages,
            turn,
            changes,
        };
        self.all.insert(place, checkpoint);
        self.thin(here);
        self.last = Instant::now();
        self.cost = self.last - begin;
        Ok(())
    }

    /// Drops checkpoints until the others are within the limits. The first one stays.
    fn thin(&mut self, here: u64) {
        while self.all.len() > 2
            && (self.all.len() > MAX_CHECKPOINTS || self.bytes > self.recording.bytes)
        {
            let position = |place: usize| self.all.get(place).map(|it| it.run.instructions());
            // Gap without the checkpoint, relative to its distance.
            let gap = |place: &usize| {
                let own = position(*place).unwrap_or(here);
                let next = position(place + 1).unwrap_or(here.max(own));
                let previous = position(place - 1).unwrap_or(0);
                (next - previous) as f64 / (own.abs_diff(here) + 1) as f64
            };
            let places = 1..self.all.len();
            let Some(place) = places.min_by(|a, b| gap(a).total_cmp(&gap(b))) else {
                return;
            };
            let dropped = self.all.remove(place);
            self.bytes = self.bytes.saturating_sub(dropped.own_bytes());
        }
    }

    /// Drops the checkpoints that do not satisfy a predicate.
    fn retain(&mut self, keep: impl Fn(&Checkpoint) -> bool) {
        for place in (0..self.all.len()).rev() {
            if !keep(&self.all[place]) {
                let dropped = self.all.remove(place);
                self.bytes = self.bytes.saturating_sub(dropped.own_bytes());
            }
        }
    }

    /// Drops the checkpoints after a turn has begun.
    pub(crate) fn drop_after(&mut self, turn: u64) {
        self.retain(|it| it.turn <= turn);
    }

    /// Drops the checkpoints after the first `count` changes by the user.
    pub(crate) fn drop_changed(&mut self, count: usize) {
        self.retain(|it| it.changes <= count);
    }

    /// Last checkpoint up to a turn; `None` if there is none at all.
    pub(crate) fn until(&self, turn: u64) -> Option<&Checkpoint> {
        self.all[..self.count_until(turn)].last()
    }

    /// Last checkpoint ahead of a turn; the first one if there is none.
    pub(crate) fn ahead_of(&self, turn: u64) -> Option<&Checkpoint> {
        self.until(turn.saturating_sub(1)).or(self.all.first())
    }

    /// Last checkpoint up to a turn with fewer instructions than given; the first one if there is none.
    pub(crate) fn below(&self, turn: u64, instructions: u64) -> Option<&Checkpoint> {
        let until = self.all[..self.count_until(turn)].iter();
        let mut below = until.filter(|it| it.run.instructions() < instructions);
        below.next_back().or(self.all.first())
    }

    /// Last checkpoint up to a turn from which a moment of a running wave lies ahead; the first one if there is none.
    pub(crate) fn before(&self, turn: u64, moment: Moment) -> Option<&Checkpoint> {
        let until = self.all[..self.count_until(turn)].iter();
        let mut before = until.filter(|it| it.is_before(moment));
        before.next_back().or(self.all.first())
    }

    /// True if a turn is the first one with a checkpoint.
    pub(crate) fn is_first(&self, turn: u64) -> bool {
        self.all.first().is_none_or(|it| turn <= it.turn)
    }

    /// Writes the memory of the first checkpoint back.
    pub(crate) fn restore_first(&self, memory: &Memory) {
        if let Some(first) = self.all.first() {
            first.pages.restore(memory);
        }
    }

    /// Writes the memory of the last checkpoint up to a turn back, and returns the checkpoint.
    pub(crate) fn restore(&mut self, turn: u64, memory: &Memory) -> Option<&Checkpoint> {
        let place = self.count_until(turn).checked_sub(1)?;
        self.all[place].pages.restore(memory);
        self.last = Instant::now();
        Some(&self.all[place])
    }
}
