//! Directives for code object metadata, version and identification.

use std::ops::Range;

use crate::assembler::output::Output;
use crate::assembler::parser::Parser;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::program::ProgramMetadata;

/// Supported code object versions.
const CODE_OBJECT_VERSIONS: std::ops::RangeInclusive<i64> = 2..=6;

/// Directive that ends a metadata block.
const END_METADATA: &str = ".end_amdgpu_metadata";
/// Directive that ends a version 2 metadata block.
pub(crate) const END_HSA_METADATA: &str = ".end_amd_amdgpu_hsa_metadata";
/// Directive that ends a PAL metadata block.
pub(crate) const END_PAL_METADATA: &str = ".end_amdgpu_pal_metadata";

/// Directives that begin text blocks, each with the directive that ends it.
pub(crate) const TEXT_BLOCKS: [(&str, &str); 3] = [
    (".amdgpu_metadata", END_METADATA),
    (".amd_amdgpu_hsa_metadata", END_HSA_METADATA),
    (".amdgpu_pal_metadata", END_PAL_METADATA),
];

/// Skips past the directive `end` and returns the range of the lines before it; `None` if the directive is missing.
pub(crate) fn skip_to(cursor: &mut Cursor<'_>, end: &str) -> Option<Range<usize>> {
    cursor.skip_line();
    let start = cursor.pos();
    while !cursor.at_end() {
        let line = cursor.pos();
        cursor.skip_blanks();
        if cursor
            .word()
            .is_some_and(|word| word.eq_ignore_ascii_case(end))
        {
            return Some(start..line);
        }
        cursor.skip_line();
    }
    None
}

/// Handles `.amdgpu_metadata`: records the YAML up to `.end_amdgpu_metadata`.
pub(crate) fn metadata(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: Range<usize>,
) -> Result<(), Fail> {
    match skip_to(&mut parser.cursor, END_METADATA) {
        Some(place) => {
            if output.metadata.is_some() {
                let message = "metadata is written twice; the last one counts";
                parser.warning(&ids::DUPLICATE_METADATA, span, message);
            }
            let in_source = parser.map_to_source(place.clone());
            output.metadata = Some(ProgramMetadata {
                yaml: parser.cursor.slice(place.clone()).to_owned(),
                span: in_source,
            });
            Ok(())
        }
        None => Err(fail(
            &ids::UNCLOSED_BLOCK,
            span,
            "`.amdgpu_metadata` is not closed",
        )
        .with_help("end it with `.end_amdgpu_metadata`")),
    }
}

/// Handles `.amdhsa_code_object_version version`.
pub(crate) fn code_object_version(
    parser: &mut Parser<'_>,
    output: &mut Output,
) -> Result<(), Fail> {
    let (low, high) = (*CODE_OBJECT_VERSIONS.start(), *CODE_OBJECT_VERSIONS.end());
    let version = parser.absolute_within("the code object version", low, high)?;
    output.code_object_version = Some(version as u8);
    Ok(())
}

/// Handles `.ident "text"`.
pub(crate) fn identification(cursor: &mut Cursor<'_>, output: &mut Output) -> Result<(), Fail> {
    let text = cursor.string()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    output.identifications.push(text);
    Ok(())
}
