//! From an instruction to text. Walks the row and names no instruction.

use std::fmt::Write;

use crate::field::{Encoding, Field, Layout};
use crate::form::LITERAL;
use crate::inst::{Inst, Operand};
use crate::operand::{Kind, Modifier, Slot, Value, When};
use crate::regs::{self, write_group, write_hex, write_i64, write_u32};
use crate::row::Forms;
use crate::target::Isa;
use crate::vintrp::{CHANNELS, MAX_ATTRIBUTE, VERTEX_PARAMETERS};
use crate::{dpp, exp, mtbuf, simm, swizzle};

/// The bit at which the literal of an instruction of one word begins.
const LITERAL_BITS: u32 = 32;

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
    /// Some bits are not in the text (reserved or unused fields that are not zero, a register that has no name), or
    /// the instruction breaks a [rule](crate::rules) that assemblers hold it to.
    Lossy,
}

impl Inst {
    /// Appends the instruction's text. `target` names the target of a branch, or what a linker puts into the
    /// literal; without it a branch shows its distance in dwords.
    pub fn print(&self, out: &mut String, syntax: Syntax, target: Option<&str>) -> Fidelity {
        let row = self.row();
        let layout = self.layout();
        let mut printer = Printer {
            inst: self,
            layout,
            out,
            syntax,
            shown: 0,
            exact: true,
        };
        printer.out.push_str(self.name());
        printer.suffix();

        let mut separator = " ";
        for slot in row.slots() {
            if !self.shows(slot) {
                continue;
            }
            printer.out.push_str(separator);
            // LLVM separates the target from the values by a blank.
            separator = if slot.kind == Kind::ExportTarget {
                " "
            } else {
                ", "
            };
            match target {
                Some(name) if printer.is_nameable(slot) => printer.out.push_str(name),
                _ => printer.operand(slot),
            }
        }
        for modifier in self.modifiers() {
            printer.modifier(modifier);
        }

        let (shown, exact) = (printer.shown, printer.exact);
        let said = shown | layout.bits(Field::Op).mask() | u64::from(layout.constant_mask);
        if exact && self.bits() & !said == 0 && self.broken_rule().is_none() {
            Fidelity::Exact
        } else {
            Fidelity::Lossy
        }
    }

    /// The instruction's text in LLVM's syntax.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let _ = self.print(&mut out, Syntax::Llvm, None);
        out
    }
}

struct Printer<'a> {
    inst: &'a Inst,
    layout: &'static Layout,
    out: &'a mut String,
    syntax: Syntax,
    /// The bits that the text conveys.
    shown: u64,
    exact: bool,
}

impl Printer<'_> {
    /// LLVM tells the encodings of an instruction that has several by a suffix.
    fn suffix(&mut self) {
        let has_long_form = self.inst.row().forms.has(Forms::E64);
        self.out.push_str(match self.inst.encoding {
            // Without operands there is nothing to tell apart.
            Encoding::Vop1 if self.inst.row().written.is_empty() => "",
            Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc
                if has_long_form && self.syntax == Syntax::Llvm =>
            {
                "_e32"
            }
            Encoding::Vintrp
                if has_long_form && self.inst.isa >= Isa::Vi && self.syntax == Syntax::Llvm =>
            {
                "_e32"
            }
            Encoding::Vop3 | Encoding::Vop3b | Encoding::Vop3c | Encoding::Vop3Interp
                if has_long_form =>
            {
                "_e64"
            }
            Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa => "_sdwa",
            Encoding::Vop1Dpp | Encoding::Vop2Dpp => "_dpp",
            _ => "",
        });
    }

    fn say(&mut self, field: Field) {
        self.shown |= self.layout.bits(field).mask();
    }

    /// Whether a name can stand for the operand: the target of a branch, or a literal.
    fn is_nameable(&mut self, slot: &Slot) -> bool {
        let is_literal = matches!(self.inst.operand(slot), Operand::Literal(_));
        if is_literal {
            self.shown |= u64::from(u32::MAX) << LITERAL_BITS;
        }
        if is_literal || slot.kind == Kind::Branch {
            self.say(slot.field);
            return true;
        }
        false
    }

    fn operand(&mut self, slot: &Slot) {
        let isa = self.inst.isa;
        self.say(slot.field);
        let (negated, absolute) = self.source_modifiers(slot);
        let extended = self.is_extended(slot);
        self.say_where(slot);
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
        match self.inst.operand(slot) {
            Operand::Vgprs { first, count } => {
                self.exact &= usize::from(first) + usize::from(count) <= 256
                    && !matches!(slot.kind, Kind::Ssrc | Kind::Sdst);
                write_group(self.out, 'v', first, count);
            }
            Operand::Scalar { code, count } => {
                self.exact &= match slot.kind {
                    Kind::Vgpr => code == regs::LDS_DIRECT,
                    Kind::Sdst => code <= regs::EXEC_HI,
                    // SDWA takes registers only.
                    Kind::Src if self.layout.has(Field::Src0Sel) => code <= regs::EXEC_HI,
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
                self.shown |= u64::from(u32::MAX) << LITERAL_BITS;
                let has_inline = matches!(slot.kind, Kind::Src | Kind::Ssrc)
                    && regs::inline_of_bits(isa, slot.ty, value.into()).is_some();
                if has_inline {
                    self.out.push_str("lit(");
                }
                write_hex(self.out, value.into());
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
                write_u32(self.out, value as u32);
            }
            Operand::Imm(value) => {
                if slot.kind == Kind::Attribute {
                    self.say(Field::AttrChan);
                }
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

    /// The bits that say that an operand of SDWA is not what it is elsewhere.
    fn say_where(&mut self, slot: &Slot) {
        match slot.field {
            Field::Src0 => self.say(Field::Src0Scalar),
            Field::Src1 => self.say(Field::Src1Scalar),
            Field::Sdst if self.layout.has(Field::SdwaSdst) => {
                self.say(Field::SdwaSdst);
                // VCC is written by leaving the destination out.
                let code = self.inst.get(Field::Sdst);
                self.exact &= if self.inst.flag(Field::SdwaSdst) {
                    code != u64::from(regs::VCC_LO)
                } else {
                    code == 0
                };
            }
            _ => {}
        }
    }

    /// Negation and absolute value of a source.
    fn source_modifiers(&mut self, slot: &Slot) -> (bool, bool) {
        // Packed instructions list negations instead.
        let has_lists = self.inst.encoding == Encoding::Vop3p
            && self.inst.modifiers().any(|m| m.field == Field::Neg);
        if !slot.ty.is_float() || has_lists {
            return (false, false);
        }
        let layout = self.layout;
        let neg_of_own = |own: (Field, Field), index: u8| {
            if layout.has(Field::Src0Neg) {
                return (layout.bits(own.0).mask(), layout.bits(own.1).mask());
            }
            let bit = |field: Field| {
                let bits = layout.bits(field);
                if bits.width == 0 {
                    0
                } else {
                    1u64 << (bits.low + index)
                }
            };
            let abs = if self.inst.encoding == Encoding::Vop3p {
                Field::NegHi
            } else {
                Field::Abs
            };
            (bit(Field::Neg), bit(abs))
        };
        let (neg, abs) = match slot.field {
            Field::Src0 => neg_of_own((Field::Src0Neg, Field::Src0Abs), 0),
            Field::Src1 => neg_of_own((Field::Src1Neg, Field::Src1Abs), 1),
            Field::Src2 => neg_of_own((Field::Src2, Field::Src2), 2),
            _ => (0, 0),
        };
        self.shown |= neg | abs;
        (self.inst.bits() & neg != 0, self.inst.bits() & abs != 0)
    }

    /// Whether SDWA extends the sign of an integer.
    fn is_extended(&mut self, slot: &Slot) -> bool {
        let field = match slot.field {
            Field::Src0 => Field::Src0Sext,
            Field::Src1 => Field::Src1Sext,
            _ => return false,
        };
        if slot.ty.is_float() {
            return false;
        }
        self.say(field);
        self.inst.flag(field)
    }

    fn immediate(&mut self, kind: Kind, value: i64) {
        let isa = self.inst.isa;
        match kind {
            Kind::Waitcnt => simm::write_waitcnt(self.out, isa, value as u16),
            Kind::Hwreg => simm::write_hwreg(self.out, isa, value as u16),
            Kind::SendMsg => simm::write_sendmsg(self.out, isa, value as u16),
            Kind::GprIndex => simm::write_gpr_index(self.out, value as u16),
            Kind::ExportTarget => {
                self.say(Field::En);
                self.exact &= exp::write_target(self.out, value as u8);
                self.exact &= self.inst.exports_exactly();
            }
            Kind::Attribute => {
                let channels = CHANNELS.len() as i64;
                let attribute = value.div_euclid(channels);
                self.exact &= attribute <= i64::from(MAX_ATTRIBUTE);
                self.out.push_str("attr");
                write_i64(self.out, attribute);
                self.out.push('.');
                let channel = value.rem_euclid(channels) as usize;
                self.out.extend(CHANNELS.get(channel));
            }
            Kind::VertexParameter => match VERTEX_PARAMETERS.get(value as usize) {
                Some(name) => self.out.push_str(name),
                None => {
                    self.exact = false;
                    self.out.push_str("invalid_param_");
                    write_i64(self.out, value);
                }
            },
            Kind::Simm16 => {
                write_hex(self.out, u64::from(value as u16));
            }
            Kind::Unsigned => regs::write_small(self.out, value as u32),
            // LLVM writes a distance as the number without sign.
            Kind::Branch => write_u32(self.out, u32::from(value as u16)),
            _ => {
                write_i64(self.out, value);
            }
        }
    }

    fn scalar_offset(&mut self, imm: Option<i32>, reg: Option<u8>, literal: bool) {
        self.say(Field::Imm);
        self.say(Field::Soe);
        if literal {
            self.shown |= u64::from(u32::MAX) << LITERAL_BITS;
            // An assembler would take the short form instead.
            self.exact &= imm.is_some_and(|imm| imm as u32 > LITERAL as u32);
        }
        if let Some(code) = reg {
            self.exact &= regs::write_scalar(self.out, self.inst.isa, code, 1);
            if imm.is_some() {
                self.say(Field::Soffset);
                self.out.push_str(" offset:");
            }
        }
        match imm {
            Some(imm) if literal => {
                write_hex(self.out, u64::from(imm as u32));
            }
            Some(imm) if imm < 0 => {
                self.out.push('-');
                write_hex(self.out, imm.unsigned_abs().into());
            }
            Some(imm) => {
                write_hex(self.out, imm as u64);
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

    fn modifier(&mut self, modifier: &Modifier) {
        if modifier.value == Value::BitList {
            return self.bit_list(modifier);
        }
        self.say(modifier.field);
        // The whole is printed instead.
        if modifier.value == Value::Part {
            return;
        }
        let value = self.inst.get(modifier.field);
        let is_always_written = matches!(
            modifier.value,
            Value::Named(_) | Value::Hex | Value::LanePermutation
        );
        if value == u64::from(modifier.default) && modifier.value == Value::BufferFormat {
            return;
        }
        let is_always_written = is_always_written || modifier.value == Value::BufferFormat;
        if value == 0 && !is_always_written {
            self.exact &= !modifier.required;
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
                write_u32(self.out, value as u32);
            }
            Value::Signed => {
                self.out.push_str(name);
                self.out.push(':');
                write_i64(self.out, self.inst.get_signed(modifier.field));
            }
            Value::Swizzle if self.syntax == Syntax::Llvm => {
                self.exact &= swizzle::write(self.out, self.inst.isa, value as u16);
            }
            Value::Swizzle => {
                self.out.push_str(name);
                self.out.push(':');
                write_hex(self.out, value);
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
                        write_u32(self.out, value as u32);
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
                write_hex(self.out, value);
            }
            Value::LanePermutation => dpp::write(self.out, value as u16),
            Value::BitList | Value::Part => {}
        }
    }

    fn bit_list(&mut self, modifier: &Modifier) {
        let list = self.inst.list_bits(modifier);
        let mask = list.iter().fold(0, |mask, bit| mask | 1u64 << bit);
        self.shown |= mask;
        if modifier.field == Field::OpSelHi && modifier.default != 0 {
            self.say(Field::OpSelHi2);
            self.exact &= self.inst.flag(Field::OpSelHi2)
                || mask & self.layout.bits(Field::OpSelHi2).mask() != 0;
        }
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
