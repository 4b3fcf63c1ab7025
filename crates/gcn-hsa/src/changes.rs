//! A counter of changes that threads sleep on: the one place where threads of this crate wait.
//!
//! A thread that waits for a condition reads the counter, looks at the condition, and sleeps while the counter stays as it
//! was. Whoever may make a condition true counts a change. Neither side misses the other: the sleeper announces itself before
//! it looks at the counter again, the other one counts before it looks for sleepers, and a fence is between the two of each.

use std::time::{Duration, Instant};

// The test `model` gives this module loom's types in place of the standard library's.
use super::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use super::sync::atomic::{AtomicU64, AtomicUsize, fence};
use super::sync::{Condvar, Mutex};

/// Time that a thread waits awake, since most commands are short and a sleep costs several times as much.
const AWAKE: Duration = Duration::from_micros(20);
/// A sleeper looks by itself after this time: programs may store to a signal's value through its pointer, which nobody counts.
pub const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// A counter of changes.
#[derive(Debug, Default)]
pub struct Changes {
    count: AtomicU64,
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Changes {
    /// Counts a change and wakes all sleepers.
    pub fn count(&self) {
        self.count.fetch_add(1, AcqRel);
        fence(SeqCst);
        if self.sleepers.load(Relaxed) > 0 {
            // A sleeper holds the lock from its look at the counter until it sleeps.
            drop(
                self.lock
                    .lock()
                    .unwrap_or_else(|broken| broken.into_inner()),
            );
            self.changed.notify_all();
        }
    }

    /// The number of changes so far.
    pub fn seen(&self) -> u64 {
        self.count.load(Acquire)
    }

    /// Sleeps while the count is `seen`, for `most` at the longest; it may wake earlier.
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

    /// Waits until `look` yields something, or until the deadline.
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
            let left = deadline.map_or(LOOK_AGAIN, |deadline| {
                deadline.saturating_duration_since(now)
            });
            if left.is_zero() {
                return None;
            }
            if now - begin < AWAKE {
                std::thread::yield_now();
            } else {
                self.sleep(seen, left.min(LOOK_AGAIN));
            }
        }
    }
}
