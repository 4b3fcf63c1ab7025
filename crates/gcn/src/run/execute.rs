//! Executes a launch that has been prepared: the device's limits, the workgroup's size, host threads, the trace.

use std::io::{self, Write};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, mpsc};

use anyhow::{Result, bail};
use gcn_emu::device::{Config, Device};
use gcn_emu::observe::Observers;
use gcn_emu::run::Finished;
use gcn_isa::Isa;
use gcn_object::Kernel;
use gcn_observe::Trace;
use gcn_runtime::hsa::Prepared;

use super::launch::{Launch, Run};
use super::options::MAX_THREADS;

/// Work-items of a workgroup if nothing asks for another number: a wave.
const DEFAULT_GROUP: u32 = 64;
/// Lines of a trace that may wait to be written.
const TRACE_BACKLOG: usize = 1024;

/// A device for a run.
///
/// # Errors
/// The number of threads is invalid.
pub fn config(run: &Run, isa: Isa) -> Result<Config> {
    let mut config = Config::new(isa);
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    config.threads = match run.threads {
        // Lines of several threads would come in no order.
        _ if run.trace => 1,
        Some(threads) if !(1..=MAX_THREADS).contains(&threads) => {
            bail!("threads: {threads} is not a number from 1 to {MAX_THREADS}")
        }
        Some(threads) => threads,
        None => all().min(MAX_THREADS),
    };
    Ok(config)
}

/// The number of `threads` whose scratch fits `budget` bytes.
///
/// # Errors
/// Not even one can.
pub fn affordable_threads(prepared: &Prepared, threads: usize, budget: u64) -> Result<usize> {
    let each = prepared.dispatch.scratch_bytes_per_thread();
    if each > budget {
        bail!(
            "the kernel's scratch takes {each} bytes, more than the {budget} bytes of memory that are left; --memory changes that"
        );
    }
    let most = budget.checked_div(each).unwrap_or(u64::MAX);
    Ok(threads.min(usize::try_from(most).unwrap_or(usize::MAX)))
}

/// The size of the workgroup: as asked, as the kernel requires, or a wave in x.
pub fn group(launch: &Launch, kernel: &Kernel, grid: [u32; 3]) -> [u32; 3] {
    let metadata = kernel.metadata.as_ref();
    let required = metadata.and_then(|metadata| metadata.reqd_workgroup_size);
    let required = required
        .and_then(|[x, y, z]| Some([x.try_into().ok()?, y.try_into().ok()?, z.try_into().ok()?]));
    let most = metadata
        .and_then(|metadata| metadata.max_flat_workgroup_size)
        .and_then(|most| u32::try_from(most).ok());
    let most = most.filter(|most| *most != 0).unwrap_or(DEFAULT_GROUP);
    launch
        .group
        .map(|extent| extent.sizes)
        .or(required)
        .unwrap_or([DEFAULT_GROUP.min(grid[0]).min(most), 1, 1])
}

/// Runs a prepared kernel under observers.
///
/// # Errors
/// It cannot begin.
pub fn execute(
    device: &mut Device,
    prepared: &Prepared,
    observers: &Observers,
) -> Result<Finished> {
    let finished = gcn_emu::run::run(device, &prepared.code, &prepared.dispatch, observers)?;
    Ok(finished)
}

/// Runs with a trace. The run has a thread of its own, since only this one may write to `out`; in JSON mode the trace
/// goes to standard error.
///
/// # Errors
/// As [`execute`]; `out` cannot be written.
pub fn traced(
    device: &mut Device,
    prepared: &Prepared,
    json: bool,
    out: &mut dyn Write,
) -> Result<Finished> {
    let interrupted = device.interrupted.clone();
    let (sender, lines) = mpsc::sync_channel::<String>(TRACE_BACKLOG);
    std::thread::scope(|scope| {
        let runner = scope.spawn(move || {
            // Nobody listens any more when the run is being stopped.
            let trace = Trace::new(move |line: &str| drop(sender.send(line.to_owned())));
            let observers = Observers::none().with(Arc::new(trace));
            execute(device, prepared, &observers)
        });
        let mut written = Ok(());
        for line in lines {
            written = if json {
                writeln!(io::stderr(), "{line}")
            } else {
                writeln!(out, "{line}")
            };
            if written.is_err() {
                interrupted.store(true, Relaxed);
                break;
            }
        }
        let result = runner
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written?;
        result
    })
}
