//! Trace of a run: the selected instructions and the destination.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, mpsc};

use anyhow::{Context, Result};
use gcn_observe::TraceFilter;
use gcn_report::symbolic;
use gcn_runtime::observe::Observers;
use gcn_runtime::{CommandResult, PreparedLaunch, Queue};

use super::request::RunRequest;
use crate::outputs::unwritable;

/// Maximum number of lines waiting to be written.
const BACKLOG: usize = 1024;

/// Destination of a trace.
enum TraceSink {
    /// Standard output.
    Output,
    /// Standard error, used if standard output is for the JSON report.
    Error,
    /// File and its path.
    File(PathBuf, BufWriter<File>),
}

/// Trace of a run's launches.
pub struct RunTrace {
    filter: TraceFilter,
    sink: TraceSink,
}

impl RunTrace {
    /// Creates the requested trace, if any.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn new(run: &RunRequest, filter: TraceFilter) -> Result<Option<RunTrace>> {
        if !run.trace.is_on() {
            return Ok(None);
        }
        let sink = match run.trace.named_file() {
            Some(path) => {
                let file = File::create(path).with_context(|| unwritable(path))?;
                TraceSink::File(path.to_owned(), BufWriter::new(file))
            }
            None if run.json => TraceSink::Error,
            None => TraceSink::Output,
        };
        Ok(Some(RunTrace { filter, sink }))
    }

    /// Runs a launch with the trace and other observers on a thread of the queue, while the calling thread writes the
    /// trace.
    ///
    /// # Errors
    /// Fails if the trace cannot be written, or the launch belongs to another device.
    pub fn run(
        &mut self,
        prepared: &PreparedLaunch,
        queue: &Queue,
        observers: &Observers,
        out: &mut dyn Write,
    ) -> Result<CommandResult> {
        let (sender, lines) = mpsc::sync_channel::<String>(BACKLOG);
        let module = prepared.kernel().module().clone();
        // Sending fails only if a write error has ended the loop below.
        let trace = gcn_observe::Trace::new(move |line: &str| drop(sender.send(line.to_owned())))
            .filter(self.filter.clone())
            .symbols(move |pc| symbolic(pc, module.loaded()));
        let observers = observers.clone().with(Arc::new(trace));
        // This thread keeps no sender, so the channel closes when the launch drops the trace.
        let signal = prepared.clone().observers(&observers).submit(queue)?;
        drop(observers);
        let mut written = Ok(());
        for line in lines {
            written = match &mut self.sink {
                TraceSink::Output => writeln!(out, "{line}"),
                TraceSink::Error => writeln!(io::stderr(), "{line}"),
                TraceSink::File(_, file) => writeln!(file, "{line}"),
            };
            if written.is_err() {
                signal.cancel();
                break;
            }
        }
        if let (Ok(()), TraceSink::File(_, file)) = (&written, &mut self.sink) {
            written = file.flush();
        }
        let outcome = signal.wait();
        match &self.sink {
            TraceSink::File(path, _) => written.with_context(|| unwritable(path))?,
            TraceSink::Output | TraceSink::Error => written?,
        }
        Ok(outcome)
    }
}
