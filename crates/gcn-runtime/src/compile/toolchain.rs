//! Finds the installed compiler, linker and device libraries.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::error::CompileError;

/// Environment variables that name the compiler, highest precedence first.
const COMPILER_VARIABLES: [&str; 2] = ["GCN_CLANG", "CLANG"];
/// Environment variable for the directory of the device libraries, as for HIP's own tools.
const LIBRARIES_VARIABLE: &str = "HIP_DEVICE_LIB_PATH";
/// Environment variable for the ROCm directory.
pub(super) const ROCM_VARIABLE: &str = "ROCM_PATH";
/// Default ROCm directory.
const ROCM: &str = "/opt/rocm";
/// Parent directory of Debian's LLVM versions.
const LLVM: &str = "/usr/lib";
/// File that every set of device libraries contains.
const LIBRARY: &str = "ockl.bc";

/// Clang with its linker and libraries.
///
/// # Examples
/// ```
/// use gcn_runtime::compile::Toolchain;
/// if let Ok(toolchain) = Toolchain::find() {
///     assert!(toolchain.clang.is_file());
///     assert!(toolchain.libraries.join("ockl.bc").is_file());
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// Path of the compiler.
    pub clang: PathBuf,
    /// Version, if the compiler's path contains it.
    pub version: Option<u32>,
    /// Directory of the device libraries.
    pub libraries: PathBuf,
}

impl Toolchain {
    /// Finds the device libraries and the Clang that the environment variable `GCN_CLANG` or `CLANG` names, or else the
    /// newest one in `PATH` and Debian's directories.
    ///
    /// # Errors
    /// Fails if a component is not installed.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::compile::Toolchain;
    /// match Toolchain::find() {
    ///     Ok(toolchain) => assert!(toolchain.version.is_none_or(|version| version >= 3)),
    ///     Err(error) => assert_eq!(error.name(), gcn_runtime::error_names::MISSING_COMPILER),
    /// }
    /// ```
    pub fn find() -> Result<Toolchain, CompileError> {
        let installed = || newest(&search_path(), Path::new(LLVM));
        let clang = named()?
            .or_else(installed)
            .ok_or(CompileError::NoCompiler)?;
        Toolchain::with(clang)
    }

    /// Finds the device libraries for a Clang, given by its path or by a name to look up in `PATH`.
    ///
    /// # Errors
    /// Fails if the program does not exist or another component is not installed.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::compile::{CompileError, Toolchain};
    /// let error = Toolchain::of("/no/clang-19".as_ref()).unwrap_err();
    /// assert!(matches!(error, CompileError::NotAProgram { .. }));
    /// ```
    pub fn of(clang: &Path) -> Result<Toolchain, CompileError> {
        let path = || clang.to_owned();
        let found = program(clang).ok_or_else(|| CompileError::NotAProgram { path: path() })?;
        Toolchain::with(found)
    }

    fn with(clang: PathBuf) -> Result<Toolchain, CompileError> {
        let version = version(&clang);
        let toolchain = Toolchain {
            libraries: libraries(&clang).ok_or(CompileError::NoLibraries)?,
            version,
            clang,
        };
        if toolchain.linker().is_some() {
            return Ok(toolchain);
        }
        let package = version.map_or("lld".to_owned(), |version| format!("lld-{version}"));
        Err(CompileError::NoLinker {
            compiler: toolchain.clang,
            package,
        })
    }

    /// Returns the linker that Clang finds: beside itself, or in `PATH`.
    fn linker(&self) -> Option<PathBuf> {
        const LINKER: &str = "ld.lld";
        let real = fs::canonicalize(&self.clang).ok();
        let beside = [real.as_deref(), Some(&self.clang)];
        let beside = beside.into_iter().flatten().filter_map(Path::parent);
        let directories = beside.map(Path::to_owned).chain(search_path());
        let mut files = directories.map(|directory| directory.join(LINKER));
        files.find(|file| file.is_file())
    }

    /// Returns a string that changes with compiler, linker and libraries: their paths, sizes and modification times.
    pub(super) fn identity(&self) -> String {
        let of = |path: &Path| {
            let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let metadata = fs::metadata(&real).ok();
            let time = metadata
                .as_ref()
                .and_then(|metadata| metadata.modified().ok());
            let time = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let size = metadata.map(|metadata| metadata.len());
            format!("{} {size:?} {time:?}", real.display())
        };
        let programs = [Some(self.clang.clone()), self.linker()];
        let files = programs.into_iter().flatten();
        let files = files.chain(entries(&self.libraries));
        files.map(|file| of(&file)).collect::<Vec<_>>().join("\n")
    }
}

/// Returns the paths of a directory's entries in order of their names; none if it cannot be read.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the directories in `PATH`.
fn search_path() -> Vec<PathBuf> {
    env::var_os("PATH").map_or_else(Vec::new, |path| env::split_paths(&path).collect())
}

/// Finds a program. A bare name is looked up in `PATH`, as in a shell.
fn program(path: &Path) -> Option<PathBuf> {
    let mut places = vec![path.to_owned()];
    if path.components().count() == 1 {
        let directories = search_path().into_iter();
        places = directories.map(|place| place.join(path)).collect();
    }
    places.into_iter().find(|place| place.is_file())
}

/// Returns the compiler named by an environment variable, if any.
fn named() -> Result<Option<PathBuf>, CompileError> {
    for variable in COMPILER_VARIABLES {
        let Some(value) = env::var_os(variable).filter(|value| !value.is_empty()) else {
            continue;
        };
        let path = PathBuf::from(value);
        return match program(&path) {
            Some(found) => Ok(Some(found)),
            None => Err(CompileError::NoSuchCompiler { variable, path }),
        };
    }
    Ok(None)
}

/// Returns the compiler with the highest version in `directories` or in Debian's directories below `llvm`, or else one
/// without a version in its path.
fn newest(directories: &[PathBuf], llvm: &Path) -> Option<PathBuf> {
    let mut found: Vec<(Option<u32>, PathBuf)> = Vec::new();
    for directory in directories {
        let Ok(entries) = fs::read_dir(directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_clang = name == "clang" || numbered(&name, "clang-").is_some();
            let path = entry.path();
            if is_clang && path.is_file() {
                found.push((version(&path), path));
            }
        }
    }
    for entry in fs::read_dir(llvm).into_iter().flatten().flatten() {
        let path = entry.path().join("bin/clang");
        let version = numbered(&entry.file_name(), "llvm-");
        if version.is_some() && path.is_file() {
            found.push((version, path));
        }
    }
    // Among equal versions, the first in search order is used, as in a shell.
    found.reverse();
    found
        .into_iter()
        .max_by_key(|(version, _)| *version)
        .map(|(_, path)| path)
}

/// Parses a name that consists of a prefix and a number.
fn numbered(name: &OsStr, prefix: &str) -> Option<u32> {
    name.to_str()?.strip_prefix(prefix)?.parse().ok()
}

/// Returns the version of a compiler, from a name such as `clang-19` or a directory such as `llvm-19`.
fn version(clang: &Path) -> Option<u32> {
    let real = fs::canonicalize(clang).ok();
    let paths = [Some(clang), real.as_deref()];
    let mut names = paths.into_iter().flatten().flat_map(Path::iter);
    names.find_map(|name| {
        numbered(name, "clang-")
            .or_else(|| numbered(name, "clang++-"))
            .or_else(|| numbered(name, "llvm-"))
    })
}

/// Finds the directory of the device libraries: named by the environment, Debian's, ROCm's, or that of the compiler.
fn libraries(clang: &Path) -> Option<PathBuf> {
    const BITCODE: &str = "amdgcn/bitcode";
    let mut places: Vec<PathBuf> = Vec::new();
    places.extend(env::var_os(LIBRARIES_VARIABLE).map(PathBuf::from));
    places.extend(env::var_os(ROCM_VARIABLE).map(|rocm| PathBuf::from(rocm).join(BITCODE)));
    // Debian's libraries are in the directory of the host architecture.
    let architectures = entries(Path::new(LLVM)).into_iter();
    places.extend(architectures.map(|directory| directory.join(BITCODE)));
    places.push(Path::new(ROCM).join(BITCODE));
    // Libraries installed with the compiler.
    if let Some(root) = fs::canonicalize(clang)
        .ok()
        .as_deref()
        .and_then(Path::parent)
    {
        let versions = entries(&root.join("../lib/clang")).into_iter();
        places.extend(versions.map(|directory| directory.join("lib").join(BITCODE)));
    }
    places
        .into_iter()
        .find(|place| place.join(LIBRARY).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_compiler_is_found_or_none() {
        let root = tempfile::tempdir().expect("a directory");
        let (path, llvm) = (root.path().join("bin"), root.path().join("lib"));
        let newest = || newest(&[root.path().join("none"), path.clone()], &llvm);
        assert_eq!(newest(), None, "neither directory exists");
        let add = |directory: &Path, name: &str| {
            fs::create_dir_all(directory).expect("a directory");
            fs::write(directory.join(name), "").expect("a file");
        };
        for (directory, name) in [
            (path.clone(), "clang-format-19"),
            (path.clone(), "clang++"),
            (llvm.join("llvm-19/bin"), "opt"),
            (llvm.join("gcc/bin"), "clang"),
        ] {
            add(&directory, name);
            assert_eq!(newest(), None, "{name} is not a Clang");
        }
        for (directory, name) in [
            (path.clone(), "clang"),
            (path.clone(), "clang-9"),
            (path.clone(), "clang-14"),
            (llvm.join("llvm-19/bin"), "clang"),
            (path.clone(), "clang-20"),
        ] {
            add(&directory, name);
            assert_eq!(newest(), Some(directory.join(name)));
        }
    }

    #[test]
    fn entries_are_sorted() {
        let root = tempfile::tempdir().expect("a directory");
        let paths = ["a", "b", "c", "d"].map(|name| root.path().join(name));
        for path in [2, 0, 3, 1].map(|index: usize| &paths[index]) {
            fs::write(path, "").expect("a file");
        }
        assert_eq!(entries(root.path()), paths);
        assert!(entries(&root.path().join("none")).is_empty());
    }

    #[test]
    fn versions_are_those_of_names() {
        for (path, expected) in [
            ("/nowhere/clang-19", Some(19)),
            ("/nowhere/llvm-15/bin/clang", Some(15)),
            ("/nowhere/clang", None),
            ("/nowhere/clang-cl", None),
        ] {
            assert_eq!(version(Path::new(path)), expected, "{path}");
        }
    }
}
