//! Progress line of a long run on the terminal, cleared at the end.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use gcn_runtime::progress::{Done, Progress};

use crate::render;

/// Time before progress is shown.
const PATIENCE: Duration = Duration::from_secs(2);
/// Update interval.
const INTERVAL: Duration = Duration::from_millis(500);
/// Escape sequence that clears the terminal's line.
const CLEAR: &str = "\r\x1b[K";

/// True if progress can be shown: standard error is a terminal.
pub fn is_visible() -> bool {
    io::stderr().is_terminal()
}

/// Runs a function and shows its progress.
pub fn with_progress<T>(progress: &Progress, run: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (end, ended) = mpsc::channel();
        // If no thread can be created, no progress is shown.
        let _ = std::thread::Builder::new().spawn_scoped(scope, move || show(progress, &ended));
        let result = run();
        drop::<mpsc::Sender<()>>(end);
        result
    })
}

/// Updates the progress line until the sender disconnects, then clears it.
fn show(progress: &Progress, ended: &Receiver<()>) {
    let (mut last, mut before) = (Instant::now(), Done::default());
    let mut wait = PATIENCE;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let done = progress.done();
        let seconds = last.elapsed().as_secs_f64();
        render::tell(format_args!("{CLEAR}{}", line(before, done, seconds)));
        (last, before, wait) = (Instant::now(), done, INTERVAL);
    }
    if wait == INTERVAL {
        render::tell(format_args!("{CLEAR}"));
    }
}

/// Formats the completed work, and the speed since `before`, which was `seconds` ago.
fn line(before: Done, done: Done, seconds: f64) -> String {
    let percent = (u128::from(done.groups) * 100)
        .checked_div(done.total)
        .unwrap_or(0);
    let instructions = done.instructions.saturating_sub(before.instructions);
    format!(
        "{} of {} workgroups ({percent} %), {:.1} M wave instructions/s",
        done.groups,
        done.total,
        instructions as f64 / seconds / 1e6
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_done_and_how_fast() {
        let before = Done {
            groups: 10,
            total: 400,
            instructions: 1_000_000,
        };
        let done = Done {
            groups: 100,
            instructions: 11_000_000,
            ..before
        };
        assert_eq!(
            line(before, done, 0.5),
            "100 of 400 workgroups (25 %), 20.0 M wave instructions/s"
        );
        let nothing = Done::default();
        assert_eq!(
            line(nothing, nothing, 2.0),
            "0 of 0 workgroups (0 %), 0.0 M wave instructions/s"
        );
    }
}
