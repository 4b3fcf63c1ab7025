//! Address space of a device: allocations in a reserved range of host addresses, a table that finds them by address,
//! and registered host ranges.
//!
//! This is one of the modules that may use `unsafe`, for the reason given in `memory.rs`.

mod reservation;

mod place;
mod mapped;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicPtr, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::allocation::{AllocError, Allocation, ExecutableRange, FreeError, RegisterError};
use super::change::{Listener, MemoryChange, MemoryChangeKind};
use super::layout::{ALIAS, ALIGNMENT, FIRST_ADDRESS};
use super::region::Region;
use super::reserved::Reserved;
use super::shared::SharedMemory;
use reservation::{Reservation, shared_bytes};

/// Number of freed allocations whose names are kept for messages.
const HISTORY: usize = 4096;
/// Granularity, in bytes, at which the host provides memory for an allocation.
const PAGE: u64 = 4096;
/// Minimum number of freed bytes to return to the host at a time, since each return interrupts all threads.
const GIVEN_BACK_TOGETHER: u64 = 1 << 20;

/// Entry of the allocation table. Entries are reused for other allocations and dropped only with the address space,
/// so a thread may read one while it changes. Both fields are always addresses in the accessible part of the range,
/// even if they belong to different allocations, so everything between them is accessible.
#[derive(Debug)]
pub(super) struct PageEntry {
    pub(super) base: AtomicU64,
    /// End address; 0 if freed.
    pub(super) end: AtomicU64,
}

/// State shared by all handles to the same memory.
#[derive(Debug)]
pub(super) struct AddressSpace {
    state: Mutex<SpaceState>,
    /// Pointer to the entry of each unit of [`ALIGNMENT`] bytes in the range.
    table: AllocationTable,
    first: u64,
    /// Registered host ranges in ascending order. Modified only while no thread accesses them.
    foreign: RwLock<Vec<Allocation>>,
    /// Number of registered ranges, checked to avoid locking the list if it is empty.
    foreign_count: AtomicUsize,
    /// Number of frees and unmaps.
    frees: AtomicU64,
    /// Listener for memory operations of the host.
    listener: RwLock<Option<Arc<dyn Listener>>>,
}

#[derive(Debug)]
struct SpaceState {
    range: Option<Reserved>,
    /// End of the addresses in use. Addresses in `holes` below it are unused.
    next: u64,
    /// Highest end of addresses that have ever been freed.
    freed_until: u64,
    live: BTreeMap<u64, Live>,
    /// Reservations by first address.
    reserved: BTreeMap<u64, Reservation>,
    /// Ends of freed extents, including guards, by start.
    holes: BTreeMap<u64, u64>,
    /// Range that contains all freed memory not yet returned to the host.
    stale: Range<u64>,
    /// Number of freed bytes not yet returned to the host.
    stale_bytes: u64,
    /// Freed allocations, oldest first.
    freed: VecDeque<Allocation>,
    entries: Vec<*mut PageEntry>,
    spare: Vec<*mut PageEntry>,
    limit: u64,
    used: u64,
    /// Number of executable ranges so far.
    executables: u64,
}

// SAFETY: the pointers refer to entries that the state owns and shares only by reference.
unsafe impl Send for SpaceState {}

impl Drop for SpaceState {
    fn drop(&mut self) {
        for entry in self.entries.drain(..) {
            // SAFETY: the entry comes from a box; the table, which also points to it, is dropped along with the address
            // space.
            drop(unsafe { Box::from_raw(entry) });
        }
    }
}

#[derive(Debug)]
struct Live {
    name: Arc<str>,
    len: u64,
    host_has_written: bool,
    executable: Vec<ExecutableRange>,
    /// Memory of the allocation, if other processes may map it.
    shared: Option<Arc<SharedMemory>>,
    /// Table entry; null for mappings at reserved addresses.
    entry: *mut PageEntry,
}

/// Allocation table, for which the host provides memory on first access.
#[derive(Debug)]
struct AllocationTable {
    cells: *const AtomicPtr<PageEntry>,
    count: usize,
    /// Owner of the cells.
    _range: Option<Reserved>,
}

// SAFETY: cells are atomic and have no other owner.
unsafe impl Send for AllocationTable {}
// SAFETY: as above.
unsafe impl Sync for AllocationTable {}

impl AllocationTable {
    /// Creates `count` null cells, or none if the host has no room.
    fn new(count: usize) -> AllocationTable {
        let bytes = count * size_of::<AtomicPtr<PageEntry>>();
        let made = Reserved::elsewhere(bytes.max(1), size_of::<u64>()).and_then(|mut range| {
            range.grow(range.first() + bytes as u64).ok()?;
            Some(range)
        });
        AllocationTable {
            cells: made.as_ref().map_or(std::ptr::null(), |range| {
                std::ptr::with_exposed_provenance(range.first() as usize)
            }),
            count: if made.is_some() { count } else { 0 },
            _range: made,
        }
    }

    fn cells(&self) -> &[AtomicPtr<PageEntry>] {
        if self.count == 0 {
            return &[];
        }
        // SAFETY: the cells exist and are initially zero, which is null; all accesses are atomic.
        unsafe { std::slice::from_raw_parts(self.cells, self.count) }
    }
}

impl AddressSpace {
    pub(super) fn new() -> AddressSpace {
        AddressSpace::of(Reserved::new(FIRST_ADDRESS as usize, ALIGNMENT as usize))
    }

    /// Creates the address space of a range. Without a range, every allocation fails.
    pub(super) fn of(range: Option<Reserved>) -> AddressSpace {
        let first = range.as_ref().map_or(FIRST_ADDRESS, Reserved::first);
        let len = range.as_ref().map_or(0, Reserved::len);
        let table = AllocationTable::new((len / ALIGNMENT) as usize);
        // Without a table, accesses cannot find allocations.
        let range = range.filter(|_| table.count > 0);
        AddressSpace {
            first,
            table,
            state: Mutex::new(SpaceState {
                range,
                next: first,
                freed_until: 0,
                live: BTreeMap::new(),
                reserved: BTreeMap::new(),
                holes: BTreeMap::new(),
                stale: 0..0,
                stale_bytes: 0,
                freed: VecDeque::new(),
                entries: Vec::new(),
                spare: Vec::new(),
                limit: u64::MAX,
                used: 0,
                executables: 0,
            }),
            foreign: RwLock::default(),
            foreign_count: AtomicUsize::new(0),
            frees: AtomicU64::new(0),
            listener: RwLock::default(),
        }
    }

    /// First address of the range.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Table cells and their number.
    pub(super) fn table(&self) -> (*const AtomicPtr<PageEntry>, u64) {
        (self.table.cells, self.table.count as u64)
    }

    fn state(&self) -> MutexGuard<'_, SpaceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Table cells for an allocation's bytes and for its end address.
    fn cells(&self, base: u64, len: u64) -> &[AtomicPtr<PageEntry>] {
        let cell = |address: u64| ((address - self.first) / ALIGNMENT) as usize;
        self.table
            .cells()
            .get(cell(base)..=cell(base + len))
            .unwrap_or_default()
    }

    /// Allocates at a multiple of `align`, itself a multiple of [`ALIGNMENT`].
    pub(super) fn allocate(&self, name: &str, bytes: u64, align: u64) -> Result<u64, AllocError> {
        let mut state = self.state();
        let place = state.find_place(name, bytes, align)?;
        let used =
            charged(state.used, state.limit, bytes).ok_or_else(|| state.over(name, bytes))?;
        state.take_place(name, &place, bytes)?;
        let base = place.base;
        if let Some(range) = &state.range {
            range.prefer_large_pages(base, bytes);
        }
        state.used = used;
        let entry = state.entry(base..base + bytes);
        for cell in self.cells(base, bytes) {
            cell.store(entry, Release);
        }
        state.live.insert(
            base,
            Live {
                name: name.into(),
                len: bytes,
                host_has_written: false,
                executable: Vec::new(),
                shared: None,
                entry,
            },
        );
        drop(state);
        self.report(MemoryChangeKind::Allocated, base, bytes, name);
        Ok(base)
    }

    pub(super) fn free(&self, address: u64) -> Result<(), FreeError> {
        let mut state = self.state();
        let is_own = |live: &Live| !live.entry.is_null();
        if !state.live.get(&address).is_some_and(is_own) {
            return Err(FreeError(address));
        }
        let live = state.live.remove(&address).ok_or(FreeError(address))?;
        let len = live.len;
        for cell in self.cells(address, len) {
            cell.store(null_mut(), Release);
        }
        // SAFETY: entries live as long as the address space.
        unsafe { &*live.entry }.end.store(0, Release);
        self.frees.fetch_add(1, Release);
        state.spare.push(live.entry);
        state.used -= rounded(len);
        state.note_freed(&live, address);
        if live.shared.is_some()
            && let Some(range) = &state.range
        {
            range.unmap_file(address, shared_bytes(len));
        }
        state.leave_place(address, len);
        drop(state);
        self.report(MemoryChangeKind::Freed, address, len, &live.name);
        Ok(())
    }

    /// Address at or above which the next allocation is placed, unless it fits only into a hole.
    pub(super) fn next_address(&self) -> u64 {
        self.state().next
    }

    /// Places the next allocations at `address` again if everything placed at or above it has been freed.
    pub(super) fn place_from(&self, address: u64) {
        self.state().place_from(address);
    }

    /// Number of frees and unmaps so far.
    pub(super) fn frees(&self) -> u64 {
        self.frees.load(Acquire)
    }

    /// Sets the listener for memory operations of the host.
    pub(super) fn observe(&self, listener: Arc<dyn Listener>) {
        let current = self.listener.write();
        *current.unwrap_or_else(PoisonError::into_inner) = Some(listener);
    }

    /// Records that the host has written `len` bytes at `address`.
    pub(super) fn host_writes(&self, address: u64, len: u64) {
        let mut state = self.state();
        let own = state.live.range_mut(..=address).next_back();
        let own = own.filter(|(base, live)| address - **base < live.len.max(1));
        let name = match own {
            Some((_, live)) => {
                live.host_has_written = true;
                Some(live.name.clone())
            }
            None => self.foreign_name(address),
        };
        drop(state);
        if let Some(name) = name {
            self.report(MemoryChangeKind::Written, address, len, &name);
        }
    }

    /// Notifies the listener of an event that involves `len` bytes at `address` in an allocation without changing them.
    pub(super) fn notice(&self, kind: MemoryChangeKind, address: u64, len: u64) {
        let state = self.state();
        let own = state.live.range(..=address).next_back();
        let own = own.filter(|(base, live)| address - **base < live.len.max(1));
        let name = own.map(|(_, live)| live.name.clone());
        drop(state);
        if let Some(name) = name {
            self.report(kind, address, len, &name);
        }
    }

    /// Name of the registered range that contains `address`.
    fn foreign_name(&self, address: u64) -> Option<Arc<str>> {
        let foreign = self.foreign();
        let holds = |range: &&Allocation| range.distance(address) == 0;
        foreign.iter().find(holds).map(|range| range.name.clone())
    }

    /// Notifies the listener of a change. No lock is held, so the listener may access memory.
    fn report(&self, kind: MemoryChangeKind, base: u64, len: u64, name: &str) {
        let listener = self.listener.read();
        let listener = listener.unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(listener) = listener {
            let range = base..base + len;
            listener.memory_changes(&MemoryChange { kind, range, name });
        }
    }

    pub(super) fn set_limit(&self, bytes: u64) {
        self.state().limit = bytes;
    }

    /// Returns the bytes in use and the limit.
    pub(super) fn usage(&self) -> (u64, u64) {
        let state = self.state();
        (state.used, state.limit)
    }

    pub(super) fn charge(&self, name: &str, bytes: u64) -> Result<(), AllocError> {
        let mut state = self.state();
        let used =
            charged(state.used, state.limit, bytes).ok_or_else(|| state.over(name, bytes))?;
        state.used = used;
        Ok(())
    }

    pub(super) fn discharge(&self, bytes: u64) {
        self.state().used -= rounded(bytes);
    }

    pub(super) fn allocations(&self) -> Vec<Allocation> {
        let state = self.state();
        let live = state.live.iter().map(|(base, live)| live.at(*base));
        let mut all: Vec<Allocation> = live.collect();
        all.extend(self.foreign().iter().cloned());
        all.sort_by_key(|allocation| allocation.base);
        all
    }

    pub(super) fn nearest(&self, address: u64) -> Option<Allocation> {
        let state = self.state();
        let before = state.live.range(..=address).next_back();
        let after = state.live.range(address..).next();
        let holds = |a: &&Allocation| (a.base..a.base + a.len).contains(&address);
        let is_held = before.is_some_and(|(base, live)| holds(&&live.at(*base)))
            || self.foreign().iter().any(|range| holds(&range));
        if !is_held && let Some(freed) = state.freed.iter().rev().find(holds) {
            return Some(freed.clone());
        }
        let live = before.into_iter().chain(after);
        let live = live.map(|(base, live)| live.at(*base));
        live.chain(self.foreign().iter().cloned())
            .min_by_key(|allocation| allocation.distance(address))
    }

    pub(super) fn make_executable(&self, base: u64, len: u64) -> bool {
        let mut state = self.state();
        state.executables += 1;
        let id = state.executables;
        let found = state.live.range_mut(..=base).next_back();
        let Some((_, live)) =
            found.filter(|(of, live)| len <= live.len && base - **of <= live.len - len)
        else {
            return false;
        };
        live.executable.push(ExecutableRange { base, len, id });
        true
    }

    pub(super) fn executable(&self, address: u64) -> Option<ExecutableRange> {
        let state = self.state();
        let (_, live) = state.live.range(..=address).next_back()?;
        let has =
            |range: &&ExecutableRange| (range.base..range.base + range.len).contains(&address);
        live.executable.iter().find(has).copied()
    }

    fn foreign(&self) -> std::sync::RwLockReadGuard<'_, Vec<Allocation>> {
        self.foreign.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn register(&self, name: &str, base: u64, len: u64) -> Result<(), RegisterError> {
        let wrong = |reason| RegisterError { base, len, reason };
        let end = base.checked_add(len).filter(|_| base != 0);
        let end = end.ok_or_else(|| wrong("is not an address range"))?;
        let own = self.first..self.first + self.table.count as u64 * ALIGNMENT;
        if base < own.end && end > own.start {
            return Err(wrong("is in the device's own memory"));
        }
        let mut foreign = self.foreign.write().unwrap_or_else(PoisonError::into_inner);
        if foreign
            .iter()
            .any(|other| base < other.base + other.len && other.base < end)
        {
            return Err(wrong("overlaps one that is registered"));
        }
        let place = foreign.partition_point(|other| other.base < base);
        foreign.insert(
            place,
            Allocation {
                name: name.into(),
                base,
                len,
                is_freed: false,
                host_has_written: true,
            },
        );
        self.foreign_count.store(foreign.len(), Release);
        drop(foreign);
        self.report(MemoryChangeKind::Allocated, base, len, name);
        Ok(())
    }

    pub(super) fn release(&self, base: u64) -> Result<(), FreeError> {
        let mut foreign = self.foreign.write().unwrap_or_else(PoisonError::into_inner);
        let place = foreign.iter().position(|range| range.base == base);
        let released = foreign.remove(place.ok_or(FreeError(base))?);
        self.foreign_count.store(foreign.len(), Release);
        drop(foreign);
        let mut state = self.state();
        if state.freed.len() == HISTORY {
            state.freed.pop_front();
        }
        let name = released.name.clone();
        let len = released.len;
        state.freed.push_back(Allocation {
            is_freed: true,
            ..released
        });
        drop(state);
        self.report(MemoryChangeKind::Freed, base, len, &name);
        Ok(())
    }

    /// Runs a function on `len` bytes at `address` in a registered range, which cannot be released during the call.
    /// Returns `None` if no range contains the bytes.
    #[cold]
    #[inline(never)]
    pub(super) fn with_foreign<T>(
        &self,
        address: u64,
        len: u64,
        access: impl FnOnce(Region<'_>, u64) -> T,
    ) -> Option<T> {
        if self.foreign_count.load(Acquire) == 0 {
            return None;
        }
        let foreign = self.foreign();
        let place = foreign.partition_point(|range| range.base <= address);
        let range = foreign.get(place.checked_sub(1)?)?;
        let offset = address - range.base;
        if offset > range.len || len > range.len - offset {
            return None;
        }
        // SAFETY: whoever registered the range guarantees that it is accessible until its release, which waits for
        // the lock; an 8-byte unit does not cross a host page.
        let region = unsafe { Region::new(range.base & !ALIAS, range.len) };
        Some(access(region, offset))
    }
}

impl SpaceState {
    /// Adds an allocation to the history for messages.
    fn note_freed(&mut self, live: &Live, address: u64) {
        if self.freed.len() == HISTORY {
            self.freed.pop_front();
        }
        self.freed.push_back(Allocation {
            is_freed: true,
            ..live.at(address)
        });
    }

    fn over(&self, name: &str, bytes: u64) -> AllocError {
        AllocError::Limit {
            name: name.to_owned(),
            bytes,
            used: self.used,
            limit: self.limit,
        }
    }

    /// Returns the memory of freed allocations to the host.
    fn give_back(&mut self) {
        let stale = std::mem::take(&mut self.stale);
        let bytes = std::mem::take(&mut self.stale_bytes);
        let Some(range) = self.range.as_ref().filter(|_| bytes != 0) else {
            return;
        };
        let first = self.holes.range(..=stale.start).next_back();
        let begin = first.map_or(stale.start, |(begin, _)| *begin);
        for (&begin, &end) in self.holes.range(begin..stale.end) {
            let (begin, end) = (begin.max(stale.start), end.min(stale.end));
            if begin < end {
                range.discard(begin, end - begin);
            }
        }
    }

    /// Takes a spare entry or creates one, and sets it to a range of accessible addresses.
    fn entry(&mut self, addresses: Range<u64>) -> *mut PageEntry {
        let entry = self.spare.pop().unwrap_or_else(|| {
            let entry = Box::new(PageEntry {
                base: AtomicU64::new(0),
                end: AtomicU64::new(0),
            });
            let entry = Box::into_raw(entry);
            self.entries.push(entry);
            entry
        });
        // SAFETY: entries live as long as the address space.
        let it = unsafe { &*entry };
        it.base.store(addresses.start, Release);
        it.end.store(addresses.end, Release);
        entry
    }
}

impl Live {
    fn at(&self, base: u64) -> Allocation {
        Allocation {
            name: self.name.clone(),
            base,
            len: self.len,
            is_freed: false,
            host_has_written: self.host_has_written,
        }
    }
}

/// Number of bytes that the host provides for an allocation.
fn rounded(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX)
}

/// Adds `bytes` to the bytes in use; `None` if the result exceeds the limit.
fn charged(used: u64, limit: u64, bytes: u64) -> Option<u64> {
    used.checked_add(rounded(bytes))
        .filter(|used| *used <= limit)
}

/// Looks up a table cell and returns the base and end of its allocation.
///
/// # Safety
/// `cells` must be the table of a live address space, and `cell` a valid index.
#[inline(always)]
pub(super) unsafe fn look_up(cells: *const AtomicPtr<PageEntry>, cell: u64) -> Option<(u64, u64)> {
    // SAFETY: the caller guarantees that the cell is valid.
    let entry = unsafe { (*cells.add(cell as usize)).load(Acquire) };
    // SAFETY: entries live as long as the address space.
    let entry = unsafe { entry.as_ref()? };
    Some((entry.base.load(Relaxed), entry.end.load(Acquire)))
}
