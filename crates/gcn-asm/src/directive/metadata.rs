//! Metadata and identification of code objects.

use std::ops::Range;

use crate::assembler::Assembler;
use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::ids;
use crate::program::ProgramMetadata;

/// Supported code object versions.
const CODE_OBJECT_VERSIONS: std::ops::RangeInclusive<i64> = 2..=6;

/// End of a metadata block.
const END_METADATA: &str = ".end_amdgpu_metadata";
/// End of a metadata block of version 2.
pub(crate) const END_HSA_METADATA: &str = ".end_amd_amdgpu_hsa_metadata";
/// End of a PAL metadata block.
pub(crate) const END_PAL_METADATA: &str = ".end_amdgpu_pal_metadata";

/// Directives that begin a text block, with the directives that end it.
pub(crate) const TEXT_BLOCKS: [(&str, &str); 3] = [
    (".amdgpu_metadata", END_METADATA),
    (".amd_amdgpu_hsa_metadata", END_HSA_METADATA),
    (".amdgpu_pal_metadata", END_PAL_METADATA),
];

/// Skips lines up to one that begins with `end`; returns their range.
pub(crate) fn skip_to(asm: &mut Assembler<'_>, end: &str) -> Option<Range<usize>> {
    asm.reader.cursor.skip_line();
    let start = asm.reader.cursor.pos();
    while !asm.reader.cursor.at_end() {
        let line = asm.reader.cursor.pos();
        asm.reader.cursor.skip_blanks();
        if asm
            .reader
            .cursor
            .word()
            .is_some_and(|word| word.eq_ignore_ascii_case(end))
        {
            return Some(start..line);
        }
        asm.reader.cursor.skip_line();
    }
    None
}

/// YAML up to `.end_amdgpu_metadata`.
pub(crate) fn metadata(asm: &mut Assembler<'_>, span: Range<usize>) -> Result<(), Fail> {
    match skip_to(asm, END_METADATA) {
        Some(place) => {
            if asm.metadata.is_some() {
                asm.diagnostics.push(Diagnostic::warning(
                    &ids::DUPLICATE_METADATA,
                    span,
                    "metadata is written twice; the last one counts",
                ));
            }
            let in_source = asm.reader.expansion.map_to_source(place.clone());
            asm.metadata = Some(ProgramMetadata {
                yaml: asm.reader.cursor.slice(place.clone()).to_owned(),
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

/// `.amdhsa_code_object_version`
pub(crate) fn code_object_version(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    let (low, high) = (*CODE_OBJECT_VERSIONS.start(), *CODE_OBJECT_VERSIONS.end());
    let version = asm.absolute_within("the code object version", low, high)?;
    asm.code_object_version = Some(version as u8);
    Ok(())
}

/// `.ident "text"`
pub(crate) fn identification(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    let text = asm.reader.cursor.string()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    asm.identifications.push(text);
    Ok(())
}
