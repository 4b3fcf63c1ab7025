//! Call frame of a region's function, and the functions that host code calls back.
//!
//! This module may use `unsafe`, because host code works with addresses instead of references.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use super::access::{Access, BufferAccess, ScalarSource, Space};
use super::host::{MaskRegister, Row, Width};
use super::interface::{Fallback, Memories, NativeExit};
use super::lower::MASKS;
use crate::exec::memory::{Descriptor, SCRATCH_ROW};
use crate::lanes::{LANES, Lanes};
use crate::memory::{COPIES, Memory, Window};
use crate::step::{Executor, Step};
use crate::wave::{Scratch, Visit, Waiting, Wave};

/// Part of a region that the interpreter may have to execute.
#[derive(Debug)]
pub(super) enum Item {
    /// Vector instructions with their indexes in the block, and the scalar register pairs that receive their masks. The
    /// interpreter may have to execute the instructions for some lanes.
    Vector(Box<[(usize, Step)]>, Box<[u8]>),
    /// Instructions without host code, and the index of the first in its block.
    Interpreted(usize, Box<[Step]>),
}

/// Copies of dwords for comparisons in all lanes.
#[repr(C, align(32))]
pub(super) struct Copies<const N: usize>([[u32; COPIES]; N]);

/// Frame of a call. Host code accesses the fields by their offsets.
#[repr(C)]
pub(super) struct Frame {
    pub(super) vgprs: *mut Lanes,
    pub(super) scalars: *mut u32,
    pub(super) constants: *const Row,
    /// Address of the entry block's code.
    pub(super) entry: *const c_void,
    /// Number of instructions that the wave may still execute.
    pub(super) left: u64,
    /// Index of the dword at which the wave continues.
    pub(super) next: u64,
    /// Discriminant of the wave's [`Waiting`] state at the exit.
    pub(super) waiting: u64,
    /// 1 if the wave is the only one in its workgroup and therefore passes barriers.
    pub(super) is_alone: u32,
    /// Number of the wave's vector registers.
    pub(super) vgpr_count: u32,
    /// Dword index of the last taken branch, or [`NO_BRANCH`].
    pub(super) branch: u64,
    /// Interprets the item with this index, given the number of instructions left. Returns 0 if the wave continues
    /// after it.
    pub(super) interpret: unsafe extern "sysv64" fn(*mut Frame, u32, u64) -> u32,
    /// Interprets an item's vector instructions for a slice and all later ones, given the slice's first lane divided by
    /// eight and the number of instructions left. Returns 0 if the wave continues after them.
    pub(super) finish: unsafe extern "sysv64" fn(*mut Frame, u32, u32, u64) -> u32,
    /// Finds a window that contains the address of the lowest of the given lanes of a slice, for the access with this
    /// index. Returns 0 if the window does not contain all active lanes' addresses.
    pub(super) find: unsafe extern "sysv64" fn(*mut Frame, u32, u32, u32) -> u32,
    /// Finds the window of an access, given its base address.
    pub(super) find_from: unsafe extern "sysv64" fn(*mut Frame, u32, u64),
    /// Finds the window of a scalar load, given its address. Returns the address, or 0 if there is no window.
    pub(super) find_for_scalars: unsafe extern "sysv64" fn(*mut Frame, u32, u64) -> u64,
    /// Finds the window of a buffer access.
    pub(super) find_buffer: unsafe extern "sysv64" fn(*mut Frame, u32),
    /// Windows of the region's accesses.
    pub(super) windows: *mut Window,
    /// Start of LDS.
    pub(super) share: *mut u8,
    /// Size of LDS in bytes.
    pub(super) share_bytes: u32,
    /// MXCSR value saved during the search for a window.
    pub(super) mxcsr: u32,
    /// Number of LDS addresses at which an element fits, for each size in [`SHARE_SIZES`].
    pub(super) share_counts: Copies<{ SHARE_SIZES.len() }>,
    /// The wave's table of load addresses, for prefetching.
    pub(super) visits: *mut Visit,
    /// Slice passed to a helper function: low and high dwords of addresses, or the offsets and data of a store.
    pub(super) slice: MaybeUninit<[Row; SAVED_ROWS]>,
    /// Host registers saved during the search for a window.
    pub(super) registers: MaybeUninit<[Row; VECTORS]>,
    pub(super) masks: MaybeUninit<[u32; MaskRegister::COUNT]>,
    /// SCC, 0 or 1.
    pub(super) scc: u32,
    /// Value of MXCSR that Rust uses.
    pub(super) usual: u32,
    /// Value of MXCSR that flushes denormals.
    pub(super) flushing: u32,
    /// Masks on entry to a part that the interpreter may have to finish.
    pub(super) saved: [u64; MASKS],
    wave: *mut Wave,
    fallback: *mut c_void,
    items: *const [Item],
    accesses: *const [Access],
    /// Global memory; null if host code may not access it.
    memory: *const Memory,
    /// Number of lanes in a slice.
    lanes: usize,
    /// Value of the wave's instruction count at which no instructions are left.
    until: u64,
    failures: u32,
}

const DWORD: u64 = 4;

/// Number of bits of a buffer's base in the second dword of its descriptor.
pub(super) const BASE_HIGH_BITS: u32 = 16;
/// Number of dwords in a buffer descriptor. The descriptor and the scalar offset identify a buffer's window; the base
/// is omitted if it is compared separately.
pub(super) const WORDS: usize = 4;

/// Sizes of LDS elements in bytes.
pub(super) const SHARE_SIZES: [u32; 6] = [1, 2, 4, 8, 12, 16];

/// Maximum number of offset and data rows of a store.
const SAVED_ROWS: usize = 6;

/// Number of vector registers of the host.
const VECTORS: usize = 32;

/// Number of guard failures counted for one failure in a part with memory accesses, or for a failed scalar load.
const ACCESS_FAILURE: u32 = 8;

/// Value of [`Frame::branch`] if no branch was taken.
pub(super) const NO_BRANCH: u64 = u64::MAX;

/// MXCSR with all exceptions masked.
const MXCSR: u32 = 0x1f80;
/// Bits of MXCSR that flush denormal results and sources to zero.
const FLUSHING: u32 = 1 << 15 | 1 << 6;

/// Result of a call.
pub(super) struct Called {
    pub(super) exit: NativeExit,
    /// Number of guard failures.
    pub(super) failures: u32,
}

/// Storage for a frame. A frame is never moved, since a move takes as long as a short call.
pub(crate) struct FrameSlot(MaybeUninit<Frame>);

impl FrameSlot {
    /// Creates an empty slot.
    #[inline(always)]
    pub(crate) fn new() -> FrameSlot {
        FrameSlot(MaybeUninit::uninit())
    }
}

/// Function of a region, ready to be called for the waves of a workgroup.
pub(super) struct Caller<'a, F> {
    function: *const c_void,
    frame: &'a mut Frame,
    data: PhantomData<(&'a [Item], &'a mut F)>,
}

impl<'a, F: Fallback> Caller<'a, F> {
    /// Prepares the frame of a region's function.
    ///
    /// # Safety
    /// The items, accesses, constants and width must be those of the function.
    #[inline(always)]
    pub(super) unsafe fn new(
        function: *const c_void,
        (items, accesses, constants, width): (&'a [Item], &'a [Access], &'a [Row], Width),
        region: u64,
        fallback: &'a mut F,
        slot: &'a mut FrameSlot,
    ) -> Caller<'a, F> {
        let Memories {
            global,
            is_exact,
            windows,
            lds,
        } = fallback.memories();
        let windows = if accesses.is_empty() {
            null_mut()
        } else {
            windows.of(global, region, accesses.len()).as_mut_ptr()
        };
        let memory = if is_exact { global } else { null() };
        let share = lds.bytes_mut();
        let share_bytes = share.len() as u32;
        let share = share.as_mut_ptr();
        let frame = slot.0.write(Frame {
            vgprs: null_mut(),
            scalars: null_mut(),
            constants: constants.as_ptr(),
            entry: null(),
            left: 0,
            next: 0,
            waiting: 0,
            is_alone: 0,
            vgpr_count: 0,
            branch: NO_BRANCH,
            interpret: interpret::<F>,
            finish: finish::<F>,
            find,
            find_from,
            find_for_scalars,
            find_buffer,
            windows,
            share,
            share_bytes,
            mxcsr: MXCSR,
            share_counts: Copies([[0; COPIES]; SHARE_SIZES.len()]),
            visits: null_mut(),
            slice: MaybeUninit::uninit(),
            registers: MaybeUninit::uninit(),
            masks: MaybeUninit::uninit(),
            scc: 0,
            usual: MXCSR,
            flushing: MXCSR | FLUSHING,
            saved: [0; MASKS],
            wave: null_mut(),
            fallback: std::ptr::from_mut(fallback).cast(),
            items,
            accesses,
            memory,
            lanes: width.lanes(),
            until: 0,
            failures: 0,
        });
        // Filled in place: a vector copy of the rows would stall until the dword stores have retired.
        for (counts, bytes) in frame.share_counts.0.iter_mut().zip(SHARE_SIZES) {
            *counts = [(share_bytes + 1).saturating_sub(bytes); COPIES];
        }
        Caller {
            function,
            frame,
            data: PhantomData,
        }
    }

    /// Calls the function for a wave, starting with the block at `entry`, for at most `left` instructions.
    ///
    /// # Safety
    /// The wave must have the vector registers that the function uses.
    #[inline(always)]
    pub(super) unsafe fn call(
        &mut self,
        entry: *const c_void,
        wave: &mut Wave,
        left: u64,
    ) -> Called {
        let frame = &mut *self.frame;
        frame.entry = entry;
        frame.left = left;
        frame.until = wave.executed + left;
        frame.next = 0;
        frame.waiting = Waiting::No as u64;
        frame.is_alone = u32::from(wave.group.waves == 1);
        frame.vgpr_count = wave.vgprs.len() as u32;
        frame.branch = NO_BRANCH;
        frame.scc = wave.scc.into();
        frame.failures = 0;
        frame.visits = wave.strides.entries();
        (frame.vgprs, frame.scalars) =
            wave.with_registers(|vgprs, scalars| (vgprs.as_mut_ptr(), scalars.as_mut_ptr()));
        let wave: *mut Wave = wave;
        frame.wave = wave;
        // SAFETY: guaranteed by the callers; the frame's pointers come from references that outlive `self`.
        let goes_on = unsafe {
            let function: unsafe extern "sysv64" fn(*mut Frame) -> u32 =
                std::mem::transmute(self.function);
            function(frame) == 0
        };
        // SAFETY: the pointer comes from a reference, and host code has returned.
        let wave = unsafe { &mut *wave };
        if goes_on {
            wave.executed = frame.until - frame.left;
        }
        wave.scc = frame.scc != 0;
        if frame.branch != NO_BRANCH {
            wave.branch = Some(frame.branch as usize);
        }
        let next = frame.next as usize;
        let waiting = Waiting::ALL[frame.waiting as usize];
        let exit = match waiting {
            _ if !goes_on => NativeExit::Interpreted,
            Waiting::No => NativeExit::Goes(next),
            _ => {
                wave.waiting = waiting;
                NativeExit::Waits(next)
            }
        };
        Called {
            exit,
            failures: frame.failures,
        }
    }
}

/// Implementation of [`Frame::interpret`].
///
/// # Safety
/// Must be called by host code, with its frame and the index of an item.
unsafe extern "sysv64" fn interpret<F: Fallback>(frame: *mut Frame, item: u32, left: u64) -> u32 {
    // SAFETY: host code waits for this call, so nothing else uses the frame or its pointees.
    let (frame, wave, fallback, items) = unsafe {
        let frame = &mut *frame;
        let (wave, fallback) = (&mut *frame.wave, &mut *frame.fallback.cast::<F>());
        let items = &*frame.items;
        (frame, wave, fallback, items)
    };
    let Item::Interpreted(number, steps) = &items[item as usize] else {
        return 1;
    };
    wave.scc = frame.scc != 0;
    if frame.branch != NO_BRANCH {
        wave.branch = Some(frame.branch as usize);
        frame.branch = NO_BRANCH;
    }
    let goes_on = fallback.interpret(wave, steps, frame.until - left + *number as u64);
    frame.scc = wave.scc.into();
    u32::from(!goes_on)
}

/// Implementation of [`Frame::finish`].
///
/// # Safety
/// Must be called by host code, with its frame and the index of an item.
unsafe extern "sysv64" fn finish<F: Fallback>(
    frame: *mut Frame,
    item: u32,
    slice: u32,
    left: u64,
) -> u32 {
    // SAFETY: host code waits for this call, so nothing else uses the frame or its pointees.
    let (frame, wave, fallback, items) = unsafe {
        let frame = &mut *frame;
        let (wave, fallback) = (&mut *frame.wave, &mut *frame.fallback.cast::<F>());
        let items = &*frame.items;
        (frame, wave, fallback, items)
    };
    let Item::Vector(steps, masks) = &items[item as usize] else {
        return 1;
    };
    frame.failures += if steps
        .iter()
        .any(|(_, step)| matches!(step.run, Executor::Memory))
    {
        ACCESS_FAILURE
    } else {
        1
    };
    let exec = wave.exec();
    let rest = u64::MAX << (slice * u8::BITS).min(LANES as u32 - 1);
    let mut done = [0; MASKS];
    for ((first, before), done) in masks.iter().zip(frame.saved).zip(&mut done) {
        *done = wave.resolved64(*first);
        wave.set_scalar64(*first, before);
    }
    wave.set_exec(exec & rest);
    let executed = frame.until - left;
    let goes_on = steps.iter().all(|(number, step)| match step.run {
        Executor::Memory => {
            let step = std::slice::from_ref(step);
            fallback.interpret(wave, step, executed + *number as u64)
        }
        _ => {
            (step.handler)(wave, step);
            true
        }
    });
    wave.set_exec(exec);
    for (first, done) in masks.iter().zip(done) {
        let mask = wave.resolved64(*first) & rest | done & !rest;
        wave.set_scalar64(*first, mask);
    }
    u32::from(!goes_on)
}

/// Implementation of [`Frame::find`].
///
/// # Safety
/// Must be called by host code, with its frame, whose `slice` holds the addresses, and the index of an access with a
/// window.
unsafe extern "sysv64" fn find(frame: *mut Frame, access: u32, lanes: u32, slice: u32) -> u32 {
    // SAFETY: host code waits for this call, so nothing else uses the frame or its pointees. Host code has written the
    // addresses.
    let (wave, access, window, memory, low, high) = unsafe {
        let frame = &mut *frame;
        let window = &mut *frame.windows.add(access as usize);
        let access = &(&(*frame.accesses))[access as usize];
        let rows: *const Row = frame.slice.as_ptr().cast();
        let row = |number| std::slice::from_raw_parts(rows.add(number).cast::<u32>(), frame.lanes);
        let (low, high) = (row(0), row(1));
        let memory = frame.memory.as_ref();
        (&*frame.wave, access, window, memory, low, high)
    };
    let address = |lane: usize| u64::from(low[lane]) | u64::from(high[lane]) << u32::BITS;
    let first = lanes.trailing_zeros() as usize % low.len();
    let found = memory.map_or(Window::EMPTY, |memory| {
        memory.window(address(first), access.offset, access.bytes)
    });
    let active = wave.exec() >> (slice * u8::BITS);
    let has_all =
        (0..low.len()).all(|lane| active >> lane & 1 == 0 || found.contains(address(lane)));
    if has_all {
        *window = found;
    }
    has_all.into()
}

/// Implementation of [`Frame::find_from`].
///
/// # Safety
/// Must be called by host code, with its frame and the index of an access with a window.
unsafe extern "sysv64" fn find_from(frame: *mut Frame, access: u32, base: u64) {
    // SAFETY: host code waits for this call, so nothing else uses the frame or its pointees.
    let (access, window, memory) = unsafe {
        let frame = &mut *frame;
        let window = &mut *frame.windows.add(access as usize);
        let access = &(&(*frame.accesses))[access as usize];
        (access, window, frame.memory.as_ref())
    };
    let find = |memory: &Memory| memory.window_from(base, access.bytes);
    *window = memory.map_or(Window::EMPTY, find);
    window.pointer = base;
}

/// Implementation of [`Frame::find_for_scalars`].
///
/// # Safety
/// Must be called by host code, with its frame and the index of an access with a window.
unsafe extern "sysv64" fn find_for_scalars(frame: *mut Frame, access: u32, address: u64) -> u64 {
    // SAFETY: host code waits for this call, so nothing else uses the frame or its pointees.
    let (frame, access, window) = unsafe {
        let frame = &mut *frame;
        let window = &mut *frame.windows.add(access as usize);
        let access = &(&(*frame.accesses))[access as usize];
        (frame, access, window)
    };
    // SAFETY: the run's memory outlives the call.
    let memory = unsafe { frame.memory.as_ref() };
    *window = memory.map_or(Window::EMPTY, |memory| {
        memory.window(address, access.offset, access.bytes)
    });
    if window.contains(address) {
        address
    } else {
        frame.failures += ACCESS_FAILURE;
        0
    }
}

/// Implementation of [`Frame::find_buffer`].
///
/// # Safety
/// Must be called by host code, with its frame and the index of a buffer access.
unsafe extern "sysv64" fn find_buffer(frame: *mut Frame, access: u32) {
    // SAFETY: host code waits for this call, so nothing else uses the frame or its pointees.
    let (wave, access, window, memory) = unsafe {
        let frame = &mut *frame;
        let window = &mut *frame.windows.add(access as usize);
        let access = &(&(*frame.accesses))[access as usize];
        (&*frame.wave, access, window, frame.memory.as_ref())
    };
    let Space::Buffer(buffer) = access.space else {
        return;
    };
    let words: [u32; WORDS] = wave.scalars_from(buffer.descriptor);
    let soffset = match buffer.soffset {
        ScalarSource::Register(register) => wave.scalar(register),
        ScalarSource::Constant(value) => value,
    };
    let descriptor = Descriptor::unformatted(wave.isa, words, soffset, false, false);
    let scratch = &wave.scratch;
    let found =
        memory.and_then(|memory| buffer_window(memory, &descriptor, scratch, buffer, access));
    *window = found.unwrap_or(Window::EMPTY);
    window.high[..WORDS].copy_from_slice(&words);
    if !buffer.has_offsets {
        window.high[1] >>= BASE_HIGH_BITS;
    }
    window.high[WORDS] = soffset;
}

/// Window of a buffer access. Without lane offsets the window has a single position, and `low` holds the stride
/// between lanes. Interleaved lanes must be in the wave's own scratch, since stores write whole rows.
fn buffer_window(
    memory: &Memory,
    descriptor: &Descriptor,
    scratch: &Scratch,
    buffer: BufferAccess,
    access: &Access,
) -> Option<Window> {
    let (offset, bytes) = (access.offset as u64, u64::from(access.bytes));
    if let Some((base, limit)) = descriptor.of_lanes() {
        let is_row = !buffer.has_offsets && offset.is_multiple_of(DWORD);
        if !is_row || offset + bytes > limit {
            return None;
        }
        let rows = |bytes| bytes / DWORD * SCRATCH_ROW;
        if !scratch.contains(base.wrapping_add(rows(offset)), rows(bytes)) {
            return None;
        }
        let window = memory.window_at(base, rows(offset), rows(bytes))?;
        return Some(Window {
            low: [DWORD as u32; COPIES],
            ..window
        });
    }
    let bounds = descriptor.records()?;
    let end = bounds.bytes.min(bounds.record);
    let count = end.checked_sub(offset + bytes)?.saturating_add(1);
    if bounds.count == 0 {
        return None;
    }
    let first = descriptor.linear(0, offset);
    if buffer.has_offsets {
        let window = memory.window_from(first, access.bytes);
        let count = count.min(window.count[0].into()) as u32;
        return Some(Window {
            count: [count; COPIES],
            ..window
        });
    }
    memory.window_at(descriptor.linear(0, 0), offset, bytes)
}
