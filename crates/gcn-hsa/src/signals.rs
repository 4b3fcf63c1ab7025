//! Signals. Each signal is 64 bytes of device memory, so that kernels can change it.
//!
//! This module may use `unsafe`: a signal's handle is its address, which programs pass back.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gcn_runtime::memory::Memory;
use gcn_runtime::{Device, HostCalls, SavedCalls};

use crate::abi::{AmdSignal, Handle, SIGNAL_DOORBELL, SIGNAL_USER, Times};
use crate::changes::Changes;
use crate::status::{HsaResult, Status};

/// Size in bytes of a slab, the block in which memory for signals is allocated.
const SLAB_BYTES: u64 = 1 << 16;

/// Value of a signal whose command has failed. The value is negative, so that it ends waits for a value below 1.
pub(crate) const FAILED: i64 = -(Status::EXCEPTION.0 as i64);

/// Change counter for all signals except doorbells.
pub(crate) static CHANGES: std::sync::LazyLock<Changes> =
    std::sync::LazyLock::new(Changes::default);

/// Table of all signals in the process.
#[derive(Debug)]
pub(crate) struct SignalTable {
    device: Device,
    mailbox: Mailbox,
    state: Mutex<HsaSignalState>,
}

#[derive(Debug, Default)]
struct HsaSignalState {
    free: Vec<Handle>,
    live: HashSet<Handle>,
}

impl SignalTable {
    /// Creates an empty signal table.
    ///
    /// # Errors
    /// Fails if memory is exhausted.
    pub(crate) fn new(device: &Device) -> HsaResult<SignalTable> {
        let mailbox = device.memory().allocate("the mailbox of HSA signals", 8);
        Ok(SignalTable {
            device: device.clone(),
            mailbox: Mailbox(mailbox.map_err(|_| Status::OUT_OF_RESOURCES)?),
            state: Mutex::default(),
        })
    }

    /// Returns the mailbox through which kernels announce signal changes.
    pub(crate) fn mailbox(&self) -> Mailbox {
        self.mailbox
    }

    fn state(&self) -> MutexGuard<'_, HsaSignalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn create(&self, value: i64) -> HsaResult<Signal> {
        let mut state = self.state();
        if state.free.is_empty() {
            let slab = self.device.memory().allocate("signals of HSA", SLAB_BYTES);
            let slab = slab.map_err(|_| Status::OUT_OF_RESOURCES)?;
            let bytes = size_of::<AmdSignal>() as u64;
            state.free.extend(
                (0..SLAB_BYTES / bytes)
                    .rev()
                    .map(|index| slab + index * bytes),
            );
        }
        let handle = state.free.pop().ok_or(Status::OUT_OF_RESOURCES)?;
        state.live.insert(handle);
        drop(state);
        let signal = Signal(handle);
        let raw = signal.raw();
        raw.event_mailbox_ptr
            .store(self.mailbox.0, Ordering::Relaxed);
        raw.event_id.store(EVENT, Ordering::Relaxed);
        raw.start_ts.store(0, Ordering::Relaxed);
        raw.end_ts.store(0, Ordering::Relaxed);
        raw.queue_ptr.store(0, Ordering::Relaxed);
        raw.value.store(value, Ordering::Relaxed);
        raw.kind.store(SIGNAL_USER, Ordering::Release);
        Ok(signal)
    }

    /// Destroys a signal, and makes its memory available to later signals.
    pub(crate) fn destroy(&self, signal: Signal) -> HsaResult {
        let mut state = self.state();
        if !state.live.remove(&signal.0) {
            return Err(Status::INVALID_SIGNAL);
        }
        signal.raw().kind.store(0, Ordering::Release);
        state.free.push(signal.0);
        Ok(())
    }

    /// Looks up a signal. Fails for the null handle.
    pub(crate) fn get(&self, handle: Handle) -> HsaResult<Signal> {
        if handle == 0 {
            return Err(Status::INVALID_ARGUMENT);
        }
        let is_live = self.state().live.contains(&handle);
        is_live
            .then_some(Signal(handle))
            .ok_or(Status::INVALID_SIGNAL)
    }

    /// Looks up a signal; `None` for the null handle.
    pub(crate) fn get_optional(&self, handle: Handle) -> HsaResult<Option<Signal>> {
        match handle {
            0 => Ok(None),
            handle => self.get(handle).map(Some),
        }
    }
}

/// Wait condition, an `hsa_signal_condition_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SignalCondition {
    Equal,
    NotEqual,
    Less,
    AtLeast,
}

impl SignalCondition {
    pub(crate) fn new(code: u32) -> HsaResult<SignalCondition> {
        Ok(match code {
            0 => SignalCondition::Equal,
            1 => SignalCondition::NotEqual,
            2 => SignalCondition::Less,
            3 => SignalCondition::AtLeast,
            _ => return Err(Status::INVALID_ARGUMENT),
        })
    }

    pub(crate) fn holds(self, value: i64, compare: i64) -> bool {
        match self {
            SignalCondition::Equal => value == compare,
            SignalCondition::NotEqual => value != compare,
            SignalCondition::Less => value < compare,
            SignalCondition::AtLeast => value >= compare,
        }
    }
}

/// Signal, identified by its address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Signal(Handle);

impl Signal {
    /// Converts a handle without a lookup.
    ///
    /// # Safety
    /// The handle must be from [`SignalTable::create`], as the HSA API requires. The signal may have been destroyed.
    pub(crate) unsafe fn trusted(handle: Handle) -> Signal {
        Signal(handle)
    }

    pub(crate) fn handle(self) -> Handle {
        self.0
    }

    /// Returns the signal's structure in device memory.
    pub(crate) fn raw(self) -> &'static AmdSignal {
        // SAFETY: the address is in a slab, which is never freed; all fields that change are atomic.
        unsafe { &*std::ptr::with_exposed_provenance::<AmdSignal>(self.0 as usize) }
    }

    fn value(self) -> &'static AtomicI64 {
        &self.raw().value
    }

    pub(crate) fn value_pointer(self) -> *mut c_void {
        self.value().as_ptr().cast()
    }

    pub(crate) fn load(self, order: Ordering) -> i64 {
        self.value().load(order)
    }

    /// Stores a value without waking waiting threads.
    pub(crate) fn store_silently(self, value: i64, order: Ordering) {
        self.value().store(value, order);
    }

    /// Changes the value with an atomic operation, and wakes waiting threads.
    pub(crate) fn change<T>(self, operation: impl FnOnce(&AtomicI64) -> T) -> T {
        let result = operation(self.value());
        self.wake();
        result
    }

    /// Wakes threads that wait for a change of the signal.
    fn wake(self) {
        if self.raw().kind.load(Ordering::Relaxed) == SIGNAL_DOORBELL {
            ring(self.raw().event_mailbox_ptr.load(Ordering::Relaxed));
        } else {
            CHANGES.count();
        }
    }

    /// Waits until the condition holds or `timeout` elapses, and returns the last observed value.
    pub(crate) fn wait(
        self,
        condition: SignalCondition,
        compare: i64,
        timeout: Option<Duration>,
    ) -> i64 {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut value = 0;
        CHANGES.wait(deadline, || {
            value = self.load(Ordering::Acquire);
            condition.holds(value, compare).then_some(())
        });
        value
    }

    /// Returns true if commands that depend on the signal need not wait: its value is 0, or its command has failed.
    pub(crate) fn is_complete(self) -> bool {
        matches!(self.load(Ordering::Acquire), 0 | FAILED)
    }

    /// Returns the start and end times of the command that completed the signal. Fails if no command has
    /// completed it.
    pub(crate) fn times(self) -> HsaResult<Times> {
        let raw = self.raw();
        let (start, end) = (
            raw.start_ts.load(Ordering::Relaxed),
            raw.end_ts.load(Ordering::Relaxed),
        );
        if end == 0 {
            return Err(Status::ERROR);
        }
        Ok(Times { start, end })
    }

    /// Records the start and end times of the command, and decrements the signal, or sets it to [`FAILED`] on an error.
    pub(crate) fn complete(self, result: HsaResult, start: u64, end: u64) {
        let raw = self.raw();
        raw.start_ts.store(start, Ordering::Relaxed);
        raw.end_ts.store(end, Ordering::Relaxed);
        self.change(|value| match result {
            Ok(()) => drop(value.fetch_sub(1, Ordering::AcqRel)),
            Err(_) => value.store(FAILED, Ordering::Release),
        });
    }
}

/// Signals that a command depends on. A signal that has once been observed complete no longer blocks the command, even
/// if the program changes its value afterwards.
#[derive(Debug)]
pub(crate) struct Dependencies {
    /// Signals that have not been observed complete yet.
    outstanding: Mutex<Vec<Signal>>,
    /// True if the command of any signal has failed.
    has_failed: AtomicBool,
}

impl Dependencies {
    pub(crate) fn new(signals: Vec<Signal>) -> Dependencies {
        Dependencies {
            outstanding: Mutex::new(signals),
            has_failed: AtomicBool::new(false),
        }
    }

    /// Checks the outstanding signals, and returns true if all signals have been observed complete.
    pub(crate) fn are_complete(&self) -> bool {
        let mut outstanding = self
            .outstanding
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        outstanding.retain(|signal| match signal.load(Ordering::Acquire) {
            0 => false,
            FAILED => {
                self.has_failed.store(true, Ordering::Relaxed);
                false
            }
            _ => true,
        });
        outstanding.is_empty()
    }

    /// Returns an error if the command of any signal has failed.
    pub(crate) fn result(&self) -> HsaResult {
        match self.has_failed.load(Ordering::Relaxed) {
            true => Err(Status::EXCEPTION),
            false => Ok(()),
        }
    }
}

/// Wakes a queue's thread. `changes` is the address of the change counter that its doorbell contains.
fn ring(changes: u64) {
    // SAFETY: the address is from a doorbell, whose change counter is never freed.
    let changes = unsafe { &*std::ptr::with_exposed_provenance::<Changes>(changes as usize) };
    changes.count();
}

/// Address of the mailbox that all signals share. A kernel that changes a signal stores an event number in the mailbox
/// and sends an interrupt message. The message has no effect, since the emulator checks the mailbox after each turn of
/// a wave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mailbox(u64);

/// Event number that kernels store in the mailbox. An empty mailbox contains 0.
const EVENT: u32 = 1;

impl HostCalls for Mailbox {
    fn serve(&self, _: &Memory) -> Result<(), String> {
        // SAFETY: the address belongs to an allocation that is never freed, and all accesses are atomic.
        let event = unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(self.0 as usize) };
        if event.load(Ordering::Relaxed) != 0 {
            event.store(0, Ordering::Relaxed);
            CHANGES.count();
        }
        Ok(())
    }

    /// Returns an empty state, since the mailbox is empty after each call of [`HostCalls::serve`].
    fn save(&self) -> Option<SavedCalls> {
        Some(Arc::new(()))
    }
}
