//! API functions for memory: pools, regions, locks, copies and pointer queries.

use std::ffi::c_void;

use super::{address, array, call, each, pointer, put, put_info};
use crate::abi::{Dim3, FreeCallback, Handle, HandleCallback, PitchedPtr, PointerInfo, Times};
use crate::agents::Agent;
use crate::copies::{CopyJob, CopyRequest, PitchedCorner};
use crate::numbers::*;
use crate::pools::{FreeHandler, MemoryOrigin, MemoryPool, MemoryRange, to_host_address};
use crate::runtime::Runtime;
use crate::signals::{Dependencies, Signal};
use crate::status::{HsaResult, Status};
use crate::transfers;

/// Converts a pointer to a host address. Locked memory may be given by its agent address.
fn host_address(pointer: *const c_void) -> u64 {
    to_host_address(address(pointer))
}

fn pool(runtime: &Runtime, handle: Handle) -> HsaResult<(MemoryPool, &Agent)> {
    runtime.pool(handle).ok_or(Status::INVALID_MEMORY_POOL)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_agent_iterate_memory_pools(
    agent: Handle,
    callback: Option<HandleCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let pools = runtime.agent(agent)?.pools().map(MemoryPool::handle);
        // SAFETY: the program guarantees that the callback is valid.
        unsafe { each(pools, callback, data) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_pool_get_info(
    handle: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let (pool, agent) = pool(runtime, handle)?;
        let info = pool.info(agent.pool_size(pool.kind), attribute);
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_agent_memory_pool_get_info(
    agent: Handle,
    handle: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        let (pool, _) = pool(runtime, handle)?;
        // With checks enabled, deny the host direct access to device memory, so that the checkers observe its writes.
        let info = agent.pool_info(pool, attribute, runtime.watch.checks().is_none());
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_pool_allocate(
    handle: Handle,
    size: usize,
    flags: u32,
    to: *mut *mut c_void,
) -> Status {
    call(|runtime| {
        let from = pool(runtime, handle)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe {
            allocate(runtime, from, size, to, "hsa_amd_memory_pool_allocate")?;
            if flags & HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG != 0 {
                runtime.pools.make_executable(address(*to));
            }
        }
        Ok(())
    })
}

/// Allocates memory from a pool, and writes its address. `function` is the name of the API function.
///
/// # Safety
/// `to` is null or writable.
unsafe fn allocate(
    runtime: &Runtime,
    (pool, agent): (MemoryPool, &Agent),
    size: usize,
    to: *mut *mut c_void,
    function: &str,
) -> HsaResult {
    if to.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    let base = runtime
        .pools
        .allocate(agent.memory, pool, size as u64, function)?;
    // SAFETY: the caller guarantees that the address is writable.
    unsafe { put(to, pointer(base)) }
}

fn free(runtime: &Runtime, memory: *mut c_void) -> HsaResult {
    if memory.is_null() {
        return Ok(());
    }
    runtime.pools.free(address(memory), |at_end| {
        let argument = std::ptr::with_exposed_provenance_mut(at_end.argument);
        // SAFETY: the program registered the function and its arguments for this call.
        unsafe { (at_end.callback)(pointer(at_end.address), argument) };
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_memory_pool_free(memory: *mut c_void) -> Status {
    call(|runtime| free(runtime, memory))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_agent_iterate_regions(
    agent: Handle,
    callback: Option<HandleCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let agent = runtime.agent(agent)?;
        let host = runtime
            .agents
            .first()
            .into_iter()
            .filter(|host| host.index() != agent.index());
        let pools = host.flat_map(|host| host.pools()).chain(agent.pools());
        // SAFETY: the program guarantees that the callback is valid.
        unsafe { each(pools.map(MemoryPool::handle), callback, data) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_region_get_info(
    region: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let (pool, agent) = runtime.pool(region).ok_or(Status::INVALID_REGION)?;
        let info = pool.region_info(agent.pool_size(pool.kind), attribute);
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_memory_allocate(
    region: Handle,
    size: usize,
    to: *mut *mut c_void,
) -> Status {
    call(|runtime| {
        let from = runtime.pool(region).ok_or(Status::INVALID_REGION)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { allocate(runtime, from, size, to, "hsa_memory_allocate") }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_memory_free(memory: *mut c_void) -> Status {
    call(|runtime| free(runtime, memory))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_memory_copy(
    to: *mut c_void,
    from: *const c_void,
    size: usize,
) -> Status {
    call(|_| {
        if size != 0 && (to.is_null() || from.is_null()) {
            return Err(Status::INVALID_ARGUMENT);
        }
        let copy = CopyRequest::Line {
            to: host_address(to),
            from: host_address(from),
            bytes: size,
        };
        // SAFETY: the program guarantees that the addresses are valid.
        unsafe { transfers::make(&copy) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_memory_assign_agent(
    memory: *mut c_void,
    agent: Handle,
    access: u32,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        // All agents already have access.
        match access {
            1..=3 if !memory.is_null() => Ok(()),
            _ => Err(Status::INVALID_ARGUMENT),
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_memory_register(memory: *mut c_void, size: usize) -> Status {
    call(|runtime| {
        if memory.is_null() {
            return Ok(());
        }
        runtime.pools.lock(address(memory), size as u64).map(drop)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_memory_deregister(memory: *mut c_void, _size: usize) -> Status {
    call(|runtime| {
        // As in ROCr, deregistering unregistered memory succeeds.
        let _ = runtime.pools.unlock(address(memory));
        Ok(())
    })
}

/// Locks host memory, and writes the address at which agents access it.
///
/// # Safety
/// The arguments satisfy the contract of the API functions that lock memory.
unsafe fn lock(
    runtime: &Runtime,
    memory: *mut c_void,
    size: usize,
    (agents, count): (*const Handle, i32),
    seen: *mut *mut c_void,
) -> HsaResult {
    if seen.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    let count = u32::try_from(count).map_err(|_| Status::INVALID_ARGUMENT)?;
    if !agents.is_null() {
        // SAFETY: the caller guarantees that the array is valid.
        for agent in unsafe { array(agents, count) }? {
            runtime.agent(*agent)?;
        }
    }
    let agents = runtime.pools.lock(address(memory), size as u64)?;
    // SAFETY: the caller guarantees that the address is writable.
    unsafe { put(seen, pointer(agents)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_lock(
    memory: *mut c_void,
    size: usize,
    agents: *mut Handle,
    count: i32,
    seen: *mut *mut c_void,
) -> Status {
    // SAFETY: the program guarantees valid arguments.
    call(|runtime| unsafe { lock(runtime, memory, size, (agents, count), seen) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_lock_to_pool(
    memory: *mut c_void,
    size: usize,
    agents: *mut Handle,
    count: i32,
    handle: Handle,
    _flags: u32,
    seen: *mut *mut c_void,
) -> Status {
    call(|runtime| {
        let (pool, _) = pool(runtime, handle)?;
        if !pool.kind.is_hosts() {
            return Err(Status::INVALID_MEMORY_POOL);
        }
        // SAFETY: the program guarantees valid arguments.
        unsafe { lock(runtime, memory, size, (agents, count), seen) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_memory_unlock(memory: *mut c_void) -> Status {
    call(|runtime| runtime.pools.unlock(address(memory)))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_fill(
    memory: *mut c_void,
    value: u32,
    count: usize,
) -> Status {
    call(|runtime| {
        let begin = address(memory);
        if begin == 0 || !begin.is_multiple_of(4) {
            return Err(Status::INVALID_ARGUMENT);
        }
        if count == 0 {
            return Ok(());
        }
        let bytes = (count as u64)
            .checked_mul(4)
            .ok_or(Status::INVALID_ALLOCATION)?;
        let found = runtime.pools.find(begin);
        let found = found.ok_or(Status::INVALID_ALLOCATION)?;
        let host = to_host_address(begin);
        let is_inside = host
            .checked_add(bytes)
            .is_some_and(|end| end <= found.base + found.bytes);
        if !is_inside {
            return Err(Status::INVALID_ALLOCATION);
        }
        let dwords = pointer::<u32>(host);
        for index in 0..count {
            // SAFETY: the dwords lie in an allocation. Kernels may race with this write, as on a real device.
            unsafe { dwords.add(index).write_volatile(value) };
        }
        if let Some(checking) = runtime.watch.checks() {
            checking.wrote((host, bytes));
        }
        Ok(())
    })
}

/// Looks up the dependency signals and the completion signal of a copy.
///
/// # Safety
/// `after` is null or points to `count` elements.
unsafe fn signals(
    runtime: &Runtime,
    count: u32,
    after: *const Handle,
    done: Handle,
) -> HsaResult<(Dependencies, Signal)> {
    // SAFETY: the caller guarantees that the array is valid.
    let after = unsafe { array(after, count) }?;
    let after: HsaResult<Vec<Signal>> = after
        .iter()
        .map(|handle| runtime.signals.get(*handle))
        .collect();
    Ok((Dependencies::new(after?), runtime.signals.get(done)?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_async_copy(
    to: *mut c_void,
    to_agent: Handle,
    from: *const c_void,
    from_agent: Handle,
    size: usize,
    count: u32,
    after: *const Handle,
    done: Handle,
) -> Status {
    call(|runtime| {
        if to.is_null() || from.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        runtime.agent(to_agent)?;
        runtime.agent(from_agent)?;
        // SAFETY: the program guarantees that the array is valid.
        let (after, done) = unsafe { signals(runtime, count, after, done) }?;
        let copy = CopyRequest::Line {
            to: host_address(to),
            from: host_address(from),
            bytes: size,
        };
        runtime.copies.submit(CopyJob {
            copy,
            after,
            done,
            make: transfers::make,
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_async_copy_on_engine(
    to: *mut c_void,
    to_agent: Handle,
    from: *const c_void,
    from_agent: Handle,
    size: usize,
    count: u32,
    after: *const Handle,
    done: Handle,
    _engine: u32,
    _force: bool,
) -> Status {
    // SAFETY: both functions have the same safety contract. The engine is ignored, since only one exists.
    unsafe { hsa_amd_memory_async_copy(to, to_agent, from, from_agent, size, count, after, done) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_copy_engine_status(
    to_agent: Handle,
    from_agent: Handle,
    engines: *mut u32,
) -> Status {
    /// Mask of the only copy engine.
    const FIRST: u32 = HSA_AMD_SDMA_ENGINE_0;
    // SAFETY: the program guarantees that the address is valid.
    unsafe { put_engines((to_agent, from_agent), engines, FIRST) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_get_preferred_copy_engine(
    to_agent: Handle,
    from_agent: Handle,
    engines: *mut u32,
) -> Status {
    const NO_PREFERENCE: u32 = 0;
    // SAFETY: the program guarantees that the address is valid.
    unsafe { put_engines((to_agent, from_agent), engines, NO_PREFERENCE) }
}

/// Writes the copy engine mask `set`. Fails if the handle of an agent is invalid.
///
/// # Safety
/// `engines` is null or writable.
unsafe fn put_engines((to, from): (Handle, Handle), engines: *mut u32, set: u32) -> Status {
    call(|runtime| {
        runtime.agent(to)?;
        runtime.agent(from)?;
        // SAFETY: the caller guarantees that the address is writable.
        unsafe { put(engines, set) }
    })
}

/// Replaces the base address of pitched memory with a host address.
fn to_host_addresses(memory: &PitchedPtr) -> PitchedPtr {
    PitchedPtr {
        base: to_host_address(memory.base),
        ..*memory
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_async_copy_rect(
    to: *const PitchedPtr,
    to_offset: *const Dim3,
    from: *const PitchedPtr,
    from_offset: *const Dim3,
    range: *const Dim3,
    agent: Handle,
    _direction: u32,
    count: u32,
    after: *const Handle,
    done: Handle,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        // SAFETY: the program guarantees that the addresses are valid.
        let (memories, offsets, range) = unsafe {
            (
                (to.as_ref(), from.as_ref()),
                (to_offset.as_ref(), from_offset.as_ref()),
                range.as_ref(),
            )
        };
        let ((Some(to), Some(from)), (Some(to_offset), Some(from_offset)), Some(range)) =
            (memories, offsets, range)
        else {
            return Err(Status::INVALID_ARGUMENT);
        };
        if to.base == 0 || from.base == 0 {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees that the array is valid.
        let (after, done) = unsafe { signals(runtime, count, after, done) }?;
        let copy = CopyRequest::Box {
            to: PitchedCorner {
                memory: to_host_addresses(to),
                offset: *to_offset,
            },
            from: PitchedCorner {
                memory: to_host_addresses(from),
                offset: *from_offset,
            },
            range: *range,
        };
        runtime.copies.submit(CopyJob {
            copy,
            after,
            done,
            make: transfers::make,
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_memory_pool_can_migrate(
    from: Handle,
    to: Handle,
    result: *mut bool,
) -> Status {
    call(|runtime| {
        pool(runtime, from)?;
        pool(runtime, to)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(result, false) }
    })
}

fn pointer_type(found: Option<&MemoryRange>) -> u32 {
    match found.map(|found| found.origin) {
        None => HSA_EXT_POINTER_TYPE_UNKNOWN,
        Some(MemoryOrigin::Pool) => HSA_EXT_POINTER_TYPE_HSA,
        Some(MemoryOrigin::Locked) => HSA_EXT_POINTER_TYPE_LOCKED,
        Some(MemoryOrigin::Imported) => HSA_EXT_POINTER_TYPE_IPC,
        Some(MemoryOrigin::Mapped) => HSA_EXT_POINTER_TYPE_HSA_VMEM,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_pointer_info(
    memory: *const c_void,
    info: *mut PointerInfo,
    allocate: Option<unsafe extern "C" fn(usize) -> *mut c_void>,
    count: *mut u32,
    accessible: *mut *mut Handle,
) -> Status {
    call(|runtime| {
        // SAFETY: the program passes null or a valid address. The first field contains the size of the structure.
        let size = unsafe { info.cast::<u32>().as_ref() }.ok_or(Status::INVALID_ARGUMENT)?;
        let size = (*size as usize).min(size_of::<PointerInfo>());
        let found = runtime.pools.find(address(memory));
        let owner = found
            .as_ref()
            .and_then(|found| runtime.agents.get(found.agent));
        let result = PointerInfo {
            size: size as u32,
            kind: pointer_type(found.as_ref()),
            agent_base_address: found.as_ref().map_or(0, |found| found.agents_base),
            host_base_address: found.as_ref().map_or(0, |found| found.base),
            size_in_bytes: found.as_ref().map_or(0, |found| found.bytes) as usize,
            user_data: found.as_ref().map_or(0, |found| found.user_data),
            agent_owner: owner.map_or(0, |agent| agent.handle()),
            global_flags: found.as_ref().map_or(0, |found| found.flags),
            registered: found.is_some().into(),
        };
        // SAFETY: the program guarantees room for `size` bytes, and the result is at least that large.
        unsafe {
            std::ptr::copy_nonoverlapping((&raw const result).cast::<u8>(), info.cast(), size)
        };
        let is_wanted = !count.is_null() && !accessible.is_null();
        let Some(allocate) = allocate.filter(|_| is_wanted) else {
            return Ok(());
        };
        let agents = if found.is_some() {
            runtime.agents.as_slice()
        } else {
            &[]
        };
        // SAFETY: the program registered the function for this call and guarantees valid addresses.
        unsafe {
            count.write(agents.len() as u32);
            let list = allocate(size_of::<Handle>() * agents.len().max(1)).cast::<Handle>();
            if list.is_null() {
                return Err(Status::OUT_OF_RESOURCES);
            }
            for (index, agent) in agents.iter().enumerate() {
                list.add(index).write_unaligned(agent.handle());
            }
            accessible.write(list);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_pointer_info_set_userdata(
    memory: *const c_void,
    user_data: *mut c_void,
) -> Status {
    call(|runtime| {
        let user_data = user_data.expose_provenance() as u64;
        runtime.pools.set_user_data(address(memory), user_data)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_register_deallocation_callback(
    memory: *mut c_void,
    callback: Option<FreeCallback>,
    user_data: *mut c_void,
) -> Status {
    call(|runtime| {
        let callback = callback.filter(|_| !memory.is_null());
        runtime.pools.add_free_handler(FreeHandler {
            address: address(memory),
            callback: callback.ok_or(Status::INVALID_ARGUMENT)?,
            argument: user_data.expose_provenance(),
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_deregister_deallocation_callback(
    memory: *mut c_void,
    callback: Option<FreeCallback>,
) -> Status {
    call(|runtime| {
        let callback = callback.ok_or(Status::INVALID_ARGUMENT)?;
        runtime.pools.remove_free_handler(address(memory), callback)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_profiling_async_copy_enable(_enable: bool) -> Status {
    // Times are always recorded, so this has no effect.
    call(|_| Ok(()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_profiling_get_async_copy_time(
    signal: Handle,
    times: *mut Times,
) -> Status {
    call(|runtime| {
        let signal = runtime.signals.get(signal)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(times, signal.times()?) }
    })
}
