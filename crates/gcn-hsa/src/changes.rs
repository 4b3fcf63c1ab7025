//! Change counter on which this crate's threads wait.
//!
//! A waiting thread reads the counter, checks its condition, and sleeps while the counter is unchanged. Code that may
//! make a condition true increments the counter. No wake-up is lost: a sleeper registers before it reads the counter
//! again, the incrementing thread checks for sleepers after it increments the counter, and each issues a fence in
//! between.

use std::time::{Duration, Instant};

// In the test `model`, these are Loom's types instead of the standard library's.
use super::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use super::sync::atomic::{AtomicU64, AtomicUsize, fence};
use super::sync::{Condvar, Mutex};

/// Time to poll a condition before sleeping. Most commands take a fraction of the time that sleeping and waking take.
const SPIN_TIME: Duration = Duration::from_micros(20);
/// Maximum time to sleep before checking the condition again. A program may write a signal's value through a pointer,
/// which does not increment the counter.
pub const RECHECK_INTERVAL: Duration = Duration::from_millis(2);

/// Counter of changes. Threads can sleep until the next change.
#[derive(Debug, Default)]
pub struct Changes {
    count: AtomicU64,
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Changes {
    /// Increments the counter, and wakes all sleeping threads.
    pub fn count(&self) {
        self.count.fetch_add(1, AcqRel);
        fence(SeqCst);
        if self.sleepers.load(Relaxed) > 0 {
            // A sleeper holds the lock from its check of the counter until it sleeps. Taking the lock waits until it sleeps.
            drop(
                self.lock
                    .lock()
                    .unwrap_or_else(|broken| broken.into_inner()),
            );
            self.changed.notify_all();
        }
    }

    /// Returns the counter value.
    pub fn seen(&self) -> u64 {
        self.count.load(Acquire)
    }

    /// Sleeps for at most `most` while the counter equals `seen`. May return early.
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

    /// Polls `look` after each change until it returns a value, and returns the value; `None` if the deadline passes
    /// first.
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
