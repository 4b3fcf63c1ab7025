//! Copies that programs do not wait for: a thread makes them when the signals that they depend on are complete.
//!
//! This is one of the modules that may use `unsafe`: copies are between any addresses of the process.
#![allow(unsafe_code)]

use std::sync::atomic::Ordering::Acquire;

use crate::abi::{Dim3, PitchedPtr};
use crate::clock::now;
use crate::signals::{FAILED, Signal};
use crate::status::Status;
use crate::workers::Task;

/// A copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Copy {
    Line {
        to: u64,
        from: u64,
        bytes: usize,
    },
    Box {
        to: Corner,
        from: Corner,
        range: Dim3,
    },
}

/// A corner of a box in pitched memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) memory: PitchedPtr,
    pub(crate) offset: Dim3,
}

impl Corner {
    fn row(&self, y: u32, z: u32) -> u64 {
        let rows = (self.offset.y as u64 + u64::from(y)).wrapping_mul(self.memory.pitch as u64);
        let slices = (self.offset.z as u64 + u64::from(z)).wrapping_mul(self.memory.slice as u64);
        let base = self.memory.base.wrapping_add(u64::from(self.offset.x));
        base.wrapping_add(rows).wrapping_add(slices)
    }
}

impl Copy {
    /// Makes the copy.
    ///
    /// # Safety
    /// The program vouches for its addresses: all bytes are accessible. Other threads and kernels may race with it for them,
    /// as they may with a copy of a real device; the bytes are then any.
    pub(crate) unsafe fn make(&self) {
        let copy = |to: u64, from: u64, bytes: usize| {
            let to = std::ptr::with_exposed_provenance_mut::<u8>(to as usize);
            let from = std::ptr::with_exposed_provenance::<u8>(from as usize);
            // SAFETY: the caller vouches for both ranges; they may overlap.
            unsafe { std::ptr::copy(from, to, bytes) };
        };
        match *self {
            Copy::Line { to, from, bytes } => copy(to, from, bytes),
            Copy::Box { to, from, range } => {
                for z in 0..range.z {
                    for y in 0..range.y {
                        copy(to.row(y, z), from.row(y, z), range.x as usize);
                    }
                }
            }
        }
    }
}

/// A copy that waits for signals.
pub(crate) struct Job {
    pub(crate) copy: Copy,
    /// The signals that are complete before it is made.
    pub(crate) after: Vec<Signal>,
    /// The signal that it completes.
    pub(crate) done: Option<Signal>,
}

impl Task for Job {
    const THREAD: &'static str = "gcn hsa copies";

    fn is_ready(&self) -> bool {
        self.after.iter().all(|signal| signal.is_complete())
    }

    fn carry_out(self) -> Option<Job> {
        let has_failed = |signal: &Signal| signal.load(Acquire) == FAILED;
        let begin = now();
        let result = if self.after.iter().any(has_failed) {
            Err(Status::EXCEPTION)
        } else {
            // SAFETY: the program vouches for the addresses, by the contract of the function that it called.
            unsafe { self.copy.make() };
            Ok(())
        };
        if let Some(done) = self.done {
            done.complete(result, begin, now());
        }
        None
    }
}
