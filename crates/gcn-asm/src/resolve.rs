//! Resolves fixups, or turns them into relocations.

use std::ops::Range;

use gcn_isa::Field;
use gcn_object::RelocationKind;

use crate::assembler::Assembler;
use crate::assembler::output::{Fixup, FixupKind, RelocDirective, check_width};
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::directive::data;
use crate::ids;
use crate::program::{ProgramRelocation, inst_at};
use crate::symbols::SymbolDefinition;
use crate::value::{ExprValue, SymbolId, Term, Variant};

/// Branch offsets are relative to the next instruction.
const BRANCH_LENGTH: i64 = 4;

fn not_a_number(asm: &Assembler<'_>, value: ExprValue, span: &Range<usize>) -> Fail {
    let is_foreign = |term: &Term| term.place.is_none();
    let mut foreign = [value.plus, value.minus]
        .into_iter()
        .flatten()
        .filter(is_foreign);
    match foreign.find_map(|term| term.symbol) {
        Some(symbol) => {
            let name = asm.names.symbols.name(symbol);
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

/// Resolves a fixup.
pub(crate) fn resolve(asm: &mut Assembler<'_>, fixup: &Fixup) -> Result<(), Fail> {
    let value = asm.delayed_value(fixup.value, &fixup.span)?;
    match fixup.kind {
        FixupKind::Branch => resolve_branch(asm, fixup, value),
        FixupKind::Field(_) => match value.as_absolute() {
            Some(number) => fill_in(asm, fixup, number),
            None => Err(not_a_number(asm, value, &fixup.span)),
        },
        FixupKind::Literal => match value.as_absolute() {
            Some(number) => {
                check_width(number, 4, &fixup.span)?;
                fill_in(asm, fixup, number)
            }
            // LLVM treats a bare symbol in an instruction as relative to the field.
            None => relocate(
                asm,
                fixup,
                fixup.offset + 4,
                value,
                4,
                RelocationKind::Rel32,
            ),
        },
        FixupKind::Data(width) => match value.as_absolute() {
            Some(number) => {
                data::check_datum(asm, number, width, &fixup.span)?;
                let bytes = number.to_le_bytes();
                let bytes = bytes.get(..usize::from(width)).unwrap_or(&bytes);
                asm.output.patch(fixup.section, fixup.offset, bytes);
                Ok(())
            }
            None => {
                let kind = match width {
                    8 => RelocationKind::Abs64,
                    _ => RelocationKind::Abs32,
                };
                relocate(asm, fixup, fixup.offset, value, width, kind)
            }
        },
    }
}

fn resolve_branch(asm: &mut Assembler<'_>, fixup: &Fixup, value: ExprValue) -> Result<(), Fail> {
    if let Some(number) = value.as_absolute() {
        return fill_in(asm, fixup, number);
    }
    let place = match (value.plus, value.minus) {
        (
            Some(Term {
                place: Some((section, offset)),
                ..
            }),
            None,
        ) if section == fixup.section => offset,
        _ => return relocate(asm, fixup, fixup.offset, value, 2, RelocationKind::Rel16),
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
    fill_in(asm, fixup, distance / 4)
}

/// Adds the relocation of a `.reloc` directive.
pub(crate) fn add_relocation(
    asm: &mut Assembler<'_>,
    directive: &RelocDirective,
) -> Result<(), Fail> {
    let place = asm.delayed_value(directive.place, &directive.span)?;
    let value = asm.delayed_value(directive.value, &directive.span)?;
    let offset = match (place.plus, place.minus) {
        (None, None) => place.constant,
        (
            Some(Term {
                place: Some((section, offset)),
                ..
            }),
            None,
        ) if section == directive.section => offset.cast_signed().wrapping_add(place.constant),
        _ => {
            let message = "the field must be in the same section as `.reloc`";
            return Err(fail(
                &ids::INVALID_RELOCATION,
                directive.span.clone(),
                message,
            ));
        }
    };
    if value.minus.is_some() || value.variant != Variant::Plain {
        let message = "`.reloc` takes a symbol, and a number to add";
        return Err(fail(
            &ids::INVALID_RELOCATION,
            directive.span.clone(),
            message,
        ));
    }
    let symbol = match value.plus {
        Some(Term {
            symbol: Some(symbol),
            ..
        }) => symbol,
        Some(place) => anchor(asm, place, directive.span.clone()),
        None => {
            let id = asm.names.symbols.anonymous(directive.span.clone());
            if let Some(entry) = asm.names.symbols.get_mut(id) {
                entry.defined = SymbolDefinition::Value(ExprValue::absolute(0));
            }
            id
        }
    };
    if let Some(section) = asm.output.sections.get_mut(directive.section as usize) {
        section.relocations.push(ProgramRelocation {
            offset: offset.cast_unsigned(),
            kind: directive.kind,
            symbol: symbol.0 as usize,
            addend: value.constant,
            span: directive.span.clone(),
        });
    }
    Ok(())
}

/// Adds a relocation for a value that is known only after linking. `bare` is its kind if the value is a bare symbol.
fn relocate(
    asm: &mut Assembler<'_>,
    fixup: &Fixup,
    offset: u64,
    value: ExprValue,
    width: u8,
    bare: RelocationKind,
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
            .with_help("subtract a label of the section that the field is in"));
        }
    };
    let kind = match (value.variant, relative) {
        (Variant::Plain, false) => bare,
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
        .with_help("use `.long` or `.quad`"));
    }
    let symbol = match plus.symbol {
        Some(symbol) => symbol,
        None => anchor(asm, plus, fixup.span.clone()),
    };
    let relocation = ProgramRelocation {
        offset,
        kind,
        symbol: symbol.0 as usize,
        addend,
        span: fixup.span.clone(),
    };
    if let Some(section) = asm.output.sections.get_mut(fixup.section as usize) {
        section.relocations.push(relocation);
    }
    Ok(())
}

/// Creates an anonymous symbol at a location that has no symbol.
fn anchor(asm: &mut Assembler<'_>, term: Term, span: Range<usize>) -> SymbolId {
    let id = asm.names.symbols.anonymous(span);
    if let (Some(entry), Some((section, offset))) = (asm.names.symbols.get_mut(id), term.place) {
        entry.defined = SymbolDefinition::Label { section, offset };
    }
    id
}

/// Writes a resolved value into an instruction's words and its listing entry.
fn fill_in(asm: &mut Assembler<'_>, fixup: &Fixup, value: i64) -> Result<(), Fail> {
    let Some((form, mark)) = fixup.instruction else {
        return Ok(());
    };
    let (section, offset) = (fixup.section, fixup.offset);
    let mut inst = inst_at(&asm.output.sections, section, offset, form);
    if let FixupKind::Field(field) = fixup.kind {
        field
            .fill(&mut inst, value)
            .map_err(|error| fail(&ids::OPERAND_RANGE, fixup.span.clone(), error.to_string()))?;
    }
    let result = match fixup.kind {
        FixupKind::Field(_) => Ok(()),
        FixupKind::Branch => inst.set_signed(Field::Simm16, value),
        _ => inst.set_literal(value as u32),
    };
    if result.is_err() {
        return Err(fail(
            &ids::BRANCH_RANGE,
            fixup.span.clone(),
            format!("the branch distance of {value} dwords is out of range −32768 to 32767"),
        ));
    }
    if let Some(mark) = asm.output.marks.get_mut(mark) {
        mark.is_open = false;
    }
    for (index, word) in (0..).zip(inst.words()).take(inst.dwords()) {
        asm.output
            .patch(section, offset + 4 * index, &word.to_le_bytes());
    }
    Ok(())
}
