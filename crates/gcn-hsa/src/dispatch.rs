//! Executes kernel dispatch packets.

use std::sync::Arc;

use gcn_report::program::say::say;
use gcn_runtime::hsa::Packet;
use gcn_runtime::{Kernel, Launch};

use crate::abi::DispatchPacket;
use crate::failure;
use crate::queues::{Queue, QueuedPacket};
use crate::runtime::{self, Runtime};
use crate::status::{HsaResult, Status};

/// Mask for the number of grid dimensions in a packet's `setup` field.
const DIMENSIONS: u16 = 3;

/// Runs the kernel of a dispatch packet to completion.
pub(crate) fn run(queue: &Queue, dispatch: &QueuedPacket) -> HsaResult {
    let runtime = runtime::existing().ok_or(Status::NOT_INITIALIZED)?;
    let object = dispatch.packet.kernel_object;
    let Some(kernel) = runtime.loader.kernel(object) else {
        say(&format!(
            "a packet names a kernel at {object:#x}, where no executable has one"
        ));
        return Err(Status::INVALID_CODE_OBJECT);
    };
    let launch = launch(runtime, queue, dispatch, &kernel);
    queue.reset_stop();
    let outcome = runtime.watch.run(launch, queue.emulated(), queue.stop());
    let Err(failed) = outcome else { return Ok(()) };
    if queue.is_over() {
        // The program has destroyed or inactivated the queue.
        return Err(Status::ERROR);
    }
    Err(failure::report(runtime, queue, &failed))
}

fn launch(runtime: &Runtime, queue: &Queue, dispatch: &QueuedPacket, kernel: &Kernel) -> Launch {
    let DispatchPacket {
        setup,
        workgroup_size,
        grid_size,
        private_segment_size,
        group_segment_size,
        kernarg_address,
        ..
    } = dispatch.packet;
    let descriptor = &kernel.description().descriptor;
    let lds = descriptor.group_segment_fixed_size;
    let scratch = descriptor.private_segment_fixed_size;
    kernel
        .launch(grid_size)
        .group(workgroup_size.map(u32::from))
        .dimensions(setup & DIMENSIONS)
        .dynamic_lds(group_segment_size.saturating_sub(lds))
        .stack(private_segment_size.saturating_sub(scratch))
        .packet(Packet {
            packet: dispatch.address,
            queue: queue.address(),
            arguments: kernarg_address,
        })
        .acquires(dispatch.acquires)
        .host_calls(Arc::new(runtime.signals.mailbox()))
}
