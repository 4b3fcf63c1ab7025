//! API functions that enqueue reads, writes, copies and fills of buffers.

use std::ffi::c_void;
use std::sync::Arc;

use gcn_runtime::image::BoxPlace;

use super::buffers::buffer_of;
use super::commands::EnqueueArguments;
use super::entry::{array, call};
use crate::abi::*;
use crate::handle::Handle;
use crate::memory::Mem;
use crate::program::host_reads;
use crate::queue::CommandRole;
use crate::status::{Outcome, Status};
use crate::transfer::{BoxCopy, TransferSide, fill};

/// Maximum size of a fill pattern in bytes.
const MAX_PATTERN: usize = 128;

/// Returns true if `bytes` is a valid pattern size: that of a scalar or vector type.
pub(super) fn is_pattern(bytes: usize) -> bool {
    bytes.is_power_of_two() && bytes <= MAX_PATTERN
}

/// Enqueues a copy. The application guarantees that the addresses are valid.
pub(super) fn enqueue_copy(
    order: EnqueueArguments,
    command: u32,
    is_blocking: bool,
    copy: BoxCopy,
    kept: RetainedMemory,
) -> Outcome {
    order.enqueue(command, CommandRole::Command, is_blocking, move || {
        if let Some(space) = kept.0.space() {
            // SAFETY: the application guarantees accessible host memory, as the API function requires; buffers are kept
            // alive, and their ranges have been checked.
            unsafe { copy.make(space, host_reads) };
        }
        drop(kept);
        Ok(())
    })
}

/// Memory objects that a command uses, retained until it ends.
pub(super) struct RetainedMemory(
    pub(super) Arc<Mem>,
    #[allow(dead_code)] pub(super) Option<Arc<Mem>>,
);

pub unsafe extern "C" fn enqueue_read_buffer(
    queue: Handle,
    memory: Handle,
    is_blocking: u32,
    offset: usize,
    size: usize,
    to: *mut c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = buffer_of(&order, memory)?;
        memory.check_range(offset, size)?;
        if to.is_null() || size == 0 {
            return Err(Status::INVALID_VALUE);
        }
        memory.check_host(true, false)?;
        let copy = BoxCopy::line(
            (TransferSide::Host, to.expose_provenance() as u64),
            (TransferSide::Device, memory.address + offset as u64),
            size,
        );
        let kept = RetainedMemory(memory, None);
        enqueue_copy(order, CL_COMMAND_READ_BUFFER, is_blocking != 0, copy, kept)
    })
}

pub unsafe extern "C" fn enqueue_write_buffer(
    queue: Handle,
    memory: Handle,
    is_blocking: u32,
    offset: usize,
    size: usize,
    from: *const c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = buffer_of(&order, memory)?;
        memory.check_range(offset, size)?;
        if from.is_null() || size == 0 {
            return Err(Status::INVALID_VALUE);
        }
        memory.check_host(false, true)?;
        let copy = BoxCopy::line(
            (TransferSide::Device, memory.address + offset as u64),
            (TransferSide::Host, from.expose_provenance() as u64),
            size,
        );
        let kept = RetainedMemory(memory, None);
        enqueue_copy(order, CL_COMMAND_WRITE_BUFFER, is_blocking != 0, copy, kept)
    })
}

/// Origin, row pitch and slice pitch of a box. A pitch of 0 means no padding.
struct PitchedBox {
    origin: [usize; 3],
    row: usize,
    slice: usize,
}

impl PitchedBox {
    /// Reads the origin and pitches of a box.
    ///
    /// # Errors
    /// Fails if the origin is null, rows or slices overlap, or the slice pitch is not a multiple of the row pitch.
    ///
    /// # Safety
    /// `origin` is null or points to three numbers.
    unsafe fn new(
        origin: *const usize,
        region: [usize; 3],
        row: usize,
        slice: usize,
    ) -> Outcome<PitchedBox> {
        // SAFETY: the caller guarantees three readable numbers.
        let origin = unsafe { triple(origin) }?;
        let pitch = if row == 0 { region[0] } else { row };
        let rows = pitch.checked_mul(region[1]).ok_or(Status::INVALID_VALUE)?;
        let is_valid =
            pitch >= region[0] && (slice == 0 || slice >= rows && slice.is_multiple_of(pitch));
        is_valid
            .then_some(PitchedBox { origin, row, slice })
            .ok_or(Status::INVALID_VALUE)
    }

    /// Returns the row pitch and the slice pitch in bytes, with 0 resolved.
    fn pitches(&self, region: [usize; 3]) -> (usize, usize) {
        let row = if self.row == 0 { region[0] } else { self.row };
        match self.slice {
            // The product was checked for overflow when the box was read.
            0 => (row, row * region[1]),
            slice => (row, slice),
        }
    }

    /// Returns the offsets of the first byte and of the byte after the last one.
    fn range(&self, region: [usize; 3]) -> Outcome<(usize, usize)> {
        let (row, slice) = self.pitches(region);
        let end = || {
            let place = |[x, y, z]: [usize; 3]| {
                let rows = y.checked_mul(row)?;
                z.checked_mul(slice)?.checked_add(rows)?.checked_add(x)
            };
            let begin = place(self.origin)?;
            let last = place([0, region[1] - 1, region[2] - 1])?;
            Some((begin, begin.checked_add(last)?.checked_add(region[0])?))
        };
        end().ok_or(Status::INVALID_VALUE)
    }

    fn corner(&self, address: u64, region: [usize; 3]) -> BoxPlace {
        BoxPlace::new(address, self.origin, region, self.row, self.slice)
    }

    /// Checks that a box lies within a buffer, and returns its byte range.
    fn check(&self, memory: &Mem, region: [usize; 3]) -> Outcome<(usize, usize)> {
        let (begin, end) = self.range(region)?;
        memory.check_range(begin, end - begin)?;
        Ok((begin, end - begin))
    }
}

/// Reads three numbers from the application.
///
/// # Errors
/// Fails if `numbers` is null.
///
/// # Safety
/// `numbers` is null or points to three numbers.
pub(super) unsafe fn triple(numbers: *const usize) -> Outcome<[usize; 3]> {
    // SAFETY: the caller guarantees three readable numbers.
    let numbers = unsafe { array(numbers, 3) }?;
    Ok([numbers[0], numbers[1], numbers[2]])
}

/// Reads the size of a region.
///
/// # Errors
/// Fails if the region is null or empty.
///
/// # Safety
/// Same as [`triple`].
unsafe fn region_of(numbers: *const usize) -> Outcome<[usize; 3]> {
    // SAFETY: the caller guarantees three readable numbers.
    let region = unsafe { triple(numbers) }?;
    (!region.contains(&0))
        .then_some(region)
        .ok_or(Status::INVALID_VALUE)
}

pub unsafe extern "C" fn enqueue_read_buffer_rect(
    queue: Handle,
    memory: Handle,
    is_blocking: u32,
    origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
    host_row: usize,
    host_slice: usize,
    to: *mut c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = buffer_of(&order, memory)?;
        let region = region_of(region)?;
        let device = PitchedBox::new(origin, region, row, slice)?;
        let host = PitchedBox::new(host_origin, region, host_row, host_slice)?;
        device.check(&memory, region)?;
        host.range(region)?;
        if to.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        memory.check_host(true, false)?;
        let copy = BoxCopy {
            to: (
                TransferSide::Host,
                host.corner(to.expose_provenance() as u64, region),
            ),
            from: (TransferSide::Device, device.corner(memory.address, region)),
            region,
        };
        let kept = RetainedMemory(memory, None);
        enqueue_copy(
            order,
            CL_COMMAND_READ_BUFFER_RECT,
            is_blocking != 0,
            copy,
            kept,
        )
    })
}

pub unsafe extern "C" fn enqueue_write_buffer_rect(
    queue: Handle,
    memory: Handle,
    is_blocking: u32,
    origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
    host_row: usize,
    host_slice: usize,
    from: *const c_void,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = buffer_of(&order, memory)?;
        let region = region_of(region)?;
        let device = PitchedBox::new(origin, region, row, slice)?;
        let host = PitchedBox::new(host_origin, region, host_row, host_slice)?;
        device.check(&memory, region)?;
        host.range(region)?;
        if from.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        memory.check_host(false, true)?;
        let copy = BoxCopy {
            to: (TransferSide::Device, device.corner(memory.address, region)),
            from: (
                TransferSide::Host,
                host.corner(from.expose_provenance() as u64, region),
            ),
            region,
        };
        let kept = RetainedMemory(memory, None);
        enqueue_copy(
            order,
            CL_COMMAND_WRITE_BUFFER_RECT,
            is_blocking != 0,
            copy,
            kept,
        )
    })
}

pub unsafe extern "C" fn enqueue_copy_buffer(
    queue: Handle,
    from: Handle,
    to: Handle,
    from_offset: usize,
    to_offset: usize,
    size: usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let (from, to) = (buffer_of(&order, from)?, buffer_of(&order, to)?);
        from.check_range(from_offset, size)?;
        to.check_range(to_offset, size)?;
        if size == 0 {
            return Err(Status::INVALID_VALUE);
        }
        if from.overlaps((from_offset, size), &to, (to_offset, size)) {
            return Err(Status::MEM_COPY_OVERLAP);
        }
        let copy = BoxCopy::line(
            (TransferSide::Device, to.address + to_offset as u64),
            (TransferSide::Device, from.address + from_offset as u64),
            size,
        );
        enqueue_copy(
            order,
            CL_COMMAND_COPY_BUFFER,
            false,
            copy,
            RetainedMemory(from, Some(to)),
        )
    })
}

pub unsafe extern "C" fn enqueue_copy_buffer_rect(
    queue: Handle,
    from: Handle,
    to: Handle,
    from_origin: *const usize,
    to_origin: *const usize,
    region: *const usize,
    from_row: usize,
    from_slice: usize,
    to_row: usize,
    to_slice: usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let (from, to) = (buffer_of(&order, from)?, buffer_of(&order, to)?);
        let region = region_of(region)?;
        let source = PitchedBox::new(from_origin, region, from_row, from_slice)?;
        let target = PitchedBox::new(to_origin, region, to_row, to_slice)?;
        if Arc::ptr_eq(&from, &to) && source.pitches(region) != target.pitches(region) {
            return Err(Status::INVALID_VALUE);
        }
        let source_range = source.check(&from, region)?;
        let target_range = target.check(&to, region)?;
        let copy = BoxCopy {
            to: (TransferSide::Device, target.corner(to.address, region)),
            from: (TransferSide::Device, source.corner(from.address, region)),
            region,
        };
        if from.overlaps(source_range, &to, target_range) && copy.overlaps() {
            return Err(Status::MEM_COPY_OVERLAP);
        }
        enqueue_copy(
            order,
            CL_COMMAND_COPY_BUFFER_RECT,
            false,
            copy,
            RetainedMemory(from, Some(to)),
        )
    })
}

pub unsafe extern "C" fn enqueue_fill_buffer(
    queue: Handle,
    memory: Handle,
    pattern: *const c_void,
    bytes: usize,
    offset: usize,
    size: usize,
    count: u32,
    list: *const Handle,
    event: *mut Handle,
) -> i32 {
    // SAFETY: the application guarantees that its addresses are valid.
    call(|| unsafe {
        let order = EnqueueArguments::new(queue, count, list, event)?;
        let memory = buffer_of(&order, memory)?;
        memory.check_range(offset, size)?;
        if !is_pattern(bytes) || !offset.is_multiple_of(bytes) || !size.is_multiple_of(bytes) {
            return Err(Status::INVALID_VALUE);
        }
        let pattern = array(pattern.cast::<u8>(), bytes)?.to_vec();
        order.enqueue(
            CL_COMMAND_FILL_BUFFER,
            CommandRole::Command,
            false,
            move || {
                if let Some(space) = memory.space() {
                    // SAFETY: the bytes belong to the buffer.
                    fill(space, memory.address + offset as u64, &pattern, size);
                }
                drop(memory);
                Ok(())
            },
        )
    })
}
