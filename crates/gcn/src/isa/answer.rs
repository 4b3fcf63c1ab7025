//! Answers to queries.

use std::io::{self, Write};

use crate::problem::{Problem, UNKNOWN_ENTRY};

/// Answer to a query.
pub(super) trait Answer {
    /// Writes the answer as text.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// Problem for a query without an answer.
pub(super) fn unknown(message: impl Into<String>) -> Problem {
    Problem::new(UNKNOWN_ENTRY, message)
}
