//! API functions for memory shared between processes.

use std::ffi::c_void;

use super::{address, array, call, pointer, put};
use crate::abi::Handle;
use crate::shared::{self, IpcMemory};
use crate::status::Status;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_ipc_memory_create(
    memory: *mut c_void,
    size: usize,
    handle: *mut IpcMemory,
) -> Status {
    call(|runtime| {
        let exported = shared::export(&runtime.pools, address(memory), size as u64)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(handle, exported) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_ipc_memory_attach(
    handle: *const IpcMemory,
    size: usize,
    count: u32,
    agents: *const Handle,
    mapped: *mut *mut c_void,
) -> Status {
    call(|runtime| {
        // SAFETY: the program guarantees a valid handle and array.
        let (handle, agents) = unsafe { (handle.as_ref(), array(agents, count)?) };
        let handle = handle.ok_or(Status::INVALID_ARGUMENT)?;
        for agent in agents {
            runtime.agent(*agent)?;
        }
        if mapped.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        let base = shared::import(&runtime.pools, handle, size as u64)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(mapped, pointer(base)) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_ipc_memory_detach(mapped: *mut c_void) -> Status {
    call(|runtime| shared::detach(&runtime.pools, address(mapped)))
}
