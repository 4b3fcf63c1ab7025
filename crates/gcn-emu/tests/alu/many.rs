//! Tests of every vector instruction that has a reference on a million lanes of random and special values, and of
//! half-precision instructions with one source on all values. Mixed precision rounds as in E195, dot products as in
//! E196; approximations are within one unit in the last place (E199).

use gcn_emu::registers::VectorRegisters;
use gcn_emu::wave::LANES;
use gcn_isa::{Encoding, Inst, Isa, Kind, Op, Operand, OperandAccess, Row, Slot, Ty, rows};

use crate::common::*;
use crate::float::{APPROXIMATE, f, g, h};
use crate::vector::{In, Reference, keeps_high_half, reference, select_both_halves};

/// Number of batches of 64 lanes: a million lanes.
const BATCHES: usize = 1 << 14;
/// Number of registers reserved for each operand.
const STEP: u8 = 2;

/// Instruction with its own registers, to be executed repeatedly.
struct Bench {
    inst: Inst,
    slots: Vec<&'static Slot>,
    operands: Vec<Operand>,
    reference: Reference,
}

impl Bench {
    /// Prepares a row on the newest instruction set that has it, in its first encoding, with vector registers where
    /// possible.
    fn new(row: &Row, reference: Reference) -> Option<Bench> {
        let mut all = Isa::ALL.into_iter().rev();
        let is_executed = |e: &Encoding| {
            use Encoding::*;
            matches!(e, Vop1 | Vop2 | Vopc | Vop3 | Vop3b | Vop3c | Vop3p)
        };
        let bare = all.find_map(|isa| {
            let mut encodings = row.encodings().filter(is_executed);
            encodings.find_map(|encoding| Inst::new(isa, row.op(), encoding))
        })?;
        let slots: Vec<&Slot> = row.slots().collect();
        let operands: Vec<Operand> = slots
            .iter()
            .enumerate()
            .map(|(n, slot)| choices(&bare, slot, STEP * n as u8, STEP * n as u8)[0])
            .collect();
        let mut inst = inst(bare.isa, row.op(), bare.encoding, &operands);
        select_both_halves(&mut inst);
        Some(Bench {
            inst,
            slots,
            operands,
            reference,
        })
    }

    /// Runs `batches` batches, whose source registers `fill` sets. Fails with the first wrong lane.
    fn check(
        &self,
        batches: usize,
        mut fill: impl FnMut(usize, &mut [u32; LANES]),
    ) -> Result<(), String> {
        let is_source = |slot: &Slot| slot.access == OperandAccess::Read && slot.kind != Kind::Sdst;
        let places: Vec<usize> = (0..self.slots.len())
            .filter(|&n| is_source(self.slots[n]))
            .collect();
        let mut wave = wave(self.inst.isa, &mut Noise(1));
        wave.vgprs = VectorRegisters::new(usize::from(STEP) * self.slots.len());
        wave.set_exec(u64::MAX);
        let mask = |access| {
            let place = |s: &&Slot| s.kind == Kind::Sdst && s.access == access;
            let place = self.slots.iter().position(place)?;
            match self.operands[place] {
                Operand::Scalar { code, .. } => Some(code),
                _ => None,
            }
        };
        let (read, written) = (mask(OperandAccess::Read), mask(OperandAccess::Write));
        let (code, handler) = prepared(&self.inst);
        let step = code.step(BASE).expect("there is code");
        let step = step.expect("it decodes");
        let destination = self.slots[0];
        let merges = keeps_high_half(&self.inst);
        for batch in 0..batches {
            for register in &mut wave.vgprs {
                fill(batch, &mut register.0);
            }
            let vcc = (batch as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            wave.set_vcc(vcc);
            if let Some(code) = read {
                wave.set_scalar64(code, vcc);
            }
            let before = wave.vgprs.clone();
            let scalars = wave.clone();
            handler(&mut wave, step);
            let bits = written.map_or(0, |code| wave.scalar64(code));
            wave.set_exec(u64::MAX);
            for lane in 0..LANES {
                let at = |place: usize| match self.operands[place] {
                    Operand::Vgprs { first, .. } => {
                        let at = |n: usize| u64::from(before[usize::from(first) + n].0[lane]);
                        let high = self.slots[place].ty.dwords() > 1;
                        at(0) | if high { at(1) << 32 } else { 0 }
                    }
                    operand => value_of(&scalars, self.slots[place], operand, lane),
                };
                let source = |n: usize| places.get(n).map_or(0, |&place| at(place));
                let (want, bit) = (self.reference)(In {
                    a: source(0),
                    b: source(1),
                    c: source(2),
                    d: if matches!(self.operands[0], Operand::Vgprs { .. }) {
                        at(0)
                    } else {
                        0
                    },
                    bit: vcc >> lane & 1 == 1,
                    lane: lane as u32,
                    isa: self.inst.isa,
                });
                if written.is_some() && (bits >> lane & 1 == 1) != bit {
                    return Err(format!(
                        "{} of {:x?}: {bit} is right",
                        self.inst.text(),
                        [0, 1, 2].map(source)
                    ));
                }
                let Operand::Vgprs { first, .. } = self.operands[0] else {
                    continue;
                };
                let got = |n: usize| u64::from(wave.vgprs[usize::from(first) + n].0[lane]);
                let old = u64::from(before[usize::from(first)].0[lane]);
                let want = match destination.ty.bytes() {
                    2 if self.inst.name().contains("mixhi") => old & 0xffff | want << 16,
                    2 if merges => old & 0xffff_0000 | want & 0xffff,
                    _ => want,
                };
                let got = match destination.ty.dwords() {
                    1 => got(0),
                    _ => got(0) | got(1) << 32,
                };
                if !self.agrees(got, want) {
                    return Err(format!(
                        "{} of {:x?}: {got:#x}, not {want:#x}",
                        self.inst.text(),
                        [0, 1, 2].map(source)
                    ));
                }
            }
        }
        Ok(())
    }

    /// True if two results agree. All NaNs count as equal, since the choice of NaN is not settled.
    fn agrees(&self, got: u64, want: u64) -> bool {
        let halves = |n: u32| {
            let (got, want) = (got >> n & 0xffff, want >> n & 0xffff);
            got == want || h(got).is_nan() && h(want).is_nan()
        };
        got == want
            || APPROXIMATE.contains(&self.inst.name()) && got.abs_diff(want) <= 1
            || match self.slots[0].ty {
                Ty::F32 => f(got).is_nan() && f(want).is_nan(),
                Ty::F64 => g(got).is_nan() && g(want).is_nan(),
                Ty::F16 | Ty::F16x2 => halves(0) && halves(16),
                _ => false,
            }
    }
}

fn benches(chosen: impl Fn(&Row) -> bool) -> Vec<Bench> {
    rows()
        .filter(|row| chosen(row))
        .filter_map(|row| Bench::new(row, reference(row.name)?))
        .collect()
}

fn report(wrong: Vec<String>) {
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Instructions whose references count digit by digit, which run fewer batches.
const SLOW: &[&str] = &[
    "v_ldexp_f64",
    "v_frexp_exp_i32_f64",
    "v_frexp_mant_f64",
    "v_ldexp_f32",
];
const SLOW_BATCHES: usize = BATCHES / 16;

fn a_million_lanes(chosen: impl Fn(&Row) -> bool) {
    let mut noise = Noise(0x5eed_0190);
    let pool = Pool::new(&mut noise);
    let mut wrong = Vec::new();
    for bench in benches(chosen) {
        let batches = if SLOW.contains(&bench.inst.name()) {
            SLOW_BATCHES
        } else {
            BATCHES
        };
        let checked = bench.check(batches, |_, register| {
            pool.fill(&mut noise, register);
        });
        wrong.extend(checked.err());
    }
    report(wrong);
}

#[test]
fn a_million_lanes_of_one_and_two_sources() {
    a_million_lanes(|row| matches!(row.op(), Op::Vop1(_) | Op::Vop2(_)));
}

#[test]
fn a_million_lanes_of_three_sources() {
    a_million_lanes(|row| matches!(row.op(), Op::Vop3(_) | Op::Vop3b(_) | Op::Vop3p(_)));
}

#[test]
fn a_million_lanes_of_comparisons() {
    a_million_lanes(|row| matches!(row.op(), Op::Vopc(_)));
}

/// All 65,536 values, one in each lane's low half.
#[test]
fn half_precision_of_one_source_is_right_for_every_value() {
    let is_half = |row: &Row| {
        let mut slots = row
            .slots()
            .filter(|slot| slot.access == OperandAccess::Read);
        matches!(row.op(), Op::Vop1(_)) && slots.all(|slot| slot.ty.bytes() == 2)
    };
    let all = benches(|row| is_half(row) && row.slots().count() == 2);
    assert!(all.len() > 15, "{}", all.len());
    let mut wrong = Vec::new();
    for bench in all {
        let checked = bench.check((1 << 16) / LANES, |batch, register| {
            for (lane, value) in register.iter_mut().enumerate() {
                *value = (batch * LANES + lane) as u32;
            }
        });
        wrong.extend(checked.err());
    }
    report(wrong);
}
