//! Cache lines and LDS banks that an access touches.

use gcn_emu::fault::Intent;
use gcn_emu::observe::MemoryEvent;

use super::banks::conflicts;
use crate::filter::lanes;

/// Size of a vector cache line in bytes.
pub const LINE_BYTES: u64 = 64;
/// Interleaving granularity of scratch and swizzled buffers.
const DWORD_BYTES: u64 = 4;

/// Cache lines, bytes and bank conflicts of an access. Reused to avoid allocation.
#[derive(Default)]
pub(super) struct AccessedPlaces {
    /// Line numbers, sorted and unique.
    lines: Vec<u64>,
    /// Number of bytes, summed over lanes.
    bytes: u64,
    /// Number of cycles lost to bank conflicts.
    bank_conflicts: u64,
}

impl AccessedPlaces {
    /// Determines the lines, bytes and bank conflicts of an access that is about to execute.
    pub(super) fn find(&mut self, event: &MemoryEvent<'_>) {
        let access = event.access();
        self.lines.clear();
        (self.bytes, self.bank_conflicts) = (0, 0);
        let plan = event.instruction.step.memory.as_deref();
        let bytes = match plan {
            Some(plan) if plan.family.is_scalar() => {
                let dwords = access.dwords_in_bounds.min(plan.ty.dwords());
                DWORD_BYTES * u64::from(dwords)
            }
            _ => access.bytes.into(),
        };
        if bytes == 0 {
            return;
        }
        let elements = u64::from(access.elements);
        self.bytes = u64::from((access.lds | access.gds).count_ones()) * bytes * elements;
        for lane in lanes(access.global) {
            self.bytes += bytes;
            let first = access.address[lane];
            self.add(first, first.saturating_add(bytes - 1));
        }
        let step = if access.splits_dwords() {
            1
        } else {
            DWORD_BYTES
        };
        for lane in lanes(access.scratch | access.buffer) {
            self.split(event, lane, bytes, step);
        }
        self.lines.sort_unstable();
        self.lines.dedup();
        if access.lds != 0 {
            let is_atomic = access.intent == Some(Intent::Atomic);
            let of = |places: &[u64; 64]| {
                let lanes = lanes(access.lds).map(|lane| (lane, places[lane]));
                conflicts(lanes, bytes, is_atomic)
            };
            self.bank_conflicts = of(&access.address);
            if access.elements > 1 {
                self.bank_conflicts += of(&access.second);
            }
        }
    }

    /// Adds a lane's element, which is interleaved in parts of `step` bytes. Parts that are out of bounds are skipped.
    fn split(&mut self, event: &MemoryEvent<'_>, lane: usize, bytes: u64, step: u64) {
        let access = event.access();
        let mut byte = 0;
        while byte < bytes {
            // A part ends at the next multiple of `step`.
            let part = (step - access.address[lane].wrapping_add(byte) % step).min(bytes - byte);
            if let Some(first) = access.place(lane, byte) {
                self.bytes += part;
                self.add(first, first.saturating_add(part - 1));
            }
            byte += part;
        }
    }

    /// Adds the lines that contain an inclusive byte range.
    fn add(&mut self, first: u64, last: u64) {
        for line in first / LINE_BYTES..=last / LINE_BYTES {
            if self.lines.last() != Some(&line) {
                self.lines.push(line);
            }
        }
    }

    pub(super) fn lines(&self) -> u64 {
        self.lines.len() as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn bank_conflicts(&self) -> u64 {
        self.bank_conflicts
    }
}
