//! Tests of signals: values, waits, handlers and groups.

use std::ffi::c_void;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use super::hsa::*;

#[test]
fn operations_change_the_value() {
    let it = signal(12);
    // SAFETY: the signal exists.
    unsafe {
        hsa_signal_add_relaxed(it, 5);
        hsa_signal_subtract_scacq_screl(it, 1);
        assert_eq!(load(it), 16);
        assert_eq!(hsa_signal_exchange_acq_rel(it, 6), 16);
        assert_eq!(hsa_signal_cas_scacq_screl(it, 7, 1), 6);
        assert_eq!(hsa_signal_cas_scacq_screl(it, 6, 0b1100), 6);
        hsa_signal_and_relaxed(it, 0b0110);
        hsa_signal_or_relaxed(it, 0b0001);
        hsa_signal_xor_relaxed(it, -1);
    }
    assert_eq!(load(it), !0b0101);
    check(hsa_signal_destroy(it));
    assert_eq!(hsa_signal_destroy(it), Status::INVALID_SIGNAL);
    assert_eq!(hsa_signal_destroy(0), Status::INVALID_ARGUMENT);
}

#[test]
fn a_wait_ends_when_its_condition_holds() {
    for (condition, compare, value) in [
        (EQUAL, 3, 3),
        (NOT_EQUAL, 10, 9),
        (LESS, 0, -1),
        (AT_LEAST, 11, 11),
    ] {
        let it = signal(10);
        let sleeper = std::thread::spawn(move || {
            // SAFETY: the signal is destroyed only after the thread has ended.
            unsafe { hsa_signal_wait_scacquire(it, condition, compare, PATIENCE, 0) }
        });
        std::thread::sleep(Duration::from_millis(2));
        // SAFETY: the signal exists.
        unsafe { hsa_signal_store_screlease(it, value) };
        assert_eq!(sleeper.join().expect("it ends"), value);
        check(hsa_signal_destroy(it));
    }
}

#[test]
fn a_wait_ends_at_its_time_limit_with_the_value() {
    let it = signal(4);
    // SAFETY: the signal exists.
    let value = unsafe { hsa_signal_wait_scacquire(it, EQUAL, 0, 1_000_000, 0) };
    assert_eq!(value, 4);
}

#[test]
fn a_store_through_the_pointer_of_the_value_is_seen() {
    let it = signal(1);
    let mut pointer = std::ptr::null_mut();
    // SAFETY: the signal exists while its value is used, and `pointer` is writable.
    let value = unsafe {
        check(hsa_amd_signal_value_pointer(it, &raw mut pointer));
        AtomicI64::from_ptr(pointer)
    };
    let sleeper = std::thread::spawn(move || finish(it));
    std::thread::sleep(Duration::from_millis(2));
    value.store(0, SeqCst);
    sleeper.join().expect("it ends");
}

#[test]
fn a_kernel_wakes_who_waits_for_its_signal() {
    let (it, done) = (signal(1), signal(1));
    let queue = Queue::new(64);
    let sleeper = std::thread::spawn(move || finish(it));
    queue.dispatch(DISPATCH, kernel(c"ring.kd"), 1, arguments(it), done);
    finish(done);
    sleeper.join().expect("it ends");
}

#[test]
fn handlers_are_called_until_they_return_false() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn handler(value: i64, argument: *mut c_void) -> bool {
        // SAFETY: `argument` points to the counter below.
        unsafe { (*argument.cast::<AtomicI64>()).fetch_add(value, SeqCst) };
        CALLS.fetch_add(1, SeqCst) < 2
    }
    let (it, sum) = (signal(0), Box::leak(Box::new(AtomicI64::new(0))));
    let argument = std::ptr::from_ref(sum).cast_mut().cast();
    // SAFETY: `argument` points to the counter that the handler expects, which is never freed.
    check(unsafe { hsa_amd_signal_async_handler(it, AT_LEAST, 7, Some(handler), argument) });
    std::thread::sleep(Duration::from_millis(2));
    assert_eq!(CALLS.load(SeqCst), 0);
    // SAFETY: the signal exists.
    unsafe { hsa_signal_store_screlease(it, 7) };
    wait_for_calls(&CALLS, 3);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!((CALLS.load(SeqCst), sum.load(SeqCst)), (3, 21));
}

/// Waits until a handler has been called `count` times.
fn wait_for_calls(calls: &AtomicUsize, count: usize) {
    let begin = std::time::Instant::now();
    while calls.load(SeqCst) < count {
        assert!(
            begin.elapsed() < Duration::from_nanos(PATIENCE),
            "it is not called"
        );
        std::thread::yield_now();
    }
}

#[test]
fn a_handler_gets_the_value_that_satisfied_its_condition() {
    const LAST: usize = 1000;
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    static OTHERS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn handler(value: i64, _: *mut c_void) -> bool {
        OTHERS.fetch_add(usize::from(value != 0), SeqCst);
        CALLS.fetch_add(1, SeqCst) < LAST
    }
    let (it, begin) = (signal(1), std::time::Instant::now());
    let none = std::ptr::null_mut();
    // SAFETY: the handler does not use its argument.
    check(unsafe { hsa_amd_signal_async_handler(it, EQUAL, 0, Some(handler), none) });
    // Changes the signal also between the check of the condition and the call of the handler.
    while CALLS.load(SeqCst) <= LAST && begin.elapsed() < Duration::from_nanos(PATIENCE) {
        for value in [0, 1] {
            // SAFETY: the signal exists.
            unsafe { hsa_signal_store_screlease(it, value) };
        }
    }
    assert_eq!((CALLS.load(SeqCst), OTHERS.load(SeqCst)), (LAST + 1, 0));
    check(hsa_signal_destroy(it));
}

#[test]
fn a_handler_is_not_called_after_it_destroys_its_signal() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn handler(_: i64, signal: *mut c_void) -> bool {
        let is_first = CALLS.load(SeqCst) == 0;
        if is_first {
            check(hsa_signal_destroy(signal.addr() as Handle));
        }
        CALLS.fetch_add(1, SeqCst);
        is_first
    }
    let it = signal(0);
    let argument = std::ptr::without_provenance_mut(it as usize);
    // SAFETY: `argument` is the signal handle that the handler expects.
    check(unsafe { hsa_amd_signal_async_handler(it, EQUAL, 0, Some(handler), argument) });
    wait_for_calls(&CALLS, 1);
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(CALLS.load(SeqCst), 1);
}

#[test]
fn one_of_several_signals_is_enough() {
    let signals = [signal(5), signal(6), signal(7)];
    let (mut group, mut found, mut value) = (0, 0, 0);
    // SAFETY: the arrays contain an element for each signal, and the output pointers are writable or null.
    unsafe {
        check(hsa_signal_group_create(
            3,
            signals.as_ptr(),
            0,
            std::ptr::null(),
            &raw mut group,
        ));
        hsa_signal_store_screlease(signals[1], 0);
        let (conditions, values) = ([EQUAL; 3], [0; 3]);
        let status = hsa_signal_group_wait_any_scacquire(
            group,
            conditions.as_ptr(),
            values.as_ptr(),
            0,
            &raw mut found,
            &raw mut value,
        );
        check(status);
        assert_eq!((found, value), (signals[1], 0));
        let which = |values: [i64; 3]| {
            hsa_amd_signal_wait_any(
                3,
                signals.as_ptr(),
                conditions.as_ptr(),
                values.as_ptr(),
                1_000_000,
                0,
                std::ptr::null_mut(),
            )
        };
        assert_eq!(which([1, 1, 7]), 2);
        assert_eq!(which([1, 1, 1]), u32::MAX, "the time limit");
    }
    check(hsa_signal_group_destroy(group));
    assert_eq!(
        hsa_signal_group_destroy(group),
        Status::INVALID_SIGNAL_GROUP
    );
}
