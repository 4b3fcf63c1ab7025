//! Registers as text says them: `v1`, `s[2:3]`, `[v1,v2]`, `vcc`, `exec[0]`, and CLRX's symbols for them.

use std::ops::Range;

use gcn_isa::{Isa, regs};

use super::{What, lower_case};
use crate::assembler::Assembler;
use crate::cursor::Cursor;
use crate::diagnostic::{Fail, Helped, fail};
use crate::ids;

/// VGPRs of a lane.
const VGPRS: u32 = 256;
/// Registers of the largest group.
const MAX_GROUP: u32 = 32;

impl Assembler<'_> {
    /// A register that begins with `word`; `cursor` is behind the word and moves behind the register.
    pub(super) fn register(
        &mut self,
        word: &str,
        cursor: &mut Cursor<'_>,
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
        if !(is_bank && self.banks_first)
            && let Some(whole) = self.register_symbol(word)
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
            if regs::is_xnack_mask(self.isa, code)
                && !self.target.xnack
                && self.dialect.asks_for_replay()
            {
                let message = format!("{} has no register `{lower}`", self.target.name);
                return Err(fail(&ids::UNSUPPORTED_REGISTER, start..end, message)
                    .helped("only chips that replay faulting accesses have it, such as gfx801"));
            }
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
                &ids::UNSUPPORTED_REGISTER,
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
    fn part(&mut self, whole: What, start: usize, cursor: &mut Cursor<'_>) -> Result<What, Fail> {
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
        part.ok_or_else(|| {
            fail(
                &ids::REGISTER_RANGE,
                start..self.cursor.pos(),
                "the register has no such part",
            )
        })
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
            return Err(fail(
                &ids::REGISTER_RANGE,
                span,
                "a register has no such number",
            ));
        };
        if high < low {
            return Err(fail(
                &ids::REGISTER_RANGE,
                from..self.cursor.pos() - 1,
                format!("the last register, {high}, is before the first, {low}"),
            ));
        }
        let count = (high - low).saturating_add(1);
        self.group(bank, low, count, span)
    }

    /// `[v1,v2]`, `[s0,s1]`: single registers with consecutive numbers.
    pub(super) fn register_list(&mut self) -> Result<What, Fail> {
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
                        &ids::REGISTER_LIST,
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
            return Err(fail(
                &ids::REGISTER_RANGE,
                span,
                format!("register {letter}{last} does not exist"),
            )
            .helped(format!(
                "{} has the {name} {letter}0 to {letter}{}",
                self.isa,
                limit - 1
            )));
        }
        if count > MAX_GROUP {
            return Err(fail(
                &ids::REGISTER_COUNT,
                span,
                format!("no operand has {count} registers; the largest have {MAX_GROUP}"),
            ));
        }
        let (number, count) = (first as u8, count as u8);
        match bank {
            Bank::Vector => {
                self.vgprs.include(last);
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
                self.sgprs.include(last);
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

    /// The registers from `first` to `last`, if they may be named so.
    pub(super) fn plain_group(&mut self, letter: u8, first: u32, last: u32) -> Option<What> {
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
            self.vgprs.include(last);
            What::Vgprs {
                first: number,
                count: short,
            }
        } else {
            self.sgprs.include(last);
            What::Scalar {
                code: number,
                count: short,
            }
        })
    }
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
        &ids::REGISTER_ALIGNMENT,
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
