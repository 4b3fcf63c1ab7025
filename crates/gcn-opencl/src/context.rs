//! Contexts and destructor callbacks.

use std::sync::{Arc, Mutex, PoisonError};

use crate::abi::*;
use crate::device::Device;
use crate::handle::{Handle, Id, Object, object, references};
use crate::info::Info;
use crate::status::{Outcome, Status};

/// Destructor callback registered by the application, called with the destroyed object's handle.
pub(crate) type DestructorCallback = Box<dyn FnOnce(Handle) + Send>;

/// Destructor callbacks for an object, called in reverse order of registration.
#[derive(Default)]
pub(crate) struct DestructorCallbacks(Mutex<Vec<DestructorCallback>>);

impl DestructorCallbacks {
    pub(crate) fn add(&self, at_end: DestructorCallback) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(at_end);
    }

    /// Calls the callbacks for an object that is being destroyed.
    pub(crate) fn call(&mut self, handle: Handle) {
        let all = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for at_end in std::mem::take(all).into_iter().rev() {
            at_end(handle);
        }
    }
}

/// Context: a set of devices that share objects.
pub(crate) struct Context {
    id: Id<Context>,
    pub(crate) devices: Vec<Arc<Device>>,
    /// Properties as the application passed them, including the terminator; empty if none were passed.
    properties: Vec<isize>,
    pub(crate) at_end: DestructorCallbacks,
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
            at_end: DestructorCallbacks::default(),
        }
    }

    /// Returns true if `device` belongs to the context.
    pub(crate) fn has(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|own| Arc::ptr_eq(own, device))
    }

    /// Returns the maximum allocation size in bytes: the largest that any of the devices accepts.
    pub(crate) fn max_allocation(&self) -> u64 {
        let all = self.devices.iter().map(|device| device.max_allocation());
        all.max().unwrap_or(0)
    }

    /// Returns the value of the attribute `name`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
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
