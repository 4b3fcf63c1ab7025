//! Kernel dispatches: from a packet to the end of its kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gcn_runtime::hsa::Packet;
use gcn_runtime::observe::Observers;
use gcn_runtime::{Kernel, Launch};

use crate::abi::DispatchPacket;
use crate::failure::{self, Cause};
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
    let checking = runtime.checking.as_ref();
    let stop_at = checking.filter(|it| it.checks().settings().stop_at.is_some());
    let watchdog = Watchdog::new(
        runtime.settings.timeout,
        stop_at.map(|it| it.checks().stop().clone()),
        queue,
    );
    let mut observers = checking.map_or_else(Observers::none, |it| it.watch(&kernel));
    if let Some(tracing) = &runtime.tracing {
        observers = tracing.watch(&kernel, observers);
    }
    if let Some(profile) = &runtime.profile {
        observers = profile.watch(&kernel, observers);
    }
    let outcome = launch.observers(&observers).run(queue.emulated());
    if let Some(tracing) = &runtime.tracing {
        tracing.flush();
    }
    if let Some(checking) = checking {
        checking.report(&kernel);
    }
    let cause = watchdog.and_then(Watchdog::end);
    let Err(error) = outcome else { return Ok(()) };
    queue.emulated().clear();
    if queue.is_over() {
        // The program has destroyed the queue.
        return Err(Status::ERROR);
    }
    // HIP ends the program.
    runtime.write_profile();
    Err(failure::report(runtime, queue, &kernel, &error, cause))
}

/// Time between two looks at the number of findings.
const LOOK: Duration = Duration::from_millis(10);

/// Stops a kernel that runs for too long, or that is at the last finding.
struct Watchdog {
    /// Dropped when the kernel has ended.
    ended: mpsc::Sender<()>,
    thread: std::io::Result<JoinHandle<Option<Cause>>>,
}

impl Watchdog {
    /// A watchdog for a time and for a flag that is set at the last finding; `None` without either.
    fn new(
        time: Option<Duration>,
        is_full: Option<Arc<AtomicBool>>,
        queue: &Queue,
    ) -> Option<Watchdog> {
        if time.is_none() && is_full.is_none() {
            return None;
        }
        let (ended, end) = mpsc::channel();
        let stop = queue.stop().clone();
        let thread = std::thread::Builder::new().name("gcn hsa watchdog".to_owned());
        let thread = thread.spawn(move || {
            let begin = Instant::now();
            loop {
                let left = time.map(|time| time.saturating_sub(begin.elapsed()));
                let cause = if is_full.as_ref().is_some_and(|it| it.load(Ordering::SeqCst)) {
                    Some(Cause::Full)
                } else {
                    time.filter(|_| left == Some(Duration::ZERO))
                        .map(Cause::Late)
                };
                if cause.is_some() {
                    stop.store(true, Ordering::SeqCst);
                    return cause;
                }
                let look = is_full.as_ref().map(|_| LOOK);
                let pause = left.into_iter().chain(look).min().unwrap_or(LOOK);
                if end.recv_timeout(pause) != Err(mpsc::RecvTimeoutError::Timeout) {
                    return None;
                }
            }
        });
        if let Err(error) = &thread {
            say_once(&format!("kernels are not timed: {error}"));
        }
        Some(Watchdog { ended, thread })
    }

    /// The kernel has ended; yields the reason if it was stopped.
    fn end(self) -> Option<Cause> {
        drop(self.ended);
        self.thread.ok()?.join().ok()?
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
