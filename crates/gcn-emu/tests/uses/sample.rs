//! Instructions with random operands and modifiers, and random values with frequent edge cases.

use gcn_isa::dpp::Permutation;
use gcn_isa::effect::AtomicOp;
use gcn_isa::simm::{HWREG_MODE, HWREG_STATUS, HWREG_TRAPSTS, HWREGS, Hwreg};
use gcn_isa::{Does, Encoding, Field, Form, Inst, Isa, Kind, ModifierValue, Operand, Slot, regs};

use super::stage::Noise;

/// Number of VGPRs of a wave.
pub const VGPRS: u8 = 24;

pub fn fill(noise: &mut Noise, bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        chunk.copy_from_slice(&noise.next().to_le_bytes()[..chunk.len()]);
    }
}

/// Random dword, often an edge case.
pub fn dword(noise: &mut Noise) -> u32 {
    const SPECIAL: [u32; 19] = [
        0,
        1,
        0xffff_ffff,
        0x8000_0000,
        0x7fff_ffff,
        0x3f80_0000,
        0x3f00_0001,
        0xbf80_0000,
        0x7f80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0x0000_0001,
        0x807f_ffff,
        0x3c00_3c01,
        0x0001_8001,
        0x7c01_7e00,
        0x3ff0_0000,
        0x4000_0000,
        0x7ff0_0000,
    ];
    let random = noise.next();
    match random >> 61 {
        0 | 1 => SPECIAL[(random >> 8) as usize % SPECIAL.len()],
        2 => (random >> 8) as u32 & 0x3f,
        3 => 0x3f00_0000 ^ (random >> 8) as u32 & 0x81ff_ffff,
        4 => 0x3800_3800 ^ (random >> 8) as u32 & 0x8fff_8fff,
        _ => (random >> 8) as u32,
    }
}

/// Kind of values that fill a state.
pub enum Values {
    /// Edge cases and random values.
    Any,
    /// Two values, so that comparisons find equal ones.
    Few([u32; 2]),
    /// Close values, so that differences are small, and single bits matter.
    Near(u32),
    /// Counts, offsets and lengths.
    Small,
}

impl Values {
    /// Random kind.
    pub fn new(noise: &mut Noise) -> Values {
        match noise.below(6) {
            0 | 1 => Values::Few([dword(noise), dword(noise)]),
            2 => Values::Near(dword(noise)),
            3 => Values::Small,
            _ => Values::Any,
        }
    }

    /// Random value of this kind.
    pub fn dword(&self, noise: &mut Noise) -> u32 {
        match *self {
            Values::Any => dword(noise),
            Values::Few(values) => values[noise.below(2) as usize],
            Values::Near(value) => value.wrapping_add(noise.below(5) as u32).wrapping_sub(2),
            Values::Small => noise.below(64) as u32,
        }
    }

    /// Fills memory with values of this kind.
    pub fn fill(&self, bytes: &mut [u8], noise: &mut Noise) {
        match self {
            Values::Any => fill(noise, bytes),
            Values::Few(_) | Values::Near(_) | Values::Small => {
                for dword in bytes.chunks_exact_mut(4) {
                    dword.copy_from_slice(&self.dword(noise).to_le_bytes());
                }
            }
        }
    }
}

/// Random instruction of this form that satisfies all rules. After many tries, an instruction with default fields.
pub fn sample(form: &'static Form, noise: &mut Noise) -> Inst {
    let tries = (0..50).map(|_| attempt(form, noise));
    let mut kept = tries.filter(|inst| inst.broken_rule().is_none());
    kept.next().unwrap_or_else(|| Inst::with_defaults(form))
}

fn attempt(form: &'static Form, noise: &mut Noise) -> Inst {
    let mut inst = Inst::with_defaults(form);
    for placed in &form.modifiers {
        let field = placed.modifier.field;
        let rarely = |noise: &mut Noise| i64::from(noise.below(4) == 0);
        let value = match placed.modifier.value {
            _ if placed.modifier.required => 1,
            // Each part of an address is a separate claim.
            ModifierValue::Flag if matches!(field, Field::Idxen | Field::Offen) => {
                i64::from(noise.below(2) == 0)
            }
            ModifierValue::Flag => rarely(noise),
            ModifierValue::Unsigned if field == Field::BoundCtrl => rarely(noise),
            // Offsets are small, so that most accesses stay in the small memories.
            ModifierValue::Unsigned if matches!(field, Field::Offset0 | Field::Offset1) => {
                noise.below(8) as i64
            }
            ModifierValue::Unsigned => aligned(noise, 48),
            ModifierValue::Signed => aligned(noise, 32) - 16,
            ModifierValue::Swizzle => noise.below(1 << 16) as i64,
            ModifierValue::Omod => rarely(noise) * noise.below(4) as i64,
            ModifierValue::BitList => noise.next() as i64 & placed.bits.max() as i64,
            // Often the whole dword, since a part of a result is often the same for all sources.
            ModifierValue::Named(names) if field == Field::DstSel && noise.below(2) == 0 => {
                names.len() as i64 - 1
            }
            ModifierValue::Named(names) => noise.below(names.len() as u64) as i64,
            ModifierValue::Hex if noise.below(2) == 0 => 0xf,
            ModifierValue::Hex => noise.below(16) as i64,
            ModifierValue::Mask if let Does::Atomic(op, _) = inst.does() => {
                let dwords = 1 << noise.below(2);
                let values = if op == AtomicOp::CompareSwap { 2 } else { 1 };
                (1 << (dwords * values)) - 1
            }
            ModifierValue::Mask => 1 + noise.below(15) as i64,
            // Formats with 32 bits per component: integers and floats.
            ModifierValue::BufferFormat => match noise.below(2) {
                0 => 4 << 4 | 14,
                _ => 7 << 4 | 14,
            },
            ModifierValue::Part => continue,
            ModifierValue::LanePermutation => i64::from(permutation(noise)),
        };
        let _ = inst
            .set(field, value)
            .or_else(|_| inst.set_signed(field, value));
        if field == Field::OpSelHi {
            let _ = inst.set(Field::OpSelHi2, noise.below(2) as i64);
        }
    }
    // Modifiers of sources.
    for operand in &form.operands {
        for (bits, one_of) in [
            (operand.negate, 4),
            (operand.absolute, 4),
            (operand.extend, 2),
        ] {
            if noise.below(one_of) == 0 {
                inst.set_bits(bits);
            }
        }
    }
    for slot in form.row.slots() {
        let operand = operand(&inst, slot, noise);
        // A field that cannot hold the operand keeps its value.
        let _ = inst.set_operand(slot, operand);
    }
    inst
}

/// Random number below the limit, often aligned, so that the sum with other parts of an address is aligned, too.
fn aligned(noise: &mut Noise, limit: u64) -> i64 {
    const ALIGNMENT: u64 = 16;
    match noise.below(2) {
        0 => noise.below(limit) as i64,
        _ => (noise.below(limit / ALIGNMENT) * ALIGNMENT) as i64,
    }
}

fn permutation(noise: &mut Noise) -> u16 {
    loop {
        let number = noise.below(0x150) as u16;
        if Permutation::unpack(number).is_some() {
            return number;
        }
    }
}

fn operand(inst: &Inst, slot: &Slot, noise: &mut Noise) -> Operand {
    let count = slot.ty.dwords();
    // Image addresses are the longest operands.
    let longest = if inst.encoding == Encoding::Mimg {
        13
    } else {
        6
    };
    let vgprs = |noise: &mut Noise| Operand::Vgprs {
        first: noise.below(u64::from(VGPRS) - longest) as u8,
        count,
    };
    match slot.kind {
        Kind::Src if noise.below(2) == 0 => vgprs(noise),
        Kind::Src | Kind::Ssrc => source(inst, slot, noise),
        Kind::Sdst => Operand::Scalar {
            code: destination(inst.isa, count, noise),
            count,
        },
        Kind::Saddr if noise.below(2) == 0 => Operand::Off,
        Kind::Saddr => Operand::Scalar {
            code: sgprs(count, noise),
            count,
        },
        Kind::Aligned(shift) => Operand::Scalar {
            code: (noise.below(20) as u8) << 2 >> (2 - shift.min(2)) << (2 - shift.min(2)),
            count,
        },
        Kind::ScalarOffset { .. } => Operand::ScalarOffset {
            imm: (noise.below(3) != 0).then(|| noise.below(16) as i32 * 4),
            reg: (noise.below(2) == 0).then(|| sgprs(1, noise)),
            literal: false,
        },
        Kind::Branch => Operand::Imm(noise.below(64) as i64 + 4),
        Kind::Hwreg => {
            let here = HWREGS.iter().filter(|(.., on)| on.has(inst.isa));
            let ids: Vec<u8> = here.map(|(_, id, _)| *id).collect();
            let id = match noise.below(5) {
                0 => HWREG_MODE,
                1 => HWREG_TRAPSTS,
                2 => HWREG_STATUS,
                _ => ids[noise.below(ids.len() as u64) as usize],
            };
            // Most of the changing bits of STATUS are the lowest ones.
            let limit = if noise.below(2) == 0 { 4 } else { 31 };
            let offset = noise.below(limit) as u8;
            let width = 1 + noise.below(32 - u64::from(offset)) as u8;
            let offset = if id == HWREG_MODE {
                offset.min(26)
            } else {
                offset
            };
            let width = if id == HWREG_MODE {
                width.min(27 - offset)
            } else {
                width
            };
            Operand::Imm(Hwreg { id, offset, width }.pack().into())
        }
        Kind::Literal => Operand::Literal(dword(noise)),
        Kind::Unsigned | Kind::Simm16 if noise.below(2) == 0 => {
            let limit = if noise.below(2) == 0 { 4 } else { 64 };
            Operand::Imm(noise.below(limit) as i64)
        }
        Kind::Unsigned | Kind::Simm16 | Kind::Waitcnt | Kind::SendMsg => {
            Operand::Imm(noise.below(1 << 15) as i64)
        }
        Kind::Signed => Operand::Imm(noise.below(64) as i64 - 32),
        Kind::GprIndex => Operand::Imm(noise.below(16) as i64),
        Kind::Attribute | Kind::VertexParameter | Kind::ExportTarget => {
            Operand::Imm(noise.below(3) as i64)
        }
        Kind::Vgpr
        | Kind::GlobalAddress
        | Kind::ScratchAddress
        | Kind::BufferAddress
        | Kind::ImageData { .. }
        | Kind::ImageAddress { .. }
        | Kind::ExportSource(_) => vgprs(noise),
    }
}

/// Random scalar source: mostly registers, but also constants and named values.
fn source(inst: &Inst, slot: &Slot, noise: &mut Noise) -> Operand {
    let count = slot.ty.dwords();
    // A buffer offset that is a flag or half of an address would only affect single bytes, or nothing.
    let is_value = slot.field != Field::Soffset;
    let code = match noise.below(16) {
        0 | 1 => regs::ZERO + noise.below(65) as u8,
        2 if count <= 2 => regs::VCC_LO,
        3 if count == 1 => regs::M0,
        4 if count <= 2 => regs::EXEC_LO,
        5 if is_value => [regs::VCCZ, regs::EXECZ, regs::SCC][noise.below(3) as usize],
        // Only scalar instructions can prove EXECZ, since all others depend on EXEC anyway.
        10 if inst.encoding.is_scalar() => regs::EXECZ,
        6 if is_value && inst.isa >= Isa::Gfx9 => regs::SHARED_BASE + noise.below(4) as u8,
        7 | 8 if slot.field == Field::Src0 && count == 1 => regs::LDS_DIRECT,
        9 => return Operand::Literal(dword(noise)),
        _ => sgprs(count, noise),
    };
    Operand::Scalar { code, count }
}

fn destination(isa: Isa, count: u8, noise: &mut Noise) -> u8 {
    match noise.below(8) {
        0 if count <= 2 => regs::VCC_LO,
        1 if count <= 2 => regs::EXEC_LO,
        2 if count == 1 => regs::M0,
        3 if count <= 2 => regs::flat_scratch(isa).unwrap_or(4),
        _ => sgprs(count, noise),
    }
}

fn sgprs(count: u8, noise: &mut Noise) -> u8 {
    let unit = match count {
        1 => 1,
        2 => 2,
        _ => 4,
    };
    noise.below(80 / unit) as u8 * unit as u8
}
