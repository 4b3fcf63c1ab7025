//! In-order command queues.
//!
//! A thread from the device's pool serves a queue until the next command must wait for a signal. Completion of that
//! signal schedules the queue again. Each queue has its own view of the emulated device, which shares memory, GDS and
//! clocks with other views, but not GWS, limits and stop flags.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_emu::device::Device as Emulated;

use crate::device::Device;
use crate::error::Error;
use crate::signal::{CommandResult, Signal};

/// Handle to an in-order command queue; clones refer to the same queue. Each command starts when the previous one has
/// ended. Queues of a device run concurrently.
///
/// After a command fails, later ones end with [`Error::Skipped`] until [`Queue::clear`] is called. Cancelled or skipped
/// commands do not count as failed. Submitted commands run even if all handles are dropped.
///
/// `Send` and `Sync`: threads may submit concurrently.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/assemble.rs")); }
/// # use example::add_one;
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let kernel = device.load(&add_one())?.kernel("add_one")?;
/// let xs = device.buffer("xs", &[10u32, 20])?;
/// let queue = device.queue();
/// for _ in 0..3 {
///     kernel.launch([2, 1, 1]).arg(&xs).submit(&queue)?;
/// }
/// queue.finish()?;
/// assert_eq!(xs.read::<u32>()?, [13, 23]);
/// assert_eq!(queue.device().target().name, "gfx900");
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Queue(Arc<QueueInner>);

struct QueueInner {
    device: Device,
    state: Mutex<QueueState>,
    /// The queue's view of the device.
    emulated: Mutex<Emulated>,
}

#[derive(Default)]
struct QueueState {
    commands: VecDeque<QueuedCommand>,
    /// True if a thread serves the queue or has been scheduled to serve it.
    is_served: bool,
    /// Signal whose completion schedules the queue.
    waits_for: Option<Signal>,
    /// Running command.
    running: Option<Signal>,
    failure: Option<Arc<Error>>,
}

struct QueuedCommand {
    signal: Signal,
    after: Vec<Signal>,
    work: QueuedWork,
}

enum QueuedWork {
    Launch(Box<DeviceRun>),
    Call(Box<dyn FnOnce() + Send>),
}

/// Function that executes a launch on the queue's view of the device.
type DeviceRun = dyn FnOnce(&mut Emulated, &Signal) -> CommandResult + Send;

impl Device {
    /// Creates a queue.
    ///
    /// # Examples
    /// ```
    /// let queue = gcn_runtime::Device::new("gfx900")?.queue();
    /// queue.finish()?;
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn queue(&self) -> Queue {
        Queue(Arc::new(QueueInner {
            emulated: Mutex::new(self.emulated().share()),
            device: self.clone(),
            state: Mutex::default(),
        }))
    }
}

impl Queue {
    /// Returns the queue's device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Enqueues a call of a host function.
    ///
    /// # Examples
    /// ```
    /// let queue = gcn_runtime::Device::new("gfx900")?.queue();
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// queue.call(move || drop(sender.send("in order"))).wait()?;
    /// assert_eq!(receiver.recv(), Ok("in order"));
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn call(&self, function: impl FnOnce() + Send + 'static) -> Signal {
        self.call_after(&[], function)
    }

    /// Enqueues a call of a host function that also waits for `after`. Later commands wait for the call.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Device, Signal};
    /// let queue = Device::new("gfx900")?.queue();
    /// let ready = Signal::new();
    /// let done = queue.call_after(&[ready.clone()], || ());
    /// let behind = queue.call(|| ());
    /// assert!(done.poll().is_none() && behind.poll().is_none());
    /// ready.complete();
    /// behind.wait()?;
    /// assert!(done.poll().is_some());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn call_after(&self, after: &[Signal], function: impl FnOnce() + Send + 'static) -> Signal {
        self.submit(after.to_vec(), QueuedWork::Call(Box::new(function)))
    }

    /// Makes later commands wait for signals, such as those of other queues. A failed signal does not prevent them from running.
    ///
    /// # Examples
    /// ```
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let (one, other) = (device.queue(), device.queue());
    /// let first = one.call(|| ());
    /// other.wait_for(&[first.clone()]);
    /// other.call(move || assert!(first.poll().is_some())).wait()?;
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn wait_for(&self, signals: &[Signal]) -> Signal {
        self.call_after(signals, || ())
    }

    /// Waits until all commands submitted so far have ended.
    ///
    /// # Errors
    /// Returns the error that stopped the queue, if any.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Device, Error};
    /// let queue = Device::new("gfx900")?.queue();
    /// let done = queue.call(|| ());
    /// queue.finish()?;
    /// assert!(done.poll().is_some());
    /// queue.call(|| panic!("no"));
    /// assert!(matches!(queue.finish(), Err(Error::Panicked)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn finish(&self) -> Result<(), Error> {
        match self.call(|| ()).wait() {
            Err(Error::Skipped(cause)) => Err(Error::clone(&cause)),
            other => other.map(drop),
        }
    }

    /// Cancels the running command and all queued commands.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Device, Error, Signal};
    /// let queue = Device::new("gfx900")?.queue();
    /// queue.wait_for(&[Signal::new()]);
    /// let done = queue.call(|| ());
    /// queue.cancel();
    /// assert!(matches!(done.wait(), Err(Error::Cancelled)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cancel(&self) {
        let state = self.0.state();
        let waiting = state.commands.iter().map(|command| command.signal.clone());
        let signals: Vec<Signal> = waiting.chain(state.running.clone()).collect();
        drop(state);
        for signal in signals {
            signal.cancel();
        }
        // If the queue waits for a signal, no thread serves it: schedule one to remove the cancelled commands.
        self.0.clone().serve_soon();
    }

    /// Returns the error that stopped the queue, if any.
    ///
    /// # Examples
    /// ```
    /// let queue = gcn_runtime::Device::new("gfx900")?.queue();
    /// let failed = queue.call(|| panic!("no")).wait();
    /// assert!(queue.failure().is_some());
    /// queue.clear();
    /// assert!(failed.is_err() && queue.finish().is_ok());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn failure(&self) -> Option<Arc<Error>> {
        self.0.state().failure.clone()
    }

    /// Resumes the queue after a failure.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::{Device, Error};
    /// let queue = Device::new("gfx900")?.queue();
    /// queue.call(|| panic!("no"));
    /// assert!(matches!(queue.call(|| ()).wait(), Err(Error::Skipped(_))));
    /// queue.clear();
    /// queue.call(|| ()).wait()?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn clear(&self) {
        self.0.state().failure = None;
    }

    /// Enqueues a launch.
    pub(crate) fn launch(
        &self,
        after: Vec<Signal>,
        run: impl FnOnce(&mut Emulated, &Signal) -> CommandResult + Send + 'static,
    ) -> Signal {
        self.submit(after, QueuedWork::Launch(Box::new(run)))
    }

    /// Enqueues a launch and waits for its end. The calling thread serves the queue unless another thread does.
    pub(crate) fn launch_here(
        &self,
        after: Vec<Signal>,
        run: impl FnOnce(&mut Emulated, &Signal) -> CommandResult + Send + 'static,
    ) -> CommandResult {
        let signal = self.push(after, QueuedWork::Launch(Box::new(run)));
        if self.0.begin_service() {
            self.0.clone().serve(Some(&signal));
        }
        signal.wait()
    }

    fn submit(&self, after: Vec<Signal>, work: QueuedWork) -> Signal {
        let signal = self.push(after, work);
        self.0.clone().serve_soon();
        signal
    }

    fn push(&self, after: Vec<Signal>, work: QueuedWork) -> Signal {
        let signal = Signal::new();
        self.0.state().commands.push_back(QueuedCommand {
            signal: signal.clone(),
            after,
            work,
        });
        signal
    }
}

impl QueueInner {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Schedules a thread to serve the queue, unless one already does.
    fn serve_soon(self: Arc<Self>) {
        if self.begin_service() {
            let pool = self.device.pool().clone();
            pool.schedule(Box::new(move || self.serve(None)));
        }
    }

    /// Claims the queue for the calling thread. Returns false if another thread serves it.
    fn begin_service(&self) -> bool {
        !std::mem::replace(&mut self.state().is_served, true)
    }

    /// Executes commands until the queue is empty, the next one must wait, or `last` has ended.
    fn serve(self: Arc<Self>, last: Option<&Signal>) {
        loop {
            let mut state = self.state();
            if last.is_some_and(|last| last.poll().is_some()) && !state.commands.is_empty() {
                state.is_served = false;
                drop(state);
                self.serve_soon();
                return;
            }
            let Some(command) = state.commands.front() else {
                state.is_served = false;
                return;
            };
            let waits_for = |signal: &&Signal| signal.poll().is_none();
            let is_waiting = command.signal.poll().is_none();
            if is_waiting && let Some(missing) = command.after.iter().find(waits_for).cloned() {
                state.is_served = false;
                let is_known = state
                    .waits_for
                    .as_ref()
                    .is_some_and(|known| known.is(&missing));
                state.waits_for = Some(missing.clone());
                drop(state);
                if !is_known {
                    let queue = self.clone();
                    missing.subscribe(move |_| queue.serve_soon());
                } else if missing.poll().is_some() {
                    // The signal completed before `is_served` was cleared, so nothing else schedules the queue.
                    self.serve_soon();
                }
                return;
            }
            let Some(command) = state.commands.pop_front() else {
                return;
            };
            state.running = Some(command.signal.clone());
            let before = state.failure.clone();
            drop(state);
            let failed = |signal: &Signal| signal.poll()?.err();
            let cause = before.or_else(|| command.after.iter().find_map(failed).map(Arc::new));
            let signal = command.signal;
            match cause {
                // Does not change the result of a cancelled command.
                Some(cause) => signal.end(Err(Error::Skipped(cause))),
                None => {
                    let outcome = self.carry_out(command.work, &signal);
                    let mut state = self.state();
                    if let Err(error) = &outcome
                        && !matches!(error, Error::Cancelled)
                    {
                        state.failure = Some(Arc::new(error.clone()));
                    }
                    drop(state);
                    signal.end(outcome);
                }
            }
            self.state().running = None;
        }
    }

    fn carry_out(&self, work: QueuedWork, signal: &Signal) -> CommandResult {
        match work {
            QueuedWork::Call(function) => {
                if !signal.begin(None) {
                    return Err(Error::Cancelled);
                }
                let called = catch_unwind(AssertUnwindSafe(function));
                called.map(|()| Arc::default()).map_err(|_| Error::Panicked)
            }
            QueuedWork::Launch(launch) => {
                let _turn = self.device.turn();
                let locked = self.emulated.lock();
                let mut emulated = locked.unwrap_or_else(PoisonError::into_inner);
                let run = || launch(&mut emulated, signal);
                catch_unwind(AssertUnwindSafe(run)).unwrap_or(Err(Error::Panicked))
            }
        }
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.state();
        f.debug_struct("Queue")
            .field("device", &self.0.device)
            .field("waiting", &state.commands.len())
            .field("failure", &state.failure)
            .finish()
    }
}
