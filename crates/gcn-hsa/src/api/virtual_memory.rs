//! API functions for virtual memory management.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::ops::Range;
use std::os::fd::{BorrowedFd, IntoRawFd};

use gcn_runtime::memory::{ALIGNMENT, SharedMemory};

use super::{address, array, call, pointer, put};
use crate::abi::{Handle, MemoryAccess};
use crate::mappings::HandleMemory;
use crate::numbers::{HSA_ACCESS_PERMISSION_RW, MEMORY_TYPE_NONE, MEMORY_TYPE_PINNED};
use crate::pools::{MemoryPool, PoolKind};
use crate::status::{HsaResult, Status};

fn range(begin: *const c_void, size: usize) -> HsaResult<Range<u64>> {
    let begin = address(begin);
    let end = begin.checked_add(size as u64);
    end.map(|end| begin..end).ok_or(Status::INVALID_ARGUMENT)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_address_reserve_align(
    reserved: *mut *mut c_void,
    size: usize,
    _wanted: u64,
    align: u64,
    _flags: u64,
) -> Status {
    call(|runtime| {
        if reserved.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // Ignores the requested address, which is only a hint.
        let base = runtime
            .mappings
            .reserve(&runtime.pools, size as u64, align.max(1))?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(reserved, pointer(base)) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_address_reserve(
    reserved: *mut *mut c_void,
    size: usize,
    wanted: u64,
    flags: u64,
) -> Status {
    // SAFETY: both functions have the same safety contract.
    unsafe { hsa_amd_vmem_address_reserve_align(reserved, size, wanted, 0, flags) }
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_vmem_address_free(reserved: *mut c_void, size: usize) -> Status {
    call(|runtime| {
        let range = range(reserved, size)?;
        runtime.mappings.unreserve(&runtime.pools, range)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_handle_create(
    pool: Handle,
    size: usize,
    kind: u32,
    _flags: u64,
    handle: *mut Handle,
) -> Status {
    call(|runtime| {
        let (pool, agent) = runtime.pool(pool).ok_or(Status::INVALID_MEMORY_POOL)?;
        let size = size as u64;
        let is_known = matches!(kind, MEMORY_TYPE_NONE | MEMORY_TYPE_PINNED);
        if handle.is_null() || size == 0 || !size.is_multiple_of(ALIGNMENT) || !is_known {
            return Err(Status::INVALID_ARGUMENT);
        }
        if pool.kind == PoolKind::Group {
            return Err(Status::INVALID_ALLOCATION);
        }
        let charge = runtime.pools.charge(agent.memory, pool, size)?;
        let memory = SharedMemory::new(size).map_err(|_| Status::OUT_OF_RESOURCES)?;
        let made = runtime.mappings.add(HandleMemory {
            pool,
            kind,
            memory,
            _charge: Some(charge),
        });
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(handle, made) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_vmem_handle_release(handle: Handle) -> Status {
    call(|runtime| runtime.mappings.release(handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_vmem_map(
    at: *mut c_void,
    size: usize,
    offset: usize,
    handle: Handle,
    _flags: u64,
) -> Status {
    call(|runtime| {
        runtime
            .mappings
            .map(range(at, size)?, offset as u64, handle)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_vmem_unmap(at: *mut c_void, size: usize) -> Status {
    call(|runtime| runtime.mappings.unmap(&runtime.pools, range(at, size)?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_set_access(
    at: *mut c_void,
    size: usize,
    access: *const MemoryAccess,
    count: usize,
) -> Status {
    call(|runtime| {
        let count = u32::try_from(count).map_err(|_| Status::INVALID_ARGUMENT)?;
        // SAFETY: the program guarantees that the array is valid.
        let access = unsafe { array(access, count) }?;
        let mut wanted = Vec::new();
        for MemoryAccess { permissions, agent } in access {
            runtime.agent(*agent)?;
            if *permissions > HSA_ACCESS_PERMISSION_RW {
                return Err(Status::INVALID_ARGUMENT);
            }
            wanted.push((*agent, *permissions));
        }
        let range = range(at, size)?;
        runtime.mappings.set_access(&runtime.pools, range, &wanted)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_get_access(
    at: *mut c_void,
    permissions: *mut u32,
    agent: Handle,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        let known = runtime.mappings.access(address(at), agent)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(permissions, known) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_export_shareable_handle(
    file: *mut c_int,
    handle: Handle,
    _flags: u64,
) -> Status {
    call(|runtime| {
        let memory = runtime.mappings.memory(handle)?;
        if file.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        let copy = memory.memory.file().try_clone();
        let copy = copy.map_err(|_| Status::OUT_OF_RESOURCES)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(file, copy.into_raw_fd()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_import_shareable_handle(
    file: c_int,
    handle: *mut Handle,
) -> Status {
    call(|runtime| {
        if file < 0 || handle.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program keeps its descriptor open during the call.
        let file = unsafe { BorrowedFd::borrow_raw(file) };
        let own = file
            .try_clone_to_owned()
            .map_err(|_| Status::INVALID_ARGUMENT)?;
        let memory =
            SharedMemory::of_file(File::from(own)).map_err(|_| Status::INVALID_ARGUMENT)?;
        if memory.bytes() == 0 || !memory.bytes().is_multiple_of(ALIGNMENT) {
            return Err(Status::INVALID_ARGUMENT);
        }
        let device = runtime
            .agents
            .iter()
            .find(|agent| agent.emulated().is_some());
        let device = device.ok_or(Status::INVALID_AGENT)?;
        let made = runtime.mappings.add(HandleMemory {
            pool: MemoryPool::new(device.index(), PoolKind::Local),
            kind: MEMORY_TYPE_PINNED,
            memory,
            _charge: None,
        });
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(handle, made) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_retain_alloc_handle(
    handle: *mut Handle,
    at: *mut c_void,
) -> Status {
    call(|runtime| {
        if handle.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        let retained = runtime.mappings.retain(address(at))?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(handle, retained) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_vmem_get_alloc_properties_from_handle(
    handle: Handle,
    pool: *mut Handle,
    kind: *mut u32,
) -> Status {
    call(|runtime| {
        let memory = runtime.mappings.memory(handle)?;
        // SAFETY: the program guarantees that the addresses are valid.
        unsafe {
            put(pool, memory.pool.handle())?;
            put(kind, memory.kind)
        }
    })
}
