//! LDS bytes read and written by instructions, and accesses outstanding at a barrier.

use gcn_emu::fault::Intent;
use gcn_emu::observe::Access;
use gcn_emu::wave::WaveId;

use crate::filter::lanes;

/// LDS bytes accessed by lanes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct LdsBytes {
    /// Lane and first byte of each element.
    places: Vec<(u8, u64)>,
    /// Element size in bytes.
    bytes: u64,
}

/// Bytes that a lane copies to LDS.
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

    /// Bytes written by an access.
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

    /// Bytes read by an access.
    pub(super) fn read(access: &Access) -> LdsBytes {
        match (access.intent, access.to_lds) {
            // A store that copies from LDS.
            (Some(Intent::Store), Some(_)) => Self::written(access),
            (Some(Intent::Store), None) => LdsBytes::default(),
            _ => Self::elements(access),
        }
    }

    /// First lane whose bytes overlap others, and the address.
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

/// Accesses outstanding when their waves reached a barrier; others may not rely on them until the next one.
#[derive(Debug)]
pub(super) struct Unwaited<T> {
    /// Accesses outstanding at the previous barrier.
    opened: Vec<(WaveId, T)>,
    /// Accesses outstanding at the barrier being entered.
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
    /// Records an access outstanding when a wave arrives.
    pub(super) fn push(&mut self, wave: WaveId, access: T) {
        self.arriving.push((wave, access));
    }

    /// Opens the barrier. Returns false if no accesses remain.
    pub(super) fn opened(&mut self) -> bool {
        self.opened = std::mem::take(&mut self.arriving);
        !self.opened.is_empty()
    }

    /// Accesses that others may not rely on.
    pub(super) fn accesses(&self) -> impl Iterator<Item = &(WaveId, T)> {
        self.opened.iter()
    }

    /// True if there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.opened.is_empty()
    }
}
