//! What waits for symbols: fields that are filled in, or left to the linker, when the source has been read.

use std::ops::Range;

use gcn_isa::Form;
use gcn_object::RelocationKind;

use super::Assembler;
use crate::diagnostic::{Fail, Helped, fail};
use crate::encode::DelayedField;
use crate::expr::{Term, Value, Variant};
use crate::ids;
use crate::operand::Delayed;
use crate::program::Relocation;
use crate::symbols::{Defined, SymbolId};

/// A branch counts from behind itself.
const BRANCH_LENGTH: i64 = 4;

/// A field that waits.
#[derive(Clone, Debug)]
pub(crate) struct Fixup {
    pub section: u32,
    /// Of the data or of the instruction, in bytes from the start of the section.
    pub offset: u64,
    pub kind: FixupKind,
    pub value: Delayed,
    pub span: Range<usize>,
    /// The instruction that the field is of, and the place of its mark.
    pub instruction: Option<(&'static Form, usize)>,
}

impl Fixup {
    /// Whether it is the distance of a branch to a place of its own section that is known already.
    pub(crate) fn is_to_label_before(&self) -> bool {
        let Delayed::Value(value) = self.value else {
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
    /// So many bytes of data.
    Data(u8),
    /// The dword after an instruction.
    Literal,
    /// The distance of a branch.
    Branch,
    /// Another field of an instruction, which holds a number.
    Field(DelayedField),
}

/// `.reloc`: a field for the linker at a place of its own.
#[derive(Clone, Debug)]
pub(crate) struct Stated {
    pub section: u32,
    pub place: Delayed,
    pub kind: RelocationKind,
    pub value: Delayed,
    pub span: Range<usize>,
}

impl Assembler<'_> {
    pub(super) fn finish(&mut self) {
        if let Some(kernel) = self.open_kernel.take() {
            let message = format!("`.amdhsa_kernel {}` has no end", kernel.name);
            self.collect(Err(fail(&ids::UNCLOSED_BLOCK, kernel.span, message)
                .helped("end it with `.end_amdhsa_kernel`")));
        }
        self.finish_kernel_codes();
        let begins = self.code_begins();
        for kernel in std::mem::take(&mut self.kernels) {
            let result = self.finish_kernel(kernel, &begins);
            self.collect(result);
        }
        for (index, fixup) in std::mem::take(&mut self.fixups).into_iter().enumerate() {
            if let Err(mut error) = self.resolve(&fixup)
                && self.explain_deferred(index, &mut error)
            {
                self.collect(Err(error));
            }
        }
        for stated in std::mem::take(&mut self.stated) {
            let result = self.state(&stated);
            self.collect(result);
        }
        for diagnostic in &mut self.diagnostics {
            if diagnostic.notes.is_empty() {
                self.expansion.explain_files(diagnostic);
            }
        }
        self.diagnostics.sort_by_key(|d| d.span.start);
        // A loop may say the same thing of one place many times.
        self.diagnostics
            .dedup_by(|a, b| a.span == b.span && a.message == b.message && a.notes == b.notes);
    }

    /// Why a value is no number.
    fn no_number(&self, value: Value, span: &Range<usize>) -> Fail {
        let is_foreign = |term: &Term| term.place.is_none();
        let mut foreign = [value.plus, value.minus]
            .into_iter()
            .flatten()
            .filter(is_foreign);
        match foreign.find_map(|term| term.symbol) {
            Some(symbol) => {
                let name = self.symbols.name(symbol);
                let message = format!(
                    "a field of an instruction holds a number, but symbol `{name}` is not defined"
                );
                fail(&ids::UNDEFINED_SYMBOL, span.clone(), message)
            }
            None => fail(
                &ids::ADDRESS_VALUE,
                span.clone(),
                "a field of an instruction holds a number, but this is an address",
            ),
        }
    }

    /// Fills in a field that waited.
    pub(crate) fn resolve(&mut self, fixup: &Fixup) -> Result<(), Fail> {
        let value = self.delayed_value(fixup.value, &fixup.span)?;
        match fixup.kind {
            FixupKind::Branch => self.resolve_branch(fixup, value),
            FixupKind::Field(_) => match value.as_absolute() {
                Some(number) => self.fill_in(fixup, number),
                None => Err(self.no_number(value, &fixup.span)),
            },
            FixupKind::Literal => match value.as_absolute() {
                Some(number) => {
                    check_width(number, 4, &fixup.span)?;
                    self.fill_in(fixup, number)
                }
                // LLVM takes a bare symbol in an instruction as relative to the field.
                None => self.relocate(fixup, fixup.offset + 4, value, 4, RelocationKind::Rel32),
            },
            FixupKind::Data(width) => match value.as_absolute() {
                Some(number) => {
                    self.check_datum(number, width, &fixup.span)?;
                    let bytes = number.to_le_bytes();
                    let bytes = bytes.get(..usize::from(width)).unwrap_or(&bytes);
                    self.patch(fixup.section, fixup.offset, bytes);
                    Ok(())
                }
                None => {
                    let kind = match width {
                        8 => RelocationKind::Abs64,
                        _ => RelocationKind::Abs32,
                    };
                    self.relocate(fixup, fixup.offset, value, width, kind)
                }
            },
        }
    }

    fn resolve_branch(&mut self, fixup: &Fixup, value: Value) -> Result<(), Fail> {
        if let Some(number) = value.as_absolute() {
            return self.fill_in(fixup, number);
        }
        let place = match (value.plus, value.minus) {
            (
                Some(Term {
                    place: Some((section, offset)),
                    ..
                }),
                None,
            ) if section == fixup.section => offset,
            _ => return self.relocate(fixup, fixup.offset, value, 2, RelocationKind::Rel16),
        };
        let distance = place
            .cast_signed()
            .wrapping_add(value.constant)
            .wrapping_sub(fixup.offset.cast_signed())
            .wrapping_sub(BRANCH_LENGTH);
        if distance % 4 != 0 {
            return Err(fail(
                &ids::BRANCH_ALIGNMENT,
                fixup.span.clone(),
                "the target of a branch must be a multiple of 4 bytes away",
            ));
        }
        self.fill_in(fixup, distance / 4)
    }

    /// The relocation of `.reloc`.
    fn state(&mut self, stated: &Stated) -> Result<(), Fail> {
        let place = self.delayed_value(stated.place, &stated.span)?;
        let value = self.delayed_value(stated.value, &stated.span)?;
        let offset = match (place.plus, place.minus) {
            (None, None) => place.constant,
            (
                Some(Term {
                    place: Some((section, offset)),
                    ..
                }),
                None,
            ) if section == stated.section => offset.cast_signed().wrapping_add(place.constant),
            _ => {
                let message = "the field must be in the section that `.reloc` stands in";
                return Err(fail(&ids::INVALID_RELOCATION, stated.span.clone(), message));
            }
        };
        if value.minus.is_some() || value.variant != Variant::Plain {
            let message = "`.reloc` takes a symbol, and a number to add";
            return Err(fail(&ids::INVALID_RELOCATION, stated.span.clone(), message));
        }
        let symbol = match value.plus {
            Some(Term {
                symbol: Some(symbol),
                ..
            }) => symbol,
            Some(place) => self.anchor(place, stated.span.clone()),
            None => {
                let id = self.symbols.anonymous(stated.span.clone());
                if let Some(entry) = self.symbols.get_mut(id) {
                    entry.defined = Defined::Value(Value::absolute(0));
                }
                id
            }
        };
        if let Some(section) = self.sections.get_mut(stated.section as usize) {
            section.relocations.push(Relocation {
                offset: offset.cast_unsigned(),
                kind: stated.kind,
                symbol: symbol.0 as usize,
                addend: value.constant,
                span: stated.span.clone(),
            });
        }
        Ok(())
    }

    /// A relocation for a value that is known only after linking. `plain` is its kind if the value is a bare
    /// symbol.
    fn relocate(
        &mut self,
        fixup: &Fixup,
        offset: u64,
        value: Value,
        width: u8,
        plain: RelocationKind,
    ) -> Result<(), Fail> {
        let Some(plus) = value.plus else {
            return Err(fail(
                &ids::ADDRESS_DIFFERENCE,
                fixup.span.clone(),
                "an address can be subtracted only from another address",
            ));
        };
        let mut addend = value.constant;
        let relative = match value.minus {
            None => false,
            Some(Term {
                place: Some((section, at)),
                ..
            }) if section == fixup.section => {
                addend = addend
                    .wrapping_add(offset.cast_signed())
                    .wrapping_sub(at.cast_signed());
                true
            }
            Some(_) => {
                return Err(fail(
                    &ids::ADDRESS_DIFFERENCE,
                    fixup.span.clone(),
                    "the difference of these addresses cannot be expressed in a code object",
                )
                .helped("subtract a label of the section that the field is in"));
            }
        };
        let kind = match (value.variant, relative) {
            (Variant::Plain, false) => plain,
            (Variant::Plain, true) if width == 8 => RelocationKind::Rel64,
            (Variant::Plain, true) => RelocationKind::Rel32,
            (_, true) => {
                return Err(fail(
                    &ids::ADDRESS_DIFFERENCE,
                    fixup.span.clone(),
                    "a symbol with `@` cannot be part of a difference",
                ));
            }
            (Variant::Abs32Lo, _) => RelocationKind::Abs32Lo,
            (Variant::Abs32Hi, _) => RelocationKind::Abs32Hi,
            (Variant::Rel32Lo, _) => RelocationKind::Rel32Lo,
            (Variant::Rel32Hi, _) => RelocationKind::Rel32Hi,
            (Variant::Rel64, _) => RelocationKind::Rel64,
            (Variant::GotPcRel, _) => RelocationKind::GotPcRel,
            (Variant::GotPcRel32Lo, _) => RelocationKind::GotPcRel32Lo,
            (Variant::GotPcRel32Hi, _) => RelocationKind::GotPcRel32Hi,
        };
        if kind.width() != Some(u64::from(width)) {
            return Err(fail(
                &ids::ADDRESS_WIDTH,
                fixup.span.clone(),
                format!(
                    "an address cannot be stored in {width} byte{} this way",
                    if width == 1 { "" } else { "s" }
                ),
            )
            .helped("use `.long` or `.quad`"));
        }
        let symbol = match plus.symbol {
            Some(symbol) => symbol,
            None => self.anchor(plus, fixup.span.clone()),
        };
        let relocation = Relocation {
            offset,
            kind,
            symbol: symbol.0 as usize,
            addend,
            span: fixup.span.clone(),
        };
        if let Some(section) = self.sections.get_mut(fixup.section as usize) {
            section.relocations.push(relocation);
        }
        Ok(())
    }

    /// A symbol without name for a place without symbol.
    fn anchor(&mut self, term: Term, span: Range<usize>) -> SymbolId {
        let id = self.symbols.anonymous(span);
        if let (Some(entry), Some((section, offset))) = (self.symbols.get_mut(id), term.place) {
            entry.defined = Defined::Label { section, offset };
        }
        id
    }
}

/// A number fits into a field with or without sign.
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
