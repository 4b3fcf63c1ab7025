//! Lists a code object's relocations as operands and directives.

use std::collections::HashMap;

use gcn_object::{RelocationKind, RelocationTarget};

use super::listed::{FieldText, ListedObject, sum};
use crate::list::Name;

impl ListedObject<'_> {
    pub(super) fn add_relocation_fields(&mut self) {
        let object = self.object;
        // Targets of global offset table slots; the assembler regenerates the table.
        let slots: HashMap<u64, RelocationTarget> = object
            .relocations
            .iter()
            .filter(|slot| slot.kind == RelocationKind::Abs64)
            .map(|slot| (slot.address, slot.target))
            .collect();
        for relocation in &object.relocations {
            let inside = |index: &usize| {
                let section = object.sections.get(*index)?;
                let offset = relocation.address.checked_sub(section.address)?;
                (offset < section.size).then_some((*index, offset))
            };
            let Some((section, offset)) = self.code.iter().chain(&self.data).find_map(inside)
            else {
                continue;
            };
            let (mut kind, mut target) = (relocation.kind, relocation.target);
            if let RelocationTarget::Address(slot) = target
                && let Some(through) = slots.get(&slot)
            {
                target = *through;
                kind = match kind {
                    RelocationKind::Rel32 => RelocationKind::GotPcRel,
                    RelocationKind::Rel32Lo => RelocationKind::GotPcRel32Lo,
                    RelocationKind::Rel32Hi => RelocationKind::GotPcRel32Hi,
                    other => other,
                };
            }
            if let Some(field) = self.field_text(offset, kind, target, relocation.addend) {
                self.fields.entry(section).or_default().push(field);
            }
        }
        for fields in self.fields.values_mut() {
            fields.sort_by_key(|field| field.offset);
        }
    }

    fn field_text(
        &self,
        offset: u64,
        kind: RelocationKind,
        target: RelocationTarget,
        addend: i64,
    ) -> Option<FieldText> {
        let name = kind.name()?;
        let symbol = match target {
            RelocationTarget::Symbol(index) => {
                Some((index, self.object.symbols.get(index)?)).filter(|_| self.has_name(index))
            }
            RelocationTarget::Zero | RelocationTarget::Address(_) => None,
        };
        // Value that the relocation refers to, for targets without a name.
        let value = match target {
            RelocationTarget::Symbol(index) => self.object.symbols.get(index)?.value,
            RelocationTarget::Address(address) => address,
            RelocationTarget::Zero => 0,
        };
        let value = value.wrapping_add_signed(addend);
        let is_number = target == RelocationTarget::Zero && kind != RelocationKind::Relative64;
        let (base, rest) = match symbol {
            Some((_, symbol)) => (Name(&symbol.name).to_string(), addend),
            None if is_number => (String::new(), addend),
            None => self
                .section_of(target)
                .and_then(|section| self.address_in(section, value))
                .or_else(|| self.address(value))
                .unwrap_or_else(|| (String::new(), value.cast_signed())),
        };
        let without_variant = sum(&base, rest);
        let with = |variant: &str| Some(sum(&format!("{base}@{variant}"), rest));
        let is_name = !base.is_empty();
        let (operand, long, quad) = match kind {
            _ if !is_name => (None, None, None),
            RelocationKind::Abs32Lo => (with("abs32@lo"), with("abs32@lo"), None),
            RelocationKind::Abs32Hi => (with("abs32@hi"), with("abs32@hi"), None),
            RelocationKind::Rel32Lo => (with("rel32@lo"), with("rel32@lo"), None),
            RelocationKind::Rel32Hi => (with("rel32@hi"), with("rel32@hi"), None),
            RelocationKind::GotPcRel => (with("gotpcrel"), with("gotpcrel"), None),
            RelocationKind::GotPcRel32Lo => (with("gotpcrel32@lo"), with("gotpcrel32@lo"), None),
            RelocationKind::GotPcRel32Hi => (with("gotpcrel32@hi"), with("gotpcrel32@hi"), None),
            RelocationKind::Rel32 => (
                Some(without_variant.clone()),
                Some(format!("{without_variant}-.")),
                None,
            ),
            RelocationKind::Rel16 => (Some(without_variant.clone()), None, None),
            RelocationKind::Abs32 => (None, Some(without_variant.clone()), None),
            RelocationKind::Abs64 | RelocationKind::Relative64 => {
                (None, None, Some(without_variant.clone()))
            }
            RelocationKind::Rel64 => (None, None, Some(format!("{without_variant}-."))),
            RelocationKind::None | RelocationKind::Other(_) => (None, None, None),
        };
        // Linkers turn absolute addresses into relative relocations, so a target with a name is listed as absolute.
        let name = match kind {
            RelocationKind::Relative64 if is_name => RelocationKind::Abs64.name().unwrap_or(name),
            _ => name,
        };
        Some(FieldText {
            offset,
            kind,
            operand,
            long,
            quad,
            reloc: format!("{name}, {without_variant}"),
            target: symbol.map(|(index, _)| index),
            addend,
        })
    }
}
