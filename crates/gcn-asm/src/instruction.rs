//! Parses and assembles instructions: mnemonic, operands and modifiers.

mod modifier;

use std::ops::{Range, RangeInclusive};

use gcn_isa::{Encoding, Field, Form, Isa, Kind, ModifierValue, Op, clrx, llvm};

use crate::argument::{ArgValue, ModArg, ParsedOperand, lower_case};
use crate::assembler::output::{Fixup, FixupKind, Output};
use crate::assembler::parser::Parser;
use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::encode::{self, DelayedField, StatementOperands};
use crate::explain;
use crate::ids;
use crate::inputs::dialect::Dialect;
use crate::operand;
use crate::operand::register::is_register;
use crate::program::PackedInstruction;
use crate::resolve;

/// Maximum number of operands, more than any instruction has.
const MAX_ARGS: usize = 16;

/// Buffer size in bytes, larger than any mnemonic.
const MNEMONIC_BUFFER: usize = 64;

/// Parts of a statement besides operands and the modifiers in the instruction's row.
#[derive(Default)]
struct ExtraModifiers {
    /// Requested encoding, if any.
    only: Option<&'static Form>,
    /// `offset:` value of a scalar memory instruction.
    scalar_offset: Option<i64>,
    /// CLRX's source modifiers as masks: `neg:3`, `abs:[0,1]`, `sext:1`.
    negated: i64,
    absolute: i64,
    extended: i64,
}

impl ExtraModifiers {
    /// Applies the masks to the source operands.
    fn mark(&self, op: Op, args: &mut [ParsedOperand]) {
        if self.negated | self.absolute | self.extended == 0 {
            return;
        }
        for (slot, arg) in op.row().slots().zip(args) {
            let bit = match slot.field {
                Field::Src0 => 1,
                Field::Src1 => 2,
                Field::Src2 => 4,
                _ => continue,
            };
            arg.negated |= self.negated & bit != 0;
            arg.absolute |= self.absolute & bit != 0;
            arg.extended |= self.extended & bit != 0;
        }
    }
}

/// Assembles an instruction; the cursor is after its mnemonic.
pub(crate) fn instruction(
    parser: &mut Parser<'_>,
    output: &mut Output,
    mnemonic: Range<usize>,
) -> Result<(), Fail> {
    let name = parser.cursor.slice(mnemonic.clone());
    let Some((op, only, literals)) = named(parser, name) else {
        parser.suggestions += 1;
        let may_search = parser.suggestions <= explain::MAX_SUGGESTIONS;
        return Err(explain::unknown_instruction(
            parser.target,
            name,
            mnemonic,
            may_search,
        ));
    };
    let mut args = std::mem::take(&mut parser.args);
    let mut mods = std::mem::take(&mut parser.mods);
    args.clear();
    mods.clear();
    parser.delayed_values.clear();
    let result = encode_statement(
        parser,
        output,
        op,
        (only, literals),
        mnemonic,
        &mut args,
        &mut mods,
    );
    parser.args = args;
    parser.mods = mods;
    result
}

/// Resolves a mnemonic to an instruction and the encoding selected by its suffix. The flag is true if literals must
/// replace inline constants, as for CLRX's `_e64` on instructions without a longer encoding.
fn named(parser: &Parser<'_>, name: &str) -> Option<(Op, Option<&'static Form>, bool)> {
    let tables = parser.isa.tables();
    if let Some((op, only)) = tables.mnemonic(name.as_bytes()) {
        return Some((op, only, false));
    }
    let mut buffer = [0; MNEMONIC_BUFFER];
    let lower = lower_case(name, &mut buffer)?;
    let other =
        |name: &str| clrx::named(parser.isa, name).or_else(|| llvm::named(parser.isa, name));
    if let Some(op) = other(lower) {
        return Some((op, None, false));
    }
    let long = llvm::long_form(parser.isa, lower.strip_suffix("_e64").unwrap_or(lower));
    if let Some(form) = long {
        return Some((form.op, Some(form), false));
    }
    let (stem, suffix) = lower.rsplit_once('_')?;
    if !matches!(suffix, "e32" | "e64") {
        return None;
    }
    let is_long = suffix == "e64";
    if let Some(op) = other(stem) {
        let is_meant = |form: &&Form| form.encoding.is_vop3() == is_long;
        let form = tables.forms(op).iter().find(is_meant);
        return form.map(|form| (op, Some(form), false));
    }
    let op = tables.named(stem)?;
    let has_length = tables
        .forms(op)
        .iter()
        .any(|form| form.encoding.is_vector_alu());
    (!has_length && parser.dialect.takes_all_modifiers()).then_some((op, None, is_long))
}

fn encode_statement(
    parser: &mut Parser<'_>,
    output: &mut Output,
    op: Op,
    (only, literals): (Option<&'static Form>, bool),
    mnemonic: Range<usize>,
    args: &mut Vec<ParsedOperand>,
    mods: &mut Vec<ModArg>,
) -> Result<(), Fail> {
    let mut extra = ExtraModifiers {
        only,
        ..ExtraModifiers::default()
    };
    operands(parser, op, args, mods, &mut extra)?;
    extra.mark(op, args);
    if literals {
        args.iter_mut().for_each(|arg| arg.what.make_literal());
    }
    let ExtraModifiers {
        only,
        scalar_offset,
        ..
    } = extra;
    let statement = parser.cursor.since(mnemonic.start);
    let operands = StatementOperands {
        args,
        mods,
        scalar_offset,
    };
    let isa = parser.isa;
    let encoded = encode::encode(isa, parser.dialect, op, only, &operands).map_err(|problem| {
        explain::problem(
            isa,
            op,
            only,
            problem,
            &operands,
            statement.clone(),
            mnemonic.clone(),
        )
    })?;
    let inst = encoded.inst;
    if inst.flag(Field::Gds) || encode::restricts_offset(&inst) {
        parser
            .diagnostics
            .extend(explain::warnings(&inst, &operands, statement.clone()));
    }
    let words = inst.words();
    let (section, offset) = parser.names.layout.here();
    if !offset.is_multiple_of(4) {
        let message = format!("an instruction begins at a multiple of 4, not at {offset}");
        let warning = Diagnostic::warning(&ids::MISALIGNED_INSTRUCTION, statement.clone(), message);
        parser
            .diagnostics
            .push(warning.help("write `.p2align 2` before it"));
    }
    let mut bytes = [0; 8];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let length = 4 * inst.dwords();
    output.emit(
        &mut parser.names.layout,
        bytes.get(..length).unwrap_or(&bytes),
        &statement,
    )?;
    // Errors about a delayed value are reported where it is written.
    let written = |waiting| {
        let mut args = operands.args.iter();
        let mut mods = operands.mods.iter();
        let arg = args.find(|arg| {
            [
                ArgValue::Delayed(waiting),
                ArgValue::DelayedLiteral(waiting),
            ]
            .contains(&arg.what)
        });
        let modifier = mods.find(|m| m.later == Some(waiting));
        let span = arg.map(|a| &a.span).or(modifier.map(|m| &m.span));
        span.unwrap_or(&statement).clone()
    };
    let index = output.marks.len();
    let fixup = |kind: FixupKind, waiting| {
        Some(Fixup {
            section,
            offset,
            kind,
            value: parser.delayed_value(waiting)?,
            span: written(waiting),
            instruction: Some((inst.form(), index)),
        })
    };
    let kind = |field| match field {
        DelayedField::Literal => FixupKind::Literal,
        DelayedField::Branch => FixupKind::Branch,
        other => FixupKind::Field(other),
    };
    let delayed = encoded.delayed;
    let delayed = delayed.and_then(|(field, waiting)| fixup(kind(field), waiting));
    let later = encoded.later.iter().flatten();
    let later = later.filter_map(|&(field, waiting)| fixup(FixupKind::Field(field), waiting));
    output.fixups.extend(later);
    if output.is_listing {
        let later = encoded.later.iter().flatten().count();
        let open_fields = later as u8 + u8::from(encoded.delayed.is_some());
        let mut mark = PackedInstruction::new(section, offset, inst.form(), open_fields);
        mark.place(&statement);
        output.marks.push(mark);
    }
    match delayed {
        // The distance to an earlier label is already final.
        Some(fixup) if fixup.is_to_label_before() => resolve::resolve(parser, output, &fixup)?,
        fixup => output.fixups.extend(fixup),
    }
    Ok(())
}

/// Parses operands, then modifiers; both are separated by blanks or commas.
fn operands(
    parser: &mut Parser<'_>,
    op: Op,
    args: &mut Vec<ParsedOperand>,
    mods: &mut Vec<ModArg>,
    extra: &mut ExtraModifiers,
) -> Result<(), Fail> {
    let row = op.row();
    let has_graphics = matches!(
        op.family_encoding(),
        Encoding::Exp | Encoding::Vintrp | Encoding::Vop3Interp
    );
    let mut after_comma = false;
    loop {
        if parser.cursor.statement_ends() {
            if after_comma {
                return Err(parser.cursor.expected("an operand after `,`"));
            }
            return Ok(());
        }
        let kind = match has_graphics {
            true => row.slots().nth(args.len()).map(|slot| slot.kind),
            false => None,
        };
        let graphics = kind.filter(|&kind| operand::is_graphics(kind));
        if mods.is_empty()
            && extra.scalar_offset.is_none()
            && parser.names.registers.is_empty()
            && graphics.is_none()
            && args.len() < MAX_ARGS
            && operand::common_operand(parser, after_comma || args.is_empty(), args)
        {
            after_comma = parser.cursor.eat_after_blanks(b',');
            continue;
        }
        let start = parser.cursor.pos();
        let mut probe = parser.cursor.clone();
        let word = probe.word().unwrap_or("");
        let word_end = probe.pos();
        let may_be_modifier = !word.is_empty()
            && !((after_comma || args.is_empty()) && is_lds_source(parser.dialect, op, word));
        if may_be_modifier && let Some(modifier) = modifier::modifier_named(parser, op, word) {
            parser.cursor.set_pos(word_end);
            let arg = modifier::modifier(parser, modifier, word)?;
            let is_whole = |m: &ModifierValue| *m == ModifierValue::BufferFormat;
            let is_part = |m: &ModifierValue| *m == ModifierValue::Part;
            let same = mods.iter().position(|m| m.modifier.field == modifier.field);
            let clashes = mods.iter().map(|m| m.modifier).any(|m| {
                is_whole(&m.value) && is_part(&modifier.value)
                    || is_part(&m.value) && is_whole(&modifier.value)
            });
            if let Some(same) = same {
                let message = format!("`{word}` is written twice");
                if !parser.dialect.takes_last_modifier() {
                    return Err(fail(&ids::DUPLICATE_MODIFIER, arg.span, message));
                }
                let message = format!("{message}; the last one counts");
                let warning =
                    Diagnostic::warning(&ids::DUPLICATE_MODIFIER, arg.span.clone(), message);
                parser.diagnostics.push(warning);
                mods.remove(same);
            } else if clashes {
                let message = "the format is written twice";
                return Err(fail(&ids::DUPLICATE_MODIFIER, arg.span, message));
            }
            mods.push(arg);
        } else if !word.is_empty()
            && (!args.is_empty() || row.slots().next().is_none())
            && clrx_modifier(parser, op, word, extra)?
        {
            // Parsed as a side effect of the condition.
        } else if !word.is_empty() && probe.eat_after_blanks(b':') {
            let takes_offset = row
                .slots()
                .any(|slot| matches!(slot.kind, Kind::ScalarOffset { .. }));
            let is_offset = word.eq_ignore_ascii_case("offset");
            if !takes_offset || !is_offset || args.is_empty() {
                return Err(explain::unknown_modifier(
                    parser.isa,
                    row,
                    word,
                    start..word_end,
                ));
            }
            parser.cursor.set_pos(probe.pos());
            let value = parser.absolute("offset")?;
            if extra.scalar_offset.replace(value).is_some() {
                let message = "`offset` is written twice; the last one counts";
                parser.warning(
                    &ids::DUPLICATE_MODIFIER,
                    parser.cursor.since(start),
                    message,
                );
            }
        } else if after_comma || args.is_empty() || is_operand(parser.isa, word, probe.peek()) {
            if mods.iter().any(|m| m.modifier.value != ModifierValue::Part)
                || extra.scalar_offset.is_some()
            {
                return Err(fail(
                    &ids::OPERAND_ORDER,
                    parser.cursor.current_token().0,
                    "an operand cannot follow a modifier",
                )
                .with_help("modifiers follow the last operand"));
            }
            if args.len() >= MAX_ARGS {
                return Err(fail(
                    &ids::OPERAND_COUNT,
                    parser.cursor.current_token().0,
                    "too many operands",
                ));
            }
            args.push(match graphics {
                Some(kind) => operand::graphics_operand(parser, kind)?,
                None => operand::operand(parser)?,
            });
        } else if !word.is_empty() {
            return Err(explain::unknown_modifier(
                parser.isa,
                row,
                word,
                start..word_end,
            ));
        } else {
            return Err(parser.cursor.expected("`,` or the end of the statement"));
        }
        after_comma = parser.cursor.eat_after_blanks(b',');
    }
}

/// Returns true if `word` after a comma is the LDS source operand rather than a modifier.
fn is_lds_source(dialect: Dialect, op: Op, word: &str) -> bool {
    dialect.lds_is_a_source()
        && word.eq_ignore_ascii_case("lds")
        && !op.row().modifiers().any(|m| m.field == Field::Lds)
}

/// Parses a CLRX-only modifier at the cursor; returns false if `word` is not one. CLRX-only modifiers select an
/// encoding, or negate, take the absolute value of, or sign-extend sources.
fn clrx_modifier(
    parser: &mut Parser<'_>,
    op: Op,
    word: &str,
    extra: &mut ExtraModifiers,
) -> Result<bool, Fail> {
    /// Lengths of the modifier names.
    const LENGTHS: RangeInclusive<usize> = 3..=4;
    if !LENGTHS.contains(&word.len()) {
        return Ok(false);
    }
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    let wanted: Option<fn(Encoding) -> bool> = match word {
        _ if is("vop3") => Some(Encoding::is_vop3),
        _ if is("sdwa") => Some(Encoding::is_sdwa),
        _ if is("dpp") => Some(Encoding::is_dpp),
        _ => None,
    };
    if let Some(is_wanted) = wanted {
        let mut forms = parser.isa.tables().forms(op).iter();
        let Some(form) = forms.find(|form| is_wanted(form.encoding)) else {
            return Ok(false);
        };
        parser.cursor.set_pos(parser.cursor.pos() + word.len());
        let is_meant = !parser.cursor.eat_after_blanks(b':') || parser.switch(word)?;
        if is_meant {
            extra.only = Some(form);
        }
        return Ok(true);
    }
    let mask = match word {
        _ if is("neg") => &mut extra.negated,
        _ if is("abs") => &mut extra.absolute,
        _ if is("sext") => &mut extra.extended,
        _ => return Ok(false),
    };
    let mut probe = parser.cursor.clone();
    probe.set_pos(probe.pos() + word.len());
    if !probe.eat_after_blanks(b':') {
        return Ok(false);
    }
    parser.cursor = probe;
    let mut count = 0;
    *mask = if parser.cursor.eat_after_blanks(b'[') {
        let mut bits = 0;
        loop {
            bits |= i64::from(parser.absolute(word)? != 0) << count;
            count += 1;
            if parser.cursor.eat_after_blanks(b']') {
                break bits;
            }
            if count >= MAX_ARGS || !parser.cursor.eat(b',') {
                return Err(parser.cursor.expected("`,` or `]`"));
            }
        }
    } else {
        parser.absolute(word)?
    };
    Ok(true)
}

/// Returns true if `word`, followed by the byte `next`, begins an operand: a register, function or number. Any other
/// word is an unknown modifier.
fn is_operand(isa: Isa, word: &str, next: u8) -> bool {
    word.is_empty()
        || next == b'('
        || word.eq_ignore_ascii_case("off")
        || is_register(isa, word, next == b'[')
}
