//! State that the threads of a run share: bytes of global memory that its stores have left undefined.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use gcn_emu::observe::Dispatched;

use super::memory::Global;
use crate::finding::{Finding, Findings, Key, Kind, Place};

/// State that the threads of a run share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) global: Global,
    stores: Mutex<Vec<Store>>,
}

/// A store that has left undefined bits in global memory.
#[derive(Clone)]
pub(super) struct Store {
    pub(super) dispatch: u64,
    pub(super) place: Place,
}

impl Shared {
    /// Notes a store that leaves undefined bits: its number, from 1 on.
    pub(super) fn note(&self, store: Store) -> u32 {
        let mut all = self.stores.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(store);
        all.len() as u32
    }

    /// Reports what stores of a dispatch have left undefined.
    pub(super) fn report(&self, findings: &Findings, dispatched: &Dispatched<'_>) {
        let stores = self.stores.lock();
        let stores = stores.unwrap_or_else(PoisonError::into_inner).clone();
        if stores.is_empty() {
            return;
        }
        let mut first: HashMap<u64, (Store, u64, u64)> = HashMap::new();
        for left in self.global.left() {
            let Some(store) = stores.get(left.store as usize - 1) else {
                continue;
            };
            if store.dispatch != dispatched.id {
                continue;
            }
            let entry = first.entry(store.place.pc);
            let (earliest, address, count) =
                entry.or_insert_with(|| (store.clone(), left.address, 0));
            *count += 1;
            *address = left.address.min(*address);
            let rank = |it: &Store| it.place.wave.map(|wave| wave.rank());
            if rank(store) < rank(earliest) {
                *earliest = store.clone();
            }
        }
        for (pc, (store, address, count)) in first {
            let key = Key {
                kind: Kind::UninitializedResult,
                pc,
                other: 0,
                detail: 0,
            };
            findings.report(key, store.place.wave, || {
                let message = "an undefined value is stored, and is in memory when the kernel ends";
                let finding = Finding::at(Kind::UninitializedResult, store.place, message);
                Finding {
                    label: "stores undefined bits".to_owned(),
                    address: Some(address),
                    notes: vec![format!(
                        "dwords with undefined bits that the instruction left: {count}"
                    )],
                    ..finding.in_dispatch(dispatched)
                }
            });
        }
    }
}
