//! Assembled output: sections with bytes, records of instructions, and fixups.

use std::ops::Range;

use gcn_isa::Form;
use gcn_object::RelocationKind;

use crate::argument::DelayedValue;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::encode::DelayedField;
use crate::ids;
use crate::program::{PackedInstruction, ProgramSection, SectionFlags, SectionKind};

/// Maximum section size in bytes; anything larger is a mistake and must not exhaust memory.
const MAX_SECTION: u64 = 1 << 28;
/// Maximum size of a section of zeros, which take no memory.
pub(crate) const MAX_NOBITS: u64 = 1 << 40;
/// Maximum number of sections, small enough for every field that stores a section index.
const MAX_SECTIONS: usize = 4096;
/// Pseudo-section whose offsets are plain numbers. It is not part of a code object.
pub(crate) const ABSOLUTE: &str = "*ABS*";
/// Maximum alignment in bytes.
pub(crate) const MAX_ALIGN: i64 = 1 << 16;
/// Encoding of S_NOP, which pads code.
pub(crate) const NOP: [u8; 4] = 0xbf80_0000u32.to_le_bytes();

const CODE: SectionFlags = SectionFlags {
    alloc: true,
    write: false,
    exec: true,
    merge: false,
    strings: false,
};
const READ_ONLY: SectionFlags = SectionFlags {
    exec: false,
    ..CODE
};
const DATA: SectionFlags = SectionFlags {
    write: true,
    ..READ_ONLY
};

/// Kinds and flags of sections by name, used if no attributes are given.
pub(crate) const SECTION_DEFAULTS: &[(&str, SectionKind, SectionFlags)] = &[
    (".text", SectionKind::ProgBits, CODE),
    (".data", SectionKind::ProgBits, DATA),
    (".bss", SectionKind::NoBits, DATA),
    (".rodata", SectionKind::ProgBits, READ_ONLY),
    (".note", SectionKind::Note, READ_ONLY),
];

/// Sections, the current one, and fixups.
#[derive(Default)]
pub(crate) struct AssembledSections {
    pub sections: Vec<ProgramSection>,
    /// Index of the current section.
    pub current: u32,
    pub previous: u32,
    /// Stack of `.pushsection`: current and previous section.
    pub stack: Vec<(u32, u32)>,
    pub fixups: Vec<Fixup>,
    pub relocs: Vec<RelocDirective>,
    pub marks: Vec<PackedInstruction>,
}

/// A field to be filled in at the end of the source.
#[derive(Clone, Debug)]
pub(crate) struct Fixup {
    pub section: u32,
    /// Offset of the datum or instruction in the section, in bytes.
    pub offset: u64,
    pub kind: FixupKind,
    pub value: DelayedValue,
    pub span: Range<usize>,
    /// Form of the instruction that contains the field, and the index of its record.
    pub instruction: Option<(&'static Form, usize)>,
}

impl Fixup {
    /// Returns true for a branch to a label in the same section that is already defined.
    pub(crate) fn is_to_label_before(&self) -> bool {
        let DelayedValue::Value(value) = self.value else {
            return false;
        };
        let place = value.plus.and_then(|term| term.place);
        self.kind == FixupKind::Branch
            && value.minus.is_none()
            && place.is_some_and(|(section, _)| section == self.section)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FixupKind {
    /// A datum with this width in bytes.
    Data(u8),
    /// The literal dword of an instruction.
    Literal,
    /// A branch offset.
    Branch,
    /// Another numeric field of an instruction.
    Field(DelayedField),
}

/// A relocation that `.reloc` requests explicitly.
#[derive(Clone, Debug)]
pub(crate) struct RelocDirective {
    pub section: u32,
    pub place: DelayedValue,
    pub kind: RelocationKind,
    pub value: DelayedValue,
    pub span: Range<usize>,
}

impl AssembledSections {
    /// Section index and offset of the next byte.
    pub(crate) fn here(&self) -> (u32, u64) {
        let size = self.section().map_or(0, |s| s.size);
        (self.current, size)
    }

    /// Returns true if offsets in the current section are plain numbers, as in `.struct`.
    pub(crate) fn is_absolute(&self) -> bool {
        self.section()
            .is_some_and(|section| section.name == ABSOLUTE)
    }

    pub(crate) fn section(&self) -> Option<&ProgramSection> {
        self.sections.get(self.current as usize)
    }

    pub(crate) fn section_mut(&mut self) -> Option<&mut ProgramSection> {
        self.sections.get_mut(self.current as usize)
    }

    pub(crate) fn add_section(
        &mut self,
        name: &str,
        kind: SectionKind,
        flags: SectionFlags,
    ) -> u32 {
        let index = self.sections.len();
        if index >= MAX_SECTIONS {
            return 0;
        }
        self.sections.push(ProgramSection {
            name: name.to_owned(),
            kind,
            flags,
            // Instructions are aligned to words.
            align: if flags.exec { 4 } else { 1 },
            address: None,
            bytes: Vec::new(),
            size: 0,
            relocations: Vec::new(),
        });
        index as u32
    }

    /// Section with this name; created with the default attributes for the name if it does not exist.
    pub(crate) fn section_named(&mut self, name: &str) -> u32 {
        if let Some(index) = self.sections.iter().position(|s| s.name == name) {
            return index as u32;
        }
        let (kind, flags) = SECTION_DEFAULTS
            .iter()
            .find(|(prefix, ..)| {
                name.strip_prefix(prefix)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
            .map_or(
                (SectionKind::ProgBits, SectionFlags::default()),
                |&(_, kind, flags)| (kind, flags),
            );
        self.add_section(name, kind, flags)
    }

    pub(crate) fn enter(&mut self, section: u32) {
        self.previous = self.current;
        self.current = section;
    }

    /// Appends bytes to the current section.
    pub(crate) fn emit(&mut self, bytes: &[u8], span: &Range<usize>) -> Result<(), Fail> {
        let Some(section) = self.section_mut() else {
            return Ok(());
        };
        if section.kind == SectionKind::NoBits {
            if bytes.iter().any(|&b| b != 0) {
                let message = format!("section `{}` holds no bytes, only zeros", section.name);
                return Err(fail(&ids::ZEROS_SECTION, span.clone(), message)
                    .with_help("put data into `.data` or `.rodata`, code into `.text`"));
            }
            return self.emit_zeros(bytes.len() as u64, span);
        }
        let size = section.size + bytes.len() as u64;
        if size > MAX_SECTION {
            return Err(too_large(span));
        }
        section.bytes.extend_from_slice(bytes);
        section.size = size;
        Ok(())
    }

    /// Appends zeros to the current section.
    pub(crate) fn emit_zeros(&mut self, count: u64, span: &Range<usize>) -> Result<(), Fail> {
        let Some(section) = self.section_mut() else {
            return Ok(());
        };
        let limit = match section.kind {
            SectionKind::NoBits => MAX_NOBITS,
            _ => MAX_SECTION,
        };
        let size = section.size.saturating_add(count);
        if size > limit {
            return Err(too_large(span));
        }
        if section.kind != SectionKind::NoBits {
            section.bytes.resize(size as usize, 0);
        }
        section.size = size;
        Ok(())
    }

    /// Overwrites bytes that were already emitted.
    pub(crate) fn patch(&mut self, section: u32, offset: u64, bytes: &[u8]) {
        let place = self
            .sections
            .get_mut(section as usize)
            .and_then(|s| s.bytes.get_mut(offset as usize..))
            .and_then(|rest| rest.get_mut(..bytes.len()));
        if let Some(place) = place {
            place.copy_from_slice(bytes);
        }
    }
}

fn too_large(span: &Range<usize>) -> Fail {
    fail(
        &ids::SECTION_LIMIT,
        span.clone(),
        "the section would become too large",
    )
    .with_help(format!("at most {MAX_SECTION} bytes are possible"))
}

/// Checks that a number fits into a field, signed or unsigned.
pub(crate) fn check_width(number: i64, width: u8, span: &Range<usize>) -> Result<(), Fail> {
    let bits = u32::from(width) * 8;
    if bits >= 64 {
        return Ok(());
    }
    let high = (1i64 << bits) - 1;
    let low = -(1i64 << (bits - 1));
    if (low..=high).contains(&number) {
        Ok(())
    } else {
        Err(fail(
            &ids::VALUE_RANGE,
            span.clone(),
            format!("{number} is out of range {low} to {high}"),
        ))
    }
}
