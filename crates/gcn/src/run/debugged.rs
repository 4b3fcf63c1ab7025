//! Prepared run whose launches a debugger or `gcn why` starts.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use gcn_args::bind::BufferView;
use gcn_debug::{NamedBuffer, Program, ScalarType};
use gcn_report::{Checking, CodeMap, FaultReport};
use gcn_runtime::memory::ALIGNMENT;
use gcn_runtime::observe::Observers;
use gcn_runtime::{Buffer, Completion, Module};

use super::arguments;
use super::dispatch::{Dispatches, ReadyLaunches};
use super::launch;
use super::options::Args;
use super::output::{ElementSelector, MemoryView};
use super::request::RunRequest;
use crate::program::LoadedProgram;

/// Prepared run whose launches the caller starts.
pub struct DebuggedRun {
    request: RunRequest,
    module: Module,
    ready: ReadyLaunches,
    stop: Arc<AtomicBool>,
    /// Unused memory before the buffers.
    _padding: Option<Buffer>,
}

/// Prepares a run with one host thread.
///
/// # Errors
/// Fails if the program or the launches are invalid.
pub fn debugged(args: &Args, checking: Option<&Checking>) -> Result<DebuggedRun> {
    let request = launch::read(args, checking.is_some(), args.json)?;
    prepared(request, checking, Arc::default(), 0)
}

/// Prepares a requested run with one host thread, and moves its buffers up by `padding` bytes, a multiple of
/// [`ALIGNMENT`]. Setting `stop` stops the launches.
///
/// # Errors
/// Fails if the program or the launches are invalid.
pub fn prepared(
    mut request: RunRequest,
    checking: Option<&Checking>,
    stop: Arc<AtomicBool>,
    padding: u64,
) -> Result<DebuggedRun> {
    request.threads = Some(1);
    let (LoadedProgram { module, .. }, kernels) = super::load(&request, checking)?;
    let device = module.device();
    let budget = request.memory.unwrap_or_else(arguments::spare_memory);
    let padding = match padding {
        0 => None,
        // The guard after the allocation takes up `ALIGNMENT` bytes, too.
        bytes => Some(device.allocate("padding", bytes.saturating_sub(ALIGNMENT))?),
    };
    let dispatches = Dispatches::new(&request, &kernels, device, budget)?;
    dispatches.check()?;
    let ready = dispatches.prepare(device, budget, &stop)?;
    Ok(DebuggedRun {
        request,
        module,
        ready,
        stop,
        _padding: padding,
    })
}

impl DebuggedRun {
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// File of the program.
    pub fn file(&self) -> &Path {
        &self.request.program.file
    }

    /// Time limit of the run, or for a debugger, between two stops.
    pub fn timeout(&self) -> Option<Duration> {
        self.request.timeout
    }

    /// Flag that stops the launches.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Code with its symbols and source lines.
    pub fn code(&self) -> Program {
        let loaded = self.module.loaded();
        let isa = self.module.device().target().isa;
        let program = Program::new(self.module.object(), loaded.moved(0), isa);
        match self.file().parent() {
            Some(directory) => program.with_directory(directory),
            None => program,
        }
    }

    /// Resolves a selector in the syntax of `gcn run --print`.
    ///
    /// # Errors
    /// Fails if the selector is invalid or cannot be resolved.
    pub fn elements(&self, text: &str) -> Result<MemoryView> {
        ElementSelector::unprinted(text)?.find(self.buffers(), self.module.loaded())
    }

    /// Named buffers with their addresses, sizes and element types.
    pub fn named_buffers(&self) -> Vec<NamedBuffer> {
        let views = self.buffers().iter().map(|view| NamedBuffer {
            name: view.name.clone(),
            address: view.address,
            bytes: view.bytes,
            ty: ScalarType::named(view.ty.name()).unwrap_or(ScalarType::U8),
        });
        views.collect()
    }

    /// Address ranges of buffers with undefined initial contents.
    pub fn undefined(&self) -> &[Range<u64>] {
        self.ready.undefined()
    }

    /// Names of a launch's explicit arguments, and their byte ranges in the argument segment.
    pub fn arguments(&self, number: usize) -> Vec<(String, Range<u64>)> {
        let launch = self.ready.launches.get(number);
        let parameters = launch.and_then(|it| it.kernel().parameters());
        let parameters = parameters.into_iter().flatten();
        let named = parameters.map(|it| (it.label(), it.offset..it.offset + it.size));
        named.collect()
    }

    /// Named buffers.
    pub fn buffers(&self) -> &[BufferView] {
        self.ready.buffers()
    }

    /// Number of launches.
    pub fn count(&self) -> usize {
        self.ready.launches.len()
    }

    /// Kernel name of a launch.
    pub fn kernel(&self, number: usize) -> &str {
        self.ready
            .launches
            .get(number)
            .map_or("", |it| it.kernel().name())
    }

    /// Index of the launch of each run; a repeated launch has several runs.
    pub fn runs(&self) -> Vec<usize> {
        let launches = 0..self.count();
        let runs = launches.flat_map(|it| (0..self.repetitions(it)).map(move |_| it));
        runs.collect()
    }

    /// Number of repetitions of a launch.
    pub fn repetitions(&self, number: usize) -> u32 {
        let launch = self.request.launches.get(number);
        launch.and_then(|it| it.repeat).map_or(1, u32::from)
    }

    /// Describes the fault of a launch as `gcn run` does.
    pub fn fault_report(&self, number: usize, end: &Completion) -> Option<FaultReport> {
        let fault = end.fault.as_ref()?;
        let launch = self.ready.launches.get(number)?;
        let map = CodeMap::new(&self.module);
        FaultReport::new(end, &map, "interrupted", launch.unset_sgprs(fault))
    }

    /// Runs a launch to completion.
    ///
    /// # Errors
    /// Fails if the launch cannot start.
    pub fn execute(&self, number: usize, observers: &Observers) -> Result<Arc<Completion>> {
        self.ready.execute(number, observers)
    }
}
