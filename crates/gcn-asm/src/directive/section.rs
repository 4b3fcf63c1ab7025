//! Section directives.

use std::ops::Range;

use crate::assembler::layout::{ABSOLUTE, Layout, MAX_SECTIONS};
use crate::assembler::output::MAX_NOBITS;
use crate::assembler::parser::Parser;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::program::{SectionFlags, SectionKind};

/// ELF types of sections that contain arrays of function pointers for the loader, with their numbers.
pub(crate) const OTHER_SECTION_TYPES: &[(&str, u32)] = &[
    ("init_array", 14),
    ("fini_array", 15),
    ("preinit_array", 16),
];

/// Maximum depth of the `.pushsection` stack.
const MAX_SECTION_STACK: usize = 1024;

/// Handles `.struct offset`: begins a structure definition, in which labels are field offsets.
pub(crate) fn structure(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let offset = parser.absolute_within("the offset", 0, MAX_NOBITS as i64)?;
    let layout = &mut parser.names.layout;
    let section = match layout.find(ABSOLUTE) {
        Some(index) => index,
        None => layout.add_section(ABSOLUTE, SectionKind::NoBits, SectionFlags::default()),
    };
    if layout.current != section {
        layout.enter(section);
    }
    if let Some(section) = layout.section_mut().filter(|s| s.name == ABSOLUTE) {
        section.size = offset.cast_unsigned();
    }
    Ok(())
}

/// Handles `.section name, "flags", @type, size`.
pub(crate) fn section_directive(parser: &mut Parser<'_>, push: bool) -> Result<(), Fail> {
    let start = parser.cursor.token_start();
    let name = section_name(&mut parser.cursor)?;
    let attributes = match parser.cursor.eat_after_blanks(b',') {
        true => Some(section_attributes(parser, &name)?),
        false => None,
    };
    let span = parser.cursor.since(start);
    let layout = &mut parser.names.layout;
    let section = match (attributes, layout.find(&name)) {
        (_, Some(index)) => index,
        (_, None) if layout.sections.len() >= MAX_SECTIONS => {
            return Err(fail(&ids::SECTION_LIMIT, span, "too many sections"));
        }
        (Some((kind, flags)), None) => layout.add_section(&name, kind, flags),
        (None, None) => layout.section_named(&name),
    };
    if push {
        if layout.stack.len() >= MAX_SECTION_STACK {
            let message = "too many sections on the stack";
            return Err(fail(&ids::SECTION_LIMIT, span, message));
        }
        layout.stack.push((layout.current, layout.previous));
    }
    layout.enter(section);
    Ok(())
}

/// Handles `.gcn_address address`: sets the link address of the current section.
pub(crate) fn section_address(parser: &mut Parser<'_>, span: Range<usize>) -> Result<(), Fail> {
    let address = parser.absolute_within("the address", 0, i64::MAX)?;
    let address = address.cast_unsigned();
    let Some(section) = parser.names.layout.section_mut() else {
        return Ok(());
    };
    match section.address.replace(address) {
        Some(other) if other != address => {
            let message = format!("section `{}` is at {other:#x} already", section.name);
            Err(fail(&ids::SECTION_ADDRESS, span, message))
        }
        _ => Ok(()),
    }
}

/// Parses a section name, which may contain dashes, as in `.note.GNU-stack`.
fn section_name(cursor: &mut Cursor<'_>) -> Result<String, Fail> {
    cursor.skip_blanks();
    if cursor.peek() == b'"' {
        return Ok(cursor.name()?.into_owned());
    }
    let start = cursor.pos();
    loop {
        let word = cursor.word().is_some() || cursor.digits().is_some();
        if !word && !cursor.eat(b'-') {
            break;
        }
    }
    let name = cursor.slice(cursor.since(start));
    if name.is_empty() {
        return Err(cursor.expected("the section's name"));
    }
    Ok(name.to_owned())
}

/// Parses section flags in an older syntax: `#alloc,#write,#execinstr`.
fn named_flags(cursor: &mut Cursor<'_>) -> Result<SectionFlags, Fail> {
    let mut flags = SectionFlags::default();
    loop {
        let start = cursor.token_start();
        if !cursor.eat(b'#') {
            return Err(cursor.expected("`#` and a flag"));
        }
        match &*cursor.name()? {
            "alloc" => flags.alloc = true,
            "write" => flags.write = true,
            "execinstr" => flags.exec = true,
            name => {
                let message = format!("unknown section flag `#{}`", name.escape_debug());
                return Err(fail(&ids::SECTION_ATTRIBUTE, cursor.since(start), message)
                    .with_help("the flags are #alloc, #write and #execinstr"));
            }
        }
        if !cursor.eat_after_blanks(b',') {
            return Ok(flags);
        }
    }
}

fn section_attributes(
    parser: &mut Parser<'_>,
    name: &str,
) -> Result<(SectionKind, SectionFlags), Fail> {
    let start = parser.cursor.token_start();
    if parser.cursor.peek() == b'#' {
        let kind = if is_zeros(name) {
            SectionKind::NoBits
        } else {
            SectionKind::ProgBits
        };
        return Ok((kind, named_flags(&mut parser.cursor)?));
    }
    let letters = parser.cursor.string()?;
    let mut flags = SectionFlags::default();
    let (mut names_group, mut names_section) = (false, false);
    for letter in letters {
        match letter {
            b'a' => flags.alloc = true,
            b'w' => flags.write = true,
            b'x' => flags.exec = true,
            b'M' => flags.merge = true,
            b'S' => flags.strings = true,
            b'e' | b'R' => {}
            b'o' => names_section = true,
            b'G' => names_group = true,
            _ => {
                let message = format!(
                    "unknown section flag `{}`",
                    char::from(letter).escape_debug()
                );
                return Err(
                    fail(&ids::SECTION_ATTRIBUTE, parser.cursor.since(start), message).with_help(
                        "the flags are a (loaded), w (written), x (code), M (merged), S (strings)",
                    ),
                );
            }
        }
    }
    let mut kind = match name {
        _ if is_zeros(name) => SectionKind::NoBits,
        _ if name.starts_with(".note") && name != ".note.GNU-stack" => SectionKind::Note,
        _ => SectionKind::ProgBits,
    };
    if parser.cursor.eat_after_blanks(b',') {
        let start = parser.cursor.token_start();
        let _ = parser.cursor.eat(b'@') || parser.cursor.eat(b'%');
        let word = parser.cursor.name()?;
        kind = match &*word {
            "progbits" => SectionKind::ProgBits,
            "nobits" => SectionKind::NoBits,
            "note" => SectionKind::Note,
            _ => match OTHER_SECTION_TYPES.iter().find(|(name, _)| *name == word) {
                Some(&(_, number)) => SectionKind::Other(number),
                None => {
                    let message = format!("unknown section type `{word}`");
                    return Err(fail(&ids::SECTION_ATTRIBUTE, parser.cursor.since(start), message)
                        .with_help("the types are @progbits, @nobits, @note, @init_array, @fini_array and @preinit_array"));
                }
            },
        };
        if !names_group && !names_section || flags.merge {
            parser.optional_absolute("the size of an element")?;
        }
    }
    // In a program with one source, each group occurs once and is never discarded, and links between sections have no
    // effect.
    for is_named in [names_group, names_section] {
        if is_named {
            parser.cursor.comma("the name of a group or a section")?;
            parser.cursor.name()?;
        }
    }
    if names_group && parser.cursor.eat_after_blanks(b',') {
        let start = parser.cursor.token_start();
        if &*parser.cursor.name()? != "comdat" {
            let here = parser.cursor.since(start);
            let message = "only `comdat` may follow the name of a group";
            return Err(fail(&ids::SECTION_ATTRIBUTE, here, message));
        }
    }
    Ok((kind, flags))
}

/// Returns true if a section with this name holds only zeros and takes no space in the file.
fn is_zeros(name: &str) -> bool {
    name == ".bss" || name.starts_with(".bss.")
}

/// Handles `.text` and other section names used as directives.
pub(crate) fn enter_named(layout: &mut Layout, name: &str) {
    let section = layout.section_named(name);
    layout.enter(section);
}

/// Handles `.popsection`.
pub(crate) fn pop(layout: &mut Layout, span: Range<usize>) -> Result<(), Fail> {
    match layout.stack.pop() {
        Some((current, previous)) => {
            (layout.current, layout.previous) = (current, previous);
            Ok(())
        }
        None => Err(fail(
            &ids::UNOPENED_BLOCK,
            span,
            "`.popsection` without `.pushsection`",
        )),
    }
}
