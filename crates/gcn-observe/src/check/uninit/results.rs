//! State shared by the threads of a run, and findings about global memory left undefined.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use gcn_emu::observe::{Dispatched, MemoryChange};

use super::memory::{UndefinedDword, UndefinedGlobal};
use crate::finding::{Finding, FindingAddress, FindingKey, FindingPlace, Findings, Kind, Side};

/// State shared by the threads of a run.
#[derive(Default)]
pub(super) struct SharedResults {
    pub(super) global: UndefinedGlobal,
    stores: Mutex<Vec<Store>>,
    last: Mutex<Option<EndedDispatch>>,
}

/// A completed dispatch.
struct EndedDispatch {
    id: u64,
    kernel: Option<String>,
    /// First instruction of the kernel.
    entry: FindingPlace,
}

/// A store that left undefined bits in global memory.
pub(super) struct Store {
    pub(super) dispatch: u64,
    pub(super) kernel: Option<String>,
    pub(super) place: FindingPlace,
    /// Origin of the undefined bits.
    pub(super) origin: Side,
}

impl SharedResults {
    /// Records a store that leaves undefined bits. Returns its number, starting at 1.
    pub(super) fn note(&self, store: Store) -> u32 {
        let mut all = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(store);
        all.len() as u32
    }

    /// Reports the stores of a completed dispatch that left memory undefined, if the host may read the memory at any time.
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
        let is_own = |store: &Store| store.dispatch == dispatched.id;
        if stores.iter().any(is_own) {
            let message = "an undefined value is stored, and is in memory when the kernel ends";
            told(findings, &stores, self.global.left(), is_own, message);
        }
    }

    /// Reports the stores that left undefined bits in memory that the host reads.
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
    /// Reports undefined bytes, including unwritten ones, in results that the host reads.
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

/// Reports the stores that left dwords undefined and satisfy `is_meant`, once per instruction.
fn told(
    findings: &Findings,
    stores: &[Store],
    left: Vec<UndefinedDword>,
    is_meant: impl Fn(&Store) -> bool,
    message: &str,
) {
    let mut first: HashMap<u64, (&Store, u64, u64)> = HashMap::new();
    for left in left {
        let Some(store) = stores.get(left.store as usize - 1) else {
            continue;
        };
        if !is_meant(store) {
            continue;
        }
        let entry = first.entry(store.place.pc);
        let (earliest, address, count) = entry.or_insert_with(|| (store, left.address, 0));
        *count += 1;
        *address = left.address.min(*address);
        let rank = |it: &Store| (it.dispatch, it.place.wave.map(|wave| wave.rank()));
        if rank(store) < rank(earliest) {
            *earliest = store;
        }
    }
    for (pc, (store, address, count)) in first {
        let key = FindingKey {
            kind: Kind::UninitializedResult,
            pc,
            other: 0,
            detail: 0,
        };
        findings.report(key, store.place.wave, || Finding {
            label: "stores undefined bits".to_owned(),
            sides: vec![store.origin.clone()],
            address: Some(FindingAddress::global(address)),
            notes: vec![format!(
                "dwords with undefined bits that the instruction left: {count}"
            )],
            kernel: store.kernel.clone(),
            dispatch: store.dispatch,
            ..Finding::at(Kind::UninitializedResult, store.place.clone(), message)
        });
    }
}
