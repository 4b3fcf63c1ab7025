//! Section directives.

use std::ops::Range;

use crate::assembler::Assembler;
use crate::assembler::output::{ABSOLUTE, MAX_NOBITS};
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::program::{SectionFlags, SectionKind};

/// ELF section types for arrays of functions that a loader calls, with their numbers.
pub(crate) const OTHER_SECTION_TYPES: &[(&str, u32)] = &[
    ("init_array", 14),
    ("fini_array", 15),
    ("preinit_array", 16),
];

/// Maximum depth of the `.pushsection` stack.
const MAX_SECTION_STACK: usize = 1024;

/// `offset`: begins a structure definition, in which labels are field offsets.
pub(crate) fn structure(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    let offset = asm.absolute_within("the offset", 0, MAX_NOBITS as i64)?;
    let known = asm.output.sections.iter().position(|s| s.name == ABSOLUTE);
    let section = match known {
        Some(index) => index as u32,
        None => asm
            .output
            .add_section(ABSOLUTE, SectionKind::NoBits, SectionFlags::default()),
    };
    if asm.output.current != section {
        asm.output.enter(section);
    }
    if let Some(section) = asm.output.section_mut().filter(|s| s.name == ABSOLUTE) {
        section.size = offset.cast_unsigned();
    }
    Ok(())
}

/// `name, "flags", @type, size`
pub(crate) fn section_directive(asm: &mut Assembler<'_>, push: bool) -> Result<(), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let name = section_name(asm)?;
    let section = if asm.reader.cursor.eat_after_blanks(b',') {
        let (kind, flags) = section_attributes(asm, &name)?;
        match asm.output.sections.iter().position(|s| s.name == name) {
            Some(index) => index as u32,
            None => asm.output.add_section(&name, kind, flags),
        }
    } else {
        asm.output.section_named(&name)
    };
    if asm
        .output
        .sections
        .get(section as usize)
        .is_none_or(|s| s.name != name)
    {
        return Err(fail(
            &ids::SECTION_LIMIT,
            start..asm.reader.cursor.pos(),
            "too many sections",
        ));
    }
    if push {
        if asm.output.stack.len() >= MAX_SECTION_STACK {
            return Err(fail(
                &ids::SECTION_LIMIT,
                start..asm.reader.cursor.pos(),
                "too many sections on the stack",
            ));
        }
        asm.output
            .stack
            .push((asm.output.current, asm.output.previous));
    }
    asm.output.enter(section);
    Ok(())
}

/// Address that the current section is linked at.
pub(crate) fn section_address(asm: &mut Assembler<'_>, span: Range<usize>) -> Result<(), Fail> {
    let address = asm
        .absolute_within("the address", 0, i64::MAX)?
        .cast_unsigned();
    let Some(section) = asm.output.sections.get_mut(asm.output.current as usize) else {
        return Ok(());
    };
    match section.address.replace(address) {
        Some(other) if other != address => Err(fail(
            &ids::SECTION_ADDRESS,
            span,
            format!("section `{}` is at {other:#x} already", section.name),
        )),
        _ => Ok(()),
    }
}

/// Parses a section name, which may contain dashes, for example `.note.GNU-stack`.
fn section_name(asm: &mut Assembler<'_>) -> Result<String, Fail> {
    asm.reader.cursor.skip_blanks();
    if asm.reader.cursor.peek() == b'"' {
        return Ok(asm.reader.cursor.name()?.into_owned());
    }
    let start = asm.reader.cursor.pos();
    loop {
        let word = asm.reader.cursor.word().is_some() || asm.reader.cursor.digits().is_some();
        if !word && !asm.reader.cursor.eat(b'-') {
            break;
        }
    }
    let name = asm.reader.cursor.slice(start..asm.reader.cursor.pos());
    if name.is_empty() {
        return Err(asm.reader.cursor.expected("the section's name"));
    }
    Ok(name.to_owned())
}

/// Parses flags in an older syntax: `#alloc,#write,#execinstr`.
fn named_flags(asm: &mut Assembler<'_>) -> Result<SectionFlags, Fail> {
    let mut flags = SectionFlags::default();
    loop {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        if !asm.reader.cursor.eat(b'#') {
            return Err(asm.reader.cursor.expected("`#` and a flag"));
        }
        match &*asm.reader.cursor.name()? {
            "alloc" => flags.alloc = true,
            "write" => flags.write = true,
            "execinstr" => flags.exec = true,
            name => {
                let message = format!("unknown section flag `#{}`", name.escape_debug());
                return Err(fail(
                    &ids::SECTION_ATTRIBUTE,
                    start..asm.reader.cursor.pos(),
                    message,
                )
                .with_help("the flags are #alloc, #write and #execinstr"));
            }
        }
        if !asm.reader.cursor.eat_after_blanks(b',') {
            return Ok(flags);
        }
    }
}

fn section_attributes(
    asm: &mut Assembler<'_>,
    name: &str,
) -> Result<(SectionKind, SectionFlags), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    if asm.reader.cursor.peek() == b'#' {
        let kind = if is_zeros(name) {
            SectionKind::NoBits
        } else {
            SectionKind::ProgBits
        };
        return Ok((kind, named_flags(asm)?));
    }
    let letters = asm.reader.cursor.string()?;
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
                return Err(fail(
                    &ids::SECTION_ATTRIBUTE,
                    start..asm.reader.cursor.pos(),
                    format!(
                        "unknown section flag `{}`",
                        char::from(letter).escape_debug()
                    ),
                )
                .with_help(
                    "the flags are a (loaded), w (written), x (code), M (merged), S (strings)",
                ));
            }
        }
    }
    let mut kind = match name {
        _ if is_zeros(name) => SectionKind::NoBits,
        _ if name.starts_with(".note") && name != ".note.GNU-stack" => SectionKind::Note,
        _ => SectionKind::ProgBits,
    };
    if asm.reader.cursor.eat_after_blanks(b',') {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        let _ = asm.reader.cursor.eat(b'@') || asm.reader.cursor.eat(b'%');
        let word = asm.reader.cursor.name()?;
        kind = match &*word {
            "progbits" => SectionKind::ProgBits,
            "nobits" => SectionKind::NoBits,
            "note" => SectionKind::Note,
            _ => match OTHER_SECTION_TYPES.iter().find(|(name, _)| *name == word) {
                Some(&(_, number)) => SectionKind::Other(number),
                None => {
                    let message = format!("unknown section type `{word}`");
                    return Err(fail(&ids::SECTION_ATTRIBUTE, start..asm.reader.cursor.pos(), message)
                        .with_help("the types are @progbits, @nobits, @note, @init_array, @fini_array and @preinit_array"));
                }
            },
        };
        if !names_group && !names_section || flags.merge {
            asm.optional_absolute("the size of an element")?;
        }
    }
    // In a program of one source, each group occurs once and is never discarded, and links between sections do not
    // matter.
    for is_named in [names_group, names_section] {
        if is_named {
            asm.comma("the name of a group or a section")?;
            asm.reader.cursor.name()?;
        }
    }
    if names_group && asm.reader.cursor.eat_after_blanks(b',') {
        asm.reader.cursor.skip_blanks();
        let start = asm.reader.cursor.pos();
        if &*asm.reader.cursor.name()? != "comdat" {
            let here = start..asm.reader.cursor.pos();
            return Err(fail(
                &ids::SECTION_ATTRIBUTE,
                here,
                "only `comdat` may follow the name of a group",
            ));
        }
    }
    Ok((kind, flags))
}

/// Returns true if a section of this name contains only zeros and takes no space in the file.
fn is_zeros(name: &str) -> bool {
    name == ".bss" || name.starts_with(".bss.")
}

/// `.text` and other section names used as directives.
pub(crate) fn enter_named(asm: &mut Assembler<'_>, name: &str) {
    let section = asm.output.section_named(name);
    asm.output.enter(section);
}

/// `.popsection`
pub(crate) fn pop(asm: &mut Assembler<'_>, span: Range<usize>) -> Result<(), Fail> {
    match asm.output.stack.pop() {
        Some((current, previous)) => {
            (asm.output.current, asm.output.previous) = (current, previous);
            Ok(())
        }
        None => Err(fail(
            &ids::UNOPENED_BLOCK,
            span,
            "`.popsection` without `.pushsection`",
        )),
    }
}
