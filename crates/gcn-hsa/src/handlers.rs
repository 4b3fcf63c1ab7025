//! Calls of program functions on a worker thread: signal handlers, once their conditions hold, and asynchronous
//! functions.
//!
//! This module may use `unsafe`, since it calls functions of the program.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use crate::abi::SignalHandler;
use crate::signals::{Signal, SignalCondition};
use crate::workers::WorkerTask;

/// Pending call of a program function. The argument is stored as an integer, since pointers are not `Send`.
pub(crate) enum HandlerCall {
    /// Called whenever the condition holds, until the handler returns false.
    Handler {
        signal: Signal,
        condition: SignalCondition,
        value: i64,
        handler: SignalHandler,
        argument: usize,
        /// Value of the signal when the condition was last checked.
        seen: AtomicI64,
    },
    /// Called once, without a condition.
    Once {
        function: unsafe extern "C" fn(*mut c_void),
        argument: usize,
    },
}

impl HandlerCall {
    /// Returns true if this is a handler for the signal `gone`.
    pub(crate) fn is_of(&self, gone: Signal) -> bool {
        matches!(self, HandlerCall::Handler { signal, .. } if *signal == gone)
    }
}

impl WorkerTask for HandlerCall {
    const THREAD: &'static str = "gcn hsa handlers";

    fn is_ready(&self) -> bool {
        match self {
            HandlerCall::Handler {
                signal,
                condition,
                value,
                seen,
                ..
            } => {
                let now = signal.load(Acquire);
                seen.store(now, Relaxed);
                condition.holds(now, *value)
            }
            HandlerCall::Once { .. } => true,
        }
    }

    fn carry_out(&self) -> bool {
        match *self {
            HandlerCall::Handler {
                handler,
                argument,
                ref seen,
                ..
            } => {
                let argument = std::ptr::with_exposed_provenance_mut(argument);
                // SAFETY: the program registered the function and its argument for this call.
                unsafe { handler(seen.load(Relaxed), argument) }
            }
            HandlerCall::Once { function, argument } => {
                // SAFETY: as above.
                unsafe { function(std::ptr::with_exposed_provenance_mut(argument)) };
                false
            }
        }
    }
}
