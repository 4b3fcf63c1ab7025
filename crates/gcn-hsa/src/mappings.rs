//! Virtual memory management: reserved address ranges, and memory handles mapped to them.
//!
//! On a real system, only agents to which the program grants access can access a mapping. Here, all agents share one
//! address space, so granting access to one agent grants it to all agents. Read-only access is not enforced.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_runtime::memory::{ALIGNMENT, SharedMemory};

use crate::abi::Handle;
use crate::handles::{self, Handles};
use crate::numbers::HSA_ACCESS_PERMISSION_NONE;
use crate::pools::{MemoryOrigin, MemoryPool, PoolCharge, Pools};
use crate::status::{HsaResult, Status};

/// Memory behind a memory handle. The memory has no address until the program maps it.
#[derive(Debug)]
pub(crate) struct HandleMemory {
    pub(crate) pool: MemoryPool,
    /// Memory type, an `hsa_amd_memory_type_t`.
    pub(crate) kind: u32,
    pub(crate) memory: SharedMemory,
    /// Charge against the memory limit of the pool's agent; `None` for imported memory.
    pub(crate) _charge: Option<PoolCharge>,
}

#[derive(Debug)]
struct Mapping {
    end: u64,
    memory: Arc<HandleMemory>,
    /// Offset in the handle's memory in bytes.
    offset: u64,
    /// Permission of each agent; agents without access are absent.
    access: BTreeMap<Handle, u32>,
}

#[derive(Debug, Default)]
struct MappingState {
    /// End address of each reserved range, by start address.
    reserved: BTreeMap<u64, u64>,
    mapped: BTreeMap<u64, Mapping>,
}

/// Reserved ranges and memory handles of the process.
#[derive(Debug, Default)]
pub(crate) struct Mappings {
    memories: Handles<HandleMemory>,
    state: Mutex<MappingState>,
}

impl Mappings {
    fn state(&self) -> MutexGuard<'_, MappingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves an address range, aligned to at least `align` bytes, and returns its start. Fails if `align` is not a
    /// power of two.
    pub(crate) fn reserve(&self, pools: &Pools, bytes: u64, align: u64) -> HsaResult<u64> {
        if bytes == 0 || !align.is_power_of_two() {
            return Err(Status::INVALID_ARGUMENT);
        }
        let whole = bytes.checked_next_multiple_of(ALIGNMENT);
        let whole = whole.ok_or(Status::OUT_OF_RESOURCES)?;
        let name = "reserved addresses";
        let reserved = pools.memory().reserve(name, whole, align.max(ALIGNMENT));
        let base = reserved.map_err(|_| Status::OUT_OF_RESOURCES)?;
        self.state().reserved.insert(base, base + bytes);
        Ok(base)
    }

    /// Releases a reserved range. Fails if memory is mapped to it.
    pub(crate) fn unreserve(&self, pools: &Pools, range: Range<u64>) -> HsaResult {
        let mut state = self.state();
        if state.reserved.get(&range.start) != Some(&range.end) {
            return Err(Status::INVALID_ALLOCATION);
        }
        if state.mapped.range(range.clone()).next().is_some() {
            return Err(Status::RESOURCE_BUSY);
        }
        state.reserved.remove(&range.start);
        let freed = pools.memory().unreserve(range.start);
        debug_assert!(freed.is_ok(), "nothing is mapped");
        Ok(())
    }

    /// Creates a memory handle.
    pub(crate) fn add(&self, memory: HandleMemory) -> Handle {
        self.memories.add(|_| memory)
    }

    pub(crate) fn memory(&self, handle: Handle) -> HsaResult<Arc<HandleMemory>> {
        let memory = self.memories.get(handle);
        memory.ok_or(Status::INVALID_ARGUMENT)
    }

    /// Releases a memory handle. The memory itself is kept as long as it is mapped.
    pub(crate) fn release(&self, handle: Handle) -> HsaResult {
        let memory = self.memories.remove(handle);
        memory.map(drop).ok_or(Status::INVALID_ARGUMENT)
    }

    /// Creates a new handle for the memory mapped at an address.
    pub(crate) fn retain(&self, address: u64) -> HsaResult<Handle> {
        let state = self.state();
        let found = state.mapped.range(..=address).next_back();
        let found = found.filter(|(_, it)| address < it.end);
        let (_, mapping) = found.ok_or(Status::INVALID_ALLOCATION)?;
        let handle = handles::next();
        self.memories.insert(handle, mapping.memory.clone());
        Ok(handle)
    }

    /// Maps part of a handle's memory to a reserved range. No agent can access it before [`Mappings::set_access`].
    pub(crate) fn map(&self, range: Range<u64>, offset: u64, handle: Handle) -> HsaResult {
        let memory = self.memory(handle)?;
        let is_whole = |n: u64| n.is_multiple_of(ALIGNMENT);
        let len = range.end.checked_sub(range.start).filter(|len| *len != 0);
        let len = len.ok_or(Status::INVALID_ARGUMENT)?;
        let end = offset.checked_add(len).ok_or(Status::INVALID_ARGUMENT)?;
        if !is_whole(range.start)
            || !is_whole(len)
            || !is_whole(offset)
            || end > memory.memory.bytes()
        {
            return Err(Status::INVALID_ARGUMENT);
        }
        let mut state = self.state();
        let reserved = state.reserved.range(..=range.start).next_back();
        if reserved.is_none_or(|(_, end)| *end < range.end) {
            return Err(Status::INVALID_ARGUMENT);
        }
        let before = state.mapped.range(..range.end).next_back();
        if before.is_some_and(|(_, it)| it.end > range.start) {
            return Err(Status::INVALID_ALLOCATION);
        }
        let mapping = Mapping {
            end: range.end,
            memory,
            offset,
            access: BTreeMap::new(),
        };
        state.mapped.insert(range.start, mapping);
        Ok(())
    }

    /// Removes the mapping that covers exactly `range`.
    pub(crate) fn unmap(&self, pools: &Pools, range: Range<u64>) -> HsaResult {
        let mut state = self.state();
        let found = state.mapped.get(&range.start);
        let found = found.filter(|it| it.end == range.end);
        let is_accessible = !found.ok_or(Status::INVALID_ALLOCATION)?.access.is_empty();
        state.mapped.remove(&range.start);
        if is_accessible {
            pools.unmap(range.start, MemoryOrigin::Mapped)?;
        }
        Ok(())
    }

    /// Sets the permissions of agents for a range, which must consist of adjacent whole mappings. No permission changes
    /// on failure.
    pub(crate) fn set_access(
        &self,
        pools: &Pools,
        range: Range<u64>,
        access: &[(Handle, u32)],
    ) -> HsaResult {
        let mut state = self.state();
        let mut at = range.start;
        for (&begin, mapping) in state.mapped.range(range.clone()) {
            if begin != at {
                break;
            }
            at = mapping.end;
        }
        if range.is_empty() || at != range.end {
            return Err(Status::INVALID_ALLOCATION);
        }
        let changed = |before: &BTreeMap<Handle, u32>| {
            let mut after = before.clone();
            for &(agent, permission) in access {
                if permission == HSA_ACCESS_PERMISSION_NONE {
                    after.remove(&agent);
                } else {
                    after.insert(agent, permission);
                }
            }
            after
        };
        // Only mapping can fail, so new mappings are created first and removed on failure.
        let mut made = Vec::new();
        for (&begin, mapping) in state.mapped.range(range.clone()) {
            if !mapping.access.is_empty() || changed(&mapping.access).is_empty() {
                continue;
            }
            let HandleMemory { pool, memory, .. } = &*mapping.memory;
            let place = (begin, mapping.end - begin);
            let mapped = pools.map(place, *pool, MemoryOrigin::Mapped, (memory, mapping.offset));
            if mapped.is_err() {
                for begin in made {
                    pools.unmap(begin, MemoryOrigin::Mapped)?;
                }
                return mapped;
            }
            made.push(begin);
        }
        for (&begin, mapping) in state.mapped.range_mut(range) {
            let after = changed(&mapping.access);
            if !mapping.access.is_empty() && after.is_empty() {
                pools.unmap(begin, MemoryOrigin::Mapped)?;
            }
            mapping.access = after;
        }
        Ok(())
    }

    /// Returns an agent's permission for an address.
    pub(crate) fn access(&self, address: u64, agent: Handle) -> HsaResult<u32> {
        let state = self.state();
        let found = state.mapped.range(..=address).next_back();
        let found = found.filter(|(_, it)| address < it.end);
        let (_, mapping) = found.ok_or(Status::INVALID_ALLOCATION)?;
        let permission = mapping.access.get(&agent);
        Ok(permission.copied().unwrap_or(HSA_ACCESS_PERMISSION_NONE))
    }
}
