//! Contexts.

use std::sync::{Arc, Mutex, PoisonError};

use crate::abi::*;
use crate::device::Device;
use crate::handle::{Handle, Id, Object, object, references};
use crate::info::Info;
use crate::status::{Outcome, Status};

/// A function of the program's that is called when an object is gone.
pub(crate) type DestructorCallback = Box<dyn FnOnce(Handle) + Send>;

/// Functions for the end of an object, the last one first.
#[derive(Default)]
pub(crate) struct Ends(Mutex<Vec<DestructorCallback>>);

impl Ends {
    /// Adds a function.
    pub(crate) fn add(&self, at_end: DestructorCallback) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(at_end);
    }

    /// Calls the functions for the end of an object.
    pub(crate) fn call(&mut self, handle: Handle) {
        let all = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for at_end in std::mem::take(all).into_iter().rev() {
            at_end(handle);
        }
    }
}

/// A context: devices that share objects.
pub(crate) struct Context {
    id: Id<Context>,
    pub(crate) devices: Vec<Arc<Device>>,
    /// Properties as the program gave them, with their terminator; empty without any.
    properties: Vec<isize>,
    pub(crate) at_end: Ends,
}

object!(Context, INVALID_CONTEXT);

impl Drop for Context {
    fn drop(&mut self) {
        let handle = self.handle();
        self.at_end.call(handle);
    }
}

impl Context {
    pub(crate) fn new(
        id: Id<Context>,
        devices: Vec<Arc<Device>>,
        properties: Vec<isize>,
    ) -> Context {
        Context {
            id,
            devices,
            properties,
            at_end: Ends::default(),
        }
    }

    /// True if a device is one of the context's.
    pub(crate) fn has(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|own| Arc::ptr_eq(own, device))
    }

    /// Bytes of the largest allocation that one of its devices takes.
    pub(crate) fn max_allocation(&self) -> u64 {
        let all = self.devices.iter().map(|device| device.max_allocation());
        all.max().unwrap_or(0)
    }

    /// The value of an attribute.
    ///
    /// # Errors
    /// There is no such attribute.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_CONTEXT_REFERENCE_COUNT => Info::from(references(self)),
            CL_CONTEXT_NUM_DEVICES => Info::from(self.devices.len() as u32),
            CL_CONTEXT_DEVICES => Info::array(self.devices.iter().map(|device| device.handle())),
            CL_CONTEXT_PROPERTIES => Info::array(self.properties.iter().copied()),
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}
