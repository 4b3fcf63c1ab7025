//! Conditional assembly: assembles one branch and skips the others.

use std::ops::Range;

use gcn_isa::Isa;

use super::substitute::without_idle_blanks;

use crate::assembler::expansion::OpenCondition;
use crate::assembler::parser::Parser;
use crate::assembler::reader::SourceReader;
use crate::diagnostic::{Fail, fail};
use crate::directive::clrx;
use crate::ids;

/// Conditional directives, with the conditions they test.
pub(crate) const CONDITIONS: &[(&str, ConditionTest)] = &[
    (".if", ConditionTest::Number(|n| n != 0)),
    (".ifne", ConditionTest::Number(|n| n != 0)),
    (".ifeq", ConditionTest::Number(|n| n == 0)),
    (".ifgt", ConditionTest::Number(|n| n > 0)),
    (".ifge", ConditionTest::Number(|n| n >= 0)),
    (".iflt", ConditionTest::Number(|n| n < 0)),
    (".ifle", ConditionTest::Number(|n| n <= 0)),
    (".ifdef", ConditionTest::Defined(true)),
    (".ifndef", ConditionTest::Defined(false)),
    (".ifnotdef", ConditionTest::Defined(false)),
    (".ifb", ConditionTest::Blank(true)),
    (".ifnb", ConditionTest::Blank(false)),
    (".ifc", ConditionTest::Same(true)),
    (".ifnc", ConditionTest::Same(false)),
    (".ifeqs", ConditionTest::SameStrings(true)),
    (".ifnes", ConditionTest::SameStrings(false)),
    (".ifarch", ConditionTest::Architecture(true)),
    (".ifnarch", ConditionTest::Architecture(false)),
    (".ifgpu", ConditionTest::Gpu(true)),
    (".ifngpu", ConditionTest::Gpu(false)),
    (".iffmt", ConditionTest::Format(true)),
    (".ifnfmt", ConditionTest::Format(false)),
    (".if32", ConditionTest::Always(false)),
    (".if64", ConditionTest::Always(true)),
];

/// Condition of an `.if` or `.elseif` directive. The `bool` is the result that selects the branch.
#[derive(Clone, Copy)]
pub(crate) enum ConditionTest {
    Number(fn(i64) -> bool),
    Defined(bool),
    Blank(bool),
    Same(bool),
    SameStrings(bool),
    /// CLRX's condition on the architecture; the next two test the GPU and the binary format.
    Architecture(bool),
    Gpu(bool),
    Format(bool),
    Always(bool),
}

/// Prefix of `.elseif` directives; the suffixes are those of `.if`.
pub(crate) const OTHER_BRANCH: &str = ".elseif";

pub(super) fn test_named(word: &str) -> Option<ConditionTest> {
    CONDITIONS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|&(_, test)| test)
}

/// Condition of an `.elseif` directive, by name.
pub(crate) fn other_branch(word: &str) -> Option<ConditionTest> {
    let (start, kind) = word.split_at_checked(OTHER_BRANCH.len())?;
    if !start.eq_ignore_ascii_case(OTHER_BRANCH) {
        return None;
    }
    match kind {
        "" => test_named(".if"),
        kind => test_named(&format!(".if{kind}")),
    }
}

/// Handles `.if` and its variants, by the directive's name.
pub(crate) fn begin(
    reader: &mut SourceReader<'_>,
    name: &str,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let Some(test) = test_named(name) else {
        return Ok(());
    };
    let result = holds(&mut reader.parser, test);
    // An invalid condition counts as false, so the matching `.endif` is still paired.
    let holds = matches!(result, Ok(true));
    reader.expansion.conditions.push(OpenCondition {
        span: span.clone(),
        is_taken: holds,
        has_else: false,
    });
    if holds {
        return Ok(());
    }
    let result = result.and_then(|_| reader.parser.cursor.end_statement());
    reader.collect(result);
    skip_branches(reader)
}

fn holds(parser: &mut Parser<'_>, test: ConditionTest) -> Result<bool, Fail> {
    Ok(match test {
        ConditionTest::Number(holds) => holds(parser.absolute("the condition")?),
        ConditionTest::Defined(wanted) => {
            let name = parser.cursor.name()?;
            parser.names.is_defined(&name) == wanted
        }
        ConditionTest::Blank(wanted) => parser.cursor.rest_of_line().is_empty() == wanted,
        ConditionTest::Same(wanted) => {
            let rest = parser.cursor.rest_of_line();
            let Some((left, right)) = rest.split_once(',') else {
                return Err(parser.cursor.expected("`,` and a text to compare with"));
            };
            let is_same = if parser.dialect.ignores_idle_blanks() {
                without_idle_blanks(left) == without_idle_blanks(right)
            } else {
                left.trim() == right.trim()
            };
            is_same == wanted
        }
        ConditionTest::SameStrings(wanted) => {
            let left = parser.cursor.string()?;
            parser
                .cursor
                .require(b',', "`,` and a string to compare with")?;
            (left == parser.cursor.string()?) == wanted
        }
        ConditionTest::Architecture(wanted) => {
            let (name, span) = clrx::platform(&mut parser.cursor);
            let Some(isa) = clrx::architecture_named(name) else {
                return Err(fail(&ids::UNKNOWN_TARGET, span, "unknown architecture"));
            };
            // For CLRX, GCN 1.4.1 also counts as 1.4.
            (parser.isa.version() == isa.version() || parser.isa > isa && isa >= Isa::Gfx9)
                == wanted
        }
        ConditionTest::Gpu(wanted) => {
            let (name, span) = clrx::platform(&mut parser.cursor);
            let Some(target) = clrx::clrx_target(name) else {
                return Err(fail(&ids::UNKNOWN_TARGET, span, "unknown GPU"));
            };
            (parser.target.name == target.name) == wanted
        }
        ConditionTest::Format(wanted) => {
            let (name, span) = clrx::platform(&mut parser.cursor);
            let Some(format) = clrx::format_named(name) else {
                return Err(fail(&ids::UNKNOWN_FORMAT, span, "unknown format"));
            };
            (parser.clrx_format == format) == wanted
        }
        ConditionTest::Always(holds) => holds,
    })
}

/// Handles `.elseif`, `.else` and `.endif`: ends the current branch.
pub(crate) fn next_branch(
    reader: &mut SourceReader<'_>,
    name: &str,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let base = reader.expansion.outer_conditions();
    let is_open = reader.expansion.conditions.len() > base;
    let Some(condition) = reader.expansion.conditions.last_mut().filter(|_| is_open) else {
        reader.parser.cursor.skip_statement_content();
        let message = format!("`{name}` without `.if`");
        return Err(fail(&ids::UNOPENED_BLOCK, span.clone(), message));
    };
    if name == ".endif" {
        reader.expansion.conditions.pop();
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
        reader.collect(Err(error));
    }
    skip_branches(reader)
}

/// Skips branches up to the one to assemble, or past `.endif`.
fn skip_branches(reader: &mut SourceReader<'_>) -> Result<(), Fail> {
    let mut depth = 0usize;
    reader.parser.cursor.skip_statement();
    while !reader.parser.cursor.at_end() {
        reader.parser.cursor.skip_labels();
        let start = reader.parser.cursor.pos();
        let word = match reader.parser.cursor.peek() {
            b'.' => reader.parser.cursor.word().unwrap_or(""),
            _ => "",
        };
        let span = reader.parser.cursor.since(start);
        if word.len() < ".if".len() {
            reader.parser.cursor.skip_statement();
            continue;
        }
        if test_named(word).is_some() {
            depth += 1;
        } else if word.eq_ignore_ascii_case(".endif") {
            match depth.checked_sub(1) {
                None => {
                    reader.expansion.conditions.pop();
                    return Ok(());
                }
                Some(less) => depth = less,
            }
        } else if depth == 0 {
            let is_else = word.eq_ignore_ascii_case(".else");
            let test = other_branch(word);
            if (is_else || test.is_some()) && take_branch(reader, test.filter(|_| !is_else), span) {
                return Ok(());
            }
        }
        reader.parser.cursor.skip_statement();
    }
    Ok(())
}

/// Returns true if the branch at the cursor is taken; `test` is its condition, or `None` for `.else`.
fn take_branch(
    reader: &mut SourceReader<'_>,
    test: Option<ConditionTest>,
    span: Range<usize>,
) -> bool {
    let Some(condition) = reader.expansion.conditions.last_mut() else {
        return false;
    };
    let is_over = condition.is_taken;
    let after_else = condition.has_else;
    condition.has_else |= test.is_none();
    if after_else {
        let name = reader.parser.cursor.slice(span.clone());
        let error = fail(
            &ids::MISPLACED_DIRECTIVE,
            span,
            format!("`{name}` cannot follow `.else`"),
        );
        reader.collect(Err(error));
        return false;
    }
    let holds = !is_over
        && test.is_none_or(|test| {
            let result = holds(&mut reader.parser, test);
            let holds = matches!(result, Ok(true));
            reader.collect(result.map(drop));
            holds
        });
    if let Some(condition) = reader.expansion.conditions.last_mut() {
        condition.is_taken |= holds;
    }
    holds
}
