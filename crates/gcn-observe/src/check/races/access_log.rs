//! Logs of recent accesses. Reports look up lane numbers in them, since shadow entries have no bits for lanes.
//!
//! Each thread has a log of its own accesses. Other threads lock it only to report a race.

use std::mem::swap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::observe::{Access, Shape};
use gcn_emu::wave::LANES;

use super::access::{PastAccess, ShadowedMemory};
use super::lanes::each_element;
use crate::filter::lanes;

/// Maximum numbers of entries in half a log. Both halves take less than 2 MiB, to fit in the host's caches.
const MOST_ROWS: usize = 1 << 14;
const MOST_OTHERS: usize = 1 << 11;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key {
    access: PastAccess,
    /// Lower half of the dispatch number.
    dispatch: u32,
}

/// A global access by consecutive lanes, or by lanes with the same address.
#[derive(Clone, Copy, Debug)]
struct LoggedRow {
    access: PastAccess,
    at: u64,
    dispatch: u32,
    /// Size of the access in bytes: of all lanes together, and per lane.
    bytes: u16,
    element: u8,
    /// First lane.
    lane: u8,
}

impl LoggedRow {
    /// Returns the key. Its parts are separate fields to save space.
    fn key(&self) -> Key {
        Key {
            access: self.access,
            dispatch: self.dispatch,
        }
    }
}

/// An access that [`LoggedRow`] cannot represent, or one of its elements.
#[derive(Clone, Copy, Debug)]
struct LoggedAccess {
    key: Key,
    memory: ShadowedMemory,
    lanes: u64,
    /// Size of an element in bytes.
    element: u8,
    /// Common upper half of the lanes' addresses. The lower halves are in [`LogHalf::addresses`].
    upper: u32,
}

/// Half of a log, with accesses in execution order.
#[derive(Debug, Default)]
struct LogHalf {
    rows: Vec<LoggedRow>,
    others: Vec<LoggedAccess>,
    /// Lower halves of the addresses of each access in `others`.
    addresses: Vec<[u32; LANES]>,
}

/// Log of a thread's recent accesses. When the newer half is full, it replaces the older one.
#[derive(Debug, Default)]
struct Log {
    newer: LogHalf,
    older: LogHalf,
}

impl LogHalf {
    /// Returns the lane of an access that touched an address.
    fn lane_of(&self, key: Key, memory: ShadowedMemory, at: u64) -> Option<usize> {
        let row = |row: &LoggedRow| {
            let distance = at.checked_sub(row.at)?;
            (row.key() == key && distance < row.bytes.into())
                .then(|| usize::from(row.lane) + (distance / u64::from(row.element)) as usize)
        };
        let other = |(other, addresses): (&LoggedAccess, &[u32; LANES])| {
            let holds = |lane: &usize| {
                let from = u64::from(other.upper) << u32::BITS | u64::from(addresses[*lane]);
                (from..from.saturating_add(other.element.into())).contains(&at)
            };
            let is_it = other.key == key && other.memory == memory;
            is_it.then(|| lanes(other.lanes).find(holds)).flatten()
        };
        let rows = self.rows.iter().rev().find_map(row);
        rows.filter(|_| memory == ShadowedMemory::Global)
            .or_else(|| {
                self.others
                    .iter()
                    .zip(&self.addresses)
                    .rev()
                    .find_map(other)
            })
    }
}

impl Log {
    #[inline]
    fn add_row(&mut self, row: LoggedRow) {
        self.newer.rows.push(row);
        if self.newer.rows.len() >= MOST_ROWS {
            self.turn();
        }
    }

    #[cold]
    fn turn(&mut self) {
        swap(&mut self.newer, &mut self.older);
        self.newer.rows.clear();
        self.newer.others.clear();
        self.newer.addresses.clear();
    }

    /// Adds an access with an address per lane, unless their upper halves differ.
    fn add(&mut self, mut access: LoggedAccess, addresses: &[u64; LANES]) {
        let first = addresses[access.lanes.trailing_zeros() as usize % LANES];
        let all = addresses.iter().fold(0, |all, at| all | (at ^ first));
        let is_near = |lane: usize| (addresses[lane] ^ first) >> u32::BITS == 0;
        if all >> u32::BITS != 0 && !lanes(access.lanes).all(is_near) {
            return;
        }
        access.upper = (first >> u32::BITS) as u32;
        self.newer.others.push(access);
        self.newer.addresses.push(addresses.map(|at| at as u32));
        if self.newer.others.len() >= MOST_OTHERS {
            self.turn();
        }
    }
}

fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Logs of all threads.
#[derive(Debug, Default)]
pub(super) struct AccessPlaces {
    logs: Mutex<Vec<Arc<Mutex<Log>>>>,
}

impl AccessPlaces {
    /// Returns a log for a thread's exclusive use.
    pub(super) fn of_thread(&self) -> ThreadPlaces {
        let mut logs = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        // The list holds one reference. A thread that uses the log holds another.
        let free = logs.iter().find(|log| Arc::strong_count(log) == 1);
        let log = free.cloned().unwrap_or_else(|| {
            let log = Arc::default();
            logs.push(Arc::clone(&log));
            log
        });
        ThreadPlaces { log }
    }

    /// Returns the lane of a dispatch's access that touched an address, if the access is still in a log.
    pub(super) fn lane_of(
        &self,
        dispatch: u64,
        access: PastAccess,
        memory: ShadowedMemory,
        at: u64,
    ) -> Option<usize> {
        let key = Key {
            access: access.without_release(),
            dispatch: dispatch as u32,
        };
        let logs = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        logs.iter().find_map(|log| {
            let log = lock(log);
            let mut halves = [&log.newer, &log.older].into_iter();
            halves.find_map(|half| half.lane_of(key, memory, at))
        })
    }
}

/// Log of one thread.
#[derive(Debug)]
pub(super) struct ThreadPlaces {
    log: Arc<Mutex<Log>>,
}

impl ThreadPlaces {
    /// Adds an access to global memory with a regular shape.
    #[inline]
    pub(super) fn add_shape(&self, dispatch: u64, access: PastAccess, shape: &Shape, lanes: u64) {
        let (range, count) = match shape {
            Shape::Row(range) => (range, LANES as u64),
            Shape::Uniform(range) => (range, 1),
        };
        let bytes = range.end - range.start;
        lock(&self.log).add_row(LoggedRow {
            access,
            at: range.start,
            dispatch: dispatch as u32,
            bytes: bytes as u16,
            element: (bytes / count).max(1) as u8,
            lane: lanes.trailing_zeros() as u8,
        });
    }

    /// Adds an access of any shape to `memory`.
    pub(super) fn add(
        &self,
        dispatch: u64,
        access: PastAccess,
        memory: ShadowedMemory,
        of: &Access,
    ) {
        let dispatch = dispatch as u32;
        let mut log = lock(&self.log);
        each_element(of, memory, |lanes, element, addresses| {
            let logged = LoggedAccess {
                key: Key { access, dispatch },
                memory,
                lanes,
                element,
                upper: 0,
            };
            log.add(logged, addresses);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::access::{AccessKind, EntryLayout};
    use super::*;

    fn access(wave: u32, site: u16) -> PastAccess {
        EntryLayout::new(false).entry(wave, 0, 1, site, AccessKind::Store)
    }

    #[test]
    fn the_last_accesses_are_known_by_any_of_their_bytes() {
        let places = AccessPlaces::default();
        let thread = places.of_thread();
        let lane_of = |wave: u32, distance: u64| {
            let at = 1000 * u64::from(wave) + distance;
            places.lane_of(7, access(wave, 3), ShadowedMemory::Global, at)
        };
        let count = 2 * MOST_ROWS as u32 + 100;
        for wave in 0..count {
            let at = 1000 * u64::from(wave);
            thread.add_shape(7, access(wave, 3), &Shape::Row(at..at + 256), u64::MAX);
        }
        for wave in [count - 1, count - MOST_ROWS as u32] {
            let lanes = [0, 255, 130, 256].map(|distance| lane_of(wave, distance));
            assert_eq!(lanes, [Some(0), Some(63), Some(32), None]);
        }
        assert_eq!(lane_of(0, 0), None);
        thread.add_shape(7, access(1, 4), &Shape::Uniform(64..68), 0b11 << 5);
        let of = |dispatch, at| places.lane_of(dispatch, access(1, 4), ShadowedMemory::Global, at);
        assert_eq!((of(7, 66), of(7, 68), of(8, 66)), (Some(5), None, None));
    }

    #[test]
    fn a_log_is_used_again_and_keeps_its_accesses() {
        let places = AccessPlaces::default();
        let (one, other) = (places.of_thread(), places.of_thread());
        let mut lanes = Access {
            bytes: 4,
            elements: 2,
            lds: 0b110,
            ..Access::default()
        };
        lanes.address[1..3].copy_from_slice(&[64, 8]);
        lanes.second[1..3].copy_from_slice(&[128, 132]);
        one.add(1, access(0, 0), ShadowedMemory::Lds, &lanes);
        drop(one);
        let again = places.of_thread();
        assert!(!Arc::ptr_eq(&again.log, &other.log));
        let of = |memory, at| places.lane_of(1, access(0, 0), memory, at);
        assert_eq!(of(ShadowedMemory::Lds, 11), Some(2));
        assert_eq!(of(ShadowedMemory::Lds, 131), Some(1));
        assert_eq!(of(ShadowedMemory::Lds, 12), None);
        assert_eq!(of(ShadowedMemory::Global, 8), None);
        // Accesses whose addresses differ in the upper half are not logged.
        let far = Access {
            global: 0b11,
            bytes: 4,
            ..Access::default()
        };
        let mut near = far.clone();
        near.address[..2].copy_from_slice(&[1 << 40, (1 << 40) + 4]);
        let mut far = far;
        far.address[..2].copy_from_slice(&[1 << 40, 4]);
        for (site, lanes, expected) in [(1, near, Some(1)), (2, far, None)] {
            other.add(1, access(0, site), ShadowedMemory::Global, &lanes);
            let at = lanes.address[1];
            let lane = places.lane_of(1, access(0, site), ShadowedMemory::Global, at);
            assert_eq!(lane, expected);
        }
    }
}
