//! Tests of forks and of the initialisation count.

use super::hsa::*;

#[test]
fn a_child_gets_an_error_and_the_parent_goes_on() {
    let (it, queue) = (signal(1), Queue::new(64));
    // SAFETY: the child only calls library functions, which take no lock in a child, and exits.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let mut signal = 0;
        // SAFETY: `signal` is writable.
        let created = unsafe { hsa_signal_create(1, 0, std::ptr::null(), &raw mut signal) };
        let is_refused =
            hsa_shut_down() == Status::NOT_INITIALIZED && created == Status::NOT_INITIALIZED;
        // SAFETY: the child has nothing to clean up.
        unsafe { libc::_exit(if is_refused { 42 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: `status` is writable.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!((waited, libc::WEXITSTATUS(status)), (child, 42));
    let array = allocate::<u32>(64);
    queue.dispatch(
        DISPATCH,
        kernel(c"add.kd"),
        64,
        arguments(Add { array, value: 1 }),
        it,
    );
    finish(it);
}

#[test]
fn initialisations_are_counted() {
    agents();
    check(hsa_init());
    check(hsa_shut_down());
    // The runtime is still initialised by the first call.
    assert_eq!(load(signal(3)), 3);
}
