//! Table-driven printer for the syntax of CLRX's documents and disassembler. This module names no instruction.
//! `docs/dialects.md` lists the differences from LLVM's text.
//!
//! CLRX selects encodings by operands and modifiers, not by suffixes. If these would select a shorter encoding, the
//! printer appends `vop3` or `sdwa`. Register groups are printed without regard to alignment.

mod printer;

mod modifiers;

use std::fmt::Write;

use super::fidelity::TextFidelity;
use crate::chapters::exp;
use crate::chapters::vintrp::{CHANNELS, VERTEX_PARAMETERS};
use crate::clrx;
use crate::field::{Encoding, Field};
use crate::inst::{Inst, Operand};
use crate::operand::{Kind, ModifierValue, Presence, Slot, Ty};
use crate::regs;
use crate::text::Text;

use printer::ClrxPrinter;

/// Column of the operands, relative to the mnemonic's first character.
const OPERAND_COLUMN: usize = 16;
/// Number of VGPRs; in CLRX's text, a group that crosses the end continues at 0.
const VGPRS: usize = 256;
/// Integers that are inline constants unless written as `lit(…)`.
const INLINE: std::ops::RangeInclusive<i32> = -16..=64;
/// Maximum SMRD offset that fits the field; a literal up to this value is written as `lit(…)`.
const SMRD_OFFSET: i32 = 0xff;
/// Flags of DS and export instructions, in CLRX's order.
const FLAGS: [(Field, &str); 4] = [
    (Field::Done, "done"),
    (Field::Compr, "compr"),
    (Field::Vm, "vm"),
    (Field::Gds, "gds"),
];

/// Appends the instruction's text; see [`Inst::print`].
pub(super) fn print(inst: &Inst, out: &mut Text, target: Option<&str>) -> TextFidelity {
    let mut printer = ClrxPrinter {
        inst,
        layout: inst.layout(),
        out,
        shown: 0,
        exact: true,
    };
    printer.all(target);
    let conveyed = printer.shown
        | printer.layout.bits(Field::Op).mask()
        | u64::from(printer.layout.constant_mask);
    let is_taken =
        clrx::takes(inst) && !inst.breaks_any(clrx::enforces) && clrx::constant_bus(inst).is_none();
    if printer.exact && inst.bits() & !conveyed == 0 && is_taken {
        TextFidelity::Exact
    } else {
        TextFidelity::Lossy
    }
}

impl ClrxPrinter<'_> {
    fn all(&mut self, target: Option<&str>) {
        let start = self.out.len();
        self.out
            .push_str(clrx::name(self.inst.row(), self.inst.isa));
        let name = self.out.len() - start;
        let mut separator = "";
        for slot in self.inst.row().slots() {
            if slot.when == Presence::Optional && !self.inst.shows(slot) {
                continue;
            }
            if separator.is_empty() {
                let blanks = OPERAND_COLUMN.saturating_sub(name).max(1);
                self.out.push_blanks(blanks);
            }
            self.out.push_str(separator);
            separator = ", ";
            match (slot.kind, target) {
                (Kind::Branch, Some(label)) => {
                    self.convey(slot.field);
                    self.out.push_str(label);
                }
                _ => self.operand(slot),
            }
        }
        let has_operands = !separator.is_empty();
        match self.inst.encoding {
            // Without operands, CLRX accepts no modifiers except those that select the encoding.
            encoding if !has_operands && !encoding.is_vector_alu() => {}
            Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa => self.sdwa(),
            Encoding::Vop1Dpp | Encoding::Vop2Dpp => self.dpp(),
            Encoding::Vop3p => self.packed(),
            Encoding::Vop3 | Encoding::Vop3b | Encoding::Vop3c | Encoding::Vop3Interp => {
                self.long_form();
            }
            Encoding::Smem => self.scalar_memory(),
            Encoding::Mubuf | Encoding::Mtbuf => self.buffer(),
            Encoding::Mimg => self.image(),
            Encoding::Flat | Encoding::Global | Encoding::Scratch => self.flat(),
            Encoding::Ds => {
                let inst = self.inst;
                for modifier in inst.modifiers().filter(|m| m.value != ModifierValue::Flag) {
                    self.decimal(modifier.field, modifier.names[0]);
                }
                self.flags(&FLAGS);
            }
            Encoding::Exp => {
                self.flags(&FLAGS);
                self.exact &= self.exports_exactly();
            }
            Encoding::Sop2
            | Encoding::Sopk
            | Encoding::Sop1
            | Encoding::Sopc
            | Encoding::Sopp
            | Encoding::Smrd
            | Encoding::Vop1
            | Encoding::Vop2
            | Encoding::Vopc
            | Encoding::Vintrp => self.flags(&FLAGS),
        }
    }

    /// True if the fields of values that are not exported are zero and, with COMPR, the first value of a pair is
    /// exported if the second is.
    fn exports_exactly(&self) -> bool {
        let is_compressed = self.inst.flag(Field::Compr);
        let enabled = self.inst.get(Field::En);
        let pair = |index: usize| enabled >> (2 * index) & 3;
        exp::SOURCES.into_iter().enumerate().all(|(index, field)| {
            let is_used = if is_compressed {
                index < 2 && pair(index) != 0
            } else {
                enabled >> index & 1 != 0
            };
            is_used || self.inst.get(field) == 0
        }) && !(is_compressed && (0..2).any(|index| pair(index) == 2))
    }

    fn operand(&mut self, slot: &Slot) {
        self.convey(slot.field);
        let (extended, negated, absolute) = self.source_modifiers(slot);
        self.convey_selectors(slot);
        // CLRX parses a sign as part of the constant, and has no absolute value for constants or `lds`.
        let is_value = self.is_constant(slot) || self.is_lds(slot);
        self.exact &= !(negated || absolute || extended) || !is_value;
        if extended {
            self.out.push_str("sext(");
        }
        if negated {
            self.out.push('-');
        }
        if absolute {
            self.out.push_str("abs(");
        }
        self.bare_operand(slot);
        let closing = usize::from(extended) + usize::from(absolute);
        (0..closing).for_each(|_| self.out.push(')'));
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

    /// True for an LDS value.
    fn is_lds(&self, slot: &Slot) -> bool {
        let code = regs::LDS_DIRECT;
        matches!(self.inst.operand(slot), Operand::Scalar { code: read, .. } if read == code)
    }

    /// Appends an operand without source modifiers.
    fn bare_operand(&mut self, slot: &Slot) {
        match self.inst.operand(slot) {
            Operand::Vgprs { first, count } => {
                self.exact &= !matches!(slot.kind, Kind::Sdst | Kind::Ssrc);
                let count = if let Kind::ImageAddress { most, .. } = slot.kind {
                    clrx::image_address(most)
                } else if slot.kind == Kind::Vgpr
                    && slot.field == Field::Vdst
                    && self.layout.has(Field::Tfe)
                {
                    // With TFE, which FLAT has before GCN 1.4, a status dword follows the data.
                    count + self.inst.get(Field::Tfe) as u8
                } else {
                    clrx::width(self.inst.row(), slot).unwrap_or(count)
                };
                self.vgprs(first, count);
            }
            Operand::Scalar { code, count } => {
                // With R128, the image descriptor is half as long.
                let count = if slot.field == Field::Srsrc && self.inst.flag(Field::R128) {
                    clrx::SHORT_DESCRIPTOR
                } else {
                    clrx::width(self.inst.row(), slot).unwrap_or(count)
                };
                self.scalar(slot, code, count);
            }
            Operand::Literal(value) => self.literal(slot, value),
            // CLRX always names a register, although hardware does not read it without OFFEN and IDXEN.
            Operand::Off if slot.kind == Kind::BufferAddress => {
                self.vgprs(self.inst.get(slot.field) as u8, 1);
            }
            Operand::Off => {
                self.out.push_str("off");
                self.exact &= slot.kind != Kind::ScratchAddress || self.inst.get(slot.field) == 0;
            }
            Operand::Imm(value) => self.immediate(slot, value),
            Operand::ScalarOffset { imm, reg, literal } => self.scalar_offset(imm, reg, literal),
        }
    }

    fn vgprs(&mut self, first: u8, count: u8) {
        self.exact &= usize::from(first) + usize::from(count) <= VGPRS;
        self.out.push('v');
        self.numbers(first, count);
    }

    /// Writes `3` or `[3:4]`.
    fn numbers(&mut self, first: u8, count: u8) {
        if count == 1 {
            return self.out.push_decimal(first.into());
        }
        let last = (usize::from(first) + usize::from(count).saturating_sub(1)) % VGPRS;
        let _ = write!(self.out, "[{first}:{last}]");
    }

    fn scalar(&mut self, slot: &Slot, code: u8, count: u8) {
        let isa = self.inst.isa;
        // In operands other than SRC0, CLRX reads `lds` as a symbol.
        self.exact &= code != regs::LDS_DIRECT || slot.field == Field::Src0;
        self.exact &= match slot.kind {
            // CLRX accepts only VGPRs in interpolation.
            Kind::Vgpr if self.inst.encoding == Encoding::Vop3Interp => false,
            Kind::Vgpr => code <= regs::EXEC_HI || code == regs::LDS_DIRECT,
            Kind::Sdst | Kind::Aligned(_) | Kind::Saddr => code <= regs::EXEC_HI,
            Kind::Src if self.layout.has(Field::Src0Sel) => code <= regs::EXEC_HI,
            // In scalar sources, CLRX reads `lds` as a modifier or a symbol.
            Kind::Ssrc => code != regs::LDS_DIRECT,
            Kind::Src
            | Kind::GlobalAddress
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::ImageData { .. }
            | Kind::ImageAddress { .. }
            | Kind::ExportTarget
            | Kind::ExportSource(_)
            | Kind::Attribute
            | Kind::VertexParameter
            | Kind::ScalarOffset { .. }
            | Kind::Unsigned
            | Kind::Signed
            | Kind::Simm16
            | Kind::Branch
            | Kind::Waitcnt
            | Kind::Hwreg
            | Kind::SendMsg
            | Kind::GprIndex
            | Kind::Literal => true,
        };
        if code < isa.sgprs() {
            self.exact &=
                code + count <= isa.sgprs() && clrx::takes_group(self.inst.encoding, code, count);
            self.out.push('s');
            return self.numbers(code, count);
        }
        let (first, temporaries) = regs::trap_temporaries(isa);
        if let Some(number) = code.checked_sub(first).filter(|&n| n < temporaries) {
            self.exact &= number + count <= temporaries
                && clrx::takes_group(self.inst.encoding, number, count);
            self.out.push_str("ttmp");
            return self.numbers(number, count);
        }
        // Special values such as VCCZ and SCC have the same name in operands of any width.
        let named = clrx::register(isa, code, count).or_else(|| {
            (code > regs::EXEC_HI)
                .then(|| clrx::register(isa, code, 1))
                .flatten()
        });
        match named {
            Some(name) => self.out.push_str(name),
            None => {
                if !regs::write_inline(self.out, isa, code, Ty::B32) {
                    let _ = write!(self.out, "ill_{code:03}");
                    self.exact = false;
                }
            }
        }
    }

    fn literal(&mut self, slot: &Slot, value: u32) {
        self.shown |= u64::from(u32::MAX) << u32::BITS;
        let is_always_there = slot.kind == Kind::Literal;
        if !is_always_there && INLINE.contains(&value.cast_signed()) {
            let _ = write!(self.out, "lit({})", value.cast_signed());
        } else {
            self.out.push_hex(value.into());
        }
        // A comment shows the value of a floating-point literal.
        let first = self.inst.row().slots().next().map(|slot| slot.ty);
        let ty = first.filter(|_| is_always_there).unwrap_or(slot.ty);
        if ty == Ty::F32 {
            clrx::write_single_comment(self.out, f32::from_bits(value));
        } else if ty == Ty::F16 {
            clrx::write_half_comment(self.out, value as u16);
        }
    }

    fn immediate(&mut self, slot: &Slot, value: i64) {
        let isa = self.inst.isa;
        // CLRX does not accept optional operands, such as the operand of S_ENDPGM.
        self.exact &= slot.when != Presence::Optional;
        match slot.kind {
            Kind::Waitcnt => self.exact &= clrx::write_waitcnt(self.out, isa, value as u16),
            Kind::Hwreg => clrx::write_hwreg(self.out, isa, value as u16),
            Kind::SendMsg => self.exact &= clrx::write_sendmsg(self.out, isa, value as u16),
            Kind::ExportTarget => {
                self.convey(Field::En);
                self.exact &= exp::write_target(self.out, value as u8, "ill_");
            }
            Kind::Attribute => {
                self.convey(Field::AttrChan);
                let channels = CHANNELS.len() as i64;
                let _ = write!(self.out, "attr{}.", value.div_euclid(channels));
                if let Some(&channel) = CHANNELS.get(value.rem_euclid(channels) as usize) {
                    self.out.push(channel);
                }
            }
            Kind::VertexParameter => match VERTEX_PARAMETERS.get(value as usize) {
                Some(name) => self.out.push_str(name),
                None => {
                    self.exact = false;
                    let _ = write!(self.out, "invalid_{value}");
                }
            },
            // Distance from the branch itself, in bytes.
            Kind::Branch => {
                let distance = (value + 1) * 4;
                let _ = write!(self.out, ".{distance:+}");
            }
            Kind::Simm16 | Kind::Signed => self.out.push_hex(u64::from(value as u16)),
            Kind::Unsigned
            | Kind::GprIndex
            | Kind::Vgpr
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
            | Kind::Literal => self.out.push_hex(value.cast_unsigned()),
        }
    }

    /// Writes a scalar memory offset. With a register, the immediate is written later, as `offset:` after the flags.
    fn scalar_offset(&mut self, imm: Option<i32>, reg: Option<u8>, literal: bool) {
        self.convey(Field::Imm);
        self.convey(Field::Soe);
        match (reg, imm) {
            (Some(code), imm) => {
                if imm.is_some() {
                    self.convey(Field::Soffset);
                }
                let named = regs::write_scalar(self.out, self.inst.isa, code, 1);
                self.exact &= named;
                if !named {
                    let _ = write!(self.out, "ill_{code:03}");
                }
            }
            (None, Some(imm)) if literal => {
                self.shown |= u64::from(u32::MAX) << u32::BITS;
                if (0..=SMRD_OFFSET).contains(&imm) {
                    let _ = write!(self.out, "lit({imm})");
                } else {
                    self.out.push_hex(u64::from(imm as u32));
                }
            }
            (None, Some(_)) => self.out.push_hex(self.inst.get(Field::Offset)),
            (None, None) => {
                self.exact = false;
                let soe = self.inst.flag(Field::Soe);
                let field = if soe { Field::Soffset } else { Field::Offset };
                let code = self.inst.get(field);
                let named = u8::try_from(code)
                    .is_ok_and(|code| regs::write_scalar(self.out, self.inst.isa, code, 1));
                if !named {
                    let _ = write!(self.out, "ill_{code:03}");
                }
            }
        }
    }

    /// Sign extension, negation and absolute value of a source; CLRX prints them for operands of every type.
    fn source_modifiers(&mut self, slot: &Slot) -> (bool, bool, bool) {
        const OF_SOURCE: [(Field, Field, Field, Field); 2] = [
            (Field::Src0, Field::Src0Sext, Field::Src0Neg, Field::Src0Abs),
            (Field::Src1, Field::Src1Sext, Field::Src1Neg, Field::Src1Abs),
        ];
        if !matches!(slot.kind, Kind::Src | Kind::Vgpr | Kind::Ssrc) {
            return (false, false, false);
        }
        if self.layout.has(Field::Src0Neg) {
            let Some((_, sext, neg, abs)) = OF_SOURCE.into_iter().find(|of| of.0 == slot.field)
            else {
                return (false, false, false);
            };
            for field in [sext, neg, abs] {
                self.convey(field);
            }
            let flag = |field| self.inst.flag(field);
            return (flag(sext), flag(neg), flag(abs));
        }
        // Packed instructions use lists.
        if self.inst.encoding == Encoding::Vop3p {
            return (false, false, false);
        }
        const SOURCES: [Field; 3] = [Field::Src0, Field::Src1, Field::Src2];
        let Some((index, _)) = (0..).zip(SOURCES).find(|(_, source)| *source == slot.field) else {
            return (false, false, false);
        };
        let mut has = |field: Field| {
            let bits = self.layout.bits(field);
            if bits.width == 0 {
                return false;
            }
            let mask = 1u64 << (bits.low + index);
            self.shown |= mask;
            self.inst.bits() & mask != 0
        };
        (false, has(Field::Neg), has(Field::Abs))
    }

    /// Records that the text represents the bits that make an SDWA operand scalar or name a comparison's destination.
    fn convey_selectors(&mut self, slot: &Slot) {
        if slot.field == Field::Src0 {
            self.convey(Field::Src0Scalar);
        } else if slot.field == Field::Src1 {
            self.convey(Field::Src1Scalar);
        } else if slot.field == Field::Sdst && self.layout.has(Field::SdwaSdst) {
            self.convey(Field::SdwaSdst);
            let code = self.inst.get(Field::Sdst);
            self.exact &= if self.inst.flag(Field::SdwaSdst) {
                code != u64::from(regs::VCC_LO)
            } else {
                code == 0
            };
        }
    }
}
