//! Failures of kernels: a report for the user, and a status for the program.
//!
//! This is one of the modules that may use `unsafe`: handlers of events are the program's.
#![allow(unsafe_code)]

use std::time::Duration;

use gcn_runtime::fault::{Fault, FaultKind};
use gcn_runtime::report::{CodeMap, FaultReport, kernel_name};
use gcn_runtime::{Error, Kernel};

use crate::abi::MemoryFaultEvent;
use crate::queues::Queue;
use crate::runtime::Runtime;
use crate::say::say;
use crate::status::Status;

/// Event: a memory fault.
const MEMORY_FAULT: u32 = 0;
/// Reason of a memory fault: there is no such page.
const NOT_PRESENT: u32 = 1;

/// The reason why a kernel was stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// It has run for longer than this.
    Late(Duration),
    /// Checks have as many findings as there may be.
    Full,
}

/// Reports the failure of a kernel on standard error, and the reason if it was stopped. Yields the status for the program.
pub(crate) fn report(
    runtime: &Runtime,
    queue: &Queue,
    kernel: &Kernel,
    error: &Error,
    cause: Option<Cause>,
) -> Status {
    let stopped = match cause {
        None => "stopped".to_owned(),
        Some(Cause::Late(time)) => format!("stopped after {} s, the timeout", time.as_secs_f64()),
        Some(Cause::Full) => "stopped at the last finding that the run may have".to_owned(),
    };
    let report = match error {
        Error::Fault(completion) => {
            let code = CodeMap::new(kernel.module());
            FaultReport::new(completion, &code, &stopped, None).map(|report| report.to_string())
        }
        _ => None,
    };
    let report =
        report.unwrap_or_else(|| format!("kernel {}: {error}", kernel_name(kernel.name())));
    say(&format!("error: {report}"));
    match error {
        Error::Fault(completion) => match &completion.fault {
            Some(fault) => status_of(runtime, queue, fault),
            None => Status::EXCEPTION,
        },
        Error::Launch(problem) => match **problem {
            gcn_runtime::hsa::LaunchError::Memory(_) => Status::OUT_OF_RESOURCES,
            _ => Status::INVALID_PACKET_FORMAT,
        },
        Error::Memory(_) => Status::OUT_OF_RESOURCES,
        _ => Status::EXCEPTION,
    }
}

fn status_of(runtime: &Runtime, queue: &Queue, fault: &Fault) -> Status {
    match fault.kind {
        FaultKind::Unmapped { address, .. } => {
            let event = MemoryFaultEvent {
                event_type: MEMORY_FAULT,
                agent: runtime.agents[queue.agent()].handle(),
                virtual_address: address,
                fault_reason_mask: NOT_PRESENT,
            };
            for (handler, data) in runtime.event_handlers() {
                // SAFETY: the program gave the function and its argument for this call.
                unsafe { handler(&event, std::ptr::with_exposed_provenance_mut(data)) };
            }
            Status::MEMORY_FAULT
        }
        FaultKind::Misaligned { .. } => Status::MEMORY_FAULT,
        FaultKind::Undecodable(_) | FaultKind::NotExecuted => Status::ILLEGAL_INSTRUCTION,
        _ => Status::EXCEPTION,
    }
}
