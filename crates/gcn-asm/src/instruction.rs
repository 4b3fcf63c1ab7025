//! An instruction's statement: mnemonic, operands, modifiers.

use std::ops::Range;

use gcn_isa::{Field, Form, Kind, Op, Value as ModifierValue};

use crate::assembler::{Assembler, Fixup, FixupKind};
use crate::diagnostic::{Diagnostic, Fail, Helped, fail};
use crate::encode::{self, DelayedField, Operands};
use crate::explain;
use crate::modifier::ModArg;
use crate::operand::{Arg, Delayed, What};
use crate::program::{Mark, inst_at};

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
        self.waiting.clear();
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
        args: &mut Vec<Arg>,
        mods: &mut Vec<ModArg>,
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
        let mut fixup = None;
        if let Some((field, waiting)) = encoded.delayed
            && let Some(value) = self.waiting(waiting)
        {
            let kind = match field {
                DelayedField::Literal => FixupKind::Literal,
                DelayedField::Branch => FixupKind::Branch,
            };
            let span = operands
                .args
                .iter()
                .find(|arg| arg.what == What::Delayed(waiting))
                .map_or(statement.clone(), |arg| arg.span.clone());
            fixup = Some(Fixup {
                section,
                offset,
                kind,
                value,
                span,
                instruction: Some((inst.form(), self.marks.len())),
            });
        }
        if self.is_listing {
            let mut mark = Mark::new(section, offset, inst.form(), encoded.delayed.is_some());
            mark.place(&statement);
            self.marks.push(mark);
        }
        match fixup {
            // The distance to a label before the branch is final.
            Some(fixup) if fixup.is_to_label_before() => self.resolve(&fixup)?,
            fixup => self.fixups.extend(fixup),
        }
        Ok(())
    }

    /// Operands separated by commas, then modifiers separated by blanks or commas. Yields the `offset:` of a
    /// scalar memory instruction.
    fn operands(
        &mut self,
        op: Op,
        args: &mut Vec<Arg>,
        mods: &mut Vec<ModArg>,
    ) -> Result<Option<i64>, Fail> {
        let row = op.row();
        let forms = self.isa.tables().forms(op);
        let places = forms.first().map_or(&[][..], |form| &form.places);
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
            let kind = places.get(args.len()).map(|place| place.slot.kind);
            let is_graphics = kind.is_some_and(is_graphics);
            if (may_follow || after_comma)
                && mods.is_empty()
                && scalar_offset.is_none()
                && !is_graphics
                && args.len() < MAX_ARGS
                && let Some(arg) = self.plain_operand()
            {
                args.push(arg);
                may_follow = false;
                after_comma = self.cursor.eat_after_blanks(b',');
                continue;
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
        let Some((form, mark)) = fixup.instruction else {
            return Ok(());
        };
        let (section, offset) = (fixup.section, fixup.offset);
        let mut inst = inst_at(&self.sections, section, offset, form);
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
        if let Some(mark) = self.marks.get_mut(mark) {
            mark.is_open = false;
        }
        for (index, word) in (0..).zip(inst.words()).take(inst.dwords()) {
            self.patch(section, offset + 4 * index, &word.to_le_bytes());
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

/// Whether an operand is of a kind that only exports and interpolation have.
pub(crate) fn is_graphics(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ExportTarget | Kind::Attribute | Kind::VertexParameter
    )
}
