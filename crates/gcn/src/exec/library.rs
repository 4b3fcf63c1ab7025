//! Location of the emulated devices' libraries.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::problem::{MISSING_LIBRARY, Problem};

/// File name of the library for HIP programs, as the dynamic loader searches for it.
pub const NAME: &str = "libhsa-runtime64.so.1";
/// Link to the library under a unique name, for `LD_PRELOAD`, which does not accept paths with spaces.
pub const ALIAS: &str = "libgcn-hsa-runtime64.so.1";
/// File name of the OpenCL platform library.
const OPENCL: &str = "libgcn_opencl.so";
/// Environment variable that names the directory of the libraries.
const DIRECTORY_VARIABLE: &str = "GCN_LIB_DIR";
/// Directory in an installation, relative to the prefix whose `bin` contains the command.
const INSTALLED: &str = "lib/gcn";
/// Directory created by `cargo xtask hsa`, next to the executable that cargo builds.
const BUILT: &str = "gcn-hsa";

/// Libraries of emulated devices, for HIP programs, OpenCL programs or both.
pub struct Library {
    /// Canonical path of the directory.
    pub directory: PathBuf,
}

impl Library {
    /// Finds the libraries: in the directory that `GCN_LIB_DIR` names, or else in an installation or a build.
    ///
    /// # Errors
    /// Fails if no library is found; the error lists the locations and a remedy.
    pub fn find() -> Result<Library> {
        if let Some(named) = env::var_os(DIRECTORY_VARIABLE).filter(|value| !value.is_empty()) {
            let directory = PathBuf::from(named);
            return Library::inside(&directory).ok_or_else(|| {
                let message = format!(
                    "{DIRECTORY_VARIABLE} names {}, which contains neither {NAME} nor {OPENCL}",
                    directory.display()
                );
                Problem::new(MISSING_LIBRARY, message).into()
            });
        }
        let own = env::current_exe().and_then(fs::canonicalize);
        let nowhere = "cannot find the directory of gcn itself";
        let own = own.with_context(|| Problem::new(MISSING_LIBRARY, nowhere))?;
        let beside = own.parent().unwrap_or(Path::new("/"));
        let prefix = beside.parent().unwrap_or(beside);
        let places = [prefix.join(INSTALLED), beside.join(BUILT)];
        if let Some(library) = places.iter().find_map(|place| Library::inside(place)) {
            return Ok(library);
        }
        let [installed, built] = places.map(|place| place.display().to_string());
        let message = format!(
            "neither {NAME} nor {OPENCL} is in {installed} or in {built}: `cargo xtask dist PREFIX` installs gcn with them, \
             `cargo xtask hsa` builds them, and {DIRECTORY_VARIABLE} may name their directory"
        );
        bail!(Problem::new(MISSING_LIBRARY, message));
    }

    fn inside(directory: &Path) -> Option<Library> {
        let directory = fs::canonicalize(directory).ok()?;
        let found = Library { directory };
        (found.hsa().is_some() || found.opencl().is_some()).then_some(found)
    }

    /// Path of the library for HIP programs, if present.
    pub fn hsa(&self) -> Option<PathBuf> {
        Some(self.file()).filter(|file| file.is_file())
    }

    /// Path of the OpenCL platform library, if present.
    pub fn opencl(&self) -> Option<PathBuf> {
        Some(self.directory.join(OPENCL)).filter(|file| file.is_file())
    }

    /// Expected path of the library for HIP programs.
    pub fn file(&self) -> PathBuf {
        self.directory.join(NAME)
    }
}
