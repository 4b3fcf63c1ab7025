//! Watchdog that stops kernels at a limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::say::say_once;

/// Reason why a kernel was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StopCause {
    /// The kernel exceeded this time limit.
    Late(Duration),
    /// The checks reached their limit on findings.
    Full,
}

/// Interval for polling the flag that is set at the limit on findings.
const LOOK: Duration = Duration::from_millis(10);

/// Thread that stops a kernel at its time limit or at the limit on findings.
pub(super) struct Watchdog {
    /// Channel that is closed when the kernel has ended, which ends the thread.
    ended: mpsc::Sender<()>,
    thread: std::io::Result<JoinHandle<Option<StopCause>>>,
}

impl Watchdog {
    /// Starts a watchdog for a time limit and a flag that is set at the limit on findings. Returns `None` without either.
    pub(super) fn new(
        time: Option<Duration>,
        is_full: Option<Arc<AtomicBool>>,
        stop: &Arc<AtomicBool>,
    ) -> Option<Watchdog> {
        if time.is_none() && is_full.is_none() {
            return None;
        }
        let (ended, end) = mpsc::channel();
        let stop = stop.clone();
        let thread = std::thread::Builder::new().name("gcn watchdog".to_owned());
        let thread = thread.spawn(move || {
            let begin = Instant::now();
            loop {
                let left = time.map(|time| time.saturating_sub(begin.elapsed()));
                let cause = if is_full.as_ref().is_some_and(|it| it.load(Ordering::SeqCst)) {
                    Some(StopCause::Full)
                } else {
                    time.filter(|_| left == Some(Duration::ZERO))
                        .map(StopCause::Late)
                };
                if cause.is_some() {
                    stop.store(true, Ordering::SeqCst);
                    return cause;
                }
                let look = is_full.as_ref().map(|_| LOOK);
                let pause = left.into_iter().chain(look).min().unwrap_or(LOOK);
                if end.recv_timeout(pause) != Err(mpsc::RecvTimeoutError::Timeout) {
                    return None;
                }
            }
        });
        if let Err(error) = &thread {
            say_once(&format!("kernels are not timed: {error}"));
        }
        Some(Watchdog { ended, thread })
    }

    /// Ends the watchdog after the kernel has ended. Returns the reason if the watchdog stopped the kernel.
    pub(super) fn end(self) -> Option<StopCause> {
        drop(self.ended);
        self.thread.ok()?.join().ok()?
    }
}
