//! A run for a debugger, which begins each launch itself.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use gcn_args::bind::BufferView;
use gcn_report::Checking;
use gcn_runtime::observe::Observers;
use gcn_runtime::{Completion, Kernel, Module};

use super::arguments;
use super::dispatch::{Dispatches, ReadyLaunches};
use super::launch;
use super::options::Args;
use super::request::RunRequest;
use crate::failure::UsageOfKernel;
use crate::program::{ProgramTerms, choose, program};

/// Launches that are ready for a debugger.
pub struct DebuggedRun {
    request: RunRequest,
    module: Module,
    ready: ReadyLaunches,
}

/// Prepares a run for a debugger, on one thread.
///
/// # Errors
/// The program or the launches are invalid.
pub fn debugged(args: &Args, checking: Option<&Checking>) -> Result<DebuggedRun> {
    let mut request = launch::read(args, checking.is_some(), false)?;
    request.threads = Some(1);
    let names: Vec<_> = request
        .launches
        .iter()
        .map(|it| it.kernel.as_deref())
        .collect();
    let terms = ProgramTerms {
        kernels: &names,
        json: false,
        device: &|target| super::device(&request, target),
    };
    let module = program(&request.program, &terms)?.module;
    let chosen = names.iter().map(|name| choose(&module, *name));
    let kernels = chosen.collect::<Result<Vec<Kernel>>>()?;
    if let Some(wrong) = &request.wrong_arg {
        bail!(UsageOfKernel {
            message: wrong.clone(),
            help: kernels.first().and_then(arguments::help),
        });
    }
    let device = module.device();
    if let Some(checking) = checking {
        checking.notes(&module);
        device.observe(checking.observers());
    }
    let budget = request.memory.unwrap_or_else(arguments::spare_memory);
    let dispatches = Dispatches::new(&request, &kernels, device, budget)?;
    dispatches.check()?;
    let ready = dispatches.prepare(device, budget, &Arc::default())?;
    Ok(DebuggedRun {
        request,
        module,
        ready,
    })
}

impl DebuggedRun {
    /// The program.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// File of the program.
    pub fn file(&self) -> &Path {
        &self.request.program.file
    }

    /// Time that a part of the run may take.
    pub fn timeout(&self) -> Option<Duration> {
        self.request.timeout
    }

    /// Buffers with names.
    pub fn buffers(&self) -> &[BufferView] {
        self.ready.buffers()
    }

    /// Number of launches.
    pub fn count(&self) -> usize {
        self.ready.launches.len()
    }

    /// Name of the kernel of a launch.
    pub fn kernel(&self, number: usize) -> &str {
        self.ready
            .launches
            .get(number)
            .map_or("", |it| it.kernel().name())
    }

    /// Times that a launch runs.
    pub fn repetitions(&self, number: usize) -> u32 {
        let launch = self.request.launches.get(number);
        launch.and_then(|it| it.repeat).map_or(1, u32::from)
    }

    /// Runs a launch to its end.
    ///
    /// # Errors
    /// It cannot begin.
    pub fn execute(&self, number: usize, observers: &Observers) -> Result<Arc<Completion>> {
        self.ready.execute(number, observers)
    }
}
