//! The text of a source, and the bytes of a code object. A large file is mapped, which is quicker than to copy it. The
//! assembler reads a source once from its begin to its end, and what it has passed need not be in memory, which would be
//! most of all that assembling takes.
//!
//! A file that somebody makes shorter meanwhile ends a program that has mapped it, as it ends LLVM's and others; one
//! that is changed is noticed ([`Text::check`], [`Bytes::check`]). Small files, and what is no file, are read.

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use memmap2::Mmap;

use crate::input;

/// Files from so many bytes on are mapped; reading smaller ones is as good.
const MAPPED_FROM: u64 = 1 << 20;
/// Bytes of a mapped file that are looked at before their memory is given up.
const STRIDE: usize = 1 << 18;

/// The text of a source.
pub enum Text {
    /// It is in memory.
    Read(String),
    /// It is where the file is.
    Mapped(MappedText),
}

/// A file that is text.
pub struct MappedText {
    file: MappedFile,
    /// Up to where memory was given up.
    released: Cell<usize>,
}

/// The bytes of a file. Clones share them.
#[derive(Clone)]
pub struct Bytes(Arc<Place>);

/// Where the bytes of a file are.
enum Place {
    Read(Vec<u8>),
    Mapped(MappedFile),
}

/// A file in memory as it is.
struct MappedFile {
    map: Mmap,
    file: File,
    /// What was known of it when it was mapped.
    metadata: Metadata,
}

impl Text {
    /// The text of a file, or of standard input.
    ///
    /// # Errors
    /// As those of [`input::read_text`].
    pub fn open(path: &Path) -> Result<Text> {
        match MappedFile::open(path)? {
            Some(file) => MappedText::new(file)
                .map(Text::Mapped)
                .map_err(|(map, good)| input::not_text(path, &map, good)),
            None => input::read_text(path).map(Text::Read),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        match self {
            Text::Read(text) => text,
            Text::Mapped(mapped) => mapped.as_str(),
        }
    }

    /// The text has been read up to this byte. What is before it can still be read, at the cost of reading the file.
    pub fn passed(&self, position: usize) {
        if let Text::Mapped(mapped) = self {
            mapped.release(position);
        }
    }

    /// An error if the file was changed while it was mapped.
    pub fn check(&self) -> Result<()> {
        match self {
            Text::Mapped(text) => text.file.check(),
            Text::Read(_) => Ok(()),
        }
    }
}

impl Bytes {
    /// The bytes of a file, or of standard input.
    ///
    /// # Errors
    /// As those of [`input::read`].
    pub fn open(path: &Path) -> Result<Bytes> {
        let place = match MappedFile::open(path)? {
            Some(file) => Place::Mapped(file),
            None => Place::Read(input::read(path)?),
        };
        Ok(Bytes(Arc::new(place)))
    }

    /// An error if the file was changed while it was mapped.
    pub fn check(&self) -> Result<()> {
        match &*self.0 {
            Place::Mapped(file) => file.check(),
            Place::Read(_) => Ok(()),
        }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match &*self.0 {
            Place::Mapped(file) => &file.map,
            Place::Read(bytes) => bytes,
        }
    }
}

impl MappedFile {
    /// The file, if it is one and is worth being mapped.
    fn open(path: &Path) -> Result<Option<MappedFile>> {
        if path == Path::new(input::STDIN) {
            return Ok(None);
        }
        let cannot_read = || format!("cannot read {}", input::name(path));
        let file = File::open(path).with_context(cannot_read)?;
        let metadata = file.metadata().with_context(cannot_read)?;
        let size = metadata.len();
        if !metadata.is_file() || !(MAPPED_FROM..=input::MAX_INPUT_BYTES).contains(&size) {
            return Ok(None);
        }
        // SAFETY: The map is read only. While it lives, nothing in this process writes to the file; what others do to
        // it is theirs to answer for, as with every program that maps what it reads, and `check` tells whether they
        // did.
        let map = unsafe { Mmap::map(&file) }.with_context(cannot_read)?;
        Ok(Some(MappedFile {
            map,
            file,
            metadata,
        }))
    }

    fn check(&self) -> Result<()> {
        let now = self.file.metadata()?;
        let modified = |metadata: &Metadata| metadata.modified().ok();
        if now.len() != self.metadata.len() || modified(&now) != modified(&self.metadata) {
            bail!("the file was changed while it was read");
        }
        Ok(())
    }
}

impl MappedText {
    /// The file if it is text, or else its bytes and how many of them are.
    fn new(file: MappedFile) -> Result<MappedText, (Mmap, usize)> {
        let text = MappedText {
            file,
            released: Cell::new(0),
        };
        match text.text_length() {
            good if good == text.file.map.len() => {
                text.released.set(0);
                Ok(text)
            }
            good => Err((text.file.map, good)),
        }
    }

    /// How many bytes are text before something is not.
    fn text_length(&self) -> usize {
        let mut good = 0;
        loop {
            let rest = self.file.map.get(good..).unwrap_or(&[]);
            let piece = rest.get(..STRIDE).unwrap_or(rest);
            match str::from_utf8(piece) {
                Ok(_) => good += piece.len(),
                Err(error) => {
                    good += error.valid_up_to();
                    // A character may go on behind the piece.
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
        // SAFETY: `new` found all of it to be text.
        unsafe { str::from_utf8_unchecked(&self.file.map) }
    }

    /// Gives up the memory of what is before a byte. It comes back from the file if it is read again.
    fn release(&self, position: usize) {
        let from = self.released.get();
        #[cfg(unix)]
        if let Some(length) = position.min(self.file.map.len()).checked_sub(from) {
            let advice = memmap2::UncheckedAdvice::DontNeed;
            // SAFETY: The map is that of a file and nothing has written to it, so there is nothing to lose.
            // Without this advice everything is as it was, but for the memory.
            let _ = unsafe { self.file.map.unchecked_advise_range(advice, from, length) };
        }
        self.released.set(from.max(position / STRIDE * STRIDE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text in a file of this name, as it is opened.
    fn opened(name: &str, bytes: &[u8]) -> (std::path::PathBuf, Result<Text>) {
        let path = std::env::temp_dir().join(format!("gcn-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("a temporary file");
        let text = Text::open(&path);
        (path, text)
    }

    /// Of two bytes each, so that one of them is across the end of each piece.
    fn long() -> String {
        let mut text = "é".repeat(MAPPED_FROM as usize / 2);
        text.insert(0, 'a');
        text
    }

    #[test]
    fn a_mapped_text_is_what_the_file_holds_before_and_after_it_is_passed() {
        let expected = long();
        let (path, text) = opened("mapped", expected.as_bytes());
        let text = text.expect("text");
        assert!(matches!(text, Text::Mapped(_)));
        assert!(text.as_str() == expected);
        for position in [1, STRIDE, 3 * STRIDE + 1, expected.len()] {
            text.passed(position);
            assert!(text.as_str() == expected, "after {position}");
        }
        text.check().expect("nothing changed");
        std::fs::remove_file(path).expect("it is there");
    }

    #[test]
    fn what_is_no_text_is_refused_where_it_is_wrong() {
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
    fn a_change_is_noticed() {
        let text = long();
        let (path, opened) = opened("changed", text.as_bytes());
        let opened = opened.expect("text");
        let bytes = Bytes::open(&path).expect("a file");
        assert!(bytes.as_ref() == text.as_bytes() && bytes.check().is_ok());
        std::fs::write(&path, text.clone() + "b").expect("it can be written");
        assert!(opened.check().is_err() && bytes.check().is_err());
        std::fs::remove_file(path).expect("it is there");
    }
}
