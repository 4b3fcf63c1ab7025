//! Included files, as source and as bytes.

use std::ops::Range;

use crate::assembler::Assembler;
use crate::assembler::expansion::ENTRY_COST;
use crate::assembler::expansion::origin::{ExpansionKind, ExpansionStep, IncludedFile, TextOrigin};
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, fail};
use crate::ids;
use crate::inputs::files::File;

/// Reads a file name in quotes, and the file.
fn file(asm: &mut Assembler<'_>) -> Result<File, Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let name = asm.reader.cursor.string()?;
    let span = start..asm.reader.cursor.pos();
    let mut name = String::from_utf8(name).map_err(|_| {
        fail(
            &ids::INVALID_UTF8,
            span.clone(),
            "a file's name must be valid UTF-8",
        )
    })?;
    if asm.dialect.takes_backslash_paths() {
        name = name.replace('\\', "/");
    }
    let from = asm.reader.expansion.file();
    asm.reader
        .expansion
        .reader
        .read(&name, from)
        .map_err(|error| {
            fail(
                &ids::UNREADABLE_FILE,
                span,
                format!("cannot read `{}`: {error}", name.escape_debug()),
            )
        })
}

/// `"file"`
pub(crate) fn include(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let file = file(asm)?;
    let call = asm.reader.statement_from(span.start);
    asm.reader.charge(file.bytes.len() + ENTRY_COST, &call)?;
    let text = String::from_utf8(file.bytes).map_err(|_| {
        fail(
            &ids::INVALID_UTF8,
            call.clone(),
            format!("`{}` is not text in UTF-8", file.name.escape_debug()),
        )
    })?;
    let (name, text) = asm.reader.intern_file(file.name, text);
    let start = asm.reader.expansion.next_place();
    asm.reader.expansion.files.push(IncludedFile {
        name,
        text,
        start,
        from: asm.reader.expansion.map_to_source(call.clone()),
    });
    let mut begin = Cursor::new(text, asm.dialect);
    begin.skip_byte_order_mark();
    let step = ExpansionStep {
        what: ExpansionKind::File(name),
        text: Some(text),
        origin: TextOrigin::At(start..start + text.len()),
        call,
        iteration: 1,
    };
    asm.reader.expand(step, begin, 1)
}

/// `"file", skip, count`
pub(crate) fn incbin(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let file = file(asm)?;
    let what = "the number of bytes to skip";
    let skip = asm.optional_absolute(what)?.unwrap_or(0);
    let count = asm
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
    asm.reader.charge(file.bytes.len() + ENTRY_COST, span)?;
    asm.output.emit(bytes, span)
}
