//! Included files, as text and as bytes.

use std::ops::Range;

use super::{ENTRY_COST, Expansion, Included, Origin, Step, What};
use crate::SourceFile;
use crate::assembler::Assembler;
use crate::cursor::Cursor;
use crate::diagnostic::{Diagnostic, Fail, fail};
use crate::ids;

/// The last so many included files are compared with the next one, to keep its text once.
const MAX_COMPARED: usize = 16;

/// A file that a source asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// What messages call it, and what `from` will be for the files that it includes.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Where `.include` and `.incbin` find files. The library itself reads none.
pub trait Files {
    /// The file called `name` in the source called `from`.
    ///
    /// # Errors
    /// Why it cannot be read, as a message to follow the name.
    fn read(&self, name: &str, from: &str) -> Result<File, String>;

    /// The source has been read up to this byte. What is before it must stay readable, for messages, macros and loops
    /// may go back, but most of it has had its use: who holds it in memory may let it go until then.
    fn passed(&self, _position: usize) {}
}

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str, _: &str) -> Result<File, String> {
        Err("this source may not read files".to_owned())
    }
}

/// How often the reader is told how far the source has been read, in bytes.
const PASSED_EVERY: usize = 1 << 18;

impl Expansion<'_> {
    /// Tells the reader how far the source has been read, now and then. Not for positions inside expansions.
    #[inline]
    pub(crate) fn pass(&mut self, position: usize) {
        if position >= self.next_pass {
            self.next_pass = position.saturating_add(PASSED_EVERY);
            self.reader.passed(position);
        }
    }

    /// The place behind everything that was read so far.
    fn next_place(&self) -> usize {
        match self.files.last() {
            Some(file) => file.start + file.text.len() + 1,
            None => self.source_text.len() + 1,
        }
    }

    /// The included files that diagnostics name, and those that include them.
    pub(crate) fn named_files(&self, diagnostics: &[Diagnostic]) -> Vec<SourceFile> {
        let mut is_named = vec![false; self.files.len()];
        let spans = diagnostics.iter().flat_map(|diagnostic| {
            std::iter::once(&diagnostic.span).chain(diagnostic.notes.iter().map(|note| &note.span))
        });
        for span in spans {
            let count = self.files.partition_point(|file| file.start <= span.start);
            if let Some(named) = count.checked_sub(1).and_then(|i| is_named.get_mut(i)) {
                *named = true;
            }
        }
        self.files
            .iter()
            .zip(is_named)
            .filter(|(_, is_named)| *is_named)
            .map(|(file, _)| SourceFile {
                name: file.name.to_owned(),
                text: file.text.to_owned(),
                start: file.start,
            })
            .collect()
    }
}

impl<'a> Assembler<'a> {
    /// The file of a name in quotes.
    fn file(&mut self) -> Result<File, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.string()?;
        let span = start..self.cursor.pos();
        let mut name = String::from_utf8(name).map_err(|_| {
            fail(
                &ids::INVALID_UTF8,
                span.clone(),
                "a file's name must be valid UTF-8",
            )
        })?;
        if self.dialect.takes_backslash_paths() {
            name = name.replace('\\', "/");
        }
        let from = self.expansion.file();
        self.expansion.reader.read(&name, from).map_err(|error| {
            fail(
                &ids::UNREADABLE_FILE,
                span,
                format!("cannot read `{}`: {error}", name.escape_debug()),
            )
        })
    }

    /// `"file"`
    pub(super) fn include(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let file = self.file()?;
        let call = self.statement_from(span.start);
        self.charge(file.bytes.len() + ENTRY_COST, &call)?;
        let text = String::from_utf8(file.bytes).map_err(|_| {
            fail(
                &ids::INVALID_UTF8,
                call.clone(),
                format!("`{}` is not text in UTF-8", file.name.escape_debug()),
            )
        })?;
        let (name, text) = self.kept(file.name, text);
        let start = self.expansion.next_place();
        self.expansion.files.push(Included {
            name,
            text,
            start,
            from: self.expansion.in_source(call.clone()),
        });
        let mut begin = Cursor::new(text, self.dialect);
        begin.skip_byte_order_mark();
        let step = Step {
            what: What::File(name),
            text: Some(text),
            origin: Origin::At(start..start + text.len()),
            call,
            iteration: 1,
        };
        self.expand(step, begin, 1)
    }

    /// A file's name and text, kept; once, if the file is included again.
    fn kept(&mut self, name: String, text: String) -> (&'a str, &'a str) {
        let known = self
            .expansion
            .files
            .iter()
            .rev()
            .take(MAX_COMPARED)
            .find(|file| file.name == name && file.text == text);
        match known {
            Some(file) => (file.name, file.text),
            None => (self.expansion.keep(name), self.expansion.keep(text)),
        }
    }

    /// `"file", skip, count`
    pub(super) fn incbin(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let file = self.file()?;
        let what = "the number of bytes to skip";
        let skip = self.optional_absolute(what)?.unwrap_or(0);
        let count = self
            .optional_absolute("the number of bytes")?
            .unwrap_or(i64::MAX);
        let (Ok(skip), Ok(count)) = (usize::try_from(skip), usize::try_from(count)) else {
            return Err(fail(
                &ids::VALUE_RANGE,
                span.clone(),
                "a number of bytes cannot be negative",
            ));
        };
        let bytes = file.bytes.get(skip..).unwrap_or(&[]);
        let bytes = bytes.get(..count).unwrap_or(bytes);
        self.charge(file.bytes.len() + ENTRY_COST, span)?;
        self.emit(bytes, span)
    }
}
