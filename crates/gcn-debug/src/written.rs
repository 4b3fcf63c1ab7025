//! Bytes that a launch has written, for going back in a program whose host code uses the same memory.
//!
//! While a kernel runs, other threads of the program may copy to other buffers, queue launches or complete signals. Going
//! back must undo the stores of the launch and nothing else. An observer of stores and atomics therefore marks the bytes
//! that they write.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::fault::Intent;
use gcn_emu::memory::Memory;
use gcn_emu::observe::{Context, Events, LaneSpace, MemoryEvent, Observer, WaveObserver};
use gcn_emu::wave::active;

/// Size of a page in bytes.
const PAGE_BYTES: u64 = 4096;
/// Number of marks in a word.
const WORD: u64 = u64::BITS as u64;

/// Marks of a page, one bit for each byte.
type Marks = [u64; (PAGE_BYTES / WORD) as usize];

/// Observer that marks the bytes written by a launch. Clones share the marks.
///
/// # Examples
/// See [`Setup::written`](crate::Setup::written).
#[derive(Clone, Debug, Default)]
pub struct WrittenMemory {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Marks of pages by page number.
    pages: HashMap<u64, Box<Marks>>,
    /// True if the launch has written host memory that is registered for kernels, which is not saved.
    has_foreign: bool,
}

impl WrittenMemory {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes all marks, for the next launch.
    pub(crate) fn clear(&self) {
        *self.state() = State::default();
    }

    /// True if the launch has written memory that is not saved.
    pub(crate) fn has_foreign(&self) -> bool {
        self.state().has_foreign
    }

    /// Writes the marked bytes among `bytes` to memory. The first of them belongs at `address`, the start of a page.
    pub(crate) fn restore(&self, memory: &Memory, address: u64, bytes: &[u8]) {
        let state = self.state();
        for (bytes, address) in bytes
            .chunks(PAGE_BYTES as usize)
            .zip((address..).step_by(PAGE_BYTES as usize))
        {
            let Some(marks) = state.pages.get(&(address / PAGE_BYTES)) else {
                continue;
            };
            for (address, (at, byte)) in (address..).zip(bytes.iter().enumerate()) {
                if marks[at / WORD as usize] >> (at % WORD as usize) & 1 != 0 {
                    memory.store_u8(address, *byte);
                }
            }
        }
    }
}

impl State {
    /// Marks `len` bytes at an address.
    fn mark(&mut self, memory: &Memory, mut address: u64, mut len: u64) {
        while len > 0 {
            let page = address / PAGE_BYTES;
            let first = address % PAGE_BYTES;
            let count = len.min(WORD - first % WORD);
            let has_foreign = &mut self.has_foreign;
            let marks = self.pages.entry(page).or_insert_with(|| {
                *has_foreign |= memory.find(address, 1).is_none();
                Box::new([0; (PAGE_BYTES / WORD) as usize])
            });
            let bits = u64::MAX >> (WORD - count) << (first % WORD);
            marks[(first / WORD) as usize] |= bits;
            address = address.wrapping_add(count);
            len -= count;
        }
    }
}

impl Observer for WrittenMemory {
    fn wants(&self) -> Events {
        Events::STORED
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(self.clone()))
    }
}

impl WaveObserver for WrittenMemory {
    fn accessed(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        if matches!(event.intent(), None | Some(Intent::Load)) {
            return;
        }
        let access = event.access();
        let memory = &context.dispatched.device.memory;
        let bytes = match access.scalar {
            true if access.dwords_in_bounds != 0 => 4 * access.dwords_in_bounds,
            _ => access.bytes,
        };
        let mut state = self.state();
        for lane in active(access.lanes()) {
            if access.space(lane) == Some(LaneSpace::Global) {
                state.mark(memory, access.address[lane], bytes.into());
            } else {
                // Rows of scratch and of swizzled buffers are not contiguous.
                let places = (0..bytes).filter_map(|at| access.place(lane, at.into()));
                places.for_each(|address| state.mark(memory, address, 1));
            }
        }
    }
}
