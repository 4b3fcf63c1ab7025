//! Layout of the sections: names, attributes, sizes, and the location counter.

use crate::program::{SectionFlags, SectionKind};

/// Maximum number of sections, small enough for every field that stores a section index.
const MAX_SECTIONS: usize = 4096;
/// Pseudo-section whose offsets are plain numbers. It is not part of a code object.
pub(crate) const ABSOLUTE: &str = "*ABS*";
/// Maximum alignment in bytes.
pub(crate) const MAX_ALIGN: i64 = 1 << 16;

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

/// A section without its contents.
pub(crate) struct SectionLayout {
    pub name: String,
    pub kind: SectionKind,
    pub flags: SectionFlags,
    /// Alignment in bytes.
    pub align: u64,
    /// Address at which the section is linked, if the source states it.
    pub address: Option<u64>,
    /// Size in bytes so far.
    pub size: u64,
}

/// Sections in order of appearance, and the current one.
pub(crate) struct Layout {
    pub sections: Vec<SectionLayout>,
    /// Index of the current section.
    pub current: u32,
    pub previous: u32,
    /// Stack of `.pushsection`: current and previous section.
    pub stack: Vec<(u32, u32)>,
}

impl Layout {
    /// Creates a layout whose current section is `.text`.
    pub(crate) fn new() -> Layout {
        let mut layout = Layout {
            sections: Vec::new(),
            current: 0,
            previous: 0,
            stack: Vec::new(),
        };
        layout.section_named(crate::program::TEXT);
        layout
    }

    /// Section index and offset of the next byte.
    pub(crate) fn here(&self) -> (u32, u64) {
        let size = self.section().map_or(0, |section| section.size);
        (self.current, size)
    }

    /// Returns true if offsets in the current section are plain numbers, as in `.struct`.
    pub(crate) fn is_absolute(&self) -> bool {
        self.section()
            .is_some_and(|section| section.name == ABSOLUTE)
    }

    /// The current section.
    pub(crate) fn section(&self) -> Option<&SectionLayout> {
        self.sections.get(self.current as usize)
    }

    /// The current section.
    pub(crate) fn section_mut(&mut self) -> Option<&mut SectionLayout> {
        self.sections.get_mut(self.current as usize)
    }

    /// Index of the section with this name.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let index = self.sections.iter().position(|s| s.name == name);
        index.map(|index| index as u32)
    }

    /// Raises the alignment of a section to at least `align` bytes.
    pub(crate) fn align(&mut self, section: u32, align: u64) {
        if let Some(section) = self.sections.get_mut(section as usize) {
            section.align = section.align.max(align);
        }
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
        self.sections.push(SectionLayout {
            name: name.to_owned(),
            kind,
            flags,
            // Instructions are aligned to words.
            align: if flags.exec { 4 } else { 1 },
            address: None,
            size: 0,
        });
        index as u32
    }

    /// Section with this name; created with the default attributes for the name if it does not exist.
    pub(crate) fn section_named(&mut self, name: &str) -> u32 {
        if let Some(index) = self.find(name) {
            return index;
        }
        let is_prefix = |prefix: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let default = SECTION_DEFAULTS.iter().find(|row| is_prefix(row.0));
        let (kind, flags) = default.map_or(
            (SectionKind::ProgBits, SectionFlags::default()),
            |&(_, kind, flags)| (kind, flags),
        );
        self.add_section(name, kind, flags)
    }

    pub(crate) fn enter(&mut self, section: u32) {
        self.previous = self.current;
        self.current = section;
    }
}
