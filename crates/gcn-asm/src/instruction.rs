//! An instruction's statement: mnemonic, operands, modifiers.

use std::ops::Range;

use gcn_isa::{Field, Form, Kind, Op, Value as ModifierValue};

use crate::assembler::{Assembler, Fixup, FixupKind};
use crate::diagnostic::{Diagnostic, Fail, Helped, fail};
use crate::encode::{self, DelayedField, Operands};
use crate::explain;
use crate::operand::Delayed;
use crate::program::Listing;

/// More operands than any instruction has.
const MAX_ARGS: usize = 16;

/// The bytes of S_NOP, with which code is padded.
pub(crate) const NOP: [u8; 4] = 0xbf80_0000u32.to_le_bytes();

impl Assembler<'_> {
    /// An instruction; the cursor is behind its mnemonic.
    pub(crate) fn instruction(&mut self, mnemonic: Range<usize>) -> Result<(), Fail> {
        let name = self.cursor.slice(mnemonic.clone());
        let Some((op, only)) = self.isa.tables().mnemonic(name.as_bytes()) else {
            if explain::is_encoding_elsewhere(self.isa, name) {
                return Err(fail(mnemonic, encode::NO_SUCH_ENCODING));
            }
            self.suggestions += 1;
            let may_search = self.suggestions <= explain::MAX_SUGGESTIONS;
            return Err(explain::unknown_instruction(
                self.isa, name, mnemonic, may_search,
            ));
        };
        let mut args = std::mem::take(&mut self.args);
        let mut mods = std::mem::take(&mut self.mods);
        args.clear();
        mods.clear();
        let result = self.encode_statement(op, only, mnemonic, &mut args, &mut mods);
        self.args = args;
        self.mods = mods;
        result
    }

    fn encode_statement(
        &mut self,
        op: Op,
        only: Option<&'static Form>,
        mnemonic: Range<usize>,
        args: &mut Vec<crate::operand::Arg>,
        mods: &mut Vec<crate::operand::ModArg>,
    ) -> Result<(), Fail> {
        let scalar_offset = self.operands(op, args, mods)?;
        let statement = mnemonic.start..self.cursor.pos();
        let operands = Operands {
            args,
            mods,
            scalar_offset,
        };
        let isa = self.isa;
        let encoded = encode::encode(isa, op, only, &operands).map_err(|problem| {
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
        if inst.flag(Field::Gds) || encode::restricts_offset(inst.row()) {
            self.diagnostics
                .extend(explain::warnings(&inst, &operands, statement.clone()));
        }
        let words = inst.words();
        let section = self.current;
        let offset = self.here().1;
        if !offset.is_multiple_of(4) {
            return Err(fail(
                statement,
                format!("an instruction must begin at a multiple of 4, not at {offset}"),
            )
            .helped("write `.p2align 2` before it"));
        }
        let mut bytes = [0; 8];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let length = 4 * inst.dwords();
        self.emit(bytes.get(..length).unwrap_or(&bytes), &statement)?;
        if let Some((field, delayed)) = encoded.delayed {
            let kind = match field {
                DelayedField::Literal => FixupKind::Literal,
                DelayedField::Branch => FixupKind::Branch,
            };
            let span = operands
                .args
                .iter()
                .find(|arg| arg.what == crate::operand::What::Delayed(delayed))
                .map_or(statement.clone(), |arg| arg.span.clone());
            self.fixups.push(Fixup {
                section,
                offset,
                kind,
                value: delayed,
                span,
                listing: Some(self.listing.len()),
            });
        }
        self.listing.push(Listing {
            section,
            offset,
            inst,
            span: statement,
            open: encoded.delayed.is_some(),
        });
        Ok(())
    }

    /// Operands separated by commas, then modifiers separated by blanks or commas. Yields the `offset:` of a
    /// scalar memory instruction.
    fn operands(
        &mut self,
        op: Op,
        args: &mut Vec<crate::operand::Arg>,
        mods: &mut Vec<crate::operand::ModArg>,
    ) -> Result<Option<i64>, Fail> {
        let row = op.row();
        let mut scalar_offset = None;
        let mut after_comma = false;
        // Whether an operand may follow without a comma.
        let mut may_follow = true;
        loop {
            if self.cursor.statement_ends() {
                if after_comma {
                    return Err(self.cursor.expected("an operand after `,`"));
                }
                return Ok(scalar_offset);
            }
            let start = self.cursor.pos();
            let mut probe = self.cursor.clone();
            let word = probe.word().unwrap_or("");
            let behind = probe.pos();
            if !word.is_empty()
                && let Some(modifier) = self.modifier_named(op, word)
            {
                self.cursor.set_pos(behind);
                let arg = self.modifier(modifier, word)?;
                if let Some(old) = mods.iter_mut().find(|m| m.modifier.field == modifier.field) {
                    self.diagnostics.push(
                        Diagnostic::warning(
                            arg.span.clone(),
                            format!("`{word}` is written twice; the last one counts"),
                        )
                        .label("this one counts"),
                    );
                    *old = arg;
                } else {
                    mods.push(arg);
                }
            } else if !word.is_empty() && probe.eat_after_blanks(b':') {
                let takes_offset = row
                    .slots()
                    .any(|slot| matches!(slot.kind, Kind::ScalarOffset { .. }));
                let is_offset = word.eq_ignore_ascii_case("offset");
                if !takes_offset || !is_offset || args.is_empty() {
                    return Err(explain::unknown_modifier(
                        self.isa,
                        row,
                        word,
                        start..behind,
                    ));
                }
                self.cursor.set_pos(probe.pos());
                let value = self.absolute("offset")?;
                if scalar_offset.replace(value).is_some() {
                    self.diagnostics.push(Diagnostic::warning(
                        start..self.cursor.pos(),
                        "`offset` is written twice; the last one counts",
                    ));
                }
            } else if may_follow || after_comma {
                if mods.iter().any(|m| m.modifier.value != ModifierValue::Part)
                    || scalar_offset.is_some()
                {
                    return Err(
                        fail(self.cursor.found().0, "an operand cannot follow a modifier")
                            .helped("modifiers stand after the last operand"),
                    );
                }
                if args.len() >= MAX_ARGS {
                    return Err(fail(self.cursor.found().0, "too many operands"));
                }
                let kind = row.slots().nth(args.len()).map(|slot| slot.kind);
                let arg = match kind {
                    Some(kind) => match self.graphics_operand(kind)? {
                        Some(arg) => arg,
                        None => self.operand()?,
                    },
                    None => self.operand()?,
                };
                args.push(arg);
                // LLVM separates an export's target from its values by a blank.
                may_follow = kind == Some(Kind::ExportTarget);
                after_comma = self.cursor.eat_after_blanks(b',');
                continue;
            } else if !word.is_empty() {
                return Err(explain::unknown_modifier(
                    self.isa,
                    row,
                    word,
                    start..behind,
                ));
            } else {
                return Err(self.cursor.expected("`,` or the end of the statement"));
            }
            may_follow = mods
                .last()
                .is_some_and(|m| m.modifier.value == ModifierValue::Part);
            after_comma = self.cursor.eat_after_blanks(b',');
        }
    }

    /// Writes what has become known of an instruction into its words and its listing.
    pub(crate) fn fill_in(&mut self, fixup: &Fixup, value: i64) -> Result<(), Fail> {
        let Some(entry) = fixup.listing.and_then(|index| self.listing.get_mut(index)) else {
            return Ok(());
        };
        let inst = &mut entry.inst;
        let result = match fixup.kind {
            FixupKind::Branch => inst.set_signed(Field::Simm16, value),
            _ => inst.set_literal(value as u32),
        };
        if result.is_err() {
            return Err(fail(
                fixup.span.clone(),
                format!("the branch is {value} dwords long; −32768 to 32767 are possible"),
            ));
        }
        entry.open = false;
        let words = inst.words();
        let length = 4 * inst.dwords();
        let (section, offset) = (entry.section, entry.offset);
        for (index, byte) in words
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .take(length)
            .enumerate()
        {
            self.patch(section, offset + index as u64, &[byte]);
        }
        Ok(())
    }

    /// The kind of fix for a value in an instruction that is neither known nor relocatable.
    pub(crate) fn delayed_value(
        &mut self,
        delayed: Delayed,
        span: &Range<usize>,
    ) -> Result<crate::expr::Value, Fail> {
        match delayed {
            Delayed::Value(value) => Ok(value),
            Delayed::Expr(id) => self
                .exprs
                .eval(id, &self.symbols, true)
                .map_err(|error| error.diagnose(span.clone(), &self.symbols)),
        }
    }
}
