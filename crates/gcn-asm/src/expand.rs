//! Macros, loops, conditions and included files: what makes text out of text.
//!
//! Every expansion is a [`Frame`] on a stack, so that depth costs no native stack and is bounded by a number.
//! A loop without parameters and a macro that names none are read in place, again and again; other bodies are
//! substituted into [`Texts`] that live as long as the assembly. Positions inside such a text mean nothing to
//! who reads messages: after each statement, what it left behind is moved to the place of the outermost call.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use crate::assembler::Assembler;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, Helped, Note, Severity, fail};
use crate::expr::{Parsed, Term};
use crate::symbols::Defined;

/// Expansions may nest this deep.
const MAX_DEPTH: usize = 1024;
/// Bytes that all expansions together may read.
const MAX_EXPANDED: usize = 1 << 29;
/// What entering an expansion counts beside its text, so that empty ones come to an end too.
const ENTRY_COST: usize = 64;
/// What repeating a body counts beside its text.
const REPEAT_COST: usize = 16;
/// After so many errors inside expansions the outermost one is left.
const MAX_ERRORS: usize = 100;
/// Warnings inside expansions that are kept.
const MAX_WARNINGS: usize = 1000;
/// Notes of a chain that are kept at each of its ends.
const MAX_NOTES: usize = 6;
/// Characters of an expanded line that a note quotes.
const MAX_QUOTE: usize = 100;

/// A file that a source asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// What messages call it, and what `from` will be for the files that it includes.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Where `.include` and `.incbin` find files. The library itself reads none.
pub trait Files {
    /// The file called `name` in the source called `from`.
    ///
    /// # Errors
    /// Why it cannot be read, as a message to follow the name.
    fn read(&self, name: &str, from: &str) -> Result<File, String>;
}

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str, _: &str) -> Result<File, String> {
        Err("this source may not read files".to_owned())
    }
}

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

/// Where a body stands.
#[derive(Clone, Debug)]
enum Origin {
    /// In another file, or in a text that has gone.
    Unknown,
    Source(Range<usize>),
    /// In the text that the expansion is part of.
    Around(Range<usize>),
}

/// An expansion as messages need it after it has ended.
#[derive(Clone, Debug)]
struct Node<'a> {
    /// The expansion that it is part of.
    parent: Option<u32>,
    what: What<'a>,
    text: &'a str,
    origin: Origin,
    /// The call, in the text that the call is part of.
    call: Range<usize>,
}

/// An expansion that is being read.
struct Frame<'a> {
    what: What<'a>,
    /// Nothing if it is read where it stands, so that positions are those of the text around it.
    text: Option<&'a str>,
    origin: Origin,
    call: Range<usize>,
    /// Where the outermost call stands, unless positions are those of the source.
    mapped: Option<Range<usize>>,
    /// The statement after the call.
    resume: Cursor<'a>,
    /// Where each repetition begins.
    begin: Cursor<'a>,
    /// Repetitions to come.
    remaining: u64,
    /// The number of this one.
    iteration: u64,
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
    /// `.end`
    Stop,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    Optional,
    Required,
    /// Takes the rest of the line.
    Rest,
}

#[derive(Debug)]
struct Parameter<'a> {
    name: &'a str,
    default: &'a str,
    need: Need,
}

/// A macro.
#[derive(Debug)]
struct Macro<'a> {
    name: &'a str,
    parameters: Vec<Parameter<'a>>,
    body: &'a str,
    origin: Option<Range<usize>>,
    /// Whether nothing is to be substituted.
    is_plain: bool,
}

/// An `.if` that has not ended.
struct Condition {
    span: Range<usize>,
    /// Whether one of its branches was read.
    is_taken: bool,
    has_else: bool,
}

/// A field that waits and was made inside an expansion.
struct Deferred {
    fixup: usize,
    node: u32,
    span: Range<usize>,
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
    files: &'a dyn Files,
    source: &'a str,
    /// Bytes that may still be read.
    budget: usize,
    /// Macros called so far, for `\@`.
    calls: u64,
    /// Errors so far, in all and inside expansions.
    pub errors: usize,
    inner_errors: usize,
    inner_warnings: usize,
}

/// How much there was before a statement.
pub(crate) struct Marks {
    diagnostics: usize,
    instructions: usize,
    fixups: usize,
    symbols: u32,
}

impl<'a> Expansion<'a> {
    pub(crate) fn new(source: &'a str, texts: &'a Texts, files: &'a dyn Files) -> Expansion<'a> {
        Expansion {
            macros: HashMap::new(),
            frames: Vec::new(),
            conditions: Vec::new(),
            jump: None,
            nodes: Vec::new(),
            deferred: Vec::new(),
            last: texts,
            files,
            source,
            budget: MAX_EXPANDED,
            calls: 0,
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

    /// Where the outermost call stands, if positions are not those of the source.
    fn mapped(&self) -> Option<&Range<usize>> {
        self.frames.last().and_then(|frame| frame.mapped.as_ref())
    }

    /// A span of the text that is read, or of the call that the text comes from.
    pub(crate) fn in_source(&self, span: Range<usize>) -> Range<usize> {
        self.mapped().cloned().unwrap_or(span)
    }

    /// The node of the innermost text, made with those around it if it is the first time.
    fn node(&mut self) -> Option<u32> {
        let mut parent = None;
        for frame in &mut self.frames {
            let Some(text) = frame.text else { continue };
            let node = *frame.node.get_or_insert_with(|| {
                let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
                self.nodes.push(Node {
                    parent,
                    what: frame.what,
                    text,
                    origin: frame.origin.clone(),
                    call: frame.call.clone(),
                });
                id
            });
            parent = Some(node);
        }
        parent
    }

    /// The expansions around a place, innermost first.
    fn notes(
        &self,
        node: u32,
        span: &Range<usize>,
        mapped: &Range<usize>,
        source: &str,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut next = Some(node);
        let mut span = span.clone();
        while let Some(node) = next.and_then(|id| self.nodes.get(id as usize)) {
            let (number, line) = line_at(node.text, span.start);
            let quote: String = line.trim().chars().take(MAX_QUOTE).collect();
            let place = self
                .body_of(node, source)
                .and_then(|body| definition(source, &body, number));
            notes.push(Note {
                message: format!("in {}, line {}: `{quote}`", node.what.text(), number + 1),
                span: place.unwrap_or_else(|| mapped.clone()),
            });
            span = node.call.clone();
            next = node.parent;
        }
        shortened(notes)
    }

    /// Where the body of an expansion stands in the source.
    fn body_of(&self, node: &Node<'_>, source: &str) -> Option<Range<usize>> {
        let mut node = node;
        // Loops inside loops are lines of a body, which are lines of the body around it.
        let mut inner = Vec::new();
        let mut body = loop {
            match &node.origin {
                Origin::Unknown => return None,
                Origin::Source(body) => break body.clone(),
                Origin::Around(place) => {
                    node = self.nodes.get(node.parent? as usize)?;
                    let first = line_at(node.text, place.start).0;
                    let count = line_at(node.text, place.end).0 - first;
                    inner.push((first, count));
                }
            }
        };
        for (first, count) in inner.into_iter().rev() {
            let text = source.get(body.clone())?;
            let lines = text.lines().count().max(1);
            let mut starts =
                std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
            let begin = starts.nth(first % lines)?;
            let end = match count.checked_sub(1) {
                None => begin,
                Some(more) => starts.nth(more)?,
            };
            body = body.start + begin..body.start + end;
        }
        Some(body)
    }

    /// The name of the file that is read.
    fn file(&self) -> &'a str {
        self.frames
            .iter()
            .rev()
            .find_map(|frame| match frame.what {
                What::File(name) => Some(name),
                _ => None,
            })
            .unwrap_or(self.source)
    }
}

/// A chain with its middle left out if it is long.
fn shortened(mut notes: Vec<Note>) -> Vec<Note> {
    let hidden = notes.len().saturating_sub(2 * MAX_NOTES);
    if hidden > 0 {
        let message = format!("… {hidden} more expansions …");
        let span = notes.get(MAX_NOTES).map_or(0..0, |note| note.span.clone());
        notes.splice(MAX_NOTES..MAX_NOTES + hidden, [Note { message, span }]);
    }
    notes
}

/// The number, from 0, and the text of the line that a position is in.
fn line_at(text: &str, at: usize) -> (usize, &str) {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    let number = before.iter().filter(|&&byte| byte == b'\n').count();
    let begin = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let line = text.get(begin..).unwrap_or("");
    (number, line.lines().next().unwrap_or(""))
}

/// Where the line of a body stands that became line `number` of its expansion; loops go through it repeatedly.
fn definition(source: &str, body: &Range<usize>, number: usize) -> Option<Range<usize>> {
    let text = source.get(body.clone())?;
    let count = text.lines().count().max(1);
    let line = text.lines().nth(number % count)?;
    let begin = body.start + (line.as_ptr().addr() - text.as_ptr().addr());
    let content = line.trim();
    let begin = begin + (line.len() - line.trim_start().len());
    Some(begin..begin + content.len())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// Operators do not end an argument although blanks stand beside them.
fn is_operator(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'-' | b'~' | b'/' | b'*' | b'=' | b'|' | b'^' | b'&' | b'!' | b'<' | b'>'
    )
}

/// Values by parameter.
type Bindings<'b, 'a> = &'b [(&'b str, &'a str)];

/// Appends a body with its parameters replaced. False if there would be more than `limit` bytes.
fn substitute(
    out: &mut String,
    body: &str,
    bindings: Bindings<'_, '_>,
    calls: u64,
    limit: usize,
) -> bool {
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        out.push_str(rest.get(..at).unwrap_or(""));
        let after = rest.get(at + 1..).unwrap_or("");
        let length = after.bytes().take_while(|&byte| is_name(byte)).count();
        let name = after.get(..length).unwrap_or("");
        let taken = if let Some(behind) = after.strip_prefix("()") {
            behind
        } else if let Some(behind) = after.strip_prefix('@') {
            out.push_str(&calls.to_string());
            behind
        } else if let Some((_, value)) = bindings.iter().find(|(parameter, _)| *parameter == name) {
            out.push_str(value);
            after.get(length..).unwrap_or("")
        } else {
            // Not a parameter, for example an escape in a string.
            out.push('\\');
            let width = length.max(usize::from(after.starts_with('\\')));
            out.push_str(after.get(..width).unwrap_or(""));
            after.get(width..).unwrap_or("")
        };
        rest = taken;
        if out.len() > limit {
            return false;
        }
    }
    out.push_str(rest);
    out.len() <= limit
}

/// A string argument stands for what is in it.
fn unquoted(text: &str) -> &str {
    text.strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .filter(|text| !text.contains('"'))
        .unwrap_or(text)
}

const MACRO: (&[&str], &[&str]) = (&[".macro"], &[".endm", ".endmacro"]);
const LOOP: (&[&str], &[&str]) = (&[".rept", ".rep", ".irp", ".irpc"], &[".endr"]);

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
];

/// What a condition asks; a `bool` is the answer that makes it hold.
#[derive(Clone, Copy)]
enum Test {
    Number(fn(i64) -> bool),
    Defined(bool),
    Blank(bool),
    Same(bool),
    SameStrings(bool),
}

fn is_one_of(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| word.eq_ignore_ascii_case(name))
}

fn test_named(word: &str) -> Option<Test> {
    CONDITIONS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|&(_, test)| test)
}

/// Every directive of this module, for messages.
pub(crate) const NAMES: &[&str] = &[
    ".macro", ".endm", ".exitm", ".purgem", ".rept", ".irp", ".irpc", ".endr", ".if", ".ifne",
    ".ifeq", ".ifgt", ".ifge", ".iflt", ".ifle", ".ifdef", ".ifndef", ".ifb", ".ifnb", ".ifc",
    ".ifnc", ".ifeqs", ".ifnes", ".elseif", ".else", ".endif", ".include", ".incbin", ".org",
    ".error", ".warning", ".print", ".end",
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
        Some(match name {
            ".macro" => self.define_macro(span),
            ".rept" | ".rep" => self.rept(span),
            ".irp" => self.irp(span, ".irp"),
            ".irpc" => self.irp(span, ".irpc"),
            ".elseif" | ".else" | ".endif" => self.next_branch(name, span),
            ".exitm" => self.exit_macro(span),
            ".purgem" => self.purge(),
            ".include" => self.include(span),
            ".incbin" => self.incbin(span),
            ".error" | ".err" | ".warning" | ".print" => self.user_message(name, span),
            ".org" => self.org(span),
            ".end" => {
                self.cursor.skip_line_content();
                self.expansion.jump = Some(Jump::Stop);
                Ok(())
            }
            ".endm" | ".endmacro" => Err(fail(span.clone(), format!("`{name}` without `.macro`"))),
            ".endr" => Err(fail(
                span.clone(),
                "`.endr` without `.rept`, `.irp` or `.irpc`",
            )),
            _ => return None,
        })
    }

    /// The macro of this name called, if there is one; the cursor is behind the name.
    pub(crate) fn macro_call(
        &mut self,
        name: &str,
        span: &Range<usize>,
    ) -> Option<Result<(), Fail>> {
        let called = Rc::clone(self.expansion.macros.get(name)?);
        Some(self.call(&called, span))
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
            Some(Jump::Abort) => {
                if let Some(frame) = self.expansion.frames.first() {
                    self.cursor = frame.resume.clone();
                    self.expansion.conditions.truncate(frame.conditions);
                }
                self.expansion.frames.clear();
            }
            Some(Jump::Stop) => {
                self.expansion.frames.clear();
                self.expansion.conditions.clear();
                self.cursor.set_pos(usize::MAX / 2);
            }
            None => {}
        }
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
            self.collect(Err(
                fail(span, "this condition has no end").helped("end it with `.endif`")
            ));
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
            frame.iteration += 1;
            self.cursor = frame.begin.clone();
        } else {
            self.leave();
        }
        true
    }

    pub(crate) fn marks(&self) -> Marks {
        Marks {
            diagnostics: self.diagnostics.len(),
            instructions: self.marks.len(),
            fixups: self.fixups.len(),
            symbols: self.symbols.count(),
        }
    }

    /// Moves what a statement inside an expansion has left behind to where the source's reader finds it.
    pub(crate) fn settle(&mut self, marks: &Marks) {
        if self.diagnostics.len() > marks.diagnostics {
            self.settle_diagnostics(marks.diagnostics);
        }
        let Some(mapped) = self.expansion.mapped().cloned() else {
            return;
        };
        for mark in self.marks.iter_mut().skip(marks.instructions) {
            mark.place(&mapped);
        }
        self.symbols.place_from(marks.symbols, &mapped);
        if self.fixups.len() > marks.fixups {
            let node = self.expansion.node();
            for index in marks.fixups..self.fixups.len() {
                if let (Some(node), Some(fixup)) = (node, self.fixups.get_mut(index)) {
                    let span = std::mem::replace(&mut fixup.span, mapped.clone());
                    self.expansion.deferred.push(Deferred {
                        fixup: index,
                        node,
                        span,
                    });
                }
            }
        }
    }

    fn settle_diagnostics(&mut self, from: usize) {
        let node = self.expansion.node();
        let mapped = self.expansion.mapped().cloned();
        let mut rounds = Vec::new();
        for (index, frame) in self.expansion.frames.iter().enumerate().rev() {
            if frame.text.is_none() {
                let around = index
                    .checked_sub(1)
                    .and_then(|i| self.expansion.frames.get(i));
                let place = around.and_then(|frame| frame.mapped.clone());
                rounds.push(Note {
                    message: format!("in iteration {} of {}", frame.iteration, frame.what.text()),
                    span: place.unwrap_or_else(|| frame.call.clone()),
                });
            }
        }
        let rounds = shortened(rounds);
        for diagnostic in self.diagnostics.iter_mut().skip(from) {
            if let (Some(node), Some(mapped)) = (node, &mapped) {
                let notes = self
                    .expansion
                    .notes(node, &diagnostic.span, mapped, self.source);
                diagnostic.span = mapped.clone();
                diagnostic.label.clear();
                diagnostic.notes.extend(notes);
            }
            diagnostic.notes.extend(rounds.iter().cloned());
        }
        let mut warnings = 0;
        for diagnostic in self.diagnostics.iter().skip(from) {
            match diagnostic.severity {
                Severity::Error => self.expansion.inner_errors += 1,
                _ => warnings += 1,
            }
        }
        self.expansion.inner_warnings += warnings;
        if self.expansion.inner_warnings > MAX_WARNINGS {
            let first = &mut 0;
            self.diagnostics.retain(|diagnostic| {
                *first += 1;
                *first <= from || diagnostic.severity == Severity::Error
            });
        }
        if self.expansion.inner_errors >= MAX_ERRORS && self.expansion.is_inside() {
            self.expansion.jump = Some(Jump::Abort);
        }
    }

    /// Adds the expansions to what a field that waited has to say.
    pub(crate) fn explain_deferred(&self, fixup: usize, error: &mut Fail) {
        let deferred = &self.expansion.deferred;
        let found = deferred.binary_search_by_key(&fixup, |deferred| deferred.fixup);
        if let Some(deferred) = found.ok().and_then(|index| deferred.get(index)) {
            let mapped = error.span.clone();
            let notes = self
                .expansion
                .notes(deferred.node, &deferred.span, &mapped, self.source);
            error.notes.extend(notes);
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
                    span.clone(),
                    "macros, loops and included files expand to too much text",
                )
                .helped(format!("at most {} MiB are possible", MAX_EXPANDED >> 20)))
            }
        }
    }

    /// Plans to read a text, or the text that already stands here, `rounds` times.
    fn expand(
        &mut self,
        what: What<'a>,
        begin: Cursor<'a>,
        text: Option<&'a str>,
        origin: Origin,
        call: Range<usize>,
        rounds: u64,
    ) -> Result<(), Fail> {
        if self.expansion.frames.len() >= MAX_DEPTH {
            self.expansion.jump = Some(Jump::Abort);
            return Err(fail(call, format!("{} is nested too deep", what.text()))
                .helped(format!("expansions may nest {MAX_DEPTH} levels deep")));
        }
        let outer = self.expansion.mapped().cloned();
        let mapped = outer.or_else(|| text.is_some().then(|| call.clone()));
        self.expansion.jump = Some(Jump::Enter(Box::new(Frame {
            what,
            text,
            origin,
            call,
            mapped,
            resume: begin.clone(),
            begin,
            remaining: rounds.saturating_sub(1),
            iteration: 1,
            errors: 0,
            conditions: 0,
            node: None,
        })));
        Ok(())
    }

    /// Steps over a body up to what ends it; yields where it stands. Without an end it is the rest of the text.
    fn body(
        &mut self,
        (opens, closes): (&[&str], &[&str]),
        span: &Range<usize>,
    ) -> Result<Range<usize>, Fail> {
        self.cursor.skip_line();
        let start = self.cursor.pos();
        let mut depth = 0usize;
        while !self.cursor.at_end() {
            let line = self.cursor.pos();
            self.cursor.skip_blanks();
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
            self.cursor.skip_line();
        }
        let name = self.cursor.slice(span.clone());
        let end = closes.first().copied().unwrap_or("");
        Err(fail(span.clone(), format!("`{name}` has no end"))
            .helped(format!("end it with `{end}`")))
    }

    /// A statement up to where it was read, without the blanks there.
    fn statement_from(&self, start: usize) -> Range<usize> {
        let text = self.cursor.slice(start..self.cursor.pos());
        start..start + text.trim_end().len()
    }

    /// Where a body stands in the source, if the text that is read is the source.
    fn origin(&self, body: Range<usize>) -> Option<Range<usize>> {
        self.expansion.mapped().is_none().then_some(body)
    }

    /// `name parameter, parameter=default, parameter:req, parameter:vararg`
    fn define_macro(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let head = self.macro_head();
        let body = self.body(MACRO, span)?;
        let (name, name_span, parameters) = head?;
        let text = self.cursor.slice(body.clone());
        let origin = self.origin(body);
        let defined = Macro {
            name,
            parameters,
            body: text,
            origin,
            is_plain: !text.contains('\\'),
        };
        if self.expansion.macros.contains_key(name) {
            return Err(
                fail(name_span, format!("macro `{name}` is already defined"))
                    .helped("remove it with `.purgem` before it is defined again"),
            );
        }
        self.expansion.macros.insert(name, Rc::new(defined));
        Ok(())
    }

    fn macro_head(&mut self) -> Result<(&'a str, Range<usize>, Vec<Parameter<'a>>), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let Some(name) = self.cursor.word() else {
            return Err(self.cursor.expected("the macro's name"));
        };
        let span = start..self.cursor.pos();
        let mut parameters: Vec<Parameter<'a>> = Vec::new();
        let _ = self.cursor.eat_after_blanks(b',');
        while !self.cursor.statement_ends() {
            let start = self.cursor.pos();
            let Some(parameter) = self.cursor.word() else {
                return Err(self.cursor.expected("a parameter's name"));
            };
            let here = start..self.cursor.pos();
            if parameters
                .last()
                .is_some_and(|last| last.need == Need::Rest)
            {
                return Err(fail(
                    here,
                    "a parameter cannot follow the one that takes the rest",
                ));
            }
            if parameters.iter().any(|other| other.name == parameter) {
                return Err(fail(
                    here,
                    format!("the macro has two parameters `{parameter}`"),
                ));
            }
            let mut need = Need::Optional;
            if self.cursor.eat_after_blanks(b':') {
                self.cursor.skip_blanks();
                let start = self.cursor.pos();
                need = match self.cursor.word() {
                    Some("req") => Need::Required,
                    Some("vararg") => Need::Rest,
                    _ => {
                        return Err(fail(
                            start..self.cursor.pos(),
                            "this says nothing of a parameter",
                        )
                        .helped("after the colon may stand `req` or `vararg`"));
                    }
                };
            }
            let default = if self.cursor.eat_after_blanks(b'=') {
                self.macro_argument()?
            } else {
                ""
            };
            parameters.push(Parameter {
                name: parameter,
                default,
                need,
            });
            let _ = self.cursor.eat_after_blanks(b',');
        }
        Ok((name, span, parameters))
    }

    /// An argument up to a comma or to blanks that no operator adjoins.
    fn macro_argument(&mut self) -> Result<&'a str, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let mut end = start;
        let (mut round, mut square) = (0usize, 0usize);
        let mut after_operator = true;
        loop {
            let before = self.cursor.pos();
            self.cursor.skip_blanks();
            let is_apart = self.cursor.pos() > before;
            if self.cursor.at_statement_end() {
                break;
            }
            let byte = self.cursor.peek();
            if byte == b',' && round == 0 {
                break;
            }
            if is_apart && !after_operator && round + square == 0 && !is_operator(byte) {
                break;
            }
            match byte {
                b'"' => {
                    self.cursor.string()?;
                }
                _ => {
                    match byte {
                        b'(' => round += 1,
                        b')' => round = round.saturating_sub(1),
                        b'[' => square += 1,
                        b']' => square = square.saturating_sub(1),
                        _ => {}
                    }
                    let width = self.cursor.here().len().max(1);
                    self.cursor.set_pos(self.cursor.pos() + width);
                }
            }
            after_operator = is_operator(byte);
            end = self.cursor.pos();
        }
        if round > 0 {
            return Err(fail(
                start..end,
                "a parenthesis is not closed in this argument",
            ));
        }
        Ok(self.cursor.slice(start..end))
    }

    /// The rest of the line without its comment.
    fn rest_of_line(&mut self) -> &'a str {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let mut end = start;
        while !self.cursor.at_statement_end() {
            if self.cursor.peek() == b'"' && self.cursor.string().is_ok() {
                end = self.cursor.pos();
                continue;
            }
            let width = self.cursor.here().len().max(1);
            self.cursor.set_pos(self.cursor.pos() + width);
            end = self.cursor.pos();
            self.cursor.skip_blanks();
        }
        self.cursor.slice(start..end)
    }

    /// `name value, parameter=value`
    fn call(&mut self, called: &Macro<'a>, span: &Range<usize>) -> Result<(), Fail> {
        let mut values: Vec<Option<&'a str>> = vec![None; called.parameters.len()];
        let mut position = 0;
        let mut is_named = false;
        while !self.cursor.statement_ends() {
            let start = self.cursor.pos();
            let mut index = position;
            let mut probe = self.cursor.clone();
            let word = probe.word();
            let is_assigned = word.is_some()
                && !called.parameters.is_empty()
                && probe.eat_after_blanks(b'=')
                && probe.peek() != b'=';
            if let Some(word) = word.filter(|_| is_assigned) {
                let Some(found) = called.parameters.iter().position(|p| p.name == word) else {
                    let here = start..start + word.len();
                    return Err(fail(
                        here,
                        format!("macro `{}` has no parameter `{word}`", called.name),
                    ));
                };
                index = found;
                is_named = true;
                self.cursor.set_pos(probe.pos());
            } else if is_named {
                return Err(fail(
                    self.cursor.found().0,
                    "a value without a name cannot follow one with a name",
                ));
            }
            let Some(parameter) = called.parameters.get(index) else {
                let here = self.cursor.found().0;
                let count = called.parameters.len();
                let plural = if count == 1 { "" } else { "s" };
                self.cursor.skip_line_content();
                return Err(
                    fail(here, "too many values for the macro's parameters").helped(format!(
                        "macro `{}` has {count} parameter{plural}",
                        called.name
                    )),
                );
            };
            let value = match parameter.need {
                Need::Rest => self.rest_of_line(),
                _ => unquoted(self.macro_argument()?),
            };
            if let Some(place) = values.get_mut(index) {
                *place = Some(value);
            }
            position = index + 1;
            let _ = self.cursor.eat_after_blanks(b',');
        }
        let mut bindings = Vec::with_capacity(values.len());
        for (parameter, value) in called.parameters.iter().zip(values) {
            let value = value
                .filter(|value| !value.is_empty())
                .unwrap_or(unquoted(parameter.default));
            if value.is_empty() && parameter.need == Need::Required {
                return Err(fail(
                    span.clone(),
                    format!(
                        "macro `{}` needs a value for `{}`",
                        called.name, parameter.name
                    ),
                ));
            }
            bindings.push((parameter.name, value));
        }
        let call = self.statement_from(span.start);
        let text = if called.is_plain {
            self.charge(called.body.len() + ENTRY_COST, &call)?;
            called.body
        } else {
            let mut text = String::with_capacity(called.body.len());
            let is_whole = substitute(
                &mut text,
                called.body,
                &bindings,
                self.expansion.calls,
                self.expansion.budget,
            );
            let length = if is_whole {
                text.len()
            } else {
                usize::MAX - ENTRY_COST
            };
            self.charge(length + ENTRY_COST, &call)?;
            self.expansion.keep(text)
        };
        self.expansion.calls += 1;
        let begin = Cursor::new(text);
        let origin = called
            .origin
            .clone()
            .map_or(Origin::Unknown, Origin::Source);
        self.expand(What::Macro(called.name), begin, Some(text), origin, call, 1)
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
                call,
                format!("a loop cannot be repeated {count} times"),
            ));
        };
        if count == 0 || body.is_empty() {
            return Ok(());
        }
        let each = body.len() + REPEAT_COST;
        let bytes = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .saturating_mul(each);
        self.charge(bytes.saturating_add(ENTRY_COST), &call)?;
        let begin = self.cursor.within(body);
        self.expand(
            What::Loop(".rept"),
            begin,
            None,
            Origin::Unknown,
            call,
            count,
        )
    }

    /// `parameter, value, value`, up to `.endr`; of `.irpc`, the values are characters.
    fn irp(&mut self, span: &Range<usize>, name: &'static str) -> Result<(), Fail> {
        let head = self.irp_head(name == ".irpc");
        let call = self.statement_from(span.start);
        let body = self.body(LOOP, span)?;
        let (parameter, values) = head?;
        let text = self.cursor.slice(body.clone());
        let least = text
            .len()
            .saturating_mul(values.len())
            .min(self.expansion.budget);
        let mut out = String::with_capacity(least);
        let is_whole = values.iter().all(|value| {
            let bindings = [(parameter, *value)];
            substitute(
                &mut out,
                text,
                &bindings,
                self.expansion.calls,
                self.expansion.budget,
            )
        });
        let length = if is_whole {
            out.len()
        } else {
            usize::MAX - ENTRY_COST
        };
        self.charge(length + ENTRY_COST, &call)?;
        let origin = match self.expansion.mapped() {
            None => Origin::Source(body),
            Some(_) => Origin::Around(body),
        };
        let text = self.expansion.keep(out);
        self.expand(
            What::Loop(name),
            Cursor::new(text),
            Some(text),
            origin,
            call,
            1,
        )
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
            values.extend(ends.filter_map(|range| characters.get(range)));
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

    fn exit_macro(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        match self.expansion.frames.last().map(|frame| frame.what) {
            Some(What::Macro(_) | What::Loop(_)) => {
                self.expansion.jump = Some(Jump::Leave);
                Ok(())
            }
            _ => Err(fail(span.clone(), "`.exitm` outside of macros and loops")),
        }
    }

    fn purge(&mut self) -> Result<(), Fail> {
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let Some(name) = self.cursor.word() else {
                return Err(self.cursor.expected("the macro's name"));
            };
            if self.expansion.macros.remove(name).is_none() {
                return Err(fail(
                    start..self.cursor.pos(),
                    format!("there is no macro `{name}`"),
                ));
            }
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(());
            }
        }
    }

    fn begin_condition(&mut self, test: Test, span: &Range<usize>) -> Result<(), Fail> {
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
                (left.trim() == right.trim()) == wanted
            }
            Test::SameStrings(wanted) => {
                let left = self.cursor.string()?;
                if !self.cursor.eat_after_blanks(b',') {
                    return Err(self.cursor.expected("`,` and a string to compare with"));
                }
                (left == self.cursor.string()?) == wanted
            }
        })
    }

    /// `.elseif`, `.else` or `.endif` at the end of a branch that was read.
    fn next_branch(&mut self, name: &str, span: &Range<usize>) -> Result<(), Fail> {
        let base = self
            .expansion
            .frames
            .last()
            .map_or(0, |frame| frame.conditions);
        let is_open = self.expansion.conditions.len() > base;
        let Some(condition) = self.expansion.conditions.last_mut().filter(|_| is_open) else {
            self.cursor.skip_line_content();
            return Err(fail(span.clone(), format!("`{name}` without `.if`")));
        };
        if name == ".endif" {
            self.expansion.conditions.pop();
            return Ok(());
        }
        let after_else = condition.has_else;
        condition.has_else |= name == ".else";
        if after_else {
            let error = fail(span.clone(), format!("`{name}` cannot follow `.else`"));
            self.collect(Err(error));
        }
        self.skip_branches()
    }

    /// Steps over branches that do not hold: to behind the words that begin the one to read, or behind `.endif`.
    fn skip_branches(&mut self) -> Result<(), Fail> {
        let mut depth = 0usize;
        self.cursor.skip_line();
        while !self.cursor.at_end() {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let word = match self.cursor.peek() {
                b'.' => self.cursor.word().unwrap_or(""),
                _ => "",
            };
            let span = start..self.cursor.pos();
            if word.len() < ".if".len() {
                self.cursor.skip_line();
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
                if (is_else || word.eq_ignore_ascii_case(".elseif"))
                    && self.take_branch(is_else, span)
                {
                    return Ok(());
                }
            }
            self.cursor.skip_line();
        }
        Ok(())
    }

    /// Whether the branch that begins here is to be read.
    fn take_branch(&mut self, is_else: bool, span: Range<usize>) -> bool {
        let Some(condition) = self.expansion.conditions.last_mut() else {
            return false;
        };
        let is_over = condition.is_taken;
        let after_else = condition.has_else;
        condition.has_else |= is_else;
        if after_else {
            let name = self.cursor.slice(span.clone());
            let error = fail(span, format!("`{name}` cannot follow `.else`"));
            self.collect(Err(error));
            return false;
        }
        let holds = !is_over
            && (is_else || {
                let result = self.absolute("the condition");
                let holds = matches!(result, Ok(number) if number != 0);
                self.collect(result.map(drop));
                holds
            });
        if let Some(condition) = self.expansion.conditions.last_mut() {
            condition.is_taken |= holds;
        }
        holds
    }

    /// The file of a name in quotes.
    fn file(&mut self) -> Result<File, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.string()?;
        let span = start..self.cursor.pos();
        let name = String::from_utf8(name)
            .map_err(|_| fail(span.clone(), "a file's name must be valid UTF-8"))?;
        let from = self.expansion.file();
        self.expansion.files.read(&name, from).map_err(|error| {
            fail(
                span,
                format!("cannot read `{}`: {error}", name.escape_debug()),
            )
        })
    }

    /// `"file"`
    fn include(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let file = self.file()?;
        let call = self.statement_from(span.start);
        self.charge(file.bytes.len() + ENTRY_COST, &call)?;
        let text = String::from_utf8(file.bytes).map_err(|_| {
            fail(
                call.clone(),
                format!("`{}` is not text in UTF-8", file.name.escape_debug()),
            )
        })?;
        let name = self.expansion.keep(file.name);
        let text = self.expansion.keep(text);
        self.expand(
            What::File(name),
            Cursor::new(text),
            Some(text),
            Origin::Unknown,
            call,
            1,
        )
    }

    /// `"file", skip, count`
    fn incbin(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let file = self.file()?;
        let what = "the number of bytes to skip";
        let skip = self.optional_absolute(what)?.unwrap_or(0);
        let count = self
            .optional_absolute("the number of bytes")?
            .unwrap_or(i64::MAX);
        let (Ok(skip), Ok(count)) = (usize::try_from(skip), usize::try_from(count)) else {
            return Err(fail(span.clone(), "a number of bytes cannot be negative"));
        };
        let bytes = file.bytes.get(skip..).unwrap_or(&[]);
        let bytes = bytes.get(..count).unwrap_or(bytes);
        self.charge(file.bytes.len() + ENTRY_COST, span)?;
        self.emit(bytes, span)
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
        let mut message = fail(span.start..self.cursor.pos(), text);
        message.severity = match name {
            ".print" => Severity::Note,
            ".warning" => Severity::Warning,
            _ => return Err(message),
        };
        self.diagnostics.push(*message);
        Ok(())
    }

    /// `offset, fill`: on to an offset in the section.
    fn org(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let parsed = self.parse_expr()?;
        let here = start..self.cursor.pos();
        let (section, now) = self.here();
        let wanted = match parsed {
            Parsed::Known(value) => match (value.plus, value.minus) {
                (None, None) => Some(value.constant),
                (
                    Some(Term {
                        place: Some((at, offset)),
                        ..
                    }),
                    None,
                ) if at == section => offset
                    .checked_add_signed(value.constant)
                    .map(u64::cast_signed),
                _ => None,
            },
            _ => None,
        };
        let Some(wanted) = wanted else {
            return Err(fail(
                here,
                "`.org` takes a number or a label of this section that is known here",
            ));
        };
        let fill = self.optional_absolute("the fill value")?.unwrap_or(0);
        match u64::try_from(wanted)
            .ok()
            .and_then(|wanted| wanted.checked_sub(now))
        {
            Some(count) => self.repeat(count, &[fill as u8], span),
            None => Err(fail(
                here,
                format!("`.org` cannot go back: {wanted} lies before {now}"),
            )),
        }
    }
}
