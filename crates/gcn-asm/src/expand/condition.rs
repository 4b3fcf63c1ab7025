//! Conditions: branches that are read, and branches that are stepped over.

use std::ops::Range;

use gcn_isa::Isa;

use crate::assembler::Assembler;
use crate::clrx;
use crate::diagnostic::{Fail, fail};
use crate::expand::macros::without_idle_blanks;
use crate::ids;
use crate::symbols::Defined;

/// An `.if` that has not ended.
pub(super) struct Condition {
    pub span: Range<usize>,
    /// Whether one of its branches was read.
    is_taken: bool,
    has_else: bool,
}

/// The conditions: how they are spelt, and what they ask.
const CONDITIONS: &[(&str, Test)] = &[
    (".if", Test::Number(|n| n != 0)),
    (".ifne", Test::Number(|n| n != 0)),
    (".ifeq", Test::Number(|n| n == 0)),
    (".ifgt", Test::Number(|n| n > 0)),
    (".ifge", Test::Number(|n| n >= 0)),
    (".iflt", Test::Number(|n| n < 0)),
    (".ifle", Test::Number(|n| n <= 0)),
    (".ifdef", Test::Defined(true)),
    (".ifndef", Test::Defined(false)),
    (".ifnotdef", Test::Defined(false)),
    (".ifb", Test::Blank(true)),
    (".ifnb", Test::Blank(false)),
    (".ifc", Test::Same(true)),
    (".ifnc", Test::Same(false)),
    (".ifeqs", Test::SameStrings(true)),
    (".ifnes", Test::SameStrings(false)),
    (".ifarch", Test::Architecture(true)),
    (".ifnarch", Test::Architecture(false)),
    (".ifgpu", Test::Gpu(true)),
    (".ifngpu", Test::Gpu(false)),
    (".iffmt", Test::Format(true)),
    (".ifnfmt", Test::Format(false)),
    (".if32", Test::Always(false)),
    (".if64", Test::Always(true)),
];

/// What a condition asks; a `bool` is the answer that makes it hold.
#[derive(Clone, Copy)]
pub(super) enum Test {
    Number(fn(i64) -> bool),
    Defined(bool),
    Blank(bool),
    Same(bool),
    SameStrings(bool),
    /// These ask what CLRX's pseudo-operations chose.
    Architecture(bool),
    Gpu(bool),
    Format(bool),
    Always(bool),
}

/// What begins another branch with a condition, and what follows it in a name as it does `.if`.
const OTHER_BRANCH: &str = ".elseif";

pub(super) fn test_named(word: &str) -> Option<Test> {
    CONDITIONS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|&(_, test)| test)
}

/// What `.elseif` and its like ask.
pub(super) fn other_branch(word: &str) -> Option<Test> {
    let (start, kind) = word.split_at_checked(OTHER_BRANCH.len())?;
    if !start.eq_ignore_ascii_case(OTHER_BRANCH) {
        return None;
    }
    match kind {
        "" => test_named(".if"),
        kind => test_named(&format!(".if{kind}")),
    }
}

impl Assembler<'_> {
    pub(super) fn begin_condition(&mut self, test: Test, span: &Range<usize>) -> Result<(), Fail> {
        let result = self.holds(test);
        // What cannot be asked is not true, and its `.endif` is met all the same.
        let holds = matches!(result, Ok(true));
        self.expansion.conditions.push(Condition {
            span: span.clone(),
            is_taken: holds,
            has_else: false,
        });
        if holds {
            return Ok(());
        }
        let result = result.map(drop).and_then(|()| self.statement_is_over());
        self.collect(result);
        self.skip_branches()
    }

    fn statement_is_over(&mut self) -> Result<(), Fail> {
        if self.cursor.statement_ends() {
            Ok(())
        } else {
            Err(self.cursor.expected("the end of the statement"))
        }
    }

    fn holds(&mut self, test: Test) -> Result<bool, Fail> {
        Ok(match test {
            Test::Number(holds) => holds(self.absolute("the condition")?),
            Test::Defined(wanted) => {
                let name = self.cursor.name()?;
                let id = self.symbols.lookup(&name);
                let is_defined = id.is_some_and(|id| self.symbols.defined(id) != Defined::No);
                is_defined == wanted
            }
            Test::Blank(wanted) => self.rest_of_line().is_empty() == wanted,
            Test::Same(wanted) => {
                let rest = self.rest_of_line();
                let Some((left, right)) = rest.split_once(',') else {
                    return Err(self.cursor.expected("`,` and a text to compare with"));
                };
                let is_same = if self.dialect.forgets_blanks() {
                    without_idle_blanks(left) == without_idle_blanks(right)
                } else {
                    left.trim() == right.trim()
                };
                is_same == wanted
            }
            Test::SameStrings(wanted) => {
                let left = self.cursor.string()?;
                if !self.cursor.eat_after_blanks(b',') {
                    return Err(self.cursor.expected("`,` and a string to compare with"));
                }
                (left == self.cursor.string()?) == wanted
            }
            Test::Architecture(wanted) => {
                let (name, span) = self.platform();
                let Some(isa) = clrx::architecture_named(name) else {
                    return Err(fail(
                        &ids::UNKNOWN_TARGET,
                        span,
                        "there is no such architecture here",
                    ));
                };
                // CLRX takes GCN 1.4.1 for 1.4, too.
                (self.isa.version() == isa.version() || self.isa > isa && isa >= Isa::Gfx9)
                    == wanted
            }
            Test::Gpu(wanted) => {
                let (name, span) = self.platform();
                let Some(target) = clrx::target_named(name) else {
                    return Err(fail(
                        &ids::UNKNOWN_TARGET,
                        span,
                        "there is no such GPU here",
                    ));
                };
                (self.target.name == target.name) == wanted
            }
            Test::Format(wanted) => {
                let (name, span) = self.platform();
                let Some(format) = clrx::format_named(name) else {
                    return Err(fail(&ids::UNKNOWN_FORMAT, span, "there is no such format"));
                };
                (self.clrx_format == format) == wanted
            }
            Test::Always(holds) => holds,
        })
    }

    /// The name of an architecture, a GPU or a format, and where it stands.
    fn platform(&mut self) -> (&str, Range<usize>) {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.tail_word();
        (name, start..self.cursor.pos())
    }

    /// `.elseif`, `.else` or `.endif` at the end of a branch that was read.
    pub(super) fn next_branch(&mut self, name: &str, span: &Range<usize>) -> Result<(), Fail> {
        let base = self
            .expansion
            .frames
            .last()
            .map_or(0, |frame| frame.conditions);
        let is_open = self.expansion.conditions.len() > base;
        let Some(condition) = self.expansion.conditions.last_mut().filter(|_| is_open) else {
            self.cursor.skip_line_content();
            return Err(fail(
                &ids::UNOPENED_BLOCK,
                span.clone(),
                format!("`{name}` without `.if`"),
            ));
        };
        if name == ".endif" {
            self.expansion.conditions.pop();
            return Ok(());
        }
        let after_else = condition.has_else;
        condition.has_else |= name == ".else";
        if after_else {
            let error = fail(
                &ids::MISPLACED_DIRECTIVE,
                span.clone(),
                format!("`{name}` cannot follow `.else`"),
            );
            self.collect(Err(error));
        }
        self.skip_branches()
    }

    /// Steps over branches that do not hold: to behind the words that begin the one to read, or behind `.endif`.
    fn skip_branches(&mut self) -> Result<(), Fail> {
        let mut depth = 0usize;
        self.cursor.skip_line();
        while !self.cursor.at_end() {
            self.cursor.skip_labels();
            let start = self.cursor.pos();
            let word = match self.cursor.peek() {
                b'.' => self.cursor.word().unwrap_or(""),
                _ => "",
            };
            let span = start..self.cursor.pos();
            if word.len() < ".if".len() {
                self.cursor.skip_statement();
                continue;
            }
            if test_named(word).is_some() {
                depth += 1;
            } else if word.eq_ignore_ascii_case(".endif") {
                match depth.checked_sub(1) {
                    None => {
                        self.expansion.conditions.pop();
                        return Ok(());
                    }
                    Some(less) => depth = less,
                }
            } else if depth == 0 {
                let is_else = word.eq_ignore_ascii_case(".else");
                let test = other_branch(word);
                if (is_else || test.is_some()) && self.take_branch(test.filter(|_| !is_else), span)
                {
                    return Ok(());
                }
            }
            self.cursor.skip_statement();
        }
        Ok(())
    }

    /// Whether the branch that begins here, if `test` holds if there is one, is to be read.
    fn take_branch(&mut self, test: Option<Test>, span: Range<usize>) -> bool {
        let Some(condition) = self.expansion.conditions.last_mut() else {
            return false;
        };
        let is_over = condition.is_taken;
        let after_else = condition.has_else;
        condition.has_else |= test.is_none();
        if after_else {
            let name = self.cursor.slice(span.clone());
            let error = fail(
                &ids::MISPLACED_DIRECTIVE,
                span,
                format!("`{name}` cannot follow `.else`"),
            );
            self.collect(Err(error));
            return false;
        }
        let holds = !is_over
            && test.is_none_or(|test| {
                let result = self.holds(test);
                let holds = matches!(result, Ok(true));
                self.collect(result.map(drop));
                holds
            });
        if let Some(condition) = self.expansion.conditions.last_mut() {
            condition.is_taken |= holds;
        }
        holds
    }
}
