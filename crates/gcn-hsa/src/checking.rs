//! Checks of a program's kernels, and where their findings are written.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gcn_observe::finding::Check;
use gcn_runtime::observe::Observers;
use gcn_runtime::report::FindingReport;
use gcn_runtime::settings::{FindingFormat, Settings};
use gcn_runtime::{Device, Kernel};

use crate::loader::Loader;
use crate::say::{say_once, standard_error};

/// Checks of all kernels, and the place of their findings.
#[derive(Debug)]
pub(crate) struct Checking {
    checks: gcn_runtime::Checking,
    device: Device,
    out: Mutex<Out>,
}

/// The place that findings are written to.
enum Out {
    /// Each is written when it is new.
    Lines(Box<dyn Write + Send>),
    /// All are written anew, from a position on, when one is new, so that nothing is missing however the process ends.
    File { file: File, start: u64 },
    /// All are written when the process exits.
    End(Box<dyn Write + Send>),
}

impl std::fmt::Debug for Out {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Out::Lines(_) => "Lines",
            Out::File { .. } => "File",
            Out::End(_) => "End",
        })
    }
}

impl Out {
    /// Opens the place. Text is written behind what a file has; JSON and SARIF are one document, in place of what it has.
    fn open(file: Option<&Path>, is_text: bool) -> io::Result<Out> {
        let in_order = |out: Box<dyn Write + Send>| match is_text {
            true => Out::Lines(out),
            false => Out::End(out),
        };
        let Some(path) = file else {
            return Ok(in_order(Box::new(standard_error())));
        };
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Ok(in_order(Box::new(file)));
        }
        let start = if is_text { about.len() } else { 0 };
        Ok(Out::File { file, start })
    }

    /// Writes findings that are new.
    fn add(&mut self, new: &[FindingReport], checks: &gcn_runtime::Checking) -> io::Result<()> {
        match self {
            Out::Lines(out) => {
                checks.write(new, out)?;
                out.flush()
            }
            Out::File { file, start } => {
                let mut document = Vec::new();
                checks.write(&checks.reports(), &mut document)?;
                file.seek(SeekFrom::Start(*start))?;
                file.write_all(&document)?;
                file.set_len(*start + document.len() as u64)
            }
            Out::End(_) => Ok(()),
        }
    }

    /// Writes what has to be written when the process exits.
    fn end(&mut self, checks: &gcn_runtime::Checking) -> io::Result<()> {
        match self {
            Out::Lines(out) => out.flush(),
            Out::File { .. } => self.add(&[], checks),
            Out::End(out) => {
                checks.write(&checks.reports(), out)?;
                out.flush()
            }
        }
    }
}

impl Checking {
    /// The checks that the settings ask for, of devices that have the memory of `device`.
    ///
    /// # Errors
    /// The file of findings cannot be written, or one of suppressions not be read.
    pub(crate) fn new(settings: &Settings, device: &Device) -> Result<Option<Checking>, String> {
        let Some(settings) = settings.check.clone() else {
            return Ok(None);
        };
        let file = settings.file_of(std::process::id());
        let is_text = settings.format == FindingFormat::Text && !settings.gen_suppressions;
        let out = Out::open(file.as_deref(), is_text);
        let named = |error: io::Error| {
            let file = file.clone().unwrap_or_default();
            format!("cannot write {}: {error}", file.display())
        };
        let checks = gcn_runtime::Checking::new(settings).map_err(|error| error.to_string())?;
        device.observe(checks.observers());
        let checking = Checking {
            checks,
            device: device.clone(),
            out: Mutex::new(out.map_err(named)?),
        };
        // A document without findings is one too.
        checking.add(&[]);
        Ok(Some(checking))
    }

    /// Counts a launch; yields its observers.
    pub(crate) fn watch(&self, kernel: &Kernel) -> Observers {
        self.checks.launch(kernel.name())
    }

    /// The checks.
    pub(crate) fn checks(&self) -> &gcn_runtime::Checking {
        &self.checks
    }

    /// True if a program's memory of devices counts as undefined until it is written. A kernel that is not watched would write
    /// it unseen.
    pub(crate) fn undefines(&self) -> bool {
        let settings = self.checks.settings();
        settings.checks.contains(&Check::Uninit) && settings.watches_all()
    }

    /// Reports what was found in a kernel's module and is new.
    pub(crate) fn report(&self, kernel: &Kernel) {
        if self.checks.has_new() {
            self.add_new(self.checks.collect(kernel.module()));
        }
    }

    /// Says that the program reads bytes of devices' memory, and reports what was found by it and is new.
    pub(crate) fn reads(&self, loader: &Loader, (address, bytes): (u64, u64)) {
        self.device.memory().reads(address, bytes);
        if !self.checks.has_new() {
            return;
        }
        for (_, object) in loader.objects.all() {
            self.add_new(self.checks.collect(object.module()));
        }
    }

    /// Says that the program has written bytes.
    pub(crate) fn wrote(&self, (address, bytes): (u64, u64)) {
        self.device.memory().wrote(address, bytes);
    }

    /// Writes the rest when the process exits; true if there are findings.
    pub(crate) fn end(&self) -> bool {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        tell(out.end(&self.checks));
        drop(out);
        !self.checks.reports().is_empty()
    }

    fn add_new(&self, new: Vec<FindingReport>) {
        if !new.is_empty() {
            self.add(&new);
        }
    }

    fn add(&self, new: &[FindingReport]) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        tell(out.add(new, &self.checks));
    }
}

/// Says that findings are lost.
fn tell(written: io::Result<()>) {
    if let Err(error) = written {
        say_once(&format!("findings cannot be written: {error}"));
    }
}
