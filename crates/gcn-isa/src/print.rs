//! From an instruction to text. Walks the row and names no instruction.
//!
//! What does not depend on an instruction's bits is found once for its form, a [`Plan`]: its name with suffix, which
//! bits the text tells, which operands have ready texts ([`Names`]) unless something about them is unusual. Those are
//! written by [`Printer::operand`], which is the truth that the ready texts are made from.

mod clrx;

use std::fmt::Write;
use std::sync::LazyLock;

use crate::field::{Field, Layout};
use crate::form::{Form, LITERAL, PlacedModifier};
use crate::inst::{Inst, Operand, SADDR_OFF};
use crate::operand::{Kind, Slot, Value, When};
use crate::plan::{Bus, How, Names, Plan, SEPARATOR, Shown, is_always_written, suffix};
use crate::regs::{self, write_group};
use crate::target::Isa;
use crate::text::Text;
use crate::vintrp::{CHANNELS, MAX_ATTRIBUTE, VERTEX_PARAMETERS};
use crate::{dpp, exp, llvm, mtbuf, rules, simm, swizzle};

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

/// What is known of the texts of one instruction set. Built once, on first use.
pub struct Plans {
    names: Names,
}

impl Isa {
    /// What prints the instructions of this instruction set.
    #[inline]
    pub fn plans(self) -> &'static Plans {
        static PLANS: [LazyLock<Plans>; Isa::ALL.len()] = [
            LazyLock::new(|| Plans::new(Isa::Si)),
            LazyLock::new(|| Plans::new(Isa::Ci)),
            LazyLock::new(|| Plans::new(Isa::Vi)),
            LazyLock::new(|| Plans::new(Isa::Stoney)),
            LazyLock::new(|| Plans::new(Isa::Gfx9)),
            LazyLock::new(|| Plans::new(Isa::Vega12)),
            LazyLock::new(|| Plans::new(Isa::Vega20)),
        ];
        &PLANS[self as usize]
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
        let plan = form.plan.get_or_init(|| Box::new(Plan::new(form)));
        let mut printer = Printer {
            inst,
            form,
            layout: form.layout,
            out,
            syntax,
            exact: true,
            bus: plan.bus,
            doubtful: false,
        };
        printer.all(plan, &self.names, target);
        let exact =
            printer.exact && (printer.bus != Bus::Doubtful || rules::constant_bus(inst).is_none());
        let bits = inst.bits();
        let breaks_rule = plan.has_rules && rules::whole(inst).is_some();
        if !exact || breaks_rule || bits & plan.untold != 0 || bits & plan.required != plan.required
        {
            return Fidelity::Lossy;
        }
        let is_doubtful = printer.doubtful || bits & plan.doubtful_bits != 0;
        if is_doubtful && syntax == Syntax::Llvm && inst.is_refused_by_llvm() {
            Fidelity::RefusedByLlvm
        } else {
            Fidelity::Exact
        }
    }
}

struct Printer<'a> {
    inst: &'a Inst,
    form: &'static Form,
    layout: &'static Layout,
    out: &'a mut Text,
    syntax: Syntax,
    exact: bool,
    bus: Bus,
    /// Whether LLVM might refuse an operand or modifier.
    doubtful: bool,
}

impl Printer<'_> {
    /// Name, operands, modifiers.
    #[inline]
    fn all(&mut self, plan: &Plan, names: &Names, target: Option<&str>) {
        let bits = self.inst.bits();
        let head = &plan.heads[self.syntax as usize];
        if head.is_empty() {
            self.out.push_str(self.inst.name());
            self.out.push_str(suffix(self.form, self.syntax));
            self.out.push(' ');
        } else {
            self.out.push_piece(head);
        }
        // After the last one there is a blank, or a comma and a blank, too much.
        let mut too_much = 1;
        for shown in &plan.operands {
            if shown.shown_by != 0 && bits & shown.shown_by == 0 {
                continue;
            }
            if bits & shown.unusual == 0 && self.ready(shown, names) {
                too_much = SEPARATOR.len();
                continue;
            }
            let slot = shown.place.slot;
            if !self.inst.shows(slot) {
                continue;
            }
            match target {
                Some(name) if self.is_nameable(slot) => self.out.push_str(name),
                _ => self.operand(shown),
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
        if plan.writes_always || bits & plan.modifier_bits != plan.unwritten {
            for modifier in &self.form.modifiers {
                self.modifier(modifier);
            }
        }
    }

    /// Appends the ready text of an operand, if it has one.
    #[inline]
    fn ready(&mut self, shown: &Shown, names: &Names) -> bool {
        let bits = self.inst.bits();
        let number = shown.number(bits);
        let first = usize::from(shown.first);
        let vgprs = |count| Some(usize::from(Names::vgpr(count)?) + number);
        match shown.how {
            How::Ready => {
                if shown.doubtful.contains(&(number as u16))
                    || !names.write(self.out, first + number)
                {
                    return false;
                }
                if shown.is_read
                    && let Ok(code) = u8::try_from(number)
                    && !regs::is_constant(code)
                {
                    self.bus.read(code, shown.place.slot.ty.dwords());
                }
                true
            }
            How::ReadyOrOff if number as u64 == SADDR_OFF => {
                self.out.push_ascii(b"off, ");
                true
            }
            How::ReadyOrOff => names.write(self.out, first + number),
            How::Global => {
                let count = if self.inst.saddr_is_off() { 2 } else { 1 };
                vgprs(count).is_some_and(|index| names.write(self.out, index))
            }
            How::Buffer => match self.inst.buffer_address_count() {
                0 if number == 0 => {
                    self.out.push_ascii(b"off, ");
                    true
                }
                count => vgprs(count).is_some_and(|index| names.write(self.out, index)),
            },
            How::Written => false,
        }
    }

    /// Whether a name can stand for the operand: the target of a branch, or a literal.
    fn is_nameable(&self, slot: &Slot) -> bool {
        slot.kind == Kind::Branch || matches!(self.inst.operand(slot), Operand::Literal(_))
    }

    fn operand(&mut self, shown: &Shown) {
        let isa = self.inst.isa;
        let place = &shown.place;
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
        self.doubtful |= llvm::is_doubtful(self.inst, slot, operand);
        match operand {
            Operand::Scalar { code, count }
                if shown.is_read
                    && code != regs::LDS_DIRECT
                    && regs::inline(isa, code).is_none() =>
            {
                self.bus.read(code, count);
            }
            Operand::Literal(_) => self.bus.read(Bus::LITERAL, 1),
            _ => {}
        }
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
        if slot.field != Field::Sdst || !self.layout.has(Field::SdwaSdst) {
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
        let isa = self.inst.isa;
        match kind {
            Kind::Waitcnt => simm::write_waitcnt(self.out, isa, value as u16),
            Kind::Hwreg => simm::write_hwreg(self.out, isa, value as u16),
            Kind::SendMsg => simm::write_sendmsg(self.out, isa, value as u16),
            Kind::GprIndex => simm::write_gpr_index(self.out, value as u16),
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
            Kind::Simm16 => {
                self.out.push_hex(u64::from(value as u16));
            }
            Kind::Unsigned => regs::write_small(self.out, value as u32),
            // LLVM writes a distance as the number without sign.
            Kind::Branch => self.out.push_decimal(u64::from(value as u16)),
            _ => {
                self.out.push_signed(value);
            }
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

    fn modifier(&mut self, placed: &PlacedModifier) {
        let modifier = placed.modifier;
        if modifier.value == Value::BitList {
            return self.bit_list(placed);
        }
        // The whole is printed instead.
        if modifier.value == Value::Part {
            return;
        }
        let value = placed.bits.get(self.inst.bits());
        let left_out = match modifier.value {
            Value::BufferFormat => modifier.default,
            _ => 0,
        };
        if value == u64::from(left_out) && !is_always_written(modifier) {
            return;
        }
        self.out.push(' ');
        let name = match self.syntax {
            Syntax::Llvm => modifier.names[0],
            Syntax::Clrx => modifier.names[modifier.names.len() - 1],
        };
        match modifier.value {
            Value::Flag => self.out.push_str(name),
            Value::Unsigned => {
                self.out.push_str(name);
                self.out.push(':');
                self.out.push_decimal(u64::from(value as u32));
            }
            Value::Signed => {
                self.out.push_str(name);
                self.out.push(':');
                self.out.push_signed(self.inst.get_signed(modifier.field));
            }
            Value::Swizzle if self.syntax == Syntax::Llvm => {
                self.exact &= swizzle::write(self.out, self.inst.isa, value as u16);
            }
            Value::Swizzle => {
                self.out.push_str(name);
                self.out.push(':');
                self.out.push_hex(value);
            }
            Value::Omod => self.out.push_str(match value {
                1 => "mul:2",
                2 => "mul:4",
                _ => "div:2",
            }),
            Value::Named(names) => {
                self.out.push_str(name);
                self.out.push(':');
                match names.get(value as usize) {
                    Some(name) => self.out.push_str(name),
                    None => {
                        self.exact = false;
                        self.out.push_decimal(u64::from(value as u32));
                    }
                }
            }
            Value::BufferFormat => {
                self.out.push_str(name);
                self.out.push(':');
                mtbuf::write_format(self.out, self.inst.isa, value as u8);
            }
            Value::Hex | Value::Mask => {
                self.out.push_str(name);
                self.out.push(':');
                self.out.push_hex(value);
            }
            Value::LanePermutation => {
                self.doubtful |= dpp::Permutation::unpack(value as u16).is_none();
                dpp::write(self.out, value as u16);
            }
            Value::BitList | Value::Part => {}
        }
    }

    fn bit_list(&mut self, placed: &PlacedModifier) {
        let (modifier, list) = (placed.modifier, placed.list);
        let mask = list.mask();
        let unwritten = if modifier.default != 0 { mask } else { 0 };
        if self.inst.bits() & mask == unwritten {
            return;
        }
        self.out.push(' ');
        self.out.push_str(modifier.names[0]);
        let mut separator = ":[";
        for bit in list.iter() {
            self.out.push_str(separator);
            self.out.push(if self.inst.bits() >> bit & 1 == 0 {
                '0'
            } else {
                '1'
            });
            separator = ",";
        }
        self.out.push(']');
    }
}
