//! Shared virtual memory: allocations that host and devices have at one address.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use gcn_runtime::Buffer;

use crate::context::Context;
use crate::mapping::Mappings;
use crate::status::{Outcome, Status};

/// An allocation.
#[derive(Clone)]
pub(crate) struct Svm {
    pub(crate) context: Arc<Context>,
    pub(crate) bytes: usize,
    /// The memory, which is freed with the last of those that use it.
    pub(crate) memory: Buffer,
    /// The parts that the program has mapped: bytes of each.
    pub(crate) mappings: Arc<Mappings<u64>>,
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
