//! The trace of a program's kernels.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use gcn_observe::{Choice, Filter, Trace};
use gcn_runtime::Kernel;
use gcn_runtime::observe::Observers;
use gcn_runtime::report::{kernel_name, symbolic};
use gcn_runtime::settings::Settings;

use crate::say::{say_once, standard_error};

/// Name of the file that stands for standard error.
const STANDARD_ERROR: &str = "-";

/// A trace: the chosen instructions, and where they are written.
#[derive(Clone)]
pub(crate) struct Tracing {
    choices: Vec<Choice>,
    out: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl Tracing {
    /// The trace that the settings ask for.
    ///
    /// # Errors
    /// The file cannot be made, or a choice is none.
    pub(crate) fn new(settings: &Settings) -> Result<Option<Tracing>, String> {
        if !settings.is_traced() {
            return Ok(None);
        }
        let choices = settings.trace_only.iter().map(|text| Choice::parse(text));
        let out: Box<dyn Write + Send> = match &settings.trace {
            Some(path) if path != Path::new(STANDARD_ERROR) => {
                let file = File::create(path);
                let file =
                    file.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
                Box::new(BufWriter::new(file))
            }
            _ => Box::new(standard_error()),
        };
        Ok(Some(Tracing {
            choices: choices.collect::<Result<_, _>>()?,
            out: Arc::new(Mutex::new(out)),
        }))
    }

    /// Observers of a kernel's launch; none if its code is not among the chosen.
    pub(crate) fn observers(&self, kernel: &Kernel) -> Observers {
        let module = kernel.module().clone();
        let symbol = |name: &str| {
            let symbol = module.symbol(name)?;
            Some(symbol.address..symbol.address + symbol.size)
        };
        let mut filter = Filter::default();
        for choice in &self.choices {
            // A symbol of another module's.
            if choice.add_to(&mut filter, symbol, |_| None).is_err() {
                return Observers::none();
            }
        }
        self.write(&format!("kernel {}", kernel_name(kernel.name())));
        let lines = self.clone();
        let trace = Trace::new(move |line: &str| lines.write(line))
            .filter(filter)
            .symbols(move |pc| symbolic(pc, module.loaded()));
        Observers::none().with(Arc::new(trace))
    }

    fn write(&self, line: &str) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(out, "{line}") {
            say_once(&format!("the trace cannot be written: {error}"));
        }
    }

    /// Writes what is still to be written.
    pub(crate) fn flush(&self) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = out.flush() {
            say_once(&format!("the trace cannot be written: {error}"));
        }
    }
}

impl std::fmt::Debug for Tracing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracing")
            .field("choices", &self.choices)
            .finish_non_exhaustive()
    }
}
