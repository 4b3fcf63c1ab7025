//! Directives that produce notes: version, processor and YAML metadata for code object version 2, and PAL metadata.
//!
//! LLVM up to version 17 emitted version 2 notes; their contents follow "Code Object V2 Note Records" in LLVM's "User
//! Guide for AMDGPU Backend". All but the PAL directives select version 2 unless the source selects another.

use std::ops::Range;

use gcn_object::note::{self, Note};

use crate::assembler::layout::Layout;
use crate::assembler::output::Output;
use crate::assembler::parser::Parser;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::directive::metadata::{self, END_HSA_METADATA, END_PAL_METADATA};
use crate::ids;
use crate::program::{SectionFlags, SectionKind};

/// Name of the section that holds notes.
pub(crate) const SECTION: &str = ".note";
/// Code object version implied by these directives.
const VERSION: u8 = 2;
/// Largest number that fits into a dword of a note.
const MAX_NUMBER: i64 = u32::MAX as i64;

/// Handles `.hsa_code_object_version major, minor`.
pub(crate) fn hsa_version(parser: &mut Parser<'_>, output: &mut Output) -> Result<(), Fail> {
    let start = parser.cursor.token_start();
    let major = parser.absolute_within("the major version", 0, MAX_NUMBER)?;
    parser.cursor.comma("the minor version")?;
    let minor = parser.absolute_within("the minor version", 0, MAX_NUMBER)?;
    if major != i64::from(VERSION) {
        let message = format!("`.hsa_code_object_version` states version 2, not {major}");
        return Err(fail(
            &ids::CODE_OBJECT_VERSION,
            parser.cursor.since(start),
            message,
        )
        .with_help("later versions are requested with `.amdhsa_code_object_version`"));
    }
    let description = [major, minor].map(|number| number as u32);
    hsa_note(
        parser,
        output,
        note::CODE_OBJECT_VERSION,
        &words(&description),
        start,
    )
}

/// Handles `.hsa_code_object_isa major, minor, stepping, "vendor", "architecture"`; operands default to the target's
/// values.
pub(crate) fn hsa_isa(parser: &mut Parser<'_>, output: &mut Output) -> Result<(), Fail> {
    let start = parser.cursor.token_start();
    let (major, minor, stepping) = parser.target.version();
    let mut version = [major, minor, stepping];
    let mut names = ["AMD".to_owned(), "AMDGPU".to_owned()];
    if !parser.cursor.statement_ends() {
        for (i, number) in version.iter_mut().enumerate() {
            if i > 0 {
                parser.cursor.comma("the next number of the version")?;
            }
            *number = parser.absolute_within("the processor's version", 0, MAX_NUMBER)? as u32;
        }
        for name in &mut names {
            parser.cursor.comma("the next name")?;
            let text = parser.cursor.string()?;
            *name = String::from_utf8_lossy(&text).into_owned();
        }
    }
    let mut description = Vec::new();
    for name in &names {
        let size = u16::try_from(name.len() + 1).map_err(|_| {
            fail(
                &ids::NOTE_SIZE,
                parser.cursor.since(start),
                "the name is too long for a note",
            )
        })?;
        description.extend(size.to_le_bytes());
    }
    description.extend(words(&version));
    for name in &names {
        description.extend(name.as_bytes());
        description.push(0);
    }
    hsa_note(parser, output, note::ISA_VERSION, &description, start)
}

/// Handles `.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803"`.
pub(crate) fn hsa_isa_name(parser: &mut Parser<'_>, output: &mut Output) -> Result<(), Fail> {
    let start = parser.cursor.token_start();
    let name = parser.cursor.string()?;
    hsa_note(parser, output, note::ISA_NAME, &name, start)
}

/// Handles `.amd_amdgpu_hsa_metadata`: stores the YAML up to the end directive as a note.
pub(crate) fn hsa_metadata(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: Range<usize>,
) -> Result<(), Fail> {
    let Some(place) = metadata::skip_to(&mut parser.cursor, END_HSA_METADATA) else {
        let message = "`.amd_amdgpu_hsa_metadata` is not closed";
        return Err(fail(&ids::UNCLOSED_BLOCK, span, message)
            .with_help(format!("end it with `{END_HSA_METADATA}`")));
    };
    // Compilers write an empty line before the end directive; it is not part of the note.
    let text = format!("{}\n", parser.cursor.slice(place).trim_end());
    if let Err(error) = gcn_object::Metadata::from_yaml_v2(text.as_bytes()) {
        let message = format!("invalid metadata: {error}");
        return Err(fail(&ids::INVALID_METADATA, span, message));
    }
    hsa_note(
        parser,
        output,
        note::HSA_METADATA,
        text.as_bytes(),
        span.start,
    )
}

/// Handles `.amdgpu_pal_metadata`: YAML metadata for PAL, the platform of graphics drivers, up to the end directive.
pub(crate) fn pal_metadata(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: Range<usize>,
) -> Result<(), Fail> {
    let Some(place) = metadata::skip_to(&mut parser.cursor, END_PAL_METADATA) else {
        let message = "`.amdgpu_pal_metadata` is not closed";
        return Err(fail(&ids::UNCLOSED_BLOCK, span, message)
            .with_help(format!("end it with `{END_PAL_METADATA}`")));
    };
    let text = parser.cursor.slice(place);
    let description = gcn_object::pal_metadata_from_yaml(text).map_err(|error| {
        fail(
            &ids::INVALID_METADATA,
            span.clone(),
            format!("invalid metadata: {error}"),
        )
    })?;
    let note = Note {
        owner: note::AMDGPU,
        kind: note::METADATA,
        description: &description,
    };
    pal_note(parser, output, note, span)
}

/// Handles `.amd_amdgpu_pal_metadata register, value, register, value`, the older form of PAL metadata.
pub(crate) fn pal_registers(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: Range<usize>,
) -> Result<(), Fail> {
    let mut numbers = Vec::new();
    loop {
        let what = match numbers.len() % 2 {
            0 => "a register's number",
            _ => "the register's value",
        };
        numbers.push(parser.absolute_within(what, i64::from(i32::MIN), MAX_NUMBER)? as u32);
        if !parser.cursor.eat_after_blanks(b',') {
            break;
        }
    }
    if !numbers.len().is_multiple_of(2) {
        return Err(parser.cursor.expected("`,` and the register's value"));
    }
    let note = Note {
        owner: note::AMD,
        kind: note::PAL_METADATA,
        description: &words(&numbers),
    };
    pal_note(parser, output, note, span)
}

/// Adds a PAL metadata note, with a warning: the code object is for HSA, but tools can read the note.
fn pal_note(
    parser: &mut Parser<'_>,
    output: &mut Output,
    note: Note<'_>,
    span: Range<usize>,
) -> Result<(), Fail> {
    let message = "the code object is for HSA, but has metadata of PAL";
    parser.warning(&ids::PAL_METADATA, span.clone(), message);
    append(&mut parser.names.layout, output, note, span)
}

/// Adds a note for code object version 2.
fn hsa_note(
    parser: &mut Parser<'_>,
    output: &mut Output,
    kind: u32,
    description: &[u8],
    start: usize,
) -> Result<(), Fail> {
    let span = parser.cursor.since(start);
    output.code_object_version.get_or_insert(VERSION);
    let note = Note {
        owner: note::AMD,
        kind,
        description,
    };
    append(&mut parser.names.layout, output, note, span)
}

fn append(
    layout: &mut Layout,
    output: &mut Output,
    note: Note<'_>,
    span: Range<usize>,
) -> Result<(), Fail> {
    let flags = SectionFlags {
        alloc: true,
        ..SectionFlags::default()
    };
    let section = match layout.find(SECTION) {
        Some(index) => index,
        None => layout.add_section(SECTION, SectionKind::Note, flags),
    };
    let outside = (layout.current, layout.previous);
    layout.current = section;
    let result = output
        .align(layout, note::ALIGN, &span)
        .and_then(|()| output.emit(layout, &note.encode(), &span));
    (layout.current, layout.previous) = outside;
    result
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}
