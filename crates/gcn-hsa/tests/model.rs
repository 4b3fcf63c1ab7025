//! Checks the change counter with the model checker Loom, which explores interleavings of threads that increment the
//! counter and threads that sleep.

#![allow(dead_code)]

#[path = "../src/changes.rs"]
mod changes;

/// Replaces the types in `src/sync.rs` with Loom's.
mod sync {
    pub(crate) use loom::sync::{Condvar, Mutex, atomic};
}

use std::time::Duration;

use changes::Changes;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering::Relaxed};
use loom::thread;

/// Infinite timeout: Loom does not model time, and reports a lost wake-up as a deadlock.
const FOR_EVER: Duration = Duration::MAX;

fn sleep_until(changes: &Changes, flag: &AtomicBool) {
    loop {
        let seen = changes.seen();
        if flag.load(Relaxed) {
            return;
        }
        changes.sleep(seen, FOR_EVER);
    }
}

#[test]
fn a_change_is_not_missed() {
    loom::model(|| {
        let (changes, flag) = (
            Arc::new(Changes::default()),
            Arc::new(AtomicBool::new(false)),
        );
        let (theirs, set) = (changes.clone(), flag.clone());
        let sleeper = thread::spawn(move || sleep_until(&theirs, &set));
        flag.store(true, Relaxed);
        changes.count();
        sleeper.join().expect("it wakes");
    });
}

#[test]
fn a_change_wakes_all_sleepers() {
    let mut checker = loom::model::Builder::new();
    checker.preemption_bound = Some(3);
    checker.check(|| {
        let (changes, flag) = (
            Arc::new(Changes::default()),
            Arc::new(AtomicBool::new(false)),
        );
        let sleepers: Vec<_> = (0..2)
            .map(|_| {
                let (theirs, set) = (changes.clone(), flag.clone());
                thread::spawn(move || sleep_until(&theirs, &set))
            })
            .collect();
        flag.store(true, Relaxed);
        changes.count();
        for sleeper in sleepers {
            sleeper.join().expect("it wakes");
        }
    });
}
