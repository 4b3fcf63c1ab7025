//! Clock for timestamps.

use rustix::time::{ClockId, clock_gettime};

pub(crate) const TICKS_PER_SECOND: u64 = 1_000_000_000;

/// Returns the host's monotonic time in nanoseconds.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.cast_unsigned() * TICKS_PER_SECOND + time.tv_nsec.cast_unsigned()
}
