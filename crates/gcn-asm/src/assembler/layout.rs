//! Section layout: names, attributes, sizes and the location counter.

use crate::program::{SectionFlags, SectionKind};

/// Section count at which `.section` and `.pushsection` refuse to add another. Keeps section indices within 16 bits, with
/// room for sections added by other directives.
pub(crate) const MAX_SECTIONS: usize = 4096;
/// Pseudo-section whose offsets are plain numbers; omitted from code objects.
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

/// Default kinds and flags of well-known sections.
const SECTION_DEFAULTS: &[(&str, SectionKind, SectionFlags)] = &[
    (".text", SectionKind::ProgBits, CODE),
    (".data", SectionKind::ProgBits, DATA),
    (".bss", SectionKind::NoBits, DATA),
    (".rodata", SectionKind::ProgBits, READ_ONLY),
    (".note", SectionKind::Note, READ_ONLY),
];
/// Sections treated as predefined, so that no directive can change their attributes.
pub(crate) const STANDARD: [&str; 4] = [".text", ".data", ".bss", ".rodata"];
/// ELF types of sections that contain arrays of function pointers for the loader, with their numbers.
pub(crate) const OTHER_SECTION_TYPES: &[(&str, u32)] = &[
    ("init_array", 14),
    ("fini_array", 15),
    ("preinit_array", 16),
];

/// Default kind and flags of a section; for example, `.text.foo` gets those of `.text`.
pub(crate) fn section_default(name: &str) -> (SectionKind, SectionFlags) {
    let is_prefix = |prefix: &str| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if let Some(&(_, kind, flags)) = SECTION_DEFAULTS.iter().find(|row| is_prefix(row.0)) {
        return (kind, flags);
    }
    let mut arrays = OTHER_SECTION_TYPES.iter();
    match arrays.find(|(array, _)| is_prefix(&format!(".{array}"))) {
        Some(&(_, number)) => (SectionKind::Other(number), DATA),
        None => (SectionKind::ProgBits, SectionFlags::default()),
    }
}

/// A section's attributes and size, without its contents.
pub(crate) struct SectionLayout {
    pub name: String,
    /// Number from `unique`, which distinguishes sections of the same name.
    pub unique: Option<i64>,
    pub kind: SectionKind,
    pub flags: SectionFlags,
    /// Alignment in bytes.
    pub align: u64,
    /// Link address, if the source specifies one.
    pub address: Option<u64>,
    /// Current size in bytes.
    pub size: u64,
}

/// Sections in order of appearance, and the current one.
pub(crate) struct Layout {
    pub sections: Vec<SectionLayout>,
    pub current: u32,
    pub previous: u32,
    /// `.pushsection` stack of current and previous sections.
    pub stack: Vec<(u32, u32)>,
}

impl Layout {
    /// Creates a layout with only `.text`, as the current section.
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

    /// Location counter: section index and offset.
    pub(crate) fn here(&self) -> (u32, u64) {
        let size = self.section().map_or(0, |section| section.size);
        (self.current, size)
    }

    /// Returns true if offsets in the current section are plain numbers, as within `.struct`.
    pub(crate) fn is_absolute(&self) -> bool {
        self.section()
            .is_some_and(|section| section.name == ABSOLUTE)
    }

    pub(crate) fn section(&self) -> Option<&SectionLayout> {
        self.sections.get(self.current as usize)
    }

    pub(crate) fn section_mut(&mut self) -> Option<&mut SectionLayout> {
        self.sections.get_mut(self.current as usize)
    }

    /// Index of the section called `name` that has no `unique` number.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.find_unique(name, None)
    }

    /// Index of the section with this name and `unique` number.
    pub(crate) fn find_unique(&self, name: &str, unique: Option<i64>) -> Option<u32> {
        let mut sections = self.sections.iter();
        let index = sections.position(|s| s.name == name && s.unique == unique);
        index.map(|index| index as u32)
    }

    /// Raises a section's alignment to at least `align` bytes.
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
        self.sections.push(SectionLayout {
            name: name.to_owned(),
            unique: None,
            kind,
            flags,
            // Instructions are dword-aligned.
            align: if flags.exec { 4 } else { 1 },
            address: None,
            size: 0,
        });
        index as u32
    }

    /// Index of the section called `name`, created with its default attributes if needed.
    pub(crate) fn section_named(&mut self, name: &str) -> u32 {
        if let Some(index) = self.find(name) {
            return index;
        }
        let (kind, flags) = section_default(name);
        self.add_section(name, kind, flags)
    }

    /// Index of a [`STANDARD`] section, created if needed; `None` for other names.
    pub(crate) fn standard_section(&mut self, name: &str) -> Option<u32> {
        STANDARD.contains(&name).then(|| self.section_named(name))
    }

    pub(crate) fn enter(&mut self, section: u32) {
        self.previous = self.current;
        self.current = section;
    }
}
