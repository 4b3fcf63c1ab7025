//! Trace of a launch, which Python reads while the launch runs.

use std::iter;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gcn_report::symbolic;
use gcn_runtime::Kernel;
use gcn_runtime::gcn_observe::{Choice, Trace, TraceFilter};
use gcn_runtime::observe::Observers;

/// Number of lines that may wait for the reader. Beyond that, the kernel waits.
const BACKLOG: usize = 1024;

/// Lines of a trace that have not been read; `None` if nobody reads them.
pub(crate) struct TraceLines(Mutex<Option<Receiver<String>>>);

impl TraceLines {
    /// Adds a trace to the observers of a launch. `only` selects instructions, as `gcn run --trace-only` does.
    ///
    /// # Errors
    /// Fails if a selection is invalid; the message states the expected form.
    pub(crate) fn watch(
        kernel: &Kernel,
        only: &[String],
        observers: Observers,
    ) -> Result<(TraceLines, Observers), String> {
        let module = kernel.module().clone();
        let symbol = |name: &str| {
            let symbol = module.symbol(name)?;
            Some(symbol.address..symbol.address + symbol.size)
        };
        let mut filter = TraceFilter::default();
        for text in only {
            Choice::parse(text)?.add_to(&mut filter, symbol, |_| None)?;
        }
        let (sender, lines) = sync_channel::<String>(BACKLOG);
        // Sending fails if nobody reads.
        let trace = Trace::new(move |line: &str| drop(sender.send(line.to_owned())))
            .filter(filter)
            .symbols(move |pc| symbolic(pc, module.loaded()));
        Ok((
            TraceLines(Mutex::new(Some(lines))),
            observers.with(Arc::new(trace)),
        ))
    }

    /// Waits up to `time` for a line, and returns all available lines; `None` at the end of the trace.
    pub(crate) fn read(&self, time: Duration) -> Option<Vec<String>> {
        let lines = self.lines();
        let lines = lines.as_ref()?;
        match lines.recv_timeout(time) {
            Ok(line) => {
                let others = lines.try_iter().take(BACKLOG);
                Some(iter::once(line).chain(others).collect())
            }
            Err(RecvTimeoutError::Timeout) => Some(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Discards all further lines, so that the kernel does not wait for a reader.
    pub(crate) fn close(&self) {
        *self.lines() = None;
    }

    fn lines(&self) -> MutexGuard<'_, Option<Receiver<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
