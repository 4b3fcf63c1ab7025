//! Resolves fixups or turns them into relocations.

use std::ops::Range;

use gcn_isa::Field;
use gcn_object::RelocationKind;

use crate::assembler::names::Names;
use crate::assembler::output::{Fixup, FixupKind, Output, RelocDirective, check_width};
use crate::assembler::parser::Parser;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::directive::data;
use crate::ids;
use crate::program::{ProgramRelocation, inst_at};
use crate::symbols::{SymbolDefinition, Symbols};
use crate::value::{ExprValue, SymbolId, Term, Variant};

/// Branch length in bytes; offsets are relative to the next instruction.
const BRANCH_LENGTH: i64 = 4;

fn not_a_number(symbols: &Symbols, value: ExprValue, span: &Range<usize>) -> Fail {
    let is_foreign = |term: &Term| term.place.is_none();
    let mut foreign = [value.plus, value.minus]
        .into_iter()
        .flatten()
        .filter(is_foreign);
    match foreign.find_map(|term| term.symbol) {
        Some(symbol) => {
            let name = symbols.name(symbol);
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

/// Fills in a fixup's value or adds a relocation for it.
pub(crate) fn resolve(
    parser: &mut Parser<'_>,
    output: &mut Output,
    fixup: &Fixup,
) -> Result<(), Fail> {
    let value = parser.names.value(fixup.value, &fixup.span)?;
    let symbols = &mut parser.names.symbols;
    match (fixup.kind, value.as_absolute()) {
        (FixupKind::Branch, None) => resolve_branch(symbols, output, fixup, value),
        (FixupKind::Branch | FixupKind::Field(_), Some(number)) => fill_in(output, fixup, number),
        (FixupKind::Field(_), None) => Err(not_a_number(symbols, value, &fixup.span)),
        (FixupKind::Literal, Some(number)) => {
            check_width(number, 4, &fixup.span)?;
            fill_in(output, fixup, number)
        }
        // LLVM treats a plain symbol in an instruction as relative to the field.
        (FixupKind::Literal, None) => {
            let place = fixup.offset + 4;
            relocate(
                symbols,
                output,
                fixup,
                place,
                value,
                4,
                RelocationKind::Rel32,
            )
        }
        (FixupKind::Data(width), Some(number)) => {
            data::check_datum(parser, number, width, &fixup.span)?;
            let bytes = number.to_le_bytes();
            let bytes = bytes.get(..usize::from(width)).unwrap_or(&bytes);
            output.patch(fixup.section, fixup.offset, bytes);
            Ok(())
        }
        (FixupKind::Data(width), None) => {
            let kind = match width {
                8 => RelocationKind::Abs64,
                _ => RelocationKind::Abs32,
            };
            relocate(symbols, output, fixup, fixup.offset, value, width, kind)
        }
    }
}

/// Resolves a branch: fills in the distance to the label, or adds a relocation.
fn resolve_branch(
    symbols: &mut Symbols,
    output: &mut Output,
    fixup: &Fixup,
    value: ExprValue,
) -> Result<(), Fail> {
    let place = match (value.plus, value.minus) {
        (
            Some(Term {
                place: Some((section, offset)),
                ..
            }),
            None,
        ) if section == fixup.section => offset,
        _ => {
            let (place, kind) = (fixup.offset, RelocationKind::Rel16);
            return relocate(symbols, output, fixup, place, value, 2, kind);
        }
    };
    let distance = place
        .cast_signed()
        .wrapping_add(value.constant)
        .wrapping_sub(fixup.offset.cast_signed())
        .wrapping_sub(BRANCH_LENGTH);
    if distance % 4 != 0 {
        let message = "the target of a branch must be a multiple of 4 bytes away";
        return Err(fail(&ids::BRANCH_ALIGNMENT, fixup.span.clone(), message));
    }
    fill_in(output, fixup, distance / 4)
}

/// Adds the relocation that a `.reloc` directive requests.
pub(crate) fn add_relocation(
    names: &mut Names,
    output: &mut Output,
    directive: &RelocDirective,
) -> Result<(), Fail> {
    let place = names.value(directive.place, &directive.span)?;
    let value = names.value(directive.value, &directive.span)?;
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
        Some(place) => anchor(&mut names.symbols, place, directive.span.clone()),
        None => {
            let id = names.symbols.anonymous(directive.span.clone());
            if let Some(entry) = names.symbols.get_mut(id) {
                entry.defined = SymbolDefinition::Value(ExprValue::absolute(0));
            }
            id
        }
    };
    let relocation = ProgramRelocation {
        offset: offset.cast_unsigned(),
        kind: directive.kind,
        symbol: symbol.0 as usize,
        addend: value.constant,
        span: directive.span.clone(),
    };
    output.relocate(directive.section, relocation);
    Ok(())
}

/// Adds a relocation for a value known only when linking. `bare` is the relocation kind for a plain symbol.
fn relocate(
    symbols: &mut Symbols,
    output: &mut Output,
    fixup: &Fixup,
    offset: u64,
    value: ExprValue,
    width: u8,
    bare: RelocationKind,
) -> Result<(), Fail> {
    let Some(plus) = value.plus else {
        let message = "an address can be subtracted only from another address";
        return Err(fail(&ids::ADDRESS_DIFFERENCE, fixup.span.clone(), message));
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
            let message = "the difference of these addresses cannot be expressed in a code object";
            return Err(fail(&ids::ADDRESS_DIFFERENCE, fixup.span.clone(), message)
                .with_help("subtract a label of the section that the field is in"));
        }
    };
    let kind = match (value.variant, relative) {
        (Variant::Plain, false) => bare,
        (Variant::Plain, true) if width == 8 => RelocationKind::Rel64,
        (Variant::Plain, true) => RelocationKind::Rel32,
        (_, true) => {
            let message = "a symbol with `@` cannot be part of a difference";
            return Err(fail(&ids::ADDRESS_DIFFERENCE, fixup.span.clone(), message));
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
        let message = format!(
            "an address cannot be stored in {width} byte{} this way",
            if width == 1 { "" } else { "s" }
        );
        return Err(fail(&ids::ADDRESS_WIDTH, fixup.span.clone(), message)
            .with_help("use `.long` or `.quad`"));
    }
    let symbol = match plus.symbol {
        Some(symbol) => symbol,
        None => anchor(symbols, plus, fixup.span.clone()),
    };
    let relocation = ProgramRelocation {
        offset,
        kind,
        symbol: symbol.0 as usize,
        addend,
        span: fixup.span.clone(),
    };
    output.relocate(fixup.section, relocation);
    Ok(())
}

/// Creates an anonymous symbol at a location that has none.
fn anchor(symbols: &mut Symbols, term: Term, span: Range<usize>) -> SymbolId {
    let id = symbols.anonymous(span);
    if let (Some(entry), Some((section, offset))) = (symbols.get_mut(id), term.place) {
        entry.defined = SymbolDefinition::Label { section, offset };
    }
    id
}

/// Writes a resolved value into an instruction's words and its record.
fn fill_in(output: &mut Output, fixup: &Fixup, value: i64) -> Result<(), Fail> {
    let Some((form, mark)) = fixup.instruction else {
        return Ok(());
    };
    let (section, offset) = (fixup.section, fixup.offset);
    let mut inst = inst_at(output.bytes(section), offset, form);
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
        let message =
            format!("the branch distance of {value} dwords is out of range −32768 to 32767");
        return Err(fail(&ids::BRANCH_RANGE, fixup.span.clone(), message));
    }
    if let Some(mark) = output.marks.get_mut(mark) {
        mark.open_fields = mark.open_fields.saturating_sub(1);
    }
    for (index, word) in (0..).zip(inst.words()).take(inst.dwords()) {
        output.patch(section, offset + 4 * index, &word.to_le_bytes());
    }
    Ok(())
}
