//! Answers to queries, and the sets of instruction sets that they name.

use std::io::{self, Write};

use crate::problem::{Problem, UNKNOWN_ENTRY};

/// An answer to a query.
pub(super) trait Answer {
    /// Writes it for people to read.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;
}

/// The problem of a query without an answer.
pub(super) fn unknown(message: impl Into<String>) -> Problem {
    Problem::new(UNKNOWN_ENTRY, message)
}
