//! Loops that go on while a condition holds: `.while` and `.for` of CLRX.
//!
//! The statement that begins such a loop is read again before every round: the frame of a round says where that is.

use std::ops::Range;

use super::{LOOP, Origin, Step, What};
use crate::assembler::Assembler;
use crate::diagnostic::{Fail, fail};
use crate::ids;

/// What a round counts beside its text: its condition is read again and may never fail.
const ROUND_COST: usize = 256;

/// A loop whose beginning is about to be read again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Resumed {
    /// Where it begins.
    pub at: usize,
    /// The number of the round to come.
    pub round: u64,
}

impl Assembler<'_> {
    /// `condition`, up to `.endr`
    pub(super) fn while_loop(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let round = self.round(span);
        let holds = self.absolute("the condition").map(|number| number != 0);
        self.round_if(holds, ".while", round, span)
    }

    /// `symbol = first, condition, next`, up to `.endr`
    pub(super) fn for_loop(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let round = self.round(span);
        let holds = self.for_head(round);
        self.round_if(holds, ".for", round, span)
    }

    /// The number of the round that is about to begin.
    fn round(&mut self, span: &Range<usize>) -> u64 {
        let resumed = self.expansion.resumed.take();
        let own = resumed.filter(|resumed| resumed.at == span.start);
        own.map_or(1, |resumed| resumed.round)
    }

    /// Gives the symbol its value in this round; yields whether there is a round.
    fn for_head(&mut self, round: u64) -> Result<bool, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.name()?.into_owned();
        let span = start..self.cursor.pos();
        if !self.cursor.eat_after_blanks(b'=') {
            return Err(self.cursor.expected("`=` and the first value"));
        }
        let first = self.absolute("the first value")?;
        if round == 1 {
            self.set_number(&name, first, span.clone())?;
        }
        self.comma("the condition")?;
        let condition = self.cursor.pos();
        let holds = self.absolute("the condition")?;
        self.comma("the next value")?;
        let next = self.absolute("the next value")?;
        if round == 1 {
            return Ok(holds != 0);
        }
        // The condition is about the next value.
        self.set_number(&name, next, span)?;
        let end = self.cursor.pos();
        self.cursor.set_pos(condition);
        let holds = self.absolute("the condition")?;
        self.cursor.set_pos(end);
        Ok(holds != 0)
    }

    /// Reads the body once if the condition holds, then the beginning again.
    fn round_if(
        &mut self,
        holds: Result<bool, Fail>,
        name: &'static str,
        round: u64,
        span: &Range<usize>,
    ) -> Result<(), Fail> {
        let holds = holds.and_then(|holds| {
            if self.cursor.statement_ends() {
                Ok(holds)
            } else {
                Err(self.cursor.expected("the end of the statement"))
            }
        });
        let call = self.statement_from(span.start);
        let mut again = self.cursor.clone();
        again.set_pos(span.start);
        let body = self.body(LOOP, span)?;
        if !holds? {
            return Ok(());
        }
        self.charge(body.len() + ROUND_COST, &call)?;
        let begin = self.cursor.within(body);
        let step = Step {
            what: What::Loop(name),
            text: None,
            origin: Origin::Unknown,
            call,
            iteration: round,
        };
        self.expand(step, begin, 1)?;
        self.repeat_from(again);
        Ok(())
    }

    /// Gives a symbol a number, as `=` does.
    fn set_number(&mut self, name: &str, value: i64, span: Range<usize>) -> Result<(), Fail> {
        if self.is_label(name) {
            let message = format!("symbol `{name}` is already defined as a label");
            return Err(fail(&ids::REDEFINED_SYMBOL, span, message));
        }
        self.define_number(name, value, span);
        Ok(())
    }
}
