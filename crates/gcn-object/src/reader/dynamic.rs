//! Reads linked objects without section headers (`llvm-strip --strip-sections`). The reader finds symbols and relocations
//! through the dynamic table, as a loader does, and creates sections from segments.

use object::elf;
use object::read::StringTable;
use object::read::elf::{Dyn as _, ProgramHeader as _, Rela as _, Sym as _};
use object::{LittleEndian, pod};

use super::header::{LE, malformed};
use super::state::ObjectReader;
use crate::elf::{Binding, RelocationKind, SymbolKind, Visibility};
use crate::error::ReadError;
use crate::object::{Relocation, RelocationTarget, Section, Symbol, SymbolSection};

type Sym = elf::Sym64<LittleEndian>;
type Rela = elf::Rela64<LittleEndian>;

/// Addresses and sizes stated in the dynamic table.
#[derive(Default)]
struct DynamicTable {
    symbols: Option<u64>,
    strings: Option<u64>,
    strings_size: u64,
    hash: Option<u64>,
    gnu_hash: Option<u64>,
    relocations: Option<u64>,
    relocations_size: u64,
}

impl ObjectReader<'_> {
    /// Reads symbols and relocations, and creates sections from segments.
    pub(super) fn read_without_sections(&mut self) -> Result<(), ReadError> {
        self.make_sections();
        let Some(table) = self.dynamic_table()? else {
            return Ok(());
        };
        self.dynamic_symbols(&table)?;
        self.dynamic_relocations(&table)
    }

    /// Adds one section for the part of each segment that is in the file, and one for the zeros that follow.
    fn make_sections(&mut self) {
        let null = Section {
            name: String::new(),
            kind: elf::SHT_NULL.0,
            flags: 0,
            address: 0,
            size: 0,
            align: 0,
            file: 0..0,
        };
        self.sections = vec![null];
        for (index, segment) in self.segments.iter().enumerate() {
            let in_file = segment.file.len() as u64;
            let flag = |set: bool, flag: elf::SectionFlags| if set { flag.0 } else { 0 };
            let flags = elf::SHF_ALLOC.0
                | flag(segment.write, elf::SHF_WRITE)
                | flag(segment.execute, elf::SHF_EXECINSTR);
            let name = match (segment.execute, segment.write) {
                (true, _) => ".text",
                (false, true) => ".data",
                (false, false) => ".rodata",
            };
            let parts = [
                (name, elf::SHT_PROGBITS.0, 0, in_file),
                (".bss", elf::SHT_NOBITS.0, in_file, segment.size - in_file),
            ];
            for (name, kind, offset, size) in parts.into_iter().filter(|part| part.3 > 0) {
                let is_first = !self.sections.iter().any(|section| section.name == name);
                let name = match is_first {
                    true => name.to_owned(),
                    false => format!("{name}.{index}"),
                };
                self.sections.push(Section {
                    name,
                    kind,
                    flags,
                    address: segment.address.wrapping_add(offset),
                    size,
                    align: 1,
                    file: if offset == 0 {
                        segment.file.clone()
                    } else {
                        0..0
                    },
                });
            }
        }
    }

    fn dynamic_table(&self) -> Result<Option<DynamicTable>, ReadError> {
        use object::read::elf::FileHeader as _;
        let headers = self
            .header
            .program_headers(LE, self.bytes)
            .map_err(malformed("program headers"))?;
        for header in headers {
            let Some(entries) = header
                .dynamic(LE, self.bytes)
                .map_err(malformed("dynamic table"))?
            else {
                continue;
            };
            let mut table = DynamicTable::default();
            for entry in entries {
                let value = entry.val(LE);
                match entry.tag(LE) {
                    elf::DT_NULL => break,
                    elf::DT_SYMTAB => table.symbols = Some(value),
                    elf::DT_STRTAB => table.strings = Some(value),
                    elf::DT_STRSZ => table.strings_size = value,
                    elf::DT_HASH => table.hash = Some(value),
                    elf::DT_GNU_HASH => table.gnu_hash = Some(value),
                    elf::DT_RELA => table.relocations = Some(value),
                    elf::DT_RELASZ => table.relocations_size = value,
                    _ => {}
                }
            }
            return Ok(Some(table));
        }
        Ok(None)
    }

    /// Returns the file bytes from an address to the end of its segment, and their offset.
    fn file_from(&self, address: u64) -> Option<(&[u8], usize)> {
        let segment = self.segments.iter().find(|s| s.contains(address))?;
        let offset = usize::try_from(address.checked_sub(segment.address)?).ok()?;
        let start = segment.file.start.checked_add(offset)?;
        let bytes = self.bytes.get(start..segment.file.end)?;
        Some((bytes, start))
    }

    /// Reads `.dynsym`. Only its hash tables state its length.
    fn dynamic_symbols(&mut self, table: &DynamicTable) -> Result<(), ReadError> {
        let outside = |reason: &str| ReadError::Malformed {
            what: "dynamic symbol table",
            reason: reason.to_owned(),
        };
        let Some(at) = table.symbols else {
            return Ok(());
        };
        let count = match (table.hash, table.gnu_hash) {
            (Some(hash), _) => self
                .file_from(hash)
                .and_then(|(bytes, _)| bytes.get(4..)?.first_chunk())
                .map(|bytes| u32::from_le_bytes(*bytes)),
            (None, Some(hash)) => self
                .file_from(hash)
                .and_then(|(bytes, _)| gnu_hash_symbols(bytes)),
            (None, None) => return Ok(()),
        };
        let count = count.ok_or_else(|| outside("its hash table is not in the file"))?;
        let (_, start) = self
            .file_from(at)
            .ok_or_else(|| outside("it is not in the file"))?;
        let whole = self.bytes;
        let bytes = whole.get(start..).unwrap_or_default();
        let (symbols, _) = pod::slice_from_bytes::<Sym>(bytes, count as usize)
            .map_err(|()| outside("it extends past the end of the file"))?;
        let strings = table.strings.and_then(|at| self.file_from(at));
        let (_, start) = strings.ok_or_else(|| outside("its names are not in the file"))?;
        let start = start as u64;
        let strings = StringTable::new(whole, start, start.saturating_add(table.strings_size));
        for symbol in symbols {
            let name = symbol
                .name(LE, strings)
                .map_err(malformed("symbol names"))?;
            let name = self.name(name)?;
            let value = symbol.st_value(LE);
            // Section indices are meaningless without section headers.
            let section = match symbol.st_shndx(LE) {
                elf::SHN_UNDEF => SymbolSection::Undefined,
                elf::SHN_ABS => SymbolSection::Absolute,
                _ => self
                    .section_at(value)
                    .map_or(SymbolSection::Absolute, SymbolSection::Section),
            };
            self.symbols.push(Symbol {
                name,
                value,
                size: symbol.st_size(LE),
                kind: SymbolKind::from_number(symbol.st_type().0),
                binding: Binding::from_number(symbol.st_bind().0),
                visibility: Visibility::from_number(symbol.st_visibility().0),
                section,
            });
        }
        Ok(())
    }

    fn section_at(&self, address: u64) -> Option<usize> {
        self.sections.iter().position(|section| {
            let offset = address.checked_sub(section.address);
            offset.is_some_and(|offset| offset < section.size)
        })
    }

    fn dynamic_relocations(&mut self, table: &DynamicTable) -> Result<(), ReadError> {
        let Some(at) = table.relocations else {
            return Ok(());
        };
        let outside = || ReadError::Malformed {
            what: "dynamic relocations",
            reason: "they are not in the file".to_owned(),
        };
        let (_, start) = self.file_from(at).ok_or_else(outside)?;
        let bytes = self.bytes.get(start..).unwrap_or_default();
        let size = usize::try_from(table.relocations_size).map_err(|_| outside())?;
        let count = size / size_of::<Rela>();
        let (entries, _) = pod::slice_from_bytes::<Rela>(bytes, count).map_err(|()| outside())?;
        for entry in entries {
            self.spend_record("relocations")?;
            let address = entry.r_offset(LE);
            let symbol = entry.r_sym(LE, false);
            let target = match symbol {
                0 => RelocationTarget::Zero,
                _ => usize::try_from(symbol)
                    .ok()
                    .filter(|index| *index < self.symbols.len())
                    .map(RelocationTarget::Symbol)
                    .ok_or(ReadError::RelocationSymbol { address, symbol })?,
            };
            self.relocations.push(Relocation {
                address,
                kind: RelocationKind::from_number(entry.r_type(LE, false).0),
                target,
                addend: entry.r_addend(LE),
            });
        }
        Ok(())
    }
}

/// Returns the number of symbols according to a GNU hash table, whose last chain ends with the last symbol.
fn gnu_hash_symbols(table: &[u8]) -> Option<u32> {
    let (header, rest) = pod::from_bytes::<elf::GnuHashHeader<LittleEndian>>(table).ok()?;
    let first = header.symbol_base.get(LE);
    let filter = (header.bloom_count.get(LE) as usize).checked_mul(size_of::<u64>())?;
    let (words, _) = rest.get(filter..)?.as_chunks::<4>();
    let (buckets, values) = words.split_at_checked(header.bucket_count.get(LE) as usize)?;
    let chains = buckets.iter().map(|chain| u32::from_le_bytes(*chain));
    // An empty bucket is zero. Without a chain, all symbols precede the first one that is hashed.
    let Some(last) = chains.max().filter(|chain| *chain >= first) else {
        return Some(first);
    };
    let chain = values.get((last - first) as usize..)?;
    let length = chain.iter().position(|value| value[0] & 1 != 0)?;
    last.checked_add(u32::try_from(length).ok()?)?
        .checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gnu_hash_tables_state_the_number_of_symbols() {
        let count = |words: &[u32]| {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            gnu_hash_symbols(&bytes)
        };
        // Three buckets, the first hashed symbol, one filter of two words and its shift. Chains of symbols 2 and 3 to 5.
        let table: [u32; 13] = [3, 2, 1, 6, 0, 0, 3, 0, 2, 0x11, 0x20, 0x30, 0x41];
        assert_eq!(count(&table), Some(6));
        assert_eq!(count(&table[..12]), None, "the last chain has no end");
        assert_eq!(count(&table[..8]), None);
        assert_eq!(
            count(&[1, 4, 1, 6, 0, 0, 0]),
            Some(4),
            "no symbol is hashed"
        );
        assert_eq!(count(&[u32::MAX, 2, u32::MAX, 6, 0, 0, 3]), None);
        assert_eq!(count(&[1, 1, 0, 6, u32::MAX, 1]), None);
        assert_eq!(count(&[1, u32::MAX, 0, 6, u32::MAX, 1]), None);
    }
}
