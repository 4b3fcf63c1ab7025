//! Registers named by operands: count, bits and lanes.

use crate::dpp::Permutation;
use crate::effect::{DetailSource, Does, GwsOp, Half, ImageOp, Implicit, LaneMove};
use crate::field::{Encoding, Field};
use crate::image::{AddressLayout, SHORT_IMAGE_DWORDS};
use crate::inst::Operand;
use crate::operand::{Kind, OperandAccess, Presence, Slot, Ty};
use crate::regs;

use super::registers::{ALL, HIGH, LOW, RegisterUse, Registers, UseOrigin, UsedLanes};
use super::{Unit, Uses};

impl<'a> Uses<'a> {
    /// Uses of the operand at index `place` of the row: the read, then the write. A D16 load with TFE has two writes
    /// instead: half a register and a status dword.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let mac = decode(Isa::Gfx9, &[0x2c02_0702])?; // v_mac_f32_e32 v1, v2, v3
    /// let sum = &mac.form().operands[0].slot;
    /// let [read, written] = mac.uses().of_slot(0, sum, &mac.operand(sum));
    /// assert!(read.is_some_and(|it| it.read == u32::MAX && it.written == 0));
    /// assert!(written.is_some_and(|it| it.read == 0 && it.written == u32::MAX));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    #[inline]
    pub fn of_slot(
        &self,
        place: usize,
        slot: &Slot,
        operand: &Operand,
    ) -> [Option<RegisterUse>; 2] {
        let inst = self.inst;
        let source = UseOrigin::Operand(place as u8);
        let (registers, is_vector) = match *operand {
            Operand::Vgprs { first, count } => (Registers::Vector { first, count }, true),
            Operand::Scalar { code, count } => match scalar(code, count) {
                Some(registers) => (registers, false),
                None => return [None; 2],
            },
            Operand::ScalarOffset { reg: Some(reg), .. } => match scalar(reg, 1) {
                Some(registers) => (registers, false),
                None => return [None; 2],
            },
            Operand::ScalarOffset { reg: None, .. }
            | Operand::Literal(_)
            | Operand::Off
            | Operand::Imm(_) => return [None; 2],
        };
        let reads =
            slot.access != OperandAccess::Write && !self.only_keeps(slot) && !self.ignores(slot);
        let writes = inst.writes(slot) && !inst.loads_to_lds();
        let implicit = inst.row().implicit();
        let read = reads.then(|| RegisterUse {
            registers: self.first_registers(registers, self.read_dwords(slot)),
            read: self.read_bits(slot),
            written: 0,
            lanes: if is_vector {
                self.source_lanes(slot)
            } else {
                UsedLanes::Scalar
            },
            source,
            indexed: is_source(slot) && implicit.has(Implicit::INDEXES_SOURCE),
        });
        let written = writes.then(|| RegisterUse {
            registers: self.first_registers(registers, self.written_dwords(slot)),
            read: 0,
            written: self.written_bits(slot),
            lanes: match (is_vector, self.is_lane_write(slot)) {
                (false, _) => UsedLanes::Scalar,
                (true, false) => UsedLanes::Active,
                (true, true) => UsedLanes::Selected,
            },
            source,
            indexed: !is_source(slot) && implicit.has(Implicit::INDEXES_DESTINATION),
        });
        match (written, registers) {
            // A status dword follows the half that is written (errata E310).
            (Some(data), Registers::Vector { first, count: 2 }) if inst.keeps_other_half() => {
                let part = |dword: u8| RegisterUse {
                    registers: Registers::Vector {
                        first: first.wrapping_add(dword),
                        count: 1,
                    },
                    ..data
                };
                let status = RegisterUse {
                    written: ALL,
                    ..part(1)
                };
                [Some(part(0)), Some(status)]
            }
            _ => [read, written],
        }
    }

    /// True for a destination that the row declares as both read and written merely because lanes or halves of it are
    /// preserved. It is written in part, or as a whole if loading one half clears the other (errata E263).
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others keep by their destination alone"
    )]
    fn only_keeps(&self, slot: &Slot) -> bool {
        slot.access == OperandAccess::ReadWrite
            && match self.inst.does() {
                Does::LoadHalf(..) | Does::LoadFormatHigh => true,
                _ => self.is_lane_write(slot) || self.merges(slot) || self.places_high(),
            }
    }

    /// True for ignored operands: those of DS_NOP, and of semaphore instructions that take no value.
    fn ignores(&self, slot: &Slot) -> bool {
        slot.when == Presence::Optional
            && matches!(
                self.inst.does(),
                Does::LdsNop | Does::Gws(GwsOp::SemaReleaseAll | GwsOp::SemaV | GwsOp::SemaP)
            )
    }

    /// True for the destination of V_WRITELANE, a VGPR that receives a scalar source.
    fn is_lane_write(&self, slot: &Slot) -> bool {
        slot.field == Field::Vdst && slot.kind == Kind::Vgpr && {
            let mut slots = self.inst.row().slots();
            slots.any(|other| other.field == Field::Src0 && other.kind == Kind::Ssrc)
        }
    }

    /// True for a 16-bit result that preserves the other half of its register (errata E304).
    fn merges(&self, slot: &Slot) -> bool {
        slot.field == Field::Vdst
            && slot.ty.bytes() == 2
            && slot.access == OperandAccess::ReadWrite
            && !self.inst.layout().has(Field::Src0Sel)
            && self.inst.row().modifiers().any(|m| m.field == Field::OpSel)
    }

    /// True for a 16-bit result that goes to the high half of its register (errata E304).
    fn places_high(&self) -> bool {
        const DESTINATION: u64 = 1 << 3;
        let inst = self.inst;
        let is_short = |slot: &Slot| slot.field == Field::Vdst && slot.ty.bytes() == 2;
        if !inst.row().slots().any(is_short) {
            return false;
        }
        inst.row().implicit().has(Implicit::HIGH_HALF)
            || inst.layout().bits(Field::OpSel).width > 3
                && inst.get(Field::OpSel) & DESTINATION != 0
                && !inst.row().implicit().has(Implicit::INDEXES_DESTINATION)
    }

    /// First `count` registers of `registers`; all of them if `count` is `None`.
    fn first_registers(&self, registers: Registers, count: Option<u8>) -> Registers {
        match (registers, count) {
            (Registers::Vector { first, .. }, Some(count)) => Registers::Vector { first, count },
            (Registers::Scalar { first, .. }, Some(count)) => Registers::Scalar { first, count },
            (registers, _) => registers,
        }
    }

    /// Number of dwords read, if the operand has more: data excludes the status dword, and an image address includes
    /// only the registers that every kind of image needs.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other operands are read whole"
    )]
    fn read_dwords(&self, slot: &Slot) -> Option<u8> {
        let inst = self.inst;
        let is_buffer = matches!(inst.encoding, Encoding::Mubuf | Encoding::Mtbuf);
        match slot.kind {
            Kind::Vgpr if is_buffer => Some(slot.ty.dwords()),
            Kind::ImageData { .. } => match inst.operand(slot) {
                Operand::Vgprs { count, .. } => Some(count - inst.get(Field::Tfe) as u8),
                _ => None,
            },
            // With R128, an image descriptor has four dwords.
            Kind::Aligned(_) if slot.field == Field::Srsrc && inst.flag(Field::R128) => {
                Some(SHORT_IMAGE_DWORDS as u8)
            }
            Kind::ImageAddress { .. } => {
                let (has_layer, is_short) = (inst.flag(Field::Da), inst.flag(Field::A16));
                Some(AddressLayout::fewest(inst.does(), has_layer, is_short))
            }
            _ => None,
        }
    }

    /// Registers of an image address beyond those in [`Uses::registers`]. The image kind in the descriptor determines
    /// how many of them are read. `None` if the instruction has none.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::Registers;
    /// use gcn_isa::{Isa, decode};
    /// let load = decode(Isa::Gfx9, &[0xf000_1f00, 0x0002_0004])?;
    /// assert_eq!(load.text(), "image_load v[0:3], v4, s[8:15] dmask:0xf unorm");
    /// let more = load.uses().address_beyond().expect("an image can have more than one dimension");
    /// assert_eq!(more.registers, Registers::Vector { first: 5, count: 2 });
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn address_beyond(&self) -> Option<RegisterUse> {
        let inst = self.inst;
        let mut slots = inst.row().slots().enumerate();
        let is_address = |slot: &Slot| matches!(slot.kind, Kind::ImageAddress { .. });
        let (place, slot) = slots.find(|(_, slot)| is_address(slot))?;
        let (has_layer, is_short) = (inst.flag(Field::Da), inst.flag(Field::A16));
        let fewest = AddressLayout::fewest(inst.does(), has_layer, is_short);
        let most = AddressLayout::most(inst.does(), has_layer, is_short);
        let Operand::Vgprs { first, .. } = inst.operand(slot) else {
            return None;
        };
        (most > fewest).then(|| {
            let registers = Registers::Vector {
                first: first.wrapping_add(fewest),
                count: most - fewest,
            };
            let origin = UseOrigin::Operand(place as u8);
            RegisterUse::new(registers, ALL, 0, self.source_lanes(slot), origin)
        })
    }

    /// Number of dwords written, if the operand does not determine it: the old value of a compare-and-swap is half as
    /// wide as the data (errata E090), and with TFE a status dword follows loaded data (E015, E080).
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others write what their operands say"
    )]
    fn written_dwords(&self, slot: &Slot) -> Option<u8> {
        let inst = self.inst;
        match inst.does() {
            Does::Atomic(op, _) if matches!(slot.kind, Kind::ImageData { .. }) => {
                let count = self.read_dwords(slot)?;
                let is_old_value = slot.access == OperandAccess::ReadWrite;
                Some(count.div_ceil(if is_old_value { op.values() } else { 1 }))
            }
            Does::Atomic(_, ty) => Some(ty.dwords()),
            Does::Load(_) if slot.kind == Kind::Vgpr && inst.encoding == Encoding::Flat => {
                Some(slot.ty.dwords() + inst.get(Field::Tfe) as u8)
            }
            _ => None,
        }
    }

    /// Bits of each dword of a source that are read.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others read whole dwords"
    )]
    fn read_bits(&self, slot: &Slot) -> u32 {
        let inst = self.inst;
        let is_data = matches!(slot.field, Field::Vdata);
        match inst.does() {
            Does::Store(ty) if is_data => ones(ty.bytes()),
            Does::StoreHigh(ty) if is_data => ones(ty.bytes()) << 16,
            Does::StoreFormatHigh if is_data => HIGH,
            Does::Alu(_) | Does::Compare(..) if is_source(slot) => self.source_bits(slot),
            _ => ALL,
        }
    }

    /// Bits of a vector operation's source that are read, according to SDWA, OP_SEL and the operand type.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other sources are third ones, and other types whole dwords"
    )]
    fn source_bits(&self, slot: &Slot) -> u32 {
        let inst = self.inst;
        let layout = inst.layout();
        let is_short = slot.ty.bytes() == 2;
        let number = match slot.field {
            Field::Src0 => 0,
            Field::Src1 => 1,
            _ => 2,
        };
        let selection = match slot.field {
            Field::Src0 => Field::Src0Sel,
            Field::Src1 => Field::Src1Sel,
            _ => Field::Op,
        };
        if selection != Field::Op && layout.has(selection) {
            let selected = part(inst.get(selection));
            return if is_short && selected == ALL {
                LOW
            } else {
                selected
            };
        }
        if matches!(slot.kind, Kind::Ssrc | Kind::Sdst) {
            return ALL;
        }
        let bit = |field: Field| inst.get(field) >> number & 1 != 0;
        if layout.has(Field::OpSelHi) {
            let high_op = inst.get(Field::OpSelHi) | inst.get(Field::OpSelHi2) << 2;
            let (low, high) = (bit(Field::OpSel), high_op >> number & 1 != 0);
            return match slot.ty {
                Ty::F16x2 | Ty::I16x2 => half(low) | half(high),
                // Mixed precision: a 16-bit source if OP_SEL_HI is set.
                Ty::F32 if inst.row().slots().all(|s| s.ty != Ty::F16x2) && high => half(low),
                _ => ALL,
            };
        }
        match is_short {
            true => half(layout.has(Field::OpSel) && bit(Field::OpSel)),
            false => ALL,
        }
    }

    /// Bits of each dword of a destination that may change.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "ALU instructions go by their encoding"
    )]
    fn written_bits(&self, slot: &Slot) -> u32 {
        /// `dst_unused:UNUSED_PRESERVE`.
        const PRESERVE: u64 = 2;
        let inst = self.inst;
        match inst.does() {
            Does::LoadHalf(..) | Does::LoadFormatHigh if !inst.keeps_other_half() => return ALL,
            Does::LoadHalf(_, half) => return if half == Half::Low { LOW } else { HIGH },
            Does::LoadFormatHigh => return HIGH,
            _ => {}
        }
        if slot.field != Field::Vdst || slot.kind != Kind::Vgpr {
            return ALL;
        }
        if inst.layout().has(Field::DstSel) {
            return match inst.get(Field::DstUnused) {
                PRESERVE => part(inst.get(Field::DstSel)),
                _ => ALL,
            };
        }
        match (self.places_high(), self.merges(slot)) {
            (true, _) => HIGH,
            (false, true) => LOW,
            (false, false) => ALL,
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others read the lanes that they write"
    )]
    fn source_lanes(&self, slot: &Slot) -> UsedLanes {
        let inst = self.inst;
        match inst.does() {
            Does::Image(ImageOp::LevelOfDetail) if slot.field == Field::Vaddr => {
                UsedLanes::Crossing
            }
            Does::Image(ImageOp::Sample(it) | ImageOp::Gather(it))
                if slot.field == Field::Vaddr
                    && matches!(it.detail, DetailSource::Lanes | DetailSource::Biased) =>
            {
                UsedLanes::Crossing
            }
            Does::Lanes(LaneMove::Swizzle) => UsedLanes::Crossing,
            Does::Lanes(LaneMove::Push | LaneMove::Pull) if slot.field == Field::Vdata => {
                UsedLanes::Crossing
            }
            Does::Gws(_) | Does::OrderedCount => UsedLanes::First,
            Does::Alu(_) if self.reads_lane() => {
                if self.selects_lane() {
                    UsedLanes::Selected
                } else {
                    UsedLanes::First
                }
            }
            _ if slot.field == Field::Src0 && self.crosses_lanes() => UsedLanes::Crossing,
            _ => UsedLanes::Active,
        }
    }

    /// True if DPP permutes lanes.
    fn crosses_lanes(&self) -> bool {
        const SAME: Permutation = Permutation::QuadPerm([0, 1, 2, 3]);
        self.inst.layout().has(Field::DppCtrl)
            && Permutation::unpack(self.inst.get(Field::DppCtrl) as u16) != Some(SAME)
    }

    /// True for V_READLANE and V_READFIRSTLANE, the vector instructions with a scalar VDST.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let first = decode(Isa::Gfx9, &[0x7e08_0500])?; // v_readfirstlane_b32 s4, v0
    /// assert!(first.uses().reads_lane() && !first.uses().selects_lane());
    /// let lane = decode(Isa::Gfx9, &[0xd289_0000, 0x901])?; // v_readlane_b32 s0, v1, s4
    /// assert!(lane.uses().reads_lane() && lane.uses().selects_lane());
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn reads_lane(&self) -> bool {
        let mut slots = self.inst.row().slots();
        slots.any(|slot| slot.field == Field::Vdst && slot.kind == Kind::Sdst)
    }

    /// True for V_READLANE and V_WRITELANE, which select the lane with a scalar source.
    pub fn selects_lane(&self) -> bool {
        self.lane_select().is_some()
    }

    /// Index of the operand that selects a lane.
    pub(super) fn lane_select(&self) -> Option<usize> {
        if self.unit() != Unit::Vector {
            return None;
        }
        let mut slots = self.inst.row().slots();
        slots.position(|slot| slot.field == Field::Src1 && slot.kind == Kind::Ssrc)
    }
}

/// Registers of a scalar operand; `None` for constants and derived values (see `implicit::value`).
fn scalar(code: u8, count: u8) -> Option<Registers> {
    (code < regs::ZERO).then_some(Registers::Scalar { first: code, count })
}

/// True for a source of an ALU instruction.
pub(super) fn is_source(slot: &Slot) -> bool {
    matches!(
        slot.field,
        Field::Src0 | Field::Src1 | Field::Src2 | Field::Ssrc0 | Field::Ssrc1
    )
}

/// Mask of the bits of a dword that a value of `bytes` bytes occupies.
fn ones(bytes: u8) -> u32 {
    match bytes {
        1 => 0xff,
        2 => LOW,
        _ => ALL,
    }
}

fn half(is_high: bool) -> u32 {
    if is_high { HIGH } else { LOW }
}

/// Mask of the bits selected by an index into [`SELECTIONS`](crate::operand::SELECTIONS).
fn part(selection: u64) -> u32 {
    match selection {
        0..=3 => 0xff << (8 * selection),
        4 => LOW,
        5 => HIGH,
        _ => ALL,
    }
}
