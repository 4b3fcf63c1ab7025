//! Interruption of a run by Ctrl-C (SIGINT), SIGTERM or the timeout. The first of these ends the run, and its results
//! and wave positions are still reported. A later signal exits immediately.

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

/// Reason for an interruption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InterruptCause {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// Expired time limit.
    Timeout(Duration),
}

/// Formats the cause as the message at the end of a run.
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
    /// Outcome for a fault; `cause` applies if the run was interrupted.
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

/// Cause that represents the timeout; other causes are signal numbers.
const TIMEOUT: usize = usize::MAX;

/// Flag that stops a run, with the reason.
pub struct StopHandle {
    /// Set to stop the run.
    flag: Arc<AtomicBool>,
    /// Signal number or [`TIMEOUT`]; initially 0.
    cause: Arc<AtomicUsize>,
    /// Time limit of the run.
    timeout: Option<Duration>,
}

impl StopHandle {
    /// Installs handlers for SIGINT and SIGTERM that set `flag`, or exit if it is already set.
    ///
    /// # Errors
    /// Fails if the handlers cannot be installed.
    pub fn listen(flag: &Arc<AtomicBool>, timeout: Option<Duration>) -> io::Result<StopHandle> {
        let cause = Arc::new(AtomicUsize::new(0));
        for (signal, status) in [(SIGINT, Status::Interrupted), (SIGTERM, Status::Terminated)] {
            // The order matters: the first handler checks the flag before the others set it.
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

    /// Runs a function with the time limit.
    ///
    /// # Errors
    /// Fails if the system cannot create a thread for the timeout; the function has not been called.
    pub fn run_with_timeout<T>(&self, run: impl FnOnce() -> T) -> io::Result<T> {
        let Some(timeout) = self.timeout else {
            return Ok(run());
        };
        std::thread::scope(|scope| {
            let (end, ended) = mpsc::channel::<()>();
            let watch = move || {
                let expired = ended.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout);
                // An earlier signal remains the cause.
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

    /// Cause of an interruption that has occurred.
    pub fn cause(&self) -> InterruptCause {
        match (self.cause.load(SeqCst), self.timeout) {
            (TIMEOUT, Some(timeout)) => InterruptCause::Timeout(timeout),
            (signal, _) if signal == SIGTERM as usize => InterruptCause::Terminate,
            _ => InterruptCause::Interrupt,
        }
    }

    /// Ends the interruptible phase. Later signals end the process immediately.
    pub fn ended(self) {
        self.flag.store(true, SeqCst);
    }
}
