//! LDS bytes that instructions access, and LDS accesses that are outstanding at a barrier.

use gcn_emu::fault::Intent;
use gcn_emu::observe::Access;
use gcn_emu::wave::WaveId;

use crate::filter::lanes;

/// LDS bytes that an instruction accesses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct LdsBytes {
    /// Lane and address of each element.
    places: Vec<(u8, u64)>,
    /// Element size in bytes.
    bytes: u64,
}

/// Number of bytes that each lane of a load to LDS, or a store from LDS, copies.
const COPIED: u64 = 4;

impl LdsBytes {
    fn elements(access: &Access) -> LdsBytes {
        let count = access.lds.count_ones() as usize * usize::from(access.elements);
        let mut places = Vec::with_capacity(count);
        for lane in lanes(access.lds) {
            places.push((lane as u8, access.address[lane]));
            if access.elements > 1 {
                places.push((lane as u8, access.second[lane]));
            }
        }
        LdsBytes {
            places,
            bytes: access.bytes.into(),
        }
    }

    /// Returns the bytes that an access writes.
    pub(super) fn written(access: &Access) -> LdsBytes {
        if access.to_lds.is_none() {
            return Self::elements(access);
        }
        LdsBytes {
            places: lanes(access.lanes())
                .map(|lane| (lane as u8, access.place_in_lds(lane)))
                .collect(),
            bytes: COPIED,
        }
    }

    /// Returns the bytes that an access reads.
    pub(super) fn read(access: &Access) -> LdsBytes {
        match (access.intent, access.to_lds) {
            // A store from LDS reads the bytes that a load to LDS would write.
            (Some(Intent::Store), Some(_)) => Self::written(access),
            (Some(Intent::Store), None) => LdsBytes::default(),
            _ => Self::elements(access),
        }
    }

    /// Finds the first element that overlaps `others`, and returns its lane and address.
    pub(super) fn meets(&self, others: &LdsBytes) -> Option<(usize, u64)> {
        let meets = |&(_, at): &(u8, u64)| {
            let mut others_places = others.places.iter();
            others_places.any(|&(_, other)| {
                at < other.saturating_add(others.bytes) && other < at.saturating_add(self.bytes)
            })
        };
        let (lane, at) = self.places.iter().find(|it| meets(it))?;
        Some((usize::from(*lane), *at))
    }
}

/// Accesses that were outstanding when their waves arrived at a barrier. Until the next barrier, other waves may not
/// assume that they are complete.
#[derive(Debug)]
pub(super) struct Unwaited<T> {
    /// Accesses that were outstanding at the last barrier.
    opened: Vec<(WaveId, T)>,
    /// Accesses that are outstanding at the next barrier, of waves that have arrived at it.
    arriving: Vec<(WaveId, T)>,
}

impl<T> Default for Unwaited<T> {
    fn default() -> Unwaited<T> {
        Unwaited {
            opened: Vec::new(),
            arriving: Vec::new(),
        }
    }
}

impl<T> Unwaited<T> {
    /// Records an access that is outstanding when a wave arrives at a barrier.
    pub(super) fn push(&mut self, wave: WaveId, access: T) {
        self.arriving.push((wave, access));
    }

    /// Records that the barrier opens. Returns false if no accesses were outstanding.
    pub(super) fn opened(&mut self) -> bool {
        self.opened = std::mem::take(&mut self.arriving);
        !self.opened.is_empty()
    }

    /// Returns the accesses that were outstanding at the last barrier.
    pub(super) fn accesses(&self) -> impl Iterator<Item = &(WaveId, T)> {
        self.opened.iter()
    }

    /// True if no accesses were outstanding at the last barrier.
    pub(super) fn is_empty(&self) -> bool {
        self.opened.is_empty()
    }
}
