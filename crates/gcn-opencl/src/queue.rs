//! Command queues, which execute commands one after the other once their dependencies have ended.
//!
//! A command depends on the events of its wait list and on the previous command or, in an out-of-order queue, on the
//! last barrier. Once these have ended, it is ready. Ready commands execute in the order in which they became ready, on
//! the queue's thread or on an application thread that waits for a command.
//!
//! Waking the queue's thread costs more than a small kernel, and most applications wait for what they enqueue. The
//! thread therefore polls every [`POLL_INTERVAL`], unless a flush wakes it. After [`POLLS`] polls without a command, it
//! sleeps until a command is ready.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use gcn_report::program::say::say_once;
use gcn_runtime::Queue as Emulated;

use crate::abi::*;
use crate::context::Context;
use crate::device::Device;
use crate::event::{Event, EventQueue};
use crate::handle::{Handle, Id, Object, object, publish, references};
use crate::info::Info;
use crate::progress::CommandProgress;
use crate::status::{Outcome, Status};

/// Function that performs a command. It is called with the emulated device's queue.
pub(crate) type CommandWork = Box<dyn FnOnce(&Emulated) -> Outcome + Send>;

/// Number of open commands at which ended commands are first removed.
const MIN_OPEN: usize = 64;
/// Polling interval of the queue's thread.
const POLL_INTERVAL: Duration = Duration::from_micros(200);
/// Number of consecutive polls without a command after which the thread sleeps.
const POLLS: u32 = 50;

/// Queue object to which handles refer.
pub(crate) struct Queue {
    id: Id<Queue>,
    pub(crate) context: Arc<Context>,
    pub(crate) device: Arc<Device>,
    properties: AtomicU64,
    /// Properties as the application passed them, including the terminator; empty if none were passed.
    list: Vec<u64>,
    core: Arc<Core>,
}

object!(Queue, INVALID_COMMAND_QUEUE);

/// Queue state shared with the queue's thread.
struct Core {
    emulated: Emulated,
    state: Mutex<CommandQueueState>,
    /// Wakes the queue's thread.
    work: Condvar,
    /// Wakes waiting application threads when a command ends or becomes ready.
    changed: Condvar,
}

#[derive(Default)]
struct CommandQueueState {
    ready: VecDeque<Command>,
    /// True while a thread executes a command.
    is_served: bool,
    /// True while the queue's thread sleeps without polling.
    is_asleep: bool,
    /// True once the application has released the queue.
    is_over: bool,
    /// True once a command's work has failed.
    has_failed: bool,
    has_thread: bool,
    /// Commands that may not have ended.
    open: Vec<Arc<CommandProgress>>,
    /// Length of `open` at which ended commands are removed from it.
    cleanup_length: usize,
    /// Last enqueued command if the queue is in-order.
    last: Option<Arc<CommandProgress>>,
    /// Last enqueued barrier.
    barrier: Option<Arc<CommandProgress>>,
}

struct Command {
    progress: Arc<CommandProgress>,
    /// Events of the wait list.
    after: Vec<Arc<CommandProgress>>,
    work: CommandWork,
}

/// Command that waits for its dependencies.
struct WaitingCommand {
    /// Number of remaining dependencies.
    count: AtomicUsize,
    command: Mutex<Option<Command>>,
    core: Weak<Core>,
}

/// Role of a command in the queue's order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CommandRole {
    /// Ordered after the last barrier.
    Command,
    /// Ordered after all earlier commands, unless it has a wait list.
    Marker,
    /// Like a marker, but all later commands are ordered after it.
    Barrier,
}

impl Core {
    fn state(&self) -> MutexGuard<'_, CommandQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a command whose dependencies have ended.
    fn make_ready(&self, command: Command) {
        command.progress.advance(CL_SUBMITTED);
        let mut state = self.state();
        state.ready.push_back(command);
        if state.is_asleep {
            self.work.notify_one();
        }
        self.changed.notify_all();
    }

    /// Wakes the queue's thread if there are ready commands.
    fn flush(&self, state: &CommandQueueState) {
        if !state.is_served && !state.ready.is_empty() {
            self.work.notify_one();
        }
    }

    /// Executes commands until the queue has been released and is empty.
    fn work(self: Arc<Self>) {
        let mut state = self.state();
        let mut polls = 0;
        loop {
            if !state.is_served && !state.ready.is_empty() {
                state = self.carry_out(state);
                polls = 0;
                continue;
            }
            let has_ended = |progress: &Arc<CommandProgress>| progress.has_ended();
            if state.is_over && !state.is_served && state.open.iter().all(has_ended) {
                return;
            }
            if polls < POLLS {
                polls += 1;
                let waited = self.work.wait_timeout(state, POLL_INTERVAL);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                state.is_asleep = true;
                let waited = self.work.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
                state.is_asleep = false;
                polls = 0;
            }
        }
    }

    /// Waits for a command, executing ready commands unless another thread does, and returns its status.
    fn wait_for(&self, progress: &CommandProgress) -> i32 {
        let mut state = self.state();
        loop {
            let status = progress.status();
            if status <= CL_COMPLETE {
                self.flush(&state);
                return status;
            }
            if !state.is_served && !state.ready.is_empty() {
                state = self.carry_out(state);
                continue;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Executes the first ready command.
    fn carry_out<'a>(
        &'a self,
        mut state: MutexGuard<'a, CommandQueueState>,
    ) -> MutexGuard<'a, CommandQueueState> {
        let Some(command) = state.ready.pop_front() else {
            return state;
        };
        state.is_served = true;
        let has_failed = state.has_failed;
        drop(state);
        let Command {
            progress,
            after,
            work,
        } = command;
        let is_lost = has_failed || after.iter().any(|it| it.status() < CL_COMPLETE);
        drop(after);
        let outcome = if is_lost {
            // Release the command's objects before the application learns that it has ended.
            drop(work);
            Err(Status::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        } else {
            progress.advance(CL_RUNNING);
            // A panic must not end the queue's thread.
            catch_unwind(AssertUnwindSafe(|| work(&self.emulated))).unwrap_or_else(|_| {
                say_once("a command of OpenCL has panicked, which is an error of this project");
                Err(Status::OUT_OF_RESOURCES)
            })
        };
        let mut state = self.state();
        state.is_served = false;
        // After a command fails, all later commands fail.
        state.has_failed |= outcome.is_err() && !is_lost;
        drop(state);
        progress.advance(Status::of(outcome).0);
        let state = self.state();
        self.changed.notify_all();
        if state.is_over {
            self.work.notify_one();
        }
        state
    }
}

impl WaitingCommand {
    /// Records that a dependency has ended. After the last one, the command is ready.
    fn count_down(&self) {
        if self.count.fetch_sub(1, SeqCst) != 1 {
            return;
        }
        let mut command = self.command.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(command) = command.take() else {
            return;
        };
        match self.core.upgrade() {
            Some(core) => core.make_ready(command),
            None => {
                let lost = Status::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
                command.progress.advance(lost.0);
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.core.state().is_over = true;
        self.core.work.notify_one();
    }
}

impl EventQueue for Queue {
    fn handle(&self) -> Handle {
        Object::handle(self)
    }

    fn is_profiled(&self) -> bool {
        self.properties() & CL_QUEUE_PROFILING_ENABLE != 0
    }

    fn wait_for(&self, progress: &CommandProgress) -> i32 {
        self.core.wait_for(progress)
    }
}

impl Queue {
    pub(crate) fn new(
        id: Id<Queue>,
        context: Arc<Context>,
        device: Arc<Device>,
        properties: u64,
        list: Vec<u64>,
    ) -> Queue {
        let core = Arc::new(Core {
            emulated: device.emulated.queue(),
            state: Mutex::default(),
            work: Condvar::new(),
            changed: Condvar::new(),
        });
        Queue {
            id,
            context,
            device,
            properties: AtomicU64::new(properties),
            list,
            core,
        }
    }

    fn properties(&self) -> u64 {
        self.properties.load(SeqCst)
    }

    /// Enables or disables properties, and returns the previous properties.
    pub(crate) fn set_properties(&self, properties: u64, on: bool) -> u64 {
        if on {
            self.properties.fetch_or(properties, SeqCst)
        } else {
            self.properties.fetch_and(!properties, SeqCst)
        }
    }

    fn is_in_order(&self) -> bool {
        self.properties() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    }

    /// Enqueues a command that waits for the events in `wait_list`, and returns its progress.
    ///
    /// # Errors
    /// Fails if a command in the queue has failed, an event belongs to another context, or no thread could be created
    /// for the queue.
    pub(crate) fn enqueue(
        &self,
        role: CommandRole,
        wait_list: &[Arc<Event>],
        work: CommandWork,
    ) -> Outcome<Arc<CommandProgress>> {
        self.check_events(wait_list)?;
        let progress = CommandProgress::queued();
        let after: Vec<Arc<CommandProgress>> =
            wait_list.iter().map(|it| it.progress.clone()).collect();
        let mut state = self.core.state();
        if state.has_failed {
            return Err(Status::OUT_OF_RESOURCES);
        }
        self.start_thread(&mut state)?;
        let mut first: Vec<Arc<CommandProgress>> = after.clone();
        if self.is_in_order() {
            first.extend(state.last.replace(progress.clone()));
        } else if role == CommandRole::Command || !after.is_empty() {
            first.extend(state.barrier.clone());
        } else {
            first.extend(state.open.iter().cloned());
        }
        if role == CommandRole::Barrier {
            state.barrier = Some(progress.clone());
        }
        if state.open.len() >= state.cleanup_length.max(MIN_OPEN) {
            state.open.retain(|progress| !progress.has_ended());
            state.cleanup_length = state.open.len() * 2;
        }
        state.open.push(progress.clone());
        drop(state);
        let waiting = Arc::new(WaitingCommand {
            // The extra count keeps the command from becoming ready before all subscriptions are made.
            count: AtomicUsize::new(first.len() + 1),
            command: Mutex::new(Some(Command {
                progress: progress.clone(),
                after,
                work,
            })),
            core: Arc::downgrade(&self.core),
        });
        for other in first {
            let waiting = waiting.clone();
            other.subscribe(CL_COMPLETE, Box::new(move |_| waiting.count_down()));
        }
        waiting.count_down();
        Ok(progress)
    }

    /// Checks that the events of a wait list belong to the queue's context.
    ///
    /// # Errors
    /// Fails if an event belongs to another context.
    pub(crate) fn check_events(&self, wait_list: &[Arc<Event>]) -> Outcome {
        let is_own = |event: &Arc<Event>| Arc::ptr_eq(&event.context, &self.context);
        wait_list
            .iter()
            .all(is_own)
            .then_some(())
            .ok_or(Status::INVALID_CONTEXT)
    }

    fn start_thread(&self, state: &mut CommandQueueState) -> Outcome {
        if state.has_thread {
            return Ok(());
        }
        let core = self.core.clone();
        let thread = std::thread::Builder::new().name("gcn opencl queue".to_owned());
        match thread.spawn(move || core.work()) {
            Ok(_) => {
                state.has_thread = true;
                Ok(())
            }
            Err(error) => {
                say_once(&format!("a queue has no thread: {error}"));
                Err(Status::OUT_OF_HOST_MEMORY)
            }
        }
    }

    /// Creates the event for a command, and returns its handle.
    pub(crate) fn event(self: &Arc<Self>, command: u32, progress: Arc<CommandProgress>) -> Handle {
        let (context, queue) = (self.context.clone(), self.clone());
        let event = publish(|id| Event::of_command(id, context, queue, command, progress));
        event.handle()
    }

    /// Wakes the queue's thread if there are ready commands.
    pub(crate) fn flush(&self) {
        self.core.flush(&self.core.state());
    }

    /// Waits for all commands enqueued so far.
    ///
    /// # Errors
    /// Fails if a command has failed.
    pub(crate) fn finish(&self) -> Outcome {
        let mut state = self.core.state();
        state.open.retain(|progress| !progress.has_ended());
        let open = state.open.clone();
        drop(state);
        for progress in open {
            self.core.wait_for(&progress);
        }
        self.check()
    }

    /// Checks that no command has failed.
    ///
    /// # Errors
    /// `CL_OUT_OF_RESOURCES`: a command has failed.
    pub(crate) fn check(&self) -> Outcome {
        let has_failed = self.core.state().has_failed;
        (!has_failed).then_some(()).ok_or(Status::OUT_OF_RESOURCES)
    }

    /// Returns the value of the attribute `name`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_QUEUE_CONTEXT => Info::from(self.context.handle()),
            CL_QUEUE_DEVICE => Info::from(self.device.handle()),
            CL_QUEUE_REFERENCE_COUNT => Info::from(references(self)),
            CL_QUEUE_PROPERTIES => Info::from(self.properties()),
            CL_QUEUE_PROPERTIES_ARRAY => Info::array(self.list.iter().copied()),
            // Only on-device queues have this attribute.
            CL_QUEUE_SIZE => return Err(Status::INVALID_COMMAND_QUEUE),
            CL_QUEUE_DEVICE_DEFAULT => Info::from(None),
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Executes a command and returns its status.
    fn status_of(core: &Core, work: CommandWork) -> Status {
        let progress = CommandProgress::queued();
        core.make_ready(Command {
            progress: progress.clone(),
            after: Vec::new(),
            work,
        });
        Status(core.wait_for(&progress))
    }

    #[test]
    fn a_queue_goes_on_after_a_panic_in_a_command() {
        let device = gcn_runtime::Device::new("gfx900").expect("a target");
        let core = Core {
            emulated: device.queue(),
            state: Mutex::default(),
            work: Condvar::new(),
            changed: Condvar::new(),
        };
        let panicked = status_of(&core, Box::new(|_| panic!("the command panics")));
        assert_eq!(panicked, Status::OUT_OF_RESOURCES);
        let lost = status_of(&core, Box::new(|_| Ok(())));
        assert_eq!(lost, Status::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
}
