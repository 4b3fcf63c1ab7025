//! Generates the file's tables once addresses are known.

use hashbrown::HashMap;
use object::elf;

use super::encode::*;
use super::input::{Builder, Definition, InputSymbol, InputSymbolId, RelocationBase, SectionId};
use super::layout::FileLayout;
use super::relocate::dynamic_name;
use crate::elf::{Binding, RelocationKind, Visibility};

impl<'a> FileLayout<'a> {
    /// Fills in the tables whose contents depend on addresses.
    pub(super) fn fill_tables(&mut self, builder: &'a Builder<'_>) {
        let mut dynsym = ByteWriter::default();
        dynsym.zeros(SYMBOL);
        for target in &self.dynamic_symbols {
            let name = self.dynamic_names.offset(dynamic_name(builder, *target));
            match *target {
                RelocationBase::Symbol(InputSymbolId(symbol)) => {
                    let Some(symbol) = builder.symbols.get(symbol) else {
                        continue;
                    };
                    self.symbol(builder, *target, symbol, name, &mut dynsym);
                }
                RelocationBase::Section(section) => {
                    dynsym.u32(name);
                    dynsym.u8(elf::STT_SECTION.0);
                    dynsym.u8(Visibility::Default.number());
                    dynsym.u16(self.placed.get(section.0).map_or(0, |place| *place as u16));
                    dynsym.u64(self.address(builder, *target));
                    dynsym.u64(0);
                }
            }
        }
        let (dynstr, dynsym_index) = (self.index(DYNSTR), self.index(DYNSYM));
        let locals = self.dynamic_locals as u32 + 1;
        self.fill(DYNSYM, dynsym, dynstr, locals);
        let hash = self.hash_table(builder);
        self.fill(HASH, hash, dynsym_index, 0);
        let relocations = self.rela_dyn(builder);
        self.fill(RELA_DYN, relocations, dynsym_index, 0);
        let mut dynamic = ByteWriter::default();
        for (tag, value) in self.dynamic_entries(builder) {
            dynamic.u64(tag.cast_unsigned());
            dynamic.u64(value);
        }
        self.fill(DYNAMIC_NAME, dynamic, dynstr, 0);

        let symbols = || {
            let all = builder.symbols.iter().enumerate();
            all.filter(|(_, symbol)| symbol.definition != Definition::Undefined)
        };
        let mut symtab = ByteWriter::default();
        symtab.zeros(SYMBOL);
        let mut locals = 1;
        for exported in [false, true] {
            for (index, symbol) in symbols().filter(|(_, symbol)| symbol.is_exported() == exported)
            {
                let name = self.symbol_names.offset(&symbol.name);
                self.symbol(
                    builder,
                    RelocationBase::Symbol(InputSymbolId(index)),
                    symbol,
                    name,
                    &mut symtab,
                );
                locals += u32::from(!exported);
            }
        }
        self.fill(SYMTAB, symtab, self.index(STRTAB), locals);
    }

    fn fill(&mut self, name: &str, bytes: ByteWriter, link: u32, info: u32) {
        if let Some(output) = self.find_mut(name) {
            debug_assert_eq!(
                output.size,
                bytes.0.len() as u64,
                "{name} differs from the size in the layout"
            );
            output.bytes = bytes.0.into();
            output.link = link;
            output.info = info;
        }
    }

    fn symbol(
        &self,
        builder: &Builder<'_>,
        target: RelocationBase,
        symbol: &InputSymbol,
        name: u32,
        table: &mut ByteWriter,
    ) {
        // Linking makes symbols local if they are not exported.
        let binding = if symbol.is_exported() {
            symbol.binding
        } else {
            Binding::Local
        };
        table.u32(name);
        table.u8(binding.number() << 4 | symbol.kind.number() & 0xf);
        table.u8(symbol.visibility.number());
        table.u16(match symbol.definition {
            Definition::At(SectionId(section), _) => {
                self.placed.get(section).map_or(0, |place| *place as u16)
            }
            Definition::Absolute(_) => elf::SHN_ABS.0,
            Definition::Undefined => elf::SHN_UNDEF.0,
        });
        table.u64(self.address(builder, target));
        table.u64(symbol.size);
    }

    /// Creates the hash table, with one bucket per symbol, which keeps chains short.
    fn hash_table(&self, builder: &Builder<'_>) -> ByteWriter {
        let count = self.dynamic_symbols.len() + 1;
        let mut buckets = vec![0u32; count];
        let mut chains = vec![0u32; count];
        for (index, target) in self
            .dynamic_symbols
            .iter()
            .enumerate()
            .skip(self.dynamic_locals)
        {
            let name = dynamic_name(builder, *target);
            let bucket = elf::hash(name.as_bytes()) as usize % count;
            let symbol = index + 1;
            if let (Some(bucket), Some(chain)) = (buckets.get_mut(bucket), chains.get_mut(symbol)) {
                *chain = std::mem::replace(bucket, symbol as u32);
            }
        }
        let mut table = ByteWriter::default();
        table.u32(count as u32);
        table.u32(count as u32);
        buckets
            .into_iter()
            .chain(chains)
            .for_each(|word| table.u32(word));
        table
    }

    fn rela_dyn(&self, builder: &Builder<'_>) -> ByteWriter {
        let positions: HashMap<RelocationBase, u64> = self
            .dynamic_symbols
            .iter()
            .enumerate()
            .map(|(index, target)| (*target, index as u64 + 1))
            .collect();
        let mut table = ByteWriter::default();
        for (index, relocation) in builder.relocations.iter().enumerate() {
            if !self.dynamic.contains(&index) {
                continue;
            }
            let section = self
                .output(relocation.section)
                .map_or(0, |output| output.address);
            table.u64(section.wrapping_add(relocation.offset));
            if matches!(
                relocation.kind,
                RelocationKind::Abs64 | RelocationKind::Relative64
            ) {
                let value = self
                    .address(builder, relocation.target)
                    .wrapping_add_signed(relocation.addend);
                table.u64(RelocationKind::Relative64.number().into());
                table.u64(value);
            } else {
                let symbol = positions.get(&relocation.target).copied().unwrap_or(0);
                table.u64(symbol << 32 | u64::from(relocation.kind.number()));
                table.u64(relocation.addend.cast_unsigned());
            }
        }
        table
    }
}
