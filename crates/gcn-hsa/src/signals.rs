//! Signals: 64 bytes of device memory each, so that kernels can change them too.
//!
//! This is one of the modules that may use `unsafe`: the handle of a signal is its address, which programs pass back.
#![allow(unsafe_code)]

use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gcn_runtime::memory::Memory;
use gcn_runtime::{Device, HostCalls};

use crate::abi::{AmdSignal, Handle, SIGNAL_DOORBELL, SIGNAL_USER, Times};
use crate::changes::Changes;
use crate::status::{HsaResult, Status};

/// Bytes of memory that are taken from the device for signals at a time.
const SLAB_BYTES: u64 = 1 << 16;

/// Value of a signal whose command has failed. Whoever waits for the signal to decrease goes on.
pub(crate) const FAILED: i64 = -(Status::EXCEPTION.0 as i64);

/// Changes of all signals but doorbells.
pub(crate) static CHANGES: std::sync::LazyLock<Changes> =
    std::sync::LazyLock::new(Changes::default);

/// All signals of the process.
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
    /// # Errors
    /// There is no memory.
    pub(crate) fn new(device: &Device) -> HsaResult<SignalTable> {
        let mailbox = device.memory().allocate("the mailbox of HSA signals", 8);
        Ok(SignalTable {
            device: device.clone(),
            mailbox: Mailbox(mailbox.map_err(|_| Status::OUT_OF_RESOURCES)?),
            state: Mutex::default(),
        })
    }

    /// The mailbox in which kernels announce changes of signals.
    pub(crate) fn mailbox(&self) -> Mailbox {
        self.mailbox
    }

    fn state(&self) -> MutexGuard<'_, HsaSignalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new signal.
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

    /// Makes the handle invalid.
    pub(crate) fn destroy(&self, signal: Signal) -> HsaResult {
        let mut state = self.state();
        if !state.live.remove(&signal.0) {
            return Err(Status::INVALID_SIGNAL);
        }
        signal.raw().kind.store(0, Ordering::Release);
        state.free.push(signal.0);
        Ok(())
    }

    /// The signal of a handle that a program gives.
    pub(crate) fn get(&self, handle: Handle) -> HsaResult<Signal> {
        let is_live = self.state().live.contains(&handle);
        is_live
            .then_some(Signal(handle))
            .ok_or(Status::INVALID_SIGNAL)
    }

    /// The signal of a handle, if it is not the null handle.
    pub(crate) fn get_optional(&self, handle: Handle) -> HsaResult<Option<Signal>> {
        match handle {
            0 => Ok(None),
            handle => self.get(handle).map(Some),
        }
    }
}

/// A condition of a wait, an `hsa_signal_condition_t`.
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

/// A signal: its address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Signal(Handle);

impl Signal {
    /// The signal at an address.
    ///
    /// # Safety
    /// The handle is one of [`SignalTable::create`]'s, which may have been destroyed since, as the HSA API asks of its callers.
    pub(crate) unsafe fn trusted(handle: Handle) -> Signal {
        Signal(handle)
    }

    pub(crate) fn handle(self) -> Handle {
        self.0
    }

    /// The signal in memory.
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

    /// Stores a value without waking who waits for one.
    pub(crate) fn store_silently(self, value: i64, order: Ordering) {
        self.value().store(value, order);
    }

    /// Changes the value by an atomic operation, and wakes who waits for one.
    pub(crate) fn change<T>(self, operation: impl FnOnce(&AtomicI64) -> T) -> T {
        let result = operation(self.value());
        self.tell();
        result
    }

    /// Wakes who waits for the signal.
    fn tell(self) {
        if self.raw().kind.load(Ordering::Relaxed) == SIGNAL_DOORBELL {
            ring(self.raw().event_mailbox_ptr.load(Ordering::Relaxed));
        } else {
            CHANGES.count();
        }
    }

    /// Waits until the condition holds, or for `timeout`; the value that was seen last.
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

    /// True if a command that waits for the signal may begin: it is 0, or its own command has failed.
    pub(crate) fn is_complete(self) -> bool {
        matches!(self.load(Ordering::Acquire), 0 | FAILED)
    }

    /// Begin and end of the command that has completed the signal.
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

    /// Ends the command that the signal is for.
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

/// Wakes the thread of a doorbell's queue.
fn ring(changes: u64) {
    // SAFETY: only doorbells come here, and each has the address of what its queue's thread sleeps on, which is never freed.
    let changes = unsafe { &*std::ptr::with_exposed_provenance::<Changes>(changes as usize) };
    changes.count();
}

/// The address that a kernel stores an event's number to when it has changed a signal, before it sends the interrupt message.
/// All signals have the same one. Of the message nothing more is needed: who runs the wave looks into the mailbox after each
/// of its turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mailbox(u64);

/// The event's number; 0 is an empty mailbox.
const EVENT: u32 = 1;

impl HostCalls for Mailbox {
    fn serve(&self, _: &Memory) -> Result<(), String> {
        // SAFETY: the address is that of an allocation that is never freed, and all accesses are atomic.
        let event = unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(self.0 as usize) };
        if event.load(Ordering::Relaxed) != 0 {
            event.store(0, Ordering::Relaxed);
            CHANGES.count();
        }
        Ok(())
    }
}
