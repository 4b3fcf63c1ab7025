//! Lays out the file: orders sections and assigns addresses and offsets.

use std::borrow::Cow;

use hashbrown::HashSet;
use object::elf;

use super::encode::*;
use super::error::WriteError;
use super::input::{Builder, Definition, InputSection, RelocationBase, SectionContents, SectionId};
use super::relocate::{dynamic_name, dynamic_symbols};
use crate::elf::PAGE;
use crate::image::MAX_IMAGE_BYTES;
use crate::note::{self, Note};

pub(super) struct OutputSection<'a> {
    pub(super) name: &'a str,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) align: u64,
    pub(super) size: u64,
    /// Section contents. Empty for sections without bytes in the file, and for tables that have not been filled.
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) link: u32,
    pub(super) info: u32,
    pub(super) entry: u64,
    /// True if the input requires this address.
    pub(super) is_fixed: bool,
    pub(super) address: u64,
    pub(super) offset: u64,
}

impl OutputSection<'_> {
    pub(super) fn table(
        name: &'static str,
        kind: elf::SectionType,
        flags: elf::SectionFlags,
        align: u64,
        size: u64,
    ) -> Self {
        Self {
            name,
            kind: kind.0,
            flags: flags.0,
            align,
            size,
            bytes: Cow::default(),
            link: 0,
            info: 0,
            entry: 0,
            is_fixed: false,
            address: 0,
            offset: 0,
        }
    }

    pub(super) fn has(&self, flag: elf::SectionFlags) -> bool {
        self.flags & flag.0 != 0
    }

    pub(super) fn in_file(&self) -> bool {
        self.kind != elf::SHT_NOBITS.0
    }

    /// Checks that the required address is aligned and is not below `free`, the first unused address.
    pub(super) fn check_address(&self, free: u64) -> Result<(), WriteError> {
        let reason = if self.address < free {
            format!("the section before it ends at {free:#x}")
        } else if !self.address.is_multiple_of(self.align.max(1)) {
            format!("it is aligned to {} bytes", self.align)
        } else if self.address > MAX_IMAGE_BYTES {
            return Err(WriteError::TooLarge);
        } else {
            return Ok(());
        };
        Err(WriteError::Address {
            name: self.name.to_owned(),
            address: self.address,
            reason,
        })
    }

    /// Returns the segment key. Sections with the same access rights share a segment, which ends with those that have
    /// no bytes in the file.
    pub(super) fn group(&self) -> (bool, bool, bool) {
        (
            !self.has(elf::SHF_ALLOC),
            self.has(elf::SHF_WRITE),
            self.has(elf::SHF_EXECINSTR),
        )
    }
}

/// Range of sections with the same access rights, as indices into the file's sections.
pub(super) struct LoadSegment {
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) align: u64,
}

/// Segment that contains the file's headers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HeaderSegment {
    /// The first segment includes the headers.
    WithFirst,
    /// The headers have their own segment, so that the object begins on a page boundary even if the first section
    /// requires an address.
    Alone,
    /// The headers are not loaded, because a section requires an address in their range.
    NotLoaded,
}

pub(super) struct FileLayout<'a> {
    pub(super) outputs: Vec<OutputSection<'a>>,
    pub(super) loads: Vec<LoadSegment>,
    pub(super) headers: HeaderSegment,
    /// Index in `outputs` of each builder section.
    pub(super) placed: Vec<usize>,
    pub(super) dynamic: HashSet<usize>,
    /// Targets in `.dynsym`; the first `dynamic_locals` are local symbols.
    pub(super) dynamic_symbols: Vec<RelocationBase>,
    pub(super) dynamic_locals: usize,
    pub(super) dynamic_names: Strings<'a>,
    pub(super) symbol_names: Strings<'a>,
    pub(super) section_names: Strings<'a>,
    /// Offset of the section headers, which follow all other contents.
    pub(super) headers_at: u64,
}

impl<'a> FileLayout<'a> {
    pub(super) fn new(
        builder: &'a Builder<'_>,
        dynamic: HashSet<usize>,
    ) -> Result<Self, WriteError> {
        let (dynamic_symbols, dynamic_locals) = dynamic_symbols(builder, &dynamic);
        let mut dynamic_names = Strings::default();
        for target in &dynamic_symbols {
            dynamic_names.add(dynamic_name(builder, *target));
        }
        let mut layout = Self {
            outputs: vec![OutputSection::table(
                "",
                elf::SHT_NULL,
                elf::SectionFlags(0),
                0,
                0,
            )],
            loads: Vec::new(),
            headers: HeaderSegment::WithFirst,
            placed: Vec::new(),
            dynamic,
            dynamic_symbols,
            dynamic_locals,
            dynamic_names,
            symbol_names: Strings::default(),
            section_names: Strings::default(),
            headers_at: 0,
        };
        layout.add_outputs(builder);
        layout.place()?;
        Ok(layout)
    }

    pub(super) fn add_outputs(&mut self, builder: &'a Builder<'_>) {
        let alloc = elf::SHF_ALLOC;
        let mut made = Vec::new();
        if let Some(metadata) = &builder.metadata {
            let note = Note {
                owner: note::AMDGPU,
                kind: note::METADATA,
                description: metadata,
            };
            let note = note.encode();
            let size = note.len() as u64;
            let output = OutputSection::table(".note", elf::SHT_NOTE, alloc, note::ALIGN, size);
            made.push(OutputSection {
                bytes: note.into(),
                ..output
            });
        }
        let count = self.dynamic_symbols.len() as u64 + 1;
        let table = |name, kind, align, size, entry| OutputSection {
            entry,
            ..OutputSection::table(name, kind, alloc, align, size)
        };
        made.push(table(
            DYNSYM,
            elf::SHT_DYNSYM,
            WORD_ALIGN,
            count * SYMBOL,
            SYMBOL,
        ));
        made.push(table(
            HASH,
            elf::SHT_HASH,
            HASH_WORD,
            (2 + 2 * count) * HASH_WORD,
            HASH_WORD,
        ));
        let names = self.dynamic_names.bytes.clone();
        let dynstr = table(DYNSTR, elf::SHT_STRTAB, 1, names.len() as u64, 0);
        made.push(OutputSection {
            bytes: names.into(),
            ..dynstr
        });
        if !self.dynamic.is_empty() {
            made.push(table(
                RELA_DYN,
                elf::SHT_RELA,
                WORD_ALIGN,
                self.dynamic.len() as u64 * RELA,
                RELA,
            ));
        }
        let entries = self.dynamic_entries(builder).len() as u64;
        let writable = elf::SectionFlags(alloc.0 | elf::SHF_WRITE.0);
        let output = OutputSection::table(
            DYNAMIC_NAME,
            elf::SHT_DYNAMIC,
            writable,
            WORD_ALIGN,
            entries * DYNAMIC,
        );
        made.push(OutputSection {
            entry: DYNAMIC,
            ..output
        });

        // The sort is stable: among equal keys, tables stay before the builder's sections, which keep their order.
        let mut all: Vec<(Option<usize>, OutputSection<'_>)> =
            made.into_iter().map(|output| (None, output)).collect();
        all.extend(
            builder
                .sections
                .iter()
                .enumerate()
                .map(|(index, section)| (Some(index), section.output())),
        );
        all.sort_by_key(|(_, output)| {
            let usual = (output.group(), !output.in_file());
            (!output.is_fixed, output.address, usual)
        });
        self.placed = vec![0; builder.sections.len()];
        for (from, output) in all {
            if let Some(place) = from.and_then(|index| self.placed.get_mut(index)) {
                *place = self.outputs.len();
            }
            self.outputs.push(output);
        }

        let symbols = builder
            .symbols
            .iter()
            .filter(|symbol| symbol.definition != Definition::Undefined);
        let mut count = 1;
        for symbol in symbols {
            self.symbol_names.add(&symbol.name);
            count += 1;
        }
        let no_flags = elf::SectionFlags(0);
        let symtab = OutputSection::table(
            SYMTAB,
            elf::SHT_SYMTAB,
            no_flags,
            WORD_ALIGN,
            count * SYMBOL,
        );
        self.outputs.push(OutputSection {
            entry: SYMBOL,
            ..symtab
        });
        for (name, bytes) in [
            (SHSTRTAB, Vec::new()),
            (STRTAB, self.symbol_names.bytes.clone()),
        ] {
            let size = bytes.len() as u64;
            self.outputs.push(OutputSection {
                bytes: bytes.into(),
                ..OutputSection::table(name, elf::SHT_STRTAB, no_flags, 1, size)
            });
        }
        let mut names = Strings::default();
        for output in &self.outputs {
            names.add(output.name);
        }
        if let Some(output) = self.find_mut(SHSTRTAB) {
            output.size = names.bytes.len() as u64;
            output.bytes = names.bytes.clone().into();
        }
        self.section_names = names;
    }

    /// Assigns file offsets and addresses to sections. Both are equal modulo the page size, so that a loader can map
    /// the file.
    pub(super) fn place(&mut self) -> Result<(), WriteError> {
        let mut first = 1;
        while let Some(count) = self.load_length(first) {
            let outputs = self.outputs.get(first..).unwrap_or_default();
            let align = outputs.iter().take(count).map(|output| output.align).max();
            self.loads.push(LoadSegment {
                first,
                end: first + count,
                align: align.unwrap_or(1).max(PAGE),
            });
            first += count;
        }
        if let Some(fixed) = self.outputs.get(1).filter(|output| output.is_fixed) {
            let address = fixed.address;
            self.headers = HeaderSegment::Alone;
            if address < self.headers_size() {
                self.headers = HeaderSegment::NotLoaded;
            }
        }
        let mut offset = self.headers_size();
        let mut address = match self.headers {
            HeaderSegment::NotLoaded => 0,
            HeaderSegment::WithFirst | HeaderSegment::Alone => offset,
        };
        for (index, load) in self.loads.iter().enumerate() {
            let outputs = self
                .outputs
                .get_mut(load.first..load.end)
                .unwrap_or_default();
            match outputs.first() {
                Some(fixed) if fixed.is_fixed => {
                    fixed.check_address(address)?;
                    address = fixed.address;
                    let in_page = address % PAGE;
                    offset = align_up(offset.saturating_sub(in_page), PAGE) + in_page;
                }
                Some(free) if index != 0 => {
                    offset = align_up(offset, free.align);
                    address = align_up(address, load.align) + offset % load.align;
                }
                _ => {}
            }
            for output in outputs {
                if output.in_file() {
                    let padding = align_up(offset, output.align) - offset;
                    offset += padding;
                    address += padding;
                } else {
                    address = align_up(address, output.align);
                }
                (output.offset, output.address) = (offset, address);
                address += output.size;
                if output.in_file() {
                    offset += output.size;
                }
            }
        }
        if address > MAX_IMAGE_BYTES {
            return Err(WriteError::TooLarge);
        }
        for output in self.outputs.iter_mut().skip(first) {
            offset = align_up(offset, output.align);
            output.offset = offset;
            if output.in_file() {
                offset += output.size;
            }
        }
        self.headers_at = align_up(offset, WORD_ALIGN);
        Ok(())
    }

    pub(super) fn notes(&self) -> impl Iterator<Item = &OutputSection<'a>> {
        self.outputs
            .iter()
            .filter(|output| output.kind == elf::SHT_NOTE.0 && output.has(elf::SHF_ALLOC))
    }

    /// Returns the number of sections, starting with `first`, that share a segment; `None` if section `first` is not
    /// loaded. A section with a required address has a separate segment.
    pub(super) fn load_length(&self, first: usize) -> Option<usize> {
        let rest = self.outputs.get(first..)?;
        let head = rest.first().filter(|output| output.has(elf::SHF_ALLOC))?;
        let group = head.group();
        let same = |output: &&OutputSection| output.group() == group;
        Some(match head.is_fixed {
            true => 1,
            false => rest.iter().take_while(same).count(),
        })
    }

    pub(super) fn program_header_count(&self) -> u64 {
        // Dynamic table and stack. If the program headers are loaded, also the headers themselves and, if separate,
        // their segment.
        let own = match self.headers {
            HeaderSegment::NotLoaded => 0,
            HeaderSegment::WithFirst => 1,
            HeaderSegment::Alone => 2,
        };
        2 + own + self.loads.len() as u64 + self.notes().count() as u64
    }

    /// Returns the size of the headers in bytes, after which section contents begin.
    pub(super) fn headers_size(&self) -> u64 {
        FILE_HEADER + PROGRAM_HEADER * self.program_header_count()
    }

    pub(super) fn index(&self, name: &str) -> u32 {
        self.outputs
            .iter()
            .position(|output| output.name == name)
            .unwrap_or(0) as u32
    }

    pub(super) fn find(&self, name: &str) -> Option<&OutputSection<'a>> {
        self.outputs.iter().find(|output| output.name == name)
    }

    pub(super) fn find_mut(&mut self, name: &str) -> Option<&mut OutputSection<'a>> {
        self.outputs.iter_mut().find(|output| output.name == name)
    }

    pub(super) fn output(&self, SectionId(section): SectionId) -> Option<&OutputSection<'a>> {
        self.outputs.get(*self.placed.get(section)?)
    }

    /// Returns the link-time value of operand S.
    pub(super) fn address(&self, builder: &Builder<'_>, target: RelocationBase) -> u64 {
        match builder.value(target) {
            Some((Some(section), offset)) => self
                .output(SectionId(section))
                .map_or(0, |output| output.address)
                .wrapping_add(offset),
            Some((None, value)) => value,
            None => 0,
        }
    }

    pub(super) fn dynamic_entries(&self, builder: &Builder<'_>) -> Vec<(i64, u64)> {
        let address = |name| self.find(name).map_or(0, |output| output.address);
        let mut entries = vec![
            (elf::DT_SYMTAB, address(DYNSYM)),
            (elf::DT_SYMENT, SYMBOL),
            (elf::DT_STRTAB, address(DYNSTR)),
            (elf::DT_STRSZ, self.dynamic_names.bytes.len() as u64),
            (elf::DT_HASH, address(HASH)),
        ];
        if !self.dynamic.is_empty() {
            entries.extend([
                (elf::DT_RELA, address(RELA_DYN)),
                (elf::DT_RELASZ, self.dynamic.len() as u64 * RELA),
                (elf::DT_RELAENT, RELA),
            ]);
        }
        let read_only = |index: &usize| {
            let section = builder
                .relocations
                .get(*index)
                .and_then(|it| builder.sections.get(it.section.0));
            section.is_some_and(|section| !section.write)
        };
        if self.dynamic.iter().any(read_only) {
            entries.push((elf::DT_TEXTREL, 0));
        }
        entries.push((elf::DT_NULL, 0));
        entries
            .into_iter()
            .map(|(tag, value)| (tag.0, value))
            .collect()
    }
}

impl InputSection<'_> {
    pub(super) fn output(&self) -> OutputSection<'_> {
        let flag = |set: bool, flag: elf::SectionFlags| if set { flag.0 } else { 0 };
        OutputSection {
            name: &self.name,
            kind: self.number(),
            flags: flag(self.loaded, elf::SHF_ALLOC)
                | flag(self.write, elf::SHF_WRITE)
                | flag(self.execute, elf::SHF_EXECINSTR),
            align: self.align.max(1),
            size: self.size(),
            bytes: match &self.contents {
                SectionContents::Bytes(bytes) => Cow::Borrowed(&**bytes),
                SectionContents::Zeros(_) => Cow::default(),
            },
            link: 0,
            info: 0,
            entry: 0,
            is_fixed: self.loaded && self.address.is_some(),
            address: self.address.filter(|_| self.loaded).unwrap_or(0),
            offset: 0,
        }
    }
}
