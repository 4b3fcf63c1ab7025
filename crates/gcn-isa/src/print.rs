//! Table-driven instruction printer. This module names no instruction.
//!
//! Most instructions are printed with the [`Template`] of their form and [preformatted](ReadyTexts) operands.
//! The [`FullPrinter`], which examines every bit, prints instructions that do not meet the template's conditions. If
//! both apply, their output is identical; a test checks this.

mod fidelity;
mod immediate;
mod modifiers;

mod clrx;
mod compile;
mod full;

use std::fmt;
use std::sync::OnceLock;

use crate::decode::Decoder;
use crate::field::{Encoding, Field};
use crate::form::placed::PlacedOperand;
use crate::form::ready::{MISSING, ReadyTexts, SEPARATOR};
use crate::form::template::{OperandText, ReadyPrefix, Template, TextSource};
use crate::form::{Form, LITERAL, SOURCE_BITS};
use crate::inst::{Inst, Operand};
use crate::operand::Kind;
use crate::regs;
use crate::rules;
use crate::target::Isa;
use crate::text::Text;

use compile::compile;
use full::FullPrinter;
use immediate::write_immediate;
use modifiers::{ModifierFidelity, modifiers};

pub use fidelity::TextFidelity;

/// Assembly syntax.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Syntax, decode};
/// let load = decode(Isa::Gfx9, &[0xdc50_8008, 0x017f_0002])?;
/// assert_eq!(load.text(), "global_load_dword v1, v[2:3], off offset:8");
/// let mut text = String::new();
/// let _ = load.print(&mut text, Syntax::Clrx, None);
/// assert_eq!(text, "global_load_dword v1, v[2:3], off inst_offset:8");
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Syntax {
    /// Syntax accepted by llvm-mc.
    #[default]
    Llvm,
    /// Syntax specified in CLRX's documents.
    Clrx,
}

impl Inst {
    /// Appends the instruction's text. `target` names a branch target or, in LLVM's syntax, the value that a linker stores in
    /// the literal. Without it, a branch shows its distance: in dwords in LLVM's syntax, in bytes in CLRX's.
    ///
    /// ```
    /// use gcn_isa::{Isa, Syntax, TextFidelity, decode};
    /// let branch = decode(Isa::Vi, &[0xbf82_0004]).unwrap();
    /// let mut text = String::new();
    /// let fidelity = branch.print(&mut text, Syntax::Llvm, Some("loop"));
    /// assert_eq!((text.as_str(), fidelity), ("s_branch loop", TextFidelity::Exact));
    /// ```
    pub fn print(&self, out: &mut String, syntax: Syntax, target: Option<&str>) -> TextFidelity {
        let mut text = Text::new();
        let fidelity = self.isa.printer().print(self, &mut text, syntax, target);
        out.push_str(text.as_str());
        fidelity
    }

    /// Text of the instruction in LLVM's syntax.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let text = decode(Isa::Gfx9, &[0xdc50_8000, 0x0102_0000])?.text();
    /// assert_eq!(text, "global_load_dword v1, v0, s[2:3]");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn text(&self) -> String {
        let mut out = String::new();
        let _ = self.print(&mut out, Syntax::Llvm, None);
        out
    }
}

/// Writes the instruction in LLVM's syntax.
impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::new();
        let printer = self.isa.printer();
        let _ = printer.print(self, &mut text, Syntax::Llvm, None);
        f.pad(text.as_str())
    }
}

/// Bytes per word.
const WORD: usize = 4;

/// Printer for one instruction set, built on first use.
///
/// # Examples
/// ```
/// use gcn_isa::text::Text;
/// use gcn_isa::{Isa, Syntax, TextFidelity, decode};
/// let end = decode(Isa::Gfx9, &[0xbf81_0000])?;
/// let mut text = Text::new();
/// let fidelity = Isa::Gfx9.printer().print(&end, &mut text, Syntax::Clrx, None);
/// assert_eq!((text.as_str(), fidelity), ("s_endpgm", TextFidelity::Exact));
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
pub struct Printer {
    ready: ReadyTexts,
}

impl Isa {
    /// Printer for this instruction set.
    #[inline]
    pub fn printer(self) -> &'static Printer {
        static PRINTERS: [OnceLock<Printer>; Isa::ALL.len()] =
            [const { OnceLock::new() }; Isa::ALL.len()];
        PRINTERS[self as usize].get_or_init(|| Printer {
            ready: ReadyTexts::new(self),
        })
    }
}

/// Number of VGPRs.
const VGPRS: u16 = 256;

/// Number of prefix operands that are always written, to avoid branches; unused operands are empty.
const FEW: usize = 3;

/// Progress of a line after its preformatted operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LineProgress {
    /// The line is complete.
    Complete,
    /// The rest is missing; the operands so far read `reads` values over the constant bus.
    Partial { reads: u8 },
    /// The prefix does not apply to this instruction, and nothing was written.
    Rejected,
}

/// Part of a text that is still to be written.
#[derive(Clone, Copy)]
struct Remainder {
    /// Index of the template's first operand that is still missing, if any.
    next: Option<u8>,
    /// Number of values that the operands so far read over the constant bus.
    reads: u8,
}

impl Remainder {
    /// Everything after the head.
    const ALL: Remainder = Remainder {
        next: Some(0),
        reads: 0,
    };
}

impl Printer {
    /// Appends the text of an instruction; see [`Inst::print`].
    pub fn print(
        &self,
        inst: &Inst,
        out: &mut Text,
        syntax: Syntax,
        target: Option<&str>,
    ) -> TextFidelity {
        if syntax == Syntax::Clrx {
            return clrx::print(inst, out, target);
        }
        let form = inst.form();
        let template = form.template(compile);
        let begin = out.len();
        if self.by_template(template, form, inst.bits(), out, target) {
            return TextFidelity::Exact;
        }
        out.truncate(begin);
        FullPrinter::new(inst, out).print(template, target)
    }

    /// Appends a line for each instruction at the beginning of `code` (little-endian words), up to a branch or an
    /// instruction without an applicable template. Returns the number of words printed.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, text::Text};
    /// // s_nop 0; s_branch 1
    /// let code = [0xbf80_0000_u32, 0xbf82_0001].map(u32::to_le_bytes);
    /// let mut text = Text::new();
    /// let words = Isa::Vi.printer().lines(Isa::Vi.decoder(), &code, &mut text);
    /// assert_eq!((text.as_str(), words), ("\ts_nop 0\n", 1));
    /// ```
    pub fn lines(&self, decoder: &Decoder, code: &[[u8; WORD]], out: &mut Text) -> usize {
        let mut at = 0;
        while let Some(&first) = code.get(at) {
            let first = u32::from_le_bytes(first);
            let Some((form, dwords)) = decoder.unbranching(first) else {
                break;
            };
            if at + dwords > code.len() {
                break;
            }
            // The second word is not part of a single-word instruction.
            let second = code.get(at + 1).map_or(0, |&word| u32::from_le_bytes(word));
            let own = if dwords == 1 { 0 } else { u32::MAX };
            let bits = u64::from(first) | u64::from(second & own) << u32::BITS;
            let begin = out.len();
            if !self.line(form, bits, out) {
                out.truncate(begin);
                break;
            }
            at += dwords;
        }
        at
    }

    /// Appends an instruction's line and returns true if its template applies; otherwise, may leave a partial line.
    #[inline(always)]
    fn line(&self, form: &'static Form, bits: u64, out: &mut Text) -> bool {
        let template = form.template(compile);
        match self.begin_line(template, &template.prefix, bits, out) {
            LineProgress::Complete => true,
            LineProgress::Partial { reads } => {
                let next = template.prefix.next;
                self.end_line(template, form, bits, out, Remainder { next, reads })
            }
            LineProgress::Rejected => self.rarer_line(template, form, bits, out),
        }
    }

    /// Like [`Printer::line`], for instructions to which the most frequent prefix does not apply.
    #[inline(never)]
    fn rarer_line(
        &self,
        template: &Template,
        form: &'static Form,
        bits: u64,
        out: &mut Text,
    ) -> bool {
        for prefix in &template.other_prefixes {
            match self.begin_line(template, prefix, bits, out) {
                LineProgress::Complete => return true,
                LineProgress::Partial { reads } => {
                    let next = prefix.next;
                    return self.end_line(template, form, bits, out, Remainder { next, reads });
                }
                LineProgress::Rejected => {}
            }
        }
        out.push_ascii(b"\t");
        let is_complete = self.by_template(template, form, bits, out, None);
        out.push_ascii(b"\n");
        is_complete
    }

    /// Appends an instruction's line up to the first operand that is not preformatted. For speed, it tests the bits that
    /// select a prefix before writing the operands, and the sum of their marks afterwards, instead of each operand.
    #[inline(always)]
    fn begin_line(
        &self,
        template: &Template,
        prefix: &ReadyPrefix,
        bits: u64,
        out: &mut Text,
    ) -> LineProgress {
        if bits & prefix.deciding != prefix.usual {
            return LineProgress::Rejected;
        }
        let has_more = prefix.next.is_some() | template.is_modified(bits);
        let Some(mut line) = out.line() else {
            return LineProgress::Rejected;
        };
        line.push_ascii(b'\t');
        line.push_piece(&template.head);
        let (few, others) = prefix.texts.split_at(FEW);
        for text in few {
            line.push_piece(self.ready.get(text.index(bits)));
        }
        if usize::from(prefix.count) > FEW {
            for text in others {
                line.push_piece(self.ready.get(text.index(bits)));
            }
        }
        let reads = line.marks();
        if reads > template.max_reads {
            return LineProgress::Rejected;
        }
        if prefix.next.is_none() {
            line.shorten(template.excess);
        }
        if has_more {
            line.end();
            return LineProgress::Partial { reads };
        }
        line.push_ascii(b'\n');
        line.end();
        LineProgress::Complete
    }

    /// Appends the rest of a line and returns true if the template applies to the instruction.
    #[inline(never)]
    fn end_line(
        &self,
        template: &Template,
        form: &'static Form,
        bits: u64,
        out: &mut Text,
        rest: Remainder,
    ) -> bool {
        let is_complete = self.finish(template, form, bits, out, rest, None);
        out.push_ascii(b"\n");
        is_complete
    }

    /// Appends an instruction's text and returns true if its template applies; otherwise, may leave a partial text.
    fn by_template(
        &self,
        template: &Template,
        form: &'static Form,
        bits: u64,
        out: &mut Text,
        target: Option<&str>,
    ) -> bool {
        if bits & template.deciding != template.usual {
            return false;
        }
        out.push_piece(&template.head);
        self.finish(template, form, bits, out, Remainder::ALL, target)
    }

    /// Appends the rest of a text and returns true if it represents the instruction exactly.
    #[inline(always)]
    fn finish(
        &self,
        template: &Template,
        form: &'static Form,
        bits: u64,
        out: &mut Text,
        rest: Remainder,
        target: Option<&str>,
    ) -> bool {
        let mut reads = rest.reads;
        if let Some(next) = rest.next {
            for operand in template.operands().get(next.into()..).unwrap_or_default() {
                if operand.source.is_ready() && bits & operand.signs == 0 {
                    let text = self.ready.get(operand.ready.index(bits));
                    if text.mark() < MISSING {
                        out.push_piece(text);
                        reads += text.mark();
                        continue;
                    }
                }
                match self.operand(operand, form, bits, out, target) {
                    Some(more) => reads += more,
                    None => return false,
                }
            }
            out.shorten(template.excess.into());
        }
        reads <= template.max_reads
            && (!template.is_modified(bits)
                || modifiers(template, form.isa, bits, out) == ModifierFidelity::Exact)
    }

    /// Appends an operand and returns the number of values that it reads over the constant bus; `None` if the
    /// [`FullPrinter`] is needed.
    #[inline(never)]
    fn operand(
        &self,
        operand: &OperandText,
        form: &'static Form,
        bits: u64,
        out: &mut Text,
        target: Option<&str>,
    ) -> Option<u8> {
        let placed = form.operands.get(usize::from(operand.index))?;
        let number = operand.ready.number(bits);
        let pair = usize::from(ReadyTexts::PAIRS_OF_VGPRS) + number;
        let inst = || Inst::from_bits(form, bits);
        let (mut ready, mut is_scalar) =
            (operand.ready.index(bits), placed.bits.width == SOURCE_BITS);
        if operand.source == TextSource::SdwaSource
            && inst().is_scalar_sdwa_source(placed.slot.field)
        {
            ready = usize::from(ReadyTexts::sources(placed.slot.ty.dwords())?) + number;
            is_scalar = true;
        }
        if bits & operand.signs != 0 {
            // `--2` would be ambiguous.
            if is_scalar && u8::try_from(number).is_ok_and(regs::is_constant) {
                return None;
            }
            return self.signed(placed, ready, bits, out);
        }
        let off = |out: &mut Text| {
            out.push_ascii(b"off, ");
            (number == 0).then_some(0)
        };
        match operand.source {
            TextSource::ReadyOrLiteral if number as u64 == LITERAL => {
                let value = (bits >> u32::BITS) as u32;
                if regs::inline_of_literal(form.isa, placed.slot.ty, value).is_some() {
                    return None;
                }
                literal(placed, bits, out, target)
            }
            TextSource::Literal => literal(placed, bits, out, target),
            TextSource::Ready | TextSource::ReadyOrLiteral | TextSource::SdwaSource => {
                self.ready.write(out, ready)
            }
            TextSource::GlobalAddress if inst().saddr_is_off() => self.ready.write(out, pair),
            TextSource::GlobalAddress => self.ready.write(out, ready),
            TextSource::ScratchAddress if inst().saddr_is_off() => self.ready.write(out, ready),
            TextSource::ScratchAddress => off(out),
            TextSource::BufferAddress => match inst().buffer_address_count() {
                0 => off(out),
                1 => self.ready.write(out, ready),
                _ => self.ready.write(out, pair),
            },
            TextSource::Immediate => {
                let kind = placed.slot.kind;
                match target {
                    Some(name) if kind == Kind::Branch => out.push_str(name),
                    _ => write_immediate(out, form.isa, kind, inst().immediate(kind, placed.bits)),
                }
                out.push_ascii(SEPARATOR);
                Some(0)
            }
            TextSource::Returned if inst().flag(Field::Glc) => self.ready.write(out, ready),
            TextSource::Returned => (number == 0).then_some(0),
            TextSource::SdwaDestination if !inst().flag(Field::SdwaSdst) => (number == 0)
                .then(|| self.ready.write(out, ready + usize::from(regs::VCC_LO)))
                .flatten(),
            TextSource::SdwaDestination => (number != usize::from(regs::VCC_LO))
                .then(|| self.ready.write(out, ready))
                .flatten(),
            TextSource::ImageRegisters => {
                let Operand::Vgprs { first, count } = inst().operand(&placed.slot) else {
                    return None;
                };
                if u16::from(first) + u16::from(count) > VGPRS || rules::whole(&inst()).is_some() {
                    return None;
                }
                regs::write_group(out, 'v', first, count);
                out.push_ascii(SEPARATOR);
                Some(0)
            }
            TextSource::ScalarOffset => self.scalar_offset(operand, placed, &inst(), out),
        }
    }

    /// Appends the offset of a scalar memory instruction: a register, a number, or both.
    fn scalar_offset(
        &self,
        operand: &OperandText,
        placed: &PlacedOperand,
        inst: &Inst,
        out: &mut Text,
    ) -> Option<u8> {
        let write = |out: &mut Text, register: u8| {
            let first = usize::from(operand.ready.first);
            self.ready.write(out, first + usize::from(register))
        };
        let (offset, register) = (placed.bits.get(inst.bits()), inst.get(Field::Soffset));
        match (inst.flag(Field::Imm), inst.flag(Field::Soe)) {
            (false, false) if register == 0 => return write(out, u8::try_from(offset).ok()?),
            (true, false) if register == 0 => {}
            (true, true) => {
                write(out, register as u8)?;
                out.shorten(SEPARATOR.len());
                out.push_ascii(b" offset:");
            }
            _ => return None,
        }
        if offset < first_unusual_offset(inst.form()) {
            out.push_hex(offset);
        } else if inst.encoding == Encoding::Smem
            && placed.slot.kind == (Kind::ScalarOffset { signed: true })
        {
            out.push_ascii(b"-");
            out.push_hex(placed.bits.get_signed(inst.bits()).unsigned_abs());
        } else {
            return None;
        }
        out.push_ascii(SEPARATOR);
        Some(0)
    }

    /// Appends a register with its source modifiers.
    fn signed(
        &self,
        placed: &PlacedOperand,
        ready: usize,
        bits: u64,
        out: &mut Text,
    ) -> Option<u8> {
        let has = |sign: u64| bits & sign != 0;
        if has(placed.negate) {
            out.push_ascii(b"-");
        }
        if has(placed.absolute) {
            out.push_ascii(b"|");
        }
        if has(placed.extend) {
            out.push_ascii(b"sext(");
        }
        let reads = self.ready.write(out, ready)?;
        out.shorten(SEPARATOR.len());
        if has(placed.absolute) {
            out.push_ascii(b"|");
        }
        if has(placed.extend) {
            out.push_ascii(b")");
        }
        out.push_ascii(SEPARATOR);
        Some(reads)
    }
}

/// Appends a literal; `None` if `target` is to replace it, or if its type cannot hold all of its bits.
fn literal(placed: &PlacedOperand, bits: u64, out: &mut Text, target: Option<&str>) -> Option<u8> {
    let value = (bits >> u32::BITS) as u32;
    if target.is_some() || rules::literal(placed.slot.ty, value.into()) != Ok(value) {
        return None;
    }
    out.push_hex(value.into());
    out.push_ascii(SEPARATOR);
    Some(1)
}

/// Smallest offset field value that may be a literal (SMRD) or a negative number (SMEM on GCN 1.4).
fn first_unusual_offset(form: &Form) -> u64 {
    const UNSIGNED_BITS: u32 = 20;
    if form.encoding == Encoding::Smrd {
        LITERAL
    } else {
        1 << UNSIGNED_BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear congruential generator.
    struct Random(u64);

    impl Random {
        fn bits(&mut self) -> u64 {
            let mut word = || {
                self.0 = self
                    .0
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                self.0 >> u32::BITS
            };
            word() << u32::BITS | word()
        }
    }

    #[test]
    fn templates_write_as_the_full_printer_does() {
        let mut random = Random(1);
        let (mut by_template, mut all) = (0, 0);
        for isa in Isa::ALL {
            let printer = isa.printer();
            let tables = isa.tables();
            let forms = crate::op::rows().flat_map(|row| tables.forms(row.op()));
            for form in forms {
                let template = form.template(compile);
                // Random bits rarely meet the template's conditions, so most rounds substitute the usual bits, and some
                // flip one bit.
                for round in 0..200 {
                    let mut bits = random.bits();
                    if round % 4 != 0 {
                        bits = bits & !template.deciding | template.usual;
                    }
                    if round % 3 == 0 {
                        bits = bits & !template.modifier_bits | template.unwritten;
                    }
                    if round % 7 == 0 {
                        bits ^= 1 << (random.bits() % u64::from(u64::BITS));
                    }
                    let bits = bits & !form.fixed | form.base & form.fixed;
                    let inst = Inst::from_bits(form, bits);
                    let mut text = Text::new();
                    all += 1;
                    let mut line = Text::new();
                    let is_line = printer.line(form, inst.bits(), &mut line);
                    if printer.by_template(template, form, inst.bits(), &mut text, None) {
                        assert!(is_line, "{isa}: {text}");
                        assert_eq!(line.as_str(), format!("\t{text}\n"), "{isa}: {bits:#x}");
                        by_template += 1;
                        let mut full = Text::new();
                        let fidelity = FullPrinter::new(&inst, &mut full).print(template, None);
                        assert_eq!(text.as_str(), full.as_str(), "{isa}: {bits:#x}");
                        assert_eq!(fidelity, TextFidelity::Exact, "{isa}: {text}");
                    } else {
                        assert!(!is_line, "{isa}: {text}{line}");
                    }
                }
            }
        }
        assert!(by_template * 3 > all, "{by_template} of {all}");
    }

    #[test]
    fn lines_end_before_a_branch_and_a_truncated_instruction() {
        // `s_nop 0`, `ds_read_b32 v1, v2`, then a branch, a truncated read, or a literal.
        let read = [0xd86c_0000, 0x0100_0002];
        let (nop, branch, mov) = (0xbf80_0000, 0xbf82_0000, [0xbe80_00ff, 0x0001_2345]);
        let whole = "\ts_nop 0\n\tds_read_b32 v1, v2\n";
        for (end, more) in [
            (vec![branch], ""),
            (vec![read[0]], ""),
            (mov.to_vec(), "\ts_mov_b32 s0, 0x12345\n"),
        ] {
            let code: Vec<[u8; WORD]> = [nop, read[0], read[1]]
                .iter()
                .chain(&end)
                .map(|word: &u32| word.to_le_bytes())
                .collect();
            let isa = Isa::Vi;
            let mut text = Text::new();
            let words = isa.printer().lines(isa.decoder(), &code, &mut text);
            assert_eq!(text.as_str(), format!("{whole}{more}"));
            assert_eq!(words == code.len(), !more.is_empty());
        }
    }
}
