//! Prints any instruction in LLVM's syntax, and determines if the text represents its words.

use std::fmt::Write;

use super::fidelity::TextFidelity;
use super::immediate::write_immediate;
use super::modifiers::{ModifierFidelity, modifiers};
use crate::chapters::exp;
use crate::chapters::vintrp::{CHANNELS, MAX_ATTRIBUTE, VERTEX_PARAMETERS};
use crate::field::Field;
use crate::form::LITERAL;
use crate::form::placed::PlacedOperand;
use crate::form::ready::SEPARATOR;
use crate::form::template::Template;
use crate::inst::{Inst, Operand};
use crate::operand::{Kind, Presence, Slot};
use crate::regs::{self, write_group};
use crate::text::Text;
use crate::{rules, simm};

/// Printer that examines every bit on which the text depends.
pub(super) struct FullPrinter<'a> {
    inst: &'a Inst,
    out: &'a mut Text,
    exact: bool,
}

impl<'a> FullPrinter<'a> {
    pub(super) fn new(inst: &'a Inst, out: &'a mut Text) -> FullPrinter<'a> {
        FullPrinter {
            inst,
            out,
            exact: true,
        }
    }

    /// Appends name, operands and modifiers.
    pub(super) fn print(&mut self, template: &Template, target: Option<&str>) -> TextFidelity {
        let inst = self.inst;
        self.out.push_piece(&template.head);
        // Bytes to remove after the last operand: a space, or a comma and a space.
        let mut excess = 1;
        for placed in &inst.form().operands {
            let slot = &placed.slot;
            if !inst.shows(slot) {
                continue;
            }
            match target {
                Some(name) if self.is_nameable(slot) => self.out.push_str(name),
                _ => self.operand(placed),
            }
            // LLVM separates the export target from the values with a space.
            if slot.kind == Kind::ExportTarget {
                self.out.push_ascii(b" ");
            } else {
                self.out.push_ascii(SEPARATOR);
                excess = SEPARATOR.len();
            }
        }
        self.out.shorten(excess);
        let conveyed = modifiers(template, inst.isa, inst.bits(), self.out);
        self.exact &= conveyed != ModifierFidelity::Lossy;
        let says_all = self.exact && inst.bits() & template.untold_or_required == template.required;
        let breaks_rule = rules::constant_bus(inst).is_some() || rules::whole(inst).is_some();
        if !says_all || breaks_rule {
            TextFidelity::Lossy
        } else if inst.is_refused(target.is_some()) {
            TextFidelity::RefusedByLlvm
        } else {
            TextFidelity::Exact
        }
    }

    /// True for an operand that a symbol can replace: a branch target or a literal.
    fn is_nameable(&self, slot: &Slot) -> bool {
        slot.kind == Kind::Branch || matches!(self.inst.operand(slot), Operand::Literal(_))
    }

    fn operand(&mut self, placed: &PlacedOperand) {
        let isa = self.inst.isa;
        let slot = &placed.slot;
        let has = |bits: u64| self.inst.bits() & bits != 0;
        let (negated, absolute) = (has(placed.negate), has(placed.absolute));
        let extended = has(placed.extend);
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
                self.exact &= (slot.kind != Kind::Vgpr || code == regs::LDS_DIRECT)
                    && (slot.kind != Kind::Sdst || code <= regs::EXEC_HI);
                let named = regs::write_scalar(self.out, isa, code, count)
                    || (matches!(slot.kind, Kind::Src | Kind::Ssrc)
                        && regs::write_inline(self.out, isa, code, slot.ty));
                if !named {
                    // No assembler has a name for this register; show its number.
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
            Operand::Imm(value) if slot.when == Presence::Optional => {
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

    /// True for an inline constant or a literal.
    fn is_constant(&self, slot: &Slot) -> bool {
        match self.inst.operand(slot) {
            Operand::Literal(_) => true,
            Operand::Scalar { code, .. } => regs::inline(self.inst.isa, code).is_some(),
            Operand::Vgprs { .. }
            | Operand::Off
            | Operand::Imm(_)
            | Operand::ScalarOffset { .. } => false,
        }
    }

    /// True if the text represents the destination field of an SDWA comparison exactly. Assemblers encode VCC as a zero
    /// field whose enable bit is clear.
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
            Kind::Vgpr
            | Kind::GlobalAddress
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::ImageData { .. }
            | Kind::ImageAddress { .. }
            | Kind::ExportSource(_)
            | Kind::Saddr
            | Kind::Src
            | Kind::Ssrc
            | Kind::Sdst
            | Kind::Aligned(_)
            | Kind::ScalarOffset { .. }
            | Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Branch
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::Literal => write_immediate(self.out, self.inst.isa, kind, value),
        }
    }

    fn scalar_offset(&mut self, imm: Option<i32>, reg: Option<u8>, literal: bool) {
        // The text represents SOFFSET only if both parts are present.
        self.exact &= imm.is_some() && reg.is_some() || self.inst.get(Field::Soffset) == 0;
        if literal {
            // For values that fit the 8-bit field, an assembler would not use a literal.
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
                // IMM = 0 with SOE = 1, or a register number out of range: no text encodes this (errata E025).
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
