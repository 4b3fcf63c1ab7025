//! Section directives.

use std::ops::Range;

use crate::assembler::layout::{
    ABSOLUTE, Layout, MAX_SECTIONS, OTHER_SECTION_TYPES, SectionLayout, section_default,
};
use crate::assembler::output::MAX_NOBITS;
use crate::assembler::parser::Parser;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::program::{SectionFlags, SectionKind};

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

/// Attributes that a section directive states.
struct StatedAttributes {
    kind: Option<SectionKind>,
    /// Flags, including the defaults for the section's name.
    flags: SectionFlags,
    has_flags: bool,
    /// True for a group member or a section linked to another; sections of its name may have other attributes.
    shares_name: bool,
    /// Number after `unique`.
    unique: Option<i64>,
}

impl StatedAttributes {
    /// Checks that the stated attributes are those that the section already has.
    fn check(&self, section: &SectionLayout, span: &Range<usize>) -> Result<(), Fail> {
        let is_same_kind = self.kind.is_none_or(|kind| kind == section.kind);
        let states = self.has_flags || self.kind.is_some();
        let is_same = is_same_kind && !(states && self.flags != section.flags);
        if is_same || self.shares_name {
            return Ok(());
        }
        let name = &section.name;
        let message = match is_same_kind {
            true => format!(
                "section `{name}` has the flags \"{}\"",
                letters(section.flags)
            ),
            false => format!("section `{name}` has another type"),
        };
        Err(fail(&ids::SECTION_ATTRIBUTE, span.clone(), message)
            .with_help("the attributes of a section cannot change"))
    }
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
    let unique = attributes.as_ref().and_then(|stated| stated.unique);
    let known = match unique {
        Some(_) => layout.find_unique(&name, unique),
        None => layout
            .find(&name)
            .or_else(|| layout.standard_section(&name)),
    };
    let mut checked = Ok(());
    let section = match (&attributes, known) {
        (Some(stated), Some(index)) => {
            if let Some(section) = layout.sections.get(index as usize) {
                checked = stated.check(section, &span);
            }
            index
        }
        (None, Some(index)) => index,
        (_, None) if layout.sections.len() >= MAX_SECTIONS => {
            return Err(fail(&ids::SECTION_LIMIT, span, "too many sections"));
        }
        (Some(stated), None) => {
            let kind = stated.kind.unwrap_or(section_default(&name).0);
            let index = layout.add_section(&name, kind, stated.flags);
            if let Some(section) = layout.sections.get_mut(index as usize) {
                section.unique = unique;
            }
            index
        }
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
    checked
}

/// Formats section flags as letters, as in `.section`.
fn letters(flags: SectionFlags) -> String {
    let all = [
        (flags.alloc, 'a'),
        (flags.write, 'w'),
        (flags.exec, 'x'),
        (flags.merge, 'M'),
        (flags.strings, 'S'),
    ];
    let set = all.into_iter().filter(|(is_set, _)| *is_set);
    set.map(|(_, letter)| letter).collect()
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

/// Parses section flags in an older syntax, `#alloc,#write,#execinstr`, and adds them to `flags`.
fn named_flags(cursor: &mut Cursor<'_>, flags: &mut SectionFlags) -> Result<(), Fail> {
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
            return Ok(());
        }
    }
}

fn section_attributes(parser: &mut Parser<'_>, name: &str) -> Result<StatedAttributes, Fail> {
    let start = parser.cursor.token_start();
    let mut stated = StatedAttributes {
        kind: None,
        flags: match section_default(name) {
            (SectionKind::Note, _) => SectionFlags::default(),
            (_, flags) => flags,
        },
        has_flags: true,
        shares_name: false,
        unique: None,
    };
    if parser.cursor.peek() == b'#' {
        named_flags(&mut parser.cursor, &mut stated.flags)?;
        return Ok(stated);
    }
    let letters = parser.cursor.string()?;
    stated.has_flags = !letters.is_empty();
    let flags = &mut stated.flags;
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
    stated.shares_name = names_group || names_section;
    let mut is_unique = false;
    if parser.cursor.eat_after_blanks(b',') {
        stated.kind = Some(section_type(&mut parser.cursor)?);
        is_unique = eat_unique(&mut parser.cursor);
        if !is_unique && (!stated.shares_name || stated.flags.merge) {
            parser.optional_absolute("the size of an element")?;
        }
    }
    // In a program with one source, each group occurs once and is never discarded, and links between sections have no
    // effect.
    for is_named in [names_section, names_group] {
        if is_named {
            parser.cursor.comma("the name of a group or a section")?;
            parser.cursor.name()?;
        }
    }
    is_unique = is_unique || eat_unique(&mut parser.cursor);
    if names_group && !is_unique && parser.cursor.eat_after_blanks(b',') {
        let start = parser.cursor.token_start();
        if &*parser.cursor.name()? != "comdat" {
            let here = parser.cursor.since(start);
            let message = "only `comdat` may follow the name of a group";
            return Err(fail(&ids::SECTION_ATTRIBUTE, here, message));
        }
        is_unique = eat_unique(&mut parser.cursor);
    }
    if is_unique {
        parser.cursor.comma("the number of the section")?;
        let number = parser.absolute_within("the section's number", 0, i64::from(u32::MAX) - 1)?;
        stated.unique = Some(number);
    }
    Ok(stated)
}

/// Consumes a comma and `unique`, if they are next.
fn eat_unique(cursor: &mut Cursor<'_>) -> bool {
    let mut probe = cursor.clone();
    if !probe.eat_after_blanks(b',') {
        return false;
    }
    probe.skip_blanks();
    let is_next = probe.word() == Some("unique");
    if is_next {
        *cursor = probe;
    }
    is_next
}

/// Parses a section's type: `@progbits`.
fn section_type(cursor: &mut Cursor<'_>) -> Result<SectionKind, Fail> {
    let start = cursor.token_start();
    let _ = cursor.eat(b'@') || cursor.eat(b'%');
    let word = cursor.name()?;
    match &*word {
        "progbits" => return Ok(SectionKind::ProgBits),
        "nobits" => return Ok(SectionKind::NoBits),
        "note" => return Ok(SectionKind::Note),
        _ => {}
    }
    match OTHER_SECTION_TYPES.iter().find(|(name, _)| *name == word) {
        Some(&(_, number)) => Ok(SectionKind::Other(number)),
        None => {
            let message = format!("unknown section type `{word}`");
            Err(fail(&ids::SECTION_ATTRIBUTE, cursor.since(start), message)
                .with_help("the types are @progbits, @nobits, @note, @init_array, @fini_array and @preinit_array"))
        }
    }
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
