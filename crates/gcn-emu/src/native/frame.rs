//! The call frame of a region's function, and the functions that host code calls back.
//!
//! This is one of the modules that may use `unsafe`: host code has addresses in place of references.

use std::ffi::c_void;

use super::graph::SLICE;
use super::interface::Fallback;
use super::lower::MASKS;
use crate::lanes::{LANES, Lanes};
use crate::step::Step;
use crate::wave::Wave;

/// Part of a region that the interpreter may have to execute.
#[derive(Debug)]
pub(super) enum Item {
    /// Vector instructions with a guard, and the pairs of scalar registers that they write masks to.
    Vector(Box<[Step]>, Box<[u8]>),
    /// Instructions without host code; the first has this number in its block.
    Interpreted(usize, Box<[Step]>),
}

/// Frame of a call. Host code reads and writes the fields by their offsets.
#[repr(C)]
pub(super) struct Frame {
    pub(super) vgprs: *mut Lanes,
    pub(super) scalars: *mut u32,
    pub(super) constants: *const [u32; SLICE],
    /// Address of the entry block's code.
    pub(super) entry: *const c_void,
    /// Instructions that the wave may still execute.
    pub(super) left: u64,
    /// Number of the dword at which the wave goes on.
    pub(super) next: u64,
    /// Number of the last taken branch's dword; [`NO_BRANCH`] if there was none.
    pub(super) branch: u64,
    /// Interprets an item, given by its number, with the instructions left. Returns 0 if the wave continues behind it.
    pub(super) interpret: unsafe extern "sysv64" fn(*mut Frame, u32, u64) -> u32,
    /// Interprets the vector instructions of an item for the lanes from a slice on.
    pub(super) finish: unsafe extern "sysv64" fn(*mut Frame, u32, u32),
    /// SCC, 0 or 1.
    pub(super) scc: u32,
    /// MXCSR values: Rust's, and one that flushes denormals.
    pub(super) usual: u32,
    pub(super) flushing: u32,
    /// Masks before a part with a guard.
    pub(super) saved: [u64; MASKS],
    wave: *mut Wave,
    fallback: *mut c_void,
    items: *const [Item],
    /// The wave's count of instructions when it has none left.
    until: u64,
    failures: u32,
}

/// No branch was taken.
pub(super) const NO_BRANCH: u64 = u64::MAX;

/// MXCSR with all exceptions masked.
const MXCSR: u32 = 0x1f80;
/// Denormal results and denormal sources are zero.
const FLUSHING: u32 = 1 << 15 | 1 << 6;

/// Outcome of a call.
pub(super) struct Called {
    /// Number of the dword at which it goes on, as long as [`Fallback::interpret`] has not returned false.
    pub(super) next: usize,
    /// Number of guard failures.
    pub(super) failures: u32,
    /// False if [`Fallback::interpret`] has returned false.
    pub(super) goes_on: bool,
}

/// Calls a region's function for a wave, from the block at `entry` on, for at most `left` instructions.
///
/// # Safety
/// The function has these items and constants, and the wave has the vector registers that it uses.
pub(super) unsafe fn call<F: Fallback>(
    (function, entry): (*const c_void, *const c_void),
    (items, constants): (&[Item], &[[u32; SLICE]]),
    (wave, fallback): (&mut Wave, &mut F),
    left: u64,
) -> Called {
    let until = wave.executed + left;
    let wave: *mut Wave = wave;
    // SAFETY: it is a reference's.
    let (vgprs, scalars) = unsafe {
        (*wave).with_registers(|vgprs, scalars| (vgprs.as_mut_ptr(), scalars.as_mut_ptr()))
    };
    let mut frame = Frame {
        vgprs,
        scalars,
        constants: constants.as_ptr(),
        entry,
        left,
        next: 0,
        branch: NO_BRANCH,
        interpret: interpret::<F>,
        finish,
        // SAFETY: it is a reference's.
        scc: unsafe { (*wave).scc }.into(),
        usual: MXCSR,
        flushing: MXCSR | FLUSHING,
        saved: [0; MASKS],
        wave,
        fallback: std::ptr::from_mut(fallback).cast(),
        items,
        until,
        failures: 0,
    };
    // SAFETY: the caller's.
    let goes_on = unsafe {
        let function: unsafe extern "sysv64" fn(*mut Frame) -> u32 = std::mem::transmute(function);
        function(&mut frame) == 0
    };
    // SAFETY: it is a reference's, and host code has ended.
    let wave = unsafe { &mut *wave };
    if goes_on {
        wave.executed = until - frame.left;
    }
    wave.scc = frame.scc != 0;
    if frame.branch != NO_BRANCH {
        wave.branch = Some(frame.branch as usize);
    }
    Called {
        next: frame.next as usize,
        failures: frame.failures,
        goes_on,
    }
}

/// [`Frame::interpret`].
///
/// # Safety
/// Host code calls it with its frame and the number of an item.
unsafe extern "sysv64" fn interpret<F: Fallback>(frame: *mut Frame, item: u32, left: u64) -> u32 {
    // SAFETY: host code is at its call, and nobody else uses the frame and what it names.
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
    let goes_on = fallback.interpret(wave, steps, frame.until - left + *number as u64);
    frame.scc = wave.scc.into();
    u32::from(!goes_on)
}

/// [`Frame::finish`].
///
/// # Safety
/// Host code calls it with its frame and the number of an item.
unsafe extern "sysv64" fn finish(frame: *mut Frame, item: u32, slice: u32) {
    // SAFETY: host code is at its call, and nobody else uses the frame and what it names.
    let (frame, wave, items) = unsafe {
        let frame = &mut *frame;
        let wave = &mut *frame.wave;
        let items = &*frame.items;
        (frame, wave, items)
    };
    let Item::Vector(steps, masks) = &items[item as usize] else {
        return;
    };
    frame.failures += 1;
    let exec = wave.exec();
    let rest = u64::MAX << (slice as usize * SLICE).min(LANES - 1);
    let mut done = [0; MASKS];
    for ((first, before), done) in masks.iter().zip(frame.saved).zip(&mut done) {
        *done = wave.resolved64(*first);
        wave.set_scalar64(*first, before);
    }
    wave.set_exec(exec & rest);
    for step in steps {
        (step.handler)(wave, step);
    }
    wave.set_exec(exec);
    for (first, done) in masks.iter().zip(done) {
        let mask = wave.resolved64(*first) & rest | done & !rest;
        wave.set_scalar64(*first, mask);
    }
}
