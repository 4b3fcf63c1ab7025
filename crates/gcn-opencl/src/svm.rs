//! Shared virtual memory: allocations with the same address on host and devices.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use gcn_runtime::Buffer;

use crate::context::Context;
use crate::mapping::Mappings;
use crate::status::{Outcome, Status};

/// SVM allocation.
#[derive(Clone)]
pub(crate) struct Svm {
    pub(crate) context: Arc<Context>,
    pub(crate) bytes: usize,
    /// Device memory, freed when the last clone is dropped.
    pub(crate) memory: Buffer,
    /// Mappings made by the application, each with a size in bytes.
    pub(crate) mappings: Arc<Mappings<u64>>,
}

/// All allocations by address.
static ALL: RwLock<BTreeMap<usize, Svm>> = RwLock::new(BTreeMap::new());

fn all() -> RwLockReadGuard<'static, BTreeMap<usize, Svm>> {
    ALL.read().unwrap_or_else(PoisonError::into_inner)
}

/// Allocates memory and returns its address.
///
/// # Errors
/// Out of memory.
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

/// Frees the allocation that starts at `address`. Ignores other addresses, for which behaviour is undefined.
pub(crate) fn free(address: usize) {
    let mut all = ALL.write().unwrap_or_else(PoisonError::into_inner);
    let svm = all.remove(&address);
    drop(all);
    // Frees the memory unless a command still refers to it.
    drop(svm);
}

/// Returns the allocation that contains an address, and its start address.
pub(crate) fn find(address: usize) -> Option<(usize, Svm)> {
    let all = all();
    let (base, svm) = all.range(..=address).next_back()?;
    (address - base < svm.bytes).then(|| (*base, svm.clone()))
}
