//! Shared test code: every instruction of an instruction set, and samples of their fields.
#![allow(dead_code)] // Each test uses a part.

use gcn_isa::dpp::Permutation;
use gcn_isa::effect::{AtomicOp, ImageOp};
use gcn_isa::{
    Does, Encoding, Field, Inst, Isa, Kind, ModifierValue, Op, Operand, Presence, Row, Slot, regs,
    rows,
};

/// Deterministic pseudorandom numbers (xorshift64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Less than `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.bits() >> 11) % end
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Every row of `isa` in every encoding that it has there.
pub fn instructions(isa: Isa) -> impl Iterator<Item = (&'static Row, Encoding, Inst)> {
    rows().flat_map(move |row| {
        row.encodings()
            .filter_map(move |encoding| Some((row, encoding, Inst::new(isa, row.op(), encoding)?)))
    })
}

/// True if a scalar number names a register or, for a source, a constant.
fn is_named(isa: Isa, slot: &Slot, code: u8) -> bool {
    let is_source = matches!(slot.kind, Kind::Src | Kind::Ssrc);
    regs::scalar_name(isa, code, slot.ty.dwords()).is_some()
        || (is_source && regs::inline(isa, code).is_some())
}

fn scalar(isa: Isa, slot: &Slot, max: u64, random: &mut Random) -> u64 {
    loop {
        let code = match random.below(4) {
            0 => random.pick(&[0, u64::from(isa.sgprs()) - u64::from(slot.ty.dwords())]),
            1 => random.below(104),
            2 => 104 + random.below(24),
            _ => 128 + random.below(127),
        };
        if code <= max && code != u64::from(regs::LDS_DIRECT) && is_named(isa, slot, code as u8) {
            return code;
        }
    }
}

fn vgpr(count: u8, random: &mut Random) -> u64 {
    let last = 256 - u64::from(count);
    match random.below(3) {
        0 => 0,
        1 => last,
        _ => random.below(last + 1),
    }
}

/// A literal that is not equal to an inline constant.
fn literal(slot: &Slot, random: &mut Random) -> u32 {
    let value = match random.below(3) {
        0 => 0x1234_5678,
        1 => 0x8000_5001,
        _ => random.bits() as u32 | 0x0011_1000,
    };
    if slot.ty.bytes() == 2 {
        value & 0xffff
    } else {
        value
    }
}

/// Fills the fields of an instruction with values that its text represents.
pub fn fill(inst: &mut Inst, random: &mut Random) {
    let row = inst.row();
    let isa = inst.isa;
    let modifiers: Vec<_> = inst.modifiers().collect();
    for modifier in modifiers {
        let bits = inst.layout().bits(modifier.field);
        let mut value = if random.one_in(2) {
            0
        } else {
            random.bits() & bits.max()
        };
        if bits.width == 1 {
            value = random.one_in(3).into();
        }
        if modifier.required {
            value = 1;
        }
        match modifier.value {
            // Its value is part of another modifier.
            ModifierValue::Part => continue,
            // LLVM gathers one component, and image atomics change whole values.
            ModifierValue::Mask => {
                value = match inst.does() {
                    Does::Image(ImageOp::Gather(_) | ImageOp::GatherRow) => 1 << random.below(4),
                    Does::Atomic(AtomicOp::CompareSwap, _) => random.pick(&[0x3, 0xf]),
                    Does::Atomic(..) => random.pick(&[0x1, 0x3]),
                    _ => value,
                }
            }
            ModifierValue::Named(names) => value = random.below(names.len() as u64),
            ModifierValue::LanePermutation => {
                value = loop {
                    let ctrl = random.below(0x144);
                    if Permutation::unpack(ctrl as u16).is_some() {
                        break ctrl;
                    }
                }
            }
            // A pattern that its text represents completely: OR disjoint from AND and XOR, XOR within AND.
            ModifierValue::Swizzle if value < 0x8000 => {
                let or = value >> 5 & !value & 0x1f;
                value = (value & 0x1f) | or << 5 | (value >> 10 & value & 0x1f) << 10;
            }
            _ => {}
        }
        if modifier.value == ModifierValue::BitList {
            for bit in inst.list_bits(modifier).iter() {
                if random.one_in(3) {
                    *inst = with_bits(inst, inst.bits() ^ 1 << bit);
                }
            }
            continue;
        }
        inst.set(modifier.field, value as i64).unwrap();
    }
    // ADDR64 excludes the other two, LDS excludes TFE.
    if inst.flag(Field::Addr64) {
        let _ = inst.set(Field::Idxen, 0);
        let _ = inst.set(Field::Offen, 0);
    }
    if inst.flag(Field::Lds) {
        let _ = inst.set(Field::Tfe, 0);
    }
    if inst.encoding == Encoding::Flat && inst.flag(Field::Tfe) {
        let _ = inst.set(Field::Tfe, 0);
    }
    let mut has_literal = row.slots().any(|slot| slot.kind == Kind::Literal);
    if inst.layout().has(Field::Saddr) {
        let slot = row.slots().find(|slot| slot.kind == Kind::Saddr);
        let value = slot
            .filter(|_| random.one_in(2))
            .map_or(0x7f, |slot| scalar(isa, slot, 127, random));
        let _ = inst.set(Field::Saddr, value as i64);
    }
    for slot in row.slots() {
        let bits = inst.layout().bits(slot.field);
        let count = slot.ty.dwords();
        let hidden = match slot.when {
            Presence::Always => false,
            Presence::Returned => !inst.flag(Field::Glc),
            Presence::NotLds => inst.flag(Field::Lds),
            Presence::Optional => random.one_in(2),
        };
        let value = match slot.kind {
            _ if hidden => 0,
            _ if bits.width == 0 && slot.kind != Kind::Literal => continue,
            Kind::ImageData { .. } | Kind::ImageAddress { .. } => match inst.operand(slot) {
                Operand::Vgprs { count, .. } => vgpr(count, random),
                other => panic!("{} has {other:?}", row.name),
            },
            Kind::ExportTarget => random.pick(&[0, 1, 7, 8, 9, 12, 15, 32, 33, 63]),
            Kind::ExportSource(_) => {
                let source = match random.below(3) {
                    0 => Operand::Off,
                    _ => Operand::Vgprs {
                        first: vgpr(1, random) as u8,
                        count: 1,
                    },
                };
                inst.set_operand(slot, source).unwrap();
                continue;
            }
            Kind::Attribute => {
                let attribute = random.below(33 * 4) as i64;
                inst.set_operand(slot, Operand::Imm(attribute)).unwrap();
                continue;
            }
            Kind::VertexParameter => random.below(3),
            Kind::Vgpr if bits.width == 9 => {
                let index = u64::from(slot.field == Field::Src2) + 1;
                for field in [Field::Abs, Field::Neg] {
                    if slot.ty.is_float() && inst.layout().has(field) && random.one_in(3) {
                        let old = inst.get(field);
                        inst.set(field, (old | 1 << index) as i64).unwrap();
                    }
                }
                256 + vgpr(count, random)
            }
            Kind::Vgpr => vgpr(count + u8::from(inst.flag(Field::Tfe)), random),
            Kind::GlobalAddress | Kind::BufferAddress | Kind::ScratchAddress => {
                let off = matches!(inst.operand(slot), Operand::Off);
                if off { 0 } else { vgpr(2, random) }
            }
            Kind::Saddr => continue,
            Kind::Src if bits.width == 8 => {
                let modifiers = match slot.field {
                    Field::Src0 => [
                        Field::Src0Neg,
                        Field::Src0Abs,
                        Field::Src0Sext,
                        Field::Src0Scalar,
                    ],
                    _ => [
                        Field::Src1Neg,
                        Field::Src1Abs,
                        Field::Src1Sext,
                        Field::Src1Scalar,
                    ],
                };
                for (field, float) in
                    modifiers
                        .into_iter()
                        .zip([Some(true), Some(true), Some(false), None])
                {
                    let fits = float.is_none_or(|float| float == slot.ty.is_float());
                    if inst.layout().has(field) && fits && random.one_in(3) {
                        inst.set(field, 1).unwrap();
                    }
                }
                if inst.flag(modifiers[3]) {
                    scalar(isa, slot, 127, random)
                } else {
                    vgpr(count, random)
                }
            }
            Kind::Src | Kind::Ssrc
                if !has_literal
                    && inst.layout().dwords == 1
                    && slot.field != Field::Src1
                    && random.one_in(6) =>
            {
                has_literal = true;
                inst.set_literal(literal(slot, random)).unwrap();
                255
            }
            Kind::Src if random.one_in(2) => 256 + vgpr(count, random),
            Kind::Sdst if inst.layout().has(Field::SdwaSdst) => {
                let code = scalar(isa, slot, 127, random);
                let is_vcc = code == u64::from(regs::VCC_LO);
                inst.set(Field::SdwaSdst, (!is_vcc).into()).unwrap();
                if is_vcc { 0 } else { code }
            }
            Kind::Sdst => scalar(isa, slot, 127, random),
            Kind::Src
                if slot.ty.is_float() && inst.layout().has(Field::Abs) && random.one_in(3) =>
            {
                let index = match slot.field {
                    Field::Src0 => 0,
                    Field::Src1 => 1,
                    _ => 2,
                };
                for field in [Field::Abs, Field::Neg] {
                    let old = inst.get(field);
                    inst.set(field, (old | random.below(2) << index) as i64)
                        .unwrap();
                }
                if random.one_in(2) {
                    256 + vgpr(count, random)
                } else {
                    scalar(isa, slot, 254, random)
                }
            }
            Kind::Src | Kind::Ssrc => scalar(isa, slot, bits.max().min(254), random),
            Kind::Aligned(shift) => loop {
                let code = scalar(isa, slot, 127, random);
                if code & ((1 << shift) - 1) == 0 {
                    break code >> shift;
                }
            },
            Kind::ScalarOffset { signed } => {
                let widest = bits.max() >> u8::from(!signed && bits.width == 21);
                let by_register = random.one_in(3);
                if by_register {
                    inst.set(Field::Offset, random.below(100) as i64).unwrap();
                } else {
                    inst.set(Field::Imm, 1).unwrap();
                    inst.set(Field::Offset, (random.bits() & widest) as i64)
                        .unwrap();
                    if inst.layout().has(Field::Soe) && random.one_in(3) {
                        inst.set(Field::Soe, 1).unwrap();
                        inst.set(Field::Soffset, random.below(100) as i64).unwrap();
                    }
                }
                continue;
            }
            Kind::GprIndex => random.below(16),
            Kind::Literal => {
                let result = row.slots().next().unwrap();
                inst.set_literal(literal(result, random)).unwrap();
                continue;
            }
            Kind::Waitcnt => random.below(0x1000) & 0xf7f,
            Kind::SendMsg => random.pick(&[1, 0x12, 0x22, 0x132, 3, 0x13, 0x1f, 0x2f]),
            Kind::Hwreg => random.pick(&[1, 2, 3, 4, 5, 6, 7]) | random.below(0x400) << 6,
            _ => random.bits() & bits.max(),
        };
        inst.set(slot.field, value as i64).unwrap();
    }
}

/// Decodes an instruction with modified bits.
pub fn with_bits(inst: &Inst, bits: u64) -> Inst {
    gcn_isa::decode(inst.isa, &[bits as u32, (bits >> 32) as u32]).unwrap()
}

/// Words of an instruction, without an unused one.
pub fn words(inst: &Inst) -> Vec<u32> {
    inst.words()[..inst.dwords()].to_vec()
}

/// For messages.
pub fn describe(op: Op, words: &[u32]) -> String {
    let hex: Vec<String> = words.iter().map(|w| format!("{w:#010x}")).collect();
    format!("{} {}", op.row().name, hex.join(" "))
}
