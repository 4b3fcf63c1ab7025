//! Findings about global memory that kernels leave undefined, and the state for them, which all host threads share.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_emu::observe::{Dispatched, MemoryChange};
use gcn_emu::wave::WaveId;

use super::memory::{UndefinedDword, UndefinedGlobal};
use crate::finding::{Finding, FindingAddress, FindingKey, FindingPlace, Findings, Kind, Side};

/// State shared by all host threads.
#[derive(Default)]
pub(super) struct SharedResults {
    pub(super) global: UndefinedGlobal,
    stores: Mutex<Vec<Store>>,
    last: Mutex<Option<EndedDispatch>>,
}

/// The last dispatch that has ended.
struct EndedDispatch {
    id: u64,
    kernel: Option<String>,
    /// First instruction of the kernel.
    entry: FindingPlace,
}

/// An instruction that stored undefined bits.
pub(super) struct StoringInstruction {
    pub(super) dispatch: u64,
    pub(super) kernel: Option<String>,
    pub(super) place: FindingPlace,
    /// Origin of the undefined bits.
    pub(super) origin: Side,
}

/// A storing instruction, as executed by a wave.
struct Store {
    by: Arc<StoringInstruction>,
    wave: WaveId,
}

/// Number of recorded stores above which later waves of a known instruction share the number of its first store.
const MOST_STORES: usize = 1 << 20;

impl SharedResults {
    /// Records a wave's store of undefined bits, and returns its number, at least 1. Above [`MOST_STORES`], returns
    /// `first` instead, if it is known: the number of an earlier store by the same instruction.
    pub(super) fn note(
        &self,
        by: &Arc<StoringInstruction>,
        wave: WaveId,
        first: Option<u32>,
    ) -> u32 {
        let mut all = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = first
            && all.len() >= MOST_STORES
        {
            return first;
        }
        all.push(Store {
            by: by.clone(),
            wave,
        });
        all.len() as u32
    }

    /// Reports the stores of an ended dispatch that left undefined bits in memory that the host may read at any time.
    pub(super) fn report(&self, findings: &Findings, dispatched: &Dispatched<'_>) {
        if self.global.has_any() {
            let entry = dispatched.dispatch.entry;
            let step = dispatched.code.step(entry).and_then(Result::ok);
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) =
                step.map(|step| EndedDispatch {
                    id: dispatched.id,
                    kernel: dispatched.dispatch.kernel.clone(),
                    entry: FindingPlace::new(entry, &step.inst, None),
                });
        }
        let stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        let is_own = |store: &Store| store.by.dispatch == dispatched.id;
        if stores.iter().any(is_own) {
            let message = "an undefined value is stored, and is in memory when the kernel ends";
            told(findings, &stores, self.global.left(), is_own, message);
        }
    }

    /// Reports the stores that left undefined bits in a range that the host reads.
    pub(super) fn read(&self, findings: &Findings, range: &Range<u64>) {
        let stores = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        if !stores.is_empty() {
            let message = "an undefined value is stored, and the host reads it";
            let left = self.global.left_apart(range);
            told(findings, &stores, left, |_| true, message);
        }
    }
}

impl SharedResults {
    /// Reports undefined bits, including unwritten bytes, in a range that the host reads as results.
    pub(super) fn read_results(&self, findings: &Findings, change: &MemoryChange<'_>) {
        let (range, name) = (&change.range, change.name);
        self.read(findings, range);
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(unwritten), Some(last)) = (self.global.unwritten(range), &*last) else {
            return;
        };
        let key = FindingKey {
            kind: Kind::UnwrittenResult,
            pc: last.entry.pc,
            other: 0,
            detail: unwritten.base,
        };
        findings.report(key, None, || Finding {
            label: "the last kernel that ran".to_owned(),
            address: Some(FindingAddress::global(unwritten.first)),
            notes: vec![format!(
                "{} of the {} bytes that the host reads have not been written",
                unwritten.bytes,
                range.end - range.start
            )],
            kernel: last.kernel.clone(),
            dispatch: last.id,
            ..Finding::at(
                key.kind,
                last.entry.clone(),
                format!("the host reads elements of {name} that nothing has written"),
            )
        });
    }
}

/// Reports the instructions whose stores left the dwords in `left` undefined. Ignores stores that `is_meant` rejects.
fn told(
    findings: &Findings,
    stores: &[Store],
    left: Vec<UndefinedDword>,
    is_meant: impl Fn(&Store) -> bool,
    message: &str,
) {
    let mut first: BTreeMap<u64, (&Store, u64, u64)> = BTreeMap::new();
    for left in left {
        let Some(store) = stores.get(left.store as usize - 1) else {
            continue;
        };
        if !is_meant(store) {
            continue;
        }
        let entry = first.entry(store.by.place.pc);
        let (earliest, address, count) = entry.or_insert((store, left.address, 0));
        *count += 1;
        let rank = |it: &Store| (it.by.dispatch, it.wave.rank());
        match rank(store).cmp(&rank(earliest)) {
            Ordering::Less => (*earliest, *address) = (store, left.address),
            Ordering::Equal => *address = left.address.min(*address),
            Ordering::Greater => {}
        }
    }
    for (pc, (store, address, count)) in first {
        let key = FindingKey {
            kind: Kind::UninitializedResult,
            pc,
            other: 0,
            detail: 0,
        };
        let StoringInstruction {
            dispatch,
            kernel,
            place,
            origin,
        } = &*store.by;
        let in_wave = |place: &FindingPlace| FindingPlace {
            wave: Some(store.wave),
            ..place.clone()
        };
        findings.report(key, Some(store.wave), || Finding {
            label: "stores undefined bits".to_owned(),
            sides: vec![Side {
                label: origin.label.clone(),
                place: origin.place.as_ref().map(in_wave),
            }],
            address: Some(FindingAddress::global(address)),
            notes: vec![format!(
                "dwords with undefined bits that the instruction left: {count}"
            )],
            kernel: kernel.clone(),
            dispatch: *dispatch,
            ..Finding::at(Kind::UninitializedResult, in_wave(place), message)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_instructions_is_reported_with_its_first_wave() {
        let shared = SharedResults::default();
        let wave = |wave| WaveId {
            group: [0; 3],
            wave,
        };
        let mut left = Vec::new();
        for pc in (0..16).rev() {
            let place = FindingPlace {
                pc,
                text: String::new(),
                wave: None,
                lane: None,
            };
            let by = Arc::new(StoringInstruction {
                dispatch: 0,
                kernel: None,
                place: place.clone(),
                origin: Side {
                    label: String::new(),
                    place: Some(place),
                },
            });
            for (number, address) in [(2, 0x100), (1, 0x300), (1, 0x200)] {
                let store = shared.note(&by, wave(number), None);
                left.push(UndefinedDword { address, store });
            }
        }
        let findings = Findings::new(1, Arc::default());
        let stores = shared.stores.lock().unwrap_or_else(PoisonError::into_inner);
        told(&findings, &stores, left, |_| true, "");
        let found = findings.all().0.remove(0);
        let origin = found.sides[0].place.as_ref().and_then(|it| it.wave);
        assert_eq!((found.place.pc, found.place.wave), (0, Some(wave(1))));
        assert_eq!(origin, Some(wave(1)));
        assert_eq!(found.address, Some(FindingAddress::global(0x200)));
    }
}
