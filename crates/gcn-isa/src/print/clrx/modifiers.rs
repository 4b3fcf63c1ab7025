//! Prints modifiers in CLRX's syntax.

use std::fmt::Write;

use super::printer::ClrxPrinter;
use crate::clrx;
use crate::field::{Encoding, Field};
use crate::inst::{Inst, Operand};
use crate::operand::{Kind, ModifierValue, SEL_DWORD, Slot};
use crate::regs;

/// DMASK of an image instruction that is written without `dmask`.
const DEFAULT_DMASK: u64 = 1;
/// Parts of a register selected by SDWA, by number; a selection of the whole register is omitted.
const SELECTIONS: [&str; 6] = ["byte0", "byte1", "byte2", "byte3", "word0", "word1"];
/// Treatment of the remaining bits of an SDWA destination, by number; zero-filling is omitted.
const UNUSED: [&str; 3] = ["", "sext", "preserve"];
/// Maximum number of sources in OP_SEL.
const SOURCES: usize = 3;

impl ClrxPrinter<'_> {
    pub(super) fn output_modifier(&mut self) {
        self.convey(Field::Omod);
        self.out.push_str(match self.inst.get(Field::Omod) {
            0 => "",
            1 => " mul:2",
            2 => " mul:4",
            _ => " div:2",
        });
    }

    /// Writes SDWA modifiers, and `sdwa` if no selection or sign extension implies the encoding.
    pub(super) fn sdwa(&mut self) {
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
            let is_meant = if field == Field::Src1Sel {
                self.has_source(Field::Src1)
            } else {
                self.layout.has(field)
            };
            let value = self.inst.get(field);
            if !is_meant {
                continue;
            }
            self.convey(field);
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

    pub(super) fn dpp(&mut self) {
        self.convey(Field::DppCtrl);
        let ctrl = self.inst.get(Field::DppCtrl) as u16;
        self.exact &= clrx::write_permutation(self.out, ctrl);
        self.flag(Field::BoundCtrl, "bound_ctrl");
        for (field, name) in [(Field::BankMask, "bank_mask"), (Field::RowMask, "row_mask")] {
            self.convey(field);
            let _ = write!(self.out, " {name}:{}", self.inst.get(field));
        }
    }

    /// Writes ` name:[1,0]`, with one digit for each of `bits`, or nothing if all of them equal `unwritten`.
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

    /// Writes VOP3P modifiers: a list per modifier, with one bit per source.
    pub(super) fn packed(&mut self) {
        let has_third = self.has_source(Field::Src2);
        let of = |field: Field| [(field, 0), (field, 1), (field, 2)];
        let count = if has_third { 3 } else { 2 };
        self.list("op_sel", &of(Field::OpSel)[..count], false);
        let high = [
            (Field::OpSelHi, 0),
            (Field::OpSelHi, 1),
            (Field::OpSelHi2, 0),
        ];
        // CLRX sets OP_SEL_HI of a missing third source if the list is omitted, and clears it otherwise.
        let is_high = self.inst.get(Field::OpSelHi) == self.layout.bits(Field::OpSelHi).max();
        if has_third {
            self.list("op_sel_hi", &high, true);
        } else {
            self.convey(Field::OpSelHi2);
            let unwritten = self.inst.flag(Field::OpSelHi2);
            self.exact &= is_high || !unwritten;
            self.list_unless("op_sel_hi", &high[..count], is_high && unwritten);
        }
        self.list("neg_lo", &of(Field::Neg)[..count], false);
        self.list("neg_hi", &of(Field::NegHi)[..count], false);
        self.flag(Field::Clamp, "clamp");
    }

    /// Writes VOP3 modifiers, and `vop3` if the text would select a shorter encoding.
    pub(super) fn long_form(&mut self) {
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

    /// True if the one-dword encoding could represent the instruction.
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
        let modifiers = [
            Field::Omod,
            Field::Neg,
            Field::Abs,
            Field::Clamp,
            Field::OpSel,
            Field::High,
        ];
        if modifiers.into_iter().any(|field| self.inst.flag(field)) {
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

    pub(super) fn scalar_memory(&mut self) {
        for (field, name) in [(Field::Glc, "glc"), (Field::Nv, "nv")] {
            // The bit is reserved if the row lacks the modifier.
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

    pub(super) fn buffer(&mut self) {
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
            self.convey(Field::Format);
            clrx::write_format(self.out, self.inst.get(Field::Format) as u8);
        }
    }

    pub(super) fn image(&mut self) {
        self.convey(Field::Dmask);
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

    pub(super) fn flat(&mut self) {
        let signed = self
            .inst
            .modifiers()
            .find(|m| m.value == ModifierValue::Signed)
            .map(|m| m.field);
        let offset = match signed {
            Some(field) => {
                self.convey(field);
                self.inst.get_signed(field)
            }
            None => {
                self.convey(Field::Offset12);
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
