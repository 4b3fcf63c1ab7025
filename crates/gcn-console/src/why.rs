//! Formatters for answers to `why`.

mod terms;
mod tree;

use std::io::{self, Write};

use gcn_debug::{Answer, Program, WhyError, WhyRequest};
use gcn_report::printable;

pub use terms::{RunNames, Terms, branch, instruction, label, location, number};
pub use tree::write;

/// Default number of dependence levels that an answer shows.
pub const DEPTH: u32 = 8;

/// Default maximum number of executed instructions in an answer, counted per lane.
pub const EXECUTIONS: usize = 4_000_000;

/// Writes the answer to a question asked at a stop, or the error that prevented an answer.
///
/// # Errors
/// Fails if `out` cannot be written.
pub fn write_at_stop<E: std::fmt::Display>(
    request: &WhyRequest,
    answer: Result<Answer, WhyError<E>>,
    names: RunNames,
    program: &Program,
    out: &mut dyn Write,
) -> io::Result<()> {
    match answer {
        Ok(answer) => {
            let terms = Terms::new(names, program, &answer);
            let title = format!("{} = {}", printable(&request.text), request.value);
            write(&title, request.depth.unwrap_or(DEPTH), &terms, out)
        }
        Err(WhyError::Launch(error)) => writeln!(out, "error: {error:#}"),
        Err(error) => writeln!(out, "error: {error}"),
    }
}
