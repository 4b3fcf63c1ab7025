//! Output files: atomic replacement, and destinations for the findings and the profile of a program.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use gcn_runtime::system_error;

/// Default mode of new files, before the umask applies.
const READ_AND_WRITE: u32 = 0o666;
/// Maximum number of symbolic links to follow, as in Linux.
const MAX_LINKS: usize = 40;

/// Writes a temporary file next to the destination and renames it into place, so that the old contents remain until the
/// new contents are complete. Follows symbolic links and preserves the permissions of an existing file. Writes directly
/// to pipes, devices and other special files, and to existing files in directories that are not writable.
///
/// # Errors
/// Fails if the file cannot be written, or `document` returns an error.
///
/// # Examples
/// ```
/// use std::io::Error;
/// let path = std::env::temp_dir().join(format!("gcn-replaced-{}", std::process::id()));
/// gcn_report::replace_file(&path, |out| out.write_all(b"old"))?;
/// let failed = gcn_report::replace_file(&path, |out| {
///     out.write_all(b"ne")?;
///     Err(Error::other("the disk is full"))
/// });
/// assert!(failed.is_err());
/// assert_eq!(std::fs::read_to_string(&path)?, "old");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Error>(())
/// ```
pub fn replace_file(
    path: &Path,
    document: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let write = |file: &mut File| {
        let mut out = BufWriter::new(file);
        document(&mut out)?;
        out.flush()
    };
    let old = fs::metadata(path).ok();
    let target = followed(path);
    // A path to an open file, such as `/dev/stdout`, must not be replaced by another file.
    let is_open_file = target.starts_with("/proc");
    if is_open_file || old.as_ref().is_some_and(|old| !old.is_file()) {
        return write(&mut File::create(path)?);
    }
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    let builder = builder.permissions(Permissions::from_mode(READ_AND_WRITE));
    let mut file = match builder.prefix(".gcn-").tempfile_in(directory) {
        Ok(file) => file,
        Err(_) if old.is_some() => return write(&mut File::create(path)?),
        Err(error) => return Err(system_error(&error)),
    };
    write(file.as_file_mut())?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    match file.persist(target) {
        Ok(_) => Ok(()),
        // The file itself is a mount point, as in containers.
        Err(it) if it.error.kind() == io::ErrorKind::ResourceBusy => {
            fs::copy(it.file.path(), path).map(drop)
        }
        Err(it) => Err(it.error),
    }
}

/// Resolves symbolic links, except in `/proc`. The target need not exist.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if path.starts_with("/proc") {
            break;
        }
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Destination for documents. In a file, each document replaces the previous one; in a stream, it is appended.
pub struct Output {
    place: Destination,
}

enum Destination {
    Stream(Box<dyn Write + Send>),
    /// Each document is written at `start`, after the original contents of the file.
    End {
        file: File,
        start: u64,
    },
    /// Each document replaces the whole file.
    Whole(PathBuf),
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.place {
            Destination::Stream(_) => "Stream",
            Destination::End { .. } | Destination::Whole(_) => "File",
        })
    }
}

impl Output {
    /// Opens a destination: `file`, or else `standard`. Devices, pipes and `standard` are streams. If `is_appended`,
    /// documents follow the original contents of a file; otherwise, they replace the file ([`replace_file`]).
    ///
    /// # Errors
    /// Fails if the file cannot be opened or created for writing.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::Output;
    /// let path = std::env::temp_dir().join(format!("gcn-output-{}", std::process::id()));
    /// std::fs::write(&path, "old ")?;
    /// let mut output = Output::open(Some(&path), std::io::sink(), true)?;
    /// assert!(output.is_file());
    /// for document in ["first", "new"] {
    ///     output.write(|out| out.write_all(document.as_bytes()))?;
    /// }
    /// assert_eq!(std::fs::read_to_string(&path)?, "old new");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn open(
        file: Option<&Path>,
        standard: impl Write + Send + 'static,
        is_appended: bool,
    ) -> io::Result<Output> {
        let stream = |out: Box<dyn Write + Send>| Output {
            place: Destination::Stream(out),
        };
        let Some(path) = file else {
            return Ok(stream(Box::new(standard)));
        };
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let about = file.metadata()?;
        if !about.is_file() {
            return Ok(stream(Box::new(file)));
        }
        let place = if is_appended {
            let start = about.len();
            Destination::End { file, start }
        } else {
            // The program may later change its working directory.
            Destination::Whole(std::path::absolute(path)?)
        };
        Ok(Output { place })
    }

    /// True if each document replaces the previous one.
    pub fn is_file(&self) -> bool {
        !matches!(self.place, Destination::Stream(_))
    }

    /// Writes a document.
    ///
    /// # Errors
    /// Fails if the destination cannot be written, or `document` returns an error.
    ///
    /// # Examples
    /// ```
    /// use std::sync::mpsc;
    /// use gcn_report::Output;
    /// struct Sent(mpsc::Sender<Vec<u8>>);
    /// impl std::io::Write for Sent {
    ///     fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
    ///         drop(self.0.send(bytes.to_vec()));
    ///         Ok(bytes.len())
    ///     }
    ///     fn flush(&mut self) -> std::io::Result<()> {
    ///         Ok(())
    ///     }
    /// }
    /// let (sender, receiver) = mpsc::channel();
    /// let mut output = Output::open(None, Sent(sender), false)?;
    /// assert!(!output.is_file(), "a stream holds one document after another");
    /// output.write(|out| out.write_all(b"first,"))?;
    /// output.write(|out| out.write_all(b"second"))?;
    /// assert_eq!(receiver.try_iter().collect::<Vec<_>>().concat(), b"first,second");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write(
        &mut self,
        document: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match &mut self.place {
            Destination::Stream(out) => {
                document(out)?;
                out.flush()
            }
            Destination::Whole(path) => replace_file(path, document),
            Destination::End { file, start } => {
                let mut bytes = Vec::new();
                document(&mut bytes)?;
                file.seek(SeekFrom::Start(*start))?;
                file.write_all(&bytes)?;
                file.set_len(*start + bytes.len() as u64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(path: &Path, text: &str) -> io::Result<()> {
        replace_file(path, |out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions_and_links_to_it() {
        let place = tempfile::tempdir().expect("a directory");
        let (file, link) = (place.path().join("file"), place.path().join("link"));
        // A dangling link creates its target.
        symlink("file", &link).expect("a link");
        write(&link, "first").expect("written");
        assert_eq!(fs::read_to_string(&file).expect("a file"), "first");
        fs::set_permissions(&file, Permissions::from_mode(0o640)).expect("it is ours");
        write(&link, "second").expect("written");
        assert_eq!(fs::read_to_string(&file).expect("a file"), "second");
        assert_eq!(
            fs::metadata(&file).expect("a file").permissions().mode() & 0o777,
            0o640
        );
        assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
        let failed = replace_file(&file, |out| {
            out.write_all(b"third")?;
            Err(io::Error::other("no"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&file).expect("a file"), "second");
        assert_eq!(fs::read_dir(place.path()).expect("a directory").count(), 2);
    }

    #[test]
    fn what_is_no_regular_file_is_written_itself() {
        let place = tempfile::tempdir().expect("a directory");
        let link = place.path().join("null");
        symlink("/dev/null", &link).expect("a link");
        write(&link, "lost").expect("written");
        assert!(!fs::metadata("/dev/null").expect("a device").is_file());
        let file = place.path().join("file");
        fs::write(&file, "").expect("a file");
        let open = File::options().append(true).open(&file).expect("a file");
        let name = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
        symlink(name, place.path().join("fd")).expect("a link");
        write(&place.path().join("fd"), "text").expect("written");
        assert_eq!(open.metadata().expect("a file").len(), 4);
        assert!(write(place.path(), "text").is_err(), "a directory");
        assert!(write(&place.path().join("no/file"), "text").is_err());
    }
}
