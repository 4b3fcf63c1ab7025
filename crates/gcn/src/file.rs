//! Text of sources and bytes of code objects. Small files and pipes are read; large files are mapped, which is faster.
//! The assembler reads a source from start to end and releases the pages that it has passed; otherwise the source would
//! dominate its memory use.
//!
//! If another process changes a mapped file, an error is reported ([`SourceText::check`], [`FileBytes::check`]); if
//! it truncates the file, the tool does not crash ([`guard`]).

pub mod guard;

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use gcn_runtime::data::{Data, DataError};
use gcn_runtime::error_names::UNREADABLE_INPUT;
use memmap2::Mmap;

use self::guard::Guard;
use crate::problem::Problem;

/// File name that refers to standard input.
pub const STDIN: &str = "-";
/// Maximum size in bytes of a source, or of an input that is read into memory instead of mapped.
pub const MAX_INPUT_BYTES: u64 = 1 << 30;

/// Minimum size in bytes of a mapped file. Smaller ones are read just as fast.
const MAPPED_FROM: u64 = 1 << 20;
/// Number of bytes of a mapped text that are checked at a time. Memory is released from multiples of this number on.
const STRIDE: usize = 1 << 18;

/// Text of a source.
pub enum SourceText {
    Read(String),
    Mapped(MappedText),
}

/// Mapped file that is valid UTF-8.
pub struct MappedText {
    file: MappedFile,
    /// Offset at which the next release starts.
    released: Cell<usize>,
}

/// Bytes of a file, read or mapped. Clones share them.
#[derive(Clone)]
pub struct FileBytes(Arc<FileStorage>);

enum FileStorage {
    Read(Vec<u8>),
    Mapped(MappedFile),
}

struct MappedFile {
    /// Declared first, so that it is dropped before the map.
    _guard: Guard,
    map: Mmap,
    file: File,
    /// Metadata of the file at the time of mapping.
    metadata: Metadata,
}

/// Name of an input in messages.
pub fn name(path: &Path) -> String {
    if path == Path::new(STDIN) {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Opens a file, or standard input if the name is [`STDIN`]. Reads an input of unknown length to its end.
///
/// # Errors
/// Fails if the input cannot be read, or is of unknown length and exceeds `most` bytes; the error names the input.
pub fn open(path: &Path, most: u64) -> Result<Data, DataError> {
    if path == Path::new(STDIN) {
        Data::read(name(path), &mut io::stdin().lock(), most)
    } else {
        Data::open(path, most)
    }
}

/// Reads a file or standard input.
///
/// # Errors
/// Fails if the input cannot be read or exceeds `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    Ok(open(path, most)?.into_bytes(most)?)
}

/// Reads a file or standard input as text.
///
/// # Errors
/// Fails as [`read`] does, or if the text is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|error| not_text(path, error.as_bytes(), error.utf8_error().valid_up_to()))
}

/// Error for a file that is valid UTF-8 only up to byte `good`.
fn not_text(path: &Path, bytes: &[u8], good: usize) -> anyhow::Error {
    let newlines = bytes.iter().take(good).filter(|&&byte| byte == b'\n');
    let line = newlines.count() + 1;
    let message = format!(
        "{}:{line}: the file is not text: byte {good} is not UTF-8",
        name(path)
    );
    Problem::new(UNREADABLE_INPUT, message).into()
}

impl SourceText {
    /// Opens a file or standard input as text.
    ///
    /// # Errors
    /// Fails as [`read_text`] does.
    pub fn open(path: &Path) -> Result<SourceText> {
        match MappedFile::open(path, MAX_INPUT_BYTES)? {
            Some(file) => MappedText::new(file)
                .map(SourceText::Mapped)
                .map_err(|(file, good)| not_text(path, &file.map, good)),
            None => read_text(path, MAX_INPUT_BYTES).map(SourceText::Read),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            SourceText::Read(text) => text,
            SourceText::Mapped(mapped) => mapped.as_str(),
        }
    }

    /// Releases the memory of the text before a position. A later access reads it from the file again.
    pub fn passed(&self, position: usize) {
        if let SourceText::Mapped(mapped) = self {
            mapped.release(position);
        }
    }

    /// Returns an error if the file has changed since it was mapped.
    pub fn check(&self) -> Result<()> {
        match self {
            SourceText::Mapped(text) => text.file.check(),
            SourceText::Read(_) => Ok(()),
        }
    }
}

impl FileBytes {
    /// Opens a file or standard input. A file that can be mapped may have any size.
    ///
    /// # Errors
    /// Fails as [`read`] does, or if the file is empty.
    pub fn open(path: &Path) -> Result<FileBytes> {
        let storage = match MappedFile::open(path, u64::MAX)? {
            Some(file) => FileStorage::Mapped(file),
            None => FileStorage::Read(read(path, MAX_INPUT_BYTES)?),
        };
        let bytes = FileBytes(Arc::new(storage));
        if bytes.is_empty() {
            let message = format!("{} is empty", name(path));
            bail!(Problem::new(UNREADABLE_INPUT, message));
        }
        Ok(bytes)
    }

    /// Shares the bytes with a reader of code objects, without copying.
    pub fn shared(&self) -> gcn_object::Bytes<'static> {
        gcn_object::Bytes::shared(self.clone())
    }

    /// Releases the memory of a mapped file. A later access reads it from the file again.
    pub fn release(&self) {
        if let FileStorage::Mapped(file) = &*self.0 {
            file.release(0, file.map.len());
        }
    }

    /// Returns an error if the file has changed since it was mapped.
    pub fn check(&self) -> Result<()> {
        match &*self.0 {
            FileStorage::Mapped(file) => file.check(),
            FileStorage::Read(_) => Ok(()),
        }
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &*self.0 {
            FileStorage::Mapped(file) => &file.map,
            FileStorage::Read(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl MappedFile {
    /// Maps a file of at most `most` bytes; `None` if it is larger, too small to be worth mapping, or not a regular
    /// file, or if too many files are mapped.
    fn open(path: &Path, most: u64) -> Result<Option<MappedFile>> {
        if path == Path::new(STDIN) {
            return Ok(None);
        }
        let cannot_read = || {
            let message = format!("cannot read {}", name(path));
            Problem::new(UNREADABLE_INPUT, message)
        };
        let file = File::open(path).with_context(cannot_read)?;
        let metadata = file.metadata().with_context(cannot_read)?;
        let size = metadata.len();
        if !metadata.is_file() || !(MAPPED_FROM..=most).contains(&size) {
            return Ok(None);
        }
        // SAFETY: The map is read-only. While it lives, this process does not write to the file. Other processes must
        // not do so either, as with every program that maps its input; `check` reports it if they do.
        let map = unsafe { Mmap::map(&file) }.with_context(cannot_read)?;
        let addresses = map.as_ptr_range();
        let addresses = addresses.start.addr()..addresses.end.addr();
        let guard = Guard::new(name(path), addresses).with_context(cannot_read)?;
        Ok(guard.map(|guard| MappedFile {
            _guard: guard,
            map,
            file,
            metadata,
        }))
    }

    /// Releases the memory of `length` bytes starting at `start`.
    fn release(&self, start: usize, length: usize) {
        #[cfg(unix)]
        {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: The map is backed by a file and nothing has written to it, so its contents do not change. A
            // failure is harmless: memory is not released.
            let _ = unsafe { self.map.unchecked_advise_range(advice, start, length) };
        }
    }

    fn check(&self) -> Result<()> {
        let now = self.file.metadata()?;
        let modified = |metadata: &Metadata| metadata.modified().ok();
        if now.len() != self.metadata.len() || modified(&now) != modified(&self.metadata) {
            let message = "the file has changed while it was read";
            bail!(Problem::new(UNREADABLE_INPUT, message));
        }
        Ok(())
    }
}

impl MappedText {
    /// Checks that the file is UTF-8. If not, returns it with the number of valid bytes.
    fn new(file: MappedFile) -> Result<MappedText, (Box<MappedFile>, usize)> {
        let text = MappedText {
            file,
            released: Cell::new(0),
        };
        match text.text_length() {
            good if good == text.file.map.len() => {
                text.released.set(0);
                Ok(text)
            }
            good => Err((Box::new(text.file), good)),
        }
    }

    /// Number of bytes before the first invalid one.
    fn text_length(&self) -> usize {
        let mut good = 0;
        loop {
            let rest = self.file.map.get(good..).unwrap_or(&[]);
            let piece = rest.get(..STRIDE).unwrap_or(rest);
            match str::from_utf8(piece) {
                Ok(_) => good += piece.len(),
                Err(error) => {
                    good += error.valid_up_to();
                    // A character may straddle the end of the stride.
                    if error.error_len().is_some() || piece.len() < STRIDE {
                        return good;
                    }
                }
            }
            if good >= self.file.map.len() {
                return good;
            }
            self.release(good);
        }
    }

    fn as_str(&self) -> &str {
        // SAFETY: `new` has checked that all bytes are valid UTF-8.
        unsafe { str::from_utf8_unchecked(&self.file.map) }
    }

    fn release(&self, position: usize) {
        let from = self.released.get();
        if let Some(length) = position.min(self.file.map.len()).checked_sub(from) {
            self.file.release(from, length);
        }
        self.released.set(from.max(position / STRIDE * STRIDE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes `bytes` to a file with the suffix `name`, and opens it.
    fn opened(name: &str, bytes: &[u8]) -> (std::path::PathBuf, Result<SourceText>) {
        let path = std::env::temp_dir().join(format!("gcn-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a temporary file");
        let text = SourceText::open(&path);
        (path, text)
    }

    /// Text with a two-byte character across the end of each stride.
    fn long() -> String {
        let mut text = "é".repeat(MAPPED_FROM as usize / 2);
        text.insert(0, 'a');
        text
    }

    #[test]
    fn a_mapped_text_stays_the_same_after_its_memory_is_released() {
        let expected = long();
        let (path, text) = opened("mapped", expected.as_bytes());
        let text = text.expect("text");
        assert!(matches!(text, SourceText::Mapped(_)));
        assert!(text.as_str() == expected);
        for position in [1, STRIDE, 3 * STRIDE + 1, expected.len()] {
            text.passed(position);
            assert!(text.as_str() == expected, "after {position}");
        }
        text.check().expect("nothing changed");
        std::fs::remove_file(path).expect("it is there");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_place() {
        let mut bytes = long().into_bytes();
        bytes.splice(STRIDE + 1..STRIDE + 3, *b"\n\xff");
        let (path, text) = opened("wrong", &bytes);
        let error = text.err().expect("no text").to_string();
        assert!(error.contains(":2:"), "{error}");
        assert!(
            error.ends_with(&format!("byte {} is not UTF-8", STRIDE + 2)),
            "{error}"
        );
        let (_, cut) = opened("wrong", &bytes[..STRIDE]);
        assert!(cut.is_err(), "the last character is cut off");
        std::fs::remove_file(path).expect("it is there");
    }

    #[test]
    fn a_change_is_reported() {
        let text = long();
        let (path, opened) = opened("changed", text.as_bytes());
        let opened = opened.expect("text");
        let bytes = FileBytes::open(&path).expect("a file");
        bytes.release();
        assert!(*bytes == *text.as_bytes() && bytes.check().is_ok());
        std::fs::write(&path, text.clone() + "b").expect("it can be written");
        assert!(opened.check().is_err() && bytes.check().is_err());
        std::fs::remove_file(path).expect("it is there");
    }
}
