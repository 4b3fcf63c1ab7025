//! The place of the libraries that programs are given.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::problem::{MISSING_LIBRARY, Problem};

/// File name of the library, by which the loader looks for it.
pub const NAME: &str = "libhsa-runtime64.so.1";
/// A link to it under a name that no other library has, for a loader's variable that takes no path with a space.
pub const ALIAS: &str = "libgcn-hsa-runtime64.so.1";
/// File name of the OpenCL platform's library.
const OPENCL: &str = "libgcn_opencl.so";
/// The variable that names the directory of the library.
const DIRECTORY_VARIABLE: &str = "GCN_LIB_DIR";
/// The directory of an installation, below the prefix in whose `bin` the command is.
const INSTALLED: &str = "lib/gcn";
/// The directory that `cargo xtask hsa` makes, beside the command that cargo has built.
const BUILT: &str = "gcn-hsa";

/// The libraries of emulated devices: that of HIP programs, that of OpenCL's, or both.
pub struct Library {
    /// Directory, absolute.
    pub directory: PathBuf,
}

impl Library {
    /// Finds the libraries: in the directory of `GCN_LIB_DIR`, or where an installation or a build has one.
    ///
    /// # Errors
    /// None is there; the error names the places, and a remedy.
    pub fn find() -> Result<Library> {
        if let Some(named) = env::var_os(DIRECTORY_VARIABLE).filter(|value| !value.is_empty()) {
            let directory = PathBuf::from(named);
            return Library::inside(&directory).ok_or_else(|| {
                let message = format!(
                    "{DIRECTORY_VARIABLE} names {}, where neither {NAME} is nor {OPENCL}",
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

    /// The libraries in a directory, if there is one.
    fn inside(directory: &Path) -> Option<Library> {
        let directory = fs::canonicalize(directory).ok()?;
        let found = Library { directory };
        (found.hsa().is_some() || found.opencl().is_some()).then_some(found)
    }

    /// The file of the library of HIP programs, if it is there.
    pub fn hsa(&self) -> Option<PathBuf> {
        Some(self.file()).filter(|file| file.is_file())
    }

    /// The file of the OpenCL platform, if it is there.
    pub fn opencl(&self) -> Option<PathBuf> {
        Some(self.directory.join(OPENCL)).filter(|file| file.is_file())
    }

    /// The place of the library of HIP programs.
    pub fn file(&self) -> PathBuf {
        self.directory.join(NAME)
    }
}
