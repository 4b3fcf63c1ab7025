//! From an instruction to text. Walks the row and names no instruction.
//!
//! What does not depend on an instruction's bits is found once for its form, a [`Plan`]: its name with suffix, which
//! bits the text tells, which operands have ready texts ([`Names`]). Where something is unusual nothing of that is
//! trusted: a [`Printer`] looks at every bit. What both can write, they write alike, which a test holds.

mod clrx;

use std::fmt::Write;
use std::sync::OnceLock;

use crate::decode::Decoder;
use crate::field::Field;
use crate::form::{Form, LITERAL, Place};
use crate::inst::{Inst, Operand};
use crate::names::{MISSING, Names, SEPARATOR};
use crate::operand::{Kind, Slot, Value, When};
use crate::plain::{Plain, Rest};
use crate::plan::{How, Part, Plan, ShownModifier, suffix};
use crate::regs::{self, write_group};
use crate::target::Isa;
use crate::text::Text;
use crate::vintrp::{CHANNELS, MAX_ATTRIBUTE, VERTEX_PARAMETERS};
use crate::{buffer_format, dpp, exp, rules, simm, swizzle};

/// A way to spell things where LLVM and CLRX differ.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Syntax {
    /// What llvm-mc accepts.
    #[default]
    Llvm,
    /// What CLRX's documents specify.
    Clrx,
}

/// Whether the text says everything that the words say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Fidelity {
    /// Assembling the text gives the same words.
    Exact,
    /// The same, but LLVM's assembler refuses the text or makes other words of it, which is in LLVM's syntax.
    RefusedByLlvm,
    /// Some bits are not in the text (reserved or unused fields that are not zero, a register that has no name), or
    /// the instruction breaks a [rule](crate::rules) that assemblers hold it to.
    Lossy,
}

impl Inst {
    /// Appends the instruction's text. `target` names the target of a branch, or what a linker puts into the
    /// literal; without it a branch shows its distance in dwords.
    pub fn print(&self, out: &mut String, syntax: Syntax, target: Option<&str>) -> Fidelity {
        let mut text = Text::new();
        let fidelity = self.isa.plans().print(self, &mut text, syntax, target);
        out.push_str(text.as_str());
        fidelity
    }

    /// The instruction's text in LLVM's syntax.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let _ = self.print(&mut out, Syntax::Llvm, None);
        out
    }
}

/// Bytes of a word.
const WORD: usize = 4;

/// What is known of the texts of one instruction set. Built once, on first use.
pub struct Plans {
    names: Names,
}

impl Isa {
    /// What prints the instructions of this instruction set.
    #[inline]
    pub fn plans(self) -> &'static Plans {
        static PLANS: [OnceLock<Plans>; Isa::ALL.len()] =
            [const { OnceLock::new() }; Isa::ALL.len()];
        PLANS[self as usize].get_or_init(|| Plans::new(self))
    }
}

impl Plans {
    fn new(isa: Isa) -> Plans {
        Plans {
            names: Names::new(isa),
        }
    }

    /// Appends the text of an instruction of this instruction set; see [`Inst::print`].
    pub fn print(
        &self,
        inst: &Inst,
        out: &mut Text,
        syntax: Syntax,
        target: Option<&str>,
    ) -> Fidelity {
        if syntax == Syntax::Clrx {
            return clrx::print(inst, out, target);
        }
        let form = inst.form();
        let plan = form.plan();
        if self.quickly(plan, form, inst.bits(), out, target) {
            return Fidelity::Exact;
        }
        Printer::new(inst, out).all(plan, target)
    }

    /// Appends a line for each of the instructions that code (words, little endian) begins with, as long as their text in
    /// LLVM's syntax tells all of them without anything special, and none is a branch. Says how many words they have.
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
            // What is behind a single word does not belong to it.
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

    /// Appends the line of a usual instruction; of another one perhaps its begin.
    #[inline(always)]
    fn line(&self, form: &'static Form, bits: u64, out: &mut Text) -> bool {
        let plan = form.plan();
        match plan.plain.begin(&self.names, plan, bits, out) {
            Rest::Nothing => true,
            Rest::More { reads } => self.rest_of_line(plan, &plan.plain, form, bits, out, reads),
            Rest::Other => self.other_line(plan, form, bits, out),
        }
    }

    /// The same where it is not nearly always so.
    #[inline(never)]
    fn other_line(&self, plan: &Plan, form: &'static Form, bits: u64, out: &mut Text) -> bool {
        for plain in &plan.other_plain {
            match plain.begin(&self.names, plan, bits, out) {
                Rest::Nothing => return true,
                Rest::More { reads } => {
                    return self.rest_of_line(plan, plain, form, bits, out, reads);
                }
                Rest::Other => {}
            }
        }
        out.push_ascii(b"\t");
        let is_usual = self.quickly(plan, form, bits, out, None);
        out.push_ascii(b"\n");
        is_usual
    }

    /// Appends the rest of a line that was begun, and says whether it is that of a usual instruction.
    #[inline(never)]
    fn rest_of_line(
        &self,
        plan: &Plan,
        plain: &Plain,
        form: &'static Form,
        bits: u64,
        out: &mut Text,
        mut reads: u8,
    ) -> bool {
        let mut is_usual = true;
        if let Some(last) = plain.last(plan) {
            match self.part(last, form, bits, out, None) {
                Some(more) => reads += more,
                None => is_usual = false,
            }
            is_usual &= reads <= plan.most_reads;
            out.shorten(plan.too_much.into());
        }
        if is_usual && plan.is_modified(bits) {
            is_usual = self.modified(plan, form, bits, out);
        }
        out.push_ascii(b"\n");
        is_usual
    }

    /// Appends the modifiers, and says whether that tells all of them.
    fn modified(&self, plan: &Plan, form: &'static Form, bits: u64, out: &mut Text) -> bool {
        modifiers(plan, form.isa, bits, out) == Told::Exactly
    }

    /// Appends the text of a usual instruction, which tells all of it; of another one nothing.
    fn quickly(
        &self,
        plan: &Plan,
        form: &'static Form,
        bits: u64,
        out: &mut Text,
        target: Option<&str>,
    ) -> bool {
        if bits & plan.deciding != plan.usual {
            return false;
        }
        let begin = out.len();
        let mut reads = 0;
        out.push_piece(&plan.head);
        for part in plan.parts() {
            let name = self.names.get(part.text.place(bits));
            if part.how.is_ready() && bits & part.signs == 0 && name.mark() < MISSING {
                out.push_piece(name);
                reads += name.mark();
                continue;
            }
            match self.part(part, form, bits, out, target) {
                Some(more) => reads += more,
                None => {
                    out.truncate(begin);
                    return false;
                }
            }
        }
        out.shorten(plan.too_much.into());
        let mut is_exact = reads <= plan.most_reads;
        if plan.is_modified(bits) {
            is_exact &= self.modified(plan, form, bits, out);
        }
        if !is_exact {
            out.truncate(begin);
        }
        is_exact
    }

    /// Appends an operand, and says how many values it reads over the bus; nothing if it is to be looked at.
    #[inline(never)]
    fn part(
        &self,
        part: &Part,
        form: &'static Form,
        bits: u64,
        out: &mut Text,
        target: Option<&str>,
    ) -> Option<u8> {
        let place = form.places.get(usize::from(part.place))?;
        let number = part.text.number(bits);
        let ready = part.text.place(bits);
        let pair = usize::from(Names::PAIRS_OF_VGPRS) + number;
        let inst = || Inst::from_bits(form, bits);
        if bits & part.signs != 0 {
            return self.signed(place, ready, bits, out);
        }
        let off = |out: &mut Text| {
            out.push_ascii(b"off, ");
            (number == 0).then_some(0)
        };
        match part.how {
            How::ReadyOrLiteral if number as u64 == LITERAL && target.is_none() => {
                let value = (bits >> u32::BITS) as u32;
                if regs::inline_of_literal(form.isa, place.slot.ty, value).is_some() {
                    return None;
                }
                out.push_hex(value.into());
                out.push_ascii(SEPARATOR);
                Some(1)
            }
            How::Ready | How::ReadyOrLiteral => self.names.write(out, ready),
            How::Global if inst().saddr_is_off() => self.names.write(out, pair),
            How::Global => self.names.write(out, ready),
            How::Scratch if inst().saddr_is_off() => self.names.write(out, ready),
            How::Scratch => off(out),
            How::Buffer => match inst().buffer_address_count() {
                0 => off(out),
                1 => self.names.write(out, ready),
                _ => self.names.write(out, pair),
            },
            How::Immediate => {
                let kind = place.slot.kind;
                match target {
                    Some(name) if kind == Kind::Branch => out.push_str(name),
                    _ => write_immediate(out, form.isa, kind, inst().immediate(kind, place.bits)),
                }
                out.push_ascii(SEPARATOR);
                Some(0)
            }
            How::Offset if !inst().flag(Field::Imm) => {
                u8::try_from(place.bits.get(bits)).ok()?;
                self.names.write(out, ready)
            }
            How::Returned if inst().flag(Field::Glc) => self.names.write(out, ready),
            How::Returned => (number == 0).then_some(0),
            How::Offset => {
                let offset = place.bits.get(bits);
                (offset < Part::offsets(form)).then(|| {
                    out.push_hex(offset);
                    out.push_ascii(SEPARATOR);
                    0
                })
            }
        }
    }

    /// Appends a register with its signs.
    fn signed(&self, place: &Place, ready: usize, bits: u64, out: &mut Text) -> Option<u8> {
        let has = |sign: u64| bits & sign != 0;
        let number = place.bits.get(bits);
        // `--2` would be ambiguous.
        if u8::try_from(number).is_ok_and(regs::is_constant) {
            return None;
        }
        if has(place.negate) {
            out.push_ascii(b"-");
        }
        if has(place.absolute) {
            out.push_ascii(b"|");
        }
        if has(place.extend) {
            out.push_ascii(b"sext(");
        }
        let reads = self.names.write(out, ready)?;
        out.shorten(SEPARATOR.len());
        if has(place.absolute) {
            out.push_ascii(b"|");
        }
        if has(place.extend) {
            out.push_ascii(b")");
        }
        out.push_ascii(SEPARATOR);
        Some(reads)
    }
}

/// Looks at everything about an instruction that its text depends on.
struct Printer<'a> {
    inst: &'a Inst,
    out: &'a mut Text,
    exact: bool,
}

impl<'a> Printer<'a> {
    fn new(inst: &'a Inst, out: &'a mut Text) -> Printer<'a> {
        Printer {
            inst,
            out,
            exact: true,
        }
    }

    /// Name, operands, modifiers.
    fn all(&mut self, plan: &Plan, target: Option<&str>) -> Fidelity {
        let inst = self.inst;
        self.out.push_str(inst.name());
        self.out.push_str(suffix(inst.form()));
        self.out.push(' ');
        // After the last one there is a blank, or a comma and a blank, too much.
        let mut too_much = 1;
        for place in &inst.form().places {
            let slot = place.slot;
            if !inst.shows(slot) {
                continue;
            }
            match target {
                Some(name) if self.is_nameable(slot) => self.out.push_str(name),
                _ => self.operand(place),
            }
            // LLVM separates the target from the values by a blank.
            if slot.kind == Kind::ExportTarget {
                self.out.push_ascii(b" ");
            } else {
                self.out.push_ascii(SEPARATOR);
                too_much = SEPARATOR.len();
            }
        }
        self.out.shorten(too_much);
        let told = modifiers(plan, inst.isa, inst.bits(), self.out);
        self.exact &= told != Told::NotAll;
        let says_all = self.exact && inst.bits() & plan.untold_or_required == plan.required;
        let breaks_rule = rules::constant_bus(inst).is_some() || rules::whole(inst).is_some();
        if !says_all || breaks_rule {
            Fidelity::Lossy
        } else if inst.is_refused_by_llvm() {
            Fidelity::RefusedByLlvm
        } else {
            Fidelity::Exact
        }
    }

    /// Whether a name can stand for the operand: the target of a branch, or a literal.
    fn is_nameable(&self, slot: &Slot) -> bool {
        slot.kind == Kind::Branch || matches!(self.inst.operand(slot), Operand::Literal(_))
    }

    fn operand(&mut self, place: &Place) {
        let isa = self.inst.isa;
        let slot = place.slot;
        let has = |bits: u64| self.inst.bits() & bits != 0;
        let (negated, absolute) = (has(place.negate), has(place.absolute));
        let extended = has(place.extend);
        self.exact &= self.says_destination(slot);
        // `--2` would be ambiguous.
        let negates_constant = negated && !absolute && self.is_constant(slot);
        if negates_constant {
            self.out.push_str("neg(");
        } else if negated {
            self.out.push('-');
        }
        if absolute {
            self.out.push('|');
        }
        if extended {
            self.out.push_str("sext(");
        }
        let operand = self.inst.operand(slot);
        self.exact &= rules::operand(self.inst, slot, operand).is_none();
        match operand {
            Operand::Vgprs { first, count } => {
                self.exact &= usize::from(first) + usize::from(count) <= 256
                    && !matches!(slot.kind, Kind::Ssrc | Kind::Sdst);
                write_group(self.out, 'v', first, count);
            }
            Operand::Scalar { code, count } => {
                self.exact &= match slot.kind {
                    Kind::Vgpr => code == regs::LDS_DIRECT,
                    Kind::Sdst => code <= regs::EXEC_HI,
                    _ => true,
                };
                let named = regs::write_scalar(self.out, isa, code, count)
                    || (matches!(slot.kind, Kind::Src | Kind::Ssrc)
                        && regs::write_inline(self.out, isa, code, slot.ty));
                if !named {
                    // No assembler has a name for it; show the number that the field holds.
                    let _ = write!(self.out, "undefined({code})");
                    self.exact = false;
                }
            }
            Operand::Literal(value) => {
                let has_inline = matches!(slot.kind, Kind::Src | Kind::Ssrc)
                    && regs::inline_of_literal(isa, slot.ty, value).is_some();
                if has_inline {
                    self.out.push_str("lit(");
                }
                self.out.push_hex(value.into());
                if has_inline {
                    self.out.push(')');
                }
            }
            Operand::Off => {
                self.out.push_str("off");
                let off_is_zero = matches!(slot.kind, Kind::ScratchAddress | Kind::BufferAddress);
                self.exact &= !off_is_zero || self.inst.get(slot.field) == 0;
            }
            Operand::Imm(value) if slot.when == When::Optional => {
                self.out.push_decimal(u64::from(value as u32));
            }
            Operand::Imm(value) => {
                self.immediate(slot.kind, value);
            }
            Operand::ScalarOffset { imm, reg, literal } => self.scalar_offset(imm, reg, literal),
        }
        if absolute {
            self.out.push('|');
        }
        if extended || negates_constant {
            self.out.push(')');
        }
    }

    /// Whether the operand is an inline constant or a literal.
    fn is_constant(&self, slot: &Slot) -> bool {
        match self.inst.operand(slot) {
            Operand::Literal(_) => true,
            Operand::Scalar { code, .. } => regs::inline(self.inst.isa, code).is_some(),
            _ => false,
        }
    }

    /// Whether the text says the destination of a comparison of SDWA: VCC is written by leaving it out.
    fn says_destination(&self, slot: &Slot) -> bool {
        if slot.field != Field::Sdst || !self.inst.layout().has(Field::SdwaSdst) {
            return true;
        }
        let code = self.inst.get(Field::Sdst);
        if self.inst.flag(Field::SdwaSdst) {
            code != u64::from(regs::VCC_LO)
        } else {
            code == 0
        }
    }

    fn immediate(&mut self, kind: Kind, value: i64) {
        match kind {
            Kind::ExportTarget => {
                self.exact &= exp::write_target(self.out, value as u8, "invalid_target_");
                self.exact &= self.inst.exports_exactly();
            }
            Kind::Attribute => {
                let channels = CHANNELS.len() as i64;
                let attribute = value.div_euclid(channels);
                self.exact &= attribute <= i64::from(MAX_ATTRIBUTE);
                self.out.push_str("attr");
                self.out.push_signed(attribute);
                self.out.push('.');
                let channel = value.rem_euclid(channels) as usize;
                if let Some(&channel) = CHANNELS.get(channel) {
                    self.out.push(channel);
                }
            }
            Kind::VertexParameter => match VERTEX_PARAMETERS.get(value as usize) {
                Some(name) => self.out.push_str(name),
                None => {
                    self.exact = false;
                    self.out.push_str("invalid_param_");
                    self.out.push_signed(value);
                }
            },
            Kind::GprIndex => simm::write_gpr_index(self.out, value as u16),
            _ => write_immediate(self.out, self.inst.isa, kind, value),
        }
    }

    fn scalar_offset(&mut self, imm: Option<i32>, reg: Option<u8>, literal: bool) {
        // Without both parts the register's own field says nothing.
        self.exact &= imm.is_some() && reg.is_some() || self.inst.get(Field::Soffset) == 0;
        if literal {
            // An assembler would take the short form instead.
            self.exact &= imm.is_some_and(|imm| imm as u32 > LITERAL as u32);
        }
        if let Some(code) = reg {
            if !regs::write_scalar(self.out, self.inst.isa, code, 1) {
                self.exact = false;
                let _ = write!(self.out, "undefined({code})");
            }
            if imm.is_some() {
                self.out.push_str(" offset:");
            }
        }
        match imm {
            Some(imm) if literal => {
                self.out.push_hex(u64::from(imm as u32));
            }
            Some(imm) if imm < 0 => {
                self.out.push('-');
                self.out.push_hex(imm.unsigned_abs().into());
            }
            Some(imm) => {
                self.out.push_hex(imm as u64);
            }
            None if reg.is_some() => {}
            None => {
                // IMM = 0 with SOE = 1, or a register number out of range: no text gives these words (errata E025).
                self.exact = false;
                let code = self.inst.get(if self.inst.flag(Field::Soe) {
                    Field::Soffset
                } else {
                    Field::Offset
                });
                if !regs::write_scalar(self.out, self.inst.isa, code as u8, 1) {
                    let _ = write!(self.out, "undefined({code})");
                }
            }
        }
    }
}

/// How much of the modifiers a text tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Told {
    /// All of them.
    Exactly,
    /// All of them, but LLVM might refuse it.
    Doubtfully,
    /// Something is not in the text.
    NotAll,
}

/// Appends the modifiers that are not left out.
fn modifiers(plan: &Plan, isa: Isa, bits: u64, out: &mut Text) -> Told {
    let mut told = Told::Exactly;
    for shown in &plan.modifiers {
        if bits & shown.bits != shown.left_out {
            told = told.max(modifier(shown, isa, bits, out));
        }
    }
    told
}

/// Appends a modifier.
#[inline(always)]
fn modifier(shown: &ShownModifier, isa: Isa, bits: u64, out: &mut Text) -> Told {
    let placed = &shown.placed;
    let value = placed.bits.get(bits);
    out.push_piece(&shown.head);
    match placed.modifier.value {
        Value::Flag | Value::Part => {}
        Value::Unsigned => out.push_decimal(value),
        Value::Signed => out.push_signed(placed.bits.get_signed(bits)),
        Value::Swizzle => {
            if !swizzle::write(out, isa, value as u16) {
                return Told::NotAll;
            }
        }
        Value::Omod => out.push_ascii(match value {
            1 => b"mul:2",
            2 => b"mul:4",
            _ => b"div:2",
        }),
        Value::Named(names) => match names.get(value as usize) {
            Some(name) => out.push_str(name),
            None => {
                out.push_decimal(value);
                return Told::NotAll;
            }
        },
        Value::BufferFormat => buffer_format::write_format(out, isa, value as u8),
        Value::Hex | Value::Mask => out.push_hex(value),
        Value::LanePermutation => {
            dpp::write(out, value as u16);
            if dpp::Permutation::unpack(value as u16).is_none() {
                return Told::Doubtfully;
            }
        }
        Value::BitList => {
            out.push_ascii(b":[");
            for bit in placed.list.iter() {
                let digit = b'0' + (bits >> bit & 1) as u8;
                out.push_ascii(&[digit, b',']);
            }
            // After the last one there is a comma too much.
            out.shorten(1);
            out.push_ascii(b"]");
        }
    }
    Told::Exactly
}

/// Appends a number, which every text tells whole.
fn write_immediate(out: &mut Text, isa: Isa, kind: Kind, value: i64) {
    match kind {
        Kind::Waitcnt => simm::write_waitcnt(out, isa, value as u16),
        Kind::Hwreg => simm::write_hwreg(out, isa, value as u16),
        Kind::SendMsg => simm::write_sendmsg(out, isa, value as u16),
        Kind::Simm16 => out.push_hex(u64::from(value as u16)),
        Kind::Unsigned => regs::write_small(out, value as u32),
        // LLVM writes a distance as the number without sign.
        Kind::Branch => out.push_decimal(u64::from(value as u16)),
        _ => out.push_signed(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A multiplicative generator's numbers.
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
    fn what_is_written_quickly_is_what_looking_at_everything_gives() {
        let mut random = Random(1);
        let (mut quick, mut all) = (0, 0);
        for isa in Isa::ALL {
            let plans = isa.plans();
            let tables = isa.tables();
            let forms = crate::op::rows().flat_map(|row| tables.forms(row.op()));
            for form in forms {
                let plan = form.plan();
                // Most random bits are nothing usual; so others are made so, and a few of them are not.
                for round in 0..200 {
                    let mut bits = random.bits();
                    if round % 4 != 0 {
                        bits = bits & !plan.deciding | plan.usual;
                    }
                    if round % 3 == 0 {
                        bits = bits & !plan.modifier_bits | plan.unwritten;
                    }
                    if round % 7 == 0 {
                        bits ^= 1 << (random.bits() % u64::from(u64::BITS));
                    }
                    let bits = bits & !form.fixed | form.base & form.fixed;
                    let inst = Inst::from_bits(form, bits);
                    let mut text = Text::new();
                    all += 1;
                    let mut line = Text::new();
                    let is_line = plans.line(form, inst.bits(), &mut line);
                    if plans.quickly(plan, form, inst.bits(), &mut text, None) {
                        assert!(is_line, "{isa}: {text}");
                        assert_eq!(line.as_str(), format!("\t{text}\n"), "{isa}: {bits:#x}");
                        quick += 1;
                        let mut careful = Text::new();
                        let fidelity = Printer::new(&inst, &mut careful).all(plan, None);
                        assert_eq!(text.as_str(), careful.as_str(), "{isa}: {bits:#x}");
                        assert_eq!(fidelity, Fidelity::Exact, "{isa}: {text}");
                    } else {
                        assert!(!is_line && text.is_empty(), "{isa}: {text}{line}");
                    }
                }
            }
        }
        assert!(quick * 3 > all, "{quick} of {all}");
    }

    #[test]
    fn lines_end_before_what_is_special() {
        // `s_nop 0`, `ds_read_b32 v1, v2`, and a branch, or the same read cut off, or a literal.
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
            let words = isa.plans().lines(isa.decoder(), &code, &mut text);
            assert_eq!(text.as_str(), format!("{whole}{more}"));
            assert_eq!(words == code.len(), !more.is_empty());
        }
    }
}
