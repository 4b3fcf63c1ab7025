//! Reports kernel failures to the user and to the program.
//!
//! This module may use `unsafe`, since it calls the program's event handlers.
#![allow(unsafe_code)]

use gcn_report::program::Failure;
use gcn_report::program::say::say;
use gcn_runtime::Error;
use gcn_runtime::fault::{Fault, FaultKind};

use crate::abi::MemoryFaultEvent;
use crate::queues::Queue;
use crate::runtime::Runtime;
use crate::status::Status;

/// Event type for memory faults.
const MEMORY_FAULT: u32 = 0;
/// Memory fault reason: the page is not present.
const NOT_PRESENT: u32 = 1;

/// Reports a kernel's failure on standard error, and returns the status of its packet.
pub(crate) fn report(runtime: &Runtime, queue: &Queue, failed: &Failure) -> Status {
    say(&format!(
        "error: {}",
        failed.beside(runtime.loader.modules())
    ));
    match &failed.error {
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

/// Returns the status for a fault. If an access to unmapped memory faulted, calls the program's event handlers first.
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
                // SAFETY: the program registered the function and its argument for this call.
                unsafe { handler(&event, std::ptr::with_exposed_provenance_mut(data)) };
            }
            Status::MEMORY_FAULT
        }
        FaultKind::Misaligned { .. } => Status::MEMORY_FAULT,
        FaultKind::Undecodable(_) | FaultKind::NotExecuted | FaultKind::Image(_) => {
            Status::ILLEGAL_INSTRUCTION
        }
        _ => Status::EXCEPTION,
    }
}
