//! Instruction traces of a program's kernels.

use std::sync::Arc;

use gcn_emu::observe::Observers;
use gcn_observe::{Choice, Trace, TraceFilter};
use gcn_runtime::Kernel;

use super::sink::LineSink;
use crate::report::{kernel_name, symbolic};
use crate::settings::Settings;

/// Trace of selected instructions, and its destination.
#[derive(Clone, Debug)]
pub(super) struct Tracing {
    choices: Vec<Choice>,
    out: LineSink,
}

impl Tracing {
    /// Creates the trace configured by the settings, if any.
    ///
    /// # Errors
    /// Fails if the file cannot be created, or a selection is invalid.
    pub(super) fn new(settings: &Settings) -> Result<Option<Tracing>, String> {
        if !settings.is_traced() {
            return Ok(None);
        }
        let choices = settings.trace_only.iter().map(|text| Choice::parse(text));
        Ok(Some(Tracing {
            choices: choices.collect::<Result<_, _>>()?,
            out: LineSink::new(settings.trace.as_deref())?,
        }))
    }

    /// Adds the trace observer for a launch of a kernel, unless the selections exclude the kernel's module.
    pub(super) fn watch(&self, kernel: &Kernel, observers: Observers) -> Observers {
        let module = kernel.module().clone();
        let symbol = |name: &str| {
            let symbol = module.symbol(name)?;
            Some(symbol.address..symbol.address + symbol.size)
        };
        let mut filter = TraceFilter::default();
        for choice in &self.choices {
            // The selection names a symbol of another module.
            if choice.add_to(&mut filter, symbol, |_| None).is_err() {
                return observers;
            }
        }
        self.out
            .write(&format!("kernel {}", kernel_name(kernel.name())));
        let out = self.out.clone();
        let trace = Trace::new(move |line: &str| out.write(line))
            .filter(filter)
            .symbols(move |pc| symbolic(pc, module.loaded()));
        observers.with(Arc::new(trace))
    }

    /// Writes buffered lines.
    pub(super) fn flush(&self) {
        self.out.flush();
    }
}
