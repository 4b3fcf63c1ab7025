//! Test of a process that only queries devices and forks children that use them. It has a binary of its own, since
//! other tests leave the runtime initialised.

use gcn_hsa::status::Status;
// The functions are in the library by their names only.
use gcn_hsa as _;

unsafe extern "C" {
    safe fn hsa_init() -> Status;
    safe fn hsa_shut_down() -> Status;
}

/// Exit status of a child that initialises the runtime: 42 on success.
fn child() -> i32 {
    // SAFETY: this process has no other thread that holds a lock.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let is_initialised = hsa_init() == Status::SUCCESS && hsa_shut_down() == Status::SUCCESS;
        // SAFETY: the child ends at once.
        unsafe { libc::_exit(if is_initialised { 42 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: the child is this process's.
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
