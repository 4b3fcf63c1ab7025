//! Stopping a run from outside: Ctrl-C (SIGINT), SIGTERM, the timeout. The first ends the run, so that its results and
//! the places of its waves can be reported; a further signal ends the tool at once.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use gcn_runtime::fault::FaultKind;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::Status;
use crate::status::RunOutcome;

/// Reason for a stop from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InterruptCause {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// The run took longer than this.
    Timeout(Duration),
}

/// The cause as the message of the run's end.
impl fmt::Display for InterruptCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterruptCause::Interrupt => f.write_str("interrupted"),
            InterruptCause::Terminate => f.write_str("terminated"),
            InterruptCause::Timeout(time) => {
                write!(f, "stopped after {} s, the timeout", time.as_secs_f64())
            }
        }
    }
}

impl RunOutcome {
    /// The end by a fault; `cause` says what stopped the run if that came from outside.
    pub fn of_fault(kind: &FaultKind, cause: InterruptCause) -> RunOutcome {
        match kind {
            FaultKind::Interrupted => match cause {
                InterruptCause::Interrupt => RunOutcome::Interrupted,
                InterruptCause::Terminate => RunOutcome::Terminated,
                InterruptCause::Timeout(_) => RunOutcome::Timeout,
            },
            FaultKind::Limit(_) => RunOutcome::Limit,
            FaultKind::Blocked { .. } => RunOutcome::Deadlock,
            _ => RunOutcome::Fault,
        }
    }
}

/// Stands for a timeout where the signals have their numbers.
const TIMEOUT: usize = usize::MAX;

/// A run's connection to what may stop it.
pub struct StopHandle {
    /// Set to stop the run.
    flag: Arc<AtomicBool>,
    /// Number of the signal, or [`TIMEOUT`]; 0 before either.
    cause: Arc<AtomicUsize>,
    /// Time that the run may take.
    timeout: Option<Duration>,
}

impl StopHandle {
    /// Makes SIGINT and SIGTERM set `flag`, and end the tool if it is set already.
    ///
    /// # Errors
    /// The system refuses to have the signals handled.
    pub fn listen(flag: &Arc<AtomicBool>, timeout: Option<Duration>) -> io::Result<StopHandle> {
        let cause = Arc::new(AtomicUsize::new(0));
        for (signal, status) in [(SIGINT, Status::Interrupted), (SIGTERM, Status::Terminated)] {
            // In this order: what is registered first looks at the flag before the others set it.
            flag::register_conditional_shutdown(signal, status as i32, flag.clone())?;
            flag::register_usize(signal, cause.clone(), signal as usize)?;
            flag::register(signal, flag.clone())?;
        }
        Ok(StopHandle {
            flag: flag.clone(),
            cause,
            timeout,
        })
    }

    /// Runs something that the timeout stops.
    ///
    /// # Errors
    /// The system has no thread that could watch the time; nothing has run.
    pub fn limited<T>(&self, run: impl FnOnce() -> T) -> io::Result<T> {
        let Some(timeout) = self.timeout else {
            return Ok(run());
        };
        std::thread::scope(|scope| {
            let (end, ended) = mpsc::channel::<()>();
            let watch = move || {
                let expired = ended.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout);
                // A signal that came first stays the cause.
                if expired
                    && self
                        .cause
                        .compare_exchange(0, TIMEOUT, SeqCst, SeqCst)
                        .is_ok()
                {
                    self.flag.store(true, SeqCst);
                }
            };
            std::thread::Builder::new().spawn_scoped(scope, watch)?;
            let result = run();
            drop(end);
            Ok(result)
        })
    }

    /// The reason for the stop of a run that was stopped.
    pub fn cause(&self) -> InterruptCause {
        match (self.cause.load(SeqCst), self.timeout) {
            (TIMEOUT, Some(timeout)) => InterruptCause::Timeout(timeout),
            (signal, _) if signal == SIGTERM as usize => InterruptCause::Terminate,
            _ => InterruptCause::Interrupt,
        }
    }

    /// The run has ended: from now on a signal ends the tool, as it does without this module.
    pub fn ended(self) {
        self.flag.store(true, SeqCst);
    }
}
