//! Tests of the change counter with operating-system threads and the real clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use gcn_hsa::changes::Changes;

#[test]
fn a_change_wakes_a_sleeper() {
    let changes = Arc::new(Changes::default());
    let flag = Arc::new(AtomicBool::new(false));
    let (theirs, set) = (changes.clone(), flag.clone());
    let sleeper = std::thread::spawn(move || theirs.wait(None, || set.load(Relaxed).then_some(7)));
    std::thread::sleep(Duration::from_millis(5));
    flag.store(true, Relaxed);
    changes.count();
    assert_eq!(sleeper.join().ok(), Some(Some(7)));
}

#[test]
fn a_deadline_ends_a_wait() {
    let deadline = Instant::now() + Duration::from_millis(3);
    assert_eq!(Changes::default().wait(Some(deadline), || None::<()>), None);
    assert!(Instant::now() >= deadline);
}
