//! Signals, which report the completion of queue commands.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::completion::Completion;
use crate::error::Error;

/// Result of a command.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// use gcn_runtime::{CommandResult, Error};
/// fn told(end: CommandResult) -> String {
///     match end {
///         Ok(completion) => format!("{} waves", completion.stats.waves),
///         Err(Error::Fault(completion)) => completion.describe(),
///         Err(other) => other.to_string(),
///     }
/// }
/// let xs = device.buffer("xs", &[1u32; 64])?;
/// let queue = device.queue();
/// assert_eq!(told(kernel.launch([64, 1, 1]).arg(&xs).run(&queue)), "1 waves");
/// assert!(told(kernel.launch([65, 1, 1]).group([65, 1, 1]).arg(&xs).run(&queue)).starts_with("add_one: updates 4 bytes"));
/// # Ok::<(), Error>(())
/// ```
pub type CommandResult = Result<Arc<Completion>, Error>;

/// Timestamps of a command.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # let (device, kernel) = example::add_one_kernel();
/// let xs = device.buffer("xs", &[1u32])?;
/// let done = kernel.launch([1, 1, 1]).arg(&xs).submit(&device.queue())?;
/// done.wait()?;
/// let times = done.times();
/// let (begun, ended) = (times.begun.expect("the launch began"), times.ended.expect("the launch ended"));
/// assert!(times.submitted <= begun && begun <= ended);
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Times {
    /// Time of submission.
    pub submitted: Instant,
    /// Start time, if the command has started.
    pub begun: Option<Instant>,
    /// End time, if the command has ended.
    pub ended: Option<Instant>,
}

/// Handle to the completion of a command or to a host event, which commands may wait for. Clones refer to the same
/// signal.
///
/// `Send` and `Sync`: threads may wait for it concurrently.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use gcn_runtime::{Device, Signal};
///
/// let device = Device::new("gfx900")?;
/// let ready = Signal::new();
/// let done = device.queue().call_after(&[ready.clone()], || ());
/// assert!(done.wait_timeout(Duration::from_millis(1)).is_none(), "the call waits for `ready`");
/// ready.complete();
/// done.wait()?;
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Signal(Arc<SignalInner>);

struct SignalInner {
    state: Mutex<SignalState>,
    changed: Condvar,
}

type Callback = Box<dyn FnOnce(&CommandResult) + Send>;

struct SignalState {
    outcome: Option<CommandResult>,
    callbacks: Vec<Callback>,
    times: Times,
    /// Stop flag of the running kernel, if any.
    stop: Option<Arc<AtomicBool>>,
    is_cancelled: bool,
}

impl Default for Signal {
    fn default() -> Signal {
        Signal::new()
    }
}

impl Signal {
    /// Creates a signal that the host completes.
    ///
    /// # Examples
    /// ```
    /// let (signal, other) = (gcn_runtime::Signal::new(), gcn_runtime::Signal::new());
    /// signal.clone().complete();
    /// assert!(signal.poll().is_some(), "a clone is the same signal");
    /// assert!(other.poll().is_none());
    /// ```
    pub fn new() -> Signal {
        Signal(Arc::new(SignalInner {
            state: Mutex::new(SignalState {
                outcome: None,
                callbacks: Vec::new(),
                times: Times {
                    submitted: Instant::now(),
                    begun: None,
                    ended: None,
                },
                stop: None,
                is_cancelled: false,
            }),
            changed: Condvar::new(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, SignalState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes a host signal, unless it is already complete.
    ///
    /// # Examples
    /// ```
    /// let signal = gcn_runtime::Signal::new();
    /// assert!(signal.poll().is_none());
    /// signal.complete();
    /// assert!(signal.poll().is_some());
    /// ```
    pub fn complete(&self) {
        self.end(Ok(Arc::default()));
    }

    /// Waits for completion. Functions called by a queue, and callbacks, must not wait for later commands of the queue.
    ///
    /// # Errors
    /// Returns the error of the failed command, such as [`Error::Fault`].
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_runtime::Error;
    /// let xs = device.buffer("xs", &[1u32; 64])?;
    /// let queue = device.queue();
    /// let done = kernel.launch([64, 1, 1]).arg(&xs).submit(&queue)?;
    /// assert_eq!(done.wait()?.stats.groups, 1);
    /// let failed = kernel.launch([64, 1, 1]).arg(0u64).submit(&queue)?;
    /// assert!(matches!(failed.wait(), Err(Error::Fault(_))), "a null pointer");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn wait(&self) -> CommandResult {
        let mut state = self.state();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            let changed = self.0.changed.wait(state);
            state = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for completion with a timeout. Returns `None` if the timeout expires.
    ///
    /// # Examples
    /// ```
    /// let signal = gcn_runtime::Signal::new();
    /// assert!(signal.wait_timeout(std::time::Duration::from_millis(1)).is_none());
    /// ```
    pub fn wait_timeout(&self, timeout: Duration) -> Option<CommandResult> {
        let state = self.state();
        let waited = self
            .0
            .changed
            .wait_timeout_while(state, timeout, |state| state.outcome.is_none());
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.outcome.clone()
    }

    /// Returns the result if the command has completed.
    ///
    /// # Examples
    /// ```
    /// let signal = gcn_runtime::Signal::new();
    /// assert!(signal.poll().is_none());
    /// signal.complete();
    /// assert!(signal.poll().is_some_and(|end| end.is_ok()));
    /// ```
    pub fn poll(&self) -> Option<CommandResult> {
        self.state().outcome.clone()
    }

    /// Registers a callback for completion. The callback runs on the thread that completes the signal, or immediately if
    /// the signal is already complete. If it panics, the panic is caught: other callbacks are called, and queues continue.
    ///
    /// # Examples
    /// ```
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// let signal = gcn_runtime::Signal::new();
    /// signal.subscribe(move |outcome| drop(sender.send(outcome.is_ok())));
    /// signal.complete();
    /// assert_eq!(receiver.recv(), Ok(true));
    /// ```
    pub fn subscribe(&self, callback: impl FnOnce(&CommandResult) + Send + 'static) {
        let mut state = self.state();
        match state.outcome.clone() {
            None => state.callbacks.push(Box::new(callback)),
            Some(outcome) => {
                drop(state);
                call(callback, &outcome);
            }
        }
    }

    /// Cancels the command: prevents its start, or stops its kernel. A host function that has started runs to its end.
    /// Returns false if the command has already ended.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Device, Error, Signal};
    /// let done = Device::new("gfx900")?.queue().call_after(&[Signal::new()], || ());
    /// assert!(done.cancel());
    /// assert!(matches!(done.wait(), Err(Error::Cancelled)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cancel(&self) -> bool {
        let mut state = self.state();
        if state.outcome.is_some() {
            return false;
        }
        state.is_cancelled = true;
        match &state.stop {
            Some(stop) => stop.store(true, Relaxed),
            None if state.times.begun.is_some() => {}
            None => {
                drop(state);
                self.end(Err(Error::Cancelled));
            }
        }
        true
    }

    /// Returns the timestamps of the command.
    ///
    /// # Examples
    /// ```
    /// let signal = gcn_runtime::Signal::new();
    /// signal.complete();
    /// let times = signal.times();
    /// assert!(times.ended.is_some_and(|ended| ended >= times.submitted));
    /// assert_eq!(times.begun, None, "a host signal has no command");
    /// ```
    pub fn times(&self) -> Times {
        self.state().times
    }

    /// True if both handles refer to the same signal.
    pub(crate) fn is(&self, other: &Signal) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Marks the command as started. Returns false if it has been cancelled.
    pub(crate) fn begin(&self, stop: Option<Arc<AtomicBool>>) -> bool {
        let mut state = self.state();
        if state.outcome.is_some() {
            return false;
        }
        state.times.begun = Some(Instant::now());
        state.stop = stop;
        true
    }

    /// True if the command has been cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.state().is_cancelled
    }

    /// Completes the signal, unless it is already complete.
    pub(crate) fn end(&self, outcome: CommandResult) {
        let mut state = self.state();
        if state.outcome.is_some() {
            return;
        }
        state.times.ended = Some(Instant::now());
        state.outcome = Some(outcome.clone());
        state.stop = None;
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.0.changed.notify_all();
        for callback in callbacks {
            call(callback, &outcome);
        }
    }
}

/// Calls a callback and catches its panic, which would otherwise stop the thread that serves a queue.
fn call(callback: impl FnOnce(&CommandResult), outcome: &CommandResult) {
    let _ = catch_unwind(AssertUnwindSafe(|| callback(outcome)));
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signal").field(&self.poll()).finish()
    }
}
