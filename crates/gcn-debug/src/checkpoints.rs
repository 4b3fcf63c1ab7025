//! Checkpoints: saved states to which a launch can return.
//!
//! Checkpoints are taken between workgroup turns, at least a minimum interval apart. If there are too many, some are
//! dropped: the farther a checkpoint is from the current position, the larger a gap its removal may leave. Gaps thus
//! grow in proportion to the distance, and the number of checkpoints grows with the logarithm of the distance.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gcn_emu::memory::Memory;
use gcn_emu::observe::{self, Dispatched, Resting};
use gcn_emu::step::Step;
use gcn_isa::Does;
use gcn_isa::effect::Clock;

use crate::pages::Pages;
use crate::past::Moment;
use crate::store_log::StoreLog;

const MAX_CHECKPOINTS: usize = 256;
/// Minimum interval between checkpoints, as a multiple of the time needed to take one.
const COST: u32 = 8;

/// Minimum number of instructions between clock reads.
const CLOCK_INTERVAL: u64 = 1 << 14;

/// Recording limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recording {
    /// Minimum time between checkpoints. The interval is longer if taking a checkpoint is slow. With zero, a checkpoint
    /// is taken before each turn of a workgroup.
    pub interval: Duration,
    /// Maximum total size of checkpoints in bytes, excluding the first one, which contains all of memory.
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

/// Memory contents at a checkpoint.
#[derive(Debug)]
enum SavedMemory {
    Image(Pages),
    /// Undo log, by number of the interval that begins at the checkpoint.
    Log(u64),
}

/// State of a launch before a workgroup's turn.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) run: Arc<observe::Checkpoint>,
    memory: SavedMemory,
    /// Number of the turn.
    pub(crate) turn: u64,
    /// Number of user changes made before the checkpoint.
    pub(crate) changes: usize,
}

impl Checkpoint {
    /// True if the checkpoint precedes `moment`. A wave missing from the checkpoint counts as not yet started.
    fn is_before(&self, moment: Moment) -> bool {
        let wave = self.run.wave(moment.wave);
        wave.is_none_or(|wave| wave.executed < moment.executed)
    }

    fn image(&self) -> Option<&Pages> {
        match &self.memory {
            SavedMemory::Image(pages) => Some(pages),
            SavedMemory::Log(_) => None,
        }
    }

    fn own_bytes(&self) -> usize {
        self.run.bytes() + self.image().map_or(0, Pages::own_bytes)
    }

    /// Returns the size in bytes, excluding memory pages shared with an earlier checkpoint.
    pub(crate) fn bytes_besides(&self, earlier: &Checkpoint) -> usize {
        let images = self.image().zip(earlier.image());
        self.run.bytes() + images.map_or(0, |(own, earlier)| own.bytes_besides(earlier))
    }

    /// Restores memory, if the checkpoint contains an image.
    pub(crate) fn restore_memory(&self, memory: &Memory) {
        if let Some(image) = self.image() {
            image.restore(memory);
        }
    }
}

/// Reason why a launch cannot be recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unrecordable {
    /// Memory exceeds the size limit.
    Memory,
    /// The log has exceeded its size limit.
    Stores,
    /// The kernel makes host calls, and the host's state for them cannot be saved.
    HostCalls,
    /// The kernel has executed a nondeterministic instruction, described by this message.
    Instruction(&'static str),
}

/// Returns the reason why a launch cannot be repeated, or `None` if it can. `has_host` is true for launches of a host
/// program, which receives the kernel's messages.
pub(crate) fn unrepeatable(run: &Dispatched<'_>, has_host: bool) -> Option<&'static str> {
    let reason = |step: &Step| match step.inst.does() {
        Does::Time(Clock::Reference) => {
            Some("the kernel reads the real-time clock, which has another value each time")
        }
        _ if has_host && step.is_message() => {
            Some("the kernel calls the host, whose code cannot go back")
        }
        _ => None,
    };
    run.code.executed().find_map(reason)
}

/// Checkpoints in chronological order.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    all: Vec<Checkpoint>,
    /// Memory image from an earlier launch, with which the first checkpoint shares pages.
    before: Option<Pages>,
    /// Undo log of stores, used instead of memory images.
    log: Option<StoreLog>,
    recording: Recording,
    /// Lower bound for the size of all checkpoints except the first, without the log.
    bytes: usize,
    /// Time at which a checkpoint was last taken or restored.
    last: Instant,
    /// Instruction count of the launch at the last clock read.
    measured_at: u64,
    /// Time spent taking the last checkpoint.
    cost: Duration,
}

impl Checkpoints {
    pub(crate) fn new(recording: Recording, log: Option<StoreLog>) -> Checkpoints {
        if let Some(log) = &log {
            log.begin(recording.bytes);
        }
        Checkpoints {
            all: Vec::new(),
            before: None,
            log,
            recording,
            bytes: 0,
            last: Instant::now(),
            measured_at: 0,
            cost: Duration::ZERO,
        }
    }

    /// Drops all checkpoints, and returns the first. Keeps the last memory image, so that checkpoints of the next
    /// launch can share its pages.
    pub(crate) fn begin_launch(&mut self) -> Option<Checkpoint> {
        let last = self.all.last().and_then(|it| it.image().cloned());
        let all = std::mem::take(&mut self.all);
        *self = Checkpoints {
            before: last.or(self.before.take()),
            ..Checkpoints::new(self.recording, self.log.take())
        };
        all.into_iter().next()
    }

    pub(crate) fn max_bytes(&self) -> usize {
        self.recording.bytes
    }

    /// Returns the checkpoint at the start of the launch.
    pub(crate) fn first(&self) -> Option<&Checkpoint> {
        self.all.first()
    }

    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.bytes = 0;
        if let Some(log) = &self.log {
            log.begin(self.recording.bytes);
        }
    }

    /// Drops all checkpoints and stops logging stores, for a launch that cannot go back.
    pub(crate) fn stop(&mut self) {
        self.clear();
        if let Some(log) = &self.log {
            log.begin(0);
        }
    }

    pub(crate) fn log(&self) -> Option<&StoreLog> {
        self.log.as_ref()
    }

    /// True for launches of a host program, whose code runs concurrently with kernels.
    pub(crate) fn has_host(&self) -> bool {
        self.log.is_some()
    }

    pub(crate) fn misses_stores(&self) -> bool {
        self.log.as_ref().is_some_and(StoreLog::is_full)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of checkpoints, and the size in bytes of all except the first.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.all.len(), self.all_bytes())
    }

    fn all_bytes(&self) -> usize {
        self.bytes + self.log.as_ref().map_or(0, StoreLog::bytes)
    }

    /// Returns the number of checkpoints taken up to and including a turn.
    fn count_until(&self, turn: u64) -> usize {
        self.all.partition_point(|it| it.turn <= turn)
    }

    /// Takes a checkpoint before a turn if one is due.
    ///
    /// # Errors
    /// Fails if the launch cannot be recorded.
    pub(crate) fn record(
        &mut self,
        (memory, run): (&Memory, &Resting<'_>),
        (turn, changes): (u64, usize),
    ) -> Result<(), Unrecordable> {
        let interval = match self.recording.interval {
            Duration::ZERO => Duration::ZERO,
            interval => interval.max(self.cost * COST),
        };
        let instructions = run.instructions();
        let is_last = self.all.last().is_some_and(|it| it.turn < turn);
        if is_last
            && !interval.is_zero()
            && instructions.abs_diff(self.measured_at) < CLOCK_INTERVAL
        {
            return Ok(());
        }
        self.measured_at = instructions;
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
        if let Some(reason) = unrepeatable(run.dispatched(), self.has_host()) {
            return Err(Unrecordable::Instruction(reason));
        }
        let begin = Instant::now();
        let run = Arc::new(run.save().ok_or(Unrecordable::HostCalls)?);
        let (memory, bytes) = match &self.log {
            Some(log) if log.is_full() => return Err(Unrecordable::Stores),
            Some(log) => (SavedMemory::Log(log.begin_interval()), 0),
            None => {
                let earlier = earlier.and_then(Checkpoint::image).or(self.before.as_ref());
                let (pages, bytes) = Pages::take(memory, earlier).ok_or(Unrecordable::Memory)?;
                (SavedMemory::Image(pages), bytes)
            }
        };
        if place > 0 {
            self.bytes += bytes + run.bytes();
        }
        let here = run.instructions();
        let checkpoint = Checkpoint {
            run,
            memory,
            turn,
            changes,
        };
        self.all.insert(place, checkpoint);
        self.thin(here);
        self.last = Instant::now();
        self.cost = self.last - begin;
        Ok(())
    }

    /// Drops checkpoints until the limits are met. Keeps the first checkpoint, and at least two in total.
    fn thin(&mut self, here: u64) {
        let max_bytes = match self.log {
            // Reserve the rest for the interval in progress.
            Some(_) => self.recording.bytes / 2,
            None => self.recording.bytes,
        };
        while self.all.len() > 2
            && (self.all.len() > MAX_CHECKPOINTS || self.all_bytes() > max_bytes)
        {
            let position = |place: usize| self.all.get(place).map(|it| it.run.instructions());
            // Gap left by dropping the checkpoint, relative to its distance from the current position.
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
            self.remove(place);
        }
    }

    fn remove(&mut self, place: usize) {
        let dropped = self.all.remove(place);
        self.bytes = self.bytes.saturating_sub(dropped.own_bytes());
        if let (SavedMemory::Log(interval), Some(log)) = (dropped.memory, &self.log) {
            log.join(interval);
        }
    }

    /// Keeps only the checkpoints that satisfy a predicate.
    fn retain(&mut self, keep: impl Fn(&Checkpoint) -> bool) {
        for place in (0..self.all.len()).rev() {
            if !keep(&self.all[place]) {
                self.remove(place);
            }
        }
    }

    /// Drops the checkpoints of later turns.
    pub(crate) fn drop_after(&mut self, turn: u64) {
        self.retain(|it| it.turn <= turn);
    }

    /// Drops the checkpoints taken after more than `count` user changes.
    pub(crate) fn drop_changed(&mut self, count: usize) {
        self.retain(|it| it.changes <= count);
    }

    /// Returns the last checkpoint up to and including a turn.
    pub(crate) fn until(&self, turn: u64) -> Option<&Checkpoint> {
        self.all[..self.count_until(turn)].last()
    }

    /// Returns the last checkpoint before a turn, or else the first one.
    pub(crate) fn ahead_of(&self, turn: u64) -> Option<&Checkpoint> {
        self.until(turn.saturating_sub(1)).or(self.all.first())
    }

    /// Returns the last checkpoint up to a turn and before an instruction count, or else the first one.
    pub(crate) fn below(&self, turn: u64, instructions: u64) -> Option<&Checkpoint> {
        let until = self.all[..self.count_until(turn)].iter();
        let mut below = until.filter(|it| it.run.instructions() < instructions);
        below.next_back().or(self.all.first())
    }

    /// Returns the last checkpoint up to a turn that precedes `moment`, or else the first one.
    pub(crate) fn before(&self, turn: u64, moment: Moment) -> Option<&Checkpoint> {
        let until = self.all[..self.count_until(turn)].iter();
        let mut before = until.filter(|it| it.is_before(moment));
        before.next_back().or(self.all.first())
    }

    /// True if no checkpoint is earlier than `turn`.
    pub(crate) fn is_first(&self, turn: u64) -> bool {
        self.all.first().is_none_or(|it| turn <= it.turn)
    }

    /// Restores memory from the first checkpoint.
    pub(crate) fn restore_first(&mut self, memory: &Memory) {
        if !self.all.is_empty() {
            self.restore_at(0, memory);
        }
    }

    /// Restores memory from the last checkpoint up to a turn, and returns the checkpoint.
    pub(crate) fn restore(&mut self, turn: u64, memory: &Memory) -> Option<&Checkpoint> {
        let place = self.count_until(turn).checked_sub(1)?;
        self.restore_at(place, memory);
        self.last = Instant::now();
        Some(&self.all[place])
    }

    fn restore_at(&mut self, place: usize, memory: &Memory) {
        match (&self.all[place].memory, &self.log) {
            (SavedMemory::Image(pages), _) => pages.restore(memory),
            (SavedMemory::Log(interval), Some(log)) => {
                log.undo(memory, *interval);
                // The log cannot redo stores, so later checkpoints are lost. The replay takes new ones.
                for dropped in self.all.drain(place + 1..) {
                    self.bytes = self.bytes.saturating_sub(dropped.own_bytes());
                }
            }
            (SavedMemory::Log(_), None) => {}
        }
    }
}
