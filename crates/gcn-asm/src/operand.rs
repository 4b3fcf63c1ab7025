//! Operands as text says them, before an encoding is chosen for them.

use std::ops::Range;

use gcn_isa::simm::{self, Hwreg, Waitcnt};
use gcn_isa::{Isa, IsaSet, Kind, clrx, exp, regs, vintrp};

use crate::assembler::Assembler;
use crate::cursor::FloatWidth;
use crate::diagnostic::{Fail, Helped, fail};
use crate::expr::{ExprId, Parsed, Value};
use crate::instruction::is_graphics;

/// VGPRs of a lane.
const VGPRS: u32 = 256;
/// Registers of the largest group.
const MAX_GROUP: u32 = 32;
/// What may stand before CLRX's names of hardware registers and messages.
const CLRX_PREFIXES: [&str; 2] = ["hwreg_", "msg_"];

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

    /// The registers from `first` to `last`, if they may be named so.
    fn plain_group(&mut self, letter: u8, first: u32, last: u32) -> Option<What> {
        let is_vector = letter == b'v';
        let limit = if is_vector {
            VGPRS
        } else {
            u32::from(self.isa.sgprs())
        };
        let count = last.checked_sub(first)? + 1;
        let (number, short) = (first as u8, count as u8);
        if last >= limit || count > MAX_GROUP || !is_vector && !regs::aligned(number, short) {
            return None;
        }
        Some(if is_vector {
            self.next_free_vgpr = self.next_free_vgpr.max(last + 1);
            What::Vgprs {
                first: number,
                count: short,
            }
        } else {
            self.next_free_sgpr = self.next_free_sgpr.max(last + 1);
            What::Scalar {
                code: number,
                count: short,
            }
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
    fn minus_negates(&self) -> bool {
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
            || self.registers.contains_key(word)
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
        if byte.is_ascii_alphabetic() {
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

    /// A register that begins with `word`; `cursor` is behind the word and moves behind the register.
    fn register(
        &mut self,
        word: &str,
        cursor: &mut crate::cursor::Cursor<'_>,
    ) -> Result<Option<What>, Fail> {
        let end = cursor.pos();
        let start = end - word.len();
        let bytes = word.as_bytes();
        if let [first @ (b'v' | b'V' | b's' | b'S'), digits @ ..] = bytes
            && !digits.is_empty()
            && digits.iter().all(u8::is_ascii_digit)
        {
            let bank = match first | 0x20 {
                b'v' => Bank::Vector,
                _ => Bank::Scalar,
            };
            let number = digits.iter().fold(0u32, |n, d| {
                n.saturating_mul(10).saturating_add(u32::from(d - b'0'))
            });
            return self.group(bank, number, 1, start..end).map(Some);
        }
        let is_bank = ["v", "s", "ttmp"]
            .iter()
            .any(|b| word.eq_ignore_ascii_case(b));
        if let Some(&whole) = self.registers.get(word)
            && !(is_bank && self.banks_first)
        {
            return if cursor.peek() == b'[' {
                self.part(whole, start, cursor).map(Some)
            } else {
                Ok(Some(whole))
            };
        }
        let bank = match bytes {
            [b'v' | b'V'] => Some(Bank::Vector),
            [b's' | b'S'] => Some(Bank::Scalar),
            _ if word
                .get(..4)
                .is_some_and(|t| t.eq_ignore_ascii_case("ttmp")) =>
            {
                Some(Bank::Trap)
            }
            _ => None,
        };
        if let Some(bank) = bank {
            let digits = word.get(4..).unwrap_or("");
            if bank == Bank::Trap && !digits.is_empty() {
                let Ok(number) = digits.parse::<u32>() else {
                    return Ok(None);
                };
                return self.group(bank, number, 1, start..end).map(Some);
            }
            let mut probe = cursor.clone();
            if !probe.eat_after_blanks(b'[') {
                return Ok(None);
            }
            // Expressions are read by the assembler's own cursor.
            let outer = std::mem::replace(&mut self.bar_ends, false);
            self.cursor.set_pos(probe.pos());
            let result = self.range(bank, start);
            self.bar_ends = outer;
            let what = result?;
            cursor.set_pos(self.cursor.pos());
            return Ok(Some(what));
        }
        // The longest name of a register is `src_pops_exiting_wave_id`.
        let mut buffer = [0; 24];
        let Some(lower) = lower_case(word, &mut buffer) else {
            return Ok(None);
        };
        if let Some((code, count)) = self.named_register(lower) {
            // CLRX takes a source of one register for a pair, too.
            let is_any = code > regs::EXEC_HI && self.dialect.takes_all_modifiers();
            let whole = What::Scalar {
                code,
                count: if is_any { regs::ANY_WIDTH } else { count },
            };
            return if cursor.peek() == b'[' {
                self.part(whole, start, cursor).map(Some)
            } else {
                Ok(Some(whole))
            };
        }
        match regs::named_anywhere(lower) {
            Some(on) => Err(fail(
                start..end,
                format!("{} has no register `{lower}`", self.isa),
            )
            .helped(format!("it exists on {on}"))),
            None => Ok(None),
        }
    }

    /// A register with a name of its own: its number and its dwords.
    fn named_register(&self, lower: &str) -> Option<(u8, u8)> {
        if lower == "lds" && self.dialect.lds_is_a_source() {
            return Some((regs::LDS_DIRECT, 1));
        }
        regs::named(self.isa, lower)
    }

    /// `vcc[0]`, `vcc[0:1]`: a part of a register with a name; the cursor is at `[` and moves behind the part.
    fn part(
        &mut self,
        whole: What,
        start: usize,
        cursor: &mut crate::cursor::Cursor<'_>,
    ) -> Result<What, Fail> {
        let outer = std::mem::replace(&mut self.bar_ends, false);
        self.cursor.set_pos(cursor.pos() + 1);
        let bounds = self.bounds();
        self.bar_ends = outer;
        let (low, high) = bounds?;
        cursor.set_pos(self.cursor.pos());
        let within = |first: u8, count: u8| {
            let last = u8::try_from(high).ok().filter(|&last| last < count)?;
            let low = u8::try_from(low).ok().filter(|&low| low <= last)?;
            Some((first + low, last - low + 1))
        };
        let part = match whole {
            What::Vgprs { first, count } => {
                within(first, count).map(|(first, count)| What::Vgprs { first, count })
            }
            What::Scalar { code, count } => {
                within(code, count).map(|(code, count)| What::Scalar { code, count })
            }
            constant => (low == 0).then_some(constant),
        };
        part.ok_or_else(|| fail(start..self.cursor.pos(), "the register has no such part"))
    }

    /// `3]`, `3:4]`.
    fn bounds(&mut self) -> Result<(i64, i64), Fail> {
        let first = self.absolute("the register's number")?;
        let last = if self.cursor.eat_after_blanks(b':') {
            self.absolute("the last register's number")?
        } else {
            first
        };
        if self.cursor.eat_after_blanks(b']') {
            Ok((first, last))
        } else {
            Err(self.cursor.expected("`]`"))
        }
    }

    /// The numbers of a group; the cursor is behind `[`.
    fn range(&mut self, bank: Bank, start: usize) -> Result<What, Fail> {
        let from = self.cursor.pos();
        let (first, last) = self.bounds()?;
        let span = start..self.cursor.pos();
        let (Ok(low), Ok(high)) = (u32::try_from(first), u32::try_from(last)) else {
            return Err(fail(span, "a register has no such number"));
        };
        if high < low {
            return Err(fail(
                from..self.cursor.pos() - 1,
                format!("the last register, {high}, is before the first, {low}"),
            ));
        }
        let count = (high - low).saturating_add(1);
        self.group(bank, low, count, span)
    }

    /// `[v1,v2]`, `[s0,s1]`: single registers with consecutive numbers.
    fn register_list(&mut self) -> Result<What, Fail> {
        let start = self.cursor.pos();
        self.cursor.set_pos(start + 1);
        let mut whole: Option<What> = None;
        loop {
            self.cursor.skip_blanks();
            let at = self.cursor.pos();
            let mut probe = self.cursor.clone();
            let word = probe.word().unwrap_or("");
            let Some(next) = self.register(word, &mut probe)? else {
                return Err(self.cursor.expected("a register"));
            };
            self.cursor.set_pos(probe.pos());
            whole = Some(match (whole, next) {
                (None, one) => one,
                (
                    Some(What::Vgprs { first, count }),
                    What::Vgprs {
                        first: number,
                        count: 1,
                    },
                ) if u32::from(first) + u32::from(count) == u32::from(number)
                    && u32::from(count) < MAX_GROUP =>
                {
                    What::Vgprs {
                        first,
                        count: count + 1,
                    }
                }
                (
                    Some(What::Scalar { code, count }),
                    What::Scalar {
                        code: number,
                        count: 1,
                    },
                ) if u32::from(code) + u32::from(count) == u32::from(number)
                    && u32::from(count) < MAX_GROUP =>
                {
                    What::Scalar {
                        code,
                        count: count + 1,
                    }
                }
                _ => {
                    return Err(fail(
                        at..self.cursor.pos(),
                        "the registers of a list must follow each other",
                    ));
                }
            });
            if self.cursor.eat_after_blanks(b']') {
                break;
            }
            if !self.cursor.eat(b',') {
                return Err(self.cursor.expected("`,` or `]`"));
            }
        }
        match whole {
            Some(What::Scalar { code, count })
                if code < self.isa.sgprs()
                    && !regs::aligned(code, count)
                    && !self.dialect.takes_any_group() =>
            {
                Err(misaligned(start..self.cursor.pos(), "s", code, count))
            }
            Some(what) => Ok(what),
            None => Err(self.cursor.expected("a register")),
        }
    }

    /// `count` registers from `first` on, checked.
    fn group(
        &mut self,
        bank: Bank,
        first: u32,
        count: u32,
        span: Range<usize>,
    ) -> Result<What, Fail> {
        let (temporaries, trap_count) = regs::trap_temporaries(self.isa);
        let (limit, name, letter) = match bank {
            Bank::Vector => (VGPRS, "VGPRs", "v"),
            Bank::Scalar => (u32::from(self.isa.sgprs()), "SGPRs", "s"),
            Bank::Trap => (u32::from(trap_count), "trap temporaries", "ttmp"),
        };
        let last = first.saturating_add(count - 1);
        if last >= limit {
            return Err(
                fail(span, format!("register {letter}{last} does not exist")).helped(format!(
                    "{} has the {name} {letter}0 to {letter}{}",
                    self.isa,
                    limit - 1
                )),
            );
        }
        if count > MAX_GROUP {
            return Err(fail(
                span,
                format!("no operand has {count} registers; the largest have {MAX_GROUP}"),
            ));
        }
        let (number, count) = (first as u8, count as u8);
        match bank {
            Bank::Vector => {
                self.next_free_vgpr = self.next_free_vgpr.max(last + 1);
                Ok(What::Vgprs {
                    first: number,
                    count,
                })
            }
            Bank::Scalar | Bank::Trap
                if !regs::aligned(number, count) && !self.dialect.takes_any_group() =>
            {
                Err(misaligned(span, letter, number, count))
            }
            Bank::Scalar => {
                self.next_free_sgpr = self.next_free_sgpr.max(last + 1);
                Ok(What::Scalar {
                    code: number,
                    count,
                })
            }
            Bank::Trap => Ok(What::Scalar {
                code: temporaries + number,
                count,
            }),
        }
    }

    /// An operand that is written like a function; nothing if `word` is none.
    fn function(
        &mut self,
        word: &str,
        at: &crate::cursor::Cursor<'_>,
    ) -> Result<Option<What>, Fail> {
        let mut buffer = [0; 24];
        let Some(lower) = lower_case(word, &mut buffer) else {
            return Ok(None);
        };
        let counter = lower.strip_suffix("_sat").unwrap_or(lower);
        Ok(Some(match counter {
            "vmcnt" | "expcnt" | "lgkmcnt" => self.waitcnt()?,
            "hwreg" => {
                self.cursor.set_pos(at.pos() + 1);
                self.hwreg()?
            }
            "sendmsg" => {
                self.cursor.set_pos(at.pos() + 1);
                self.message()?
            }
            "gpr_idx" => {
                self.cursor.set_pos(at.pos() + 1);
                self.gpr_index()?
            }
            "lit" => {
                self.cursor.set_pos(at.pos() + 1);
                self.cursor.skip_blanks();
                let mut probe = self.cursor.clone();
                let word = probe.word().unwrap_or("");
                if is_register(self.isa, word, probe.peek() == b'[') {
                    return Err(self.cursor.expected("a number"));
                }
                let value = match self.parse_expr()? {
                    Parsed::Float(value) | Parsed::Suffixed(value, _) => What::LiteralFloat(value),
                    Parsed::Known(value) => match value.as_absolute() {
                        Some(number) => What::Literal(number),
                        None => self.wait(Delayed::Value(value)),
                    },
                    Parsed::Later(id) => self.wait(Delayed::Expr(id)),
                };
                self.close()?;
                value
            }
            _ => return Ok(None),
        }))
    }

    fn close(&mut self) -> Result<(), Fail> {
        if self.cursor.eat_after_blanks(b')') {
            Ok(())
        } else {
            Err(self.cursor.expected("`)`"))
        }
    }

    /// `vmcnt(0) & lgkmcnt(1)`: counters that are not named do not wait.
    fn waitcnt(&mut self) -> Result<What, Fail> {
        let max = Waitcnt::max(self.isa);
        let mut wait = max;
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let word = self.cursor.word().unwrap_or("");
            let mut buffer = [0; 24];
            let lower = lower_case(word, &mut buffer).unwrap_or("");
            let (name, saturates) = match lower.strip_suffix("_sat") {
                Some(name) => (name, true),
                None => (lower, false),
            };
            let (field, limit) = match name {
                "vmcnt" => (&mut wait.vm, max.vm),
                "expcnt" => (&mut wait.exp, max.exp),
                "lgkmcnt" => (&mut wait.lgkm, max.lgkm),
                _ => {
                    return Err(fail(
                        start..self.cursor.pos(),
                        format!("there is no counter `{word}`"),
                    )
                    .helped("the counters are vmcnt, expcnt and lgkmcnt"));
                }
            };
            if !self.cursor.eat_after_blanks(b'(') {
                return Err(self.cursor.expected("`(`"));
            }
            let value = self.absolute("the counter's value")?;
            let limit = i64::from(limit);
            let is_possible = (0..=limit).contains(&value) || saturates && value > limit;
            if !is_possible {
                return Err(fail(
                    start..self.cursor.pos(),
                    format!("{value} is out of range: {name} counts from 0 to {limit}"),
                ));
            }
            *field = value.min(limit) as u8;
            self.close()?;
            self.cursor.skip_blanks();
            let separated = self.cursor.eat(b'&') || self.cursor.eat(b',');
            if !separated && !self.cursor.peek().is_ascii_alphabetic() {
                return Ok(What::Waitcnt(wait.pack(self.isa)));
            }
        }
    }

    /// `HW_REG_MODE, 0, 4)`: a register and a run of its bits.
    fn hwreg(&mut self) -> Result<What, Fail> {
        let isa = self.isa;
        let everywhere = isa.only();
        let theirs = clrx::hwregs(isa).map(move |(name, id)| (name, id, everywhere));
        let names = simm::HWREGS
            .iter()
            .copied()
            .chain(theirs)
            .chain(clrx::HWREG_ALIASES);
        let id = self.named_number("hardware register", names, isa, 63)?;
        let mut offset = 0;
        let mut width = 32;
        if self.cursor.eat_after_blanks(b',') {
            offset = self.absolute_within("the lowest bit", 0, 31)?;
            if !self.cursor.eat_after_blanks(b',') {
                return Err(self.cursor.expected("`,` and the number of bits"));
            }
            width = self.absolute_within("the number of bits", 1, 32)?;
        }
        self.close()?;
        let reg = Hwreg {
            id,
            offset: offset as u8,
            width: width as u8,
        };
        Ok(What::Hwreg(reg.pack()))
    }

    /// `{id: 1, offset: 0, size: 4}`: the same as [`Self::hwreg`]; what is left out is all of the register.
    fn hwreg_fields(&mut self) -> Result<What, Fail> {
        const FIELDS: [(&str, i64, i64); 3] = [("id", 0, 63), ("offset", 0, 31), ("size", 1, 32)];
        let isa = self.isa;
        let mut values = [None; FIELDS.len()];
        let mut separator = b'{';
        let mut probe = self.cursor.clone();
        let is_empty = probe.eat(b'{') && probe.eat_after_blanks(b'}');
        if is_empty {
            self.cursor = probe;
        }
        let mut is_open = !is_empty;
        while is_open {
            if !self.cursor.eat_after_blanks(separator) {
                let what = format!("`{}` or `}}`", char::from(separator));
                return Err(self.cursor.expected(&what));
            }
            separator = b',';
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let name = self.cursor.word().unwrap_or("");
            let place = FIELDS.iter().position(|(field, ..)| *field == name);
            let (Some(index), true) = (place, self.cursor.eat_after_blanks(b':')) else {
                let message = "expected `id:`, `offset:` or `size:`";
                return Err(fail(start..self.cursor.pos(), message));
            };
            let value = match FIELDS.get(index) {
                Some(&(_, _, max)) if index == 0 => {
                    let names = simm::HWREGS.iter().map(|&(name, id, on)| (name, id, on));
                    i64::from(self.named_number("hardware register", names, isa, max)?)
                }
                Some(&(name, low, high)) => self.absolute_within(name, low, high)?,
                None => 0,
            };
            let old = values.get_mut(index).and_then(|place| place.replace(value));
            if old.is_some() {
                let message = format!("`{name}` is written twice");
                return Err(fail(start..self.cursor.pos(), message));
            }
            is_open = !self.cursor.eat_after_blanks(b'}');
        }
        let [id, offset, width] = values;
        let reg = Hwreg {
            id: id.unwrap_or(0) as u8,
            offset: offset.unwrap_or(0) as u8,
            width: width.unwrap_or(32) as u8,
        };
        Ok(What::Hwreg(reg.pack()))
    }

    /// `MSG_GS, GS_OP_EMIT, 0)`: a message, its operation, its stream.
    fn message(&mut self) -> Result<What, Fail> {
        let isa = self.isa;
        let everywhere = isa.only();
        let theirs = clrx::messages(isa).map(move |(name, id)| (name, id, everywhere));
        let names = simm::MESSAGES.iter().copied().chain(theirs);
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let message = self.named_number("message", names.clone(), isa, 15)?;
        let written = self.cursor.slice(start..self.cursor.pos());
        let is_named = names
            .clone()
            .any(|(name, ..)| name.eq_ignore_ascii_case(written));
        let (mut op, mut stream) = (None, None);
        if self.cursor.eat_after_blanks(b',') {
            let theirs = clrx::GS_OPS.into_iter().zip(0u8..).chain([clrx::EMIT_CUT]);
            let theirs = theirs.map(|(name, id)| (name, id, everywhere));
            let names = simm::message_ops(message).iter().copied().chain(theirs);
            op = Some(self.named_number("operation", names, isa, 7)?);
            if self.cursor.eat_after_blanks(b',') {
                stream = Some(self.absolute_within("the stream", 0, 3)? as u8);
            }
        }
        self.close()?;
        // A message that is only a number may be anything.
        if is_named
            && self.dialect.checks_messages()
            && let Some(wrong) = simm::wrong_message(isa, message, op, stream)
        {
            return Err(fail(start..self.cursor.pos() - 1, wrong));
        }
        Ok(What::Message(
            u16::from(message)
                | u16::from(op.unwrap_or(0)) << 4
                | u16::from(stream.unwrap_or(0)) << 8,
        ))
    }

    /// `SRC0,DST)`: the operands that indexing concerns.
    fn gpr_index(&mut self) -> Result<What, Fail> {
        let mut bits = 0;
        if self.cursor.eat_after_blanks(b')') {
            return Ok(What::GprIndex(bits));
        }
        let everywhere = self.isa.only();
        loop {
            let names = (0u8..)
                .zip(simm::GPR_INDEXES)
                .map(|(bit, name)| (name, bit, everywhere));
            let isa = self.isa;
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let bit = 1 << self.named_number("operand of VGPR indexing", names, isa, 3)?;
            if bits & bit != 0 {
                let message = "this operand is named twice";
                return Err(fail(start..self.cursor.pos(), message));
            }
            bits |= bit;
            if self.cursor.eat_after_blanks(b')') {
                return Ok(What::GprIndex(bits));
            }
            if !self.cursor.eat(b',') {
                return Err(self.cursor.expected("`,` or `)`"));
            }
        }
    }

    /// A name out of a table, or a number.
    pub(crate) fn named_number(
        &mut self,
        what: &str,
        names: impl Iterator<Item = (&'static str, u8, IsaSet)> + Clone,
        isa: Isa,
        max: i64,
    ) -> Result<u8, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        if self.cursor.eat(b'@') {
            // CLRX: a number, even if a name is that of a symbol.
            return self.absolute_within(what, 0, max).map(|value| value as u8);
        }
        let mut probe = self.cursor.clone();
        let mut word = probe.word().unwrap_or("");
        // CLRX's `emit-cut`, and its longer names of hardware registers.
        if probe.peek() == b'-' && names.clone().any(|(name, ..)| name.contains('-')) {
            let mut longer = probe.clone();
            longer.set_pos(probe.pos() + 1);
            if longer.word().is_some() {
                let text = longer.slice(start..longer.pos());
                if names
                    .clone()
                    .any(|(name, ..)| name.eq_ignore_ascii_case(text))
                {
                    (word, probe) = (text, longer);
                }
            }
        }
        let is_name = |word: &str| {
            names
                .clone()
                .any(|(name, ..)| name.eq_ignore_ascii_case(word))
        };
        let without = CLRX_PREFIXES.iter().find_map(|prefix| {
            let (head, rest) = word.split_at_checked(prefix.len())?;
            (head.eq_ignore_ascii_case(prefix) && is_name(rest)).then_some(rest)
        });
        if let Some(rest) = without.filter(|_| !is_name(word)) {
            word = rest;
        }
        let mut same = names
            .clone()
            .filter(|(name, ..)| name.eq_ignore_ascii_case(word));
        if let Some((_, id, _)) = same.clone().find(|(_, _, on)| on.has(isa)) {
            self.cursor = probe;
            return Ok(id);
        }
        if let Some((name, _, on)) = same.next() {
            return Err(
                fail(start..probe.pos(), format!("{isa} has no {what} `{name}`"))
                    .helped(format!("it exists on {on}")),
            );
        }
        let known = self
            .symbols
            .lookup(word)
            .is_some_and(|id| self.symbols.defined(id) != crate::symbols::Defined::No);
        if !word.is_empty() && !known {
            let all: Vec<&str> = names
                .filter(|(_, _, on)| on.has(isa))
                .map(|n| n.0)
                .collect();
            let mut error = fail(start..probe.pos(), format!("there is no {what} `{word}`"));
            if !all.is_empty() {
                error = error.helped(format!("{isa} has {}", all.join(", ")));
            }
            return Err(error);
        }
        self.absolute_within(what, 0, max).map(|value| value as u8)
    }

    /// A number that must be known here and lie within a range.
    pub(crate) fn absolute_within(&mut self, what: &str, low: i64, high: i64) -> Result<i64, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let value = self.absolute(what)?;
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(fail(
                start..self.cursor.pos(),
                format!("{what} is {value}, out of range {low} to {high}"),
            ))
        }
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

/// Where registers are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bank {
    Vector,
    Scalar,
    Trap,
}

fn misaligned(span: Range<usize>, letter: &str, first: u8, count: u8) -> Fail {
    let multiple = if count == 2 { 2 } else { 4 };
    let below = first / multiple * multiple;
    let last = |first: u8| u32::from(first) + u32::from(count) - 1;
    fail(
        span,
        format!("{count} registers must begin at a multiple of {multiple}, not at {letter}{first}"),
    )
    .helped(format!(
        "for example {letter}[{below}:{}] or {letter}[{}:{}]",
        last(below),
        below.saturating_add(multiple),
        last(below.saturating_add(multiple)),
    ))
}

/// Whether a word, with `[` after it or not, names a register.
pub(crate) fn is_register(isa: Isa, word: &str, bracket: bool) -> bool {
    let bytes = word.as_bytes();
    match bytes {
        [b'v' | b'V' | b's' | b'S'] => bracket,
        [b'v' | b'V' | b's' | b'S', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => true,
        _ => {
            let mut buffer = [0; 24];
            lower_case(word, &mut buffer).is_some_and(|lower| {
                let is_trap = |rest: &str| {
                    let is_number = rest.bytes().all(|b| b.is_ascii_digit());
                    is_number && (bracket || !rest.is_empty())
                };
                regs::named(isa, lower).is_some() || lower.strip_prefix("ttmp").is_some_and(is_trap)
            })
        }
    }
}

/// A word in lower case, in `buffer`; nothing if it is longer.
pub(crate) fn lower_case<'b>(word: &str, buffer: &'b mut [u8]) -> Option<&'b str> {
    let place = buffer.get_mut(..word.len())?;
    place.copy_from_slice(word.as_bytes());
    place.make_ascii_lowercase();
    std::str::from_utf8(place).ok()
}
