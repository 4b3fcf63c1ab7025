//! Events, by which applications track commands.

use std::sync::Arc;

use crate::abi::*;
use crate::context::Context;
use crate::handle::{Handle, Id, Object, object, references};
use crate::info::Info;
use crate::progress::CommandProgress;
use crate::status::{Outcome, Status};

pub(crate) struct Event {
    id: Id<Event>,
    pub(crate) context: Arc<Context>,
    /// Command's queue; `None` for a user event.
    queue: Option<Arc<dyn EventQueue>>,
    /// Command type (`CL_COMMAND_…`).
    command: u32,
    pub(crate) progress: Arc<CommandProgress>,
}

/// Queue interface that events use.
pub(crate) trait EventQueue: Send + Sync {
    fn handle(&self) -> Handle;

    /// Returns true if profiling is enabled.
    fn is_profiled(&self) -> bool;

    /// Waits for a command, executing ready commands on the calling thread, and returns its final status.
    fn wait_for(&self, progress: &CommandProgress) -> i32;
}

object!(Event, INVALID_EVENT);

impl Event {
    /// Creates an event for a command.
    pub(crate) fn of_command(
        id: Id<Event>,
        context: Arc<Context>,
        queue: Arc<dyn EventQueue>,
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

    /// Creates a user event.
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
    /// Fails if the event is not a user event, its status was already set, or `status` is neither `CL_COMPLETE` nor an
    /// error.
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

    /// Waits for the command to end, and returns its final status.
    pub(crate) fn wait(&self) -> i32 {
        match &self.queue {
            Some(queue) => queue.wait_for(&self.progress),
            None => self.progress.wait(),
        }
    }

    /// Returns the value of the attribute `name`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
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

    /// Returns one of the command's profiling times in nanoseconds.
    ///
    /// # Errors
    /// Fails if profiling is not enabled, the command has not ended successfully, or the attribute is unknown.
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
