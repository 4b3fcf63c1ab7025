//! Macros, loops, conditions and included files: what makes text out of text.
//!
//! Every expansion is a [`Frame`] on a stack, so that depth costs no native stack and is bounded by a number.
//! A loop without parameters and a macro that names none are read in place, again and again; other bodies are
//! substituted into [`Texts`] that live as long as the assembly. Positions inside such a text mean nothing to
//! who reads messages: after each statement, what it left behind is moved to its place ([`place`]).

mod condition;
mod files;
mod loops;
mod macros;
mod place;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::assembler::Assembler;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, Helped, Severity, fail};
use crate::ids;

use condition::{Condition, test_named};
pub use files::{File, Files, NoFiles};
use loops::Resumed;
use macros::{Macro, Values, substitute, unquoted};
use place::{Deferred, Included, Mapping, Node, Origin, Step};

/// Expansions may nest this deep.
const MAX_DEPTH: usize = 1024;
/// Bytes that all expansions together may read.
const MAX_EXPANDED: usize = 1 << 29;
/// What entering an expansion counts beside its text, so that empty ones come to an end too.
const ENTRY_COST: usize = 64;
/// What repeating a body counts beside its text.
const REPEAT_COST: usize = 16;
/// What stands for the number of a round in a loop, and of a call in a macro.
const ROUND: &str = "\\+";

/// Texts that were made, each of which stays where it is: a list that only grows.
#[derive(Default)]
pub(crate) struct Texts {
    text: String,
    next: OnceCell<Box<Texts>>,
}

impl Drop for Texts {
    /// Without recursion, for the list is long.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut texts) = next {
            next = texts.next.take();
        }
    }
}

/// What an expansion is called.
#[derive(Clone, Copy, Debug)]
enum What<'a> {
    Macro(&'a str),
    Loop(&'static str),
    File(&'a str),
}

impl What<'_> {
    fn text(self) -> String {
        match self {
            What::Macro(name) => format!("macro `{name}`"),
            What::Loop(name) => format!("`{name}`"),
            What::File(name) => format!("`{}`", name.escape_debug()),
        }
    }
}

/// An expansion that is being read.
struct Frame<'a> {
    step: Step<'a>,
    mapping: Mapping,
    /// The statement after the call.
    resume: Cursor<'a>,
    /// The beginning of a loop that asks before each round.
    again: Option<Cursor<'a>>,
    /// Where each repetition begins.
    begin: Cursor<'a>,
    /// Repetitions to come.
    remaining: u64,
    /// Errors when this repetition began.
    errors: usize,
    /// Conditions that are open outside.
    conditions: usize,
    node: Option<u32>,
}

/// What to do when a statement has been read.
enum Jump<'a> {
    Enter(Box<Frame<'a>>),
    Leave,
    /// Out of all expansions, after an error that would only repeat itself.
    Abort,
    /// Out of macros and loops, but not of the file that they are in, after too many errors.
    AbortToFile,
    /// `.end`
    Stop,
}

/// The state of expanding.
pub(crate) struct Expansion<'a> {
    macros: HashMap<&'a str, Rc<Macro<'a>>>,
    frames: Vec<Frame<'a>>,
    conditions: Vec<Condition>,
    jump: Option<Jump<'a>>,
    nodes: Vec<Node<'a>>,
    deferred: Vec<Deferred>,
    last: &'a Texts,
    reader: &'a dyn Files,
    /// Where in the source the reader is told that it was read so far.
    next_pass: usize,
    source: &'a str,
    source_text: &'a str,
    /// In the order of inclusion, so of their places.
    files: Vec<Included<'a>>,
    /// Whether `.altmacro` is in force.
    is_alternate: bool,
    /// Whether macros are called in any case.
    pub ignores_case: bool,
    /// The loop that the next statement goes on with.
    resumed: Option<Resumed>,
    /// Bytes that may still be read.
    budget: usize,
    /// Macros called so far, for `\@`.
    calls: u64,
    /// Names made for `LOCAL` so far.
    locals: u64,
    /// Errors so far, in all and inside expansions.
    pub errors: usize,
    inner_errors: usize,
    inner_warnings: usize,
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(
        source: &crate::Source<'a>,
        texts: &'a Texts,
        reader: &'a dyn Files,
        ignores_case: bool,
    ) -> Expansion<'a> {
        Expansion {
            macros: HashMap::new(),
            frames: Vec::new(),
            conditions: Vec::new(),
            jump: None,
            nodes: Vec::new(),
            deferred: Vec::new(),
            last: texts,
            reader,
            next_pass: 0,
            source: source.name,
            source_text: source.text,
            files: Vec::new(),
            is_alternate: false,
            ignores_case,
            resumed: None,
            budget: MAX_EXPANDED,
            calls: 0,
            locals: 0,
            errors: 0,
            inner_errors: 0,
            inner_warnings: 0,
        }
    }

    pub(crate) fn is_inside(&self) -> bool {
        !self.frames.is_empty()
    }

    pub(crate) fn wants_jump(&self) -> bool {
        self.jump.is_some()
    }

    pub(crate) fn has_macros(&self) -> bool {
        !self.macros.is_empty()
    }

    fn keep(&mut self, text: String) -> &'a str {
        let next = Texts {
            text,
            next: OnceCell::new(),
        };
        self.last = self.last.next.get_or_init(|| Box::new(next));
        &self.last.text
    }

    /// The name of the file that is read.
    fn file(&self) -> &'a str {
        self.frames
            .iter()
            .rev()
            .find_map(|frame| match frame.step.what {
                What::File(name) => Some(name),
                _ => None,
            })
            .unwrap_or(self.source)
    }
}

const MACRO: (&[&str], &[&str]) = (&[".macro"], &[".endm", ".endmacro"]);
const LOOP: (&[&str], &[&str]) = (
    &[".rept", ".rep", ".irp", ".irpc", ".for", ".while"],
    &[".endr", ".endrept"],
);

fn is_one_of(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// Every directive of this module, for messages.
pub(crate) const NAMES: &[&str] = &[
    ".macro",
    ".endm",
    ".endmacro",
    ".exitm",
    ".purgem",
    ".rept",
    ".rep",
    ".irp",
    ".irpc",
    ".for",
    ".while",
    ".endr",
    ".endrept",
    ".if",
    ".ifne",
    ".ifeq",
    ".ifgt",
    ".ifge",
    ".iflt",
    ".ifle",
    ".ifdef",
    ".ifndef",
    ".ifnotdef",
    ".ifb",
    ".ifnb",
    ".ifc",
    ".ifnc",
    ".ifeqs",
    ".ifnes",
    ".elseif",
    ".else",
    ".endif",
    ".include",
    ".incbin",
    ".error",
    ".err",
    ".warning",
    ".print",
    ".end",
    ".altmacro",
    ".noaltmacro",
];

impl<'a> Assembler<'a> {
    /// A directive of this module, with its name in lower case; nothing if it is none.
    pub(crate) fn expansion_directive(
        &mut self,
        name: &str,
        span: &Range<usize>,
    ) -> Option<Result<(), Fail>> {
        if let Some(test) = test_named(name) {
            return Some(self.begin_condition(test, span));
        }
        if condition::other_branch(name).is_some() {
            return Some(self.next_branch(name, span));
        }
        Some(match name {
            ".macro" => self.define_macro(span),
            ".rept" | ".rep" => self.rept(span),
            ".irp" => self.irp(span, ".irp"),
            ".irpc" => self.irp(span, ".irpc"),
            ".while" => self.while_loop(span),
            ".for" => self.for_loop(span),
            ".else" | ".endif" => self.next_branch(name, span),
            ".exitm" => self.exit_macro(span),
            ".purgem" => self.purge(),
            ".altmacro" | ".noaltmacro" => {
                self.expansion.is_alternate = name == ".altmacro";
                Ok(())
            }
            ".include" => self.include(span),
            ".incbin" => self.incbin(span),
            ".error" | ".err" | ".warning" | ".print" => self.user_message(name, span),
            ".end" => {
                self.cursor.skip_line_content();
                self.expansion.jump = Some(Jump::Stop);
                Ok(())
            }
            ".endm" | ".endmacro" => Err(fail(
                &ids::UNOPENED_BLOCK,
                span.clone(),
                format!("`{name}` without `.macro`"),
            )),
            ".endr" | ".endrept" => Err(fail(
                &ids::UNOPENED_BLOCK,
                span.clone(),
                format!("`{name}` without the beginning of a loop"),
            )),
            _ => return None,
        })
    }

    /// Goes where the statement that was read wants to go on.
    pub(crate) fn jump(&mut self) {
        match self.expansion.jump.take() {
            Some(Jump::Enter(mut frame)) => {
                frame.resume = std::mem::replace(&mut self.cursor, frame.begin.clone());
                frame.errors = self.expansion.errors;
                frame.conditions = self.expansion.conditions.len();
                self.expansion.frames.push(*frame);
            }
            Some(Jump::Leave) => self.leave(),
            Some(Jump::Abort) => self.leave_to(0),
            Some(Jump::AbortToFile) => {
                let is_file = |frame: &&Frame<'_>| matches!(frame.step.what, What::File(_));
                self.leave_to(self.expansion.frames.iter().take_while(is_file).count());
            }
            Some(Jump::Stop) => {
                self.expansion.frames.clear();
                self.expansion.conditions.clear();
                self.cursor.set_pos(usize::MAX / 2);
            }
            None => {}
        }
    }

    /// Out of all but the outermost `depth` expansions.
    fn leave_to(&mut self, depth: usize) {
        if let Some(frame) = self.expansion.frames.get(depth) {
            self.cursor = frame.resume.clone();
            self.expansion.conditions.truncate(frame.conditions);
        }
        self.expansion.frames.truncate(depth);
    }

    /// Out of the innermost expansion.
    fn leave(&mut self) {
        if let Some(frame) = self.expansion.frames.pop() {
            self.expansion.conditions.truncate(frame.conditions);
            self.cursor = frame.resume;
        }
    }

    /// The text has ended: again, if it is a loop's, or out of it. False at the end of the source.
    pub(crate) fn text_ended(&mut self) -> bool {
        let marks = self.marks();
        let base = self
            .expansion
            .frames
            .last()
            .map_or(0, |frame| frame.conditions);
        if let Some(open) = self.expansion.conditions.get(base) {
            let span = open.span.clone();
            self.expansion.conditions.truncate(base);
            self.collect(Err(fail(
                &ids::UNCLOSED_BLOCK,
                span,
                "this condition has no end",
            )
            .helped("end it with `.endif`")));
            if self.expansion.is_inside() {
                self.settle(&marks);
            }
        }
        let errors = self.expansion.errors;
        let Some(frame) = self.expansion.frames.last_mut() else {
            return false;
        };
        // An error of a loop would come again each time.
        if frame.remaining > 0 && frame.errors == errors {
            frame.remaining -= 1;
            frame.step.iteration += 1;
            self.cursor = frame.begin.clone();
        } else {
            let again = frame.again.take().filter(|_| frame.errors == errors);
            let round = frame.step.iteration.saturating_add(1);
            self.leave();
            if let Some(again) = again {
                let at = again.pos();
                self.expansion.resumed = Some(Resumed { at, round });
                self.cursor = again;
            }
        }
        true
    }

    /// Lets what is about to be read be followed by `again` in place of the statement after it.
    fn repeat_from(&mut self, again: Cursor<'a>) {
        if let Some(Jump::Enter(frame)) = &mut self.expansion.jump {
            frame.again = Some(again);
        }
    }

    /// Takes from what expansions may read. Beyond it, all of them end.
    fn charge(&mut self, bytes: usize, span: &Range<usize>) -> Result<(), Fail> {
        match self.expansion.budget.checked_sub(bytes) {
            Some(rest) => {
                self.expansion.budget = rest;
                Ok(())
            }
            None => {
                self.expansion.jump = Some(Jump::Abort);
                Err(fail(
                    &ids::EXPANSION_LIMIT,
                    span.clone(),
                    "macros, loops and included files expand to too much text",
                )
                .helped(format!("at most {} MiB are possible", MAX_EXPANDED >> 20)))
            }
        }
    }

    /// Plans to read a text from `begin`, `rounds` times. The step is about its first time.
    fn expand(&mut self, step: Step<'a>, begin: Cursor<'a>, rounds: u64) -> Result<(), Fail> {
        if self.expansion.frames.len() >= MAX_DEPTH {
            self.expansion.jump = Some(Jump::Abort);
            let message = format!("{} is nested too deep", step.what.text());
            return Err(fail(&ids::NESTING_LIMIT, step.call, message)
                .helped(format!("expansions may nest {MAX_DEPTH} levels deep")));
        }
        let mapping = match (self.expansion.mapping(), step.text) {
            (outer, None) => outer,
            (_, Some(_)) if matches!(step.what, What::File(_)) => match &step.origin {
                Origin::At(place) => Mapping::From(place.start),
                Origin::Unknown | Origin::Around(_) => Mapping::From(0),
            },
            (outer, Some(_)) => Mapping::Call(outer.apply(step.call.clone())),
        };
        self.expansion.jump = Some(Jump::Enter(Box::new(Frame {
            step,
            mapping,
            resume: begin.clone(),
            again: None,
            begin,
            remaining: rounds.saturating_sub(1),
            errors: 0,
            conditions: 0,
            node: None,
        })));
        Ok(())
    }

    /// Where a body of the text that is read stands.
    fn origin(&self, body: Range<usize>) -> Origin {
        match self.expansion.mapping() {
            Mapping::Call(_) => Origin::Around(body),
            from @ Mapping::From(_) => Origin::At(from.apply(body)),
        }
    }

    /// Steps over a body up to what ends it; yields where it stands. Without an end it is the rest of the text.
    fn body(
        &mut self,
        (opens, closes): (&[&str], &[&str]),
        span: &Range<usize>,
    ) -> Result<Range<usize>, Fail> {
        self.cursor.skip_statement();
        let start = self.cursor.pos();
        let mut depth = 0usize;
        while !self.cursor.at_end() {
            let line = self.cursor.pos();
            self.cursor.skip_labels();
            if self.cursor.peek() == b'.' {
                let word = self.cursor.word().unwrap_or("");
                if is_one_of(word, opens) {
                    depth += 1;
                } else if is_one_of(word, closes) {
                    match depth.checked_sub(1) {
                        None => return Ok(start..line),
                        Some(less) => depth = less,
                    }
                }
            }
            self.cursor.skip_statement();
        }
        let name = self.cursor.slice(span.clone());
        let end = closes.first().copied().unwrap_or("");
        Err(fail(
            &ids::UNCLOSED_BLOCK,
            span.clone(),
            format!("`{name}` has no end"),
        )
        .helped(format!("end it with `{end}`")))
    }

    /// A statement up to where it was read, without the blanks there.
    fn statement_from(&self, start: usize) -> Range<usize> {
        let text = self.cursor.slice(start..self.cursor.pos());
        start..start + text.trim_end().len()
    }

    /// `count`, up to `.endr`
    fn rept(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let count = self
            .absolute("the number of repetitions")
            .and_then(|count| {
                if self.cursor.statement_ends() {
                    Ok(count)
                } else {
                    Err(self.cursor.expected("the end of the statement"))
                }
            });
        let call = self.statement_from(span.start);
        let body = self.body(LOOP, span)?;
        let count = count?;
        let Ok(count) = u64::try_from(count) else {
            return Err(fail(
                &ids::EXPANSION_LIMIT,
                call,
                format!("a loop cannot be repeated {count} times"),
            ));
        };
        if count == 0 || body.is_empty() {
            return Ok(());
        }
        if self.cursor.slice(body.clone()).contains(ROUND) {
            let rounds = usize::try_from(count).unwrap_or(usize::MAX);
            let values = std::iter::repeat_n(None, rounds);
            return self.unrolled(".rept", body, values, call);
        }
        let each = body.len() + REPEAT_COST;
        let bytes = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .saturating_mul(each);
        self.charge(bytes.saturating_add(ENTRY_COST), &call)?;
        let begin = self.cursor.within(body);
        let step = Step {
            what: What::Loop(".rept"),
            text: None,
            origin: Origin::Unknown,
            call,
            iteration: 1,
        };
        self.expand(step, begin, count)
    }

    /// `parameter, value, value`, up to `.endr`; of `.irpc`, the values are characters.
    fn irp(&mut self, span: &Range<usize>, name: &'static str) -> Result<(), Fail> {
        let head = self.irp_head(name == ".irpc");
        let call = self.statement_from(span.start);
        let body = self.body(LOOP, span)?;
        let (parameter, values) = head?;
        let values = values.into_iter().map(|value| Some((parameter, value)));
        self.unrolled(name, body, values, call)
    }

    /// A loop whose text depends on the round: all rounds as one text.
    fn unrolled(
        &mut self,
        name: &'static str,
        body: Range<usize>,
        values: impl Iterator<Item = Option<(&'a str, &'a str)>>,
        call: Range<usize>,
    ) -> Result<(), Fail> {
        let text = self.cursor.slice(body.clone());
        let mut out = String::new();
        for (round, value) in (0..).zip(values) {
            let values = Values {
                bindings: value.as_slice(),
                calls: self.expansion.calls,
                round,
            };
            let limit = self.expansion.budget;
            // What is empty comes to an end too.
            let limit = limit.saturating_sub(round as usize * REPEAT_COST);
            if !substitute(&mut out, text, &values, limit) || limit == 0 {
                return self.charge(usize::MAX, &call);
            }
        }
        self.charge(out.len() + ENTRY_COST, &call)?;
        let origin = self.origin(body);
        let text = self.expansion.keep(out);
        let step = Step {
            what: What::Loop(name),
            text: Some(text),
            origin,
            call,
            iteration: 1,
        };
        self.expand(step, Cursor::new(text, self.dialect), 1)
    }

    fn irp_head(&mut self, by_character: bool) -> Result<(&'a str, Vec<&'a str>), Fail> {
        self.cursor.skip_blanks();
        let Some(parameter) = self.cursor.word() else {
            return Err(self.cursor.expected("a parameter's name"));
        };
        let _ = self.cursor.eat_after_blanks(b',');
        let mut values = Vec::new();
        if by_character {
            let characters = unquoted(self.rest_of_line());
            let ends = characters
                .char_indices()
                .map(|(at, c)| at..at + c.len_utf8());
            let characters = ends.filter_map(|range| characters.get(range));
            let is_idle = |c: &str| self.dialect.forgets_blanks() && c.trim().is_empty();
            values.extend(characters.filter(|c| !is_idle(c)));
        } else {
            let mut after_comma = false;
            while after_comma || !self.cursor.statement_ends() {
                values.push(unquoted(self.macro_argument()?));
                after_comma = self.cursor.eat_after_blanks(b',');
            }
        }
        if values.is_empty() {
            values.push("");
        }
        Ok((parameter, values))
    }

    /// `"text"`: an error, a warning or a note of the source's own.
    fn user_message(&mut self, name: &str, span: &Range<usize>) -> Result<(), Fail> {
        let mut text = String::new();
        if !self.cursor.statement_ends() || name == ".print" {
            text = String::from_utf8_lossy(&self.cursor.string()?).into_owned();
        }
        if text.is_empty() {
            text = format!("`{name}` without a text");
        }
        let mut message = fail(&ids::USER_ERROR, span.start..self.cursor.pos(), text);
        (message.severity, message.id) = match name {
            ".print" => (Severity::Note, &ids::USER_NOTE),
            ".warning" => (Severity::Warning, &ids::USER_WARNING),
            _ => return Err(message),
        };
        self.diagnostics.push(*message);
        Ok(())
    }
}
