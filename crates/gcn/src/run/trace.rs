//! The trace of a run.

use std::io::{self, Write};
use std::sync::{Arc, mpsc};

use anyhow::Result;
use gcn_emu::observe::Observers;
use gcn_observe::Trace;
use gcn_runtime::{Outcome, PreparedLaunch, Queue};

/// Lines of a trace that may wait to be written.
const BACKLOG: usize = 1024;

/// Runs a launch with a trace. A thread of the queue's runs it, since only this one may write to `out`; in JSON mode the trace
/// goes to standard error.
///
/// # Errors
/// `out` cannot be written, or the launch is none of the queue's device.
pub fn traced(
    prepared: &PreparedLaunch,
    queue: &Queue,
    json: bool,
    out: &mut dyn Write,
) -> Result<Outcome> {
    let (sender, lines) = mpsc::sync_channel::<String>(BACKLOG);
    // Nobody listens any more when the run is being stopped.
    let trace = Trace::new(move |line: &str| drop(sender.send(line.to_owned())));
    let observers = Observers::none().with(Arc::new(trace));
    // The lines end when the run drops the trace, of which this thread keeps nothing.
    let signal = prepared.clone().observers(&observers).submit(queue)?;
    drop(observers);
    let mut written = Ok(());
    for line in lines {
        written = if json {
            writeln!(io::stderr(), "{line}")
        } else {
            writeln!(out, "{line}")
        };
        if written.is_err() {
            signal.cancel();
            break;
        }
    }
    let outcome = signal.wait();
    written?;
    Ok(outcome)
}
