//! API functions for signals and signal groups.

use std::ffi::c_void;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::time::{Duration, Instant};

use gcn_report::program::forks;

use super::{array, call, put};
use crate::abi::{Handle, SignalHandler, SystemCallback};
use crate::handlers::HandlerCall;
use crate::runtime::Runtime;
use crate::signals::{CHANGES, Signal, SignalCondition};
use crate::status::{HsaResult, Status};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_signal_create(
    value: i64,
    count: u32,
    consumers: *const Handle,
    signal: *mut Handle,
) -> Status {
    call(|runtime| {
        if signal.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees that the array is valid.
        for agent in unsafe { array(consumers, count) }? {
            runtime.agent(*agent)?;
        }
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(signal, runtime.signals.create(value)?.handle()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_signal_create(
    value: i64,
    count: u32,
    consumers: *const Handle,
    attributes: u64,
    signal: *mut Handle,
) -> Status {
    /// `HSA_AMD_SIGNAL_IPC`: the signal can be shared between processes.
    const IPC: u64 = 2;
    if attributes & IPC != 0 {
        gcn_report::program::say::say_once(
            "hsa_amd_signal_create: signals of several processes are not supported",
        );
        return Status::ERROR;
    }
    // SAFETY: both functions have the same safety contract.
    unsafe { hsa_signal_create(value, count, consumers, signal) }
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_signal_destroy(signal: Handle) -> Status {
    call(|runtime| {
        let signal = runtime.signals.get(signal)?;
        runtime.handlers.retain(|call| !call.is_of(signal));
        runtime.signals.destroy(signal)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_signal_value_pointer(
    signal: Handle,
    pointer: *mut *mut c_void,
) -> Status {
    call(|runtime| {
        let signal = runtime.signals.get(signal)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(pointer, signal.value_pointer()) }
    })
}

/// Converts a handle to a signal without a lookup, for functions that do not return a status; `None` for the null
/// handle.
///
/// # Safety
/// The handle is null or valid.
unsafe fn trusted(handle: Handle) -> Option<Signal> {
    // SAFETY: the caller guarantees a valid handle.
    (handle != 0).then(|| unsafe { Signal::trusted(handle) })
}

/// Defines the functions that load, store or modify a signal's value.
macro_rules! values {
    ($(load $load:ident $load_order:ident;)*
     $(store $store:ident $store_order:ident;)*
     $(silent $silent:ident $silent_order:ident;)*
     $(exchange $exchange:ident $exchange_order:ident;)*
     $(cas $cas:ident $cas_order:ident $failed:ident;)*
     $(change $change:ident $method:ident $change_order:ident;)*) => {
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(signal: Handle) -> i64 {
            // SAFETY: the program guarantees a valid signal.
            unsafe { trusted(signal) }.map_or(0, |signal| signal.load($load_order))
        })*
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(signal: Handle, value: i64) {
            // SAFETY: the program guarantees a valid signal.
            if let Some(signal) = unsafe { trusted(signal) } {
                signal.change(|it| it.store(value, $store_order));
            }
        })*
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $silent(signal: Handle, value: i64) {
            // SAFETY: the program guarantees a valid signal.
            if let Some(signal) = unsafe { trusted(signal) } {
                signal.store_silently(value, $silent_order);
            }
        })*
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $exchange(signal: Handle, value: i64) -> i64 {
            // SAFETY: the program guarantees a valid signal.
            let signal = unsafe { trusted(signal) };
            signal.map_or(0, |signal| signal.change(|it| it.swap(value, $exchange_order)))
        })*
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $cas(signal: Handle, expected: i64, value: i64) -> i64 {
            // SAFETY: the program guarantees a valid signal.
            let signal = unsafe { trusted(signal) };
            signal.map_or(0, |signal| {
                signal.change(|it| match it.compare_exchange(expected, value, $cas_order, $failed) {
                    Ok(before) | Err(before) => before,
                })
            })
        })*
        $(#[unsafe(no_mangle)]
        pub unsafe extern "C" fn $change(signal: Handle, value: i64) {
            // SAFETY: the program guarantees a valid signal.
            if let Some(signal) = unsafe { trusted(signal) } {
                signal.change(|it| it.$method(value, $change_order));
            }
        })*
    };
}

values! {
    load hsa_signal_load_scacquire Acquire;
    load hsa_signal_load_acquire   Acquire;
    load hsa_signal_load_relaxed   Relaxed;
    store hsa_signal_store_relaxed   Relaxed;
    store hsa_signal_store_release   Release;
    store hsa_signal_store_screlease Release;
    silent hsa_signal_silent_store_relaxed   Relaxed;
    silent hsa_signal_silent_store_screlease Release;
    exchange hsa_signal_exchange_scacq_screl AcqRel;
    exchange hsa_signal_exchange_acq_rel     AcqRel;
    exchange hsa_signal_exchange_scacquire   Acquire;
    exchange hsa_signal_exchange_acquire     Acquire;
    exchange hsa_signal_exchange_relaxed     Relaxed;
    exchange hsa_signal_exchange_screlease   Release;
    exchange hsa_signal_exchange_release     Release;
    cas hsa_signal_cas_scacq_screl AcqRel  Acquire;
    cas hsa_signal_cas_acq_rel     AcqRel  Acquire;
    cas hsa_signal_cas_scacquire   Acquire Acquire;
    cas hsa_signal_cas_acquire     Acquire Acquire;
    cas hsa_signal_cas_relaxed     Relaxed Relaxed;
    cas hsa_signal_cas_screlease   Release Relaxed;
    cas hsa_signal_cas_release     Release Relaxed;
    change hsa_signal_add_scacq_screl      fetch_add AcqRel;
    change hsa_signal_add_acq_rel          fetch_add AcqRel;
    change hsa_signal_add_scacquire        fetch_add Acquire;
    change hsa_signal_add_acquire          fetch_add Acquire;
    change hsa_signal_add_relaxed          fetch_add Relaxed;
    change hsa_signal_add_screlease        fetch_add Release;
    change hsa_signal_add_release          fetch_add Release;
    change hsa_signal_subtract_scacq_screl fetch_sub AcqRel;
    change hsa_signal_subtract_acq_rel     fetch_sub AcqRel;
    change hsa_signal_subtract_scacquire   fetch_sub Acquire;
    change hsa_signal_subtract_acquire     fetch_sub Acquire;
    change hsa_signal_subtract_relaxed     fetch_sub Relaxed;
    change hsa_signal_subtract_screlease   fetch_sub Release;
    change hsa_signal_subtract_release     fetch_sub Release;
    change hsa_signal_and_scacq_screl      fetch_and AcqRel;
    change hsa_signal_and_acq_rel          fetch_and AcqRel;
    change hsa_signal_and_scacquire        fetch_and Acquire;
    change hsa_signal_and_acquire          fetch_and Acquire;
    change hsa_signal_and_relaxed          fetch_and Relaxed;
    change hsa_signal_and_screlease        fetch_and Release;
    change hsa_signal_and_release          fetch_and Release;
    change hsa_signal_or_scacq_screl       fetch_or  AcqRel;
    change hsa_signal_or_acq_rel           fetch_or  AcqRel;
    change hsa_signal_or_scacquire         fetch_or  Acquire;
    change hsa_signal_or_acquire           fetch_or  Acquire;
    change hsa_signal_or_relaxed           fetch_or  Relaxed;
    change hsa_signal_or_screlease         fetch_or  Release;
    change hsa_signal_or_release           fetch_or  Release;
    change hsa_signal_xor_scacq_screl      fetch_xor AcqRel;
    change hsa_signal_xor_acq_rel          fetch_xor AcqRel;
    change hsa_signal_xor_scacquire        fetch_xor Acquire;
    change hsa_signal_xor_acquire          fetch_xor Acquire;
    change hsa_signal_xor_relaxed          fetch_xor Relaxed;
    change hsa_signal_xor_screlease        fetch_xor Release;
    change hsa_signal_xor_release          fetch_xor Release;
}

/// Converts a timeout in nanoseconds to a duration; `None` if the timeout is unlimited.
fn limit(timeout: u64) -> Option<Duration> {
    (timeout != u64::MAX).then(|| Duration::from_nanos(timeout))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_signal_wait_scacquire(
    signal: Handle,
    condition: u32,
    compare: i64,
    timeout: u64,
    _state: u32,
) -> i64 {
    // SAFETY: the program guarantees a valid signal.
    let (Some(signal), Ok(condition)) =
        (unsafe { trusted(signal) }, SignalCondition::new(condition))
    else {
        return 0;
    };
    if forks::is_child() {
        // A forked child has no other thread that could change the signal.
        return signal.load(Acquire);
    }
    signal.wait(condition, compare, limit(timeout))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_signal_wait_acquire(
    signal: Handle,
    condition: u32,
    compare: i64,
    timeout: u64,
    state: u32,
) -> i64 {
    // SAFETY: both functions have the same safety contract.
    unsafe { hsa_signal_wait_scacquire(signal, condition, compare, timeout, state) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_signal_wait_relaxed(
    signal: Handle,
    condition: u32,
    compare: i64,
    timeout: u64,
    state: u32,
) -> i64 {
    // SAFETY: both functions have the same safety contract.
    unsafe { hsa_signal_wait_scacquire(signal, condition, compare, timeout, state) }
}

/// Conditions to wait for, one per signal. As in ROCr, conditions on invalid handles are ignored.
struct WaitConditions<'a> {
    signals: Vec<Option<Signal>>,
    conditions: Vec<SignalCondition>,
    values: &'a [i64],
}

impl<'a> WaitConditions<'a> {
    fn new(
        signals: Vec<Option<Signal>>,
        conditions: &[u32],
        values: &'a [i64],
    ) -> HsaResult<WaitConditions<'a>> {
        let conditions = conditions.iter().map(|code| SignalCondition::new(*code));
        Ok(WaitConditions {
            signals,
            conditions: conditions.collect::<HsaResult<_>>()?,
            values,
        })
    }

    /// Reads conditions from arrays passed by the program.
    ///
    /// # Safety
    /// Each pointer is null or points to `count` elements.
    unsafe fn from_program(
        runtime: &Runtime,
        count: u32,
        signals: *const Handle,
        conditions: *const u32,
        values: *const i64,
    ) -> HsaResult<WaitConditions<'a>> {
        // SAFETY: the caller guarantees that the arrays are valid.
        let (signals, conditions, values) = unsafe {
            (
                array(signals, count)?,
                array(conditions, count)?,
                array(values, count)?,
            )
        };
        let signals = signals
            .iter()
            .map(|handle| runtime.signals.get(*handle).ok());
        WaitConditions::new(signals.collect(), conditions, values)
    }

    /// Returns the value of the signal at `index` if its condition holds. An invalid handle satisfies every condition,
    /// with the value `None`.
    fn satisfied_value(&self, index: usize) -> Option<Option<i64>> {
        let Some(signal) = &self.signals[index] else {
            return Some(None);
        };
        let value = signal.load(Acquire);
        let holds = self.conditions[index].holds(value, self.values[index]);
        holds.then_some(Some(value))
    }

    /// Waits until any condition holds, and returns the index and value of its signal; `None` on a timeout, or if all
    /// handles are invalid.
    fn any(&self, timeout: Option<Duration>) -> Option<(usize, i64)> {
        if self.signals.iter().all(Option::is_none) {
            return None;
        }
        CHANGES.wait(deadline(timeout), || {
            (0..self.signals.len()).find_map(|index| Some((index, self.satisfied_value(index)??)))
        })
    }

    /// Waits until all conditions hold, and returns the signal values, with 0 for invalid handles; `None` on a timeout.
    fn all(&self, timeout: Option<Duration>) -> Option<Vec<i64>> {
        CHANGES.wait(deadline(timeout), || {
            let values = (0..self.signals.len())
                .map(|index| Some(self.satisfied_value(index)?.unwrap_or(0)));
            values.collect()
        })
    }
}

/// Returns the deadline of a wait that starts now; `None` if the wait is unlimited.
fn deadline(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_signal_wait_any(
    count: u32,
    signals: *const Handle,
    conditions: *const u32,
    values: *const i64,
    timeout: u64,
    _hint: u32,
    satisfying: *mut i64,
) -> u32 {
    let mut found = u32::MAX;
    call(|runtime| {
        // SAFETY: the program guarantees that the arrays are valid.
        let waited =
            unsafe { WaitConditions::from_program(runtime, count, signals, conditions, values) }?;
        if let Some((index, value)) = waited.any(limit(timeout)) {
            found = index as u32;
            if !satisfying.is_null() {
                // SAFETY: the program guarantees that the address is valid.
                unsafe { satisfying.write(value) };
            }
        }
        Ok(())
    });
    found
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_amd_signal_wait_all(
    count: u32,
    signals: *const Handle,
    conditions: *const u32,
    values: *const i64,
    timeout: u64,
    _hint: u32,
    satisfying: *mut i64,
) -> u32 {
    let mut outcome = u32::MAX;
    call(|runtime| {
        // SAFETY: the program guarantees that the arrays are valid.
        let waited =
            unsafe { WaitConditions::from_program(runtime, count, signals, conditions, values) }?;
        if let Some(values) = waited.all(limit(timeout)) {
            outcome = 0;
            if !satisfying.is_null() {
                // SAFETY: the program guarantees room for `count` elements, as many as there are values.
                unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), satisfying, values.len()) };
            }
        }
        Ok(())
    });
    outcome
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_signal_async_handler(
    signal: Handle,
    condition: u32,
    value: i64,
    handler: Option<SignalHandler>,
    argument: *mut c_void,
) -> Status {
    call(|runtime| {
        let signal = runtime.signals.get(signal)?;
        let handler = handler.ok_or(Status::INVALID_ARGUMENT)?;
        let condition = SignalCondition::new(condition)?;
        runtime.handlers.submit(HandlerCall::Handler {
            signal,
            condition,
            value,
            handler,
            argument: argument.expose_provenance(),
            seen: AtomicI64::default(),
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_async_function(
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
) -> Status {
    call(|runtime| {
        let function = function.ok_or(Status::INVALID_ARGUMENT)?;
        runtime.handlers.submit(HandlerCall::Once {
            function,
            argument: argument.expose_provenance(),
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_amd_register_system_event_handler(
    handler: Option<SystemCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let handler = handler.ok_or(Status::INVALID_ARGUMENT)?;
        runtime.add_event_handler(handler, data.expose_provenance());
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_signal_group_create(
    count: u32,
    signals: *const Handle,
    consumer_count: u32,
    consumers: *const Handle,
    group: *mut Handle,
) -> Status {
    call(|runtime| {
        if count == 0 || group.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees that the arrays are valid.
        let (signals, consumers) =
            unsafe { (array(signals, count)?, array(consumers, consumer_count)?) };
        for agent in consumers {
            runtime.agent(*agent)?;
        }
        let signals: HsaResult<Vec<Signal>> = signals
            .iter()
            .map(|handle| runtime.signals.get(*handle))
            .collect();
        let signals = signals?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(group, runtime.groups.add(|_| signals)) }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_signal_group_destroy(group: Handle) -> Status {
    call(|runtime| {
        let removed = runtime.groups.remove(group);
        removed.map(drop).ok_or(Status::INVALID_SIGNAL_GROUP)
    })
}

/// Waits until the condition of any signal in a group holds, and writes that signal's handle and value.
///
/// # Safety
/// The arrays contain one element for each signal in the group; `signal` and `value` are null or writable.
unsafe fn wait_group(
    runtime: &Runtime,
    group: Handle,
    (conditions, values): (*const u32, *const i64),
    (signal, value): (*mut Handle, *mut i64),
) -> HsaResult {
    let signals = runtime
        .groups
        .get(group)
        .ok_or(Status::INVALID_SIGNAL_GROUP)?;
    let count = signals.len() as u32;
    // SAFETY: the caller guarantees that the arrays are valid.
    let (conditions, values) = unsafe { (array(conditions, count)?, array(values, count)?) };
    let known = signals.iter().cloned().map(Some).collect();
    let found = WaitConditions::new(known, conditions, values)?.any(None);
    let (index, found) = found.ok_or(Status::ERROR)?;
    // SAFETY: the caller guarantees that the addresses are valid.
    unsafe {
        put(signal, signals[index].handle())?;
        put(value, found)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_signal_group_wait_any_scacquire(
    group: Handle,
    conditions: *const u32,
    values: *const i64,
    _state: u32,
    signal: *mut Handle,
    value: *mut i64,
) -> Status {
    // SAFETY: the program guarantees that the arrays and addresses are valid.
    call(|runtime| unsafe { wait_group(runtime, group, (conditions, values), (signal, value)) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_signal_group_wait_any_relaxed(
    group: Handle,
    conditions: *const u32,
    values: *const i64,
    state: u32,
    signal: *mut Handle,
    value: *mut i64,
) -> Status {
    // SAFETY: both functions have the same safety contract.
    unsafe { hsa_signal_group_wait_any_scacquire(group, conditions, values, state, signal, value) }
}
