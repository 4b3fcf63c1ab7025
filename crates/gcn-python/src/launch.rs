//! Queues, launches and launch events.

use std::time::{Duration, Instant};

use gcn_runtime::{Argument, CommandResult, Completion, Error, Signal};
use pyo3::exceptions::{PyTimeoutError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::array::ArrayBase;
use crate::device::Device;
use crate::errors::exception;
use crate::module::Kernel;
use crate::reports::{Watch, fault};
use crate::trace::TraceLines;

/// Interval between checks for process signals such as Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(20);

/// Native part of `amdgcn.Queue`.
#[pyclass(frozen, module = "amdgcn._amdgcn")]
pub(crate) struct Queue {
    inner: gcn_runtime::Queue,
}

#[pymethods]
impl Queue {
    #[new]
    fn new(device: &Device) -> Queue {
        Queue {
            inner: device.inner.queue(),
        }
    }

    /// Clears the failure that makes the queue skip later commands.
    fn clear(&self) {
        self.inner.clear();
    }
}

/// Kernel argument, already converted by the Python package.
#[derive(FromPyObject)]
pub(crate) enum LaunchArgument<'py> {
    /// Array, whose address is passed.
    Array(PyRef<'py, ArrayBase>),
    /// Value, as bytes.
    Value(Bound<'py, PyBytes>),
    /// Size of a local memory block in bytes.
    Local(u32),
}

impl LaunchArgument<'_> {
    fn argument(&self) -> Argument {
        match self {
            LaunchArgument::Array(array) => array.argument(),
            LaunchArgument::Value(bytes) => Argument::Bytes(bytes.as_bytes().to_vec()),
            LaunchArgument::Local(bytes) => Argument::Local(*bytes),
        }
    }
}

/// Native part of `amdgcn.Event`: a submitted launch.
#[pyclass(frozen, module = "amdgcn._amdgcn")]
pub(crate) struct Event {
    signal: Signal,
    kernel: gcn_runtime::Kernel,
    watch: Watch,
    trace: Option<TraceLines>,
    /// Array arguments, kept alive by the event, and by the launch until it has ended.
    kept: Vec<Py<ArrayBase>>,
}

impl Drop for Event {
    /// Leaves the arrays to the launch if it has not ended. Its thread, which does not hold the GIL, then passes them to
    /// PyO3, which releases them when a thread next holds it.
    fn drop(&mut self) {
        let kept = std::mem::take(&mut self.kept);
        self.signal.subscribe(move |_| drop(kept));
    }
}

/// Submits a launch with a grid of `grid` work-items to a queue. `trace` contains the trace selections.
///
/// # Errors
/// `LaunchError`: the launch is invalid; `ValueError`: a check name is unknown, or a selection is invalid.
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "the package has names and defaults for them"
)]
pub(crate) fn submit(
    kernel: &Kernel,
    queue: &Queue,
    grid: [u32; 3],
    group: Option<[u32; 3]>,
    arguments: Vec<LaunchArgument<'_>>,
    after: Vec<PyRef<'_, Event>>,
    checks: Option<&str>,
    profile: bool,
    limit: Option<u64>,
    trace: Option<Vec<String>>,
    lds: u32,
) -> PyResult<Event> {
    let kernel = &kernel.inner;
    let watch = Watch::new(checks, profile)?;
    let mut observers = watch.observers(kernel);
    let mut lines = None;
    if let Some(only) = trace {
        let traced = TraceLines::watch(kernel, &only, observers).map_err(PyValueError::new_err)?;
        (lines, observers) = (Some(traced.0), traced.1);
    }
    let after: Vec<Signal> = after.iter().map(|event| event.signal.clone()).collect();
    let mut launch = kernel.launch(grid).after(&after).dynamic_lds(lds);
    launch = launch.observers(&observers);
    if let Some(group) = group {
        launch = launch.group(group);
    }
    if let Some(limit) = limit {
        launch = launch.instruction_limit(limit);
    }
    for argument in &arguments {
        launch = launch.arg(argument.argument());
    }
    let kept = arguments.into_iter().filter_map(|argument| match argument {
        LaunchArgument::Array(array) => Some(array.into()),
        LaunchArgument::Value(_) | LaunchArgument::Local(_) => None,
    });
    let kept = kept.collect();
    let submitted = launch.submit(&queue.inner);
    Ok(Event {
        signal: submitted.map_err(|error| exception(&error))?,
        kernel: kernel.clone(),
        watch,
        trace: lines,
        kept,
    })
}

#[pymethods]
impl Event {
    /// Releases the GIL, waits for the launch, and returns the fields of `amdgcn.Completion`. If a signal such as
    /// Ctrl-C raises an exception, the launch is cancelled.
    #[pyo3(signature = (timeout = None))]
    fn wait<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<Duration>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let end = match timeout.map(|timeout| Instant::now().checked_add(timeout)) {
            Some(Some(deadline)) => self.outcome(py, Some(deadline))?,
            Some(None) | None => self.outcome(py, None)?,
        };
        match end {
            Ok(completion) => self.completed(py, &completion),
            Err(Error::Fault(completion)) => Err(fault(&self.kernel, &completion, &self.watch)),
            Err(error) => Err(exception(&error)),
        }
    }

    /// Releases the GIL, waits for lines of the trace, and returns all available ones; `None` at the end of the trace.
    fn trace_lines(&self, py: Python<'_>) -> PyResult<Option<Vec<String>>> {
        let Some(trace) = &self.trace else {
            return Ok(None);
        };
        loop {
            match py.detach(|| trace.read(SIGNALS)) {
                Some(lines) if lines.is_empty() => py.check_signals()?,
                lines => return Ok(lines),
            }
        }
    }

    /// Discards all further lines of the trace.
    fn close_trace(&self) {
        if let Some(trace) = &self.trace {
            trace.close();
        }
    }

    #[getter]
    fn is_done(&self) -> bool {
        self.signal.poll().is_some()
    }

    /// Stops the launch or prevents it from starting. Returns false if it already ended.
    fn cancel(&self) -> bool {
        self.signal.cancel()
    }
}

impl Event {
    fn outcome(&self, py: Python<'_>, deadline: Option<Instant>) -> PyResult<CommandResult> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let time = left.map_or(SIGNALS, |left| left.min(SIGNALS));
            if let Some(end) = py.detach(|| self.signal.wait_timeout(time)) {
                return Ok(end);
            }
            if let Err(interrupt) = py.check_signals() {
                self.signal.cancel();
                // Wait for the launch to end, so that memory and threads are in a defined state when the exception is
                // raised.
                let _ = py.detach(|| self.signal.wait());
                return Err(interrupt);
            }
            if left.is_some_and(|left| left.is_zero()) {
                return Err(PyTimeoutError::new_err("the launch has not ended yet"));
            }
        }
    }

    /// Returns the fields of `amdgcn.Completion`.
    fn completed<'py>(
        &self,
        py: Python<'py>,
        completion: &Completion,
    ) -> PyResult<Bound<'py, PyDict>> {
        let notes: Vec<String> = completion.notes.iter().map(ToString::to_string).collect();
        let times = self.signal.times();
        let seconds = times.begun.zip(times.ended);
        let seconds = seconds.map_or(0.0, |(begun, ended)| (ended - begun).as_secs_f64());
        let fields = PyDict::new(py);
        fields.set_item("kernel", self.kernel.name())?;
        fields.set_item("instructions", completion.stats.instructions)?;
        fields.set_item("waves", completion.stats.waves)?;
        fields.set_item("groups", completion.stats.groups)?;
        fields.set_item("seconds", seconds)?;
        fields.set_item("printed", PyBytes::new(py, &completion.printed))?;
        fields.set_item("notes", notes)?;
        fields.set_item("findings", self.watch.findings(&self.kernel)?)?;
        fields.set_item("profile", self.watch.profile()?)?;
        Ok(fields)
    }
}
