//! Memory pools, and memory that agents can access: allocations, mapped and imported memory, locked host memory.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_report::program::say::say_once;
use gcn_runtime::memory::{ALIAS, ALIGNMENT, Memory, SharedMemory};
use gcn_runtime::{Device, HostMemory};

use crate::abi::{FreeCallback, Handle};
use crate::info::{Info, unknown};
use crate::numbers::*;
use crate::status::{HsaResult, Status};

/// Allocation granularity in bytes.
const GRANULE: u64 = 4096;
/// Alignment and minimum size of large allocations in bytes, as in AMD's drivers. Device-side allocators rely on the
/// alignment to find the start of a block.
const LARGE_PAGE: u64 = 2 << 20;
/// Index of the host agent, which owns locked memory.
const HOST_AGENT: usize = 0;
/// Number of low bits in a pool handle that encode the kind; the other bits encode the agent.
const KIND_BITS: u32 = 8;

/// Kind of memory that a pool contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PoolKind {
    /// Fine-grained host memory.
    Fine,
    /// Fine-grained host memory for kernarg segments.
    Arguments,
    /// Coarse-grained host memory, emulated as fine-grained.
    Coarse,
    /// Device memory.
    Local,
    /// LDS. Programs only query its size.
    Group,
}

pub(crate) const POOL_KINDS: [PoolKind; 5] = [
    PoolKind::Fine,
    PoolKind::Arguments,
    PoolKind::Coarse,
    PoolKind::Local,
    PoolKind::Group,
];

impl PoolKind {
    pub(crate) fn is_hosts(self) -> bool {
        matches!(
            self,
            PoolKind::Fine | PoolKind::Arguments | PoolKind::Coarse
        )
    }

    /// Returns the pool's flags as `hsa_amd_memory_pool_global_flag_t`, which has the same bits as
    /// `hsa_region_global_flag_t`.
    pub(crate) fn flags(self) -> u32 {
        match self {
            PoolKind::Fine => 2,
            PoolKind::Arguments => 1 | 2,
            PoolKind::Coarse | PoolKind::Local => 4,
            PoolKind::Group => 0,
        }
    }

    fn name(self) -> &'static str {
        match self {
            PoolKind::Fine | PoolKind::Coarse => "host memory",
            PoolKind::Arguments => "memory for arguments",
            PoolKind::Local => "device memory",
            PoolKind::Group => "LDS",
        }
    }
}

/// Memory pool, identified by its agent and kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryPool {
    /// Agent index.
    pub(crate) agent: usize,
    pub(crate) kind: PoolKind,
}

impl MemoryPool {
    pub(crate) fn new(agent: usize, kind: PoolKind) -> MemoryPool {
        MemoryPool { agent, kind }
    }

    pub(crate) fn handle(self) -> Handle {
        let kind = POOL_KINDS.iter().position(|kind| *kind == self.kind);
        (self.agent as Handle + 1) << KIND_BITS | (kind.unwrap_or(0) as Handle + 1)
    }

    /// Decodes a pool handle. The agent may not exist.
    pub(crate) fn of(handle: Handle) -> Option<MemoryPool> {
        let kind = (handle & ((1 << KIND_BITS) - 1)).checked_sub(1)?;
        Some(MemoryPool {
            agent: usize::try_from((handle >> KIND_BITS).checked_sub(1)?).ok()?,
            kind: *POOL_KINDS.get(usize::try_from(kind).ok()?)?,
        })
    }

    /// Returns the value of `attribute`, an `hsa_amd_memory_pool_info_t`. `size` is the size of the pool in bytes.
    pub(crate) fn info(self, size: u64, attribute: u32) -> HsaResult<Info> {
        let is_memory = self.kind != PoolKind::Group;
        let granule = match self.kind {
            PoolKind::Group => 0,
            // Memory handles are mapped at the granularity of the address space.
            PoolKind::Local => ALIGNMENT,
            PoolKind::Fine | PoolKind::Arguments | PoolKind::Coarse => GRANULE,
        };
        Ok(match attribute {
            HSA_AMD_MEMORY_POOL_INFO_SEGMENT => Info::U32(if is_memory {
                HSA_AMD_SEGMENT_GLOBAL
            } else {
                HSA_AMD_SEGMENT_GROUP
            }),
            HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS => Info::U32(self.kind.flags()),
            HSA_AMD_MEMORY_POOL_INFO_SIZE | HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE => {
                Info::U64(size)
            }
            HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED => Info::Bool(is_memory),
            HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE
            | HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT => Info::U64(granule),
            HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE => {
                Info::U64(if self.kind == PoolKind::Local {
                    LARGE_PAGE
                } else {
                    granule
                })
            }
            HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL => Info::Bool(self.kind.is_hosts()),
            HSA_AMD_MEMORY_POOL_INFO_LOCATION => Info::U32(if self.kind.is_hosts() {
                HSA_AMD_MEMORY_POOL_LOCATION_CPU
            } else {
                HSA_AMD_MEMORY_POOL_LOCATION_GPU
            }),
            _ => return Err(unknown("a memory pool", attribute)),
        })
    }

    /// Returns the value of `attribute`, an `hsa_region_info_t`.
    pub(crate) fn region_info(self, size: u64, attribute: u32) -> HsaResult<Info> {
        match attribute {
            HSA_REGION_INFO_SEGMENT
            | HSA_REGION_INFO_GLOBAL_FLAGS
            | HSA_REGION_INFO_SIZE
            | HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED
            | HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE
            | HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT => self.info(size, attribute),
            HSA_REGION_INFO_ALLOC_MAX_SIZE => Ok(Info::U64(size)),
            HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE => Ok(Info::U32(0)),
            _ => Err(unknown("a region", attribute)),
        }
    }
}

/// Deallocation callback and its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeHandler {
    /// Registered address, anywhere in the allocation.
    pub(crate) address: u64,
    pub(crate) callback: FreeCallback,
    pub(crate) argument: usize,
}

/// Origin of memory that agents can access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryOrigin {
    /// Allocated from a pool.
    Pool,
    /// Memory of a memory handle, mapped by the program.
    Mapped,
    /// Imported from another process.
    Imported,
    /// Host memory locked by the program.
    Locked,
}

/// Memory that is allocated from a pool, mapped through a memory handle, or imported.
#[derive(Clone, Debug)]
struct PoolAllocation {
    pool: MemoryPool,
    origin: MemoryOrigin,
    /// Size in bytes that the program requested.
    bytes: u64,
    /// Size in bytes, rounded up to the granularity. Only pool allocations count against the agent's memory limit here.
    counted: u64,
    user_data: u64,
    at_end: Vec<FreeHandler>,
}

/// Lock of host memory.
#[derive(Debug)]
struct HostLock {
    bytes: u64,
    user_data: u64,
    /// Start addresses of the [`RegisteredPart`]s that cover the range; empty if the memory belongs to a pool.
    parts: Vec<u64>,
}

/// Range of locked host memory, registered with the device, and the number of locks that overlap the range.
#[derive(Debug)]
struct RegisteredPart {
    end: u64,
    locks: usize,
    _registered: HostMemory,
}

/// Allocation or lock that contains a given address.
#[derive(Clone, Debug)]
pub(crate) struct MemoryRange {
    /// Base address for the host.
    pub(crate) base: u64,
    /// Base address for agents.
    pub(crate) agents_base: u64,
    pub(crate) bytes: u64,
    /// Index of the agent that owns the memory.
    pub(crate) agent: usize,
    pub(crate) origin: MemoryOrigin,
    pub(crate) user_data: u64,
    pub(crate) flags: u32,
}

/// Memory of the program that agents can access.
#[derive(Debug)]
pub(crate) struct Pools {
    /// Device whose memory all devices share.
    device: Device,
    /// True if an allocation ends at its last requested byte, rather than at the end of a granule.
    is_exact: bool,
    /// True if new device memory is reported to observers as uninitialized.
    undefines: bool,
    state: Arc<Mutex<PoolState>>,
}

#[derive(Debug, Default)]
struct PoolState {
    allocations: BTreeMap<u64, PoolAllocation>,
    /// Locks by address. Each unlock removes the latest lock at an address.
    locked: BTreeMap<u64, Vec<HostLock>>,
    parts: BTreeMap<u64, RegisteredPart>,
    /// Memory use of each agent's pools in bytes, by agent index.
    used: Vec<u64>,
    /// Number of allocations so far, used to name them.
    count: u64,
}

/// Memory of a memory handle, counted against an agent's memory limit until it is dropped.
#[derive(Debug)]
pub(crate) struct PoolCharge {
    state: Arc<Mutex<PoolState>>,
    agent: usize,
    bytes: u64,
}

impl Drop for PoolCharge {
    fn drop(&mut self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.uncount(self.agent, self.bytes);
    }
}

impl PoolState {
    /// Returns an agent's memory use after an allocation of `more` bytes. Fails if the result exceeds `limit`.
    fn with(&mut self, agent: usize, more: u64, limit: u64) -> HsaResult<u64> {
        if self.used.len() <= agent {
            self.used.resize(agent + 1, 0);
        }
        let used = self.used[agent].checked_add(more);
        used.filter(|used| *used <= limit)
            .ok_or(Status::OUT_OF_RESOURCES)
    }

    fn uncount(&mut self, agent: usize, bytes: u64) {
        if let Some(used) = self.used.get_mut(agent) {
            *used = used.saturating_sub(bytes);
        }
    }

    /// Removes the allocation with base address `base` and the given origin, and all locks inside the allocation.
    fn take(&mut self, base: u64, origin: MemoryOrigin) -> HsaResult<PoolAllocation> {
        let found = self.allocations.get(&base).filter(|it| it.origin == origin);
        let end = base + found.ok_or(Status::INVALID_ALLOCATION)?.counted;
        self.locked.retain(|start, _| !(base..end).contains(start));
        let removed = self.allocations.remove(&base);
        removed.ok_or(Status::INVALID_ALLOCATION)
    }

    /// Returns the deallocation callbacks of the allocation that contains an address.
    fn free_handlers(&mut self, address: u64) -> Option<&mut Vec<FreeHandler>> {
        let (base, _) = find_allocation(&self.allocations, address)?;
        let allocation = self.allocations.get_mut(&base)?;
        Some(&mut allocation.at_end)
    }

    /// Finds the allocation or lock that contains an address; the latest one of several locks with the same base.
    fn find(&self, address: u64) -> Option<MemoryRange> {
        if let Some((base, allocation)) = find_allocation(&self.allocations, address) {
            return Some(MemoryRange {
                base,
                agents_base: base,
                bytes: allocation.bytes,
                agent: allocation.pool.agent,
                origin: allocation.origin,
                user_data: allocation.user_data,
                flags: allocation.pool.kind.flags(),
            });
        }
        let address = to_host_address(address);
        let mut before = self.locked.range(..=address).rev();
        before.find_map(|(base, locks)| {
            let lock = locks.iter().rfind(|lock| address - base < lock.bytes)?;
            Some(MemoryRange {
                base: *base,
                agents_base: *base | if lock.parts.is_empty() { 0 } else { ALIAS },
                bytes: lock.bytes,
                agent: HOST_AGENT,
                origin: MemoryOrigin::Locked,
                user_data: lock.user_data,
                flags: PoolKind::Fine.flags(),
            })
        })
    }
}

impl Pools {
    pub(crate) fn new(device: &Device, is_exact: bool, undefines: bool) -> Pools {
        Pools {
            device: device.clone(),
            is_exact,
            undefines,
            state: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the memory use of an agent's pools in bytes.
    pub(crate) fn used(&self, agent: usize) -> u64 {
        self.state().used.get(agent).copied().unwrap_or(0)
    }

    /// Allocates memory from a pool, and returns its address. `limit` is the memory size of the pool's agent;
    /// `function` is the API function's name.
    pub(crate) fn allocate(
        &self,
        limit: u64,
        pool: MemoryPool,
        bytes: u64,
        function: &str,
    ) -> HsaResult<u64> {
        if bytes == 0 {
            return Err(Status::INVALID_ARGUMENT);
        }
        if pool.kind == PoolKind::Group || bytes > limit {
            return Err(Status::INVALID_ALLOCATION);
        }
        let counted = bytes.checked_next_multiple_of(GRANULE);
        let counted = counted.ok_or(Status::OUT_OF_RESOURCES)?;
        let mut state = self.state();
        let used = state.with(pool.agent, counted, limit)?;
        let name = format!(
            "{} ({function}, allocation {})",
            pool.kind.name(),
            state.count
        );
        let align = if counted >= LARGE_PAGE {
            LARGE_PAGE
        } else {
            GRANULE
        };
        let held = if self.is_exact { bytes } else { counted };
        let base = self.device.memory().allocate_aligned(&name, held, align);
        let base = base.map_err(|_| Status::OUT_OF_RESOURCES)?;
        // Not host memory, which would remain uninitialized, since the host's writes to it are not observed.
        if self.undefines && pool.kind == PoolKind::Local {
            self.device.memory().undefine(base, held);
        }
        state.count += 1;
        state.used[pool.agent] = used;
        state.allocations.insert(
            base,
            PoolAllocation {
                pool,
                origin: MemoryOrigin::Pool,
                bytes,
                counted,
                user_data: 0,
                at_end: Vec::new(),
            },
        );
        Ok(base)
    }

    /// Makes an allocation executable.
    pub(crate) fn make_executable(&self, base: u64) {
        let bytes = self
            .state()
            .allocations
            .get(&base)
            .map_or(0, |allocation| allocation.bytes);
        self.device.memory().make_executable(base, bytes);
    }

    /// Frees pool memory. As in ROCr, calls `notify` after removing the allocation and before freeing its memory.
    pub(crate) fn free(&self, base: u64, notify: impl Fn(FreeHandler)) -> HsaResult {
        let allocation = self.state().take(base, MemoryOrigin::Pool)?;
        allocation.at_end.into_iter().for_each(notify);
        let freed = self.device.memory().free(base);
        debug_assert!(freed.is_ok(), "it is freed here only");
        self.state()
            .uncount(allocation.pool.agent, allocation.counted);
        Ok(())
    }

    /// Counts `bytes` of a memory handle against `limit`, the memory size of the pool's agent, until the charge is
    /// dropped.
    pub(crate) fn charge(&self, limit: u64, pool: MemoryPool, bytes: u64) -> HsaResult<PoolCharge> {
        let mut state = self.state();
        let used = state.with(pool.agent, bytes, limit)?;
        state.used[pool.agent] = used;
        Ok(PoolCharge {
            state: self.state.clone(),
            agent: pool.agent,
            bytes,
        })
    }

    /// Maps shared memory to a reserved range, and makes it accessible to agents.
    pub(crate) fn map(
        &self,
        (base, bytes): (u64, u64),
        pool: MemoryPool,
        origin: MemoryOrigin,
        from: (&SharedMemory, u64),
    ) -> HsaResult {
        let name = match origin {
            MemoryOrigin::Imported => "device memory of another process",
            _ => "mapped device memory",
        };
        let mapped = self.device.memory().map(name, base, bytes, from);
        mapped.map_err(|problem| {
            say_once(&format!("memory cannot be mapped: {problem}"));
            Status::INVALID_ARGUMENT
        })?;
        self.state().allocations.insert(
            base,
            PoolAllocation {
                pool,
                origin,
                bytes,
                counted: bytes,
                user_data: 0,
                at_end: Vec::new(),
            },
        );
        Ok(())
    }

    /// Unmaps memory that [`Pools::map`] has mapped.
    pub(crate) fn unmap(&self, base: u64, origin: MemoryOrigin) -> HsaResult {
        self.state().take(base, origin)?;
        let unmapped = self.device.memory().unmap(base);
        debug_assert!(unmapped.is_ok(), "it is unmapped here only");
        Ok(())
    }

    /// Makes an allocation shareable with other processes. Returns the shared memory and its pool.
    pub(crate) fn share(&self, base: u64) -> HsaResult<(Arc<SharedMemory>, MemoryPool)> {
        let state = self.state();
        let allocation = state.allocations.get(&base);
        let allocation = allocation.filter(|it| it.origin == MemoryOrigin::Pool);
        let allocation = allocation.ok_or(Status::INVALID_ARGUMENT)?;
        let shared = self.device.memory().share(base).map_err(|problem| {
            say_once(&format!("memory cannot be shared: {problem}"));
            Status::OUT_OF_RESOURCES
        })?;
        Ok((shared, allocation.pool))
    }

    /// Returns the memory that all devices share. Its address space covers all pools.
    pub(crate) fn memory(&self) -> &Memory {
        self.device.memory()
    }

    /// Makes host memory accessible to agents, and returns the address at which agents access it. As on a real device,
    /// this address differs from the host address, unless the memory belongs to a pool. Programs rely on the difference
    /// to distinguish the two cases.
    pub(crate) fn lock(&self, start: u64, bytes: u64) -> HsaResult<u64> {
        let end = start
            .checked_add(bytes)
            .and_then(|end| end.checked_next_multiple_of(GRANULE))
            .filter(|_| start != 0 && bytes != 0);
        let pages = start / GRANULE * GRANULE..end.ok_or(Status::INVALID_ARGUMENT)?;
        let mut state = self.state();
        let (address, parts) = if find_allocation(&state.allocations, start).is_some() {
            (start, Vec::new())
        } else {
            (start | ALIAS, self.lock_parts(&mut state.parts, pages)?)
        };
        state.locked.entry(start).or_default().push(HostLock {
            bytes,
            user_data: 0,
            parts,
        });
        Ok(address)
    }

    /// Registers the gaps in a range, locks all parts that overlap it, and returns their start addresses.
    fn lock_parts(
        &self,
        parts: &mut BTreeMap<u64, RegisteredPart>,
        range: Range<u64>,
    ) -> HsaResult<Vec<u64>> {
        let before = parts.range(..=range.start).next_back();
        let before = before
            .filter(|(_, part)| part.end > range.start)
            .map(|(key, _)| *key);
        let inside = parts.range(range.start..range.end).map(|(key, _)| *key);
        let mut taken: Vec<u64> = before.into_iter().chain(inside).collect();
        taken.dedup();
        let mut gaps = Vec::new();
        let mut at = range.start;
        for key in &taken {
            if at < *key {
                gaps.push(at..*key);
            }
            at = at.max(parts[key].end);
        }
        if at < range.end {
            gaps.push(at..range.end);
        }
        let mut made = Vec::new();
        for gap in gaps {
            let registered = register(&self.device, &gap).ok_or(Status::OUT_OF_RESOURCES)?;
            made.push((gap, registered));
        }
        for (gap, registered) in made {
            taken.push(gap.start);
            let part = RegisteredPart {
                end: gap.end,
                locks: 0,
                _registered: registered,
            };
            parts.insert(gap.start, part);
        }
        for key in &taken {
            if let Some(part) = parts.get_mut(key) {
                part.locks += 1;
            }
        }
        Ok(taken)
    }

    /// Removes the latest lock at an address.
    pub(crate) fn unlock(&self, start: u64) -> HsaResult {
        let mut state = self.state();
        let locks = state
            .locked
            .get_mut(&start)
            .ok_or(Status::INVALID_ARGUMENT)?;
        let lock = locks.pop();
        if locks.is_empty() {
            state.locked.remove(&start);
        }
        for key in lock.into_iter().flat_map(|lock| lock.parts) {
            if let Some(part) = state.parts.get_mut(&key) {
                part.locks -= 1;
                if part.locks == 0 {
                    state.parts.remove(&key);
                }
            }
        }
        Ok(())
    }

    /// Finds the allocation or lock that contains an address.
    pub(crate) fn find(&self, address: u64) -> Option<MemoryRange> {
        self.state().find(address)
    }

    /// Returns true for an address in device memory, which the host accesses only through copies if checks are enabled.
    pub(crate) fn is_of_device(&self, address: u64) -> bool {
        let state = self.state();
        find_allocation(&state.allocations, address)
            .is_some_and(|(_, allocation)| allocation.pool.kind == PoolKind::Local)
    }

    /// Sets the user data of the allocation or lock that contains an address.
    pub(crate) fn set_user_data(&self, address: u64, user_data: u64) -> HsaResult {
        let mut state = self.state();
        let found = state.find(address).ok_or(Status::INVALID_ARGUMENT)?;
        if let Some(allocation) = state.allocations.get_mut(&found.base) {
            allocation.user_data = user_data;
        } else {
            let mut locks = state.locked.get_mut(&found.base).into_iter().flatten();
            // `find` has returned the latest lock with this base and size.
            if let Some(lock) = locks.rfind(|lock| lock.bytes == found.bytes) {
                lock.user_data = user_data;
            }
        }
        Ok(())
    }

    /// Adds a deallocation callback to the allocation that contains the callback's registered address.
    pub(crate) fn add_free_handler(&self, at_end: FreeHandler) -> HsaResult {
        let mut state = self.state();
        let handlers = state.free_handlers(at_end.address);
        handlers.ok_or(Status::INVALID_ALLOCATION)?.push(at_end);
        Ok(())
    }

    pub(crate) fn remove_free_handler(&self, address: u64, callback: FreeCallback) -> HsaResult {
        let mut state = self.state();
        let handlers = state.free_handlers(address);
        let handlers = handlers.ok_or(Status::INVALID_ARGUMENT)?;
        let same = |at_end: &FreeHandler| {
            at_end.address == address && std::ptr::fn_addr_eq(at_end.callback, callback)
        };
        let place = handlers.iter().position(same);
        handlers.remove(place.ok_or(Status::INVALID_ARGUMENT)?);
        Ok(())
    }
}

/// Converts an agent address of locked memory to its host address. Returns other addresses unchanged.
pub(crate) fn to_host_address(address: u64) -> u64 {
    address & !ALIAS
}

fn find_allocation(
    allocations: &BTreeMap<u64, PoolAllocation>,
    address: u64,
) -> Option<(u64, &PoolAllocation)> {
    let (base, allocation) = allocations.range(..=address).next_back()?;
    (address - base < allocation.counted).then_some((*base, allocation))
}

#[allow(unsafe_code)]
fn register(device: &Device, range: &Range<u64>) -> Option<HostMemory> {
    let start = std::ptr::with_exposed_provenance_mut(range.start as usize);
    let len = range.end - range.start;
    // SAFETY: the program keeps the memory valid until it unlocks it, as the HSA API requires.
    unsafe { HostMemory::alias_raw(device, "memory that the program has locked", start, len) }.ok()
}
