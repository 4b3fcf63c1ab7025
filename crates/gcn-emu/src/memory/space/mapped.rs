//! Reserved addresses, and shared memory mapped there.

use std::ops::Range;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering::Release;

use super::reservation::{Reservation, shared_bytes};
use super::{AddressSpace, Live, PAGE, SpaceState};
use crate::memory::allocation::{AllocError, FreeError, MapError};
use crate::memory::change::MemoryChangeKind;
use crate::memory::layout::ALIGNMENT;
use crate::memory::shared::SharedMemory;

/// Number of bytes copied at a time.
const COPIED: usize = 1 << 20;

impl AddressSpace {
    pub(in crate::memory) fn reserve(
        &self,
        name: &str,
        bytes: u64,
        align: u64,
    ) -> Result<u64, AllocError> {
        let mut state = self.state();
        let place = state.find_place(name, bytes, align)?;
        state.take_place(name, &place, bytes)?;
        let reservation = Reservation::new(place.base + bytes);
        state.reserved.insert(place.base, reservation);
        Ok(place.base)
    }

    pub(in crate::memory) fn unreserve(&self, address: u64) -> Result<(), FreeError> {
        let mut state = self.state();
        let is_empty = |it: &Reservation| it.mapped.is_empty();
        if !state.reserved.get(&address).is_some_and(is_empty) {
            return Err(FreeError(address));
        }
        let reservation = state.reserved.remove(&address);
        if let Some(Reservation { end, .. }) = reservation {
            state.leave_place(address, end - address);
        }
        Ok(())
    }

    pub(in crate::memory) fn map(
        &self,
        name: &str,
        range: Range<u64>,
        (memory, offset): (&SharedMemory, u64),
    ) -> Result<(), MapError> {
        let wrong = |reason| MapError::Range {
            base: range.start,
            len: range.end.wrapping_sub(range.start),
            reason,
        };
        let is_whole = |n: u64| n.is_multiple_of(ALIGNMENT);
        if range.is_empty() || !is_whole(range.start) || !is_whole(range.end) {
            return Err(wrong("is not a multiple of 64 KiB"));
        }
        let len = range.end - range.start;
        let is_in_file = offset.is_multiple_of(PAGE)
            && offset
                .checked_add(len)
                .is_some_and(|end| end <= memory.bytes());
        if !is_in_file {
            return Err(wrong("is longer than the memory to be mapped there"));
        }
        let mut state = self.state();
        let found = state.reserved.range_mut(..=range.start).next_back();
        let Some((&of, reservation)) = found.filter(|(_, it)| range.end <= it.end) else {
            return Err(wrong("is not reserved"));
        };
        let before = reservation.mapped.range(..range.end).next_back();
        if before.is_some_and(|(_, end)| *end > range.start) {
            return Err(wrong("is mapped already"));
        }
        let host = state
            .range
            .as_ref()
            .ok_or_else(|| wrong("is not reserved"))?;
        host.map_file(range.start, len, (memory.file(), offset))
            .map_err(MapError::Host)?;
        if let Some(reservation) = state.reserved.get_mut(&of) {
            reservation.mapped.insert(range.start, range.end);
        }
        state.live.insert(
            range.start,
            Live {
                name: name.into(),
                len,
                host_has_written: true,
                executable: Vec::new(),
                shared: None,
                entry: null_mut(),
            },
        );
        self.update_table(&mut state, of);
        drop(state);
        self.report(MemoryChangeKind::Allocated, range.start, len, name);
        Ok(())
    }

    pub(in crate::memory) fn unmap(&self, address: u64) -> Result<(), FreeError> {
        let mut state = self.state();
        let found = state.reserved.range_mut(..=address).next_back();
        let removed = found.and_then(|(of, it)| Some((*of, it.mapped.remove(&address)?)));
        let (of, end) = removed.ok_or(FreeError(address))?;
        let live = state.live.remove(&address).ok_or(FreeError(address))?;
        for cell in self.cells(address, end - address - 1) {
            cell.store(null_mut(), Release);
        }
        self.update_table(&mut state, of);
        self.frees.fetch_add(1, Release);
        if let Some(host) = &state.range {
            host.unmap_file(address, end - address);
        }
        state.note_freed(&live, address);
        drop(state);
        self.report(MemoryChangeKind::Freed, address, end - address, &live.name);
        Ok(())
    }

    /// Creates a new entry for each run of mappings. Old entries stay unchanged, since a thread may still read them.
    fn update_table(&self, state: &mut SpaceState, reservation: u64) {
        let runs = state.reserved.get(&reservation).map(Reservation::runs);
        for run in runs.unwrap_or_default() {
            let entry = state.entry(run.clone());
            for cell in self.cells(run.start, run.end - run.start - 1) {
                cell.store(entry, Release);
            }
        }
    }

    /// Makes the memory of an allocation mappable by other processes and returns it. Concurrent stores by kernels may
    /// be lost.
    pub(in crate::memory) fn share(&self, address: u64) -> Result<Arc<SharedMemory>, MapError> {
        let mut state = self.state();
        let wrong = |reason| MapError::Range {
            base: address,
            len: 0,
            reason,
        };
        let SpaceState { live, range, .. } = &mut *state;
        let live = live.get_mut(&address).filter(|live| !live.entry.is_null());
        let live = live.ok_or_else(|| wrong("does not belong to an allocation"))?;
        if let Some(shared) = &live.shared {
            return Ok(shared.clone());
        }
        let host = range
            .as_ref()
            .ok_or_else(|| wrong("does not belong to an allocation"))?;
        let bytes = shared_bytes(live.len);
        let shared = Arc::new(SharedMemory::new(bytes).map_err(MapError::Host)?);
        let mut copied = 0;
        while copied < live.len {
            let len = (live.len - copied).min(COPIED as u64);
            host.copy_to_file(address + copied, len, (shared.file(), copied))
                .map_err(MapError::Host)?;
            copied += len;
        }
        host.map_file(address, bytes, (shared.file(), 0))
            .map_err(MapError::Host)?;
        live.shared = Some(shared.clone());
        Ok(shared)
    }
}
