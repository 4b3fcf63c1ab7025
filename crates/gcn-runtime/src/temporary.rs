//! Temporary directories, which are removed even after a crash.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use tempfile::TempDir;

/// Prefix of directory names.
const PREFIX: &str = "gcn-";
/// Length of the random suffix after the prefix.
const RANDOM: usize = 6;
/// Name of the lock file, which is locked while the directory is in use.
const LOCK: &str = ".gcn-owner";
/// Name of the lock file before it is locked.
const UNLOCKED: &str = ".gcn-no-owner";

/// Directory in the system's temporary directory, removed on drop. Directories of killed processes are removed when a
/// process of the same user creates the next one. While its owner lives, a directory contains a locked file.
///
/// # Examples
/// ```
/// use gcn_runtime::ScratchDirectory;
/// let scratch = ScratchDirectory::new()?;
/// let path = scratch.path().to_owned();
/// std::fs::write(path.join("kernel.cl"), "kernel void nothing() {}")?;
/// let _other = ScratchDirectory::new()?;
/// assert!(path.is_dir(), "the directory has an owner");
/// drop(scratch);
/// assert!(!path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ScratchDirectory {
    directory: TempDir,
    /// Lock file; `None` if the file system does not support locks.
    _lock: Option<File>,
}

impl ScratchDirectory {
    /// Creates a directory and removes abandoned ones.
    ///
    /// # Errors
    /// Fails if the system's temporary directory, which `TMPDIR` overrides, is not writable. The message names
    /// `TMPDIR`.
    pub fn new() -> io::Result<ScratchDirectory> {
        ScratchDirectory::new_in(&std::env::temp_dir())
    }

    fn new_in(parent: &Path) -> io::Result<ScratchDirectory> {
        sweep(parent);
        let directory = tempfile::Builder::new()
            .prefix(PREFIX)
            .rand_bytes(RANDOM)
            .tempdir_in(parent);
        let directory = directory.map_err(|error| {
            let message = format!(
                "cannot make a temporary directory in {}: {}; TMPDIR may name another directory",
                parent.display(),
                system_error(&error)
            );
            io::Error::new(error.kind(), message)
        })?;
        let lock = locked(directory.path()).ok();
        Ok(ScratchDirectory {
            directory,
            _lock: lock,
        })
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Returns the error of a temporary file without the random file name, which means nothing to users.
pub fn system_error(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let message = text.split(" at path ").next().unwrap_or_default();
    io::Error::new(error.kind(), message)
}

/// Creates a locked file in a directory. The file is renamed to [`LOCK`] once it is locked, so an unlocked `LOCK` has no
/// owner.
fn locked(directory: &Path) -> io::Result<File> {
    let file = File::create_new(directory.join(UNLOCKED))?;
    file.lock()?;
    fs::rename(directory.join(UNLOCKED), directory.join(LOCK))?;
    Ok(file)
}

/// True for a directory name of the form that this module creates.
fn is_name(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    random.is_some_and(|it| it.len() == RANDOM && it.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Removes abandoned directories of this user.
fn sweep(parent: &Path) {
    // `/proc/self` belongs to the effective user of the process.
    let Ok(own) = fs::metadata("/proc/self") else {
        return;
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = is_name(&entry.file_name())
            // `DirEntry::metadata` does not follow symbolic links.
            && entry
                .metadata()
                .is_ok_and(|it| it.is_dir() && it.uid() == own.uid());
        let lock = entry.path().join(LOCK);
        if !is_ours || !fs::symlink_metadata(&lock).is_ok_and(|it| it.is_file()) {
            continue;
        }
        let Ok(file) = File::open(&lock) else {
            continue;
        };
        match file.try_lock() {
            // Keep the lock during removal so that only one process removes the directory.
            Ok(()) => drop(fs::remove_dir_all(entry.path())),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_without_an_owner_are_removed() {
        let parent = tempfile::tempdir().expect("a directory");
        let make = |name: &str, file: Option<&str>| {
            let path = parent.path().join(name);
            fs::create_dir(&path).expect("a directory");
            if let Some(file) = file {
                fs::write(path.join(file), "").expect("a file");
            }
            path
        };
        let left = make("gcn-Left01", Some(LOCK));
        fs::write(left.join("kernel.bc"), "x").expect("a file");
        let others = [
            make("gcn-Fresh1", Some(UNLOCKED)),
            make("gcn-Other1", None),
            make("gcn-of-a-user", Some(LOCK)),
        ];
        let link = parent.path().join("gcn-link01");
        std::os::unix::fs::symlink(&others[2], &link).expect("a link");
        let owned = ScratchDirectory::new_in(parent.path()).expect("a directory");
        assert!(!left.exists());
        let again = ScratchDirectory::new_in(parent.path()).expect("a directory");
        assert!(owned.path().is_dir() && again.path().is_dir());
        assert!(others.iter().all(|path| path.is_dir()) && link.exists());
    }

    #[test]
    fn a_missing_directory_is_named() {
        let error = ScratchDirectory::new_in(Path::new("/no/such")).expect_err("it is missing");
        let text = error.to_string();
        let expected = "cannot make a temporary directory in /no/such: No such file or directory (os error 2); TMPDIR may";
        assert!(text.starts_with(expected), "{text}");
    }
}
