//! Places that a program's findings and profile are written to.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// A place for documents of a program that runs: a file, in which one document takes the place of the one before, or a stream.
pub struct Output {
    place: Destination,
}

enum Destination {
    Stream(Box<dyn Write + Send>),
    /// Documents begin at `start`.
    File {
        file: File,
        start: u64,
    },
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.place {
            Destination::Stream(_) => "Stream",
            Destination::File { .. } => "File",
        })
    }
}

impl Output {
    /// Opens a file, or a device or pipe, which is a stream; `standard` is used without one. Documents go behind what the file
    /// has, or in place of it.
    ///
    /// # Errors
    /// The file cannot be made or written.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::Output;
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
        let start = if is_appended { about.len() } else { 0 };
        Ok(Output {
            place: Destination::File { file, start },
        })
    }

    /// True if a document takes the place of the one before.
    pub fn is_file(&self) -> bool {
        matches!(self.place, Destination::File { .. })
    }

    /// Writes a document.
    ///
    /// # Errors
    /// The place cannot be written, or `document` fails.
    ///
    /// # Examples
    /// ```
    /// use std::sync::mpsc;
    /// use gcn_runtime::Output;
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
    /// assert!(!output.is_file(), "a stream has one document behind the other");
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
            Destination::File { file, start } => {
                let mut bytes = Vec::new();
                document(&mut bytes)?;
                file.seek(SeekFrom::Start(*start))?;
                file.write_all(&bytes)?;
                file.set_len(*start + bytes.len() as u64)
            }
        }
    }
}
