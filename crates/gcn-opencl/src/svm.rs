//! Shared virtual memory: allocations that host and devices have at one address.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use gcn_runtime::Buffer;

use crate::context::Context;
use crate::status::{Outcome, Status};

/// An allocation.
#[derive(Clone)]
pub(crate) struct Svm {
    pub(crate) context: Arc<Context>,
    pub(crate) bytes: usize,
    /// The memory, which is freed with the last of those that use it.
    pub(crate) memory: Buffer,
    mappings: Arc<Mutex<Vec<Mapping>>>,
}

/// A part of an allocation that the program has mapped to write it, or to read it alone.
struct Mapping {
    address: u64,
    bytes: u64,
    is_written: bool,
}

impl Svm {
    fn mappings(&self) -> MutexGuard<'_, Vec<Mapping>> {
        self.mappings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program maps a part.
    pub(crate) fn map(&self, address: u64, bytes: u64, is_written: bool) {
        self.mappings().push(Mapping {
            address,
            bytes,
            is_written,
        });
    }

    /// The program unmaps what it has mapped last at an address: yields the number of bytes that it may have written there.
    pub(crate) fn unmap(&self, address: u64) -> u64 {
        let mut mappings = self.mappings();
        let last = mappings.iter().rposition(|it| it.address == address);
        let mapping = last.map(|number| mappings.remove(number));
        mapping.map_or(0, |it| if it.is_written { it.bytes } else { 0 })
    }
}

/// All allocations by address.
static ALL: RwLock<BTreeMap<usize, Svm>> = RwLock::new(BTreeMap::new());

fn all() -> RwLockReadGuard<'static, BTreeMap<usize, Svm>> {
    ALL.read().unwrap_or_else(PoisonError::into_inner)
}

/// Allocates; the address.
///
/// # Errors
/// There is no memory.
pub(crate) fn allocate(context: &Arc<Context>, bytes: usize) -> Outcome<usize> {
    let device = context.devices.first().ok_or(Status::INVALID_CONTEXT)?;
    let memory = device
        .emulated
        .allocate("shared virtual memory (clSVMAlloc)", bytes as u64);
    let memory = memory.map_err(|_| Status::MEM_OBJECT_ALLOCATION_FAILURE)?;
    let address = memory.address() as usize;
    let svm = Svm {
        context: context.clone(),
        bytes,
        memory,
        mappings: Arc::default(),
    };
    let mut all = ALL.write().unwrap_or_else(PoisonError::into_inner);
    all.insert(address, svm);
    Ok(address)
}

/// Frees an allocation; what is none is left alone, as the specification leaves it undefined.
pub(crate) fn free(address: usize) {
    let mut all = ALL.write().unwrap_or_else(PoisonError::into_inner);
    let svm = all.remove(&address);
    drop(all);
    // Commands that use it may hold it still.
    drop(svm);
}

/// The allocation that an address is in, and its first address.
pub(crate) fn find(address: usize) -> Option<(usize, Svm)> {
    let all = all();
    let (base, svm) = all.range(..=address).next_back()?;
    (address - base < svm.bytes).then(|| (*base, svm.clone()))
}
