//! API functions for events.

use std::ffi::c_void;
use std::sync::Arc;

use super::entry::{array, call, make, put_info, release};
use crate::abi::*;
use crate::callbacks;
use crate::context::Context;
use crate::event::Event;
use crate::handle::{self, Handle, Object, publish};
use crate::status::Status;

pub unsafe extern "C" fn wait_for_events(count: u32, list: *const Handle) -> i32 {
    call(|| {
        if count == 0 {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the application guarantees that its addresses are valid.
        let handles = unsafe { array(list, count as usize) }?;
        let events: Vec<Arc<Event>> = handle::get_all(handles)?;
        if let Some(first) = events.first()
            && events
                .iter()
                .any(|it| !Arc::ptr_eq(&it.context, &first.context))
        {
            return Err(Status::INVALID_CONTEXT);
        }
        let mut has_failed = false;
        for event in events {
            has_failed |= event.wait() < CL_COMPLETE;
        }
        let failed = Status::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        (!has_failed).then_some(()).ok_or(failed)
    })
}

pub unsafe extern "C" fn get_event_info(
    event: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let event: Arc<Event> = handle::get(event)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(event.info(name), room, value, size) }
    })
}

pub unsafe extern "C" fn get_event_profiling_info(
    event: Handle,
    name: u32,
    room: usize,
    value: *mut c_void,
    size: *mut usize,
) -> i32 {
    call(|| {
        let event: Arc<Event> = handle::get(event)?;
        // SAFETY: the application guarantees that its addresses are valid.
        unsafe { put_info(event.profile(name), room, value, size) }
    })
}

pub unsafe extern "C" fn retain_event(event: Handle) -> i32 {
    call(|| handle::retain::<Event>(event))
}

pub unsafe extern "C" fn release_event(event: Handle) -> i32 {
    release::<Event>(event)
}

pub unsafe extern "C" fn create_user_event(context: Handle, status: *mut i32) -> Handle {
    // SAFETY: the application guarantees that its addresses are valid.
    unsafe {
        make(status, || {
            let context: Arc<Context> = handle::get(context)?;
            Ok(publish(|id| Event::of_user(id, context)).handle())
        })
    }
}

pub unsafe extern "C" fn set_user_event_status(event: Handle, status: i32) -> i32 {
    call(|| handle::get::<Event>(event)?.set(status))
}

pub unsafe extern "C" fn set_event_callback(
    event: Handle,
    at: i32,
    function: Option<unsafe extern "C" fn(Handle, i32, *mut c_void)>,
    data: *mut c_void,
) -> i32 {
    call(|| {
        let event: Arc<Event> = handle::get(event)?;
        let function = function.ok_or(Status::INVALID_VALUE)?;
        if !matches!(at, CL_SUBMITTED | CL_RUNNING | CL_COMPLETE) {
            return Err(Status::INVALID_VALUE);
        }
        let data = data.expose_provenance();
        let kept = event.clone();
        let call = move |status| {
            callbacks::submit(move || {
                let data = std::ptr::with_exposed_provenance_mut(data);
                // SAFETY: the application registered the function and its argument for this call.
                unsafe { function(kept.handle(), status, data) };
            });
        };
        event.progress.subscribe(at, Box::new(call));
        Ok(())
    })
}
