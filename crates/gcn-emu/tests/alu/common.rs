//! Waves with random registers, single instructions, and operands to try.

use gcn_emu::Code;
use gcn_emu::step::{Executor, Handler};
use gcn_emu::wave::{LANES, Lanes, Wave, WaveId};
use gcn_isa::{Encoding, Inst, Isa, Kind, Op, Operand, Slot, Ty, regs};

pub const BASE: u64 = 0x1_0000;
pub const VGPRS: usize = 20;
pub const SGPRS: u8 = 32;
/// MODE bits that enable denormals of all widths.
pub const DENORMALS: u32 = 0xf0;
pub const MODE_IEEE: u32 = 1 << 9;

/// Random number generator: xorshift64*.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Random dword, often an edge case.
    pub fn dword(&mut self) -> u32 {
        let random = self.next();
        match random >> 60 {
            0..=5 => SPECIAL[(random >> 8) as usize % SPECIAL.len()],
            6 | 7 => (random >> 8) as u32 & 0x3f,
            8 => ((random >> 8) as u32 & 0xff).wrapping_neg(),
            // Floating-point values near 1, in single and in half precision.
            9 | 10 => 0x3f00_0000 ^ (random >> 8) as u32 & 0x81ff_ffff,
            11 => 0x3800_3800 ^ (random >> 8) as u32 & 0x8fff_8fff,
            _ => (random >> 8) as u32,
        }
    }
}

#[rustfmt::skip]
const SPECIAL: &[u32] = &[
    0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100, 0x3ff, 0x400, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x8000,
    0x8001, 0xfc00, 0xffff, 0x1_0000, 0x7f_ffff, 0x80_0000, 0xff_ffff, 0x7fff_ffff, 0x8000_0000, 0x8000_0001,
    0xffff_fffe, 0xffff_ffff, 0x3c00, 0xbc00, 0x3c00_3c00, 0xbfff_7fff, 0x7fff_8000,
    0x3f80_0000, 0xbf80_0000, 0x3f00_0000, 0x4000_0000, 0x7f7f_ffff, 0xff7f_ffff, 0x7f80_0000, 0xff80_0000,
    0x7fc0_0000, 0x7f80_0001, 0xffc0_1234, 0x007f_ffff, 0x8040_0000, 0x0080_0000, 0x4f00_0000, 0xcf00_0000,
    0x4f80_0000, 0x477f_e000, 0x477f_f000, 0x4780_0000, 0x3880_0000, 0x3300_0000, 0x3380_0000, 0x4b00_0001,
    0x3ff0_0000, 0x7ff0_0000, 0xfff0_0000, 0x7ff8_0000, 0x000f_ffff, 0x8010_0000, 0x4340_0000, 0x41df_ffff,
];

/// Random dwords shared by many instructions: registers are filled from a random position.
pub struct Pool(Vec<u32>);

impl Pool {
    const DWORDS: usize = 1 << 17;

    pub fn new(noise: &mut Noise) -> Pool {
        Pool::of(Noise::dword, noise)
    }

    pub fn of(dword: fn(&mut Noise) -> u32, noise: &mut Noise) -> Pool {
        Pool((0..Pool::DWORDS).map(|_| dword(noise)).collect())
    }

    pub fn fill(&self, noise: &mut Noise, register: &mut [u32; LANES]) {
        let begin = noise.next() as usize % (Pool::DWORDS - LANES);
        register.copy_from_slice(&self.0[begin..begin + LANES]);
    }
}

/// Wave with random registers, including EXEC, at [`BASE`].
pub fn wave(isa: Isa, noise: &mut Noise) -> Wave {
    let mut wave = Wave::new(isa, WaveId::default(), BASE, VGPRS, SGPRS);
    for code in 0..SGPRS {
        wave.set_scalar(code, noise.dword());
    }
    for register in &mut wave.vgprs {
        *register = Lanes(std::array::from_fn(|_| noise.dword()));
    }
    wave.set_vcc(noise.next());
    wave.set_exec(match noise.next() % 5 {
        0 => 0,
        1 | 2 => u64::MAX,
        3 => 1 << (noise.next() % 64),
        _ => noise.next(),
    });
    wave.scc = noise.next() & 1 != 0;
    wave.mode = DENORMALS;
    wave
}

/// Creates an instruction with these operands, in the order of its row.
pub fn inst(isa: Isa, op: Op, encoding: Encoding, operands: &[Operand]) -> Inst {
    let mut inst = Inst::new(isa, op, encoding).expect("the instruction set has it");
    for (slot, operand) in op.row().slots().zip(operands) {
        inst.set_operand(slot, *operand)
            .unwrap_or_else(|e| panic!("{} {operand:?}: {e}", op.row().name));
    }
    inst
}

/// Code that consists of this instruction, and the instruction's handler.
pub fn prepared(inst: &Inst) -> (Code, Handler) {
    let bytes: Vec<u8> = inst.words()[..inst.dwords()]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let code = Code::new(inst.isa, BASE, &bytes, 256, SGPRS);
    let handler = match code.step(BASE) {
        Some(Ok(step))
            if matches!(
                step.run,
                Executor::Vector | Executor::Scalar | Executor::ScalarControl
            ) =>
        {
            step.handler
        }
        other => panic!("{}: {other:?}", inst.text()),
    };
    (code, handler)
}

/// Executes an instruction. Returns false if the emulator does not support it.
pub fn execute(wave: &mut Wave, inst: &Inst) -> bool {
    let bytes: Vec<u8> = inst.words()[..inst.dwords()]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let code = Code::new(inst.isa, BASE, &bytes, VGPRS, SGPRS);
    let step = code.step(BASE).expect("there is code").expect("it decodes");
    assert_eq!(step.inst.op, inst.op, "it decodes to the same");
    wave.pc = BASE + u64::from(step.bytes);
    match step.run {
        Executor::Vector | Executor::Scalar | Executor::ScalarControl => {
            (step.handler)(wave, step);
            true
        }
        _ => false,
    }
}

pub fn v(first: u8) -> Operand {
    Operand::Vgprs { first, count: 1 }
}

pub fn s(code: u8) -> Operand {
    Operand::Scalar { code, count: 1 }
}

/// Value that a lane reads from an operand.
pub fn value_of(wave: &Wave, slot: &Slot, operand: Operand, lane: usize) -> u64 {
    let wide = slot.ty.dwords() == 2;
    match operand {
        Operand::Vgprs { first, .. } => {
            let first = usize::from(first);
            let low = u64::from(wave.vgprs[first].0[lane]);
            if wide {
                low | u64::from(wave.vgprs[first + 1].0[lane]) << 32
            } else {
                low
            }
        }
        Operand::Scalar { code, .. } if code < regs::ZERO => {
            if wide {
                wave.scalar64(code)
            } else {
                wave.scalar(code).into()
            }
        }
        Operand::Scalar { code, .. } if code <= regs::SIXTY_FOUR => u64::from(code - regs::ZERO),
        Operand::Scalar { code, .. } if code <= regs::MINUS_SIXTEEN => {
            u64::from(code - regs::SIXTY_FOUR).wrapping_neg()
        }
        Operand::Scalar { code, .. } => {
            assert_eq!(code, regs::HALF);
            match slot.ty {
                Ty::F64 | Ty::B64 | Ty::I64 | Ty::U64 => 0.5f64.to_bits(),
                ty if ty.bytes() == 2 => 0x3800,
                _ => 0.5f32.to_bits().into(),
            }
        }
        Operand::Literal(value) => match slot.ty {
            Ty::F64 => u64::from(value) << 32,
            Ty::I64 => i64::from(value as i32) as u64,
            _ => value.into(),
        },
        Operand::Imm(value) => value as u64,
        other => panic!("{other:?} is no ALU operand"),
    }
}

/// Operands to try in a slot, registers first.
pub fn choices(inst: &Inst, slot: &Slot, vgpr: u8, sgpr: u8) -> Vec<Operand> {
    match slot.kind {
        Kind::Vgpr => vec![v(vgpr)],
        Kind::Src if inst.layout().bits(slot.field).width == 8 => vec![v(vgpr)],
        Kind::Src | Kind::Ssrc => {
            let mut all = if slot.kind == Kind::Src {
                vec![v(vgpr)]
            } else {
                vec![]
            };
            all.extend([s(sgpr), s(regs::ZERO + 64), s(regs::SIXTY_FOUR + 5)]);
            // Instructions differ in how 16-bit operands read these, so they are not tried.
            if slot.ty.bytes() > 2 && !matches!(slot.ty, Ty::F16x2 | Ty::I16x2) {
                all.push(s(regs::HALF));
                if inst.layout().dwords == 1 {
                    all.push(Operand::Literal(0x8123_4567));
                }
            }
            all
        }
        Kind::Sdst if inst.layout().bits(slot.field).width == 0 => vec![s(regs::VCC_LO)],
        Kind::Sdst => vec![s(sgpr)],
        Kind::Literal => vec![Operand::Literal(0x4049_0fdb)],
        Kind::Simm16 => vec![Operand::Imm(-5), Operand::Imm(0x1234)],
        other => panic!("{other:?} is no ALU operand"),
    }
}

/// All registers of a wave, for comparison.
pub fn registers(wave: &Wave) -> (Vec<u32>, bool, Vec<[u32; LANES]>) {
    let scalars = (0..128).map(|code| wave.scalar(code)).collect();
    (scalars, wave.scc, wave.vgprs.iter().map(|r| r.0).collect())
}
