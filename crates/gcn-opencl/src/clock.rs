//! Clock for profiling, shared by host and devices.

use std::sync::LazyLock;
use std::time::Instant;

/// Offset of the clock in nanoseconds, so that no time is 0.
const START: u64 = 1;

/// Nanoseconds since the library was first used.
pub(crate) fn now() -> u64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    START + u64::try_from(BEGIN.elapsed().as_nanos()).unwrap_or(u64::MAX - START)
}
