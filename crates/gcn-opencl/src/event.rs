//! Events: the handles that programs have of progress.

use std::sync::Arc;

use crate::abi::*;
use crate::context::Context;
use crate::handle::{Handle, Id, Object, object, references};
use crate::info::Info;
use crate::progress::CommandProgress;
use crate::status::{Outcome, Status};

/// An event.
pub(crate) struct Event {
    id: Id<Event>,
    pub(crate) context: Arc<Context>,
    /// Handle of the queue of its command, and what keeps it valid; `None` for a user event.
    queue: Option<Arc<dyn OfQueue>>,
    /// Type of its command.
    command: u32,
    pub(crate) progress: Arc<CommandProgress>,
}

/// A queue, as far as its commands' events know it.
pub(crate) trait OfQueue: Send + Sync {
    /// Handle.
    fn handle(&self) -> Handle;

    /// True if times of commands may be queried.
    fn is_profiled(&self) -> bool;

    /// Has the commands submitted so far end, with the caller's help.
    fn wait_for(&self, progress: &CommandProgress) -> i32;
}

object!(Event, INVALID_EVENT);

impl Event {
    /// The event of a command.
    pub(crate) fn of_command(
        id: Id<Event>,
        context: Arc<Context>,
        queue: Arc<dyn OfQueue>,
        command: u32,
        progress: Arc<CommandProgress>,
    ) -> Event {
        Event {
            id,
            context,
            queue: Some(queue),
            command,
            progress,
        }
    }

    /// A user event.
    pub(crate) fn of_user(id: Id<Event>, context: Arc<Context>) -> Event {
        Event {
            id,
            context,
            queue: None,
            command: CL_COMMAND_USER,
            progress: CommandProgress::submitted(),
        }
    }

    /// Sets the status of a user event.
    ///
    /// # Errors
    /// It is none, has been set, or the status is neither `CL_COMPLETE` nor an error.
    pub(crate) fn set(&self, status: i32) -> Outcome {
        if self.queue.is_some() {
            return Err(Status::INVALID_EVENT);
        }
        if status > CL_COMPLETE {
            return Err(Status::INVALID_VALUE);
        }
        let is_new = self.progress.advance(status);
        is_new.then_some(()).ok_or(Status::INVALID_OPERATION)
    }

    /// Waits for the end; the last status.
    pub(crate) fn wait(&self) -> i32 {
        match &self.queue {
            Some(queue) => queue.wait_for(&self.progress),
            None => self.progress.wait(),
        }
    }

    /// The value of an attribute.
    ///
    /// # Errors
    /// There is no such attribute.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_EVENT_COMMAND_QUEUE => Info::from(self.queue.as_ref().map(|queue| queue.handle())),
            CL_EVENT_CONTEXT => Info::from(self.context.handle()),
            CL_EVENT_COMMAND_TYPE => Info::from(self.command),
            CL_EVENT_COMMAND_EXECUTION_STATUS => Info::from(self.progress.status()),
            CL_EVENT_REFERENCE_COUNT => Info::from(references(self)),
            _ => return Err(Status::INVALID_VALUE),
        })
    }

    /// A time of the command, in nanoseconds.
    ///
    /// # Errors
    /// The queue does not profile, or the command has not ended; there is no such time.
    pub(crate) fn profile(&self, name: u32) -> Outcome<Info> {
        let times = self.progress.times();
        let is_profiled = self.queue.as_ref().is_some_and(|queue| queue.is_profiled());
        let time = match name {
            CL_PROFILING_COMMAND_QUEUED => times.queued,
            CL_PROFILING_COMMAND_SUBMIT => times.submitted,
            CL_PROFILING_COMMAND_START => times.begun,
            CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => times.ended,
            _ => return Err(Status::INVALID_VALUE),
        };
        if !is_profiled || self.progress.status() != CL_COMPLETE {
            return Err(Status::PROFILING_INFO_NOT_AVAILABLE);
        }
        Ok(Info::from(time))
    }
}
