// Installs build outputs into a prefix. gcn's tests include this file.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Library directory below the prefix, which `gcn exec` searches.
const LIBRARIES: &str = "lib/gcn";
/// Name of the link to the library for HIP programs.
const ALIAS: &str = "libgcn-hsa-runtime64.so.1";
/// Unversioned name of the library for HIP programs.
const UNVERSIONED: &str = "libhsa-runtime64.so";
/// File next to the OpenCL library that registers it with ICD loaders.
const PLATFORM: &str = "gcn.icd";
/// Link that makes `gcn` run as CLRX's disassembler.
const DISASSEMBLER: &str = "bin/clrxdisasm";
/// Manual page directory.
const MANUAL: &str = "share/man/man1";
/// Shells, and the paths where they look for `gcn` completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/gcn"),
    ("zsh", "share/zsh/site-functions/_gcn"),
    ("fish", "share/fish/vendor_completions.d/gcn.fish"),
];

/// Libraries for HIP and OpenCL programs.
pub struct Libraries<'a> {
    /// Path of `libhsa-runtime64.so.1`.
    pub hsa: &'a Path,
    /// Path of `libgcn_opencl.so`.
    pub opencl: &'a Path,
}

/// Installs the command `gcn`, its libraries, manual pages and completions into `prefix`. Also creates the link
/// `clrxdisasm`, unless that file exists.
///
/// # Errors
/// Fails if a file cannot be written, or `gcn` fails to print its manual or completions.
pub fn install(prefix: &Path, gcn: &Path, libraries: &Libraries<'_>) -> Result<()> {
    replace(gcn, &prefix.join("bin/gcn"))?;
    let disassembler = prefix.join(DISASSEMBLER);
    if !disassembler.exists() {
        link("gcn".as_ref(), &disassembler)?;
    }
    let directory = prefix.join(LIBRARIES);
    let placed = |library: &Path| {
        let name = library.file_name().context("the library has a name")?;
        let place = directory.join(name);
        replace(library, &place)?;
        Ok::<_, anyhow::Error>(place)
    };
    alias(&placed(libraries.hsa)?)?;
    let platform = placed(libraries.opencl)?;
    let platform = std::path::absolute(&platform)
        .with_context(|| format!("cannot find {}", platform.display()))?;
    let icd = directory.join(PLATFORM);
    fs::write(&icd, format!("{}\n", platform.display()))
        .with_context(|| format!("cannot write {}", icd.display()))?;
    let manual = prefix.join(MANUAL);
    printed(
        gcn,
        &["man".as_ref(), "--output".as_ref(), manual.as_os_str()],
    )?;
    for (shell, place) in COMPLETIONS {
        let script = printed(gcn, &["completions".as_ref(), shell.as_ref()])?;
        let path = made(&prefix.join(place))?.to_owned();
        fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Creates the parent directory of a path, and returns the path.
fn made(path: &Path) -> Result<&Path> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot make {}", directory.display()))?;
    }
    Ok(path)
}

/// Replaces a file atomically. Running programs keep using the old one.
pub(crate) fn replace(from: &Path, to: &Path) -> Result<()> {
    let new = made(to)?.with_extension(format!("new-{}", std::process::id()));
    let copied = fs::copy(from, &new).and_then(|_| fs::rename(&new, to));
    if copied.is_err() {
        let _ = fs::remove_file(&new); // May not exist.
    }
    copied.with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Creates two links to the HIP library: one with a unique name, which `gcn exec` uses if the library's path contains a
/// space, and one without a version, which RCCL loads.
pub(crate) fn alias(library: &Path) -> Result<()> {
    let name = library.file_name().context("the library has a name")?;
    for other in [ALIAS, UNVERSIONED] {
        link(name, &library.with_file_name(other))?;
    }
    Ok(())
}

/// Creates a symbolic link, replacing any existing one.
fn link(to: &OsStr, link: &Path) -> Result<()> {
    let _ = fs::remove_file(link); // May not exist.
    symlink(to, link).with_context(|| format!("cannot make {}", link.display()))
}

/// Runs `gcn` and returns its standard output.
fn printed(gcn: &Path, arguments: &[&OsStr]) -> Result<Vec<u8>> {
    let output = Command::new(gcn).args(arguments).output();
    let output = output.with_context(|| format!("cannot run {}", gcn.display()))?;
    if !output.status.success() {
        let problem = String::from_utf8_lossy(&output.stderr);
        bail!("{} {arguments:?} failed: {problem}", gcn.display());
    }
    Ok(output.stdout)
}
