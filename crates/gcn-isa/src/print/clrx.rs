//! From an instruction to text as CLRX's documents and its disassembler have it. Walks the row and names no
//! instruction; what differs from LLVM's text is listed in `docs/dialects.md`.
//!
//! CLRX chooses encodings by what is written, not by suffixes: an instruction whose text would mean a shorter
//! encoding has `vop3`, `sdwa` or `dpp` behind it. It names registers as they are, wherever a group begins.

use std::fmt::Write;

use super::Fidelity;
use crate::field::{Encoding, Field, Layout};
use crate::inst::{Inst, Operand};
use crate::operand::{Kind, SEL_DWORD, Slot, Ty, Value, When};
use crate::regs;
use crate::text::Text;
use crate::vintrp::{CHANNELS, VERTEX_PARAMETERS};
use crate::{clrx, exp};

/// The column at which operands begin, counted from the mnemonic's first character.
const OPERAND_COLUMN: usize = 16;
/// The VGPRs of a wave; a group that crosses the end goes on at 0 in CLRX's text.
const VGPRS: usize = 256;
/// The mask that an image instruction has without `dmask`.
const DEFAULT_DMASK: u64 = 1;
/// Integers that would be inline constants are literals only within `lit(…)`.
const INLINE: std::ops::RangeInclusive<i32> = -16..=64;
/// An SMRD offset up to this fits the field and is no literal.
const SMRD_OFFSET: i32 = 0xff;
/// The parts of a register that SDWA selects, by number; all of it is not written.
const SELECTIONS: [&str; 6] = ["byte0", "byte1", "byte2", "byte3", "word0", "word1"];
/// What SDWA does with the rest of the destination, by number; zeros are not written.
const UNUSED: [&str; 3] = ["", "sext", "preserve"];
/// The most sources that OP_SEL is about.
const SOURCES: usize = 3;
/// The flags of memory instructions, exports and VOP3, in CLRX's order.
const FLAGS: [(Field, &str); 4] = [
    (Field::Done, "done"),
    (Field::Compr, "compr"),
    (Field::Vm, "vm"),
    (Field::Gds, "gds"),
];

/// Appends the instruction's text; see [`Inst::print`].
pub(super) fn print(inst: &Inst, out: &mut Text, target: Option<&str>) -> Fidelity {
    let mut printer = Printer {
        inst,
        layout: inst.layout(),
        out,
        shown: 0,
        exact: true,
    };
    printer.all(target);
    let said = printer.shown
        | printer.layout.bits(Field::Op).mask()
        | u64::from(printer.layout.constant_mask);
    let is_taken = !inst.breaks_any(clrx::holds_to) && clrx::constant_bus(inst).is_none();
    if printer.exact && inst.bits() & !said == 0 && is_taken {
        Fidelity::Exact
    } else {
        Fidelity::Lossy
    }
}

struct Printer<'a> {
    inst: &'a Inst,
    layout: &'static Layout,
    out: &'a mut Text,
    /// The bits that the text conveys.
    shown: u64,
    exact: bool,
}

impl Printer<'_> {
    fn all(&mut self, target: Option<&str>) {
        let start = self.out.len();
        self.out
            .push_str(clrx::name(self.inst.row(), self.inst.isa));
        let name = self.out.len() - start;
        let mut separator = "";
        for slot in self.inst.row().slots() {
            if slot.when == When::Optional && !self.inst.shows(slot) {
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
                    self.say(slot.field);
                    self.out.push_str(label);
                }
                _ => self.operand(slot),
            }
        }
        let has_operands = !separator.is_empty();
        match self.inst.encoding {
            // CLRX takes no modifiers without operands, but for the encoding.
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
                for modifier in inst.modifiers().filter(|m| m.value != Value::Flag) {
                    self.decimal(modifier.field, modifier.names[0]);
                }
                self.flags(&FLAGS);
            }
            _ => {
                self.flags(&FLAGS);
                self.exact &= self.exports_exactly();
            }
        }
    }

    /// Whether nothing is in the fields of values that are not exported, and CLRX reads both values of a pair
    /// where COMPR has the second.
    fn exports_exactly(&self) -> bool {
        if self.inst.encoding != Encoding::Exp {
            return true;
        }
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

    fn say(&mut self, field: Field) {
        self.shown |= self.layout.bits(field).mask();
    }

    fn flag(&mut self, field: Field, name: &str) {
        self.say(field);
        if self.inst.flag(field) {
            self.out.push(' ');
            self.out.push_str(name);
        }
    }

    fn flags(&mut self, flags: &[(Field, &str)]) {
        for (field, name) in flags {
            self.flag(*field, name);
        }
    }

    /// ` name:` and a number, left out when it is 0.
    fn decimal(&mut self, field: Field, name: &str) {
        self.say(field);
        let value = self.inst.get(field);
        if value != 0 {
            let _ = write!(self.out, " {name}:{value}");
        }
    }

    fn operand(&mut self, slot: &Slot) {
        self.say(slot.field);
        let (extended, negated, absolute) = self.source_modifiers(slot);
        self.say_where(slot);
        // CLRX takes the sign of a constant as a part of it, and has no absolute value of one.
        self.exact &= !(negated || absolute || extended) || !self.is_constant(slot);
        if extended {
            self.out.push_str("sext(");
        }
        if negated {
            self.out.push('-');
        }
        if absolute {
            self.out.push_str("abs(");
        }
        self.plain(slot);
        let closing = usize::from(extended) + usize::from(absolute);
        (0..closing).for_each(|_| self.out.push(')'));
    }

    /// Whether the operand is an inline constant.
    fn is_constant(&self, slot: &Slot) -> bool {
        match self.inst.operand(slot) {
            Operand::Literal(_) => true,
            Operand::Scalar { code, .. } => regs::inline(self.inst.isa, code).is_some(),
            _ => false,
        }
    }

    fn plain(&mut self, slot: &Slot) {
        match self.inst.operand(slot) {
            Operand::Vgprs { first, count } => {
                self.exact &= slot.kind != Kind::Sdst;
                let count = match slot.kind {
                    Kind::ImageAddress { most, .. } => clrx::image_address(most),
                    // Before GCN 1.4 a status may follow the value.
                    Kind::Vgpr if self.layout.has(Field::Tfe) && slot.field == Field::Vdst => {
                        count + self.inst.get(Field::Tfe) as u8
                    }
                    _ => clrx::width(self.inst.row(), slot).unwrap_or(count),
                };
                self.vgprs(first, count);
            }
            Operand::Scalar { code, count } => {
                // A short descriptor.
                let count = if slot.field == Field::Srsrc && self.inst.flag(Field::R128) {
                    clrx::SHORT_DESCRIPTOR
                } else {
                    clrx::width(self.inst.row(), slot).unwrap_or(count)
                };
                self.scalar(slot, code, count);
            }
            Operand::Literal(value) => self.literal(slot, value),
            // It always names a register, though without OFFEN and IDXEN nothing reads it.
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

    /// `3` or `[3:4]`.
    fn numbers(&mut self, first: u8, count: u8) {
        if count == 1 {
            return self.out.push_decimal(first.into());
        }
        let last = (usize::from(first) + usize::from(count).saturating_sub(1)) % VGPRS;
        let _ = write!(self.out, "[{first}:{last}]");
    }

    fn scalar(&mut self, slot: &Slot, code: u8, count: u8) {
        let isa = self.inst.isa;
        let is_source = matches!(slot.kind, Kind::Src | Kind::Ssrc);
        self.exact &= match slot.kind {
            Kind::Vgpr => code <= regs::EXEC_HI || code == regs::LDS_DIRECT,
            Kind::Sdst | Kind::Aligned(_) | Kind::Saddr => code <= regs::EXEC_HI,
            Kind::Src if self.layout.has(Field::Src0Sel) => code <= regs::EXEC_HI,
            // There `lds` is a modifier.
            Kind::Ssrc => code != regs::LDS_DIRECT || !self.layout.has(Field::Lds),
            _ => true,
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
        // A single register may stand where a pair is read: VCCZ, SCC.
        let named = clrx::register(isa, code, count).or_else(|| {
            (code > regs::EXEC_HI)
                .then(|| clrx::register(isa, code, 1))
                .flatten()
        });
        match named {
            Some(name) => self.out.push_str(name),
            None if code == regs::INV_2PI && regs::inline(isa, code).is_some() => {
                self.exact &= is_source;
                self.out.push_str(clrx::INV_2PI);
            }
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
        // What it means where it is a float, for the reader.
        let first = self.inst.row().slots().next().map(|slot| slot.ty);
        match if is_always_there {
            first.unwrap_or(slot.ty)
        } else {
            slot.ty
        } {
            Ty::F32 => clrx::write_single_comment(self.out, f32::from_bits(value)),
            Ty::F16 => clrx::write_half_comment(self.out, value as u16),
            _ => {}
        }
    }

    fn immediate(&mut self, slot: &Slot, value: i64) {
        let isa = self.inst.isa;
        match slot.kind {
            Kind::Waitcnt => self.exact &= clrx::write_waitcnt(self.out, isa, value as u16),
            Kind::Hwreg => clrx::write_hwreg(self.out, isa, value as u16),
            Kind::SendMsg => self.exact &= clrx::write_sendmsg(self.out, isa, value as u16),
            Kind::ExportTarget => {
                self.say(Field::En);
                self.exact &= exp::write_target(self.out, value as u8, "ill_");
            }
            Kind::Attribute => {
                self.say(Field::AttrChan);
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
            // From the branch's own place, in bytes.
            Kind::Branch => {
                let distance = (value + 1) * 4;
                let _ = write!(self.out, ".{distance:+}");
            }
            Kind::Simm16 | Kind::Signed => self.out.push_hex(u64::from(value as u16)),
            _ => self.out.push_hex(value.cast_unsigned()),
        }
    }

    /// A register beside an immediate has it as `offset:` behind the flags.
    fn scalar_offset(&mut self, imm: Option<i32>, reg: Option<u8>, literal: bool) {
        self.say(Field::Imm);
        self.say(Field::Soe);
        match (reg, imm) {
            (Some(code), imm) => {
                if imm.is_some() {
                    self.say(Field::Soffset);
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

    /// Whether a source's sign is extended, it is negated, its absolute value is taken; CLRX shows what the bits
    /// say whatever the operand's type is.
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
                self.say(field);
            }
            let flag = |field| self.inst.flag(field);
            return (flag(sext), flag(neg), flag(abs));
        }
        // Packed instructions list them.
        if self.inst.encoding == Encoding::Vop3p {
            return (false, false, false);
        }
        let index = match slot.field {
            Field::Src0 => 0,
            Field::Src1 => 1,
            Field::Src2 => 2,
            _ => return (false, false, false),
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

    /// The bits that say that an operand of SDWA is scalar, or that a comparison's result goes to VCC.
    fn say_where(&mut self, slot: &Slot) {
        match slot.field {
            Field::Src0 => self.say(Field::Src0Scalar),
            Field::Src1 => self.say(Field::Src1Scalar),
            Field::Sdst if self.layout.has(Field::SdwaSdst) => {
                self.say(Field::SdwaSdst);
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

    fn has_source(&self, field: Field) -> bool {
        self.inst.row().slots().any(|slot| slot.field == field)
    }

    fn output_modifier(&mut self) {
        self.say(Field::Omod);
        self.out.push_str(match self.inst.get(Field::Omod) {
            0 => "",
            1 => " mul:2",
            2 => " mul:4",
            _ => " div:2",
        });
    }

    /// The selections of SDWA; `sdwa` where none of them tells the encoding.
    fn sdwa(&mut self) {
        self.output_modifier();
        self.flag(Field::Clamp, "clamp");
        let mut tells = false;
        let choices: [(Field, &str, &[&str], u64); 4] = [
            (Field::DstSel, "dst_sel", &SELECTIONS, SEL_DWORD.into()),
            (Field::DstUnused, "dst_unused", &UNUSED, 0),
            (Field::Src0Sel, "src0_sel", &SELECTIONS, SEL_DWORD.into()),
            (Field::Src1Sel, "src1_sel", &SELECTIONS, SEL_DWORD.into()),
        ];
        for (field, name, names, default) in choices {
            let is_meant = match field {
                Field::Src1Sel => self.has_source(Field::Src1),
                _ => self.layout.has(field),
            };
            let value = self.inst.get(field);
            if !is_meant {
                continue;
            }
            self.say(field);
            if value == default {
                continue;
            }
            tells = true;
            let choice = names.get(value as usize).copied();
            self.exact &= choice.is_some();
            let _ = write!(self.out, " {name}:{}", choice.unwrap_or("invalid"));
        }
        let extends = self.inst.flag(Field::Src0Sext) || self.inst.flag(Field::Src1Sext);
        if !tells && !extends {
            self.out.push_str(" sdwa");
        }
    }

    fn dpp(&mut self) {
        self.say(Field::DppCtrl);
        let ctrl = self.inst.get(Field::DppCtrl) as u16;
        self.exact &= clrx::write_permutation(self.out, ctrl);
        self.flag(Field::BoundCtrl, "bound_ctrl");
        for (field, name) in [(Field::BankMask, "bank_mask"), (Field::RowMask, "row_mask")] {
            self.say(field);
            let _ = write!(self.out, " {name}:{}", self.inst.get(field));
        }
    }

    /// ` name:[1,0]`, a bit for each of `bits`, left out when each is `unwritten`.
    fn list(&mut self, name: &str, bits: &[(Field, u8)], unwritten: bool) {
        let inst = self.inst;
        let layout = self.layout;
        let mask = |(field, index): &(Field, u8)| 1u64 << (layout.bits(*field).low + index);
        let is_set = |bit: &(Field, u8)| inst.bits() & mask(bit) != 0;
        let is_default = bits.iter().all(|bit| is_set(bit) == unwritten);
        self.list_unless(name, bits, is_default);
    }

    fn list_unless(&mut self, name: &str, bits: &[(Field, u8)], is_default: bool) {
        let inst = self.inst;
        let layout = self.layout;
        let mask = |(field, index): &(Field, u8)| 1u64 << (layout.bits(*field).low + index);
        self.shown |= bits.iter().map(mask).fold(0, |all, one| all | one);
        if is_default {
            return;
        }
        let _ = write!(self.out, " {name}:[");
        for (index, bit) in bits.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            let is_set = inst.bits() & mask(bit) != 0;
            self.out.push(if is_set { '1' } else { '0' });
        }
        self.out.push(']');
    }

    /// VOP3P: a list per modifier, with as many bits as there are sources.
    fn packed(&mut self) {
        let has_third = self.has_source(Field::Src2);
        let of = |field: Field| [(field, 0), (field, 1), (field, 2)];
        let count = if has_third { 3 } else { 2 };
        self.list("op_sel", &of(Field::OpSel)[..count], false);
        let high = [
            (Field::OpSelHi, 0),
            (Field::OpSelHi, 1),
            (Field::OpSelHi2, 0),
        ];
        // OP_SEL_HI of a missing third source is set if the list is not written, else not.
        let is_high = self.inst.get(Field::OpSelHi) == self.layout.bits(Field::OpSelHi).max();
        if has_third {
            self.list("op_sel_hi", &high, true);
        } else {
            self.say(Field::OpSelHi2);
            let unwritten = self.inst.flag(Field::OpSelHi2);
            self.exact &= is_high || !unwritten;
            self.list_unless("op_sel_hi", &high[..count], is_high && unwritten);
        }
        self.list("neg_lo", &of(Field::Neg)[..count], false);
        self.list("neg_hi", &of(Field::NegHi)[..count], false);
        self.flag(Field::Clamp, "clamp");
    }

    /// VOP3: `vop3` where the text would mean a shorter encoding.
    fn long_form(&mut self) {
        self.flag(Field::High, "high");
        let sources = self
            .inst
            .row()
            .slots()
            .filter(|slot| slot.kind == Kind::Src);
        let sources = sources.count().min(SOURCES) as u8;
        if self.layout.has(Field::OpSel) && sources > 0 {
            const DESTINATION: u8 = 3;
            let mut bits: Vec<(Field, u8)> =
                (0..sources).map(|index| (Field::OpSel, index)).collect();
            bits.push((Field::OpSel, DESTINATION));
            self.list("op_sel", &bits, false);
        }
        self.output_modifier();
        self.flag(Field::Clamp, "clamp");
        if self.means_short_form() {
            self.out.push_str(" vop3");
        }
    }

    /// Whether an encoding of one dword could hold the same operands.
    fn means_short_form(&self) -> bool {
        let row = self.inst.row();
        let own = row.family.encoding();
        let is_short = matches!(
            own,
            Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc | Encoding::Vintrp
        );
        if !is_short || Inst::new(self.inst.isa, self.inst.op, own).is_none() {
            return false;
        }
        let plain = [
            Field::Omod,
            Field::Neg,
            Field::Abs,
            Field::Clamp,
            Field::OpSel,
            Field::High,
        ];
        if plain.into_iter().any(|field| self.inst.flag(field)) {
            return false;
        }
        let fits = |slot: &Slot| match (slot.field, slot.kind) {
            (Field::Sdst | Field::Src2, Kind::Sdst) => {
                self.inst.get(slot.field) == u64::from(regs::VCC_LO)
            }
            (Field::Src1, Kind::Ssrc | Kind::VertexParameter) => {
                !matches!(self.inst.operand(slot), Operand::Vgprs { .. })
            }
            (Field::Src1, _) => matches!(self.inst.operand(slot), Operand::Vgprs { .. }),
            _ => true,
        };
        row.slots().all(fits)
    }

    fn scalar_memory(&mut self) {
        for (field, name) in [(Field::Glc, "glc"), (Field::Nv, "nv")] {
            // Where no row has it, its bit is reserved.
            if self.inst.modifiers().any(|m| m.field == field) {
                self.flag(field, name);
            }
        }
        let has_both = self.inst.row().slots().any(|slot| {
            matches!(
                self.inst.operand(slot),
                Operand::ScalarOffset {
                    imm: Some(_),
                    reg: Some(_),
                    ..
                }
            )
        });
        if has_both {
            let _ = write!(self.out, " offset:{:#x}", self.inst.get(Field::Offset));
        }
    }

    fn buffer(&mut self) {
        self.flag(Field::Offen, "offen");
        self.flag(Field::Idxen, "idxen");
        self.decimal(Field::Offset, "offset");
        self.flags(&[
            (Field::Glc, "glc"),
            (Field::Slc, "slc"),
            (Field::Addr64, "addr64"),
            (Field::Lds, "lds"),
            (Field::Tfe, "tfe"),
        ]);
        if self.layout.has(Field::Format) {
            self.say(Field::Format);
            clrx::write_format(self.out, self.inst.get(Field::Format) as u8);
        }
    }

    fn image(&mut self) {
        self.say(Field::Dmask);
        let mask = self.inst.get(Field::Dmask);
        if mask != DEFAULT_DMASK {
            let _ = write!(self.out, " dmask:{mask}");
        }
        self.flags(&[
            (Field::Unorm, "unorm"),
            (Field::Glc, "glc"),
            (Field::Slc, "slc"),
            (Field::R128, "r128"),
            (Field::A16, "a16"),
            (Field::Tfe, "tfe"),
            (Field::Lwe, "lwe"),
            (Field::Da, "da"),
            (Field::D16, "d16"),
        ]);
    }

    fn flat(&mut self) {
        let signed = self
            .inst
            .modifiers()
            .find(|m| m.value == Value::Signed)
            .map(|m| m.field);
        let offset = match signed {
            Some(field) => {
                self.say(field);
                self.inst.get_signed(field)
            }
            None => {
                self.say(Field::Offset12);
                self.inst.get(Field::Offset12).cast_signed()
            }
        };
        if offset != 0 {
            let _ = write!(self.out, " inst_offset:{offset}");
        }
        self.flags(&[
            (Field::Lds, "lds"),
            (Field::Glc, "glc"),
            (Field::Slc, "slc"),
            (Field::Tfe, "tfe"),
            (Field::Nv, "nv"),
        ]);
    }
}
