//! Profiling clock, shared by the host and the devices.

use std::sync::LazyLock;
use std::time::Instant;

/// Initial clock value in nanoseconds, so that no time is 0.
const START: u64 = 1;

/// Returns the time since the clock was first read, in nanoseconds, plus [`START`].
pub(crate) fn now() -> u64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    START + u64::try_from(BEGIN.elapsed().as_nanos()).unwrap_or(u64::MAX - START)
}
