//! Handlers of signals: a thread calls a program's functions when signals have the values that they wait for.
//!
//! This is one of the modules that may use `unsafe`: the functions are the program's.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::atomic::Ordering::Acquire;

use crate::abi::SignalHandler;
use crate::signals::{Condition, Signal};
use crate::workers::Task;

/// A function to call, with its argument, an address.
pub(crate) enum Call {
    /// Called when the condition holds, and again while it returns true.
    Handler {
        signal: Signal,
        condition: Condition,
        value: i64,
        handler: SignalHandler,
        argument: usize,
    },
    /// Once, soon.
    Once {
        function: unsafe extern "C" fn(*mut c_void),
        argument: usize,
    },
}

impl Call {
    /// True for a handler of this signal.
    pub(crate) fn is_of(&self, gone: Signal) -> bool {
        matches!(self, Call::Handler { signal, .. } if *signal == gone)
    }
}

impl Task for Call {
    const THREAD: &'static str = "gcn hsa handlers";

    fn is_ready(&self) -> bool {
        match self {
            Call::Handler {
                signal,
                condition,
                value,
                ..
            } => condition.holds(signal.load(Acquire), *value),
            Call::Once { .. } => true,
        }
    }

    fn carry_out(self) -> Option<Call> {
        match self {
            Call::Handler {
                signal,
                handler,
                argument,
                ..
            } => {
                let argument = std::ptr::with_exposed_provenance_mut(argument);
                // SAFETY: the program gave the function and its argument for this call.
                let goes_on = unsafe { handler(signal.load(Acquire), argument) };
                goes_on.then_some(self)
            }
            Call::Once { function, argument } => {
                // SAFETY: as above.
                unsafe { function(std::ptr::with_exposed_provenance_mut(argument)) };
                None
            }
        }
    }
}
