//! Handles `.include` and `.incbin`.

use std::ops::Range;

use crate::assembler::expansion::ENTRY_COST;
use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, IncludedFile, TextOrigin};
use crate::assembler::reader::SourceReader;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, fail};
use crate::ids;
use crate::inputs::files::File;

/// Parses a quoted file name and reads the file.
fn file(reader: &mut SourceReader<'_>) -> Result<File, Fail> {
    let start = reader.parser.cursor.token_start();
    let name = reader.parser.cursor.string()?;
    let span = reader.parser.cursor.since(start);
    let mut name = String::from_utf8(name).map_err(|_| {
        fail(
            &ids::INVALID_UTF8,
            span.clone(),
            "a file's name must be valid UTF-8",
        )
    })?;
    if reader.parser.dialect.takes_backslash_paths() {
        name = name.replace('\\', "/");
    }
    let from = reader.expansion.file();
    reader.expansion.reader.read(&name, from).map_err(|error| {
        fail(
            &ids::UNREADABLE_FILE,
            span,
            format!("cannot read `{}`: {error}", name.escape_debug()),
        )
    })
}

/// Handles `.include "file"`.
pub(crate) fn include(reader: &mut SourceReader<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let file = file(reader)?;
    let call = reader.parser.cursor.statement_from(span.start);
    reader
        .expansion
        .charge(file.bytes.len() + ENTRY_COST, &call)?;
    let text = String::from_utf8(file.bytes).map_err(|_| {
        fail(
            &ids::INVALID_UTF8,
            call.clone(),
            format!("`{}` is not text in UTF-8", file.name.escape_debug()),
        )
    })?;
    let (name, text) = reader.expansion.intern_file(file.name, text);
    let start = reader.expansion.next_place();
    reader.expansion.files.push(IncludedFile {
        name,
        text,
        start,
        from: reader.parser.map_to_source(call.clone()),
    });
    let mut begin = Cursor::new(text, reader.parser.dialect);
    begin.skip_byte_order_mark();
    let step = ExpansionStep {
        what: ExpansionKind::File(name),
        text: Some(text),
        origin: TextOrigin::At(start..start + text.len()),
        call,
        iteration: 1,
    };
    reader.expand(step, begin, 1)
}

/// Handles `.incbin "file", skip, count` and returns the bytes.
pub(crate) fn incbin(reader: &mut SourceReader<'_>, span: &Range<usize>) -> Result<Vec<u8>, Fail> {
    let File { mut bytes, .. } = file(reader)?;
    let size = bytes.len();
    let what = "the number of bytes to skip";
    let skip = reader.parser.optional_absolute(what)?.unwrap_or(0);
    let count = reader
        .parser
        .optional_absolute("the number of bytes")?
        .unwrap_or(i64::MAX);
    let (Ok(skip), Ok(count)) = (usize::try_from(skip), usize::try_from(count)) else {
        let message = "a number of bytes cannot be negative";
        return Err(fail(&ids::VALUE_RANGE, span.clone(), message));
    };
    bytes.drain(..skip.min(size));
    bytes.truncate(count);
    reader.expansion.charge(size + ENTRY_COST, span)?;
    Ok(bytes)
}
