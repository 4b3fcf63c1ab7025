//! Operands as text says them, before an encoding is chosen for them.

mod function;
mod register;

use std::ops::Range;

use gcn_isa::{Kind, exp, vintrp};

use crate::assembler::Assembler;
use crate::cursor::FloatWidth;
use crate::diagnostic::{Fail, Helped, fail};
use crate::expr::{ExprId, Parsed, Value};
use crate::ids;
use crate::instruction::is_graphics;

pub(crate) use register::is_register;

/// An operand.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    pub what: What,
    /// `-x`, `neg(x)`.
    pub negated: bool,
    /// `|x|`, `abs(x)`.
    pub absolute: bool,
    /// `sext(x)`.
    pub extended: bool,
    /// `--x`.
    pub has_two_signs: bool,
    /// A number that the places of labels give.
    pub is_distance: bool,
    pub span: Range<usize>,
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum What {
    Vgprs {
        first: u8,
        count: u8,
    },
    /// `count` is [`regs::ANY_WIDTH`] where any will do.
    Scalar {
        code: u8,
        count: u8,
    },
    Off,
    Int(i64),
    /// `lit(…)`: a literal even where an inline constant would do.
    Literal(i64),
    Float(f64),
    /// The same with its width.
    Sized(f64, FloatWidth),
    /// `lit(1.5)`.
    LiteralFloat(f64),
    /// Not known before linking, or before the end of the source: one of the assembler's that wait.
    Delayed(Waiting),
    Waitcnt(u16),
    Hwreg(u16),
    Message(u16),
    GprIndex(u16),
    /// An export's target, an attribute and its channel, a value at a vertex.
    Graphics(Kind, i64),
}

impl What {
    /// A constant becomes a literal, whatever inline constant there is.
    pub(crate) fn make_literal(&mut self) {
        *self = match *self {
            What::Int(value) => What::Literal(value),
            What::Float(value) => What::LiteralFloat(value),
            other => other,
        };
    }
}

/// The place of what is not known yet among the statement's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Waiting(u32);

/// A number that is not known yet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Delayed {
    Value(Value),
    Expr(ExprId),
}

impl Assembler<'_> {
    /// An operand at the cursor, which is not at a blank.
    pub(crate) fn operand(&mut self) -> Result<Arg, Fail> {
        let start = self.cursor.pos();
        let mut arg = Arg {
            what: What::Off,
            negated: false,
            absolute: false,
            extended: false,
            has_two_signs: self.cursor.peek() == b'-' && self.cursor.peek_at(1) == b'-',
            is_distance: false,
            span: start..start,
        };
        self.exprs.forget_labels();
        self.modified(&mut arg, 0)?;
        arg.is_distance = self.exprs.names_labels();
        arg.span = start..self.cursor.pos();
        Ok(arg)
    }

    /// An operand as most are written, a register or an integer; nothing, and nothing is read, if anything else stands
    /// here, or it is not right.
    #[inline]
    pub(crate) fn plain_operand(&mut self) -> Option<Arg> {
        let start = self.cursor.pos();
        let what = if let Some((letter, first, last)) = self.cursor.plain_register() {
            let what = self.plain_group(letter, first, last);
            if what.is_none() {
                self.cursor.set_pos(start);
            }
            what?
        } else {
            What::Int(self.cursor.plain_integer()?)
        };
        Some(Arg {
            what,
            negated: false,
            absolute: false,
            extended: false,
            has_two_signs: false,
            is_distance: false,
            span: start..self.cursor.pos(),
        })
    }

    /// An operand that only exports and interpolation have, if one of this kind stands at the cursor.
    pub(crate) fn graphics_operand(&mut self, kind: Kind) -> Result<Option<Arg>, Fail> {
        if !is_graphics(kind) {
            return Ok(None);
        }
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let mut probe = self.cursor.clone();
        let word = probe.word().unwrap_or("");
        let mut span = start..probe.pos();
        let value = match kind {
            Kind::ExportTarget => exp::target_named(word).map(i64::from).ok_or_else(|| {
                self.cursor.expected("a target").helped(
                    "the targets are mrt0 to mrt7, mrtz, null, pos0 to pos3, param0 to param31",
                )
            })?,
            Kind::Attribute => {
                let last = self.dialect.last_attribute();
                let mut text = word.to_owned();
                // CLRX takes blanks around the point.
                if !word.contains('.') && probe.eat_after_blanks(b'.') {
                    probe.skip_blanks();
                    text = format!("{word}.{}", probe.word().unwrap_or(""));
                }
                let value = attribute(&text, last).ok_or_else(|| {
                    self.cursor
                        .expected("an attribute")
                        .helped(format!("the attributes are attr0.x to attr{last}.w"))
                })?;
                span.end = probe.pos();
                value
            }
            _ => {
                let names = &vintrp::VERTEX_PARAMETERS;
                let index = names.iter().position(|n| n.eq_ignore_ascii_case(word));
                index.map(|i| i as i64).ok_or_else(|| {
                    self.cursor
                        .expected("a value at a vertex")
                        .helped("they are p10, p20 and p0")
                })?
            }
        };
        self.cursor.set_pos(span.end);
        Ok(Some(Arg {
            what: What::Graphics(kind, value),
            negated: false,
            absolute: false,
            extended: false,
            has_two_signs: false,
            is_distance: false,
            span,
        }))
    }

    /// An operand within its source modifiers.
    fn modified(&mut self, arg: &mut Arg, depth: u32) -> Result<(), Fail> {
        const MODIFIERS_AT_MOST: u32 = 4;
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        if depth > MODIFIERS_AT_MOST {
            return Err(fail(
                &ids::SOURCE_MODIFIER,
                self.cursor.here(),
                "too many source modifiers within each other",
            ));
        }
        if self.cursor.peek() == b'-' && !arg.absolute && self.minus_negates() {
            self.cursor.set_pos(start + 1);
            arg.negated = !arg.negated;
            return self.modified(arg, depth + 1);
        }
        if self.cursor.eat(b'|') {
            arg.absolute = true;
            self.cursor.skip_blanks();
            let outer = std::mem::replace(&mut self.bar_ends, true);
            let inner = self.plain();
            self.bar_ends = outer;
            arg.what = inner?;
            if !self.cursor.eat_after_blanks(b'|') {
                return Err(self.cursor.expected("`|`"));
            }
            return Ok(());
        }
        if self.cursor.peek().is_ascii_alphabetic() {
            let mut probe = self.cursor.clone();
            let word = probe.word().unwrap_or("");
            let function = ["neg", "abs", "sext"]
                .into_iter()
                .position(|name| word.eq_ignore_ascii_case(name));
            if let Some(function) = function
                && probe.eat_after_blanks(b'(')
            {
                self.cursor = probe;
                if function == 0 && arg.absolute {
                    return Err(fail(
                        &ids::SOURCE_MODIFIER,
                        start..self.cursor.pos(),
                        "an absolute value cannot be that of a negation",
                    )
                    .helped("write the negation outside: `neg(abs(…))`"));
                }
                match function {
                    0 => arg.negated = !arg.negated,
                    1 => arg.absolute = true,
                    _ => arg.extended = true,
                }
                self.modified(arg, depth + 1)?;
                if !self.cursor.eat_after_blanks(b')') {
                    return Err(self.cursor.expected("`)`"));
                }
                return Ok(());
            }
        }
        arg.what = self.plain()?;
        Ok(())
    }

    /// Whether `-` stands before a register or an absolute value; before a number it is its sign.
    fn minus_negates(&mut self) -> bool {
        let mut probe = self.cursor.clone();
        probe.set_pos(probe.pos() + 1);
        probe.skip_blanks();
        if matches!(probe.peek(), b'|' | b'[') {
            return true;
        }
        let Some(word) = probe.word() else {
            return false;
        };
        let next = probe.peek();
        word.eq_ignore_ascii_case("abs") && next == b'('
            || is_register(self.isa, word, next == b'[')
            || self.register_symbol(word).is_some()
            || word.eq_ignore_ascii_case("lds") && self.dialect.lds_is_a_source()
    }

    /// An operand without source modifiers.
    fn plain(&mut self) -> Result<What, Fail> {
        let start = self.cursor.pos();
        let byte = self.cursor.peek();
        if byte == b'[' {
            return self.register_list();
        }
        if byte == b'@' {
            // CLRX: an expression, even if it looks like a register.
            self.cursor.set_pos(start + 1);
            return self.expression_operand();
        }
        if byte == b'{' {
            return self.hwreg_fields();
        }
        let may_be_symbol = || matches!(byte, b'_' | b'.' | b'$') || self.cursor.at_scope();
        if byte.is_ascii_alphabetic() || !self.registers.is_empty() && may_be_symbol() {
            let mut probe = self.cursor.clone();
            let word = probe.word().unwrap_or("");
            if let Some(what) = self.register(word, &mut probe)? {
                self.cursor = probe;
                return Ok(what);
            }
            if word.eq_ignore_ascii_case("off") {
                self.cursor = probe;
                return Ok(What::Off);
            }
            if word == "null" {
                return Err(fail(
                    &ids::UNSUPPORTED_REGISTER,
                    start..probe.pos(),
                    format!("{} has no register `null`", self.isa),
                )
                .helped("it exists from GFX10 on"));
            }
            probe.skip_blanks();
            if probe.peek() == b'('
                && let Some(what) = self.function(word, &probe)?
            {
                return Ok(what);
            }
        }
        self.expression_operand()
    }

    /// An operand that is not known yet.
    fn wait(&mut self, delayed: Delayed) -> What {
        What::Delayed(self.wait_on(delayed))
    }

    /// Keeps what the statement waits for.
    pub(crate) fn wait_on(&mut self, delayed: Delayed) -> Waiting {
        let place = u32::try_from(self.waiting.len()).unwrap_or(u32::MAX);
        self.waiting.push(delayed);
        Waiting(place)
    }

    /// What an operand of the statement waits for.
    pub(crate) fn waiting(&self, waiting: Waiting) -> Option<Delayed> {
        self.waiting.get(waiting.0 as usize).copied()
    }

    fn expression_operand(&mut self) -> Result<What, Fail> {
        Ok(match self.parse_expr()? {
            Parsed::Float(value) => What::Float(value),
            Parsed::Suffixed(value, width) => What::Sized(value, width),
            Parsed::Later(id) => self.wait(Delayed::Expr(id)),
            Parsed::Known(value) => match value.as_absolute() {
                Some(number) => What::Int(number),
                None => self.wait(Delayed::Value(value)),
            },
        })
    }
}

/// `attr3.x` as a number.
fn attribute(word: &str, last: u8) -> Option<i64> {
    const PREFIX: &str = "attr";
    let head = word.get(..PREFIX.len())?;
    let (digits, channel) = word.get(PREFIX.len()..)?.split_once('.')?;
    let mut letters = channel.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return None;
    };
    let letter = letter.to_ascii_lowercase();
    let channel = vintrp::CHANNELS.iter().position(|&c| c == letter)?;
    let is_number = digits.bytes().all(|b| b.is_ascii_digit());
    let number = digits.parse().ok().filter(|&n| n <= last)?;
    let is_attribute = head.eq_ignore_ascii_case(PREFIX) && is_number;
    is_attribute.then(|| vintrp::pack_attribute(number, channel as u8))
}

/// A word in lower case, in `buffer`; nothing if it is longer.
pub(crate) fn lower_case<'b>(word: &str, buffer: &'b mut [u8]) -> Option<&'b str> {
    let place = buffer.get_mut(..word.len())?;
    place.copy_from_slice(word.as_bytes());
    place.make_ascii_lowercase();
    std::str::from_utf8(place).ok()
}
