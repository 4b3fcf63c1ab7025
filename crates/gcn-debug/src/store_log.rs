//! Undo log of stores, for reverse execution in a program whose host code shares memory with its kernels.
//!
//! While a kernel runs, other threads of the program may copy to other buffers, queue launches or complete signals.
//! Reverse execution must undo the stores of the launch and nothing else. An observer therefore saves the bytes that
//! each store or atomic is about to overwrite.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::fault::Intent;
use gcn_emu::memory::Memory;
use gcn_emu::observe::{Context, Events, LaneSpace, MemoryEvent, Observer, Verdict, WaveObserver};
use gcn_emu::wave::active;

const PAGE_BYTES: usize = 4096;
/// Number of bytes covered by a word of `marks`.
const WORD: usize = u64::BITS as usize;

/// Undo log of the stores of a launch. Clones share the log. All runs of the launch must have it as an observer.
///
/// Checkpoints divide the log into intervals. An interval holds the initial value of each byte that is overwritten
/// during the interval. See [`Setup::log`](crate::Setup::log).
#[derive(Clone, Debug, Default)]
pub struct StoreLog {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// Intervals in chronological order, with their numbers. The last interval is in progress.
    intervals: Vec<(u64, Interval)>,
    /// Number of the next interval.
    next: u64,
    /// Number of saved pages.
    pages: usize,
    /// Maximum number of saved pages.
    max_pages: usize,
}

impl Default for State {
    fn default() -> State {
        State {
            intervals: vec![(0, Interval::default())],
            next: 1,
            pages: 0,
            max_pages: usize::MAX,
        }
    }
}

/// Bytes overwritten between two checkpoints.
#[derive(Debug, Default)]
struct Interval {
    /// Index in `saved`, by page number.
    places: HashMap<u64, usize>,
    saved: Vec<SavedPage>,
    /// Number of the most recently used page, and its index in `saved`.
    last: Option<(u64, usize)>,
}

/// Overwritten bytes of a page.
#[derive(Debug)]
struct SavedPage {
    number: u64,
    bytes: Box<[u8; PAGE_BYTES]>,
    /// One bit per byte, set if the byte has been saved.
    marks: [u64; PAGE_BYTES / WORD],
}

impl SavedPage {
    fn new(number: u64) -> SavedPage {
        SavedPage {
            number,
            bytes: Box::new([0; PAGE_BYTES]),
            marks: [0; PAGE_BYTES / WORD],
        }
    }

    fn has(&self, at: usize) -> bool {
        self.marks[at / WORD] >> (at % WORD) & 1 != 0
    }

    fn offsets(&self) -> impl Iterator<Item = usize> {
        (0..PAGE_BYTES).filter(|at| self.has(*at))
    }

    fn save(&mut self, at: usize, byte: u8) {
        self.bytes[at] = byte;
        self.marks[at / WORD] |= 1 << (at % WORD);
    }
}

impl Interval {
    /// Returns the page with this number, and true if it is new.
    fn page(&mut self, number: u64) -> (&mut SavedPage, bool) {
        if let Some((last, place)) = self.last
            && last == number
        {
            return (&mut self.saved[place], false);
        }
        let count = self.saved.len();
        let place = *self.places.entry(number).or_insert(count);
        if place == count {
            self.saved.push(SavedPage::new(number));
        }
        self.last = Some((number, place));
        (&mut self.saved[place], place == count)
    }

    /// Saves `len` bytes that a store is about to overwrite, except unmapped and already saved bytes. Returns the
    /// number of new pages.
    fn save(&mut self, memory: &Memory, mut address: u64, mut len: u64) -> usize {
        let mut new_pages = 0;
        while len > 0 {
            let (page, is_new) = self.page(address / PAGE_BYTES as u64);
            new_pages += usize::from(is_new);
            let first = (address % PAGE_BYTES as u64) as usize;
            let count = len.min((WORD - first % WORD) as u64);
            let bits = u64::MAX >> (WORD as u64 - count) << (first % WORD);
            if page.marks[first / WORD] & bits != bits {
                for offset in 0..count {
                    let at = first + offset as usize;
                    if !page.has(at)
                        && let Some(byte) = memory.load_u8(address + offset)
                    {
                        page.save(at, byte);
                    }
                }
            }
            address = address.wrapping_add(count);
            len -= count;
        }
        new_pages
    }

    /// Merges the next interval into this one. Returns the number of pages that both contain.
    fn append(&mut self, next: Interval) -> usize {
        let mut shared = 0;
        for later in next.saved {
            let (page, is_new) = self.page(later.number);
            shared += usize::from(!is_new);
            for at in later.offsets() {
                if !page.has(at) {
                    page.save(at, later.bytes[at]);
                }
            }
        }
        shared
    }
}

impl StoreLog {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the log and sets its size limit in bytes.
    pub(crate) fn begin(&self, max_bytes: usize) {
        *self.state() = State {
            max_pages: max_bytes / PAGE_BYTES,
            ..State::default()
        };
    }

    /// Saves the bytes that a user change is about to overwrite.
    pub(crate) fn save(&self, memory: &Memory, address: u64, len: u64) {
        let mut guard = self.state();
        let state = &mut *guard;
        if let Some((_, interval)) = state.intervals.last_mut() {
            state.pages += interval.save(memory, address, len);
        }
    }

    /// True if the log has exceeded its limit and therefore misses stores.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.state();
        state.pages > state.max_pages
    }

    pub(crate) fn bytes(&self) -> usize {
        self.state().pages * PAGE_BYTES
    }

    /// Starts an interval and returns its number.
    pub(crate) fn begin_interval(&self) -> u64 {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.intervals.push((number, Interval::default()));
        number
    }

    /// Merges an interval into the preceding one.
    pub(crate) fn join(&self, number: u64) {
        let mut guard = self.state();
        let state = &mut *guard;
        let place = state.intervals.iter().position(|it| it.0 == number);
        if let Some(place) = place.filter(|place| *place > 0) {
            let (_, later) = state.intervals.remove(place);
            state.pages -= state.intervals[place - 1].1.append(later);
        }
    }

    /// Undoes all stores since the start of an interval, except to memory that has been freed.
    pub(crate) fn undo(&self, memory: &Memory, number: u64) {
        let mut guard = self.state();
        let state = &mut *guard;
        while let Some((last, interval)) = state.intervals.pop() {
            state.pages -= interval.saved.len();
            for page in &interval.saved {
                for at in page.offsets() {
                    let address = page.number * PAGE_BYTES as u64 + at as u64;
                    memory.store_u8(address, page.bytes[at]);
                }
            }
            if last <= number || state.intervals.is_empty() {
                state.intervals.push((last, Interval::default()));
                return;
            }
        }
    }

    /// Undoes all stores of the launch.
    pub(crate) fn undo_all(&self, memory: &Memory) {
        self.undo(memory, 0);
    }
}

impl Observer for StoreLog {
    fn wants(&self) -> Events {
        Events::STORES
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(self.clone()))
    }
}

impl WaveObserver for StoreLog {
    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        if matches!(event.intent(), None | Some(Intent::Load)) {
            return Verdict::Allow;
        }
        let access = event.access();
        let memory = &context.dispatched.device.memory;
        let mut guard = self.state();
        let state = &mut *guard;
        if state.pages > state.max_pages {
            return Verdict::Allow;
        }
        let Some((_, interval)) = state.intervals.last_mut() else {
            return Verdict::Allow;
        };
        for lane in active(access.lanes()) {
            if access.space(lane) == Some(LaneSpace::Global) {
                state.pages += interval.save(memory, access.address[lane], access.bytes.into());
            } else {
                // Scratch and swizzled buffers are interleaved, so an access may not be contiguous.
                let places = (0..access.bytes).filter_map(|at| access.place(lane, at.into()));
                for address in places {
                    state.pages += interval.save(memory, address, 1);
                }
            }
        }
        Verdict::Allow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_undone_and_others_are_kept() -> Result<(), Box<dyn std::error::Error>> {
        let memory = Memory::new();
        let base = memory.allocate("numbers", 3 * PAGE_BYTES as u64)?;
        let log = StoreLog::default();
        log.begin(1 << 20);
        let store = |at: u64, value: u32| {
            log.save(&memory, base + at, 4);
            memory.store_u32(base + at, value);
        };
        let values = || [0, 4, 4094, 8192].map(|at| memory.load_u32(base + at));
        let first = log.begin_interval();
        store(0, 1);
        // This store spans two pages.
        store(4094, 2);
        let second = log.begin_interval();
        store(0, 3);
        store(8192, 4);
        // Host writes are not logged.
        memory.store_u32(base + 4, 5);
        let third = log.begin_interval();
        store(0, 6);
        store(8192, 7);
        assert_eq!(log.bytes(), 6 * PAGE_BYTES);
        assert_eq!(values(), [6, 5, 2, 7].map(Some));
        log.join(third);
        assert_eq!(log.bytes(), 4 * PAGE_BYTES);
        log.undo(&memory, second);
        assert_eq!(values(), [1, 5, 2, 0].map(Some));
        store(0, 8);
        log.undo(&memory, second);
        assert_eq!(values(), [1, 5, 2, 0].map(Some));
        log.undo(&memory, first);
        assert_eq!(values(), [0, 5, 0, 0].map(Some));
        assert_eq!((log.bytes(), log.is_full()), (0, false));
        Ok(())
    }
}
