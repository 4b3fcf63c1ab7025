//! Tests of the exact meanings of [`gcn_isa::meaning`], which are evaluated and compared with execution: every row that
//! has one, on every instruction set, in its short and its long encoding, with and without a clamp.

mod language;

use gcn_emu::Code;
use gcn_emu::Lds;
use gcn_emu::device::{Config, Device};
use gcn_emu::run;
use gcn_emu::wave::{LANES, Wave, WaveId};
use gcn_isa::meaning::meaning;
use gcn_isa::{Field, Form, Inst, Isa, Kind, Operand, OperandAccess, Slot, Ty, regs, rows};

use language::{Place, Values, carry_out};

const BASE: u64 = 0x1000;
const VGPRS: u8 = 48;
const SGPRS: u8 = 64;
/// Distance between the registers of two operands.
const APART: u8 = 8;
/// Number of random states for each instruction.
const STATES: usize = 6;
/// Minimum number of rows with an exact meaning on each instruction set.
const LEAST: usize = 150;

/// Random number generator: splitmix64.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Random dword, often an edge case for carries, signs or widths.
    fn dword(&mut self) -> u32 {
        const EDGES: [u32; 10] = [
            0,
            1,
            u32::MAX,
            1 << 31,
            (1 << 31) - 1,
            0x8000,
            0x7fff,
            0xffff,
            0xff_ffff,
            0x80_0000,
        ];
        let random = self.next();
        match random >> 62 {
            0 => EDGES[(random % 10) as usize],
            1 => (random as u32) & 0x3f,
            _ => random as u32,
        }
    }
}

/// Machine with one wave.
struct Rig {
    isa: Isa,
    device: Device,
    wave: Wave,
    lds: Lds,
}

impl Rig {
    fn new(isa: Isa) -> Rig {
        Rig {
            isa,
            device: Device::new(Config::new(isa)),
            wave: Wave::new(isa, WaveId::default(), BASE, VGPRS.into(), SGPRS),
            lds: Lds::new(isa, 0),
        }
    }

    fn scramble(&mut self, noise: &mut Noise) {
        self.wave.restart(BASE);
        for register in &mut self.wave.vgprs {
            register.0.fill_with(|| noise.dword());
        }
        for code in (0..SGPRS).chain([regs::VCC_LO, regs::VCC_LO + 1]) {
            self.wave.set_scalar(code, noise.dword());
        }
        self.wave.set_scalar(regs::M0, noise.dword());
        self.wave.scc = noise.next() & 1 != 0;
        self.wave.set_exec(u64::MAX);
    }

    /// Value of an operand in a lane.
    fn value(&self, inst: &Inst, slot: &Slot, lane: usize) -> i128 {
        let dwords = slot.ty.dwords();
        let whole = match inst.operand(slot) {
            Operand::Vgprs { first, .. } => join(
                (first..first + dwords)
                    .map(|register| self.wave.vgprs[usize::from(register)].0[lane]),
            ),
            Operand::Scalar { code, .. } => {
                join((code..code + dwords).map(|code| self.wave.resolved(code)))
            }
            Operand::Imm(number) => return number.into(),
            Operand::Literal(value) => value.into(),
            Operand::ScalarOffset { .. } | Operand::Off => 0,
        };
        typed(whole, slot.ty)
    }

    /// Values that a meaning may read.
    fn values(&self, inst: &Inst, lane: usize) -> Values {
        let slots = inst.row().slots();
        let mut values: Values = slots
            .map(|slot| (name(slot), self.value(inst, slot, lane)))
            .collect();
        let others = [
            ("lane", lane as i128),
            ("scc", self.wave.scc.into()),
            ("exec", self.wave.exec().into()),
            ("m0", self.wave.m0().into()),
        ];
        values.extend(others.map(|(name, value)| (name.to_owned(), value)));
        values
    }
}

fn join(dwords: impl Iterator<Item = u32>) -> i128 {
    let places = (0..).step_by(32);
    places
        .zip(dwords)
        .fold(0, |all, (place, dword)| all | i128::from(dword) << place)
}

fn name(slot: &Slot) -> String {
    format!("{:?}", slot.field).to_ascii_lowercase()
}

/// Interprets the low bits as a number of this type.
fn typed(bits: i128, ty: Ty) -> i128 {
    let width = 8 * u32::from(ty.bytes());
    if width >= 128 {
        return bits;
    }
    let (low, _) = range(ty);
    let unsigned = bits & ((1 << width) - 1);
    let is_negative = low < 0 && unsigned >> (width - 1) != 0;
    unsigned - if is_negative { 1 << width } else { 0 }
}

/// Least and greatest number of a type.
fn range(ty: Ty) -> (i128, i128) {
    let width = 8 * u32::from(ty.bytes()).min(8);
    match ty {
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 => (-1 << (width - 1), (1 << (width - 1)) - 1),
        _ => (0, (1 << width) - 1),
    }
}

/// Instruction with separate registers for all operands; `None` if an operand accepts none of them.
fn with_registers(form: &'static Form, noise: &mut Noise, clamp: bool) -> Option<Inst> {
    let mut inst = Inst::with_defaults(form);
    if clamp {
        inst.set(Field::Clamp, 1).ok()?;
    }
    for (place, slot) in (0..).zip(form.row.slots()) {
        let count = slot.ty.dwords();
        let operand = match slot.kind {
            Kind::Src | Kind::Vgpr => Operand::Vgprs {
                first: place * APART,
                count,
            },
            Kind::Ssrc | Kind::Sdst => Operand::Scalar {
                code: place * APART,
                count,
            },
            Kind::Simm16 => Operand::Imm((noise.dword() as i16).into()),
            _ => return None,
        };
        // The short encoding uses VCC if no field names it.
        if inst.set_operand(slot, operand).is_err() && inst.operand(slot) != operand {
            let is_vcc = |operand| {
                matches!(
                    operand,
                    Operand::Scalar {
                        code: regs::VCC_LO,
                        ..
                    }
                )
            };
            if !is_vcc(inst.operand(slot)) {
                return None;
            }
        }
    }
    inst.broken_rule().is_none().then_some(inst)
}

/// Executes an instruction, and fails if its meaning gives another result.
fn compare(rig: &mut Rig, inst: &Inst, code: &str) -> Result<(), String> {
    let is_scalar = inst.encoding.is_scalar();
    let lanes = if is_scalar { 1 } else { LANES };
    let is_clamped = inst.flag(Field::Clamp);
    let slot_of = |name_: &str| inst.row().slots().find(|slot| name(slot) == name_);
    let assign = |values: &mut Values, place: &Place, value: i128| {
        let old = values.get(&place.name).copied().unwrap_or(0);
        let value = match place.bits {
            Some((high, low)) => {
                let mask = ((1 << (high - low + 1)) - 1) << low;
                old & !mask | value << low & mask
            }
            None => value,
        };
        let value = match (place.name.as_str(), slot_of(&place.name)) {
            ("vdst", Some(slot)) if is_clamped => {
                let (least, greatest) = range(slot.ty);
                value.clamp(least, greatest)
            }
            ("scc", _) => (value != 0).into(),
            ("exec", _) => typed(value, Ty::U64),
            ("m0", _) => typed(value, Ty::U32),
            (_, Some(slot)) => typed(value, slot.ty),
            (_, None) => value,
        };
        values.insert(place.name.clone(), value);
    };
    let mut expected = Vec::new();
    let mut mask = None;
    for lane in 0..lanes {
        let mut values = rig.values(inst, lane);
        // Lanes write a mask bit by bit; the mask is compared as a whole.
        if let Some(mask) = mask {
            values.insert("sdst".to_owned(), mask);
        } else if !is_scalar && slot_of("sdst").is_some() {
            values.insert("sdst".to_owned(), 0);
        }
        carry_out(code, &mut values, assign).map_err(|error| format!("`{code}`: {error}"))?;
        mask = values.get("sdst").copied().filter(|_| !is_scalar);
        expected.push(values);
    }
    let words = &inst.words()[..inst.dwords()];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let loaded = Code::new(rig.isa, BASE, &bytes, VGPRS.into(), SGPRS);
    run::step(&rig.device, &loaded, &mut rig.wave, &mut rig.lds)
        .map_err(|fault| format!("{fault:?}"))?;
    for (lane, values) in expected.iter().enumerate() {
        let found = rig.values(inst, lane);
        // A source and the destination may be the same register: VCC in the short encoding.
        let is_source =
            |name: &str| slot_of(name).is_some_and(|slot| slot.access == OperandAccess::Read);
        for (name, &found) in found.iter().filter(|(name, _)| !is_source(name)) {
            let wanted = match (name.as_str(), mask) {
                ("sdst", Some(mask)) => typed(mask, Ty::U64),
                _ => values[name],
            };
            if found != wanted {
                return Err(format!(
                    "lane {lane}: {name} is {found:#x}, by `{code}` {wanted:#x}"
                ));
            }
        }
    }
    Ok(())
}

#[test]
fn exact_meanings_match_execution() {
    let mut failures = Vec::new();
    for isa in Isa::ALL {
        let mut rig = Rig::new(isa);
        let mut noise = Noise(isa as u64);
        let mut compared = 0;
        for row in rows().filter(|row| row.opcode_on(isa).is_some()) {
            let Some(meaning) = meaning(row.op()).filter(|it| it.is_exact) else {
                continue;
            };
            let is_plain =
                |form: &&Form| !form.layout.has(Field::Src0Sel) && !form.layout.has(Field::DppCtrl);
            let before = (failures.len(), compared);
            for form in isa.tables().forms(row.op()).iter().filter(is_plain) {
                let clamps = form.modifier(Field::Clamp).is_some();
                for state in 0..STATES {
                    let clamp = clamps && state % 2 != 0;
                    let Some(inst) = with_registers(form, &mut noise, clamp) else {
                        continue;
                    };
                    rig.scramble(&mut noise);
                    let result = compare(&mut rig, &inst, &meaning.code);
                    failures.extend(
                        result
                            .err()
                            .map(|it| format!("{isa:?} {}: {it}", inst.text())),
                    );
                    compared = before.1 + 1;
                }
            }
            if compared == before.1 {
                failures.push(format!("{isa:?} {}: not executed", row.name_on(isa)));
            }
            failures.truncate(before.0 + 2);
        }
        if compared < LEAST {
            failures.push(format!("{isa:?}: {compared} rows only"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
