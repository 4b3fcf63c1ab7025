//! External data for buffers and arguments: files, and inputs of unknown length such as pipes.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Maximum size in bytes of configuration text files, such as suppressions or launch files.
pub const MAX_SETTINGS_BYTES: u64 = 16 << 20;
/// Maximum number of bytes read from a character device such as `/dev/zero` or a terminal, which may be endless.
const MAX_DEVICE_BYTES: u64 = 1 << 20;

/// Contents for a buffer. A file is read in pieces directly into its buffer, so it may be as large as device memory.
/// Other inputs are read into host memory when they are opened.
///
/// # Examples
/// ```
/// use gcn_runtime::data::Data;
/// let data = Data::from(vec![1, 2, 3]);
/// assert_eq!((data.len(), data.is_empty(), data.name()), (3, false, ""));
/// let mut sum = 0;
/// data.pieces(|piece| sum += piece.iter().sum::<u8>())?;
/// assert_eq!(sum, 6);
/// # Ok::<(), gcn_runtime::data::DataError>(())
/// ```
#[derive(Debug)]
pub struct Data(DataSource);

#[derive(Debug)]
enum DataSource {
    /// File that has not been read yet.
    File {
        file: File,
        /// Length when the file was opened.
        len: u64,
        name: String,
    },
    /// Bytes that have already been read.
    Read { bytes: Vec<u8>, name: String },
}

/// Error when reading external data.
///
/// # Examples
/// ```
/// use gcn_runtime::data::{Data, DataError};
/// let error = Data::open("/no/such/file".as_ref(), 64).unwrap_err();
/// assert!(matches!(&error, DataError::Read { name, .. } if name == "/no/such/file"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The operating system reported an error.
    #[error("cannot read {name}: {error}")]
    Read {
        /// Name of the input.
        name: String,
        /// Operating system error.
        error: io::Error,
    },
    /// The input is too long.
    #[error("{name}{} is larger than the limit of {} MiB", size(*.len), .most >> 20)]
    TooLong {
        /// Name of the input.
        name: String,
        /// Length in bytes, if known.
        len: Option<u64>,
        /// Maximum length in bytes.
        most: u64,
    },
    /// A file ends early, because it was truncated after it was opened.
    #[error("cannot read all of {name}: {error}")]
    Truncated {
        /// File name.
        name: String,
        /// Error at the end of the file.
        error: io::Error,
    },
}

/// Formats a length as ` (n MiB)`.
fn size(len: Option<u64>) -> String {
    len.map_or_else(String::new, |len| format!(" ({} MiB)", len >> 20))
}

#[cfg(unix)]
fn is_device(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    false
}

impl From<Vec<u8>> for Data {
    fn from(bytes: Vec<u8>) -> Data {
        Data(DataSource::Read {
            bytes,
            name: String::new(),
        })
    }
}

impl Data {
    /// Opens a regular file of any length, or reads another input of at most `most` bytes (at most 1 MiB for a device).
    ///
    /// # Errors
    /// Returns a [`DataError`] if the input cannot be read or is too long.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::data::Data;
    /// let path = std::env::temp_dir().join(format!("gcn-data-{}", std::process::id()));
    /// std::fs::write(&path, [1, 2, 3])?;
    /// let data = Data::open(&path, 64)?;
    /// assert_eq!((data.len(), data.name()), (3, &*path.display().to_string()));
    /// assert_eq!(data.into_bytes(64)?, [1, 2, 3]);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: &Path, most: u64) -> Result<Data, DataError> {
        let name = path.display().to_string();
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
        match opened {
            Ok((metadata, file)) if metadata.is_file() => Ok(Data(DataSource::File {
                file,
                len: metadata.len(),
                name,
            })),
            Ok((metadata, mut file)) => {
                let most = if is_device(&metadata) {
                    most.min(MAX_DEVICE_BYTES)
                } else {
                    most
                };
                Data::read(name, &mut file, most)
            }
            Err(error) => Err(DataError::Read { name, error }),
        }
    }

    /// Reads an input of at most `most` bytes to its end. Errors refer to it as `name`.
    ///
    /// # Errors
    /// Returns a [`DataError`] if the input cannot be read or is too long.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::data::{Data, DataError};
    /// let long = Data::read("the input".to_owned(), &mut &[0; 9][..], 8);
    /// assert!(matches!(long, Err(DataError::TooLong { most: 8, .. })));
    /// ```
    pub fn read(name: String, input: &mut dyn Read, most: u64) -> Result<Data, DataError> {
        let mut bytes = Vec::new();
        match input.take(most.saturating_add(1)).read_to_end(&mut bytes) {
            Err(error) => Err(DataError::Read { name, error }),
            Ok(len) if len as u64 > most => Err(DataError::TooLong {
                name,
                len: None,
                most,
            }),
            Ok(_) => Ok(Data(DataSource::Read { bytes, name })),
        }
    }

    /// Returns the name used in messages; empty for in-memory bytes.
    pub fn name(&self) -> &str {
        match &self.0 {
            DataSource::File { name, .. } | DataSource::Read { name, .. } => name,
        }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> u64 {
        match &self.0 {
            DataSource::File { len, .. } => *len,
            DataSource::Read { bytes, .. } => bytes.len() as u64,
        }
    }

    /// True if the length is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Passes all bytes to `take`, piece by piece.
    ///
    /// # Errors
    /// Returns a [`DataError`] if the file cannot be read.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::data::Data;
    /// let mut bytes = Vec::<u8>::new();
    /// Data::from(vec![1, 2, 3]).pieces(|piece| bytes.extend(piece))?;
    /// assert_eq!(bytes, [1, 2, 3]);
    /// # Ok::<(), gcn_runtime::data::DataError>(())
    /// ```
    pub fn pieces(self, mut take: impl FnMut(&[u8])) -> Result<(), DataError> {
        /// Maximum size of a piece in bytes.
        const PIECE: u64 = 1 << 20;
        match self.0 {
            DataSource::File {
                mut file,
                len,
                name,
            } => {
                let mut left = len;
                let mut piece = vec![0; left.min(PIECE) as usize];
                while left > 0 {
                    piece.truncate(left.min(PIECE) as usize);
                    if let Err(error) = file.read_exact(&mut piece) {
                        return Err(match error.kind() {
                            io::ErrorKind::UnexpectedEof => DataError::Truncated { name, error },
                            _ => DataError::Read { name, error },
                        });
                    }
                    take(&piece);
                    left -= piece.len() as u64;
                }
            }
            DataSource::Read { bytes, .. } => take(&bytes),
        }
        Ok(())
    }

    /// Returns all bytes. The limit `most` applies to files only, because other inputs have already been read.
    ///
    /// # Errors
    /// Returns a [`DataError`] if a file cannot be read or is too long.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::data::{Data, DataError};
    /// assert_eq!(Data::from(vec![1, 2]).into_bytes(64)?, [1, 2]);
    /// let long = std::env::temp_dir().join(format!("gcn-long-{}", std::process::id()));
    /// std::fs::File::create(&long)?.set_len(10 << 30)?;
    /// let error = Data::open(&long, 64 << 20)?.into_bytes(64 << 20).unwrap_err();
    /// assert!(error.to_string().ends_with(" (10240 MiB) is larger than the limit of 64 MiB"));
    /// # std::fs::remove_file(&long)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_bytes(self, most: u64) -> Result<Vec<u8>, DataError> {
        match self.0 {
            DataSource::File { len, name, .. } if len > most => Err(DataError::TooLong {
                name,
                len: Some(len),
                most,
            }),
            DataSource::File { mut file, name, .. } => {
                Data::read(name, &mut file, most)?.into_bytes(most)
            }
            DataSource::Read { bytes, .. } => Ok(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_not_one_that_ends_early() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("data");
        let read = |file| {
            let name = "data".to_owned();
            Data(DataSource::File { file, len: 4, name }).pieces(|_| {})
        };
        let only_written = File::create(&path).expect("a file");
        let error = read(only_written).expect_err("it is open for writing only");
        assert!(matches!(error, DataError::Read { .. }), "{error}");
        let empty = File::open(&path).expect("the file");
        let error = read(empty).expect_err("it has no bytes");
        assert!(matches!(error, DataError::Truncated { .. }), "{error}");
    }
}
