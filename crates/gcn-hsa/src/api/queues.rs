//! API functions for queues and their indices.

use std::ffi::c_void;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::{array, call, pointer, put, put_info};
use crate::abi::{Handle, HsaQueue, QueueCallback, Times};
use crate::dispatch;
use crate::info::{Info, unknown};
use crate::numbers::*;
use crate::queues::{Queue, QueueParameters, raw};
use crate::runtime::Runtime;
use crate::status::{HsaResult, Status};
use std::sync::Arc;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_queue_create(
    agent: Handle,
    size: u32,
    kind: u32,
    callback: Option<QueueCallback>,
    data: *mut c_void,
    _private_bytes: u32,
    _group_bytes: u32,
    queue: *mut *mut HsaQueue,
) -> Status {
    call(|runtime| {
        if queue.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        let agent = runtime.agent(agent)?;
        let device = agent.emulated().ok_or(Status::INVALID_AGENT)?;
        let terms = QueueParameters {
            agent: agent.index(),
            signals: &runtime.signals,
            run: dispatch::run,
            size,
            kind,
            callback,
            data,
        };
        let made = Queue::create(device, terms)?;
        let address = made.address();
        runtime.add_queue(made);
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(queue, pointer(address)) }
    })
}

/// Returns the address that identifies a queue. Fails for a null pointer.
fn queue_address(queue: *const HsaQueue) -> HsaResult<u64> {
    if queue.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    Ok(queue.addr() as u64)
}

fn find(runtime: &Runtime, queue: *const HsaQueue) -> HsaResult<Arc<Queue>> {
    runtime.queue(queue_address(queue)?)
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_queue_destroy(queue: *mut HsaQueue) -> Status {
    call(|runtime| {
        let removed = runtime.remove_queue(queue_address(queue)?)?;
        removed.destroy();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_queue_inactivate(queue: *mut HsaQueue) -> Status {
    call(|runtime| {
        find(runtime, queue)?.inactivate();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_queue_set_priority(queue: *mut HsaQueue, priority: u32) -> Status {
    call(|runtime| match priority {
        // The threads of all queues have the same priority, so this has no effect.
        0..=2 => find(runtime, queue).map(drop),
        _ => Err(Status::INVALID_ARGUMENT),
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_queue_get_info(
    queue: *mut HsaQueue,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let queue = find(runtime, queue)?;
        let info = match attribute {
            HSA_AMD_QUEUE_INFO_AGENT => Ok(Info::U64(runtime.agents[queue.agent()].handle())),
            HSA_AMD_QUEUE_INFO_DOORBELL_ID => Ok(Info::U64(queue.doorbell())),
            _ => Err(unknown("a queue", attribute)),
        };
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_queue_cu_set_mask(
    queue: *const HsaQueue,
    count: u32,
    mask: *const u32,
) -> Status {
    call(|runtime| {
        if !count.is_multiple_of(u32::BITS) {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees that the array is valid.
        let mask = unsafe { array(mask, count / u32::BITS) }?;
        find(runtime, queue)?.set_mask(mask);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_queue_cu_get_mask(
    queue: *const HsaQueue,
    count: u32,
    mask: *mut u32,
) -> Status {
    call(|runtime| {
        if mask.is_null() || count == 0 || !count.is_multiple_of(u32::BITS) {
            return Err(Status::INVALID_ARGUMENT);
        }
        let known = find(runtime, queue)?.mask();
        for index in 0..(count / u32::BITS) as usize {
            let word = known.get(index).copied().unwrap_or(u32::MAX);
            // SAFETY: the program guarantees room for `count` bits.
            unsafe { mask.add(index).write(word) };
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_profiling_set_profiler_enabled(
    queue: *mut HsaQueue,
    _enable: i32,
) -> Status {
    // Times are always recorded, so this has no effect.
    call(|runtime| find(runtime, queue).map(drop))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_profiling_get_dispatch_time(
    agent: Handle,
    signal: Handle,
    times: *mut Times,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        let signal = runtime.signals.get(signal)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(times, signal.times()?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_profiling_convert_tick_to_system_domain(
    agent: Handle,
    tick: u64,
    system: *mut u64,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        // Agents and the system use the same clock. SAFETY: the program guarantees that the address is valid.
        unsafe { put(system, tick) }
    })
}

/// Defines the functions that load, store, add to, or compare and swap a queue's read and write indices.
macro_rules! indices {
    ($(load $load:ident $load_field:ident $load_order:ident;)*
     $(store $store:ident $store_field:ident $store_order:ident;)*
     $(add $add:ident $add_order:ident;)*
     $(cas $cas:ident $cas_order:ident $failed:ident;)*) => {
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(queue: *const HsaQueue) -> u64 {
            // SAFETY: the program guarantees a valid queue.
            unsafe { raw(queue) }.$load_field.load($load_order)
        })*
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(queue: *const HsaQueue, value: u64) {
            // SAFETY: the program guarantees a valid queue.
            unsafe { raw(queue) }.$store_field.store(value, $store_order);
        })*
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $add(queue: *const HsaQueue, value: u64) -> u64 {
            // SAFETY: the program guarantees a valid queue.
            unsafe { raw(queue) }.write_dispatch_id.fetch_add(value, $add_order)
        })*
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $cas(queue: *const HsaQueue, expected: u64, value: u64) -> u64 {
            // SAFETY: the program guarantees a valid queue.
            let index = &unsafe { raw(queue) }.write_dispatch_id;
            match index.compare_exchange(expected, value, $cas_order, $failed) {
                Ok(before) | Err(before) => before,
            }
        })*
    };
}

indices! {
    load hsa_queue_load_read_index_acquire    read_dispatch_id  Acquire;
    load hsa_queue_load_read_index_scacquire  read_dispatch_id  Acquire;
    load hsa_queue_load_read_index_relaxed    read_dispatch_id  Relaxed;
    load hsa_queue_load_write_index_acquire   write_dispatch_id Acquire;
    load hsa_queue_load_write_index_scacquire write_dispatch_id Acquire;
    load hsa_queue_load_write_index_relaxed   write_dispatch_id Relaxed;
    store hsa_queue_store_write_index_relaxed   write_dispatch_id Relaxed;
    store hsa_queue_store_write_index_release   write_dispatch_id Release;
    store hsa_queue_store_write_index_screlease write_dispatch_id Release;
    store hsa_queue_store_read_index_relaxed    read_dispatch_id  Relaxed;
    store hsa_queue_store_read_index_release    read_dispatch_id  Release;
    store hsa_queue_store_read_index_screlease  read_dispatch_id  Release;
    add hsa_queue_add_write_index_acq_rel      AcqRel;
    add hsa_queue_add_write_index_scacq_screl  AcqRel;
    add hsa_queue_add_write_index_acquire      Acquire;
    add hsa_queue_add_write_index_scacquire    Acquire;
    add hsa_queue_add_write_index_relaxed      Relaxed;
    add hsa_queue_add_write_index_release      Release;
    add hsa_queue_add_write_index_screlease    Release;
    cas hsa_queue_cas_write_index_acq_rel      AcqRel  Acquire;
    cas hsa_queue_cas_write_index_scacq_screl  AcqRel  Acquire;
    cas hsa_queue_cas_write_index_acquire      Acquire Acquire;
    cas hsa_queue_cas_write_index_scacquire    Acquire Acquire;
    cas hsa_queue_cas_write_index_relaxed      Relaxed Relaxed;
    cas hsa_queue_cas_write_index_release      Release Relaxed;
    cas hsa_queue_cas_write_index_screlease    Release Relaxed;
}
