//! Handlers of signals: a thread calls a program's functions when signals have the values that they wait for.
//!
//! This is one of the modules that may use `unsafe`: the functions are the program's.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::abi::SignalHandler;
use crate::signals::{CHANGES, Condition, Signal};
use crate::status::{Outcome, Status};

/// Time that the thread sleeps at most while it has no handler.
const IDLE: Duration = Duration::from_secs(3600);
/// Time between two looks while it has some: most changes wake it, but not stores through a value's pointer.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// A function to call.
enum Task {
    /// When the condition holds; again and again while it returns true.
    Handler {
        signal: Signal,
        condition: Condition,
        value: i64,
        handler: SignalHandler,
        argument: usize,
    },
    /// Once, soon.
    Call {
        function: unsafe extern "C" fn(*mut c_void),
        argument: usize,
    },
}

/// The handlers that wait.
#[derive(Default)]
pub(crate) struct Handlers(Mutex<State>);

#[derive(Default)]
struct State {
    tasks: Vec<Task>,
    has_thread: bool,
}

impl Handlers {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `handler` whenever the condition holds, until it returns false or the signal is destroyed.
    pub(crate) fn add(
        self: &Arc<Self>,
        (signal, condition, value): (Signal, Condition, i64),
        handler: SignalHandler,
        argument: *mut c_void,
    ) -> Outcome {
        let argument = argument.expose_provenance();
        self.push(Task::Handler {
            signal,
            condition,
            value,
            handler,
            argument,
        })
    }

    /// Calls `function` once.
    pub(crate) fn call(
        self: &Arc<Self>,
        function: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> Outcome {
        let argument = argument.expose_provenance();
        self.push(Task::Call { function, argument })
    }

    fn push(self: &Arc<Self>, task: Task) -> Outcome {
        let mut state = self.state();
        state.tasks.push(task);
        if !std::mem::replace(&mut state.has_thread, true) {
            let handlers = self.clone();
            let thread = std::thread::Builder::new().name("gcn hsa handlers".to_owned());
            if thread.spawn(move || handlers.work()).is_err() {
                state.has_thread = false;
                state.tasks.pop();
                return Err(Status::OUT_OF_RESOURCES);
            }
        }
        drop(state);
        CHANGES.count();
        Ok(())
    }

    fn work(&self) {
        loop {
            let seen = CHANGES.seen();
            let ready = self.take_ready();
            if ready.is_empty() {
                let is_idle = self.state().tasks.is_empty();
                CHANGES.sleep(seen, if is_idle { IDLE } else { LOOK_AGAIN });
            }
            for task in ready {
                self.carry_out(task);
            }
        }
    }

    /// Forgets the handlers of a signal that is about to be destroyed.
    pub(crate) fn forget(&self, gone: Signal) {
        let is_other =
            |task: &Task| !matches!(task, Task::Handler { signal, .. } if *signal == gone);
        self.state().tasks.retain(is_other);
    }

    /// Takes the tasks that can be carried out, in the order of their making.
    fn take_ready(&self) -> Vec<Task> {
        let is_ready = |task: &mut Task| match task {
            Task::Handler {
                signal,
                condition,
                value,
                ..
            } => condition.holds(signal.load(std::sync::atomic::Ordering::Acquire), *value),
            Task::Call { .. } => true,
        };
        self.state().tasks.extract_if(.., is_ready).collect()
    }

    fn carry_out(&self, task: Task) {
        match task {
            Task::Handler {
                signal,
                handler,
                argument,
                ..
            } => {
                let value = signal.load(std::sync::atomic::Ordering::Acquire);
                // SAFETY: the program gave the function and its argument for this call.
                let goes_on =
                    unsafe { handler(value, std::ptr::with_exposed_provenance_mut(argument)) };
                if goes_on {
                    self.state().tasks.push(task);
                }
            }
            // SAFETY: as above.
            Task::Call { function, argument } => unsafe {
                function(std::ptr::with_exposed_provenance_mut(argument));
            },
        }
    }
}

impl std::fmt::Debug for Handlers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handlers")
            .field("tasks", &self.state().tasks.len())
            .finish()
    }
}
