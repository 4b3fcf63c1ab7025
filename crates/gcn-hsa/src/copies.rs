//! Copies that programs do not wait for: a thread makes them when the signals that they depend on are complete.
//!
//! This is one of the modules that may use `unsafe`: copies are between any addresses of the process.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::abi::{Dim3, PitchedPtr};
use crate::clock::now;
use crate::signals::{CHANGES, FAILED, Signal};
use crate::status::{Outcome, Status};

/// Time that the thread sleeps at most while it has no copy.
const IDLE: Duration = Duration::from_secs(3600);
/// Time between two looks at signals that copies wait for.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

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

struct Job {
    copy: Copy,
    after: Vec<Signal>,
    done: Option<Signal>,
}

/// The copies that wait.
#[derive(Default)]
pub(crate) struct Copies(Mutex<State>);

#[derive(Default)]
struct State {
    jobs: Vec<Job>,
    has_thread: bool,
}

impl Copies {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a copy when the signals of `after` are complete, and completes `done` then.
    pub(crate) fn submit(
        self: &Arc<Self>,
        copy: Copy,
        after: Vec<Signal>,
        done: Option<Signal>,
    ) -> Outcome {
        let mut state = self.state();
        state.jobs.push(Job { copy, after, done });
        if !std::mem::replace(&mut state.has_thread, true) {
            let copies = self.clone();
            let thread = std::thread::Builder::new().name("gcn hsa copies".to_owned());
            if thread.spawn(move || copies.work()).is_err() {
                state.has_thread = false;
                state.jobs.pop();
                return Err(Status::OUT_OF_RESOURCES);
            }
        }
        drop(state);
        CHANGES.count();
        Ok(())
    }

    fn work(&self) {
        loop {
            let seen = CHANGES.seen();
            let mut state = self.state();
            let ready = |job: &Job| job.after.iter().all(|signal| signal.is_complete());
            let place = state.jobs.iter().position(ready);
            let job = place.map(|place| state.jobs.remove(place));
            let is_idle = state.jobs.is_empty();
            drop(state);
            match job {
                Some(job) => job.carry_out(),
                None => CHANGES.sleep(seen, if is_idle { IDLE } else { LOOK_AGAIN }),
            }
        }
    }
}

impl Job {
    fn carry_out(self) {
        let has_failed =
            |signal: &Signal| signal.load(std::sync::atomic::Ordering::Acquire) == FAILED;
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
    }
}

impl std::fmt::Debug for Copies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Copies")
            .field("jobs", &self.state().jobs.len())
            .finish()
    }
}
