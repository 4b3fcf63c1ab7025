//! Change counter, on which all threads of this crate wait.
//!
//! A waiting thread reads the counter, checks its condition, and sleeps while the counter is unchanged. Code that may
//! make a condition true increments the counter. No wake-up is lost: the sleeper registers before it reads the
//! counter again, and the other side increments the counter before it checks for sleepers, each with a fence in
//! between.

use std::time::{Duration, Instant};

// The test `model` gives this module loom's types in place of the standard library's.
use super::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use super::sync::atomic::{AtomicU64, AtomicUsize, fence};
use super::sync::{Condvar, Mutex};

/// Time to spin before sleeping. Most commands are short, and a sleep costs several times as much.
const SPIN_TIME: Duration = Duration::from_micros(20);
/// Maximum time to sleep before checking the condition again. Programs may store to a signal's value through its
/// pointer, which does not increment the counter.
pub const RECHECK_INTERVAL: Duration = Duration::from_millis(2);

/// Change counter.
#[derive(Debug, Default)]
pub struct Changes {
    count: AtomicU64,
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Changes {
    /// Increments the counter and wakes all sleepers.
    pub fn count(&self) {
        self.count.fetch_add(1, AcqRel);
        fence(SeqCst);
        if self.sleepers.load(Relaxed) > 0 {
            // A sleeper holds the lock from checking the counter until it sleeps.
            drop(
                self.lock
                    .lock()
                    .unwrap_or_else(|broken| broken.into_inner()),
            );
            self.changed.notify_all();
        }
    }

    /// Number of changes so far.
    pub fn seen(&self) -> u64 {
        self.count.load(Acquire)
    }

    /// Sleeps while the counter equals `seen`, for at most `most`. May return early.
    pub fn sleep(&self, seen: u64, most: Duration) {
        self.sleepers.fetch_add(1, Relaxed);
        fence(SeqCst);
        let guard = self
            .lock
            .lock()
            .unwrap_or_else(|broken| broken.into_inner());
        if self.count.load(Acquire) == seen {
            drop(self.changed.wait_timeout(guard, most));
        }
        self.sleepers.fetch_sub(1, Relaxed);
    }

    /// Waits until `look` returns a value, or until the deadline.
    pub fn wait<T>(
        &self,
        deadline: Option<Instant>,
        mut look: impl FnMut() -> Option<T>,
    ) -> Option<T> {
        let begin = Instant::now();
        loop {
            let seen = self.seen();
            if let Some(found) = look() {
                return Some(found);
            }
            let now = Instant::now();
            let left = deadline.map_or(RECHECK_INTERVAL, |deadline| {
                deadline.saturating_duration_since(now)
            });
            if left.is_zero() {
                return None;
            }
            if now - begin < SPIN_TIME {
                std::thread::yield_now();
            } else {
                self.sleep(seen, left.min(RECHECK_INTERVAL));
            }
        }
    }
}
