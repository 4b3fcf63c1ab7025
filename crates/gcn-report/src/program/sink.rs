//! Output destinations for traces.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::say::{say_once, standard_error};

/// File name that denotes standard error.
const STANDARD_ERROR: &str = "-";

/// File or standard error to which several threads write lines.
#[derive(Clone)]
pub(super) struct LineSink {
    out: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl LineSink {
    /// Creates the file at `path`. `-` and `None` denote standard error.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub(super) fn new(path: Option<&Path>) -> Result<LineSink, String> {
        let out: Box<dyn Write + Send> = match path {
            Some(path) if path != Path::new(STANDARD_ERROR) => {
                let file = File::create(path);
                let file =
                    file.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
                Box::new(BufWriter::new(file))
            }
            _ => Box::new(standard_error()),
        };
        Ok(LineSink {
            out: Arc::new(Mutex::new(out)),
        })
    }

    /// Writes a line.
    pub(super) fn write(&self, line: &str) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(out, "{line}") {
            say_once(&format!("the trace cannot be written: {error}"));
        }
    }

    /// Writes buffered lines.
    pub(super) fn flush(&self) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = out.flush() {
            say_once(&format!("the trace cannot be written: {error}"));
        }
    }
}

impl std::fmt::Debug for LineSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineSink").finish_non_exhaustive()
    }
}
