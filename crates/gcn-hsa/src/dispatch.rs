//! Kernel dispatches: from a packet to the end of its kernel.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use gcn_runtime::hsa::Packet;
use gcn_runtime::observe::Observers;
use gcn_runtime::{Kernel, Launch};

use crate::abi::DispatchPacket;
use crate::failure;
use crate::queues::{Dispatch, Queue};
use crate::runtime::{self, Runtime};
use crate::say::{say, say_once};
use crate::status::{Outcome, Status};

/// Bits of a packet's setup that have the number of dimensions.
const DIMENSIONS: u16 = 3;

/// Runs the kernel of a packet to its end.
pub(crate) fn run(queue: &Queue, dispatch: &Dispatch) -> Outcome {
    let runtime = runtime::made().ok_or(Status::NOT_INITIALIZED)?;
    let object = dispatch.packet.kernel_object;
    let Some(kernel) = runtime.loader.kernel(object) else {
        say(&format!(
            "a packet names a kernel at {object:#x}, where no executable has one"
        ));
        return Err(Status::INVALID_CODE_OBJECT);
    };
    let launch = launch(runtime, queue, dispatch, &kernel);
    queue.forget_stop();
    let watchdog = runtime
        .settings
        .timeout
        .map(|time| Watchdog::new(time, queue));
    let mut observers = Observers::none();
    if let Some(tracing) = &runtime.tracing {
        observers = tracing.watch(&kernel, observers);
    }
    let mut checked = None;
    if let Some(checking) = &runtime.checking {
        let (watched, findings) = checking.watch(observers);
        observers = watched;
        checked = Some((checking, findings));
    }
    let outcome = launch.observers(&observers).run(queue.emulated());
    if let Some(tracing) = &runtime.tracing {
        tracing.flush();
    }
    if let Some((checking, findings)) = checked {
        checking.report(&kernel, &findings);
    }
    let late = watchdog.and_then(Watchdog::end);
    let Err(error) = outcome else { return Ok(()) };
    queue.emulated().clear();
    if queue.is_over() {
        // The program has destroyed the queue.
        return Err(Status::ERROR);
    }
    Err(failure::report(runtime, queue, &kernel, &error, late))
}

/// Stops a kernel that runs for too long.
struct Watchdog {
    time: Duration,
    /// Dropped when the kernel has ended.
    ended: mpsc::Sender<()>,
    thread: std::io::Result<JoinHandle<bool>>,
}

impl Watchdog {
    fn new(time: Duration, queue: &Queue) -> Watchdog {
        let (ended, end) = mpsc::channel();
        let stop = queue.stop().clone();
        let thread = std::thread::Builder::new().name("gcn hsa watchdog".to_owned());
        let thread = thread.spawn(move || {
            let is_late = end.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout);
            if is_late {
                stop.store(true, Ordering::SeqCst);
            }
            is_late
        });
        if let Err(error) = &thread {
            say_once(&format!("kernels are not timed: {error}"));
        }
        Watchdog {
            time,
            ended,
            thread,
        }
    }

    /// The kernel has ended; yields the time if it was stopped after it.
    fn end(self) -> Option<Duration> {
        drop(self.ended);
        let is_late = self.thread.ok()?.join().unwrap_or(false);
        is_late.then_some(self.time)
    }
}

fn launch(runtime: &Runtime, queue: &Queue, dispatch: &Dispatch, kernel: &Kernel) -> Launch {
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
        .host_calls(Arc::new(runtime.signals.mailbox()))
        .stop_flag(queue.stop())
}
