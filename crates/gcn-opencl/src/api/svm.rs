//! API functions for shared virtual memory.

use std::ffi::c_void;
use std::sync::Arc;

use super::buffers::MAP_WRITES;
use super::commands::EnqueueArguments;
use super::entry::{array, call, guard, optional_array};
use super::transfers::is_pattern;
use crate::abi::*;
use crate::callbacks;
use crate::context::Context;
use crate::handle::{self, Handle};
use crate::kernel::Kernel;
use crate::mapping::MappedRegion;
use crate::program::host_reads;
use crate::queue::CommandRole;
use crate::status::{Outcome, Status};
use crate::svm::{self, Svm};
use crate::transfer::{BoxCopy, TransferSide, fill};

/// Maximum alignment that programs may request, in bytes: the size of the largest OpenCL type.
const MAX_ALIGN: usize = 128;

pub unsafe extern "C" fn svm_alloc(context: Handle, flags: u64, size: usize, align: u32) -> usize {
    const ACCESS: u64 = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const KNOWN: u64 = ACCESS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let allocated = guard(|| {
        let context: Arc<Context> = handle::get(context)?;
        let is_fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER != 0;
        let is_valid = flags & !KNOWN == 0
            && (flags & ACCESS).count_ones() <= 1
            && (is_fine || flags & CL_MEM_SVM_ATOMICS == 0)
            && (align == 0 || align.is_power_of_two() && align as usize <= MAX_ALIGN)
            && size != 0
            && size as u64 <= context.max_allocation();
        if !is_valid {
            return Err(Status::INVALID_VALUE);
        }
        svm::allocate(&context, size)
    });
    allocated.unwrap_or(0)
}

pub unsafe extern "C" fn svm_free(context: Handle, address: *mut c_void) {
    let freed = guard(|| {
        handle::get::<Context>(context)?;
        svm::free(address.expose_provenance());
        Ok(())
    });
    // The API function returns no status, so an error is ignored.
    let _ = freed;
}

type FreeFunction = unsafe extern "C" fn(Handle, u32, *mut *mut c_void, *mut c_void);

pub unsafe extern "C" fn enqueue_svm_free(
    queue: Handle,
    count: u32,
    addresses: *const usize,
    function: Option<FreeFunction>,
    data: *mut c_void,
    events: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, events, list, event)?;
        let addresses = array(addresses, count as usize)?.to_vec();
        let data = data.expose_provenance();
        // Retains the queue: the application may release it before the callback gets its handle.
        let callback = function.map(|function| (function, order.queue.clone()));
        let work = move || {
            let Some((function, retained)) = callback else {
                addresses.into_iter().for_each(svm::free);
                return Ok(());
            };
            // The callback may block, so it runs on the callback thread. The command ends when the callback returns.
            let (sender, done) = std::sync::mpsc::channel();
            callbacks::submit(move || {
                let mut addresses: Vec<*mut c_void> = addresses
                    .into_iter()
                    .map(std::ptr::with_exposed_provenance_mut)
                    .collect();
                let data = std::ptr::with_exposed_provenance_mut(data);
                // SAFETY: the application registered the function and its argument for this call.
                function(queue, count, addresses.as_mut_ptr(), data);
                drop(retained);
                let _ = sender.send(());
            });
            done.recv().map_err(|_| Status::OUT_OF_RESOURCES)
        };
        order.enqueue(CL_COMMAND_SVM_FREE, CommandRole::Command, false, work)
    })
}

/// Address range, in device memory if it lies within an SVM allocation.
struct SvmRange {
    side: TransferSide,
    address: u64,
    /// SVM allocation, kept alive for the command.
    svm: Option<Svm>,
}

impl SvmRange {
    /// Creates the range of `bytes` bytes at `address`, and finds the SVM allocation that contains it.
    ///
    /// # Errors
    /// Fails if the address is null, or the range exceeds its allocation or belongs to another context.
    fn new(order: &EnqueueArguments, address: *const c_void, bytes: usize) -> Outcome<SvmRange> {
        let address = address.expose_provenance();
        if address == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let found = svm::find(address);
        if let Some((base, svm)) = &found {
            if !Arc::ptr_eq(&svm.context, &order.queue.context) {
                return Err(Status::INVALID_CONTEXT);
            }
            let end = (address - base).checked_add(bytes);
            if end.is_none_or(|end| end > svm.bytes) {
                return Err(Status::INVALID_VALUE);
            }
        }
        Ok(SvmRange {
            side: if found.is_some() {
                TransferSide::Device
            } else {
                TransferSide::Host
            },
            address: address as u64,
            svm: found.map(|(_, svm)| svm),
        })
    }
}

pub unsafe extern "C" fn enqueue_svm_memcpy(
    queue: Handle,
    is_blocking: u32,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let (to, from) = (
            SvmRange::new(&order, to, size)?,
            SvmRange::new(&order, from, size)?,
        );
        if to.address.abs_diff(from.address) < size as u64 {
            return Err(Status::MEM_COPY_OVERLAP);
        }
        let copy = BoxCopy::line((to.side, to.address), (from.side, from.address), size);
        let device = order.queue.device.clone();
        let kept = (to.svm, from.svm);
        let work = move || {
            // SAFETY: the application guarantees accessible host memory; SVM allocations are kept alive.
            copy.make(device.emulated.memory(), host_reads);
            drop(kept);
            Ok(())
        };
        order.enqueue(
            CL_COMMAND_SVM_MEMCPY,
            CommandRole::Command,
            is_blocking != 0,
            work,
        )
    })
}

pub unsafe extern "C" fn enqueue_svm_mem_fill(
    queue: Handle,
    to: *mut c_void,
    pattern: *const c_void,
    bytes: usize,
    size: usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let to = SvmRange::new(&order, to, size)?;
        let is_aligned = is_pattern(bytes)
            && to.address.is_multiple_of(bytes as u64)
            && size.is_multiple_of(bytes);
        if !is_aligned {
            return Err(Status::INVALID_VALUE);
        }
        let pattern = array(pattern.cast::<u8>(), bytes)?.to_vec();
        let device = order.queue.device.clone();
        let work = move || {
            // SAFETY: the application guarantees accessible host memory; an SVM allocation is kept alive.
            fill(device.emulated.memory(), to.address, &pattern, size);
            drop(to.svm);
            Ok(())
        };
        order.enqueue(CL_COMMAND_SVM_MEMFILL, CommandRole::Command, false, work)
    })
}

pub unsafe extern "C" fn enqueue_svm_map(
    queue: Handle,
    is_blocking: u32,
    flags: u64,
    address: *mut c_void,
    size: usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    const KNOWN: u64 = CL_MAP_READ | MAP_WRITES;
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let range = SvmRange::new(&order, address, size)?;
        let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
        let is_valid =
            flags & !KNOWN == 0 && (!invalidates || flags == CL_MAP_WRITE_INVALIDATE_REGION);
        if size == 0 || !is_valid {
            return Err(Status::INVALID_VALUE);
        }
        let SvmRange { address, svm, .. } = range;
        let mappings = svm.as_ref().map(|svm| svm.mappings.clone());
        if let Some(mappings) = &mappings {
            mappings.add(MappedRegion {
                owner: 0,
                address: address as usize,
                region: size as u64,
                is_written: flags & MAP_WRITES != 0,
            });
        }
        let work = move || {
            if flags & CL_MAP_READ != 0 {
                host_reads(address, size as u64);
            }
            drop(svm);
            Ok(())
        };
        let enqueued = order.enqueue(
            CL_COMMAND_SVM_MAP,
            CommandRole::Command,
            is_blocking != 0,
            work,
        );
        if let (Err(_), Some(mappings)) = (&enqueued, &mappings) {
            mappings.take(0, address as usize);
        }
        enqueued
    })
}

pub unsafe extern "C" fn enqueue_svm_unmap(
    queue: Handle,
    address: *mut c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let SvmRange { address, svm, .. } = SvmRange::new(&order, address, 0)?;
        let device = order.queue.device.clone();
        let mapping = svm.as_ref();
        let mapping = mapping.and_then(|svm| svm.mappings.take(0, address as usize));
        let work = move || {
            if let Some(written) = mapping.filter(|it| it.is_written) {
                device.emulated.memory().wrote(address, written.region);
            }
            drop(svm);
            Ok(())
        };
        order.enqueue(CL_COMMAND_SVM_UNMAP, CommandRole::Command, false, work)
    })
}

/// Validates the arguments. All devices share one memory, so there is nothing to migrate.
pub unsafe extern "C" fn enqueue_svm_migrate_mem(
    queue: Handle,
    addresses: u32,
    list_of_addresses: *const *const c_void,
    sizes: *const usize,
    flags: u64,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    const KNOWN: u64 = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        if addresses == 0 || flags & !KNOWN != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let sizes = optional_array(sizes, addresses as usize)?;
        for (index, address) in array(list_of_addresses, addresses as usize)?
            .iter()
            .enumerate()
        {
            let range = SvmRange::new(&order, *address, sizes.map_or(0, |sizes| sizes[index]))?;
            range.svm.ok_or(Status::INVALID_VALUE)?;
        }
        order.enqueue(
            CL_COMMAND_SVM_MIGRATE_MEM,
            CommandRole::Command,
            false,
            || Ok(()),
        )
    })
}

pub unsafe extern "C" fn set_kernel_arg_svm_pointer(
    kernel: Handle,
    index: u32,
    address: *const c_void,
) -> i32 {
    call(|| {
        let kernel: Arc<Kernel> = handle::get(kernel)?;
        kernel.set_address(index, address.expose_provenance())
    })
}

/// Validates the arguments. Kernels can access all memory, so there is nothing to record.
pub unsafe extern "C" fn set_kernel_exec_info(
    kernel: Handle,
    name: u32,
    size: usize,
    value: *const c_void,
) -> i32 {
    call(|| {
        handle::get::<Kernel>(kernel)?;
        if value.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        match name {
            CL_KERNEL_EXEC_INFO_SVM_PTRS => {
                let is_list = size != 0 && size.is_multiple_of(size_of::<usize>());
                is_list.then_some(()).ok_or(Status::INVALID_VALUE)
            }
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM if size == size_of::<u32>() => {
                // SAFETY: the application guarantees that the value is readable.
                let wants = unsafe { value.cast::<u32>().read_unaligned() } != 0;
                (!wants).then_some(()).ok_or(Status::INVALID_OPERATION)
            }
            _ => Err(Status::INVALID_VALUE),
        }
    })
}
