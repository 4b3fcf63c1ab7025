//! Argument handling shared by all functions that enqueue commands.

use std::sync::Arc;

use super::entry::{array, put_if};
use crate::event::{Event, EventQueue};
use crate::handle::{self, Handle};
use crate::queue::{CommandRole, CommandWork, Queue};
use crate::status::{Outcome, Status};

/// Arguments common to all enqueue functions: the queue, the wait list, and the destination of the event.
pub(super) struct EnqueueArguments {
    pub(super) queue: Arc<Queue>,
    after: Vec<Arc<Event>>,
    event: *mut Handle,
}

/// Looks up the events of a wait list.
///
/// # Errors
/// `CL_INVALID_EVENT_WAIT_LIST`: the list or one of its events is invalid.
///
/// # Safety
/// `list` is null or points to `count` handles.
pub(super) unsafe fn wait_list(count: u32, list: *const Handle) -> Outcome<Vec<Arc<Event>>> {
    // SAFETY: the caller guarantees valid handles.
    let events = unsafe { array(list, count as usize) };
    let events = events.and_then(handle::get_all);
    events.map_err(|_| Status::INVALID_EVENT_WAIT_LIST)
}

impl EnqueueArguments {
    /// Reads the common arguments.
    ///
    /// # Errors
    /// Fails if the queue or the wait list is invalid, or an event belongs to another context.
    ///
    /// # Safety
    /// `list` is null or points to `count` handles; `event` is null or writable.
    pub(super) unsafe fn new(
        queue: Handle,
        count: u32,
        list: *const Handle,
        event: *mut Handle,
    ) -> Outcome<EnqueueArguments> {
        let queue: Arc<Queue> = handle::get(queue)?;
        // SAFETY: the caller guarantees valid handles.
        let after = unsafe { wait_list(count, list) }?;
        queue.check_events(&after)?;
        Ok(EnqueueArguments {
            queue,
            after,
            event,
        })
    }

    /// Enqueues a command of type `command` (`CL_COMMAND_…`), and waits for it if it is blocking.
    ///
    /// # Errors
    /// Fails if the queue has failed, or a blocking command fails.
    pub(super) fn enqueue(
        self,
        command: u32,
        role: CommandRole,
        is_blocking: bool,
        work: impl FnOnce() -> Outcome + Send + 'static,
    ) -> Outcome {
        self.enqueue_work(command, role, is_blocking, Box::new(move |_| work()))
    }

    /// Like [`EnqueueArguments::enqueue`], for work that needs the emulated device's queue.
    pub(super) fn enqueue_work(
        self,
        command: u32,
        role: CommandRole,
        is_blocking: bool,
        work: CommandWork,
    ) -> Outcome {
        let EnqueueArguments {
            queue,
            after,
            event,
        } = self;
        let progress = queue.enqueue(role, &after, work)?;
        if !event.is_null() {
            let made = queue.event(command, progress.clone());
            // SAFETY: `event` is null or writable, as `EnqueueArguments::new` requires.
            unsafe { put_if(event, made) };
        }
        if !is_blocking {
            return Ok(());
        }
        match queue.wait_for(&progress) {
            status if status >= 0 => Ok(()),
            status => {
                let is_of_list = after.iter().any(|it| it.progress.status() < 0);
                let lost = Status::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
                Err(match Status(status) {
                    status if status == lost && !is_of_list => Status::OUT_OF_RESOURCES,
                    status => status,
                })
            }
        }
    }
}
