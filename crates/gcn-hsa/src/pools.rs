//! Memory pools, what they have given, and the host's memory that agents may access.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_report::program::say::say_once;
use gcn_runtime::memory::{ALIAS, ALIGNMENT, Memory, SharedMemory};
use gcn_runtime::{Device, HostMemory};

use crate::abi::Handle;
use crate::info::{Info, unknown};
use crate::numbers::*;
use crate::status::{HsaResult, Status};

/// Bytes that allocations are multiples of.
const GRANULE: u64 = 4096;
/// Alignment of allocations of as many bytes or more, as drivers give it: allocators in kernels find the begin of a block by it.
const LARGE_PAGE: u64 = 2 << 20;
/// Position of the host's agent, which locked memory belongs to.
const HOST: usize = 0;
/// Bits of a pool's handle below its agent's number.
const KIND_BITS: u32 = 8;

/// A kind of pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PoolKind {
    /// Memory of the host whose changes both sides see at once.
    Fine,
    /// The same, for argument segments.
    Arguments,
    /// Memory of the host whose changes are seen at the ends of kernels. Here they are seen at once, too.
    Coarse,
    /// Memory of a device.
    Local,
    /// LDS, of which programs only ask the size.
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

    /// Bits of an `hsa_amd_memory_pool_global_flag_t`, which are those of an `hsa_region_global_flag_t`.
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

/// A pool: its agent and kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryPool {
    /// Position of the agent among all.
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

    /// The pool of a handle, of an agent that may not exist.
    pub(crate) fn of(handle: Handle) -> Option<MemoryPool> {
        let kind = (handle & ((1 << KIND_BITS) - 1)).checked_sub(1)?;
        Some(MemoryPool {
            agent: usize::try_from((handle >> KIND_BITS).checked_sub(1)?).ok()?,
            kind: *POOL_KINDS.get(usize::try_from(kind).ok()?)?,
        })
    }

    /// The value of an `hsa_amd_memory_pool_info_t`, of a pool of `size` bytes.
    pub(crate) fn info(self, size: u64, attribute: u32) -> HsaResult<Info> {
        let is_memory = self.kind != PoolKind::Group;
        let granule = match self.kind {
            PoolKind::Group => 0,
            // Memory handles are mapped in units of the address space.
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

    /// The value of an `hsa_region_info_t`.
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

/// A callback at the end of an allocation, with its argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndCallback {
    pub(crate) callback: crate::abi::FreeCallback,
    pub(crate) argument: usize,
}

/// Owner of an address that agents may access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemoryOrigin {
    /// The pool has given it.
    Pool,
    /// A memory handle that the program has mapped there.
    Mapped,
    /// Another process.
    Imported,
    /// The program, which has locked it.
    Locked,
}

/// Memory that a pool has given, or that the program has mapped.
#[derive(Clone, Debug)]
struct PoolAllocation {
    pool: MemoryPool,
    origin: MemoryOrigin,
    /// Bytes as asked for.
    bytes: u64,
    /// The same, rounded, as it counts.
    counted: u64,
    user_data: u64,
    at_end: Vec<EndCallback>,
}

/// Memory of the host that a program has locked.
#[derive(Debug)]
struct Locked {
    bytes: u64,
    user_data: u64,
    /// Keys of the parts that it needs.
    parts: Vec<u64>,
}

/// A range of the host's memory that kernels may access, and the number of locks that need it.
#[derive(Debug)]
struct LockedPart {
    end: u64,
    locks: usize,
    _registered: HostMemory,
}

/// The memory that an address is in.
#[derive(Clone, Debug)]
pub(crate) struct MemoryRange {
    /// Address that the host has.
    pub(crate) base: u64,
    /// Address that agents have.
    pub(crate) agents_base: u64,
    pub(crate) bytes: u64,
    /// Position of the agent that it belongs to.
    pub(crate) agent: usize,
    pub(crate) origin: MemoryOrigin,
    pub(crate) user_data: u64,
    pub(crate) flags: u32,
}

/// All memory of the process that agents may access.
#[derive(Debug)]
pub(crate) struct Pools {
    /// A device whose memory is that of all.
    device: Device,
    /// True if memory ends at the byte that the program has asked for, and not at the end of a granule.
    is_exact: bool,
    /// True if observers learn that memory of devices is undefined until it is written.
    undefines: bool,
    state: Arc<Mutex<PoolState>>,
}

#[derive(Debug, Default)]
struct PoolState {
    given: BTreeMap<u64, PoolAllocation>,
    /// By address; the last lock of an address is the one that is unlocked first.
    locked: BTreeMap<u64, Vec<Locked>>,
    parts: BTreeMap<u64, LockedPart>,
    /// Bytes that each agent's pools have given, by the agent's position.
    used: Vec<u64>,
    /// Number of allocations so far, for their names.
    count: u64,
}

/// Bytes of an agent's memory that have no address, counted until this is dropped.
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
    /// Bytes in use of an agent's memory with `more`, which must not be above `limit`.
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

    /// Removes what begins at an address.
    fn take(&mut self, base: u64, origin: MemoryOrigin) -> HsaResult<PoolAllocation> {
        let found = self.given.get(&base).filter(|it| it.origin == origin);
        found.ok_or(Status::INVALID_ALLOCATION)?;
        self.given.remove(&base).ok_or(Status::INVALID_ALLOCATION)
    }

    /// The allocation or the lock that an address is in.
    fn find(&self, address: u64) -> Option<MemoryRange> {
        if let Some((base, given)) = find_given(&self.given, address) {
            return Some(MemoryRange {
                base,
                agents_base: base,
                bytes: given.bytes,
                agent: given.pool.agent,
                origin: given.origin,
                user_data: given.user_data,
                flags: given.pool.kind.flags(),
            });
        }
        let address = of_host(address);
        let mut before = self.locked.range(..=address).rev();
        before.find_map(|(base, locks)| {
            let lock = locks.iter().find(|lock| address - base < lock.bytes)?;
            Some(MemoryRange {
                base: *base,
                agents_base: *base | if lock.parts.is_empty() { 0 } else { ALIAS },
                bytes: lock.bytes,
                agent: HOST,
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

    /// Bytes of an agent's memory that are in use.
    pub(crate) fn used(&self, agent: usize) -> u64 {
        self.state().used.get(agent).copied().unwrap_or(0)
    }

    /// Gives memory of a pool, whose agent has `limit` bytes; `function` is the one that asks for it.
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
        if pool.kind == PoolKind::Group {
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
        // The host writes its own memory unseen.
        if self.undefines && pool.kind == PoolKind::Local {
            self.device.memory().undefine(base, held);
        }
        state.count += 1;
        state.used[pool.agent] = used;
        state.given.insert(
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

    /// Lets kernels execute an allocation.
    pub(crate) fn make_executable(&self, base: u64) {
        let bytes = self.state().given.get(&base).map_or(0, |given| given.bytes);
        self.device.memory().make_executable(base, bytes);
    }

    /// Takes memory of a pool back; its callbacks are called, without a lock.
    pub(crate) fn free(&self, base: u64) -> HsaResult<Vec<EndCallback>> {
        let mut state = self.state();
        let given = state.take(base, MemoryOrigin::Pool)?;
        state.uncount(given.pool.agent, given.counted);
        drop(state);
        let freed = self.device.memory().free(base);
        debug_assert!(freed.is_ok(), "it is freed here only");
        Ok(given.at_end)
    }

    /// Counts bytes of a pool that have no address yet; the pool's agent has `limit` bytes.
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

    /// Maps shared memory at reserved addresses, where agents may access it from then on.
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
        self.state().given.insert(
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

    /// Unmaps it again.
    pub(crate) fn unmap(&self, base: u64, origin: MemoryOrigin) -> HsaResult {
        self.state().take(base, origin)?;
        let unmapped = self.device.memory().unmap(base);
        debug_assert!(unmapped.is_ok(), "it is unmapped here only");
        Ok(())
    }

    /// The memory that a pool has given at an address, for other processes, and the pool.
    pub(crate) fn share(&self, base: u64) -> HsaResult<(Arc<SharedMemory>, MemoryPool)> {
        let state = self.state();
        let given = state.given.get(&base);
        let given = given.filter(|it| it.origin == MemoryOrigin::Pool);
        let given = given.ok_or(Status::INVALID_ARGUMENT)?;
        let shared = self.device.memory().share(base).map_err(|problem| {
            say_once(&format!("memory cannot be shared: {problem}"));
            Status::OUT_OF_RESOURCES
        })?;
        Ok((shared, given.pool))
    }

    /// The device's memory, which has the addresses of all pools.
    pub(crate) fn memory(&self) -> &Memory {
        self.device.memory()
    }

    /// Makes memory of the host accessible to agents; the address that they have for it. As on a real device it is not the
    /// host's, by which programs tell the two apart, unless the memory is that of a pool.
    pub(crate) fn lock(&self, start: u64, bytes: u64) -> HsaResult<u64> {
        let end = start
            .checked_add(bytes)
            .filter(|_| start != 0 && bytes != 0);
        let end = end.ok_or(Status::INVALID_ARGUMENT)?;
        let pages = start / GRANULE * GRANULE..end.next_multiple_of(GRANULE);
        let mut state = self.state();
        let (address, parts) = if find_given(&state.given, start).is_some() {
            (start, Vec::new())
        } else {
            (start | ALIAS, self.take_parts(&mut state.parts, pages)?)
        };
        state.locked.entry(start).or_default().push(Locked {
            bytes,
            user_data: 0,
            parts,
        });
        Ok(address)
    }

    /// Registers what is not yet registered of a range; the keys of all parts in it, each of which has one more lock.
    fn take_parts(
        &self,
        parts: &mut BTreeMap<u64, LockedPart>,
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
            let part = LockedPart {
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

    /// Ends the last lock of an address.
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

    /// The allocation or the lock that an address is in.
    pub(crate) fn find(&self, address: u64) -> Option<MemoryRange> {
        self.state().find(address)
    }

    /// True if an address is in memory of a device, which the host reads and writes by copies.
    pub(crate) fn is_of_device(&self, address: u64) -> bool {
        let state = self.state();
        find_given(&state.given, address)
            .is_some_and(|(_, given)| given.pool.kind == PoolKind::Local)
    }

    /// Keeps a value of the program's with the allocation or the lock that an address is in.
    pub(crate) fn set_user_data(&self, address: u64, user_data: u64) -> HsaResult {
        let mut state = self.state();
        let found = state.find(address).ok_or(Status::INVALID_ARGUMENT)?;
        if let Some(given) = state.given.get_mut(&found.base) {
            given.user_data = user_data;
        } else if let Some(lock) = state
            .locked
            .get_mut(&found.base)
            .and_then(|locks| locks.last_mut())
        {
            lock.user_data = user_data;
        }
        Ok(())
    }

    /// Adds a callback for the end of an allocation.
    pub(crate) fn call_at_end(&self, base: u64, at_end: EndCallback) -> HsaResult {
        let mut state = self.state();
        let given = state
            .given
            .get_mut(&base)
            .ok_or(Status::INVALID_ALLOCATION)?;
        given.at_end.push(at_end);
        Ok(())
    }

    /// Removes a callback again.
    pub(crate) fn forget_at_end(&self, base: u64, callback: crate::abi::FreeCallback) -> HsaResult {
        let mut state = self.state();
        let given = state
            .given
            .get_mut(&base)
            .ok_or(Status::INVALID_ALLOCATION)?;
        let same = |at_end: &EndCallback| std::ptr::fn_addr_eq(at_end.callback, callback);
        let place = given.at_end.iter().position(same);
        given.at_end.remove(place.ok_or(Status::INVALID_ARGUMENT)?);
        Ok(())
    }
}

/// The host's address of memory that agents have under another.
pub(crate) fn of_host(address: u64) -> u64 {
    address & !ALIAS
}

fn find_given(
    given: &BTreeMap<u64, PoolAllocation>,
    address: u64,
) -> Option<(u64, &PoolAllocation)> {
    let (base, given) = given.range(..=address).next_back()?;
    (address - base < given.counted).then_some((*base, given))
}

#[allow(unsafe_code)]
fn register(device: &Device, range: &Range<u64>) -> Option<HostMemory> {
    let start = std::ptr::with_exposed_provenance_mut(range.start as usize);
    let len = range.end - range.start;
    // SAFETY: the program locks the memory, and keeps it until it unlocks it, as the HSA API asks of it.
    unsafe { HostMemory::alias_raw(device, "memory that the program has locked", start, len) }.ok()
}
