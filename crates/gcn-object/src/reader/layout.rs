//! Lays out relocatable objects as a linker would: assigns section addresses, allocates common symbols, and creates the
//! global offset table that relocations require.

use std::collections::HashMap;

use object::elf;

use super::state::ObjectReader;
use crate::elf::{GOT_SLOT, MAX_ALIGN, PAGE, RelocationKind};
use crate::error::ReadError;
use crate::object::{Relocation, RelocationTarget, Section, Segment, SymbolSection};

/// Start address of relocatable objects. It is not zero, so that no symbol has the address zero.
const LAYOUT_START: u64 = 0x1000;

impl ObjectReader<'_> {
    /// Assigns addresses to the loaded sections of a relocatable object. Read-only data, code and writable data, in
    /// this order, are on separate pages.
    pub(super) fn lay_out(&mut self) -> Result<(), ReadError> {
        let rights = |section: &Section| {
            let has = |flag: elf::SectionFlags| section.flags & flag.0 != 0;
            (has(elf::SHF_WRITE), has(elf::SHF_EXECINSTR))
        };
        let mut order: Vec<usize> = (0..self.sections.len()).collect();
        order.retain(|index| self.sections.get(*index).is_some_and(Section::is_loaded));
        order.sort_by_key(|index| self.sections.get(*index).map(rights));
        let mut next = LAYOUT_START;
        let mut last = None;
        for index in order {
            let Some(section) = self.sections.get_mut(index) else {
                continue;
            };
            let align = section.align.max(1);
            if !align.is_power_of_two() || align > MAX_ALIGN {
                return Err(ReadError::Align {
                    name: section.name.clone(),
                    align,
                });
            }
            let (write, execute) = rights(section);
            if last.replace((write, execute)) != Some((write, execute)) {
                next = next
                    .checked_next_multiple_of(PAGE)
                    .ok_or(ReadError::Layout)?;
            }
            section.address = next
                .checked_next_multiple_of(align)
                .ok_or(ReadError::Layout)?;
            next = section
                .address
                .checked_add(section.size)
                .ok_or(ReadError::Layout)?;
            if section.size != 0 {
                let (address, size, file) = (section.address, section.size, section.file.clone());
                self.segments.push(Segment {
                    address,
                    size,
                    file,
                    read: true,
                    write,
                    execute,
                });
            }
        }
        Ok(())
    }

    /// Allocates zeroed memory for common symbols after all other segments.
    pub(super) fn make_commons(&mut self) -> Result<(), ReadError> {
        let address = self.free_page()?;
        let mut next = address;
        for symbol in &mut self.symbols {
            let SymbolSection::Common { align } = symbol.section else {
                continue;
            };
            let align = align.max(1);
            if !align.is_power_of_two() || align > MAX_ALIGN {
                return Err(ReadError::Align {
                    name: symbol.name.clone(),
                    align,
                });
            }
            symbol.value = next
                .checked_next_multiple_of(align)
                .ok_or(ReadError::Layout)?;
            next = symbol
                .value
                .checked_add(symbol.size)
                .ok_or(ReadError::Layout)?;
        }
        self.push_zeros(address, next);
        Ok(())
    }

    /// Creates a global offset table as a linker would, with one zeroed slot per symbol, which a relocation fills.
    pub(super) fn make_got(&mut self) -> Result<(), ReadError> {
        let address = self.free_page()?;
        let mut slots: HashMap<RelocationTarget, u64> = HashMap::new();
        let mut filled = Vec::new();
        let mut next = address;
        for relocation in &mut self.relocations {
            let Some(kind) = relocation.kind.without_got() else {
                continue;
            };
            let slot = match slots.get(&relocation.target) {
                Some(slot) => *slot,
                None => {
                    let slot = next;
                    next = next.checked_add(GOT_SLOT).ok_or(ReadError::Layout)?;
                    slots.insert(relocation.target, slot);
                    let (kind, target) = (RelocationKind::Abs64, relocation.target);
                    filled.push(Relocation {
                        address: slot,
                        kind,
                        target,
                        addend: 0,
                    });
                    slot
                }
            };
            relocation.kind = kind;
            relocation.target = RelocationTarget::Address(slot);
        }
        self.push_zeros(address, next);
        self.relocations.append(&mut filled);
        Ok(())
    }

    /// Returns the address of the first page after all segments.
    fn free_page(&self) -> Result<u64, ReadError> {
        let ends = self
            .segments
            .iter()
            .filter_map(|segment| segment.address.checked_add(segment.size));
        ends.max()
            .unwrap_or(LAYOUT_START)
            .checked_next_multiple_of(PAGE)
            .ok_or(ReadError::Layout)
    }

    /// Adds a writable, zeroed segment from `address` to `end`, unless it is empty.
    fn push_zeros(&mut self, address: u64, end: u64) {
        let size = end - address;
        if size != 0 {
            self.segments.push(Segment {
                address,
                size,
                file: 0..0,
                read: true,
                write: true,
                execute: false,
            });
        }
    }
}
