//! Tests that a forked child can initialise the runtime only if its parent has shut the runtime down. A separate test
//! binary, since the other tests leave the runtime initialised.

use gcn_hsa::status::Status;
// Links the crate, which exports the API functions only as C symbols.
use gcn_hsa as _;

unsafe extern "C" {
    safe fn hsa_init() -> Status;
    safe fn hsa_shut_down() -> Status;
}

/// Forks a child that initialises the runtime, and returns its exit status: 42 on success.
fn child() -> i32 {
    // SAFETY: no other thread of this process holds a lock that the child needs.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let is_initialised = hsa_init() == Status::SUCCESS && hsa_shut_down() == Status::SUCCESS;
        // SAFETY: the child has nothing to clean up.
        unsafe { libc::_exit(if is_initialised { 42 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: `status` is writable.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(waited, child);
    libc::WEXITSTATUS(status)
}

#[test]
fn a_child_of_a_process_that_has_shut_down_may_initialise() {
    assert_eq!(hsa_init(), Status::SUCCESS);
    assert_eq!(child(), 1, "the parent uses the devices");
    assert_eq!(hsa_shut_down(), Status::SUCCESS);
    assert_eq!(child(), 42);
    assert_eq!(hsa_init(), Status::SUCCESS);
    assert_eq!(child(), 1, "again");
    assert_eq!(hsa_shut_down(), Status::SUCCESS);
}
