//! Reads symbols and relocations of objects with section headers.

use std::borrow::Cow;

use object::elf;
use object::read::elf::{Rela as _, SectionHeader as _, SectionTable, Sym as _, SymbolTable};
use object::{LittleEndian, SectionIndex};

use super::header::{Header, LE, file_header, malformed, section_headers};
use super::state::{NAME_BYTES_PER_FILE_BYTE, ObjectReader};
use crate::elf::{Binding, RelocationKind, SymbolKind, Visibility};
use crate::error::ReadError;
use crate::object::{Relocation, RelocationTarget, Symbol, SymbolSection};
use crate::target::Version;

/// Returns the name of the kernel that a symbol defines, if any: the symbol itself in version 2, the part before `.kd`
/// in later versions. `is_defined` is true if the symbol is in a section.
pub(super) fn kernel_name(
    version: Version,
    kind: SymbolKind,
    is_defined: bool,
    symbol: &str,
) -> Option<&str> {
    match (version, kind) {
        _ if !is_defined => None,
        (Version::V2, SymbolKind::HsaKernel) => Some(symbol),
        (Version::V2, _) => None,
        (_, SymbolKind::Object | SymbolKind::NoType) => symbol.strip_suffix(".kd"),
        _ => None,
    }
}

/// Returns the names of a code object's kernels in ascending order. Reads only the symbol tables if there are section
/// headers. [`read`](crate::read) finds the same kernels, except those whose descriptor is not in the file.
pub(crate) fn kernel_names(bytes: &[u8]) -> Result<Vec<Cow<'_, str>>, ReadError> {
    let (header, version, linked) = file_header(bytes)?;
    let sections = section_headers(header, bytes)?;
    if linked && sections.is_empty() {
        let object = crate::read(bytes)?;
        let names = object.kernels.into_iter().map(|kernel| kernel.name.into());
        return Ok(names.collect());
    }
    let mut budget = bytes.len().saturating_mul(NAME_BYTES_PER_FILE_BYTE);
    let mut names = Vec::new();
    for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
        let table = sections
            .symbols(LE, bytes, kind)
            .map_err(malformed("symbol table"))?;
        for symbol in table.iter() {
            let section = symbol.st_shndx(LE);
            let is_defined = section == elf::SHN_XINDEX
                || section != elf::SHN_UNDEF && section.0 < elf::SHN_LORESERVE;
            let kind = SymbolKind::from_number(symbol.st_type().0);
            // Most symbols do not denote kernels, and reading a name costs more than reading the other fields.
            if kernel_name(version, kind, is_defined, ".kd").is_none() {
                continue;
            }
            let name = symbol
                .name(LE, table.strings())
                .map_err(malformed("symbol names"))?;
            budget = budget
                .checked_sub(name.len())
                .ok_or(ReadError::Overlap { what: "names" })?;
            match String::from_utf8_lossy(name) {
                Cow::Borrowed(name) => {
                    names.extend(kernel_name(version, kind, is_defined, name).map(Cow::Borrowed));
                }
                Cow::Owned(name) => {
                    let name = kernel_name(version, kind, is_defined, &name);
                    names.extend(name.map(|name| Cow::Owned(name.to_owned())));
                }
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

impl<'a> ObjectReader<'a> {
    /// Reads both symbol tables. For each entry in the table that relocations refer to, returns the index in
    /// `self.symbols`.
    pub(super) fn read_symbols(
        &mut self,
        table: &SectionTable<'a, Header>,
    ) -> Result<Vec<usize>, ReadError> {
        let symtab = table
            .symbols(LE, self.bytes, elf::SHT_SYMTAB)
            .map_err(malformed("symbol table"))?;
        self.symbols.reserve_exact(symtab.len());
        for (index, symbol) in symtab.enumerate() {
            let symbol = self.symbol(&symtab, index, symbol)?;
            self.symbols.push(symbol);
        }
        if !self.linked {
            return Ok((0..self.symbols.len()).collect());
        }
        let dynsym = table
            .symbols(LE, self.bytes, elf::SHT_DYNSYM)
            .map_err(malformed("dynamic symbol table"))?;
        let dynamic: Vec<Symbol> = dynsym
            .enumerate()
            .map(|(index, symbol)| self.symbol(&dynsym, index, symbol))
            .collect::<Result<_, _>>()?;
        // Find the matching `.symtab` symbol for each dynamic symbol. Dynamic symbols are few, but `.symtab` may be large.
        fn identity(symbol: &Symbol) -> (u64, &str) {
            (symbol.value, &symbol.name)
        }
        let mut same: Vec<((u64, &str), Option<usize>)> = dynamic
            .iter()
            .map(|symbol| (identity(symbol), None))
            .collect();
        same.sort_unstable();
        same.dedup();
        let find = |same: &[((u64, &str), Option<usize>)], symbol| {
            same.binary_search_by_key(&identity(symbol), |(identity, _)| *identity)
        };
        for (index, symbol) in self.symbols.iter().enumerate() {
            if let Ok(place) = find(&same, symbol)
                && let Some((_, first)) = same.get_mut(place)
            {
                first.get_or_insert(index);
            }
        }
        let same: Vec<Option<usize>> = dynamic
            .iter()
            .map(|symbol| same.get(find(&same, symbol).ok()?)?.1)
            .collect();
        let mut positions = Vec::with_capacity(dynamic.len());
        for (symbol, same) in dynamic.into_iter().zip(same) {
            positions.push(same.unwrap_or(self.symbols.len()));
            if same.is_none() {
                self.symbols.push(symbol);
            }
        }
        Ok(positions)
    }

    fn symbol(
        &mut self,
        table: &SymbolTable<'a, Header>,
        index: object::SymbolIndex,
        symbol: &elf::Sym64<LittleEndian>,
    ) -> Result<Symbol, ReadError> {
        let name = symbol
            .name(LE, table.strings())
            .map_err(malformed("symbol names"))?;
        let mut name = self.name(name)?;
        let section = match symbol.st_shndx(LE) {
            elf::SHN_UNDEF => SymbolSection::Undefined,
            elf::SHN_ABS => SymbolSection::Absolute,
            elf::SHN_COMMON => SymbolSection::Common {
                align: symbol.st_value(LE),
            },
            special if special.0 >= elf::SHN_LORESERVE && special != elf::SHN_XINDEX => {
                SymbolSection::Other(special.0)
            }
            _ => match table
                .symbol_section(LE, symbol, index)
                .map_err(malformed("symbol table"))?
            {
                Some(section) => SymbolSection::Section(section.0),
                None => SymbolSection::Undefined,
            },
        };
        let mut value = symbol.st_value(LE);
        let kind = SymbolKind::from_number(symbol.st_type().0);
        if let SymbolSection::Section(index) = section
            && let Some(section) = self.sections.get(index)
        {
            if !self.linked {
                value = value.wrapping_add(section.address);
            }
            if kind == SymbolKind::Section && name.is_empty() {
                let section_name = section.name.clone();
                name = self.name(section_name.as_bytes())?;
            }
        }
        Ok(Symbol {
            name,
            value,
            size: symbol.st_size(LE),
            kind,
            binding: Binding::from_number(symbol.st_bind().0),
            visibility: Visibility::from_number(symbol.st_visibility().0),
            section,
        })
    }

    pub(super) fn read_relocations(
        &mut self,
        table: &SectionTable<'a, Header>,
        positions: &[usize],
    ) -> Result<(), ReadError> {
        for header in table.iter() {
            let loaded = header.sh_flags(LE).0 & elf::SHF_ALLOC.0 != 0;
            // In a linked object, relocation sections that are not loaded (`--emit-relocs`) have already been applied. In
            // a relocatable object, only relocations for loaded sections matter.
            let base = if self.linked {
                if !loaded {
                    continue;
                }
                0
            } else {
                let SectionIndex(target) = header.info_link(LE);
                match self.sections.get(target) {
                    Some(section) if section.is_loaded() => section.address,
                    _ => continue,
                }
            };
            if header.sh_type(LE) == elf::SHT_REL {
                return Err(ReadError::RelocationsWithoutAddend);
            }
            let Some((entries, _)) = header
                .rela(LE, self.bytes)
                .map_err(malformed("relocations"))?
            else {
                continue;
            };
            for entry in entries {
                self.spend_record("relocations")?;
                let address = base.wrapping_add(entry.r_offset(LE));
                let symbol = entry.r_sym(LE, false);
                let target = match symbol {
                    0 => RelocationTarget::Zero,
                    _ => usize::try_from(symbol)
                        .ok()
                        .and_then(|index| positions.get(index))
                        .map(|position| RelocationTarget::Symbol(*position))
                        .ok_or(ReadError::RelocationSymbol { address, symbol })?,
                };
                let kind = RelocationKind::from_number(entry.r_type(LE, false).0);
                self.relocations.push(Relocation {
                    address,
                    kind,
                    target,
                    addend: entry.r_addend(LE),
                });
            }
        }
        Ok(())
    }
}
